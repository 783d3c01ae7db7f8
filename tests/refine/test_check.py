"""No rewrite passes that lost, gained or turned anything the answer hangs on; harmless rewordings do."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagster_defs.steps.refine import vocabulary
from dagster_defs.steps.refine.check import Original, Reason, check, plain
from dagster_defs.steps.refine.words import Text, stem
from tests.refine.pairs import CASES

# A busy machine is no fault of the check.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
HARMLESS = [(case.original, text) for case in CASES for text in case.harmless]
BROKEN = [(case.original, reason, text) for case in CASES for reason, text in case.broken]
ORIGINALS = [case.original for case in CASES]
# Every text that is known to ask what its original asks, the original included.
SOUND = [*((original, original.text) for original in ORIGINALS), *HARMLESS]


def reasons(original: Original, rewrite: str) -> set[str]:
    return {str(finding.reason) for finding in check(original, rewrite)}


def test_pairs_are_many_and_of_every_type() -> None:
    assert len(HARMLESS) + len(BROKEN) >= 40
    assert len({original.type for original in ORIGINALS}) == 8
    assert len({text for _, _, text in BROKEN} | {text for _, text in HARMLESS}) == len(HARMLESS) + len(BROKEN)


def test_every_reason_of_the_check_is_shown_by_a_pair() -> None:
    shown = {reason for _, reason, _ in BROKEN}
    of_clues = {"clue", "flattened"}
    assert {str(reason) for reason in Reason} - shown - of_clues == {"duplicate", "length", "meaning"}


@pytest.mark.parametrize(("original", "rewrite"), HARMLESS, ids=[text for _, text in HARMLESS])
def test_harmless_rewording_passes(original: Original, rewrite: str) -> None:
    assert check(original, rewrite) == []


@pytest.mark.parametrize(("original", "reason", "rewrite"), BROKEN, ids=[text for _, _, text in BROKEN])
def test_broken_rewrite_is_refused_for_its_reason(original: Original, reason: str, rewrite: str) -> None:
    assert reason in reasons(original, rewrite)


def test_original_is_no_rewrite_however_it_is_written() -> None:
    for original in ORIGINALS:
        for text in (original.text, original.text.upper(), original.text.replace(",", "")):
            assert "unchanged" in reasons(original, text)


def test_text_of_another_question_is_a_duplicate_and_its_own_is_not() -> None:
    for original, text in HARMLESS:
        assert [str(one.reason) for one in check(original, text, {plain(text): "other"})] == ["duplicate"]
        assert check(original, text, {plain(text): original.question_id}) == []


def test_findings_name_what_was_seen() -> None:
    original = ORIGINALS[5]
    (finding,) = check(original, "What fraction of all US states admitted in the 18th century border Ohio?")[:1]
    assert str(finding).startswith("number: 1")
    assert "th is " in str(finding)


def test_far_longer_and_far_shorter_texts_are_refused() -> None:
    original = ORIGINALS[2]
    padding = "given that one is to find and to name it, " * 6
    assert "length" in reasons(
        original, f"Among them all, {padding}which of the listed companies based in France it is?"
    )
    assert "length" in reasons(original, "Which is it?")


def protected(original: Original, text: str) -> list[re.Match[str]]:
    """The words and numbers of ``text`` that must not be lost."""
    free = {word for word in original.free if stem(word) not in original.kept} | vocabulary.FUNCTION
    said = {word for words in vocabulary.OPERATIONS.values() for word in words}
    found = []
    for match in re.finditer(r"[^\W_](?:[^\W_]|[-'.,](?=[^\W_]))*%?", text):
        word = match[0].casefold().removesuffix("'s")
        is_name = match.start() > 0 and match[0] != match[0].lower()
        if is_name or any(letter.isdigit() for letter in word) or (word not in free and word not in said):
            found.append(match)
    return found


@UNHURRIED
@given(st.data())
def test_dropping_a_protected_word_is_refused(data: st.DataObject) -> None:
    original, text = data.draw(st.sampled_from(SOUND))
    # A word that stands in it twice may be said once; a name, a number or an attribute may not.
    counts = Text(text).stems
    once = [match for match in protected(original, text) if counts.count(stem(match[0].rstrip("%"))) == 1]
    match = data.draw(st.sampled_from(once))
    dropped = (
        re.sub(" +", " ", text[: match.start()] + text[match.end() :]).replace(" ,", ",").replace(" ?", "?").strip()
    )
    assert check(original, dropped), f"{match[0]!r} dropped: {dropped}"


@UNHURRIED
@given(st.data())
def test_changing_a_number_is_refused(data: st.DataObject) -> None:
    original, text = data.draw(st.sampled_from([pair for pair in SOUND if re.search(r"\d", pair[1])]))
    digits = data.draw(st.sampled_from(list(re.finditer(r"\d", text))))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != digits[0]]))
    changed = text[: digits.start()] + other + text[digits.end() :]
    assert reasons(original, changed) & {"number", "unchanged"} == {"number"}, changed


@UNHURRIED
@given(st.data())
def test_changing_a_name_is_refused(data: st.DataObject) -> None:
    original, text = data.draw(st.sampled_from([pair for pair in SOUND if Text(pair[1]).names]))
    name = data.draw(st.sampled_from(sorted(Text(text).names)))
    other = data.draw(st.sampled_from(["Atlantis", "Xanadu", "Ruritania"]))
    assert "name" in reasons(original, re.sub(rf"\b{re.escape(name)}\b", other, text, count=1))


OPPOSITES = {
    **dict(zip(["lower", "fewer", "earliest", "smallest", "below"], ["higher", "more", "latest", "largest", "above"],
               strict=True)),
    **dict(zip(["rose", "fell", "exceed", "above", "outnumber", "largest", "normal", "linear", "mean", "median",
                "before", "outside", "in", "variance", "variances"],
               ["fell", "rose", "fall below", "below", "fall short of", "smallest", "uniform", "monotonic", "median",
                "mean", "after", "inside", "not in", "mean", "means"], strict=True)),
}  # fmt: skip


@UNHURRIED
@given(st.data())
def test_turning_a_direction_or_an_operation_round_is_refused(data: st.DataObject) -> None:
    found = [
        (original, text, match)
        for original, text in SOUND
        for match in re.finditer(rf"\b({'|'.join(OPPOSITES)})\b", text)
    ]
    original, text, match = data.draw(st.sampled_from(found))
    turned = text[: match.start()] + OPPOSITES[match[0]] + text[match.end() :]
    assert check(original, turned), turned


@UNHURRIED
@given(
    st.data(), st.sampled_from(["not", "never", "no", "without", "except", "active", "large", "only", "some", "three"])
)
def test_slipping_a_word_in_is_refused(data: st.DataObject, word: str) -> None:
    original, text = data.draw(st.sampled_from(SOUND))
    places = [match.start() for match in re.finditer(" ", text)]
    place = data.draw(st.sampled_from(places))
    assert check(original, f"{text[:place]} {word}{text[place:]}")


@UNHURRIED
@given(st.data())
def test_swapping_two_names_of_a_supposition_is_refused(data: st.DataObject) -> None:
    supposed = [(one, text) for one, text in SOUND if one.subject is not None and one.other is not None]
    original, text = data.draw(st.sampled_from(supposed))
    assert original.subject is not None
    assert original.other is not None
    swapped = (
        text.replace(original.subject, "\0").replace(original.other, original.subject).replace("\0", original.other)
    )
    assert "roles" in reasons(original, swapped)


@UNHURRIED
@given(st.data())
def test_filler_in_front_changes_nothing(data: st.DataObject) -> None:
    original, text = data.draw(st.sampled_from(HARMLESS))
    lead = data.draw(st.sampled_from(["Among all these, ", "In the following, ", "Considering these, "]))
    if original.gold_kind == "boolean" and not re.match(r"(Is|Are|Do|Does|Would|If|Suppose)", text):
        return
    first = text[0].lower() + text[1:] if Text(text).lower[0] in vocabulary.FUNCTION | vocabulary.FILLER else text
    assert "name" not in reasons(original, lead + first)
    assert not reasons(original, lead + first) & {"number", "polarity", "roles", "operation", "scope", "added"}


@UNHURRIED
@given(st.data())
def test_another_question_is_no_rewrite(data: st.DataObject) -> None:
    original = data.draw(st.sampled_from(ORIGINALS))
    other, text = data.draw(st.sampled_from(SOUND))
    if other is not original:
        assert check(original, text)


@UNHURRIED
@given(st.sampled_from(ORIGINALS), st.text())
def test_any_text_at_all_is_judged_and_none_passes(original: Original, text: str) -> None:
    assert check(original, text)
