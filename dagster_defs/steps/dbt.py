"""dbt, run inside this process through its documented `dbtRunner`: a start of its own would cost six seconds a room."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dagster_defs.errors import RunError, engine_sentence

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

_PARSED_FROM = ("models", "macros", "seeds", "tests/dbt")


@dataclass(frozen=True)
class NodeResult:
    """How one dbt node ended. ``failures`` is a test's number of offending rows; ``seconds`` is wall time."""

    unique_id: str
    resource_type: str
    name: str
    path: str
    status: str
    message: str
    failures: int | None
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether the node was built, or the test held (a warning counts as held)."""
        return self.status in ("success", "pass", "warn", "no-op")


class DbtProject:
    """The dbt project in ``project``, with artifacts and logs kept under the data folder.

    ``environment`` is what the profile reads from the environment, ``variables`` what is said in place of vars of
    dbt_project.yml: a change of either makes the manifest stale.
    """

    def __init__(
        self,
        project: Path,
        target: Path,
        logs: Path,
        environment: Mapping[str, str],
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.project = project
        self.target = target
        self.logs = logs
        self.environment = environment
        self.variables = dict(variables or {})
        self._manifest: Manifest | None = None

    @property
    def manifest_path(self) -> Path:
        """Where the parsed project is written as JSON."""
        return self.target / "manifest.json"

    def is_current(self) -> bool:
        """Whether the manifest on disk is that of the project's files as they stand."""
        key_file = self.target / "manifest.key"
        return self.manifest_path.exists() and key_file.exists() and key_file.read_text() == self._fingerprint()

    def parse(self) -> None:
        """Parse the project, write its manifest, and keep it for the builds that follow in this process.

        Raises RunError with dbt's own complaint when the project does not parse.
        """
        fingerprint = self._fingerprint()
        (self.target / "manifest.key").unlink(missing_ok=True)
        _check_registered(self.project)
        result = self._invoke(["parse"], on_event=None)
        if not result.success:
            raise RunError(_project_sentence(result.exception)) from result.exception
        self._manifest = result.result
        (self.target / "manifest.key").write_text(fingerprint)

    def build(
        self, select: Sequence[str], *, exclude: Sequence[str] = (), on_result: Callable[[str], None] | None = None
    ) -> list[NodeResult]:
        """Build the selected seeds, models and their data tests.

        ``on_result`` is told, as text, of each table as it ends. Returns every node's result, failed ones included.
        Raises RunError when dbt could not start the build at all.
        """
        if self._manifest is None:
            self.parse()
        # The manifest on disk stays the parsed one: writing it and the results again would cost a second a build.
        words = ["build", "--no-write-json", "--select", *select, "--exclude", "resource_type:unit_test", *exclude]
        # A test between two rooms belongs to the later one, when both tables are there.
        words += ["--indirect-selection", "buildable"]
        result = self._invoke(words, on_event=_reporter(on_result) if on_result else None)
        if result.exception is not None:
            raise RunError(_project_sentence(result.exception)) from result.exception
        return list(_node_results(result.result))

    def _invoke(self, words: Sequence[str], on_event: Callable[[Any], None] | None) -> Any:
        from dbt.cli.main import dbtRunner

        runner = dbtRunner(manifest=self._manifest, callbacks=[on_event] if on_event else [])
        where = ["--project-dir", str(self.project), "--profiles-dir", str(self.project)]
        kept = ["--target-path", str(self.target), "--log-path", str(self.logs)]
        kept += ["--vars", json.dumps(self.variables)] if self.variables else []
        quiet = [
            "--log-level",
            "none",
            "--log-level-file",
            "info",
            "--no-send-anonymous-usage-stats",
            "--no-version-check",
        ]
        result = runner.invoke([*quiet, *words, *where, *kept])
        _close_connections()
        return result

    def _fingerprint(self) -> str:
        """A digest of what a parse hangs on: names, sizes and times of files, dbt's version, what the profile gets."""
        digest = hashlib.sha256()
        files = [self.project / "dbt_project.yml", self.project / "profiles.yml"]
        for folder in _PARSED_FROM:
            files += sorted((self.project / folder).rglob("*"))
        for file in files:
            if file.suffix in (".sql", ".yml", ".csv", ".md"):
                stat = file.stat()
                digest.update(f"{file.relative_to(self.project)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
        known = [version("dbt-core"), dict(self.environment), self.variables]
        digest.update(json.dumps(known, sort_keys=True).encode())
        return digest.hexdigest()


def _check_registered(project: Path) -> None:
    """Raises RunError when a topic is registered that has no model: dbt would blame the catalog, which reads it."""
    settings = yaml.safe_load((project / "dbt_project.yml").read_text())
    for topic in settings.get("vars", {}).get("topics") or []:
        if not (project / "models/topics" / f"{topic}.sql").exists():
            raise RunError(
                f"dbt_project.yml registers the topic {topic}, but models/topics/{topic}.sql does not exist: write the"
                " model, or remove the line under vars: topics:."
            )


def first_failure(results: Sequence[NodeResult], folder: Path | None = None) -> str | None:
    """One sentence on the first node that failed (a model before a test), None when all went well.

    ``folder`` is where the run writes, named where the engine names no file.
    """
    failed = sorted((r for r in results if not r.ok and r.status != "skipped"), key=lambda r: r.resource_type == "test")
    if not failed:
        return None
    worst = failed[0]
    more = f" ({len(failed) - 1} more failed)" if len(failed) > 1 else ""
    if worst.resource_type == "test":
        rows = "1 offending row" if worst.failures == 1 else f"{worst.failures} offending rows"
        return f"The dbt test {worst.name} found {rows}{more}: see {worst.path}."
    said = engine_sentence(worst.message, folder)
    return said or f"dbt could not build {worst.name} ({worst.path}): {_cause(worst.message)}{more}"


def load_manifest(path: Path) -> dict[str, Any]:
    """The manifest as plain dictionaries."""
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def _close_connections() -> None:
    """Let go of the build database: in one process DuckDB refuses a read-only handle beside dbt's own."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    DuckDBConnectionManager.close_all_connections()  # type: ignore[no-untyped-call]


def _reporter(on_result: Callable[[str], None]) -> Callable[[Any], None]:
    """A dbt callback that passes on the closing line of each table. Tests end as checks, and stand in dbt's own log."""
    closing = {"LogModelResult", "LogSeedResult"}

    def report(event: Any) -> None:
        if event.info.name in closing:
            on_result(event.info.msg)

    return report


def _node_results(result: Any) -> Iterator[NodeResult]:
    for item in result.results:
        node = item.node
        yield NodeResult(
            unique_id=node.unique_id,
            resource_type=str(node.resource_type),
            name=node.name,
            path=node.original_file_path,
            status=str(item.status),
            message=item.message or "",
            failures=item.failures,
            seconds=round(item.execution_time, 3),
        )


def _project_sentence(error: BaseException | None) -> str:
    """dbt's complaint about the project as one sentence; the project's own guards already speak in one."""
    message = str(error)
    guard = re.match(r"\s*Compilation Error in operation \S*on-run-start\S* \([^)]*\)\n(.*)", message, re.DOTALL)
    if guard:
        return _cause(guard[1])
    return engine_sentence(message) or f"dbt cannot read the project: {_cause(message)}"


def _cause(message: str) -> str:
    """The telling part of a dbt or DuckDB message on one line, without what only locates it in compiled code."""
    lines = [line.strip() for line in message.strip().splitlines()]
    located = ("compiled code at", "> in macro", "> called by", "^")
    return " ".join(line for line in lines if line and not line.startswith(located))[:600]
