"""How long a server is waited for: a busy one as it asks, within reason; one that nobody has heard of, a moment."""

from __future__ import annotations

from typing import Any, Self

from urllib3 import BaseHTTPResponse, Retry
from urllib3.exceptions import InvalidHeader, NewConnectionError

from gistmark.judges.backends.outage import FIRST, Contact

LONGEST = 60.0
"""Seconds to wait before a call is sent again, whatever the server says; further waits come out of `retries`."""


class Patience(Retry):
    """A `Retry` that takes a `Retry-After` it cannot read for none, and one beyond LONGEST for LONGEST; and that gives up
    after FIRST retries where there has been no contact and no connection can be made.

    contact  with the server, by this call or others
    """

    def __init__(self, *, contact: Contact, **options: Any) -> None:
        super().__init__(**options)
        self.contact = contact

    def new(self, **changed: Any) -> Self:
        return super().new(contact=self.contact, **changed)

    def is_exhausted(self) -> bool:
        """Whether nothing is sent again after what has been; an answer among that is a contact."""
        self.contact.made |= any(past.status for past in self.history)
        refused = all(isinstance(past.error, NewConnectionError) for past in self.history)
        in_vain = refused and not self.contact.made and len(self.history) > FIRST
        return in_vain or super().is_exhausted()

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        try:
            seconds = super().get_retry_after(response)
        except InvalidHeader:
            return None
        return None if seconds is None else min(seconds, LONGEST)
