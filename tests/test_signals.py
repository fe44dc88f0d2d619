"""Signals while kernels run: none is lost, none raises where it must not, none waits for long."""

import itertools
import os
import signal
import subprocess
import sys
import threading
from types import FrameType

import numpy as np
import pytest

from gistmark_engine.jit import kernel
from gistmark_engine.signals import let_in, put_off

SCORES = """
import signal, threading, time, pyarrow as pa, gistmark as gm
batch = pa.record_batch({"summary": [f"the cat {k} sat" for k in range(ROWS)], "references": ["a cat sat"] * ROWS})
gm.score_batch(batch, ["rouge"], threads=THREADS)
main = threading.main_thread().ident
threading.Timer(DELAY, signal.pthread_kill, (main, signal.SIGINT)).start()
end = time.monotonic() + 60
try:
    while time.monotonic() < end:
        gm.score_batch(batch, ["rouge"], threads=THREADS)
except KeyboardInterrupt:
    print("stopped")
"""


class LateError(Exception):
    pass


def _raise(number: int, frame: FrameType | None) -> None:
    raise LateError


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [1, 40_000])
def test_ctrl_c_ends_a_program_that_scores(rows: int, threads: int) -> None:
    """Not by a crash, which took every other program where a kernel's results were being made."""
    for delay in range(2):
        code = (
            SCORES.replace("ROWS", f"{rows}").replace("THREADS", f"{threads}").replace("DELAY", f"{0.05 + delay / 17}")
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr[-2000:]


def send_twice_put_off(reached: list[str]) -> None:
    with put_off():
        with put_off():
            os.kill(os.getpid(), signal.SIGTERM)
            reached.append("inner")
        os.kill(os.getpid(), signal.SIGTERM)
        reached.append("outer")


def test_handlers_wait_and_come_back() -> None:
    reached: list[str] = []
    before = signal.signal(signal.SIGTERM, _raise), signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(LateError):
            send_twice_put_off(reached)
        assert reached == ["inner", "outer"]
        assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == (_raise, before[1])
    finally:
        signal.signal(signal.SIGTERM, before[0])


def test_a_handler_may_be_let_in() -> None:
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        with put_off():
            with pytest.raises(LateError), let_in():
                os.kill(os.getpid(), signal.SIGTERM)
            assert signal.getsignal(signal.SIGTERM) is not _raise
        assert signal.getsignal(signal.SIGTERM) is _raise
    finally:
        signal.signal(signal.SIGTERM, before)


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with put_off():
            os.kill(os.getpid(), signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_change_no_handler() -> None:
    seen: list[object] = []

    def work() -> None:
        with put_off(), let_in():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


def test_a_kernel_raises_what_came_while_it_ran() -> None:
    """After its first call, which compiles it."""

    @kernel
    def count(size):  # type: ignore[no-untyped-def]
        out = np.zeros(size)
        for k in range(size):
            out[k] = k
        return out

    assert count(3).tolist() == [0, 1, 2]
    before = signal.signal(signal.SIGALRM, _raise)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(LateError):
            any(count(1000)[0] for _ in itertools.count())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_child_forked_meanwhile_has_its_handlers() -> None:
    """By another thread, while the main thread's are put off."""
    before, codes = signal.getsignal(signal.SIGINT), list[int]()

    def fork() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0 if signal.getsignal(signal.SIGINT) is before else 1)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    with put_off():
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    assert codes == [0]
