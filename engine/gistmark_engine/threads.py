"""Threads that share a job's parts: the one that asks, and helpers that are kept between jobs."""

from __future__ import annotations

import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from gistmark_engine.errors import OptionError
from gistmark_engine.signals import put_off

Part = TypeVar("Part")


def count_threads(wanted: int | None) -> int:
    """How many threads a job is to use; OptionError for what is no number of them."""
    if wanted is None:
        return _cores()
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1:
        raise OptionError(f"threads must be a positive integer, or None for all cores, not {wanted!r}")
    return wanted


def _cores() -> int:
    """Cores this process may use; not every system says."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_out(act: Callable[[Part], None], parts: Sequence[Part], threads: int) -> None:
    """Do it for every part, begun in their order, on `threads` threads at most; of what is raised the earliest part's comes.

    This thread does what no helper has come for, so it never waits for one that is busy elsewhere: a part may share out
    parts of its own.
    """
    waiting, errors, begun = deque(enumerate(parts)), dict[int, BaseException](), list[threading.Event]()

    def work() -> None:
        while waiting:
            with suppress(IndexError):  # another thread took the last
                k, part = waiting.popleft()
                try:
                    with put_off():
                        act(part)
                except BaseException as error:
                    errors[k] = error
                    waiting.clear()
                    if not isinstance(error, Exception):
                        raise

    def help_out() -> None:
        over = threading.Event()
        begun.append(over)  # before it takes a part: a helper that is not there once none is left takes none
        try:
            work()
        finally:
            over.set()

    helpers = list[Future[None]]()
    try:
        with suppress(RuntimeError):  # no more threads can be started, or the interpreter is ending
            for _ in range(min(threads, len(parts)) - 1):
                helpers.append(_pool(threads - 1, os.getpid()).submit(help_out))
        work()
    finally:
        waiting.clear()
        for helper in helpers:
            helper.cancel()
        for over in begun:
            over.wait()
    if errors:
        raise errors[min(errors)]


@functools.cache
def _pool(count: int, process: int) -> ThreadPoolExecutor:
    """The helpers of a process, with what they remember; a forked child makes its own."""
    return ThreadPoolExecutor(count, thread_name_prefix=f"gistmark-{process}")
