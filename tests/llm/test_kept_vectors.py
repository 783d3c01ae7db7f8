"""An embedder as an estimate sees it, and as one of several that spend from one budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dagster_defs.llm.budget import Budget, BudgetReached, Caps
from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.llm.embed import KeptVectors, embedder
from tests.llm.conftest import QUICK
from tests.llm.test_embed_endpoint import KEYS, Embeddings, asking, expected, spec_of


@pytest.fixture
def server() -> Iterator[Embeddings]:
    """Its requests are counted."""
    with Embeddings() as serving:
        yield serving


def test_kept_vectors_are_given_without_a_request_and_the_rest_is_counted(server: Embeddings, tmp_path: Path) -> None:
    long = "word " * 3000
    with asking(server, tmp_path) as asked:
        asked.embed(["one", long])
    sent = len(server.requests)
    with KeptVectors(spec_of(server), tmp_path / "vectors.sqlite") as kept:
        with asking(server, tmp_path) as asked:
            assert np.array_equal(kept.embed(["one", long]), asked.embed(["one", long]))
        assert kept.sentence() == ""
        rows = kept.embed(["six letters", "one", "six letters"])
        assert np.array_equal(rows[1], expected("one"))
        assert not rows[0].any()
        assert not rows[2].any()
        assert kept.sentence().startswith("Before that, 1 text of about 4 tokens go to 'e' ($4.0000): ")
    assert len(server.requests) == sent


def test_a_budget_may_be_shared_with_what_else_spends(server: Embeddings, tmp_path: Path) -> None:
    budget = Budget(Caps(calls=2))
    budget.add(Reply("", Outcome.ANSWERED, prompt_tokens=3))
    with embedder(spec_of(server), tmp_path / "v.sqlite", KEYS, budget, patience=QUICK) as asked:
        asked.embed(["one"])
        with pytest.raises(BudgetReached, match="cap of 2"):
            asked.embed(["two"])
    assert (budget.calls, len(server.requests)) == (2, 1)
