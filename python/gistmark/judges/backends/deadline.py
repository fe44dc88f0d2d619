"""A time by which an answer must be there to its last byte: a server that sends one now and then is never silent."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from functools import partial
from http.client import HTTPResponse
from typing import Any

from urllib3.exceptions import HTTPError


class OverdueError(HTTPError):
    """An answer was not whole in time. None of the errors after which a call is sent again."""


def bounded(connection: Callable[..., Any], seconds: float) -> Any:
    """What makes connections as `connection` does, whose answers take at most `seconds`; longer ones raise `OverdueError`."""

    def connect(**options: Any) -> Any:
        made = connection(**options)
        made.response_class = partial(_Answer, seconds)
        return made

    return connect


class _Answer(HTTPResponse):
    """An answer that is read until its time is over, its head included."""

    def __init__(self, seconds: float, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp: Any = io.BufferedReader(_Bytes(self.fp.detach(), sock, seconds))


class _Bytes(io.RawIOBase):
    """The bytes of a socket, as `raw` reads them: each wait as long as the socket's timeout, all of them `seconds`."""

    def __init__(self, raw: Any, sock: Any, seconds: float) -> None:
        self._raw, self._sock, self._seconds, self._silence = raw, sock, seconds, sock.gettimeout()
        self._until = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise OverdueError(f"no whole answer within {self._seconds:g} seconds")
        self._sock.settimeout(min(left, self._silence))
        try:
            count: int | None = self._raw.readinto(buffer)
        except TimeoutError:
            if left > self._silence:
                raise
            raise OverdueError(f"no whole answer within {self._seconds:g} seconds") from None
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
