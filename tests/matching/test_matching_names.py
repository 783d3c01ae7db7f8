"""Names are told apart by what matters, and an answer that puts several forward names none."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dagster_defs.steps.matching.names import match_name, mentions, read_boolean
from dagster_defs.steps.matching.texts import LONGEST, final_answer, fold, plain

quickly = settings(max_examples=150, deadline=None)
words = st.text(alphabet="abcdefghijklmnopqrstuvwxyzäöüéñø", min_size=4, max_size=9).filter(
    lambda word: fold(word) not in ("answer", "actually", "however", "correction", "instead", "also", "unless")
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Côte d’Ivoire", "cote d'ivoire"),
        ("The Bahamas", "Bahamas"),
        ("Republic of the Congo", "republic of Congo"),
        ("São Tomé & Príncipe", "Sao Tome and Principe"),
        ("Władysław", "Wladyslaw"),
        ("Straße", "STRASSE"),
        ("Ærø", "aero"),
        ("ＡＢＣ", "abc"),
        ("San-Pédro", "San Pedro"),
        ("Europe/Madrid", "europe madrid"),
        ("π⁺", "pi+"),
        ("Σ(1660)⁻", "Sigma(1660)-"),
        ("α Centauri", "Alpha Centauri"),
        ("Xi(c)′+", "Xi(c)'+"),
        ("bromine‑82", "bromine 82"),
        ("St. John's International Airport", "st johns international airport"),
        ("an antineutron", "antineutron"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_what_says_nothing_is_folded_away(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sigma(1660)+", "Sigma(1660)-"),
        ("Sigma(1660)0", "Sigma(1660)-"),
        ("Delta(1232)++", "Delta(1232)+"),
        ("K*(1410)0", "K(1410)0"),
        ("Sigma(b)*-", "Sigma(b)-"),
        ("Xi(c)'+", "Xi(c)+"),
        ("Niger", "Nigeria"),
        ("vitamin A", "vitamin"),
        ("Guinea", "Guinea-Bissau"),
        ("2,3-dimethylphenol", "2,4-dimethylphenol"),
    ],
)
def test_what_tells_names_apart_is_kept(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    "answer",
    [
        "Mount Everest",
        " the mount everest. ",
        "**Mount Everest**",
        "\\boxed{\\text{Mount Everest}}",
        "The answer is Mount Everest.",
        "Final answer: Mount Everest",
        "We weigh K2 and Lhotse.\n\n**Answer:** Mount Everest",
        "It's Mount Everest.",
        "I believe it is Mount Everest.",
        "Therefore, it is most likely Mount Everest",
        "Mount Everest (8,849 m)",
        "Mount Everest, with 8,849 metres",
        "Mount Everest: 8,849 m",
        "Mount Everest - 8849 m",
        "Mount Everest. It rises 8,849 m above the sea.",
        "Sagarmatha",
        "Chomolungma (Tibet)",
        "EV",
    ],
)
def test_an_answer_that_settles_on_the_name_is_right(answer: str) -> None:
    aliases = ("Sagarmatha", "Chomolungma", "EV")
    assert match_name(answer, "Mount Everest", aliases, ("K2", "Mount Everest") if "K2" not in answer else ()).correct


@pytest.mark.parametrize(
    "answer",
    [
        "K2",
        "Mount Everest and K2",
        "Mount Everest, K2",
        "Mount Everest or K2",
        "Mount Everest / K2",
        "Mount Everest (or K2)",
        "Mount Everest\nK2\nLhotse",
        "Mount Everest. K2.",
        "not Mount Everest",
        "The answer is not Mount Everest.",
        "Mount Everest, no wait, K2",
        "Mount Everest (but not by height)",
        "K2 is higher than Mount Everest",
        "Everest",
        "Mount Everest Base Camp",
        "",
        "...",
    ],
)
def test_an_answer_that_settles_on_nothing_or_another_is_wrong(answer: str) -> None:
    assert not match_name(answer, "Mount Everest", ("Sagarmatha",)).correct


@pytest.mark.parametrize(
    "answer",
    [
        "Iraq and Iran",
        "Iran",
        "Iraq (rather than Iran)",
        "Iraq. It has more than Iran has.",
        "Iraq, with 12 against 7 in Persia",
    ],
)
def test_a_named_rival_makes_it_wrong(answer: str) -> None:
    found = match_name(answer, "Iraq", (), ("Iraq", "Iran", "Persia"))
    assert (found.correct, found.rivalled) == (False, True)


def test_the_longest_name_at_a_place_is_the_one_that_is_meant() -> None:
    assert match_name("Equatorial Guinea", "Guinea", (), ("Equatorial Guinea",)).mentioned is False
    assert match_name("Guinea", "Guinea", (), ("Equatorial Guinea",)).correct
    assert match_name("It is Guinea-Bissau.", "Guinea-Bissau", (), ("Guinea",)).correct
    assert mentions("papua new guinea and guinea", {"guinea"}, {"papua new guinea"}) == (True, True)


def test_a_short_alias_is_no_word_in_a_sentence() -> None:
    assert match_name("In", "indium", ("In",)).correct
    assert not match_name("In (all of them)", "indium", ("In",)).correct
    assert not match_name("It lies in Asia", "indium", ("In",)).mentioned


def test_names_that_differ_by_an_accent_alone_are_told_apart_as_rivals() -> None:
    cities = ("San Jose", "San José")
    assert match_name("san josé", "San José", (), cities).correct
    assert not match_name("San Jose", "San José", (), cities).correct
    assert match_name("San Jose", "San José").correct


def test_the_order_of_an_enumeration_says_nothing() -> None:
    gold = "carbon, hydrogen and oxygen"
    assert match_name("oxygen, hydrogen, and carbon", gold).correct
    assert not match_name("carbon, hydrogen and nitrogen", gold).correct
    assert not match_name("carbon, hydrogen and oxygen, carbon and hydrogen", gold).correct


def test_a_name_of_signs_alone_is_compared_as_it_stands() -> None:
    assert match_name("♭", "♭").correct
    assert not match_name("♯", "♭").correct


@quickly
@given(st.text(min_size=1, max_size=40).filter(lambda text: text.strip()))
def test_every_name_matches_itself(name: str) -> None:
    assert match_name(name, name).correct


@quickly
@given(
    st.lists(words, min_size=1, max_size=4).map(" ".join),
    st.sampled_from(
        ["The answer is {}.", "**{}**", "Answer: {}", "It is the {}.", "{} (12)", "  {}\n", "{}, with 12", '"{}"']
    ),
)
def test_every_listed_form_of_an_answer_is_read(name: str, form: str) -> None:
    assert match_name(form.format(name), name).correct
    assert match_name(form.format(name.upper()), name).correct


@quickly
@given(
    words, words, st.sampled_from(["{} and {}", "{}, {}", "{} or {}", "{}/{}", "{} ({})", "{}. {}", "{}\n{}", "{}; {}"])
)
def test_two_candidates_are_never_right(one: str, other: str, form: str) -> None:
    assume(fold(one) != fold(other))
    for gold, rival in ((one, other), (other, one)):
        assert not match_name(form.format(one, other), gold, (), (gold, rival)).correct


@quickly
@given(words, words)
def test_equality_is_symmetric(one: str, other: str) -> None:
    assert match_name(one, other).correct == match_name(other, one).correct == (fold(one) == fold(other))


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20), st.lists(st.text(max_size=10), max_size=3))
def test_no_text_breaks_it(answer: str, gold: str, others: list[str]) -> None:
    assert match_name(answer, gold, others[:1], others[1:]).correct in (True, False)
    assert read_boolean(answer) in (True, False, None)
    assert fold(fold(answer)) == fold(answer) or answer
    assert len(final_answer(plain(answer))) <= 8 * LONGEST


@quickly
@given(st.text(max_size=40))
def test_folding_is_done_once_and_for_all(text: str) -> None:
    once = fold(text)
    # An article that comes to the front by folding is dropped the second time.
    assume(not once.startswith(("a ", "an ")))
    assert fold(once) == once


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (True, True), (False, False), ("Yes", True), ("yes.", True), ("YES!", True), ("**Yes**", True), ("true", True),
        ("Yes, they do.", True), ("The answer is yes.", True), ("Yes, there is no doubt.", True), ("It is true.", True),
        ("No", False), ("no, they don't", False), ("False", False), ("Answer: no", False), ("So: answer: No", False),
        ("yes and no", None), ("Yes/No", None), ("yes or no", None), ("No ... so yes", None), ("maybe", None),
        ("", None),
        (None, None), (1, None), (["yes"], None), ("nobody", None), ("They are correlated.", None),
    ],
)  # fmt: skip
def test_yes_and_no(answer: object, said: bool | None) -> None:
    assert read_boolean(answer) is said


def test_a_hostile_answer_is_read_in_time() -> None:
    # Quadratic patterns would take minutes on these; the texts are cut, so that all of them end.
    for piece in ("the answer is ", "**a ", "_a ", "(", "a, ", "so ", "\\text{", "' ", ") - ", "it is "):
        assert not match_name(piece * 100_000, "Mount Everest", (), ("K2",)).correct
