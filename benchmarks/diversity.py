"""Speed and memory of the diversity filter, beside the bare product of its matrices and two other ways.

    python -m benchmarks.diversity [--rows 10000 100000] [--densities 0.001 0.01 0.5] [--rounds 1]

Vectors of 384 dimensions lie around centres, so far off that about half of the pairs around a centre are near
duplicates at a cosine dissimilarity of 0.3; the number of centres makes the density, the share of all pairs that are
edges. "Bare product" multiplies the same blocks of the upper triangle in float32 and looks at no result. Every run is a
process of its own, so that its peak memory is its own, vectors included; the contenders take turns, and the best of
several rounds counts.

sentence-transformers' paraphrase_mining_embeddings finds the 500,000 nearest pairs at most, 100 for each row, and
selects nothing; SemHash asks an approximate index and selects by a rule of its own. Both are asked up to --others rows.
SemHash runs in the environment that SEMHASH_PYTHON names; what is not installed is left out with a line that says so.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SEMHASH = os.environ.get("SEMHASH_PYTHON") or sys.executable
THRESHOLD = 0.3
DIMENSIONS = 384
OTHERS = ("paraphrase_mining", "semhash")
NAMES = {
    "assay": "Assay: graph and selection",
    "bare": "bare product of the same blocks",
    "paraphrase_mining": "paraphrase_mining_embeddings",
    "semhash": "SemHash, from embeddings",
}


def vectors_of(rows: int, density: float, seed: int = 0) -> np.ndarray:
    """Rows of length 1, about ``density`` of whose pairs are edges."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(1, round(0.5 / density)), DIMENSIONS)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    made = rng.standard_normal((rows, DIMENSIONS), dtype=np.float32) / np.float32(np.sqrt(DIMENSIONS))
    made *= rng.uniform(0.3, 1.0, size=(rows, 1)).astype(np.float32)
    made += centres[rng.integers(len(centres), size=rows)]
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def assay(vectors: np.ndarray) -> dict[str, Any]:
    """The filter as the project runs it."""
    from scipy import sparse

    from dagster_defs.steps.diversity.graph import near_duplicates
    from dagster_defs.steps.diversity.select import select

    assert sparse
    began = time.perf_counter()
    edges = near_duplicates(vectors, THRESHOLD)
    graphed = time.perf_counter()
    found = select(edges, [f"{row:08}" for row in range(len(vectors))])
    done = time.perf_counter()
    kind = type(edges).__name__.lower()
    return {
        "graph": graphed - began,
        "select": done - graphed,
        "pairs": len(edges),
        "kept": sum(found.is_diverse),
        "kind": kind,
    }


def bare(vectors: np.ndarray) -> dict[str, Any]:
    """Only the products."""
    from dagster_defs.steps.diversity.graph import BLOCK

    out = np.empty(BLOCK * BLOCK, dtype=np.float32)
    for i in range(0, len(vectors), BLOCK):
        rows = vectors[i : i + BLOCK]
        for j in range(i, len(vectors), BLOCK):
            columns = vectors[j : j + BLOCK]
            np.matmul(rows, columns.T, out=out[: len(rows) * len(columns)].reshape(len(rows), len(columns)))
    return {}


def paraphrase_mining(vectors: np.ndarray) -> dict[str, Any]:
    """sentence-transformers' own; pairs nearer than the threshold are counted."""
    import torch
    from sentence_transformers.util import paraphrase_mining_embeddings

    found = paraphrase_mining_embeddings(torch.from_numpy(vectors))
    return {"pairs": sum(score > 1 - THRESHOLD for score, *_ in found)}


def semhash(vectors: np.ndarray) -> dict[str, Any]:
    """SemHash with its default index. Its model is never asked, since vectors are given."""
    from semhash import SemHash

    texts = [f"{row:08}" for row in range(len(vectors))]
    found = SemHash.from_embeddings(vectors, texts, model=None).self_deduplicate(threshold=1 - THRESHOLD)
    kept = np.array(sorted(int(text) for text in found.selected))
    left = vectors[kept].astype(np.float64) @ vectors[kept].T.astype(np.float64)
    return {"kept": len(kept), "left": int((np.triu(left, 1) > 1 - THRESHOLD).sum())}


WAYS: dict[str, Callable[[np.ndarray], dict[str, Any]]] = {
    "assay": assay,
    "bare": bare,
    "paraphrase_mining": paraphrase_mining,
    "semhash": semhash,
}


def measure(way: str, path: Path) -> dict[str, Any]:
    """Run one way over the vectors in ``path``: seconds of wall and processor time, peak MB, and what it found."""
    vectors = np.load(path)
    WAYS[way](vectors[:300])
    wall, processor = time.perf_counter(), time.process_time()
    found = WAYS[way](vectors)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"wall": wall, "processor": processor, "peak": peak, **found}


def started(way: str, path: Path) -> dict[str, Any]:
    """`measure` in a process of its own; {"missing": why} where a package is not installed."""
    python = SEMHASH if way == "semhash" else sys.executable
    command = [python, "-m", "benchmarks.diversity", "--measure", way, "--vectors", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1]
        if "ModuleNotFoundError" in last or "ImportError" in last:
            return {"missing": last}
        raise SystemExit(f"{NAMES[way]} failed on {path.name}: {last}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def row_of(rows: int, density: float, way: str, took: dict[str, Any], base: float) -> str:
    """One line of the table."""
    pairs = f"{took['pairs']:,}" if "pairs" in took else ""
    kept = f"{took['kept']:,}" if "kept" in took else ""
    split = f"{took['graph']:.1f} + {took['select']:.1f}, {took['kind']}" if "graph" in took else ""
    if "left" in took:
        split = f"{took['left']:,} pairs left"
    cells = [
        f"{rows:,}",
        f"{density:.1%}",
        NAMES[way],
        f"{took['wall']:.1f}",
        f"{took['wall'] / base:.2f}",
        f"{took['processor']:.1f}",
    ]
    return "| " + " | ".join([*cells, f"{took['peak']:,.0f}", pairs, kept, split]) + " |"


def compare(wanted: argparse.Namespace) -> None:
    """Measure everything and print it."""
    lines = []
    with tempfile.TemporaryDirectory(dir=wanted.work) as folder:
        for rows in wanted.rows:
            for density in wanted.densities:
                path = Path(folder) / f"{rows}_{density}.npy"
                np.save(path, vectors_of(rows, density))
                best: dict[str, dict[str, Any]] = {}
                for _ in range(wanted.rounds):
                    for way in ("bare", "assay", *(OTHERS if rows <= wanted.others else ())):
                        took = started(way, path)
                        if "missing" in took:
                            print(f"{NAMES[way]}: not measured, {took['missing']}.", file=sys.stderr)
                        elif way not in best or took["wall"] < best[way]["wall"]:
                            best[way] = took
                for way, took in best.items():
                    lines.append(row_of(rows, density, way, took, best["bare"]["wall"]))
                    print(lines[-1], file=sys.stderr, flush=True)
                path.unlink()
    print("| rows | density | what | s | times the bare product | processor s | peak MB | pairs | kept | of which |")
    print("| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    print("\n".join(lines))


def main() -> None:
    """Measure, or be one of the processes that this starts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--densities", type=float, nargs="+", default=[0.001, 0.01, 0.5])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--others", type=int, default=10_000, help="up to how many rows the other ways are asked")
    parser.add_argument("--work", type=Path, default=None, help="where vectors are written; a folder on a real disk")
    for name, kind in (("measure", str), ("vectors", Path)):
        parser.add_argument(f"--{name}", type=kind, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.measure is not None:
        print(json.dumps(measure(wanted.measure, wanted.vectors)))
    else:
        compare(wanted)


if __name__ == "__main__":
    main()
