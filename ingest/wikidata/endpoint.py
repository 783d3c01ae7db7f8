"""Where SPARQL is answered: over HTTP by a query service, or in this process over the bundled sample."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import pyoxigraph

from ingest.errors import EndpointError, SampleError
from ingest.wikidata import sample
from ingest.wikidata.http_endpoint import HttpEndpoint, HttpSettings
from ingest.wikidata.queries import Query
from ingest.wikidata.results import NotResultsError, RowT, parse_results

__all__ = ["EmbeddedEndpoint", "Endpoint", "HttpEndpoint", "HttpSettings"]


class Endpoint(Protocol):
    """Answers SELECT queries; both implementations give identical rows for identical data."""

    @property
    def name(self) -> str:
        """What errors and ``snapshots.endpoint`` call it; never holds credentials."""

    @property
    def parallel(self) -> int:
        """How many queries it may be asked at a time."""

    def select(self, query: Query[RowT]) -> list[RowT]:
        """All rows of the answer. Raises EndpointError naming endpoint, query and cause."""


class EmbeddedEndpoint:
    """An in-memory Oxigraph store, filled on first use; needs no network.

    Args:
        documents: (name, Turtle as UTF-8 bytes) of each file to load.
        name: what errors call the endpoint.
    """

    def __init__(self, documents: Iterable[tuple[str, bytes]], name: str = "embedded") -> None:
        self._documents = documents
        self._store: pyoxigraph.Store | None = None
        self._failure: SampleError | None = None
        self._name = name
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """What errors call the endpoint."""
        return self._name

    @property
    def parallel(self) -> int:
        """Oxigraph answers outside Python's global lock, so one query a core."""
        return os.cpu_count() or 1

    @classmethod
    def from_sample(cls, sample_dir: Path = sample.SAMPLE_DIR) -> EmbeddedEndpoint:
        """The bundled sample, each file checked against the manifest when it is loaded."""
        return cls(sample.sample_files(sample_dir), "sample")

    @classmethod
    def from_files(cls, paths: Iterable[Path], name: str = "embedded") -> EmbeddedEndpoint:
        """Turtle files, packed (``.xz``) or not, without a manifest."""
        return cls(((path.name, sample.read_turtle(path)) for path in paths), name)

    def select(self, query: Query[RowT]) -> list[RowT]:
        """All rows of the answer. Raises EndpointError, and SampleError where the sample cannot be loaded."""
        store = self.load()
        try:
            answer = store.query(query.text)
            if not isinstance(answer, pyoxigraph.QuerySolutions):
                raise EndpointError(f"Endpoint {self.name} could not answer query {query}: it is no SELECT query.")
            # Serialising in Rust and parsing in C beats taking terms out one by one, and makes both routes one.
            return parse_results(answer.serialize(format=pyoxigraph.QueryResultsFormat.JSON) or b"", query.row)
        except (SyntaxError, OSError, NotResultsError, ValueError) as error:
            raise EndpointError(f"Endpoint {self.name} could not answer query {query}: {error}.") from error

    def load(self) -> pyoxigraph.Store:
        """The store, filled now if it is not yet. Raises SampleError, each time, where the sample cannot be loaded."""
        with self._lock:
            # The documents can be gone through once: a second try would find none, and take them for an empty sample.
            if self._failure is not None:
                raise self._failure
            if self._store is None:
                try:
                    self._store = self._filled()
                except SampleError as error:
                    self._failure = error
                    raise
            return self._store

    def _filled(self) -> pyoxigraph.Store:
        store = pyoxigraph.Store()
        for name, turtle in self._documents:
            try:
                # For a store in memory bulk_load takes half as long again.
                store.load(turtle, format=pyoxigraph.RdfFormat.TURTLE, lenient=True)
            except (SyntaxError, ValueError, OSError) as error:
                raise SampleError(f"The facts file {name} is no valid Turtle ({error}); rebuild it.") from error
        return store
