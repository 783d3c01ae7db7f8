"""Names of entities: which one a name means, by labels first and by other names then."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from dagster_defs.steps.matching.texts import exactly, fold


class Names:
    """What entities are called, folded as names are compared elsewhere."""

    def __init__(self, rows: Iterable[tuple[str, str | None, Iterable[str] | None]]) -> None:
        """``rows``: entity_id, label and other names of each entity."""
        self._labels: dict[str, dict[str, set[str]]] = {}
        self._aliases: dict[str, dict[str, set[str]]] = {}
        for entity_id, label, aliases in rows:
            if label is not None:
                _add(self._labels, label, entity_id)
            for alias in aliases or ():
                _add(self._aliases, alias, entity_id)

    def of(self, name: str, values: Collection[str] = ()) -> str | None:
        """The one entity that is called so; '' where several are, None where none is.

        ``values``: entities that the property has as values somewhere. Those are looked through first, and labels
        before other names; where several are called so, the letters as they stand decide.
        """
        folded = fold(name)
        if not folded:
            return None
        for known in (values, None):
            for index in (self._labels, self._aliases):
                found = {
                    entity_id: names
                    for entity_id, names in index.get(folded, {}).items()
                    if known is None or entity_id in known
                }
                if found:
                    return _one(name, found)
        return None


def _one(name: str, found: Mapping[str, set[str]]) -> str:
    """The only entity, or the only one of exactly this name; '' where there are more."""
    if len(found) > 1:
        found = {entity_id: names for entity_id, names in found.items() if exactly(name) in map(exactly, names)}
    return next(iter(found)) if len(found) == 1 else ""


def _add(index: dict[str, dict[str, set[str]]], name: str, entity_id: str) -> None:
    folded = fold(name)
    if folded:
        index.setdefault(folded, {}).setdefault(entity_id, set()).add(name)
