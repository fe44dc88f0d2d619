"""A call that failed told from a server, or a model, that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gistmark.judges.contract import BackendError, Reply

FIRST = 2
"""Retries of a connection that is refused, or to a host that is unknown, where the server has never answered: about a
second, in which a server that is there would have been."""

_KEY = "put the key that it wants into the environment variable {key}"
_NAMES = "name a model that it serves, and its address up to /v1"
_CURES = {"HTTP 401": _KEY, "HTTP 403": _KEY, "HTTP 404": _NAMES, "HTTP 405": _NAMES, "HTTP 3": _NAMES}
_LATER = "start again when it does, or change what it refuses"


@dataclass
class Contact:
    """Whether a server has ever answered: the address of one that has is right, whatever becomes of the server."""

    made: bool = False


class Outage:
    """Decides after a failed call whether the next one has any chance.

    It has if another call was answered in the meantime, or else if `probe`, a call that asks next to nothing, is. `key`
    is the environment variable with the server's key.
    """

    def __init__(self, place: str, key: str, probe: Callable[[], Reply]) -> None:
        self.place, self.key, self.probe = place, key, probe
        self.answered = 0
        self._asking, self._over = threading.Lock(), ""

    def check(self, before: int) -> None:
        """Raise `BackendError` if nothing is answered any more; `before`: those `answered` when the failed call began."""
        with self._asking:
            if not self._over and self.answered == before:
                self._over = self.probe().error
                self.answered += not self._over
            if self._over:
                cure = next((cure for start, cure in _CURES.items() if self._over.startswith(start)), _LATER)
                raise BackendError(f"{self.place} answers no call ({self._over}): {cure.format(key=self.key)}")


def unreachable(place: str, error: Exception, retries: int, contact: Contact) -> BackendError | None:
    """What to raise after an error of urllib3, if it arose before anything could be asked; None: the call was sent."""
    from urllib3 import exceptions as found

    reason = getattr(error, "reason", None) or error
    if not isinstance(reason, found.NewConnectionError | found.ConnectTimeoutError | found.SSLError):
        return None
    if isinstance(reason, found.NewConnectionError) and not contact.made:
        retries = min(retries, FIRST)
    cause = reason.__cause__ or reason
    said = getattr(cause, "strerror", None) or type(reason).__name__
    return BackendError(
        f"{place} cannot be reached ({said}; retries={retries}): start the server or correct its address"
    )


def lost(error: Exception) -> str:
    """What went wrong with a call that was sent, after an error of urllib3."""
    from gistmark.judges.backends.deadline import OverdueError

    return str(error) if isinstance(error, OverdueError) else type(getattr(error, "reason", None) or error).__name__


@contextmanager
def loading(model: str) -> Iterator[None]:
    """Raise `BackendError` where a model on this machine, a folder or a name, cannot be loaded."""
    cure = "name a folder that holds a model"
    here = Path(model).exists()
    if not here and (model.startswith(("/", ".", "~")) or model.count("/") > 1):
        raise BackendError(f"the model {model!r} cannot be loaded (no such folder): {cure}")
    try:
        yield
    except ImportError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise BackendError(
            f"the model {model!r} cannot be loaded ({said if here else f'no such folder; {said}'}): {cure}"
        ) from error
