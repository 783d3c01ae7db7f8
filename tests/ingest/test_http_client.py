"""The shared HTTP layer over real connections, against a server that misbehaves."""

import datetime
import logging
import ssl
import tracemalloc
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from api_server import ATTEMPTS, CONTACT, FAULTS, NOW, REFUSALS, ApiServer, Asking, bomb, cache_in, redirect
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fault_proxy import status
from pydantic import SecretStr

from ingest.errors import NotFoundError, ServiceError
from ingest.http.body import BodyError, decode
from ingest.http.client import HttpClient
from ingest.http.rates import Rate, RateLimiter
from ingest.http.service import Patience, Service, address_of

SERVICE = Service(
    name="Things",
    home="https://things.example.org",
    rates=(Rate(5, 1),),
    rates_from="https://things.example.org/docs",
    other_hosts=frozenset({"files.example.org"}),
    max_bytes=1 << 20,
)
PAGE = b'{"things": [1, 2, 3], "padding": "' + b"x" * 200 + b'"}'


class Things(msgspec.Struct):
    things: list[int]


def read(body: bytes) -> list[int]:
    return decode(body, Things).things


def ask(asking: Asking, path: str = "/things") -> list[int]:
    with asking as http:
        return http.get(http.url(path), read).value


def test_an_answer_comes_with_its_url_and_time(server: ApiServer) -> None:
    server.pages["/things?id=1,2&q=a%20b"] = PAGE
    with Asking(server, SERVICE) as http:
        fetched = http.get(http.url("/things", {"id": "1,2", "q": "a b"}), read)
    assert fetched.value == [1, 2, 3]
    assert fetched.url == f"{server.home}/things?id=1,2&q=a%20b"
    assert fetched.fetched_at == NOW.replace(tzinfo=None)
    assert not fetched.is_from_cache
    assert server.headers[0]["User-Agent"] == f"assay/0.1 ({CONTACT})"


def test_connections_are_reused(server: ApiServer) -> None:
    server.pages["/things"] = PAGE
    with Asking(server, SERVICE) as http:
        for _ in range(4):
            http.get(http.url("/things"), read)
    assert len(server.paths) == 4
    assert len(server.connections) == 1


@pytest.mark.parametrize("name", FAULTS)
def test_a_passing_fault_is_ridden_out(name: str, server: ApiServer) -> None:
    server.pages["/things"], server.faults = PAGE, [FAULTS[name][0]]
    asking = Asking(server, SERVICE, name)
    assert ask(asking) == [1, 2, 3]
    assert asking.pauses == [3.0 if name == "429 with Retry-After" else 0.5]


@pytest.mark.parametrize("name", FAULTS)
def test_a_lasting_fault_ends_in_one_clear_sentence(name: str, server: ApiServer) -> None:
    server.pages["/things"] = PAGE
    server.always, cause = FAULTS[name]
    with pytest.raises(ServiceError) as raised:
        ask(Asking(server, SERVICE, name))
    told = str(raised.value)
    assert told.startswith(f"Things failed on {server.home}/things after {ATTEMPTS} attempts: {cause}")
    assert told.endswith("; run again later, and the landing goes on where it stopped.")
    assert "\n" not in told
    assert server.requests == ATTEMPTS


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_not_tried_again(name: str, server: ApiServer) -> None:
    server.always, cause = REFUSALS[name]
    with pytest.raises(ServiceError) as raised:
        ask(Asking(server, SERVICE))
    assert str(raised.value).startswith(f"Things failed on {server.home}/things after 1 attempt: {cause}")
    assert isinstance(raised.value, NotFoundError) is (name == "404")
    assert server.requests == 1


def test_an_answer_that_swells_is_dropped_before_it_fills_the_memory(server: ApiServer) -> None:
    server.always = bomb
    tracemalloc.start()
    try:
        with pytest.raises(ServiceError, match="the answer was longer than 1048576 bytes"):
            ask(Asking(server, SERVICE))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("Mon, 30 Nov 2026 12:00:40 GMT", 40.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.5),
        ("soon", 0.5),
        ("0", 0.5),
        ("-3", 0.5),
    ],
)
# Some services put requests off under a status of success.
@pytest.mark.parametrize("code", [200, 429, 500, 503])
def test_retry_after_is_honoured(code: int, header: str, seconds: float, server: ApiServer) -> None:
    server.pages["/things"], server.faults = PAGE, [status(code, Retry_After=header)]
    asking = Asking(server, SERVICE)
    ask(asking)
    assert asking.pauses == [seconds]


def test_pauses_double_up_to_the_longest(server: ApiServer) -> None:
    server.always = status(503)
    asking = Asking(server, SERVICE, patience=Patience(attempts=6, pause=1.0, longest_pause=5.0))
    with pytest.raises(ServiceError, match="after 6 attempts"):
        ask(asking)
    assert asking.pauses == [0.5, 1.0, 2.0, 2.5, 2.5]


def test_the_deadline_ends_waiting(server: ApiServer) -> None:
    server.always = status(429, Retry_After="3600")
    asking = Asking(server, SERVICE, patience=Patience(deadline=60.0))
    with pytest.raises(ServiceError, match="and it asks to wait 3600 s, beyond the deadline of 60 s; run again later"):
        ask(asking)
    assert (asking.pauses, server.requests) == ([], 1)


def test_rates_that_outlast_the_deadline_end_it(server: ApiServer) -> None:
    server.pages["/things"] = PAGE
    limiter = RateLimiter([Rate(1, 1000.0)])
    ask(Asking(server, SERVICE, limiter=limiter))
    with pytest.raises(ServiceError, match=r"its rates ask to wait 1[0-9]{3} s, beyond the deadline"):
        ask(Asking(server, SERVICE, limiter=limiter))
    assert server.requests == 1


def test_attempts_take_turns_too(server: ApiServer) -> None:
    server.pages["/things"], server.faults = PAGE, [status(500)]
    asking = Asking(server, SERVICE, limiter=RateLimiter([Rate(1, 30.0)], clock=lambda: 0.0, margin=1.0))
    ask(asking)
    assert asking.pauses == [0.5, 30.0]


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_within_the_service_is_followed(code: int, server: ApiServer) -> None:
    server.pages["/elsewhere"], server.faults = PAGE, [redirect("/elsewhere", code)]
    with Asking(server, SERVICE) as http:
        fetched = http.get(http.url("/things"), read)
    assert (fetched.value, fetched.url) == ([1, 2, 3], f"{server.home}/things")
    assert server.paths == ["/things", "/elsewhere"]


def test_a_redirect_takes_a_turn_of_its_own(server: ApiServer) -> None:
    server.pages["/elsewhere"], server.faults = PAGE, [redirect("/elsewhere")]
    asking = Asking(server, SERVICE, limiter=RateLimiter([Rate(1, 30.0)], clock=lambda: 0.0, margin=1.0))
    assert ask(asking) == [1, 2, 3]
    assert asking.pauses == [30.0]


def test_redirects_in_circles_end(server: ApiServer) -> None:
    server.always = redirect("/things")
    with pytest.raises(ServiceError, match="it redirects more than 5 times; check the service"):
        ask(Asking(server, SERVICE))


@pytest.mark.parametrize(
    "target", ["https://evil.example/x", "http://127.0.0.1:1/x", "http://user:pw@127.0.0.1/", "//other/x"]
)
def test_secrets_never_leave_with_a_redirect(target: str, server: ApiServer) -> None:
    server.always = redirect(target)
    with pytest.raises(ServiceError, match="not on the service's list of hosts"):
        ask(Asking(server, SERVICE, secrets={"apiKey": SecretStr("t0ps3cret")}))
    assert server.requests == 1


@pytest.mark.parametrize("target", ["http://[", "http://127.0.0.1:port/"])
def test_a_redirect_to_no_address(target: str, server: ApiServer) -> None:
    server.always = redirect(target)
    with pytest.raises(ServiceError, match=r"makes no sense|not on the service's list of hosts"):
        ask(Asking(server, SERVICE))
    assert server.requests == 1


def test_secrets_are_sent_and_never_told(server: ApiServer, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    secret = "t0p s3cret/key"
    caplog.set_level(logging.DEBUG)
    server.pages["/things"] = PAGE
    asking = Asking(server, SERVICE, secrets={"apiKey": SecretStr(secret)}, cache=cache_in(tmp_path))
    with asking as http:
        fetched = http.get(http.url("/things"), read)
        assert server.headers[0]["apiKey"] == secret
        server.always = status(403, f'{{"message": "{secret} is not a key, nor is t0p%20s3cret%2Fkey"}}')
        with pytest.raises(ServiceError) as raised:
            http.get(http.url("/other"), read)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"things" in kept
    told = f"{raised.value}{raised.value!r}{asking.http!r}{fetched}{caplog.text}{kept!r}"
    assert "*** is not a key, nor is ***" in told
    assert "s3cret" not in told


@pytest.mark.parametrize("contact", ["", "nobody", "a@b", "me@example.org\r\nX-Evil: 1", "http://", "m\u00e9@x.org"])
def test_a_contact_is_needed(contact: str) -> None:
    with pytest.raises(ServiceError, match="Things must be told whom to reach; give an email address or a URL"):
        HttpClient(SERVICE, contact)


@pytest.mark.parametrize("contact", ["me@example.org", "Some Laboratory me@example.org", "https://example.org/about"])
def test_a_contact_may_be_an_address_or_a_url(contact: str) -> None:
    with HttpClient(SERVICE, contact) as http:
        assert http.url("/x") == "https://things.example.org/x"


@pytest.mark.parametrize("home", ["http://things.example.org", "ftp://things.example.org", "things.example.org", ""])
def test_plain_http_is_refused(home: str) -> None:
    with pytest.raises(ServiceError, match="write its address with https://"):
        HttpClient(_at(home), CONTACT)


def _at(home: str) -> Service:
    return Service("Things", home, SERVICE.rates, SERVICE.rates_from)


@pytest.mark.parametrize("loopback", ["http://things.example.org", "http://10.0.0.1", "http://127.0.0.1@evil.example"])
def test_plain_http_is_for_this_machine_alone(loopback: str) -> None:
    with pytest.raises(ServiceError, match="plain http is for this machine alone"):
        HttpClient(SERVICE, CONTACT, loopback=loopback)


def test_tls_is_checked_where_a_server_speaks_none(server: ApiServer) -> None:
    """https to a server without TLS fails before a word of HTTP is said, and is no time-out."""
    address = f"https://{server.host}"
    with pytest.raises(ServiceError, match=r"no safe connection could be made \(TLS failed\); check certificates"):
        ask(Asking(server, SERVICE, loopback=address))
    assert server.requests == 0


@pytest.mark.parametrize(
    "url", ["https://evil.example/x", "http://things.example.org/x", "https://u:p@things.example.org/"]
)
def test_only_the_services_own_addresses_are_asked(url: str) -> None:
    with HttpClient(SERVICE, CONTACT) as http, pytest.raises(ServiceError, match="no address of its own"):
        http.get(url, read)


@pytest.fixture
def tls_server(tmp_path: Path) -> Iterator[str]:
    """A server with TLS and a certificate that nobody vouches for; gives its address."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    unlocked = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unlocked)
    (tmp_path / "server.pem").write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    with ApiServer(context) as running:
        running.pages["/things"] = PAGE
        yield f"https://localhost:{running.host.rsplit(':')[1]}"


def test_a_certificate_that_nobody_vouches_for_is_refused(tls_server: str, server: ApiServer, tmp_path: Path) -> None:
    vouched = ssl.create_default_context(cafile=str(tmp_path / "server.pem"))
    with urllib.request.urlopen(f"{tls_server}/things", context=vouched) as response:
        assert response.read() == PAGE
    with pytest.raises(ServiceError, match=r"no safe connection could be made \(TLS failed\); check certificates"):
        ask(Asking(server, SERVICE, loopback=tls_server))


def test_hosts_of_a_service_are_admitted_under_https_alone() -> None:
    address = address_of(SERVICE)
    assert address.admits("https://files.example.org/a")
    assert address.admits("https://things.example.org:443/a")
    assert not address.admits("https://things.example.org:444/a")
    assert not address.admits("http://files.example.org/a")
    assert not address.admits("https://things.example.org.evil.example/a")


def test_an_answer_is_kept_until_it_is_stale(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/things"] = PAGE
    cache = cache_in(tmp_path)
    ask(Asking(server, SERVICE, cache=cache))
    later = NOW + datetime.timedelta(hours=5)
    with Asking(server, SERVICE, cache=cache, now=lambda: later) as http:
        fetched = http.get(http.url("/things"), read)
    assert fetched.is_from_cache
    assert fetched.fetched_at == NOW.replace(tzinfo=None), "the time it came from the service"
    assert server.requests == 1
    fleeting = Service("Things", SERVICE.home, SERVICE.rates, SERVICE.rates_from, keep_seconds=0)
    for _ in range(2):
        ask(Asking(server, fleeting, cache=cache_in(tmp_path / "other")))
    assert server.requests == 3


@pytest.mark.parametrize("name", ["web page", "empty", "cut", "500"])
def test_only_whole_answers_are_kept(name: str, server: ApiServer, tmp_path: Path) -> None:
    server.pages["/things"], server.always = PAGE, FAULTS[name][0]
    cache = cache_in(tmp_path)
    with pytest.raises(ServiceError):
        ask(Asking(server, SERVICE, name, cache=cache))
    server.always = None
    before = server.requests
    assert ask(Asking(server, SERVICE, cache=cache)) == [1, 2, 3]
    assert server.requests == before + 1


def test_a_damaged_cache_is_asked_past(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/things"] = PAGE
    ask(Asking(server, SERVICE, cache=cache_in(tmp_path)))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:4] + b"\x80\x04N.")
    assert ask(Asking(server, SERVICE, cache=cache_in(tmp_path))) == [1, 2, 3]
    assert server.requests == 2


def test_a_kept_answer_that_the_parser_no_longer_takes_is_asked_anew(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/things"] = PAGE
    cache = cache_in(tmp_path)
    ask(Asking(server, SERVICE, cache=cache))

    def stricter(body: bytes) -> Any:
        if server.requests == 1:
            raise BodyError("of an older form", again=False)
        return read(body)

    with Asking(server, SERVICE, cache=cache) as http:
        assert http.get(http.url("/things"), stricter).value == [1, 2, 3]
    assert server.requests == 2


def test_nobody_listens(server: ApiServer) -> None:
    with ApiServer() as gone:
        asking = Asking(gone, SERVICE)
    with pytest.raises(ServiceError, match="after 3 attempts: the connection was cut or refused; run again later"):
        ask(asking)


def test_no_such_host() -> None:
    service = Service("Nowhere", "https://nowhere.invalid", (), "")
    with HttpClient(service, CONTACT, sleep=lambda seconds: None) as http, pytest.raises(ServiceError) as raised:
        http.get(http.url("/x"), read)
    assert "Nowhere failed on https://nowhere.invalid/x after 6 attempts: " in str(raised.value)


@pytest.mark.parametrize("body", ["<html><title>Moved away</title></html>", "", "gone"])
def test_a_404_in_other_words_than_the_services_own_is_no_unknown_thing(body: str, server: ApiServer) -> None:
    server.always = status(404, body)
    with pytest.raises(ServiceError) as raised:
        ask(Asking(server, SERVICE))
    assert not isinstance(raised.value, NotFoundError)


def test_long_urls_are_shortened_in_errors(server: ApiServer) -> None:
    with pytest.raises(NotFoundError) as raised:
        ask(Asking(server, SERVICE), "/things/" + "1," * 500)
    assert "1,1,... after 1 attempt: HTTP 404 Not Found, saying 'not known here'" in str(raised.value)
