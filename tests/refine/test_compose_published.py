"""Deep-research questions of the demo composed by a server on loopback that plays all three roles."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pydantic import SecretStr

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import Registry
from dagster_defs.steps.refine.clues import Puzzle, check_clue, check_composed, puzzles
from dagster_defs.steps.refine.execute import Report, estimate, execute
from dagster_defs.steps.refine.plan import Refining
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.llm.conftest import KEY
from tests.llm.server import Request, Response, Server, as_json, completion
from tests.refine.conftest import fenced
from tests.solve.bench import PATIENCE, model

pytestmark = pytest.mark.e2e
ASKED = QuestionSet(family="deep_research", split="all", n=12)


def small(clue: str) -> str:
    """A clue in the middle of a sentence."""
    return clue[0].lower() + clue[1:]


@pytest.fixture(scope="module")
def parts(published: Path) -> dict[str, Puzzle]:
    """Every published question, taken apart."""
    with Warehouse(published) as warehouse:
        return puzzles(warehouse.choose(QuestionSet(family="deep_research", split="all")), warehouse)


def test_every_question_is_its_parts(parts: dict[str, Puzzle]) -> None:
    assert len(parts) >= 300
    for puzzle in parts.values():
        assert puzzle.beginning
        assert puzzle.task.count("?") == 1
        assert all(puzzle.text.lower().count(clue.lower()) >= 1 for clue in puzzle.clues)
        assert [str(one.reason) for one in check_composed(puzzle, puzzle.groups, puzzle.text)] == ["unchanged"]
        assert not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", puzzle.task) for name in puzzle.hidden)


def test_no_clue_passes_flattened(parts: dict[str, Puzzle]) -> None:
    """What is known of the thing in between, said of the thing itself: the commonest error of composing models."""
    tried = 0
    for puzzle in parts.values():
        for clue in puzzle.clues:
            first, *rest = re.split(r" (?:that|who|where|whose|which) ", clue, maxsplit=1)
            if not rest:
                continue
            second = rest[0]
            subject = re.match(r"This person|It", first)
            assert subject, clue
            for flat in (
                f"{subject[0]} {second} and {small(first)}",
                f"{first} and {second}",
                f"{first}, and {small(subject[0])} {second}",
            ):
                assert check_clue(clue, flat, puzzle.hidden), flat
                tried += 1
    assert tried > 2000


class Composer:
    """Says "which" for "that", turns the clues round, and agrees with itself."""

    def __call__(self, request: Request) -> Response:
        """The answer to a request of any of the three roles."""
        task, given = request.body["messages"][0]["content"], fenced(request)
        said: dict[str, Any]
        if task.startswith("You word clues"):
            said = {"facts": [clue.replace(" that ", " which ", 1) for clue in given]}
        elif task.startswith("You compose"):
            opening, *clues, ask = given
            user = request.body["messages"][1]["content"]
            first = len(re.findall(r"<data-", user.split("Clues to the second:")[0])) - 1
            groups = [clues[:first], clues[first:]] if "Clues to the second:" in user else [clues]
            told = ". Of the second: ".join("; ".join(map(small, reversed(group))) for group in groups)
            said = {"rewrite": f"{opening.rstrip(':.')}: {told}. {ask}"}
        else:
            said = {"difference": None, "same": True}
        return as_json(completion(json.dumps(said, ensure_ascii=False)))


def composed(published: Path, folder: Path, server: Server) -> tuple[Refining, Report]:
    """One refinement of a few questions."""
    specs = {name: model(server.url, name=name, model_id=name) for name in ("composer", "judge", "extractor")}
    refining = Refining(specs["composer"], specs["judge"], ASKED, specs["extractor"])
    key = {"TEST_KEY": SecretStr(KEY)}
    with Caller(Registry(specs, {}), folder / "journal.sqlite", key, patience=PATIENCE) as caller:
        sent = len(server.chats)
        assert "clues, 12 calls" in estimate(refining, published, caller) or sent
        return refining, execute(refining, published, folder, caller)


def test_a_model_composes_questions_and_lands_wordings(published: Path, tmp_path: Path) -> None:
    with Server() as server:
        server.always = Composer()
        refining, report = composed(published, tmp_path, server)
        assert report.statuses == {"accepted": 12}, report.reasons
        assert len(server.chats) == 36
        composed(published, tmp_path, server)
        assert len(server.chats) == 36, "a second time costs nothing"
    rows = pq.read_table(tmp_path / "refinements" / f"{refining.refine_id}.parquet").to_pylist()
    assert {(row["refiner"], row["judge"], row["judge_same"]) for row in rows} == {("composer", "judge", True)}
    for row in rows:
        assert " which " in row["rewrite"]
        assert row["rewrite"] != row["original"]
        assert re.fullmatch(r"[1-9] of \d clues reworded", row["detail"])
        assert row["prompt_tokens"] == 33
        assert row["is_unclear"] is None
