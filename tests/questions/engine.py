"""The questions' models without dbt: their Jinja rendered as it stands, and run in DuckDB over a test's own tables.

dbt takes half a minute to build them; this takes a second, so that a test can do it for many random worlds.
"""

from __future__ import annotations

import functools
import graphlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import yaml

ROOT = Path(__file__).resolve().parents[2]
_SEEDS = {
    name: "questions" if name in ("critical_values", "method_names") else "seeds"
    for name in ("critical_values", "method_names", "names_with_article", "question_templates", "wordings")
}
_ROOMS = ("multi_entity", "questions")
# The topics of the tests' worlds, which stand in no dbt_project.yml.
_TOPICS = ["places", "farms", "mines"]
# The other family, and articles, give these worlds nothing.
_NOTHING_ELSE = """
create table if not exists given.research_judged as
select
    null::varchar as question_id, null::varchar as domain, null::varchar as reasoning, null::varchar as topic,
    null::varchar as template_id, null::varchar as wording_id, null::varchar as question, null::varchar[] as attributes,
    null::json as slots, null::json as clues, null::integer as n_chains, null::integer as n_clues,
    null::varchar as a_id, null::varchar as b_id, null::integer as n_entities, null::integer as n_properties,
    null::integer as n_left, null::varchar as gold_sql, null::varchar as evidence_sql, null::double as answer,
    null::boolean as is_exact, null::varchar as unit, null::double as tolerance, null::double as spread,
    null::varchar as reason, null::varchar as detail
where false;
create table if not exists given.research_traces as
select
    null::varchar as question_id, null::varchar as domain, null::varchar as topic, null::json as clues,
    null::json as entities, null::json as properties, null::json as computation, null::json as answer
where false;
create table if not exists given.filled_attributes as
select null::varchar as topic, null::varchar as entity_id, null::varchar as attribute, null::varchar as statement_id
where false
"""


class _Jinja:
    """The project's macros, compiled once, with what dbt would put at their disposal."""

    def __init__(self) -> None:
        self.ref: Callable[[str], str] = str
        self.environment = jinja2.Environment(extensions=["jinja2.ext.do"], undefined=jinja2.StrictUndefined)
        settings = yaml.safe_load((ROOT / "dbt_project.yml").read_text())["vars"] | {"topics": _TOPICS}
        self.environment.globals.update(
            adapter=self,
            ref=lambda name: self.ref(name),
            var=settings.__getitem__,
            # dbt's return() only matters where a macro gives something else than text
            **{"return": lambda value: value},
        )
        folders = ("engine", "multi_entity", "scores", "variants")
        files = [file for folder in folders for file in sorted((ROOT / "macros" / folder).glob("*.sql"))]
        self.macros = self.environment.from_string("\n".join(file.read_text() for file in files)).make_module()
        named = vars(self.macros).items()
        self.environment.globals.update({name: it for name, it in named if isinstance(it, jinja2.runtime.Macro)})

    def dispatch(self, name: str, package: str) -> Callable[..., Any]:
        """DuckDB's way of a macro, as an adapter's dispatch gives it."""
        found: Callable[..., Any] = getattr(self.macros, f"duckdb__{name}")
        return found


_jinja = functools.cache(_Jinja)


def rendered(text: str, ref: Callable[[str], str] = str) -> str:
    """`text` with the project's macros at hand; `ref` names the relation of a model or seed."""
    jinja = _jinja()
    jinja.ref = ref
    return jinja.environment.from_string(text).render()


@functools.cache
def models() -> dict[str, tuple[str, str]]:
    """(relation, SQL) of each model of multi_entity and questions by name, in an order in which they can be built."""
    relations = {name: f"{schema}.{name}" for name, schema in _SEEDS.items()}
    texts = {}
    for room in _ROOMS:
        for file in (ROOT / "models" / room).glob("*.sql"):
            relations[file.stem] = f"{room}.{file.stem}"
            texts[file.stem] = file.read_text()
    needs: dict[str, set[str]] = {}
    built = {}
    for name, text in texts.items():
        seen: set[str] = set()

        def ref(other: str, seen: set[str] = seen) -> str:
            seen.add(other)
            return relations.get(other, f"given.{other}")

        built[name] = (relations[name], rendered(text, ref))
        needs[name] = seen & texts.keys()
    return {name: built[name] for name in graphlib.TopologicalSorter(needs).static_order()}


def load_seeds(con: duckdb.DuckDBPyConnection) -> None:
    """Create the seeds' tables with the types that their yml files give."""
    for name, schema in _SEEDS.items():
        (described,) = yaml.safe_load((ROOT / f"seeds/{name}.yml").read_text())["seeds"]
        types = described["config"]["column_types"]
        con.execute(f"create schema if not exists {schema}")
        con.execute(
            f"create table {schema}.{name} as select * from read_csv(?, header = true, columns = {types!r})",
            [str(ROOT / f"seeds/{name}.csv")],
        )


def build(con: duckdb.DuckDBPyConnection) -> None:
    """Build every model over the schema `given`, where the tables of the other rooms stand."""
    for room in _ROOMS:
        con.execute(f"create schema if not exists {room}")
    con.execute(_NOTHING_ELSE)
    for relation, sql in models().values():
        con.execute(f"create table {relation} as {sql}")
