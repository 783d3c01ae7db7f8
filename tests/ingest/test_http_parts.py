"""Rates, Retry-After, numbers and bodies, for any input at all."""

import contextlib
import datetime
import email.utils
import itertools
import math
import threading

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.http.body import BodyError, decode, explained
from ingest.http.rates import Rate, RateLimiter, shared_limiter
from ingest.http.retry_after import seconds_to_wait
from ingest.numbers import NOTHING, Number, number, number_of

quickly = settings(max_examples=100, deadline=None)
NOW = datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.UTC)
RATES = st.lists(st.builds(Rate, st.integers(1, 8), st.floats(0.1, 60.0)), min_size=1, max_size=3)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@quickly
@given(RATES, st.lists(st.floats(0.0, 30.0), min_size=1, max_size=60))
def test_no_rate_is_ever_exceeded(rates: list[Rate], idle: list[float]) -> None:
    clock = Clock()
    limiter = RateLimiter(rates, clock=clock, margin=1.0)
    sent = []
    for pause in idle:
        clock.now += pause
        clock.now += limiter.reserve()
        sent.append(clock.now)
    for rate in rates:
        for first, last in zip(sent, sent[rate.count :], strict=False):
            assert last - first >= rate.seconds * (1 - 1e-9), f"{rate.count + 1} requests within {rate.seconds} s"


@quickly
@given(RATES, st.integers(1, 40))
def test_a_limiter_waits_no_longer_than_its_rates_ask(rates: list[Rate], requests: int) -> None:
    limiter = RateLimiter(rates, clock=lambda: 0.0, margin=1.0)
    for number_sent, wait in enumerate(limiter.reserve() for _ in range(requests)):
        assert wait <= sum(rate.seconds * (number_sent // rate.count) for rate in rates) * (1 + 1e-9)
        if number_sent < min(rate.count for rate in rates):
            assert wait == 0.0


def test_a_wait_that_is_too_long_takes_nobodys_turn() -> None:
    limiter = RateLimiter([Rate(1, 10.0)], clock=lambda: 0.0, margin=1.0)
    assert [limiter.reserve(), limiter.reserve(within=5.0), limiter.reserve(within=5.0)] == [0.0, 10.0, 10.0]
    assert [limiter.reserve(), limiter.reserve()] == [10.0, 20.0]


def test_threads_share_a_limiter() -> None:
    limiter = RateLimiter([Rate(3, 10.0)], clock=lambda: 0.0, margin=1.0)
    waits: list[float] = []
    threads = [threading.Thread(target=lambda: waits.append(limiter.reserve())) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == [10.0 * (place // 3) for place in range(30)]


def test_clients_of_one_service_share_its_limiter() -> None:
    rates = (Rate(5, 1.0),)
    assert shared_limiter("A", rates) is shared_limiter("A", (Rate(5, 1.0),))
    assert shared_limiter("A", rates) is not shared_limiter("B", rates)


@quickly
@given(st.integers(0, 10**400))
def test_retry_after_in_seconds(seconds: int) -> None:
    # Thirty years and more are no answer.
    assert seconds_to_wait(str(seconds), NOW) == (float(seconds) if seconds < 10**9 else None)


@quickly
@given(st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2100, 1, 1), timezones=st.just(datetime.UTC)))
def test_retry_after_as_a_date(when: datetime.datetime) -> None:
    when = when.replace(microsecond=0)
    expected = max(0.0, (when - NOW).total_seconds())
    assert seconds_to_wait(email.utils.format_datetime(when, usegmt=True), NOW) == expected


@quickly
@given(st.one_of(st.none(), st.text(), st.from_regex(r"[A-Z][a-z]{2}, [0-9]{1,4} [A-Z][a-z]{2} [0-9]{1,9}.{0,15}")))
def test_retry_after_never_raises_nor_is_negative(header: str | None) -> None:
    found = seconds_to_wait(header, NOW)
    assert found is None or (found >= 0.0 and math.isfinite(found))


@quickly
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_text(value: float) -> None:
    text = msgspec.json.encode(value).decode()
    assert number(msgspec.Raw(text.encode())) == Number(text, value)
    assert number(msgspec.Raw(f'" {text} "'.encode())) == Number(text, value)


@quickly
@given(st.from_regex(r"-?[0-9]{1,12}\.[0-9]{0,12}0*", fullmatch=True, alphabet=st.characters(codec="ascii")))
def test_trailing_zeros_stay(text: str) -> None:
    assert number_of(text) == Number(text, float(text))


@quickly
@given(st.text())
def test_any_text_is_a_number_or_stays_text(text: str) -> None:
    found = number_of(text)
    assert found.text == (text.strip() or None)
    assert found.num is None or math.isfinite(found.num)


@pytest.mark.parametrize(
    "text", ["nan", "inf", "-Infinity", "1_000", "٣", "1e999", "0x10", "1,000", ">100", "1 2", "--1"]
)
def test_what_is_no_decimal_number_stays_text(text: str) -> None:
    assert number_of(text) == Number(text, None)


@pytest.mark.parametrize("raw", [b"null", b"true", b"[]", b"{}", b'""', b'"  "'])
def test_nothing_is_no_number(raw: bytes) -> None:
    assert number(msgspec.Raw(raw)) == NOTHING
    assert number(None) == NOTHING


class Thing(msgspec.Struct):
    name: str


@quickly
@given(st.binary())
def test_any_body_is_read_or_explained(body: bytes) -> None:
    with contextlib.suppress(BodyError):
        assert isinstance(decode(body, Thing), Thing)
    said = explained(body)
    assert "\n" not in said
    assert len(said) <= 160


@quickly
@given(st.integers(1, 40))
def test_every_cut_of_a_body_asks_for_another(length: int) -> None:
    body = b'{"name": "a thing with quite a long name"}'
    with pytest.raises(BodyError) as raised:
        decode(body[:length], Thing)
    assert raised.value.again


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"Fault": {"Code": "PUGREST.ServerBusy", "Message": "Try later"}}', "PUGREST.ServerBusy: Try later"),
        (b'{"url": "x", "messages": ["Resource not found"]}', "Resource not found"),
        (b'{"error_message": "The request could not be processed"}', "The request could not be processed"),
        (b'{"status": 404, "message": "No data"}', "No data"),
        (b'{"error": {"code": 1, "message": "deep"}}', "deep"),
        (b"plain words\nand more", "plain words"),
        (b"<html><title>Request\n Rate</title></html>", "Request Rate"),
        (b"<html>no title</html>", ""),
        (b"[]", ""),
        (b"", ""),
    ],
)
def test_errors_are_told_in_a_line(body: bytes, said: str) -> None:
    assert explained(body) == said


def test_deep_nesting_is_damage_not_a_crash() -> None:
    for piece in itertools.islice((b"[", b'{"a":'), 2):
        with pytest.raises(BodyError):
            decode(piece * 200_000, Thing)
        explained(piece * 200_000)
