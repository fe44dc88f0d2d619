"""A call that failed told from a server, or a model, that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gistmark.judges.contract import BackendError, Reply


class Outage:
    """Decides after a failed call whether the next one has any chance.

    It has if another call was answered in the meantime, or else if `probe`, a call that asks next to nothing, is.
    """

    def __init__(self, place: str, probe: Callable[[], Reply]) -> None:
        self.place, self.probe = place, probe
        self.answered = 0
        self._asking, self._over = threading.Lock(), False

    def check(self, before: int) -> None:
        """Raise `BackendError` if nothing is answered any more; `before`: those `answered` when the failed call began."""
        with self._asking:
            if not self._over and self.answered != before:
                return
            reply = Reply("", "error", "given up") if self._over else self.probe()
            self._over = reply.finish == "error"
            if self._over:
                raise BackendError(
                    f"{self.place} takes not even the shortest call ({reply.error}): "
                    "start again when it does, or change what it refuses"
                )
            self.answered += 1


def unreachable(place: str, error: Exception, retries: int) -> BackendError | None:
    """What to raise after an error of urllib3, if it arose before anything could be asked; None: the call was sent."""
    from urllib3 import exceptions as found

    reason = getattr(error, "reason", None) or error
    if not isinstance(reason, found.NewConnectionError | found.ConnectTimeoutError | found.SSLError):
        return None
    cause = reason.__cause__ or reason
    said = getattr(cause, "strerror", None) or type(reason).__name__
    return BackendError(
        f"{place} cannot be reached ({said}; retries={retries}): start the server or correct its address"
    )


def turned_away(place: str, said: str, status: int, key_variable: str) -> BackendError:
    """What to raise for a status that every call would get."""
    cure = "name a model that it serves, and its address up to /v1"
    if status in (401, 403):
        cure = f"put the key that it wants into the environment variable {key_variable}"
    return BackendError(f"{place} turns every call away ({said}): {cure}")


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
