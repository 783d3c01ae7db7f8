"""The judge: a model's last word on answers in prose that matching could not settle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.matching import Verdict, with_judgement
from dagster_defs.steps.solve import forms
from dagster_defs.steps.solve.plan import Ask

JUDGE_TOKENS = 64
Key = tuple[str, int]


def judge_call(spec: ModelSpec, ask: Ask, text: str) -> Call:
    """Whether ``text`` names the gold of its question; the text is fenced, since it may hold instructions."""
    prompt = load_prompt("judge")
    gold = [ask.question.gold_answer, *ask.question.gold_aliases]
    messages = prompt.render(question=ask.question.question, gold=gold, answer=text)
    limit = min(JUDGE_TOKENS, spec.max_output_tokens)
    sampling = {name: 0 for name in ("temperature", "seed") if name not in (spec.parameters or {})}
    return spec.call(
        messages, schema=schema_of(forms.Judgement), prompt_sha=prompt.sha, max_output_tokens=limit, **sampling
    )


def judged(
    verdicts: Mapping[Key, Verdict],
    asks: Sequence[Ask],
    replies: Mapping[str, Reply],
    spec: ModelSpec,
    ask_all: Callable[[Sequence[Call]], Sequence[Reply]],
) -> dict[Key, Verdict]:
    """``verdicts`` with the judge's word where one is needed; without a readable word an answer is unscored."""
    open_asks = [ask for ask in asks if not ask.is_table and verdicts[ask.question.question_id, ask.sample].needs_judge]
    calls = [judge_call(spec, ask, replies[ask.call.key].text) for ask in open_asks]
    settled = dict(verdicts)
    for ask, word in zip(open_asks, ask_all(calls) if calls else (), strict=True):
        key = (ask.question.question_id, ask.sample)
        said = word.parsed["same"] if word.outcome is Outcome.ANSWERED and word.parsed else None
        settled[key] = with_judgement(verdicts[key], said)
    return settled
