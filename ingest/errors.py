"""The errors an ingestor ends in. Each message is one sentence: what failed, where, and how to mend it."""

from __future__ import annotations


class IngestError(Exception):
    """Base of everything an ingestor raises on purpose; ``str()`` is fit to show to a user as it stands."""


class TopicSourceError(IngestError):
    """``meta.source`` of a topic yml cannot be used; names the file, the key and the remedy."""


class SampleError(IngestError):
    """The bundled sample is missing, incomplete or corrupt."""


class EndpointError(IngestError):
    """A SPARQL endpoint could not answer; names the endpoint (without credentials), the query and the cause."""


class BindingError(IngestError):
    """An answer parsed as SPARQL results but holds a value that the landing schema cannot take."""


class LandingError(IngestError):
    """A landing file could not be read or written (disk full, read-only folder, another run is writing)."""


class ServiceError(IngestError):
    """A web service could not answer, or be asked; names service, URL (without secrets), cause and remedy."""


class NotFoundError(ServiceError):
    """A web service says that it does not know what was asked for."""
