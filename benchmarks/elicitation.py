"""Loading, deduplicating, matching and scoring of elicited triples, and how it grows.

    python -m benchmarks.elicitation DATA [--triples 100000 300000 1000000] [--memory 4GB]

DATA is a data folder in which `make demo` has built. Models are asked about the same entities of the set 'random', 50
triples each: a third are reference triples word for word, a tenth repeat one of the answer, the rest is made up. Of
each model 500 elicited and 500 reference triples have a verdict. What is timed is the build of the room with its data
tests by dbt, in a process of its own, whose peak memory is DuckDB's and dbt's together.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from dagster_defs.steps.elicitation_rows import SCHEMAS, land_rows, prepare

ROOT = Path(__file__).resolve().parents[1]
EACH, SAMPLE = 50, 500
ROOM = ["path:models/staging/elicitation", "path:models/elicitation"]
NOW = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)


def land(data: Path, landing: Path, triples: int) -> int:
    """Land so many triples below ``landing``; returns how many models they are of."""
    with duckdb.connect(str(data / "assay.duckdb"), read_only=True) as connection:
        entities = [one for (one,) in connection.execute(
            "select entity_id from elicitation.entities where set_name = 'random' order by ordinal"
        ).fetchall()]  # fmt: skip
        facts = connection.execute(
            "select entity_id, list([predicate, object]), list(triple_id) from elicitation.reference_triples"
            " group by entity_id"
        ).fetchall()
    known = {entity: (words, ids) for entity, words, ids in facts}
    left, model = triples, 0
    while left > 0:
        asked = entities[: min(len(entities), -(-left // EACH))]
        land_model(landing, f"model{model:02d}", asked, known)
        left -= len(asked) * EACH
        model += 1
    return model


def land_model(
    landing: Path, model: str, entities: list[str], known: dict[str, tuple[list[list[str]], list[str]]]
) -> None:
    """Land one model's triples, outcomes and verdicts."""
    rng = np.random.default_rng(int(model[-2:]))
    name = f"{model}--random--direct--benchmark"
    columns: dict[str, list[object]] = {column: [] for column in ("entity_id", "ordinal", "predicate", "object")}
    for entity in entities:
        words, _ = known[entity]
        for place in range(EACH):
            kind = rng.random()
            if kind < 0.1 and place:
                predicate, value = columns["predicate"][-1], columns["object"][-1]
            elif kind < 0.4:
                predicate, value = words[rng.integers(len(words))]
            else:
                predicate, value = f"relatedTo{rng.integers(200)}", f"thing {rng.integers(10**6)} of {model}"
            for column, cell in zip(columns, (entity, place, predicate, value), strict=True):
                columns[column].append(cell)
    size = len(entities) * EACH
    constant = {"experiment_id": [name] * size, "subject": columns["entity_id"], "request_hash": [None] * size}
    land_rows(landing, "triples", name, pa.table({**columns, **constant}))
    asked = [
        {"experiment_id": name, "entity_id": one, "title": one, "outcome": "answered", "truncated": False,
         "n_triples": EACH, "n_calls": 1, "request_hashes": "[]"}
        for one in entities
    ]  # fmt: skip
    _land(landing, "elicitations", name, asked)
    experiment = {
        "experiment_id": name, "model": model, "model_id": model, "setting": "random", "prompt": "direct",
        "set_name": "random", "origin": "model", "n_entities": len(entities), "started_at": NOW, "entities_sha": "b",
    }  # fmt: skip
    _land(landing, "experiments", name, [experiment])
    land_verdicts(landing, name, entities, known, rng)


def land_verdicts(
    landing: Path,
    name: str,
    entities: list[str],
    known: dict[str, tuple[list[list[str]], list[str]]],
    rng: np.random.Generator,
) -> None:
    """Land verdicts on some of an experiment's triples, and of its entities' reference."""
    evaluation = {
        "evaluation_id": name, "experiment_id": name, "judge": "judge", "judge_id": "judge", "sample_size": SAMPLE,
        "seed": 42, "evaluated_at": NOW,
    }  # fmt: skip
    with duckdb.connect() as connection:
        drawn = connection.execute(
            f"select entity_id, ordinal from '{landing}/triples/{name}.parquet'"
            f" using sample reservoir({SAMPLE} rows) repeatable (1)"
        ).fetchall()
    verdicts = ["entailment", "contradiction", "neutral"]
    rows = [("precision", _triple_id(name, entity, place), entity) for entity, place in drawn]
    pool = [(entity, one) for entity in entities for one in known[entity][1]]
    for place in rng.choice(len(pool), min(SAMPLE, len(pool)), replace=False):
        rows.append(("recall", pool[place][1], pool[place][0]))
    _land(landing, "verdicts", name, [
        {"evaluation_id": name, "experiment_id": name, "direction": direction, "triple_id": triple,
         "entity_id": entity, "verdict": verdicts[rng.integers(3)], "method": "judge", "passages": "[]"}
        for direction, triple, entity in rows
    ])  # fmt: skip
    _land(landing, "evaluations", name, [evaluation])


def _triple_id(name: str, entity: str, place: int) -> str:
    """As macros/engine/hashing.sql makes it."""
    return hashlib.md5(chr(31).join((name, entity, str(place))).encode()).hexdigest()[:16]


def _land(landing: Path, dataset: str, name: str, rows: list[dict[str, object]]) -> None:
    schema = SCHEMAS[dataset]
    whole = [{column: row.get(column) for column in schema.names} for row in rows]
    land_rows(landing, dataset, name, pa.Table.from_pylist(whole, schema=schema))


def build(data: Path) -> None:
    """Build the room in ``data`` and print what it took, as JSON; run in a process of its own."""
    from dagster_defs.steps.dbt import DbtProject, first_failure

    project = DbtProject(ROOT, data / "build/target", data / "logs", {})
    project.parse()
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    results = project.build(ROOM)
    told = {
        "seconds": time.monotonic() - started,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "before": before / 1024,
        "failure": first_failure(results),
        "slowest": sorted(((one.seconds, one.name) for one in results), reverse=True)[:4],
    }
    print(json.dumps(told))


def main() -> None:
    """Measure each size in a copy of the built warehouse, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--triples", type=int, nargs="+", default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--memory", default="1500MB", help="DuckDB's memory limit")
    parser.add_argument("--build", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.build:
        build(words.data)
        return
    print("| triples | models | seconds | triples a second | peak MB | slowest models |")
    print("| ---: | ---: | ---: | ---: | ---: | --- |")
    for triples in words.triples:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            shutil.copytree(words.data / "build", data / "build", ignore=shutil.ignore_patterns("target", "*.lock"))
            shutil.copytree(words.data / "landing", data / "landing", ignore=shutil.ignore_patterns("elicitation"))
            prepare(data / "landing/elicitation")
            models = land(words.data, data / "landing/elicitation", triples)
            environment = {**os.environ, "ASSAY_DATA_DIR": str(data), "ASSAY_MEMORY_LIMIT": words.memory}
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.elicitation", str(data), "--build"],
                cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
            )  # fmt: skip
            told = json.loads(done.stdout.splitlines()[-1])
            if told["failure"]:
                sys.exit(told["failure"])
            slowest = ", ".join(f"{name} {seconds:.1f} s" for seconds, name in told["slowest"])
            print(
                f"| {triples:,} | {models} | {told['seconds']:.1f} | {triples / told['seconds']:,.0f} |"
                f" {told['megabytes']:,.0f} | {slowest} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
