"""One built project that most of the dbt tests read."""

import pytest

from ingest.domains import kept
from tests.dbt import scenario, topics
from tests.dbt.project import Project


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The scenario's facts, built through staging, facts, both topics, the catalog and provenance."""
    project = Project.create(tmp_path_factory.mktemp("assay"), {"countries": topics.COUNTRIES, "cities": topics.CITIES})
    for landing in (scenario.older_landing(), scenario.landing(), scenario.broken_landing()):
        landing.write(project.data_dir)
    for stated in scenario.said_by_services():
        kept.keep(project.data_dir / "landing", stated)
    outcome = project.dbt("build", "--warn-error-options", '{"error": ["Deprecations"]}')
    assert outcome.success, outcome.messages
    return project
