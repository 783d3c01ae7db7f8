"""What is to be decided in an evaluation: each sampled triple, with the words, neighbour or call that decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from dagster_defs.llm.embedding import Embedder
from dagster_defs.steps.asking import Maker
from dagster_defs.steps.judge.alike import counterpart
from dagster_defs.steps.judge.nearest import Near, nearest
from dagster_defs.steps.judge.plan import EMBEDDING, EXACT, JUDGE, PRECISION, RECALL, Judging
from dagster_defs.steps.judge.texts import Elicited, Passage, Triple

# Of what sources say of a fact, so much is shown beside it.
_SOURCES_OF_A_FACT = 3


@dataclass(frozen=True)
class Matter:
    """One sampled triple to be decided.

    matched: the triple on the other side that says the same, None where none is known to; method: how it is decided.
    shown: ids of what the judge sees. make: its call; None where no judge is needed.
    """

    direction: str
    triple: Triple
    method: str
    matched: str | None = None
    shown: tuple[str, ...] = ()
    make: Maker | None = None


def matters_of(judging: Judging, experiment_id: str, source: Elicited, embedder: Embedder) -> list[Matter]:
    """Every sampled triple of an experiment, elicited ones first."""
    exact, exact_back = source.matches(experiment_id)
    triples = source.sampled(experiment_id, judging.drawn(source.triple_ids(experiment_id)))
    facts = source.facts(judging.drawn(source.reference_ids(experiment_id)))
    return [
        *_decided(PRECISION, triples, exact),
        *_of_elicited(judging, _left(triples, exact), source, embedder),
        *_decided(RECALL, facts, exact_back),
        *_of_reference(judging, experiment_id, _left(facts, exact_back), source, embedder),
    ]


def _decided(direction: str, triples: Iterable[Triple], matches: Mapping[str, str]) -> Iterator[Matter]:
    for one in triples:
        if one.triple_id in matches:
            yield Matter(direction, one, EXACT, matches[one.triple_id])


def _left(triples: Iterable[Triple], matches: Mapping[str, str]) -> dict[str, list[Triple]]:
    """Those that words do not decide, by entity."""
    found: dict[str, list[Triple]] = {}
    for one in triples:
        if one.triple_id not in matches:
            found.setdefault(one.entity_id, []).append(one)
    return found


def _of_elicited(
    judging: Judging, asked: Mapping[str, list[Triple]], source: Elicited, embedder: Embedder
) -> Iterator[Matter]:
    """Elicited triples: one of the reference is so like it, or the judge sees the nearest passages."""
    reference = source.reference(list(asked))
    passages = source.passages(list(asked))
    alike = _near(asked, reference, embedder)
    near = _nearest_passages(asked, passages, judging.n_passages, embedder)
    for entity_id, triples in asked.items():
        for place, triple in enumerate(triples):
            same = counterpart(triple, alike[entity_id][place], reference.get(entity_id, []), judging.threshold)
            if same is not None:
                yield Matter(PRECISION, triple, EMBEDDING, same.triple_id)
                continue
            shown = [passages[entity_id][one.place] for one in near[entity_id][place]]
            make = partial(judging.entail_call, triple, [one.text for one in shown])
            yield Matter(PRECISION, triple, JUDGE, None, tuple(one.passage_id for one in shown), make)


def _of_reference(
    judging: Judging,
    experiment_id: str,
    asked: Mapping[str, list[Triple]],
    source: Elicited,
    embedder: Embedder,
) -> Iterator[Matter]:
    """Reference triples: an elicited one is so like it, or the judge sees the nearest of them, and what sources say."""
    elicited = source.elicited(experiment_id, list(asked))
    passages = source.passages(list(asked))
    alike = _near(asked, elicited, embedder, judging.n_triples)
    near = _nearest_passages(asked, passages, _SOURCES_OF_A_FACT, embedder)
    for entity_id, facts in asked.items():
        for place, fact in enumerate(facts):
            others = elicited.get(entity_id, [])
            same = counterpart(fact, alike[entity_id][place], others, judging.threshold)
            if same is not None:
                yield Matter(RECALL, fact, EMBEDDING, same.triple_id)
                continue
            listed = [others[one.place] for one in alike[entity_id][place]]
            said = [passages[entity_id][one.place] for one in near[entity_id][place]]
            sources = dict.fromkeys(filter(None, (fact.sentence, *(one.text for one in said))))
            make = partial(judging.cover_call, fact, list(sources), listed)
            shown = (*(one.passage_id for one in said), *(one.triple_id for one in listed))
            yield Matter(RECALL, fact, JUDGE, None, shown, make)


def _near(
    asked: Mapping[str, list[Triple]], others: Mapping[str, list[Triple]], embedder: Embedder, n: int = 5
) -> dict[str, list[list[Near]]]:
    return nearest(_queries(asked), _queries({key: others.get(key, []) for key in asked}), n, embedder)


def _nearest_passages(
    asked: Mapping[str, list[Triple]], passages: Mapping[str, Sequence[Passage]], n: int, embedder: Embedder
) -> dict[str, list[list[Near]]]:
    pools = {key: [one.text for one in passages.get(key, ())] for key in asked}
    return nearest(_queries(asked), pools, n, embedder)


def _queries(triples: Mapping[str, Sequence[Triple]]) -> dict[str, list[str]]:
    return {key: [one.query for one in listed] for key, listed in triples.items()}
