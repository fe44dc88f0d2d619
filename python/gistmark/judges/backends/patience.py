"""How long a server that is busy is waited for: what it asks for, within reason."""

from __future__ import annotations

from urllib3 import BaseHTTPResponse, Retry
from urllib3.exceptions import InvalidHeader

LONGEST = 60.0
"""Seconds to wait before a call is sent again, whatever the server says; further waits come out of `retries`."""


class Patience(Retry):
    """A `Retry` that takes a `Retry-After` it cannot read for none, and one beyond LONGEST for LONGEST."""

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        try:
            seconds = super().get_retry_after(response)
        except InvalidHeader:
            return None
        return None if seconds is None else min(seconds, LONGEST)
