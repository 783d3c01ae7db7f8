"""What stands beside a question: nothing, its evidence, or the nearest documents, always within the room."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagster_defs.llm.budget import answer_limit, estimated_tokens
from dagster_defs.steps.solve import contexts as module
from dagster_defs.steps.solve.contexts import CHUNKS_PER_DOCUMENT, Context, Contexts, Setting, room_for
from dagster_defs.steps.solve.plan import plan
from dagster_defs.steps.solve.questions import Question, QuestionSet, Warehouse
from dagster_defs.steps.solve.sheets import sheets
from tests.solve.bench import ALL, PLANNED, FakeEmbedder, model, run_of

WIDE = 100_000


def asked(warehouse: Warehouse, text: str) -> Question:
    return next(question for question in warehouse.choose(ALL) if text in question.question)


def contexts(warehouse: Warehouse, setting: Setting, embedder: FakeEmbedder | None = None) -> Contexts:
    return Contexts(warehouse, setting, estimated_tokens, embedder or FakeEmbedder())


def test_closed_book_gives_nothing(warehouse: Warehouse) -> None:
    made = contexts(warehouse, Setting.CLOSED_BOOK)
    assert all(made.of(question, WIDE) == Context((), None, False) for question in warehouse.choose(ALL))


def test_oracle_holds_the_whole_evidence(warehouse: Warehouse) -> None:
    made = contexts(warehouse, Setting.ORACLE)
    for question in warehouse.choose(ALL):
        context = made.of(question, WIDE)
        (text,) = context.documents
        head, *rows = text.splitlines()
        assert head == "entity | attribute | value"
        given_rows = Counter(tuple(row.split(" | ")[:2]) for row in rows)
        assert given_rows == Counter((fact.entity, fact.attribute) for fact in warehouse.evidence(question))
        assert (context.entities, context.truncated) == (question.entity_count, False)


def test_oracle_writes_values_as_people_do(warehouse: Warehouse) -> None:
    (text,) = contexts(warehouse, Setting.ORACLE).of(asked(warehouse, "India or Jordan"), WIDE).documents
    assert text.splitlines()[1:] == ["India | population | 1400000000", "Jordan | population | 11150000"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=80)
@given(room=st.integers(0, 900))
def test_oracle_is_cut_at_the_room(warehouse: Warehouse, room: int) -> None:
    question = asked(warehouse, "stars by variance_analysis")
    full = contexts(warehouse, Setting.ORACLE).of(question, WIDE).documents[0].splitlines()
    context = contexts(warehouse, Setting.ORACLE).of(question, room)
    rows = [row for text in context.documents for row in text.splitlines()]
    assert rows == full[: len(rows)]
    assert len(rows) != 1, "a head without rows is no document"
    assert sum(estimated_tokens(text) for text in context.documents) <= room
    assert context.truncated == (len(rows) < len(full))
    assert context.entities == len({row.split(" | ")[0] for row in rows[1:]})


def test_oracle_counts_entities_of_one_label_apart(warehouse: Warehouse) -> None:
    question = asked(warehouse, "Which river is the longest?")
    assert contexts(warehouse, Setting.ORACLE).of(question, WIDE).entities == question.entity_count == 8


def test_rag_needs_an_embedder(warehouse: Warehouse) -> None:
    with pytest.raises(ValueError, match="needs an embedder"):
        Contexts(warehouse, Setting.RAG, estimated_tokens)


def test_rag_reads_a_document_of_each_consulted_entity(warehouse: Warehouse) -> None:
    made = contexts(warehouse, Setting.RAG)
    for question in warehouse.choose(QuestionSet(split="all", n=16)):
        context = made.of(question, WIDE)
        labels = Counter(text.split(" > ")[0].splitlines()[0] for text in context.documents)
        wanted = Counter(label for _, label in {(one, fact.entity) for one, fact in warehouse.consulted(question)})
        assert labels == wanted
        assert (context.entities, context.truncated) == (question.entity_count, False)


def test_rag_takes_five_chunks_of_a_document_in_its_order(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ("which", "has", "rain", "the max", "snow", "population of", "hail", "countries", "wind", "India or Jordan")

    def long_document(label: str, *rest: object) -> module.Document:
        return module.Document(label, "\n".join(f"## Part {number}\n{text}" for number, text in enumerate(said)))

    monkeypatch.setattr(module, "fact_sheet", long_document)
    question = asked(warehouse, "India or Jordan")
    context = contexts(warehouse, Setting.RAG).of(question, WIDE)
    assert len(context.documents) == 2
    for text in context.documents:
        label = text.split(" > ")[0]
        pieces = [f"{label} > Part {number}\n{words}" for number, words in enumerate(said)]
        vectors = FakeEmbedder().embed([question.question, *pieces])
        near = sorted(range(len(said)), key=lambda number: (-float(vectors[number + 1] @ vectors[0]), number))
        assert text.split("\n\n") == [pieces[number] for number in sorted(near[:CHUNKS_PER_DOCUMENT])]


def test_rag_puts_the_nearest_documents_first_until_full(warehouse: Warehouse) -> None:
    question = asked(warehouse, "Which country has the largest population?")
    whole = contexts(warehouse, Setting.RAG).of(question, WIDE).documents
    vectors = FakeEmbedder().embed([question.question, *[piece for text in whole for piece in text.split("\n\n")]])
    nearness = iter(vectors[1:] @ vectors[0])
    best = [max(next(nearness) for _ in text.split("\n\n")) for text in whole]
    assert best == sorted(best, reverse=True)
    for room in range(0, 1200, 37):
        context = contexts(warehouse, Setting.RAG).of(question, room)
        assert list(context.documents) == [text for text in whole if text in context.documents]
        assert context.entities == len(context.documents)
        assert context.truncated == (len(context.documents) < len(whole))
        if context.truncated:
            left = [text for text in whole if text not in context.documents]
            spent = sum(estimated_tokens(text) for text in context.documents)
            assert min(estimated_tokens(text) for text in left) + spent + 40 * len(whole) > room


def hiding(warehouse: Warehouse, question_id: str) -> Question:
    """A question that hides what it asks about."""
    found = warehouse.choose(QuestionSet("deep_research", "all"))
    return next(question for question in found if question.question_id == question_id)


def test_an_oracle_names_what_a_question_hides_with_units_and_sources(warehouse: Warehouse) -> None:
    question = hiding(warehouse, "q034")
    (text,) = contexts(warehouse, Setting.ORACLE).of(question, WIDE).documents
    head, *rows = text.splitlines()
    assert head == "entity | attribute | value | unit | source"
    assert rows == ["Peru | area_km2 | 1285216 | square kilometres", "Peru | population | 33720000 | people"]
    cited = replace(
        question,
        evidence_sql=f"select *, 'https://example.org/' || attribute as source_url from ({question.evidence_sql})",
    )
    (text,) = contexts(warehouse, Setting.ORACLE).of(cited, WIDE).documents
    assert text.splitlines()[1].endswith(" | square kilometres | https://example.org/area_km2")
    assert contexts(warehouse, Setting.ORACLE).of(question, WIDE).entities == 1


def test_rag_reads_what_is_nearest_of_all_there_is_where_a_question_hides_something(warehouse: Warehouse) -> None:
    question = hiding(warehouse, "q035")
    everything = sheets(warehouse, question.snapshot_id)
    embedder = FakeEmbedder()
    made = contexts(warehouse, Setting.RAG, embedder)
    whole = made.of(question, 10**6)
    assert len(whole.documents) == len(everything)
    assert (whole.entities, whole.truncated) == (2, False)
    vectors = FakeEmbedder().embed([question.question, *whole.documents])
    near = [float(one) for one in vectors[1:] @ vectors[0]]
    assert near == sorted(near, reverse=True)
    few = made.of(question, 600)
    assert few.documents == whole.documents[: len(few.documents)]
    assert 0 < len(few.documents) < len(whole.documents)
    assert sum(estimated_tokens(text) for text in few.documents) <= 600
    assert few.truncated == (few.entities < 2)
    assert len(embedder.texts) == len(everything) + 2, "documents are embedded once"
    # Nothing but its words decides: another question in the same words gets the same.
    other = replace(question, slots={"entity_ids": ["typed:countries/Peru"]}, topic="countries")
    assert made.of(other, 600).documents == few.documents


def test_rag_is_the_same_every_time(warehouse: Warehouse) -> None:
    question = asked(warehouse, "Which river is the longest?")
    made = [contexts(warehouse, Setting.RAG).of(question, 600) for _ in range(3)]
    assert made[0] == made[1] == made[2]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(context_tokens=st.integers(600, 8192), setting=st.sampled_from(PLANNED), share=st.floats(0.01, 0.2))
def test_every_prompt_fits_the_context_less_the_answer(
    warehouse: Warehouse, context_tokens: int, setting: Setting, share: float
) -> None:
    limit = max(1, int(context_tokens * share))
    spec = model(context_tokens=context_tokens, max_output_tokens=context_tokens // 2)
    run = run_of(spec, setting, QuestionSet(split="all", n=17), answer_tokens=limit, table_tokens=limit)
    asks = plan(run, warehouse, FakeEmbedder())
    assert {ask.is_table for ask in asks} == {True, False}
    for ask in asks:
        assert answer_limit(ask.call, spec) == limit
        assert estimated_tokens(ask.call) + limit <= context_tokens, ask.question.question


def test_room_is_never_negative() -> None:
    assert room_for(600, 512, 400) == 0
    assert room_for(8192, 512, 400) == int((8192 - 912) * 0.95)
