"""States of the United States: admission, capital, census region, total area, highest point, neighbours."""

from __future__ import annotations

from ingest.sample.build.model import NOVALUE, Fact, Item, Quantity, Ref
from ingest.sample.build.places import us_state_items
from ingest.sample.build.typed_table import NONE, Names, cells, date_value, read_table

SQUARE_MILE, FOOT = "Q232291", "Q3710"


def build() -> tuple[list[Item], list[Fact]]:
    """The 50 states of typed/us_states.csv, under their GeoNames ids.

    Raises KeyError for a name that GeoNames does not know as a state.
    """
    names = Names()
    states = {item.label: item for item in us_state_items().values()}
    facts: list[Fact] = []
    for row in read_table("us_states"):
        state = names.add(states[row["state"]]).id
        facts += [
            Fact(state, "P36", names.typed("place", f"{row['capital']}, {row['state']}")),
            Fact(state, "P361", names.typed("census-region", row["region"])),
            Fact(state, "P571", date_value(row["admitted"])),
            Fact(state, "P2046", Quantity(row["area_sq_mi"], SQUARE_MILE)),
            _highest_point(state, row, names),
            *_neighbours(state, row, states),
        ]
    return names.items(), facts


def _highest_point(state: str, row: dict[str, str], names: Names) -> Fact:
    elevation = (("P2044", Quantity(row["highest_ft"], FOOT)),)
    return Fact(state, "P610", names.typed("mountain", row["highest_point"]), qualifiers=elevation)


def _neighbours(state: str, row: dict[str, str], states: dict[str | None, Item]) -> list[Fact]:
    if row["neighbours"] == NONE:
        return [Fact(state, "P47", NOVALUE)]
    return [Fact(state, "P47", Ref(states[name].id)) for name in cells(row["neighbours"])]
