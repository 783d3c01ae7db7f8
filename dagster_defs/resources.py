"""Settings and shared resources. The only module that reads the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from dagster import ConfigurableResource, InitResourceContext
from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from dagster_defs.errors import RunError
from dagster_defs.steps.lock import writer_lock

if TYPE_CHECKING:
    from dagster_defs.llm.models import Registry

PROJECT = Path(__file__).resolve().parent.parent
PREFIX = "ASSAY_"
SEARCH_KEY = "BRAVE_API_KEY"
# Read by the tests, and by the script that rebuilds the sample.
OTHER_VARIABLES = frozenset({"ASSAY_PAYLOADS", "ASSAY_SAMPLE_NPM"})


class Settings(BaseSettings):
    """Everything a user may set, from the environment or `.env`; `.env.example` lists each with its default."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=PROJECT / ".env", extra="ignore", frozen=True)

    data_dir: Path = Field(PROJECT / "data", description="Folder for everything that is built; made when missing.")
    endpoint: str = Field("sample", description="'sample', or the URL of a SPARQL endpoint that speaks Wikidata's RDF.")
    contact: str = Field("", description="E-mail address or URL sent in the user agent; Wikidata asks for one.")
    wikimedia: str = Field("", description="Server of this machine that answers for Wikipedia's and Wikidata's APIs.")
    language: str = Field("en", pattern=r"^[a-z]{2,3}(-[a-z]+)*$", description="Language of labels.")
    page_size: int = Field(5000, ge=1, description="Members that one SPARQL query lists.")
    batch_size: int = Field(500, ge=1, description="Entities that one SPARQL query asks about.")
    timeout_seconds: float = Field(75.0, gt=0, description="How long one attempt at a SPARQL query may take.")
    attempts: int = Field(6, ge=1, description="How often a SPARQL query is tried.")
    deadline_seconds: float = Field(600.0, gt=0, description="How long all attempts at one SPARQL query may take.")
    max_age_days: float = Field(30.0, ge=0, description="Topics older than this are landed anew by refresh.")
    workers: int = Field(2, ge=1, description="Processes that the audit may use.")
    memory_limit: str = Field("1500MB", pattern=r"^\d+(\.\d+)?\s?(KB|MB|GB|TB)$", description="DuckDB's memory limit.")

    @property
    def landing(self) -> Path:
        """Folder of landed Parquet files."""
        return self.data_dir / "landing"

    @property
    def build_database(self) -> Path:
        """The file dbt writes."""
        return self.data_dir / "build" / "assay.duckdb"

    @property
    def published_database(self) -> Path:
        """The file analysts open."""
        return self.data_dir / "assay.duckdb"

    @property
    def quality(self) -> Path:
        """Folder of the gates' reports."""
        return self.data_dir / "quality"

    @property
    def logs(self) -> Path:
        """Folder of full logs, one a run."""
        return self.data_dir / "logs"

    @property
    def journal(self) -> Path:
        """Every call to a model and what came of it; what is here is never paid for again."""
        return self.data_dir / "llm" / "journal.sqlite"

    @property
    def embeddings(self) -> Path:
        """Vectors by content."""
        return self.data_dir / "llm" / "embeddings.sqlite"

    @property
    def report(self) -> Path:
        """The page that people look at."""
        return self.data_dir / "report" / "index.html"

    @property
    def elicitation(self) -> Path:
        """Landed rows of elicitation."""
        return self.landing / "elicitation"

    @property
    def history(self) -> Path:
        """Landed questions, by the snapshot they are from."""
        return self.landing / "history"

    @property
    def variants(self) -> Path:
        """Databases of questions drawn anew, or over changed facts; one a variant."""
        return self.data_dir / "variants"

    @property
    def proposals(self) -> Path:
        """Topics that concepts came to, to be reviewed; one folder each."""
        return self.data_dir / "proposals"

    @property
    def extractions(self) -> Path:
        """Landed rows of what a model read in articles."""
        return self.landing / "extractions"

    @property
    def recheck(self) -> Path:
        """What a recheck fetches and builds; emptied by the next."""
        return self.data_dir / "recheck"

    @property
    def cache(self) -> Path:
        """What can be made again at any time."""
        return self.data_dir / "cache"

    @staticmethod
    def search_key() -> SecretStr | None:
        """The key of the search provider, from the environment or `.env`; None where there is none."""
        found = os.environ.get(SEARCH_KEY) or dotenv_values(PROJECT / ".env").get(SEARCH_KEY)
        return SecretStr(found) if found else None

    @staticmethod
    def progress_stream() -> TextIO | None:
        """Where a bar of progress can be drawn: the terminal, if this is one."""
        return sys.stderr if sys.stderr.isatty() else None

    @property
    def dagster_home(self) -> Path:
        """Dagster's own folder: runs and events."""
        return self.data_dir / "dagster"

    @property
    def for_dbt(self) -> dict[str, str]:
        """The variables that dbt's profile and sources read."""
        return {"ASSAY_DATA_DIR": str(self.data_dir), "ASSAY_MEMORY_LIMIT": self.memory_limit}

    @property
    def dbt_target(self) -> Path:
        """dbt's folder for its manifest and compiled SQL."""
        return self.data_dir / "build" / "target"


def load_settings() -> Settings:
    """Read the settings, make the data folder, and hand to dbt what its profile reads from the environment.

    Raises RunError when a variable is unknown or has a value that cannot be used, or the data folder cannot be written.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields} | OTHER_VARIABLES
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise RunError(f"The environment sets {unknown[0]}, which Assay does not know: unset it, or see .env.example.")
    try:
        settings = Settings()
    except ValidationError as error:
        problem = error.errors()[0]
        name = PREFIX + str(problem["loc"][0]).upper()
        raise RunError(f"{name} cannot be {problem['input']!r} ({problem['msg']}): see .env.example.") from error
    settings = settings.model_copy(update={"data_dir": settings.data_dir.expanduser().absolute()})
    _make_writable(settings.data_dir / "build")
    os.environ.update(settings.for_dbt)
    return settings


def load_keys(registry: Registry) -> dict[str, SecretStr]:
    """The keys that models.yml names variables for, from the environment or `.env`; absent where not set."""
    written = dotenv_values(PROJECT / ".env")
    names = {spec.key_variable for spec in registry.models.values() if spec.key_variable}
    found = {name: os.environ.get(name) or written.get(name) for name in sorted(names)}
    return {name: SecretStr(key) for name, key in found.items() if key}


@contextmanager
def building_in(folder: Path) -> Generator[None, None, None]:
    """While this lasts, dbt's profile takes ``folder`` for the data folder."""
    before = os.environ["ASSAY_DATA_DIR"]
    os.environ["ASSAY_DATA_DIR"] = str(folder)
    try:
        yield
    finally:
        os.environ["ASSAY_DATA_DIR"] = before


def _make_writable(folder: Path) -> None:
    """Create ``folder`` and prove that a file can be written there."""
    probe = folder / f".writable-{os.getpid()}"
    folder.mkdir(parents=True, exist_ok=True)
    probe.write_bytes(b"x")
    probe.unlink()


class Warehouse(ConfigurableResource):  # type: ignore[type-arg]
    """The right to write the build database, held for the length of a run.

    DuckDB has one writer. A second run started meanwhile ends at once with one sentence, before it touches a file.
    """

    data_dir: str

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Generator[Warehouse, None, None]:
        """Hold the writer's lock while the run lasts; raises RunError when another run holds it."""
        from dagster_defs.steps import elicitation_rows, history, run_rows
        from dagster_defs.steps.extract import rows as extract_rows
        from dagster_defs.steps.propose import rows as proposal_rows
        from dagster_defs.steps.recheck import rows as recheck_rows
        from dagster_defs.steps.review import rows as review_rows
        from ingest.domains.kept import prepare as prepare_domains
        from ingest.wikipedia.land import prepare as prepare_pages

        with writer_lock(Path(self.data_dir) / "build" / "writer.lock"):
            run_rows.prepare(Path(self.data_dir) / "landing" / "llm")
            elicitation_rows.prepare(Path(self.data_dir) / "landing" / "elicitation")
            review_rows.prepare(Path(self.data_dir) / "landing" / "review")
            recheck_rows.prepare(Path(self.data_dir) / "landing" / "recheck")
            proposal_rows.prepare(Path(self.data_dir) / "landing" / "proposals")
            history.prepare(Path(self.data_dir) / "landing" / "history")
            extract_rows.prepare(Path(self.data_dir) / "landing" / "extractions")
            prepare_domains(Path(self.data_dir) / "landing")
            prepare_pages(Path(self.data_dir) / "landing")
            yield self
