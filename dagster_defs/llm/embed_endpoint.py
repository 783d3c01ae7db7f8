"""Vectors from a server that speaks OpenAI's embeddings."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import openai

from dagster_defs.llm.budget import BYTES_PER_TOKEN, Budget, BudgetReached, Caps, estimated_tokens
from dagster_defs.llm.caller import NotReady
from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.llm.client import UNREACHABLE, Client, Patience
from dagster_defs.llm.embedding import EmbedError, Keep, TextEmbedder, Window, pack
from dagster_defs.llm.models import ModelSpec, Secret
from dagster_defs.llm.pool import runtime
from dagster_defs.llm.vectors import Vector, mean, unit
from dagster_defs.llm.wire import Kind, Problem, decoded, read_completion, read_error, too_long

# Servers take from 32 texts (Hugging Face's) to 2,048 (OpenAI's) in one request, and OpenAI's 300,000 tokens.
_TEXTS_AT_ONCE = 32
_TOKENS_AT_ONCE = 100_000
# Shorter texts fit every model.
_LEAST_LETTERS = 16
_WORD = re.compile(r"\s*\S+\s*|\s+")
# Problems of what was sent, and not of the server.
_OF_THE_TEXTS = (Kind.FAIL, Kind.REFUSED, Kind.NO_SCHEMA)


@dataclass(frozen=True)
class _Answer:
    """Vectors in the order of the texts, and what the server says they cost."""

    vectors: list[Vector]
    tokens: int | None
    dollars: float | None


class EndpointEmbedder(TextEmbedder):
    """Asks a server's /embeddings, many texts a request; retries, waits and hides the key as chat calls do.

    Raises NotReady when the key is missing or no key, or a cap in dollars is set and the model has no price.
    """

    def __init__(
        self,
        spec: ModelSpec,
        cache: Path,
        keys: Mapping[str, Secret] | None = None,
        caps: Caps | Budget | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.budget = caps if isinstance(caps, Budget) else Budget(caps or Caps())
        self.patience = patience or Patience()
        self._secret = _checked_key(spec, keys or {}, self.budget.caps)
        super().__init__(spec, cache)

    def dimensions(self) -> int:
        """0: only an answer could tell."""
        return 0

    def count_tokens(self, text: str) -> int:
        """Tokens, estimated upward: the server's tokenizer is not at hand."""
        return estimated_tokens(text)

    def windows(self, text: str) -> list[Window]:
        """Parts that are estimated, upward, to fit the context; cut between words where there are any."""
        room = max(4, int(self.spec.context_tokens * BYTES_PER_TOKEN))
        size = len(text.encode())
        return [Window(text, size)] if size <= room else pack(list(_pieces(text, room)), room)

    def _compute(self, windows: Sequence[Window], keep: Keep) -> None:
        if windows:
            running = runtime()

            async def send() -> None:
                client = Client(self.spec, self._secret, running, running.pool(str(self.spec.base_url)), self.patience)
                await _Sending(self.budget, client, keep).send(windows)

            running.run(send())


class _Sending:
    """The requests for one block of texts. Lives in the runtime's loop."""

    def __init__(self, budget: Budget, client: Client, keep: Keep) -> None:
        self.budget = budget
        self.client = client
        self.spec = client.spec
        self.keep = keep
        self.stopped: Exception | None = None
        self._in_flight = 0
        self._tokens_in_flight = 0
        self._landed = asyncio.Event()

    async def send(self, windows: Sequence[Window]) -> None:
        """Return once the vectors of all ``windows`` are kept; what stops it is raised when nothing is in flight."""
        await asyncio.gather(*(self._send(batch) for batch in _batches(windows)))
        if self.stopped is not None:
            raise self.stopped

    async def _send(self, batch: Sequence[Window]) -> None:
        try:
            await self._vectors(batch)
        except Exception as error:
            self.stopped = self.stopped or error

    async def _vectors(self, batch: Sequence[Window]) -> list[Vector]:
        """The vectors of ``batch``, kept. A batch that is not taken is asked in halves, as is a text that is too long:
        tokens were estimated, and the server knows them."""
        found = await self._request(batch)
        if isinstance(found, Problem):
            if found.kind not in _OF_THE_TEXTS:
                raise EmbedError(self.client.describe(found))
            if len(batch) > 1:
                middle = len(batch) // 2
                return [*await self._vectors(batch[:middle]), *await self._vectors(batch[middle:])]
            halves = _halves(batch[0]) if too_long(found) else []
            if not halves:
                raise EmbedError(self.client.describe(found))
            vectors = await self._vectors(halves)
            return await self._kept(batch, [mean(zip(vectors, (half.size for half in halves), strict=True))])
        return await self._kept(batch, found.vectors)

    async def _kept(self, batch: Sequence[Window], vectors: list[Vector]) -> list[Vector]:
        """``vectors`` once they are on the disk. A run that is cancelled now has paid: they are kept all the same."""
        by_text = {window.text: vector for window, vector in zip(batch, vectors, strict=True)}
        await asyncio.shield(asyncio.to_thread(self.keep, by_text))
        return vectors

    async def _request(self, batch: Sequence[Window]) -> _Answer | Problem:
        """One request, within the budget and the pool."""
        tokens = sum(estimated_tokens(window.text) for window in batch)
        await self._reserve(tokens)
        found: _Answer | Problem | None = None
        try:
            async with self.client.pool.slot():
                # Whoever was let through before a cap was reached may spend what is reserved for it.
                if self.stopped is not None and not isinstance(self.stopped, BudgetReached):
                    raise self.stopped
                found = await self._attempts([window.text for window in batch])
        finally:
            self._in_flight -= 1
            self._tokens_in_flight -= tokens
            if found is not None:
                self._count(found, tokens)
            self._landed.set()
        return found

    async def _reserve(self, tokens: int) -> None:
        """Room for one request of so many tokens; raises BudgetReached when none is left, with nothing in flight."""
        while True:
            if self.stopped is not None:
                raise self.stopped
            held = self._tokens_in_flight + tokens
            try:
                self.budget.check(self._in_flight + 1, held, self._dollars(held) or 0.0)
                break
            except BudgetReached:
                if not self._in_flight:
                    raise
            self._landed.clear()
            await self._landed.wait()
        self._in_flight += 1
        self._tokens_in_flight += tokens

    def _count(self, found: _Answer | Problem, estimated: int) -> None:
        """Count what a request took; the estimate where the server counts no tokens."""
        if isinstance(found, Problem):
            self.budget.add(Reply("", Outcome.FAILED))
            return
        tokens = estimated if found.tokens is None else found.tokens
        dollars = self._dollars(tokens) if found.dollars is None else found.dollars
        self.budget.add(Reply("", Outcome.ANSWERED, prompt_tokens=tokens, cost_usd=dollars))

    def _dollars(self, tokens: int) -> float | None:
        return None if self.spec.price is None else self.spec.price.dollars(tokens, 0)

    async def _attempts(self, texts: Sequence[str]) -> _Answer | Problem:
        """Requests until one counts or patience ends; raises StopRun when no request of this model can succeed."""
        patience, attempt = self.client.patience, 0
        try:
            async with asyncio.timeout(patience.deadline_s):
                while True:
                    await self.client.pool.opened()
                    found = await self._once(texts)
                    if isinstance(found, _Answer):
                        return found
                    self.client.check(found)
                    attempt += 1
                    again = found.kind in (Kind.RETRY, Kind.THROTTLED) and attempt < patience.attempts
                    if not again or (found.wait_s or 0.0) > patience.deadline_s:
                        return found
                    await asyncio.sleep(self.client.backoff(attempt) if found.wait_s is None else found.wait_s)
        except TimeoutError:
            return Problem(Kind.RETRY, f"no answer within {patience.deadline_s:g} s")

    async def _once(self, texts: Sequence[str]) -> _Answer | Problem:
        """One request."""
        body = {
            "model": self.spec.model_id,
            "input": texts,
            "encoding_format": "float",
            **(self.spec.parameters or {}),
        }
        pool = self.client.pool
        try:
            response = await self.client.api.post(
                "/embeddings",
                cast_to=httpx2.Response,
                content=msgspec.json.encode(body),
                options={"headers": {"Content-Type": "application/json"}},
            )
        except openai.APIStatusError as error:
            problem = read_error(error.status_code, error.response.headers, decoded(error.response.content))
        except UNREACHABLE as error:
            cause = error.__cause__ or error
            return Problem(Kind.RETRY, f"no connection, or it broke ({type(cause).__name__})")
        else:
            found = _read(decoded(response.content), len(texts))
            if isinstance(found, _Answer):
                pool.succeeded()
                return found
            problem = found
        if problem.kind is Kind.THROTTLED:
            pool.throttled()
            if problem.wait_s:
                pool.pause(min(problem.wait_s, self.client.patience.deadline_s))
        return problem


def _read(body: Any, count: int) -> _Answer | Problem:
    """The vectors of ``count`` texts from a decoded body, or what is wrong with it."""
    body = body if isinstance(body, dict) else {}
    data = body.get("data")
    if not isinstance(data, list) and body.get("error"):
        within = read_completion({"error": body["error"]})
        if isinstance(within, Problem):
            return within
    if not isinstance(data, list) or len(data) != count or not all(isinstance(item, dict) for item in data):
        return Problem(Kind.RETRY, f"an answer without the {count} vectors that were asked for")
    try:
        # Vectors may come in any order; servers that give no index keep the order.
        placed = {item.get("index", place): item.get("embedding") for place, item in enumerate(data)}
        vectors = [unit(placed[place]) for place in range(count)]
    except (KeyError, TypeError, ValueError):
        return Problem(Kind.RETRY, "an answer with a vector that is none, or out of its place")
    if len({len(vector) for vector in vectors}) != 1:
        return Problem(Kind.RETRY, "an answer with vectors of different dimensions")
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    tokens, dollars = _number(usage.get("prompt_tokens")), _number(usage.get("cost"))
    return _Answer(vectors, None if tokens is None else int(tokens), dollars)


def _number(value: Any) -> float | None:
    """A count or a price, None where a server gives none that can be."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        return None
    return float(value)


def _batches(windows: Sequence[Window]) -> Iterator[list[Window]]:
    """``windows`` in requests."""
    batch: list[Window] = []
    tokens = 0
    for window in windows:
        more = estimated_tokens(window.text)
        if batch and (len(batch) == _TEXTS_AT_ONCE or tokens + more > _TOKENS_AT_ONCE):
            yield batch
            batch, tokens = [], 0
        batch.append(window)
        tokens += more
    if batch:
        yield batch


def _pieces(text: str, room: int) -> Iterator[Window]:
    """Words of ``text`` with the space around them, cut where one has more than ``room`` bytes."""
    for word in _WORD.findall(text):
        # A letter has at most four bytes.
        step = len(word) if len(word.encode()) <= room else room // 4
        for start in range(0, len(word), step):
            part = word[start : start + step]
            yield Window(part, len(part.encode()))


def _halves(window: Window) -> list[Window]:
    """Two halves, cut between words where there are any; none of what is too short to be too long."""
    if len(window.text) < _LEAST_LETTERS:
        return []
    room = max(4, window.size // 2 + 1)
    return pack(list(_pieces(window.text, room)), room)


def _checked_key(spec: ModelSpec, keys: Mapping[str, Secret], caps: Caps) -> str | None:
    """The key of ``spec``; raises NotReady when it cannot be asked with what is there."""
    if not spec.enabled(keys):
        raise NotReady(f"Model '{spec.name}' needs a key: set {spec.key_variable}.")
    if caps.dollars is not None and spec.price is None:
        raise NotReady(
            f"Model '{spec.name}' has no price in models.yml, so no cap in dollars can be kept: give it one, or cap"
            " tokens or calls."
        )
    held = keys.get(spec.key_variable) if spec.key_variable else None
    key = None if held is None else held.get_secret_value().strip()
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise NotReady(f"The value of {spec.key_variable} is no key: it holds spaces or letters no key has.")
    return key
