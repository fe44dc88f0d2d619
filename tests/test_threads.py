"""Parts shared out among threads: each done once, helped where possible, the earliest error raised, never a deadlock."""

import threading
import time
from collections import Counter

import pytest

from gistmark_engine.threads import share_out


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("parts", [0, 1, 2, 300])
def test_every_part_is_done_once(parts: int, threads: int) -> None:
    done = list[int]()
    share_out(done.append, range(parts), threads)
    assert Counter(done) == Counter(range(parts))


def test_helpers_help() -> None:
    """Two parts that wait for each other are done by two threads."""
    meeting = threading.Barrier(2, timeout=30)
    share_out(lambda _: meeting.wait(), range(2), 2)


def test_the_earliest_part_is_the_one_that_raises() -> None:
    """Though it raises last; a part that was not begun is left."""
    begun = list[int]()

    def act(part: int) -> None:
        begun.append(part)
        time.sleep(0.3 if part == 0 else 0.1)
        raise ValueError(part)

    with pytest.raises(ValueError, match="0"):
        share_out(act, range(9), 2)
    assert sorted(begun) == [0, 1]


def test_what_ends_a_program_is_not_held_back() -> None:
    def act(part: int) -> None:
        raise KeyboardInterrupt if threading.current_thread() is threading.main_thread() else ValueError(part)

    with pytest.raises(KeyboardInterrupt):
        share_out(act, range(2), 2)


def test_parts_share_out_parts_of_their_own() -> None:
    done = list[tuple[int, int]]()

    def act(part: int) -> None:
        share_out(lambda inner: done.append((part, inner)), range(20), 3)

    share_out(act, range(20), 3)
    assert Counter(done) == Counter((outer, inner) for outer in range(20) for inner in range(20))


def test_a_helper_that_cannot_be_started_leaves_no_part_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread starts, the next does not: what the first took is waited for."""
    started, start, done = list[threading.Thread](), threading.Thread.start, list[int]()

    def start_one(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    def act(part: int) -> None:
        time.sleep(0.05 if threading.current_thread() is threading.main_thread() else 0.5)
        done.append(part)

    monkeypatch.setattr(threading.Thread, "start", start_one)
    share_out(act, range(6), 11)  # a number of threads no other test has a pool of
    assert sorted(done) == list(range(6))
    assert len(started) == 1


def test_a_helper_ends_what_the_asking_thread_gave_up() -> None:
    """An error that is no Exception, raised by a helper, is no silence."""

    def act(part: int) -> None:
        time.sleep(0.05)
        if threading.current_thread() is not threading.main_thread():
            raise SystemExit(7)

    with pytest.raises(SystemExit):
        share_out(act, range(50), 2)
