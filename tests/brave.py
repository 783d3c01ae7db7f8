"""A server on loopback that answers as Brave's web search does, with what a test puts in."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

from tests.wiki import Loopback

TOKEN = "BSA-secret-0123456789/+token"


def hit(url: str, title: str = "A page", description: str = "", *more: str) -> dict[str, Any]:
    """A result as the API writes it."""
    return {
        "title": title,
        "url": url,
        "is_source_local": False,
        "description": description,
        "extra_snippets": list(more),
        "profile": {"name": "Example", "url": url},
        "age": "March 1, 2024",
    }


class BraveServer(Loopback):
    """results: query -> results. first: answers to give before any other, as (status, body)."""

    def __init__(self) -> None:
        self.results: dict[str, list[dict[str, Any]]] = {}
        self.first: list[tuple[int, bytes]] = []
        self.asked: list[dict[str, str]] = []
        self.headers: list[Mapping[str, str]] = []
        super().__init__(self._answer)

    def _answer(self, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        self.asked.append(query)
        self.headers.append(headers)
        if self.first:
            return self.first.pop(0)
        if parts.path != "/res/v1/web/search":
            return 404, b"<html>no such page</html>"
        if headers.get("X-Subscription-Token") != TOKEN:
            detail = "The provided subscription token is invalid."
            return 422, error(422, "SUBSCRIPTION_TOKEN_INVALID", detail)
        body: dict[str, Any] = {"type": "search", "query": {"original": query["q"], "more_results_available": False}}
        found = self.results.get(query["q"], [])[: int(query["count"])]
        if found:
            body["web"] = {"type": "search", "results": found, "family_friendly": True}
        return 200, json.dumps(body).encode()


def error(status: int, code: str, detail: str) -> bytes:
    """An error as the API writes it."""
    told = {"id": "1", "status": status, "code": code, "detail": detail, "meta": {"component": "subscriptions"}}
    return json.dumps({"type": "ErrorResponse", "error": told, "time": 1}).encode()
