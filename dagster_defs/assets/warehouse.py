"""The dbt models as assets, one op a room, so that a gate can stand between two rooms."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    MetadataValue,
    Output,
)
from dagster_dbt import DagsterDbtTranslator, dbt_assets
from dagster_dbt.asset_utils import get_asset_check_key_for_test

from dagster_defs.errors import RunError
from dagster_defs.resources import PROJECT, Settings, Warehouse
from dagster_defs.steps.dbt import DbtProject, NodeResult, first_failure, load_manifest
from dagster_defs.steps.lock import waiting_lock
from dagster_defs.steps.preview import table_previews

POOL = "duckdb_writer"
# dbt's sources that a command lands, or what publishes (a circle of assets), whole or one table -> their group.
BY_COMMAND: Mapping[str, str] = {
    "landed_review": "review",
    "landed_llm.distinctiveness": "scores",
    "landed_history": "questions",
}
# What keeps the questions of every snapshot.
HISTORY_FOLDERS = ("models/staging/history", "models/history")
# Articles as they are landed: what is read in them is landed again, and only that changes facts.
DOCUMENT_FOLDERS = ("models/staging/wikipedia", "models/documents")
# Which folders of the dbt project make up a room. Seeds go with the first room, since every later one may read them.
ROOMS: Mapping[str, tuple[str, ...]] = {
    "facts": (
        "seeds",
        "models/staging/wikidata",
        "models/staging/domains",
        "models/staging/extractions",
        "models/extractions",
        "models/facts",
        "models/provenance",
    ),
    "topics": ("models/topics", "models/catalog"),
    "questions": ("models/multi_entity", "models/deep_research", "models/questions"),
    # Built as one, since a start of dbt costs two seconds; a gate follows for each.
    "scores": (
        # With the runs: a variant's questions are kept between two builds, and its runs are scored by them.
        *HISTORY_FOLDERS,
        *DOCUMENT_FOLDERS,
        "models/staging/llm",
        "models/staging/review",
        "models/staging/recheck",
        "models/staging/elicitation",
        "models/staging/proposals",
        "models/elicitation",
        "models/proposals",
        "models/runs",
        "models/review",
        "models/scores",
    ),
}
# The gates that follow a room, by the name of their verdict.
GATES_AFTER: Mapping[str, tuple[str, ...]] = {
    "facts": ("facts", "extractions"),
    "topics": ("topics",),
    "questions": ("questions", "deep_research", "audit"),
    "scores": ("documents", "runs", "scores", "selection", "elicitation"),
}


class ByRoom(DagsterDbtTranslator):
    """Groups assets by the room (folder) their model stands in, and describes them in the model's own words."""

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """The folder directly below models/, or 'seeds'."""
        return "seeds" if dbt_resource_props["resource_type"] == "seed" else str(dbt_resource_props["fqn"][1])

    def get_description(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """The model's description, without its SQL (dbt's folder and the compiled file hold that)."""
        return str(dbt_resource_props.get("description") or "")


class Models:
    """The dbt project as Dagster sees it: its manifest, and which asset each node is."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.dbt = DbtProject(PROJECT, settings.dbt_target, settings.logs / "dbt", settings.for_dbt)
        # Two processes may load the definitions at once; one must not read what the other is writing.
        with waiting_lock(settings.dbt_target / "manifest.lock"):
            if not self.dbt.is_current():
                # Before dbt, whose complaints about a topic's yml are less plain.
                from ingest.topics import load_topic_sources

                load_topic_sources(PROJECT / "models")
                self.dbt.parse()
            self.manifest = load_manifest(self.dbt.manifest_path)
        self.translator = ByRoom()

    def key(self, unique_id: str) -> AssetKey:
        """The asset of a dbt node."""
        return self.translator.get_asset_spec(self.manifest, unique_id, None).key

    def table(self, unique_id: str) -> str:
        """A node's table as 'schema.name'."""
        node = self.manifest["nodes"][unique_id]
        return f"{node['schema']}.{node['alias']}"

    def nodes(self, *folders: str) -> list[str]:
        """The seeds and models in ``folders``, as unique ids in a fixed order."""
        found = self.manifest["nodes"].items()
        return sorted(
            unique_id
            for unique_id, node in found
            if node["resource_type"] in ("seed", "model") and node["original_file_path"].startswith(folders)
        )

    def keys_of(self, *folders: str) -> list[AssetKey]:
        """The assets of the seeds and models in ``folders``."""
        return [self.key(unique_id) for unique_id in self.nodes(*folders)]

    def leaves(self) -> list[str]:
        """The models that no other model reads."""
        read = {
            parent
            for node in self.manifest["nodes"].values()
            for parent in node["depends_on"].get("nodes", [])
            if node["resource_type"] == "model"
        }
        return [unique_id for unique_id in self.nodes("models/") if unique_id not in read]


def landed_by_command(models: Models) -> list[AssetSpec]:
    """What `make review` and `distinct` land: shown beside what assets land, since a room reads it."""
    return [
        AssetSpec(
            models.translator.get_asset_spec(models.manifest, unique_id, None).key,
            description=source["description"],
            group_name=group,
            kinds={"parquet"},
        )
        for unique_id, source in models.manifest["sources"].items()
        for listed, group in BY_COMMAND.items()
        if listed in (source["source_name"], f"{source['source_name']}.{source['name']}")
    ]


def room_assets(models: Models, room: str) -> AssetsDefinition:
    """The assets of one room: one op that builds its models and data tests with dbt."""
    select = " ".join(f"path:{folder}" for folder in ROOMS[room])

    @dbt_assets(
        manifest=models.manifest,
        select=select,
        name=f"{room}_room",
        dagster_dbt_translator=models.translator,
        pool=POOL,
    )
    def build(context: AssetExecutionContext, warehouse: Warehouse) -> Iterator[Output[None] | AssetCheckResult]:
        withdraw(models.settings.quality, room)
        wanted = set(context.selected_asset_keys)
        # By its whole path: a room is called like a table of another one.
        chosen = [
            f"fqn:{'.'.join(models.manifest['nodes'][i]['fqn'])}"
            for i in models.nodes(*ROOMS[room])
            if models.key(i) in wanted
        ]
        whole_room = len(chosen) == len(models.nodes(*ROOMS[room]))
        results = models.dbt.build(select.split() if whole_room else chosen, on_result=context.log.info)
        yield from _outputs(models, results)
        yield from _checks(context, models, results)
        failure = first_failure(results, models.settings.data_dir)
        if failure:
            raise RunError(failure)

    return build


def withdraw(quality: Path, room: str) -> None:
    """Forget what gates said of ``room`` and of those after it: it was said of other data."""
    from dagster_defs.steps.quality import forget

    later = list(ROOMS)[list(ROOMS).index(room) :]
    forget(quality, [gate for name in later for gate in GATES_AFTER[name]])


def _outputs(models: Models, results: list[NodeResult]) -> Iterator[Output[None]]:
    """One output, with row count and preview, for each table that was built."""
    built = {r.unique_id: r for r in results if r.ok and r.resource_type in ("seed", "model")}
    previews = table_previews(models.settings.build_database, [models.table(unique_id) for unique_id in built])
    for unique_id, result in built.items():
        count, preview = previews[models.table(unique_id)]
        yield Output(
            None,
            output_name=models.key(unique_id).to_python_identifier(),
            metadata={
                "dagster/row_count": MetadataValue.int(count),
                "seconds": MetadataValue.float(result.seconds),
                "preview": MetadataValue.md(preview),
            },
        )


def _checks(context: AssetExecutionContext, models: Models, results: list[NodeResult]) -> Iterator[AssetCheckResult]:
    """One check result for each data test that ran and that Dagster shows as a check."""
    for result in results:
        if result.resource_type != "test" or result.status == "skipped":
            continue
        key = get_asset_check_key_for_test(models.manifest, models.translator, result.unique_id, project=None)
        if key is not None and key in context.selected_asset_check_keys:
            yield AssetCheckResult(
                asset_key=key.asset_key,
                check_name=key.name,
                passed=result.status == "pass",
                severity=AssetCheckSeverity.WARN if result.status == "warn" else AssetCheckSeverity.ERROR,
                metadata={"offending rows": result.failures or 0, "seconds": result.seconds},
            )
