"""Speed of the LLM layer, beside other ways to ask the same server the same things.

    python -m benchmarks.llm_speed [--questions 5000] [--concurrency 32] [--rounds 3] [--database data/assay.duckdb]

A server on loopback, in a process of its own, answers every chat completion at once, so that what is measured is what a
client costs. Every contender is a process of its own; they take turns, and the best of several rounds counts. All send
the prompts of real questions of the published database. The harnesses run in the environment that HARNESS_PYTHON
names (default: .venv/harness/bin/python); what is not installed is left out with a line that says so.

"Assay, asking" is `Caller.ask_all` with an empty journal on the disk; "a whole run" is `solve.execute` on top of it:
reading the questions, filling the prompts, the estimate, the verdicts, a judge where matching cannot decide, and the
landed Parquet files. Both are then repeated on the same journal. A rate is calls a second of wall time, imports left
out; the columns to compare between machines are the ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.llm_ways import WAYS, measured

if TYPE_CHECKING:
    from dagster_defs.llm.caller import Caller
    from dagster_defs.llm.models import ModelSpec
    from dagster_defs.steps.solve.plan import Run

ROOT = Path(__file__).resolve().parents[1]
HARNESS = Path(os.environ.get("HARNESS_PYTHON") or ROOT / ".venv/harness/bin/python")
BASE = "openai-aiohttp"
SLOWEST = "inspect-ai"
NAMES = {
    "ask": "Assay, asking: journal on",
    "execute": "Assay, a whole run: questions to landed rows",
    "openai-aiohttp": "bare loop over openai, same transport, no journal",
    "openai-default": "bare loop over openai, its default transport, no journal",
    "raw-aiohttp": "raw aiohttp, no journal",
    "lm-eval": "lm-evaluation-harness, local-chat-completions",
    "inspect-ai": "inspect_ai (one round)",
}
# What a process that solves needs before it can send a call; the last line is the first call's answer.
FIRST_CALL = "from benchmarks.llm_speed import first_call; first_call({url!r}, {database!r}, {folder!r})"
DEFINITIONS = "import dagster_defs.definitions"


def serve(port: int) -> None:
    """Answer chat completions at once, in the form that was asked for, and count them at /calls."""
    from aiohttp import web

    said = {
        b'"method"': {"columns": ["a", "b"], "method": "Pearson correlation", "answer": "yes"},
        b'"same"': {"same": True},
        b"": {"answer": "1", "unit": None},
    }
    answers = {form: json.dumps(_completion(json.dumps(value))).encode() for form, value in said.items()}
    count = 0

    async def chat(request: web.Request) -> web.Response:
        nonlocal count
        count += 1
        body = await request.read()
        # Names of a schema: within a prompt their quotes would be escaped.
        form = next(form for form in answers if form in body)
        return web.Response(body=answers[form], content_type="application/json")

    async def calls(_: web.Request) -> web.Response:
        return web.Response(text=str(count))

    app = web.Application()
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/calls", calls)])
    loop = None
    with contextlib.suppress(ImportError):
        import uvloop

        loop = uvloop.new_event_loop()
    web.run_app(app, host="127.0.0.1", port=port, access_log=None, print=lambda *_: None, loop=loop)


def _completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 200, "completion_tokens": 12, "total_tokens": 212}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "loopback"}
    return {**head, "choices": [choice], "usage": usage}


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The server's address, http://host:port, while it runs."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = subprocess.Popen([sys.executable, "-m", "benchmarks.llm_speed", "--serve", str(port)], cwd=ROOT)
    try:
        url = f"http://127.0.0.1:{port}"
        while True:
            try:
                sent(url)
                break
            except OSError:
                if running.poll() is not None:
                    raise
                time.sleep(0.05)
        yield url
    finally:
        running.terminate()
        running.wait()


def sent(url: str) -> int:
    """How many chat completions the server has answered."""
    with urllib.request.urlopen(f"{url}/calls") as response:
        return int(response.read())


def spec_of(url: str) -> ModelSpec:
    """The model that the server plays, with a price, so that dollars are counted."""
    import datetime

    from dagster_defs.llm.models import ModelSpec, Price

    price = Price(input=0.1, output=0.4, as_of=datetime.date(2026, 11, 30))
    return ModelSpec("loopback", "loopback", f"{url}/v1", 128_000, 4096, price=price)


def run_of(spec: ModelSpec, calls: int) -> Run:
    """A closed-book run of ``calls`` calls at most: two samples of each question, no working tables."""
    from dagster_defs.steps.solve.contexts import Setting
    from dagster_defs.steps.solve.plan import Run
    from dagster_defs.steps.solve.questions import QuestionSet

    samples = 2 if calls > 1 else 1
    wanted = QuestionSet(split="all", n=calls // samples)
    return Run(spec, Setting.CLOSED_BOOK, wanted, samples, ea_max_entities=0)


def caller_of(spec: ModelSpec, folder: Path, concurrency: int) -> Caller:
    """A caller as a run has it, with its journal in ``folder``."""
    from dagster_defs.llm.caller import Caller
    from dagster_defs.llm.models import Registry, Role

    registry = Registry({spec.name: spec}, dict.fromkeys(Role, spec.name))
    return Caller(registry, folder / "journal.sqlite", concurrency=concurrency, log=lambda line: None)


def counted(url: str, work: Callable[[], int]) -> dict[str, float]:
    """`measured`, and how many calls came to the server meanwhile."""
    before = sent(url)
    return {**measured(work), "sent": sent(url) - before}


def asking(url: str, database: Path, folder: Path, calls: int, concurrency: int) -> dict[str, float]:
    """`Caller.ask_all` alone."""
    from dagster_defs.steps.solve import plan
    from dagster_defs.steps.solve.questions import Warehouse

    spec = spec_of(url)
    warm_up(spec, concurrency)
    with Warehouse(database) as warehouse:
        asked = plan.calls(plan.plan(run_of(spec, calls), warehouse))

    def work() -> int:
        with caller_of(spec, folder, concurrency) as caller:
            return sum(reply.outcome == "answered" for reply in caller.ask_all(asked))

    return counted(url, work)


def executing(url: str, database: Path, folder: Path, calls: int, concurrency: int) -> dict[str, float]:
    """The whole run, as the asset does it."""
    from dagster_defs.steps.solve.execute import execute

    spec = spec_of(url)

    def work(folder: Path, calls: int) -> int:
        with caller_of(spec, folder, concurrency) as caller:
            report = execute(run_of(spec, calls), database, folder / "landing", caller, spec)
            return report.outcomes["answered"]

    if calls == 1:
        return counted(url, lambda: work(folder, 1))
    with tempfile.TemporaryDirectory() as other:
        work(Path(other), 1)
    return counted(url, lambda: work(folder, calls))


def warm_up(spec: ModelSpec, concurrency: int) -> None:
    """Ask one thing with a journal of its own."""
    with tempfile.TemporaryDirectory() as folder, caller_of(spec, Path(folder), concurrency) as caller:
        caller.ask_all([spec.call([{"role": "user", "content": "Are you there?"}])])


def first_call(url: str, database: str, folder: str) -> None:
    """One question through the whole of it, in a process that has imported nothing yet."""
    assert executing(url, Path(database), Path(folder), 1, 32)["answers"] == 1


def bodies_of(database: Path, calls: int) -> list[dict[str, Any]]:
    """The requests that a run sends, for those who send them without Assay. Raises SystemExit where there are fewer."""
    from dagster_defs.llm.structured import is_strict
    from dagster_defs.steps.solve.plan import plan
    from dagster_defs.steps.solve.questions import Warehouse

    with Warehouse(database) as warehouse:
        asked = [ask.call for ask in plan(run_of(spec_of("http://127.0.0.1"), calls), warehouse)]
    if len({call.key for call in asked}) < calls:
        raise SystemExit(f"{database} has questions for {len(asked):,} calls only: ask for fewer with --questions.")
    return [
        {
            "model": call.model_id,
            "messages": [dict(message) for message in call.messages],
            **call.parameters,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": is_strict(call.schema or {}), "schema": call.schema},
            },
        }
        for call in asked
    ]


def started(command: list[str], **environment: str) -> dict[str, Any]:
    """What a process of our own prints last, as JSON."""
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:4])} failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def ours(kind: str, url: str, folder: Path, wanted: argparse.Namespace) -> dict[str, Any]:
    """`asking` or `executing` in a process of its own."""
    return started([
        sys.executable, "-m", "benchmarks.llm_speed", "--measure", kind, "--url", url, "--folder", str(folder),
        "--questions", str(wanted.questions), "--concurrency", str(wanted.concurrency),
        "--database", str(wanted.database),
    ])  # fmt: skip


def theirs(way: str, url: str, bodies: Path, wanted: argparse.Namespace) -> dict[str, Any]:
    """One of WAYS in a process of its own."""
    python = HARNESS if way in ("lm-eval", "inspect-ai") else Path(sys.executable)
    if not python.exists():
        return {"missing": f"there is no {python}: `make test` installs the harnesses, or set HARNESS_PYTHON"}
    script = str(ROOT / "benchmarks" / "llm_ways.py")
    offline = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OPENAI_API_KEY": "none", "PYTHONPATH": ""}
    return started([str(python), script, way, str(bodies), f"{url}/v1", str(wanted.concurrency)], **offline)


def one_round(
    url: str, bodies: Path, wanted: argparse.Namespace, ways: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every contender once; ours again at once on its own journal, which sends nothing."""
    for kind in ("ask", "execute"):
        with tempfile.TemporaryDirectory(dir=wanted.work) as folder:
            first, again = (ours(kind, url, Path(folder), wanted) for _ in range(2))
            assert first["sent"] >= wanted.questions, f"{kind}: only {first['sent']} calls were sent"
            assert again["sent"] == 0, f"{kind}: {again['sent']} recorded calls were sent again"
            yield kind, first
            yield f"{kind}, again", again
    for way in ways:
        yield way, theirs(way, url, bodies, wanted)


def starts(url: str, wanted: argparse.Namespace) -> Iterator[tuple[str, float]]:
    """Seconds from nothing to a first answer, and to loaded definitions, with and without a manifest."""
    with tempfile.TemporaryDirectory(dir=wanted.work) as folder:
        script = FIRST_CALL.format(url=url, database=str(wanted.database), folder=folder)
        yield "from python to the first answer landed", _seconds(script, folder)
        yield "loading dagster_defs.definitions, no manifest yet", _seconds(DEFINITIONS, folder)
        yield "loading dagster_defs.definitions, manifest current", _seconds(DEFINITIONS, folder)


def _seconds(script: str, data: str) -> float:
    environment = {**os.environ, "ASSAY_DATA_DIR": data}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


def report(best: dict[str, dict[str, Any]], began: dict[str, float], wanted: argparse.Namespace) -> str:
    """The two tables."""
    n = wanted.questions
    base = best[BASE]["wall"]
    rows = [
        f"{n:,} calls, {wanted.concurrency} at a time, best of {wanted.rounds} rounds:",
        "",
        "| what | calls/s | times the bare loop | ms of processor time a call |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, title in NAMES.items():
        took = best.get(name)
        if took is not None:
            ratio, processor = base / took["wall"], took["processor"] / n * 1000
            rows.append(f"| {title} | {n / took['wall']:,.0f} | {ratio:.2f} | {processor:.2f} |")
    rows += ["", "| what | took |", "| --- | ---: |"]
    for kind, title in (("ask", "asking again, all from the journal"), ("execute", "a whole run again")):
        rows.append(f"| {title} | {best[f'{kind}, again']['wall'] / n * 1000:.3f} ms a question |")
    rows += [f"| {title} | {seconds:.1f} s |" for title, seconds in began.items()]
    return "\n".join(rows)


def compare(wanted: argparse.Namespace) -> None:
    """Measure everything and print it."""
    best: dict[str, dict[str, Any]] = {}
    began: dict[str, float] = {}
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory(dir=wanted.work) as folder, server() as url:
        bodies = Path(folder) / "bodies.json"
        bodies.write_text(json.dumps(bodies_of(wanted.database, wanted.questions)))
        for number in range(wanted.rounds):
            # The slowest takes minutes, and is told apart from the others by any round of it.
            ways = [way for way in WAYS if number == 0 or way != SLOWEST]
            for name, took in one_round(url, bodies, wanted, ways):
                if "missing" in took:
                    missing[name] = took["missing"]
                    continue
                assert took["answers"] == wanted.questions, f"{name} got {took['answers']} answers"
                print(f"round {number + 1}: {name}: {took['wall']:.2f} s", file=sys.stderr, flush=True)
                if name not in best or took["wall"] < best[name]["wall"]:
                    best[name] = took
            for name, seconds in starts(url, wanted):
                began[name] = min(seconds, began.get(name, seconds))
    for name, why in missing.items():
        print(f"{NAMES[name]}: not measured, {why}.")
    print(report(best, began, wanted))


def main() -> None:
    """Measure, or be one of the processes that this starts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=5000, help="calls, two samples a question")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", type=Path, default=ROOT / "data" / "assay.duckdb")
    parser.add_argument("--work", type=Path, default=None, help="where journals are written; a folder on a real disk")
    for name, kind in (("serve", int), ("measure", str), ("url", str), ("folder", Path)):
        parser.add_argument(f"--{name}", type=kind, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve is not None:
        serve(wanted.serve)
    elif wanted.measure is not None:
        work = {"ask": asking, "execute": executing}[wanted.measure]
        print(json.dumps(work(wanted.url, wanted.database, wanted.folder, wanted.questions, wanted.concurrency)))
    else:
        compare(wanted)


if __name__ == "__main__":
    main()
