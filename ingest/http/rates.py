"""How often a service may be asked."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

# Requests sent in time may still arrive closer together than they were sent.
MARGIN: Final = 1.05


@dataclass(frozen=True)
class Rate:
    """At most ``count`` requests in any ``seconds``, as the service publishes it."""

    count: int
    seconds: float


class RateLimiter:
    """Books a moment for each request so that no rate is ever exceeded; safe to share between threads.

    Args:
        rates: all of which hold at once.
        clock: seconds that never run backwards; replaced in tests.
        margin: factor that each rate's window is stretched by.
    """

    def __init__(
        self, rates: Sequence[Rate], *, clock: Callable[[], float] = time.monotonic, margin: float = MARGIN
    ) -> None:
        self._rates = tuple(rates)
        self._clock = clock
        self._margin = margin
        self._booked: deque[float] = deque(maxlen=max((rate.count for rate in rates), default=1))
        self._lock = threading.Lock()

    def reserve(self, within: float = float("inf")) -> float:
        """Seconds to wait before the next request may be sent; the moment is booked if it lies ``within`` seconds.

        A longer wait is returned, too, but not booked: who gives up takes nobody's turn.
        """
        with self._lock:
            now = self._clock()
            moment = max(now, self._booked[-1] if self._booked else now)
            for rate in self._rates:
                if len(self._booked) >= rate.count:
                    moment = max(moment, self._booked[-rate.count] + rate.seconds * self._margin)
            wait = moment - now
            if wait <= within:
                self._booked.append(moment)
            return wait


@cache
def shared_limiter(service: str, rates: tuple[Rate, ...]) -> RateLimiter:
    """The limiter that all clients of a service share in this process."""
    return RateLimiter(rates)
