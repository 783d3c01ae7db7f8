"""A MediaWiki-shaped server on loopback: pages, entities, search and page views, answered from what a test puts in.

It speaks both format versions, gives one whole extract an answer and continues as MediaWiki does.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MAXLAG = {"error": {"code": "maxlag", "info": "Waiting for 10.0.0.1: 7.4 seconds lagged", "lag": 7.4}}
MOST_TITLES = 50
# (status, body), and headers where there are more than every answer has.
Answered = tuple[int, bytes] | tuple[int, bytes, Mapping[str, str]]


@dataclass(frozen=True)
class WikiPage:
    """A page. to: where it redirects to. item: the Q-id of what it is about. wikitext: what people edit."""

    text: str = ""
    page_id: int = 1
    revision_id: int = 100
    item: str | None = None
    is_disambiguation: bool = False
    to: str | None = None
    wikitext: str = ""


@dataclass(frozen=True)
class WikiEntity:
    """An entity. to: the id it was merged into. sitelinks: beside English Wikipedia's. datatype: of a property.
    constraints: its statements of P2302, as entity JSON has them."""

    title: str | None = None
    n_statements: int = 0
    to: str | None = None
    label: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""
    classes: tuple[str, ...] = ()
    sitelinks: int = 0
    datatype: str | None = None
    constraints: tuple[dict[str, Any], ...] = ()


@dataclass
class Wiki:
    """What the server knows, and what it was asked. first: answers to give before any other. faults: number of a
    request, from 1 on, -> the answer to give in place of its own."""

    pages: dict[str, WikiPage] = field(default_factory=dict)
    entities: dict[str, WikiEntity] = field(default_factory=dict)
    views: dict[str, dict[str, int]] = field(default_factory=dict)
    first: list[Answered] = field(default_factory=list)
    faults: dict[int, Answered] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    has_slots: bool = True

    def answer(self, path: str) -> Answered:
        """The answer for a path with its query."""
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        self.asked.append(query or {"path": parts.path})
        if self.first:
            return self.first.pop(0)
        if len(self.asked) in self.faults:
            return self.faults[len(self.asked)]
        if parts.path.startswith("/api/rest_v1/"):
            return self._views(parts.path)
        if parts.path != "/w/api.php":
            return 404, b"<html>no such page</html>"
        actions = {
            "query": self._random if query.get("list") == "random" else self._query,
            "wbgetentities": self._get,
            "wbsearchentities": self._search,
        }
        return 200, json.dumps(actions[query["action"]](query)).encode()

    def _query(self, query: dict[str, str]) -> dict[str, Any]:
        old = query.get("formatversion", "1") == "1"
        titles = query["titles"].split("|")
        if len(titles) > MOST_TITLES:
            return {"error": {"code": "toomanyvalues", "info": f"The limit is {MOST_TITLES}."}}
        normalized, redirects, shown = [], [], []
        for asked in titles:
            title = _normal(asked)
            if title != asked:
                normalized.append({"from": asked, "to": title})
            page = self.pages.get(title)
            if page is not None and page.to is not None:
                redirects.append({"from": title, "to": page.to})
                title = page.to
            if title not in shown:
                shown.append(title)
        sent = query.get("continue", "").split("||")[-1].split("|") if "continue" in query else []
        at = int(query.get("excontinue", "0"))
        wants = query["prop"].split("|")
        known = [title for title in shown if title in self.pages]
        pages = []
        for title in shown:
            body = self._page(title, [one for one in wants if one not in sent], old)
            if "extracts" in wants and title in known and known.index(title) == at:
                body["extract"] = self.pages[title].text
            pages.append(body)
        found: dict[str, Any] = {
            "pages": {str(one.get("pageid", -n - 1)): one for n, one in enumerate(pages)} if old else pages
        }
        for name, value in (("normalized", normalized), ("redirects", redirects)):
            if value:
                found[name] = value
        answer: dict[str, Any] = {"query": found}
        if "extracts" in wants and at + 1 < len(known):
            answer["continue"] = {
                "excontinue": at + 1,
                "continue": "||" + "|".join(one for one in wants if one != "extracts"),
            }
        else:
            answer["batchcomplete"] = "" if old else True
        return answer

    def _page(self, title: str, wants: list[str], old: bool) -> dict[str, Any]:
        flag: Any = "" if old else True
        if re.search(r"[<>\[\]{}]", title):
            return {
                "title": title,
                "invalidreason": "The requested page title contains invalid characters",
                "invalid": flag,
            }
        page = self.pages.get(title)
        if page is None:
            return {"ns": 0, "title": title, "missing": flag}
        body: dict[str, Any] = {"pageid": page.page_id, "ns": 0, "title": title}
        if "info" in wants:
            body |= {"lastrevid": page.revision_id, "length": 2 * len(page.text)}
            body |= {"canonicalurl": f"https://en.wikipedia.org/wiki/{title.replace(' ', '_')}"}
        if "pageprops" in wants:
            props = {"disambiguation": ""} if page.is_disambiguation else {}
            props |= {"wikibase_item": page.item} if page.item else {}
            body |= {"pageprops": props} if props else {}
        if "revisions" in wants:
            content = {"*" if old else "content": page.wikitext}
            slot = {"contentmodel": "wikitext", "contentformat": "text/x-wiki", **content}
            text = {"slots": {"main": slot}} if self.has_slots else content
            told = {"revid": page.revision_id, "parentid": 1, "timestamp": "2026-05-04T03:02:01Z"}
            body |= {"revisions": [told | text]}
        return body

    def _random(self, query: dict[str, str]) -> dict[str, Any]:
        titles = [title for title, page in self.pages.items() if page.to is None]
        start, most = int(query.get("rncontinue", "0")), int(query["rnlimit"])
        chosen = titles[start : start + most]
        answer: dict[str, Any] = {
            "query": {"random": [{"id": n, "ns": 0, "title": one} for n, one in enumerate(chosen)]}
        }
        if start + most < len(titles):
            answer["continue"] = {"rncontinue": str(start + most), "continue": "-||"}
        return answer

    def _get(self, query: dict[str, str]) -> dict[str, Any]:
        empty: Any = [] if query.get("formatversion", "1") == "1" else {}
        found: dict[str, Any] = {}
        for one in query["ids"].split("|"):
            entity, own = self.entities.get(one), one
            if entity is not None and entity.to is not None:
                own, entity = entity.to, self.entities[entity.to]
            if entity is None:
                found[one] = {"id": one, "missing": ""}
                continue
            links = {"enwiki": {"site": "enwiki", "title": entity.title, "badges": []}} if entity.title else empty
            claims: Any = {"P31": [{"id": f"{own}${n}", "rank": "normal"} for n in range(entity.n_statements)]}
            found[one] = {
                "type": "item",
                "id": own,
                "sitelinks": links,
                "claims": claims if entity.n_statements else empty,
            }
            if "labels" in query["props"].split("|"):
                found[one] |= _described(entity, query["languages"].split("|")[0], empty)
        return {"entities": found, "success": 1}

    def _search(self, query: dict[str, str]) -> dict[str, Any]:
        wanted = query["search"].casefold()
        hits = []
        letter = {"item": "Q", "property": "P"}[query["type"]]
        for one, entity in self.entities.items():
            if not one.startswith(letter):
                continue
            names = [name for name in (entity.label, *entity.aliases) if name.casefold().startswith(wanted)]
            if names:
                kind = "label" if names[0] == entity.label else "alias"
                match = {"type": kind, "language": "en", "text": names[0]}
                hits.append({"id": one, "label": entity.label, "description": entity.description, "match": match})
        start, most = int(query["continue"]), int(query["limit"])
        answer: dict[str, Any] = {"search": hits[start : start + most], "success": 1}
        if start + most < len(hits):
            answer["search-continue"] = start + most
        return answer

    def _views(self, path: str) -> tuple[int, bytes]:
        *_, quoted, _, start, end = path.split("/")
        months = self.views.get(urllib.parse.unquote(quoted).replace("_", " "))
        if months is None:
            return 404, b'{"type": "about:blank", "title": "Not Found", "status": 404, "detail": "no data"}'
        items = [
            {"article": urllib.parse.unquote(quoted), "timestamp": f"{month}0100", "views": n}
            for month, n in months.items()
            if start[:6] <= month <= end[:6]
        ]
        return 200, json.dumps({"items": items}).encode()


def _described(entity: WikiEntity, language: str, empty: Any) -> dict[str, Any]:
    """What an entity's JSON says of it beside its titles."""
    texts = {"labels": entity.label, "descriptions": entity.description}
    claims: dict[str, Any] = {"P2302": list(entity.constraints)} if entity.constraints else {}
    if entity.classes:
        values = [{"entity-type": "item", "id": one} for one in entity.classes]
        claims["P31"] = [
            {"rank": "normal", "mainsnak": {"snaktype": "value", "property": "P31", "datavalue": {"value": value}}}
            for value in values
        ]
    links = {f"wiki{n}": {"site": f"wiki{n}", "title": entity.label} for n in range(entity.sitelinks)}
    return {
        **{key: {language: {"language": language, "value": text}} if text else empty for key, text in texts.items()},
        **({"type": "property", "datatype": entity.datatype} if entity.datatype else {}),
        "claims": claims or empty,
        "sitelinks": links or empty,
    }


def _normal(title: str) -> str:
    plain = " ".join(title.replace("_", " ").split())
    return plain[:1].upper() + plain[1:]


class Loopback:
    """Serves GET requests in a thread of its own; use as a context manager.

    answer: (path with query, headers) -> what to answer.
    """

    def __init__(self, answer: Callable[[str, Mapping[str, str]], Answered]) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body in one write, and neither held back where they are too long for one: the client's side waits
            # 40 ms before it acknowledges half of an answer.
            wbufsize = -1
            disable_nagle_algorithm = True

            def handle(self) -> None:
                # A client that is killed hangs up.
                with contextlib.suppress(ConnectionError):
                    super().handle()

            def do_GET(self) -> None:
                status, body, *more = answer(self.path, dict(self.headers))
                self.send_response(status)
                for name, value in more[0].items() if more else ():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Keep the tests' output clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def home(self) -> str:
        """The address to ask."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class WikiServer(Loopback):
    """Serves a wiki."""

    def __init__(self) -> None:
        self.wiki = Wiki()
        super().__init__(lambda path, _: self.wiki.answer(path))
