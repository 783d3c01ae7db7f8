"""The languages of the sample against what is known of some."""

from __future__ import annotations

from tests.sample.stated import by_label, members, names, values

FRENCH, RUSSIAN, FRANCE = "Q150", "Q7737", "Q142"


def test_french_has_its_codes_and_is_spoken_in_france() -> None:
    assert by_label("languages", "French") == [FRENCH]
    assert values("languages", FRENCH, "P218") == ["fr"]
    assert values("languages", FRENCH, "P220") == ["fra"]
    assert FRANCE in values("languages", FRENCH, "P17")


def test_two_codes_of_one_standard_both_stand() -> None:
    assert values("languages", FRENCH, "P219") == ["fra", "fre"]


def test_russian_is_written_in_cyrillic() -> None:
    assert [names("languages")[script] for script in values("languages", RUSSIAN, "P282")] == [["Cyrillic script"]]


def test_a_language_can_lack_an_english_label() -> None:
    nameless = {language for language in members("languages", "Q34770") if language not in names("languages")}
    assert nameless
    assert all(values("languages", language, "P220") for language in nameless)


def test_two_languages_share_a_name() -> None:
    assert len(by_label("languages", "Marwari")) == 2
