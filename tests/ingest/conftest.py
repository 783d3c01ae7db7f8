"""What the tests of the web services share."""

from collections.abc import Iterator

import api_server
import pytest
from api_server import ApiServer


@pytest.fixture(scope="module")
def _server() -> Iterator[ApiServer]:
    with api_server.running() as running:
        yield running


@pytest.fixture
def server(_server: ApiServer) -> ApiServer:
    """A scripted web service with nothing to say yet."""
    _server.reset()
    return _server
