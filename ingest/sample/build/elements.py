"""The 118 chemical elements: what they weigh, when they melt, who found them and where."""

from __future__ import annotations

from ingest.sample.build import element_history, isotopes
from ingest.sample.build.amounts import bounds, plain, scaled
from ingest.sample.build.mendeleev_db import SOURCE, Row, element_id, elements, rows, slug
from ingest.sample.build.rdf import Fact, Item, Quantity, Ref, Text, Value

CHEMICAL_ELEMENT = "Q11344"
DALTON, GRAM_PER_CM3, KELVIN, ELECTRONVOLT = "Q483261", "Q13147228", "Q11579", "Q83327"
KJ_PER_MOL, J_PER_KG_K, W_PER_M_K = "Q752197", "Q3085309", "Q1463969"
PICOMETRE, KILOPASCAL, MG_PER_KG, MG_PER_L = "Q192274", "Q21064807", "Q21091747", "Q55726194"

PAULING, ALLEN = "typed:scale/pauling", "typed:scale/allen"
COVALENT, VAN_DER_WAALS = "typed:radius/covalent", "typed:radius/van-der-waals"
CRUST, SEA = "typed:region/earths-crust", "typed:region/sea-water"
GAS = "Q11432"
TRANSITION = "typed:reason/transition-between-allotropes"

BRITISH_NAMES = {"Al": "aluminium", "Cs": "caesium", "S": "sulphur"}
DENSITY_IS_A_GUESS = {"At", "Fr"}  # from 99 (einsteinium) up too: mendeleev quotes theory there

# Values that no other table confirms: mendeleev has potassium's three in each other's columns, and counts some of the
# heats of phosphorus, sulfur and arsenic by the molecule.
DOUBTFUL = {
    "fusion_heat": {"K", "P", "S", "Yb"},
    "evaporation_heat": {"As", "Cd", "K", "P", "S", "Te"},
    "thermal_conductivity": {"C", "K"},
}

# mendeleev's lattice codes -> crystal systems; left out where the code names another phase than the other values do.
CRYSTAL_SYSTEMS = {
    **dict.fromkeys(("BCC", "FCC", "CUB", "DIA", "SC"), "cubic"),
    "HEX": "hexagonal",
    "MCL": "monoclinic",
    "ORC": "orthorhombic",
    "RHL": "trigonal",
    "TET": "tetragonal",
}
NO_CRYSTAL_SYSTEM = {"B", "C", "O"}
TRIGONAL_ON_A_HEXAGONAL_LATTICE = {"Se", "Te"}

SERIES_NAMES = {
    "Nonmetals": "other nonmetal",
    "Noble gases": "noble gas",
    "Alkali metals": "alkali metal",
    "Alkaline earth metals": "alkaline earth metal",
    "Metalloids": "metalloid",
    "Halogens": "halogen",
    "Poor metals": "post-transition metal",
    "Transition metals": "transition metal",
    "Lanthanides": "lanthanide",
    "Actinides": "actinide",
}


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the elements and of everything they point to."""
    items = _shared_items()
    facts: list[Fact] = []
    for row in elements():
        items.append(_element_item(row))
        for found in (
            _numbers(row),
            _classification(row),
            _scales(row),
            _oxidation_states(row),
            _phase_changes(row),
            _isotopes(row),
        ):
            facts += found
    history_items, history_facts = element_history.build()
    return items + history_items, facts + history_facts


def _fact(row: Row, prop: str, value: Value, **more: object) -> Fact:
    return Fact(element_id(row["symbol"]), prop, value, source=SOURCE, **more)  # type: ignore[arg-type]


def _element_item(row: Row) -> Item:
    name = row["name"].lower()
    aliases = [row["symbol"], f"element {row['atomic_number']}"]
    if row["symbol"] in BRITISH_NAMES:
        aliases.append(BRITISH_NAMES[row["symbol"]])
    description = f"chemical element with symbol {row['symbol']} and atomic number {row['atomic_number']}"
    return Item(
        element_id(row["symbol"]),
        name,
        description=description,
        aliases=tuple(aliases),
        classes=(CHEMICAL_ELEMENT,),
        source=SOURCE,
    )


def _shared_items() -> list[Item]:
    named = {
        PAULING: "Pauling scale of electronegativity",
        ALLEN: "Allen scale of electronegativity",
        COVALENT: "covalent radius of single bonds after Pyykkö",
        VAN_DER_WAALS: "van der Waals radius after Alvarez",
        CRUST: "Earth's crust",
        SEA: "sea water",
        GAS: "gas",
        TRANSITION: "temperature of a transition between allotropes, not of melting",
        **{_series_id(name): name for name in SERIES_NAMES.values()},
        **{_crystal_id(name): f"{name} crystal system" for name in CRYSTAL_SYSTEMS.values()},
        **{_block_id(letter): f"{letter}-block" for letter in "spdf"},
        **{
            _allotrope_id(row): f"{row['allotrope']} {row['name'].lower()}" for row in _phase_rows() if row["allotrope"]
        },
    }
    groups = []
    for row in rows("select * from groups order by group_id"):
        aliases = (row["name"].lower(), row["symbol"]) if row["name"] else (row["symbol"],)
        groups.append(Item(_group_id(row["group_id"]), f"group {row['group_id']}", aliases=aliases, source=SOURCE))
    return [Item(key, label, source=SOURCE) for key, label in named.items()] + groups


def _series_id(name: str) -> str:
    return f"mendeleev:series/{slug(name)}"


def _crystal_id(name: str) -> str:
    return f"typed:crystal-system/{name}"


def _block_id(letter: str) -> str:
    return f"mendeleev:block/{letter}"


def _group_id(number: int) -> str:
    return f"mendeleev:group/{number}"


def _allotrope_id(row: Row) -> str:
    return f"mendeleev:allotrope/{slug(row['allotrope'].replace('β', 'beta'))}-{row['name'].lower()}"


def _numbers(row: Row) -> list[Fact]:
    """The attributes that one column of mendeleev gives as they stand."""
    facts = [_fact(row, "P1086", Quantity(str(row["atomic_number"]))), _fact(row, "P246", Text(row["symbol"]))]
    facts.append(_fact(row, "P8000", Text(row["electronic_configuration"])))
    if row["cas"]:
        facts.append(_fact(row, "P231", Text(row["cas"])))
    mass = plain(row["atomic_weight"])
    facts.append(_fact(row, "P2067", Quantity(mass, DALTON, *bounds(mass, row["atomic_weight_uncertainty"]))))
    if row["symbol"] not in DENSITY_IS_A_GUESS and row["atomic_number"] < 99:
        facts.append(_fact(row, "P2054", Quantity(plain(row["density"]), GRAM_PER_CM3)))
    for prop, column, unit in (
        ("P2066", "fusion_heat", KJ_PER_MOL),
        ("P2116", "evaporation_heat", KJ_PER_MOL),
        ("P2068", "thermal_conductivity", W_PER_M_K),
    ):
        if row[column] is not None and row["symbol"] not in DOUBTFUL[column]:
            facts.append(_fact(row, prop, Quantity(plain(row[column]), unit)))
    if row["specific_heat_capacity"] is not None:  # J/(g K) in mendeleev
        facts.append(_fact(row, "P2056", Quantity(scaled(row["specific_heat_capacity"], 1000), J_PER_KG_K)))
    if row["heat_of_formation"] is not None:
        gas = (("P515", Ref(GAS)),)
        facts.append(_fact(row, "P3078", Quantity(plain(row["heat_of_formation"]), KJ_PER_MOL), qualifiers=gas))
    return facts


def _scales(row: Row) -> list[Fact]:
    """Several measures of one thing: the usual one is preferred, the others say how they were got."""
    facts = []
    if row["en_pauling"] is not None:
        pauling = (("P1013", Ref(PAULING)),)
        facts.append(_fact(row, "P1108", Quantity(plain(row["en_pauling"])), rank="preferred", qualifiers=pauling))
        if row["en_allen"] is not None:
            allen = (("P1013", Ref(ALLEN)),)
            facts.append(_fact(row, "P1108", Quantity(plain(row["en_allen"]), ELECTRONVOLT), qualifiers=allen))
    covalent = Quantity(plain(row["covalent_radius_pyykko"]), PICOMETRE)
    facts.append(_fact(row, "P2120", covalent, rank="preferred", qualifiers=(("P1013", Ref(COVALENT)),)))
    if row["vdw_radius_alvarez"] is not None:
        waals = Quantity(plain(row["vdw_radius_alvarez"]), PICOMETRE)
        facts.append(_fact(row, "P2120", waals, qualifiers=(("P1013", Ref(VAN_DER_WAALS)),)))
    if row["abundance_crust"] is not None:
        crust = Quantity(plain(row["abundance_crust"]), MG_PER_KG)
        facts.append(_fact(row, "P6274", crust, rank="preferred", qualifiers=(("P518", Ref(CRUST)),)))
        if row["abundance_sea"] is not None:
            sea = Quantity(plain(row["abundance_sea"]), MG_PER_L)
            facts.append(_fact(row, "P6274", sea, qualifiers=(("P518", Ref(SEA)),)))
    return facts + _ionisation(row)


def _ionisation(row: Row) -> list[Fact]:
    """The first three ionisation energies, measured (computed for hydrogen); the first is the one people mean."""
    facts = []
    for step in rows(
        "select * from ionizationenergies where ion_charge < 3 and is_semi_empirical = 0"
        " and (is_theoretical = 0 or atomic_number = 1) and ionization_energy is not null"
        " order by atomic_number, ion_charge"
    ):
        if step["atomic_number"] == row["atomic_number"]:
            amount = plain(step["ionization_energy"], 14)
            value = Quantity(amount, ELECTRONVOLT, *bounds(amount, step["uncertainty"]))
            ordinal = (("P1545", Text(str(step["ion_charge"] + 1))),)
            rank = "preferred" if step["ion_charge"] == 0 else "normal"
            facts.append(_fact(row, "P2260", value, rank=rank, qualifiers=ordinal))
    return facts if any(fact.rank == "preferred" for fact in facts) else []


def _classification(row: Row) -> list[Fact]:
    facts = [_fact(row, "P1552", Ref(_block_id(row["block"])))]
    series = rows("select * from series")
    name = next(entry["name"] for entry in series if entry["id"] == row["series_id"])
    facts.append(_fact(row, "P279", Ref(_series_id(SERIES_NAMES[name]))))
    if row["group_id"] is not None:
        facts.append(_fact(row, "P361", Ref(_group_id(row["group_id"]))))
    if row["lattice_structure"] and row["symbol"] not in NO_CRYSTAL_SYSTEM:
        system = (
            "trigonal"
            if row["symbol"] in TRIGONAL_ON_A_HEXAGONAL_LATTICE
            else CRYSTAL_SYSTEMS[row["lattice_structure"]]
        )
        facts.append(_fact(row, "P556", Ref(_crystal_id(system))))
    return facts


def _oxidation_states(row: Row) -> list[Fact]:
    states = rows("select * from oxidationstates where category = 'main' order by atomic_number, oxidation_state")
    own = [state["oxidation_state"] for state in states if state["atomic_number"] == row["atomic_number"]]
    return [_fact(row, "P1121", Quantity(str(state))) for state in own]


def _isotopes(row: Row) -> list[Fact]:
    """The isotopes that the element on Earth consists of; tantalum's second one is an isomer and has no entity."""
    if row["symbol"] == "Ta":
        return []
    own = [
        isotope
        for isotope in isotopes.chosen()
        if isotope["atomic_number"] == row["atomic_number"] and isotope["abundance"]
    ]
    return [_fact(row, "P527", Ref(isotopes.isotope_id(isotope, row))) for isotope in own]


def _phase_rows() -> tuple[Row, ...]:
    return rows(
        "select phasetransitions.*, name, symbol from phasetransitions join elements using (atomic_number)"
        " order by atomic_number, phasetransitions.id"
    )


# The allotrope that tables mean when they name none.
USUAL_ALLOTROPES = {"white phosphorus", "monoclinic sulfur", "gray selenium", "white tin", "graphite carbon"}


def _phase_changes(row: Row) -> list[Fact]:
    """Melting, boiling, sublimation and critical points; allotropes by qualifier."""
    facts: list[Fact] = []
    own = [phase for phase in _phase_rows() if phase["atomic_number"] == row["atomic_number"]]
    for phase in own:
        qualifiers: tuple[tuple[str, Value], ...] = ()
        if phase["allotrope"]:
            qualifiers = (("P518", Ref(_allotrope_id(phase))),)
        usual = f"{phase['allotrope']} {phase['name'].lower()}" in USUAL_ALLOTROPES
        rank = "preferred" if usual and len(own) > 1 else "normal"
        if phase["melting_point"] is not None:
            melting = Quantity(plain(phase["melting_point"], 10), KELVIN)
            if phase["is_transition"]:
                reason: tuple[tuple[str, Value], ...] = (*qualifiers, ("P2241", Ref(TRANSITION)))
                facts.append(_fact(row, "P2101", melting, rank="deprecated", qualifiers=reason))
            else:
                facts.append(_fact(row, "P2101", melting, rank=rank, qualifiers=(*qualifiers, *_pressure(phase))))
        if phase["boiling_point"] is not None:
            prop = "P2113" if phase["is_sublimation_point"] else "P2102"
            boiling = Quantity(plain(phase["boiling_point"], 10), KELVIN)
            if not any(fact.property == prop and fact.value == boiling for fact in facts):
                facts.append(_fact(row, prop, boiling, rank="normal", qualifiers=qualifiers))
    return facts


def _pressure(phase: Row) -> tuple[tuple[str, Value], ...]:
    """Arsenic melts only under pressure: where melting and triple point coincide, the pressure is said."""
    if phase["is_sublimation_point"] and phase["triple_point_pressure"] is not None:
        return (("P2077", Quantity(plain(phase["triple_point_pressure"]), KILOPASCAL)),)
    return ()
