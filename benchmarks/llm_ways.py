"""Other ways to ask a server many things, each in a process of its own; `benchmarks.llm_speed` starts them.

    python benchmarks/llm_ways.py WAY BODIES URL CONCURRENCY

WAY is a name of WAYS, BODIES a JSON file with a list of request bodies. Prints what it took as a line of JSON, or that
the package is missing. Imports nothing of Assay: the harnesses live in an environment that has none.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

Bodies = list[dict[str, Any]]
Ask = Callable[[dict[str, Any]], Awaitable[str]]


def measured(work: Callable[[], int]) -> dict[str, float]:
    """Answers, and the seconds of wall and processor time that they took.

    Let what is measured ask one thing beforehand: packages import much of themselves when they are first used.
    """
    wall, processor = time.perf_counter(), time.process_time()
    answers = work()
    return {"answers": answers, "wall": time.perf_counter() - wall, "processor": time.process_time() - processor}


def loop(work: Coroutine[Any, Any, int]) -> int:
    """Run ``work`` in the fastest event loop that is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


async def ask_all(ask: Ask, bodies: Bodies, concurrency: int) -> int:
    """Ask everything, ``concurrency`` at a time; returns how many answers there are."""
    waiting: Iterator[dict[str, Any]] = iter(bodies)
    answers: list[str] = []

    async def work() -> None:
        for body in waiting:
            answers.append(await ask(body))

    await asyncio.gather(*(work() for _ in range(concurrency)))
    return sum(bool(text) for text in answers)


def raw_aiohttp(bodies: Bodies, url: str, concurrency: int) -> dict[str, float]:
    """As little as it takes: bytes out, JSON in."""
    import aiohttp

    async def run(bodies: Bodies) -> int:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=concurrency)) as session:

            async def ask(body: dict[str, Any]) -> str:
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    return str((await response.json())["choices"][0]["message"]["content"])

            return await ask_all(ask, bodies, concurrency)

    loop(run(bodies[:1]))
    return measured(lambda: loop(run(bodies)))


def _openai(bodies: Bodies, url: str, concurrency: int, transport: str) -> dict[str, float]:
    import openai

    async def run(bodies: Bodies) -> int:
        http = openai.DefaultAioHttpClient() if transport == "aiohttp" else None
        async with openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0, http_client=http) as client:

            async def ask(body: dict[str, Any]) -> str:
                answer = await client.chat.completions.create(**body)
                return answer.choices[0].message.content or ""

            return await ask_all(ask, bodies, concurrency)

    loop(run(bodies[:1]))
    return measured(lambda: loop(run(bodies)))


def openai_aiohttp(bodies: Bodies, url: str, concurrency: int) -> dict[str, float]:
    """The openai package on the transport that Assay uses; nothing is kept."""
    return _openai(bodies, url, concurrency, "aiohttp")


def openai_default(bodies: Bodies, url: str, concurrency: int) -> dict[str, float]:
    """The openai package as it comes; nothing is kept."""
    return _openai(bodies, url, concurrency, "httpx")


def lm_eval(bodies: Bodies, url: str, concurrency: int) -> dict[str, float]:
    """lm-evaluation-harness: requests as its tasks make them, without a schema, its bar and cache off."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.api_models import JsonChatStr
    from lm_eval.models.openai_completions import LocalChatCompletion

    def run(bodies: Bodies) -> int:
        model = LocalChatCompletion(
            base_url=f"{url}/chat/completions", model=bodies[0]["model"], num_concurrent=concurrency, max_retries=1
        )
        how = {"max_gen_toks": 512, "temperature": 0, "until": []}
        requests = [
            Instance("generate_until", {}, (JsonChatStr(json.dumps(body["messages"])), how), index)
            for index, body in enumerate(bodies)
        ]
        return sum(bool(text) for text in model.generate_until(requests, disable_tqdm=True))

    run(bodies[:1])
    return measured(lambda: run(bodies))


def inspect_ai(bodies: Bodies, url: str, concurrency: int) -> dict[str, float]:
    """inspect_ai: a task that only generates, without a scorer, its log written as it is by default."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser
    from inspect_ai.solver import generate

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    os.environ.update({"LOOPBACK_API_KEY": "none", "LOOPBACK_BASE_URL": url})

    def run(bodies: Bodies) -> int:
        samples = [
            Sample(input=[kinds[message["role"]](content=message["content"]) for message in body["messages"]])
            for body in bodies
        ]
        with tempfile.TemporaryDirectory() as folder:
            (log,) = eval(
                Task(dataset=MemoryDataset(samples), solver=generate()),
                model=f"openai-api/loopback/{bodies[0]['model']}",
                max_connections=concurrency, display="none", log_dir=folder, temperature=0.0, max_tokens=512,
            )  # fmt: skip
            return sum(bool(sample.output.completion) for sample in log.samples or ())

    run(bodies[:1])
    return measured(lambda: run(bodies))


# Way -> the package it needs, and what measures it.
WAYS: dict[str, tuple[str, Callable[[Bodies, str, int], dict[str, float]]]] = {
    "raw-aiohttp": ("aiohttp", raw_aiohttp),
    "openai-aiohttp": ("openai", openai_aiohttp),
    "openai-default": ("openai", openai_default),
    "lm-eval": ("lm_eval", lm_eval),
    "inspect-ai": ("inspect_ai", inspect_ai),
}


def main(way: str, bodies: str, url: str, concurrency: str) -> None:
    """Measure one way, and print what it took."""
    package, work = WAYS[way]
    if importlib.util.find_spec(package) is None:
        print(json.dumps({"missing": f"there is no package {package} in {sys.prefix}"}))
        return
    print(json.dumps(work(json.loads(Path(bodies).read_text()), url, int(concurrency))))


if __name__ == "__main__":
    # This folder is no place to import from: a package that has a file's name would be hidden by it.
    sys.path = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).resolve().parent]
    main(*sys.argv[1:])
