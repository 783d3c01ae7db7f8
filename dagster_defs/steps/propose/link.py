"""Names to ids: what Wikidata's search gives for a proposal's words, told apart by rules, else by the proposer.

A class has to be used as one; a property's datatype has to fit what is asked of it, and its subjects the class; a value
has to be one that a member has. Where these leave several candidates the only one that is called exactly so is taken,
else the proposer chooses among those that are left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol

from dagster_defs.steps.propose.check import INTERNAL
from dagster_defs.steps.propose.propose import Chooser
from ingest.topics import StatementFilter
from ingest.wikidata import queries
from ingest.wikidata.constraints import NONE, Constraints, Types
from ingest.wikidata.endpoint import Endpoint
from ingest.wikidata.look import of_classes
from ingest.wikipedia.search import Candidate, Hit

Kind = Literal["item", "property"]
# Candidates of one name that are looked at.
_LOOKED_AT: Final = 7
# What a candidate is told apart by, and why it can't be the one; None where it can.
Test = Callable[[Candidate], str | None]


class Searches(Protocol):
    """What names are searched for in, such as ingest.wikipedia.client.WikipediaClient."""

    def search(self, text: str, kind: Kind, language: str, limit: int = 10) -> list[Hit]:
        """The first entities that are called so."""
        ...

    def candidates(self, entity_ids: Iterable[str], language: str) -> Iterator[Candidate]:
        """What they are."""
        ...


@dataclass(frozen=True)
class Ranked:
    """A candidate for a name, in the order of the search. why: what rules it out, None where nothing does."""

    hit: Hit
    candidate: Candidate
    why: str | None = None

    def told(self) -> str:
        """The candidate as the proposer sees it."""
        known = self.candidate
        return f"{known.label or self.hit.label}: {known.description or self.hit.description or 'no description'}"


@dataclass
class Linked:
    """What became of one name: its candidates, and the place of the chosen one, None where none can be it.

    role: what was sought, in words. chosen_by: rule, model or fallback.
    """

    role: str
    surface: str
    candidates: list[Ranked] = field(default_factory=list)
    chosen: int | None = None
    chosen_by: str | None = None

    @property
    def entity(self) -> Candidate | None:
        """The chosen candidate."""
        return None if self.chosen is None else self.candidates[self.chosen].candidate

    def failure(self) -> str:
        """Why nothing was chosen, as a sentence."""
        if not self.candidates:
            return f"Wikidata's search knows nothing called '{self.surface}' that could be {self.role}."
        reasons = "; ".join(dict.fromkeys(one.why for one in self.candidates if one.why))
        return f"Nothing that is called '{self.surface}' can be {self.role}: {reasons}."

    def rows(self, attempt: int) -> list[dict[str, Any]]:
        """The candidates as rows of ``proposed_candidates``, without the proposal's id."""
        return [
            {
                "attempt": attempt,
                "role": self.role,
                "surface": self.surface,
                "place": place,
                "entity_id": one.candidate.entity_id,
                "label": one.candidate.label or one.hit.label,
                "description": one.candidate.description or one.hit.description,
                "matched": one.hit.matched,
                "matched_by": one.hit.by,
                "datatype": one.candidate.datatype,
                "classes": list(one.candidate.classes),
                "sitelinks": one.candidate.sitelinks,
                "is_possible": one.why is None,
                "why": one.why,
                "is_chosen": place == self.chosen,
                "chosen_by": self.chosen_by if place == self.chosen else None,
            }
            for place, one in enumerate(self.candidates)
        ]


@dataclass
class Linker:
    """Links the names of one proposal. linked: every name so far, in order."""

    search: Searches
    endpoint: Endpoint
    choose: Chooser
    language: str = "en"
    linked: list[Linked] = field(default_factory=list)

    def class_of(self, name: str) -> Linked:
        """The class that is called ``name``."""
        return self._link("a class", "item", name, self._is_used)

    def property_of(self, what: str, name: str, datatypes: Sequence[str], class_id: str | None) -> Linked:
        """The property ``name`` of one of ``datatypes``, whose subjects may be of the class, where that is given."""

        def test(one: Candidate) -> str | None:
            if one.datatype not in datatypes:
                return f"{one.entity_id} is of the datatype {one.datatype}, not {' or '.join(datatypes)}"
            if class_id is not None and not self._is_kind_of(class_id, one.constraints.subject):
                return f"{one.entity_id} is not for things of the class {class_id}"
            return None

        role = f"a property {what} ({' or '.join(datatypes)})"
        return self._link(role, "property", name, test)

    def value_of(self, name: str, class_id: str, property_id: str, constraints: Constraints = NONE) -> Linked:
        """The thing ``name`` that is a value of a property of some member of the class."""

        def test(one: Candidate) -> str | None:
            types = constraints.value
            if types is not None and not of_classes(self.endpoint, [one.entity_id], types.classes, types.path):
                return f"{one.entity_id} is no value that {property_id} may have"
            wanted = StatementFilter(property=property_id, values=(one.entity_id,))
            if not self._has_members(class_id, [wanted]):
                return f"no member of {class_id} has {property_id} {one.entity_id}"
            return None

        return self._link(f"a value of {property_id}", "item", name, test)

    def _link(self, role: str, kind: Kind, name: str, test: Test) -> Linked:
        known = [one for one in self.linked if (one.role, one.surface) == (role, name)]
        if known:
            return known[0]
        found = Linked(role, name)
        for form in forms(name):
            found.candidates = self._candidates(form, kind, test)
            possible = [place for place, one in enumerate(found.candidates) if one.why is None]
            if possible:
                self._decide(found, possible, form)
                break
        self.linked.append(found)
        return found

    def _candidates(self, form: str, kind: Kind, test: Test) -> list[Ranked]:
        hits = list({one.entity_id: one for one in self.search.search(form, kind, self.language, _LOOKED_AT)}.values())
        hits = [one for one in hits if re.fullmatch(r"[QP][1-9][0-9]*", one.entity_id)]
        if not hits:
            return []
        known = {one.entity_id: one for one in self.search.candidates([one.entity_id for one in hits], self.language)}
        # One that was merged into another is that other one, which the search may give as well.
        ranked = [Ranked(hit, known[hit.entity_id]) for hit in hits if hit.entity_id in known]
        return [replace(one, why=_internal(one.candidate) or test(one.candidate)) for one in ranked]

    def _decide(self, found: Linked, possible: list[int], form: str) -> None:
        """Take the only one, the only one that is called exactly so, or the one that the proposer chooses."""

        def rank(place: int) -> tuple[bool, int, int]:
            one = found.candidates[place]
            return not _is_called(one.hit, form), -one.candidate.sitelinks, place

        ordered = sorted(possible, key=rank)
        exact = [place for place in ordered if _is_called(found.candidates[place].hit, form)]
        found.chosen, found.chosen_by = ordered[0], "rule"
        if len(ordered) > 1 and len(exact) != 1:
            asked = exact or ordered
            number = self.choose(found.role, found.surface, [found.candidates[place].told() for place in asked])
            found.chosen_by = "fallback" if number is None else "model"
            found.chosen = asked[number or 0]

    def _is_used(self, one: Candidate) -> str | None:
        return None if self._has_members(one.entity_id, []) else f"{one.entity_id} has no member"

    def _has_members(self, class_id: str, filters: Sequence[StatementFilter]) -> bool:
        return bool(self.endpoint.select(queries.members(class_id, filters, after="", limit=1)))

    def _is_kind_of(self, class_id: str, types: Types | None) -> bool:
        return types is None or bool(of_classes(self.endpoint, [class_id], types.classes, "subclass"))


def forms(name: str) -> list[str]:
    """The forms under which a name is searched for: as it stands, then in the singular."""
    plain = " ".join(name.split())
    found = [plain, re.sub(r"ies$", "y", plain), re.sub(r"(?<=[sxzh])es$", "", plain), re.sub(r"(?<!s)s$", "", plain)]
    return [one for one in dict.fromkeys(found) if one]


def _internal(one: Candidate) -> str | None:
    kinds = [INTERNAL[name] for name in one.classes if name in INTERNAL]
    return f"{one.entity_id} is a {kinds[0]}" if kinds else None


def _is_called(hit: Hit, form: str) -> bool:
    return form.casefold() in (hit.label.casefold(), hit.matched.casefold())
