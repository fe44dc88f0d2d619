"""Many slow calls at once, a bounded number of them in flight."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")


def in_flight(work: Callable[[int], T], count: int, limit: int) -> Iterator[tuple[int, T]]:
    """`work(0)` … `work(count - 1)` on up to `limit` threads, each result beside its index as it arrives.

    The first exception of a call is raised here, and no further call begins. Nor does one after the iterator is left.
    """
    done: SimpleQueue[tuple[int, T | BaseException]] = SimpleQueue()
    indices, taking, stopped = iter(range(count)), threading.Lock(), threading.Event()

    def take() -> None:
        while not stopped.is_set():
            with taking:
                index = next(indices, None)
            if index is None:
                return
            try:
                done.put((index, work(index)))
            except BaseException as error:
                done.put((index, error))
                return

    for _ in range(min(limit, count)):
        threading.Thread(target=take, name="gistmark-judge", daemon=True).start()
    try:
        for _ in range(count):
            index, result = done.get()
            if isinstance(result, BaseException):
                raise result
            yield index, result
    finally:
        stopped.set()
