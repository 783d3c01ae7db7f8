"""The embedder role: a model of this process, or any server with an /embeddings endpoint, behind one interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dagster_defs.llm.budget import Budget, Caps
from dagster_defs.llm.client import Patience
from dagster_defs.llm.embed_endpoint import EndpointEmbedder
from dagster_defs.llm.embed_local import LocalEmbedder
from dagster_defs.llm.embedding import EmbedError, KeptVectors, TextEmbedder
from dagster_defs.llm.models import ModelSpec, Secret


def embedder(
    spec: ModelSpec,
    cache: Path,
    keys: Mapping[str, Secret] | None = None,
    caps: Caps | Budget | None = None,
    *,
    patience: Patience | None = None,
) -> TextEmbedder:
    """The embedder that ``spec`` declares: of this process when it has no address, else its server's.

    cache: file of the vectors. keys: variable -> key. caps: of what the embedder spends in its life, where a call is a
    request of many texts, or a budget that it shares with others; kept vectors cost nothing. Raises EmbedError or
    NotReady when it cannot be used as declared.
    """
    if spec.kind != "embedding":
        raise EmbedError(f"Model '{spec.name}' cannot embed: it is of kind '{spec.kind}'.")
    if spec.base_url is None:
        return LocalEmbedder(spec, cache)
    return EndpointEmbedder(spec, cache, keys, caps, patience)


__all__ = ["EmbedError", "EndpointEmbedder", "KeptVectors", "LocalEmbedder", "TextEmbedder", "embedder"]
