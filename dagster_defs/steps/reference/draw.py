"""Entity sets drawn live or given by a user, and made-up names searched for; both land for dbt to choose from."""

from __future__ import annotations

import datetime
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.steps.elicitation_rows import SCHEMAS, ZONE, land_rows
from dagster_defs.steps.reference.plan import digest, name_of
from dagster_defs.steps.reference.texts import Articles
from ingest.asked import batches

# Entities that are looked up and landed together.
BLOCK: Final = 50
# A random article passes the filters in one of three cases; a draw that needs more than this many ends early.
_DRAWN_FOR_ONE: Final = 20
Row = dict[str, Any]


class Library(Articles, Protocol):
    """What a draw asks, such as ingest.wikipedia.client.WikipediaClient."""

    def random_titles(self, n: int) -> Iterator[str]:
        """Titles of random articles, as they are taken."""
        ...

    def views(self, title: str, year: int) -> int:
        """Page views of one year."""
        ...

    def exact_matches(self, name: str) -> int:
        """How many entities have exactly this name."""
        ...


@dataclass(frozen=True)
class Draw:
    """A live draw of ``n`` entities that pass the filters; what is drawn and doesn't pass lands as well.

    views: whether to look up page views. day: stands in the draw's id, so that one that broke off goes on that day.
    """

    set_name: str
    n: int
    views: bool = False
    least_characters: int = 2000
    least_statements: int = 10
    day: datetime.date = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).date())

    def __post_init__(self) -> None:
        if self.n < 1:
            raise RunError(f"A draw is of 1 or more entities, not {self.n}.")

    @property
    def list_id(self) -> str:
        """The set's name and a digest of what is drawn when."""
        limits = [self.n, self.views, self.least_characters, self.least_statements]
        return f"{name_of(self.set_name)}--{digest([self.set_name, *limits, self.day.isoformat()])}"

    def passes(self, row: Row) -> bool:
        """Whether a candidate passes the filters."""
        return (
            row["entity_id"] is not None
            and not row["is_disambiguation"]
            and (row["n_characters"] or 0) >= self.least_characters
            and (row["n_statements"] or 0) >= self.least_statements
        )


@dataclass(frozen=True)
class Listed:
    """An entry of a user's list; length in characters and domain where it gives them."""

    title: str
    length: int | None = None
    domain: str | None = None


@dataclass(frozen=True)
class Drawn:
    """What was drawn. list_id: of the landed rows. passed: entities that a set can be made of."""

    list_id: str
    drawn: int
    passed: int
    wanted: int

    def sentences(self) -> list[str]:
        """The draw in lines that a person reads."""
        short = "" if self.passed >= self.wanted else f" of the {self.wanted} that were wanted"
        return [f"{self.list_id}: {self.drawn} titles looked up, {self.passed} entities{short} are usable."]


def draw(wanted: Draw, pages: Library, landing: Path, log: Callable[[str], None] = lambda line: None) -> Drawn:
    """Draw random articles until enough pass the filters, and land a row each.

    Raises ServiceError where the service can't answer; blocks that were landed until then stay, and the same draw goes
    on from there on the same day.
    """
    rows = _landed("candidates", wanted.list_id, landing)
    seen = {row["title"] for row in rows}
    drawn, passed = len(rows), sum(map(wanted.passes, rows))
    parts = itertools.count(len(_parts("candidates", wanted.list_id, landing)))
    titles = (title for title in pages.random_titles(_DRAWN_FOR_ONE * wanted.n) if title not in seen)
    year = wanted.day.year - 1 if wanted.views else None
    while passed < wanted.n and (block := list(itertools.islice(titles, BLOCK))):
        entries = [Listed(title) for title in block]
        found = list(_looked_up(entries, pages, wanted.least_characters, wanted.least_statements, year))
        _land(wanted.list_id, wanted.set_name, next(parts), drawn, found, landing)
        drawn, passed = drawn + len(found), passed + sum(map(wanted.passes, found))
        log(f"{wanted.list_id}: {passed} of {wanted.n} entities after {drawn} titles.")
    return Drawn(wanted.list_id, drawn, passed, wanted.n)


def read_list(path: Path) -> list[Listed]:
    """A user's JSON list: of titles, or of objects with ``title``, and ``length`` and ``domain`` where they are known.

    Raises RunError, one sentence that names the entry, for anything else, and for a title given twice.
    """
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise RunError(f"Cannot read {path}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is no JSON ({error}): give a list of titles, or of objects with a title.") from error
    if not isinstance(content, list) or not content:
        raise RunError(f"{path} holds no list of entities: give a list of titles, or of objects with a title.")
    entries = [_entry(path, number, one) for number, one in enumerate(content, 1)]
    title, times = Counter(one.title for one in entries).most_common(1)[0]
    if times > 1:
        raise RunError(f"{path} gives '{title[:80]}' {times} times: leave it in once.")
    return entries


def _entry(path: Path, number: int, one: object) -> Listed:
    given = {"title": one} if isinstance(one, str) else one
    title = given.get("title") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(title, str) or not title.strip():
        raise RunError(f"Entry {number} of {path} has no title: write a text, or an object with one as its 'title'.")
    length, domain = given.get("length"), given.get("domain")
    if length is not None and (not isinstance(length, int) or isinstance(length, bool) or length < 0):
        raise RunError(f"Entry {number} of {path} has a length that is no number of characters: leave it out.")
    return Listed(title.strip(), length, domain if isinstance(domain, str) and domain.strip() else None)


def take_list(
    path: Path,
    set_name: str,
    landing: Path,
    pages: Library | None,
    log: Callable[[str], None] = lambda line: None,
) -> Drawn:
    """Land a user's list as the set ``set_name``; live its titles are looked up, else they have no entity_id.

    Raises RunError for an unreadable list, ServiceError where the service can't answer.
    """
    entries = read_list(path)
    content = [[one.title, one.length, one.domain] for one in entries]
    list_id = f"{name_of(set_name)}--{digest([set_name, content, pages is not None])}"
    rows = _landed("candidates", list_id, landing)
    for number, block in enumerate(batches(entries, BLOCK)):
        if number * BLOCK < len(rows):
            continue
        found = list(_looked_up(block, pages, 0, 0, None)) if pages is not None else list(map(_unresolved, block))
        _land(list_id, set_name, number, number * BLOCK, found, landing)
        rows += found
        log(f"{list_id}: {len(rows)} of {len(entries)} titles.")
    usable = sum(row["entity_id"] is not None and not row["is_disambiguation"] for row in rows)
    return Drawn(list_id, len(entries), usable if pages is not None else len(entries), len(entries))


def search_names(
    names: Iterable[str],
    pages: Library,
    endpoint: str,
    landing: Path,
    log: Callable[[str], None] = lambda line: None,
) -> dict[str, int]:
    """Search for made-up names, and land how many entities are called so; returns that by name.

    endpoint: where is searched. Names that have landed are not searched for again. Raises ServiceError where the
    service can't answer; blocks that were landed until then stay.
    """
    wanted = sorted(set(names))
    search_id = f"names--{digest([endpoint, wanted])}"
    found = {row["name"]: row["n_found"] for row in _landed("searched_names", search_id, landing)}
    parts = itertools.count(len(_parts("searched_names", search_id, landing)))
    for block in batches([name for name in wanted if name not in found], BLOCK):
        now = datetime.datetime.now(datetime.UTC)
        counts = {name: pages.exact_matches(name) for name in block}
        rows = [
            {"search_id": search_id, "name": name, "n_found": n, "endpoint": endpoint, "searched_at": now}
            for name, n in counts.items()
        ]
        table = pa.Table.from_pylist(rows, SCHEMAS["searched_names"])
        land_rows(landing, "searched_names", f"{search_id}+{next(parts):05d}", table)
        found |= counts
        log(f"{search_id}: {len(found)} of {len(wanted)} names searched for.")
    return found


def _looked_up(
    entries: Sequence[Listed], pages: Library, least_characters: int, least_statements: int, year: int | None
) -> Iterator[Row]:
    """What the services know of each title: texts are fetched only of what passes the other filters."""
    titles = [one.title for one in entries]
    articles = {one.asked: one for one in pages.articles(titles, text=False)}
    ids = {one.item_id for one in articles.values() if one.item_id is not None and one.outcome == "found"}
    known = {one.asked: one for one in pages.entities(ids)} if ids else {}
    lengths: dict[str, int] = {}
    read = [
        title
        for title in titles
        if (item_id := articles[title].item_id) in known and known[str(item_id)].n_statements >= least_statements
    ]
    for article in pages.articles(read):
        lengths[article.asked] = article.characters
    for one in entries:
        article = articles[one.title]
        item = known.get(article.item_id or "")
        length = lengths.get(one.title)
        yield {
            "title": article.title,
            "entity_id": item.entity_id if item is not None else article.item_id,
            "domain": one.domain,
            "n_characters": length if length is not None else one.length,
            "n_statements": item.n_statements if item is not None else None,
            "views": pages.views(article.title, year) if year and (length or 0) >= max(least_characters, 1) else None,
            "is_disambiguation": article.outcome == "disambiguation",
        }


def _unresolved(one: Listed) -> Row:
    unknown = dict.fromkeys(("entity_id", "n_statements", "views", "is_disambiguation"))
    return {"title": one.title, "domain": one.domain, "n_characters": one.length, **unknown}


def _land(list_id: str, set_name: str, part: int, first: int, found: Sequence[Row], landing: Path) -> None:
    now = datetime.datetime.now(datetime.UTC)
    rows = [
        {"list_id": list_id, "set_name": set_name, "ordinal": first + place, **row, "drawn_at": now}
        for place, row in enumerate(found)
    ]
    land_rows(landing, "candidates", f"{list_id}+{part:05d}", pa.Table.from_pylist(rows, SCHEMAS["candidates"]))


def _parts(dataset: str, name: str, landing: Path) -> list[str]:
    return [one for one in ZONE.names(landing, dataset) if one.rpartition("+")[0] == name]


def _landed(dataset: str, name: str, landing: Path) -> list[Row]:
    return [row for part in _parts(dataset, name, landing) for row in ZONE.landed(landing, dataset, part)]
