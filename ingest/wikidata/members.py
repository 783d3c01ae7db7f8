"""Who belongs to a topic: its classes' members that fit its filters, page by page."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.errors import EndpointError
from ingest.topics import StatementFilter, TopicSource
from ingest.wikidata import bindings, queries
from ingest.wikidata.endpoint import Endpoint
from ingest.wikidata.results import Member


def first_queries(topic: TopicSource, page_size: int) -> list[queries.Query[Member]]:
    """The query for the first page of each of a topic's classes."""
    return [
        queries.members(
            class_id,
            topic.filters,
            after="",
            limit=page_size,
            least_sitelinks=topic.least_sitelinks,
            excluded=topic.excluded_classes,
        )
        for class_id in topic.classes
    ]


def members_of_class(
    topic: TopicSource, class_id: str, endpoint: Endpoint, page_size: int, *, most: int = 0
) -> list[str]:
    """Ids of a topic's members in one of its classes, the first ``most`` of them; 0 for all.

    Raises what :func:`list_members` raises.
    """
    return list_members(
        endpoint,
        topic.filters,
        class_id,
        page_size,
        least_sitelinks=topic.least_sitelinks,
        excluded=topic.excluded_classes,
        most=most,
    )


def list_members(
    endpoint: Endpoint,
    filters: Sequence[StatementFilter],
    class_id: str,
    page_size: int,
    *,
    present: Sequence[str] = (),
    least_sitelinks: int = 0,
    excluded: Sequence[str] = (),
    most: int = 0,
) -> list[str]:
    """Ids of the members of a class, page by page; the same set for any page size.

    The first ``most`` of them, in the order of their IRIs, where that is not 0.

    Beside fitting the filters, members have the properties ``present``, pages in ``least_sitelinks`` wikis, and a P31
    that is none of ``excluded``.

    Raises EndpointError where the endpoint does not keep to the order that pages rest on.
    """
    found: list[str] = []
    after = ""
    while True:
        page = queries.members(
            class_id,
            filters,
            after=after,
            limit=page_size,
            present=present,
            least_sitelinks=least_sitelinks,
            excluded=excluded,
        )
        rows = endpoint.select(page)
        found += bindings.member_ids(rows)
        for row in rows:
            if row.entity.value <= after:
                raise EndpointError(
                    f"Endpoint {endpoint.name} lists the members of {class_id} out of order, so pages would miss some; "
                    "use an endpoint that sorts by code point, or a page size above their number."
                )
            after = row.entity.value
        if len(rows) < page_size or 0 < most <= len(found):
            return found[:most] if most else found
