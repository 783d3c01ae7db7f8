"""Runs the unit tests that stand beside the models: given these rows, the SQL gives those."""

from __future__ import annotations

import pytest

from tests.questions.project import QuestionProject, unit_tests


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """(status, message) of each unit test by name."""
    project = QuestionProject.create(tmp_path_factory.mktemp("questions"))
    # a unit test reads the column types of the model's inputs, so these have to be there, with or without rows
    built = project.dbt("build", "--empty", "--exclude", "resource_type:test", "resource_type:unit_test")
    broken = {result.node.name: result.message for result in built if result.status != "success"}
    assert not broken, broken
    tested = project.dbt("test", "--select", "test_type:unit")
    return {result.node.name: (str(result.status), str(result.message)) for result in tested}


@pytest.mark.parametrize("name", unit_tests())
def test_unit(name: str, outcomes: dict[str, tuple[str, str]]) -> None:
    status, message = outcomes[name]
    assert status == "pass", message
