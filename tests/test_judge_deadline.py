"""A server that sends a byte now and then: never silent, never done."""

from __future__ import annotations

import itertools
import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from test_judge_openai import completion, question

from gistmark.judges.asking import Asker
from gistmark.judges.backends.openai import OpenAI
from gistmark.judges.contract import BackendError
from gistmark_engine.errors import OptionError

pytest.importorskip("urllib3")
GOOD = completion('{"satisfaction": 4, "reason": "clear"}')[2]
OK = b"HTTP/1.1 200 OK\r\n"
Bytes = Callable[[str], Iterator[bytes]]
"""What is sent in answer to a prompt, a pause after each piece."""


class Dripping:
    """A server on 127.0.0.1 that sends what `answer` gives for a prompt, piece by piece."""

    def __init__(self, answer: Bytes) -> None:
        self.calls = 0
        self.hung_up = threading.Event()
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while line := self.rfile.readline():
                    length = 0
                    while line.strip():
                        length = int(line.split()[1]) if line.lower().startswith(b"content-length") else length
                        line = self.rfile.readline()
                    outer.calls += 1
                    try:
                        for piece in answer(self.rfile.read(length).decode()):
                            self.wfile.write(piece)
                            time.sleep(0.02)
                    except OSError:
                        outer.hung_up.set()
                        return

        class Crowd(socketserver.ThreadingTCPServer):
            daemon_threads = allow_reuse_address = True

        self.tcp = Crowd(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.tcp.server_address[1]}/v1"
        threading.Thread(target=self.tcp.serve_forever, daemon=True).start()


@pytest.fixture
def dripping() -> Iterator[Callable[[Bytes], Dripping]]:
    started: list[Dripping] = []

    def start(answer: Bytes) -> Dripping:
        started.append(Dripping(answer))
        return started[-1]

    yield start
    for one in started:
        one.tcp.shutdown()
        one.tcp.server_close()


def in_the_head(_: str) -> Iterator[bytes]:
    return itertools.chain([OK, b"X-Slow: "], itertools.repeat(b"x"))


def in_the_body(_: str) -> Iterator[bytes]:
    return itertools.chain([OK, b"Content-Length: 100000\r\n\r\n"], itertools.repeat(b" "))


def in_chunks(_: str) -> Iterator[bytes]:
    return itertools.chain([OK, b"Transfer-Encoding: chunked\r\n\r\n"], itertools.repeat(b"1\r\n \r\n"))


@pytest.mark.parametrize("answer", [in_the_head, in_the_body, in_chunks])
def test_a_server_that_drips_is_given_up(dripping: Callable[[Bytes], Dripping], answer: Bytes) -> None:
    server = dripping(answer)
    began = time.monotonic()
    with pytest.raises(BackendError, match=r"answers no call \(no whole answer within 0\.5 seconds\): start again"):
        Asker(OpenAI("m", server.url, deadline=0.5, retries=6)).ask([question(1)])
    assert 1 <= time.monotonic() - began < 20
    assert server.calls == 2  # the call, not sent again, and the one that makes sure
    assert server.hung_up.wait(10)


def test_one_answer_that_is_overdue_is_one_rows_null(dripping: Callable[[Bytes], Dripping]) -> None:
    def answer(prompt: str) -> Iterator[bytes]:
        if "Summary 2." in prompt:
            return in_the_body(prompt)
        return iter([OK, b"Content-Length: %d\r\n\r\n" % (len(GOOD) + 10), *[b" "] * 10, GOOD])  # slow, and in time

    answers = Asker(OpenAI("m", dripping(answer).url, deadline=2)).ask([question(number) for number in range(4)])
    assert [answer.values.get("satisfaction") for answer in answers] == [4, 4, None, 4]
    assert answers[2].errors["satisfaction"] == "error: 'no whole answer within 2 seconds'"


def test_silence_is_still_told_by_its_own_limit(dripping: Callable[[Bytes], Dripping]) -> None:
    server = dripping(lambda _: iter([OK, b"Content-Length: 9\r\n\r\n", b" "]))
    with pytest.raises(BackendError, match=r"answers no call \(ReadTimeoutError\)"):
        Asker(OpenAI("m", server.url, timeout=0.3, deadline=60, retries=1)).ask([question(1)])
    assert server.calls == 3


def test_the_deadline_is_five_times_the_silence_unless_it_is_said() -> None:
    assert (OpenAI("m").deadline, OpenAI("m", timeout=1000).deadline, OpenAI("m", deadline=7).deadline) == (
        600,
        5000,
        7,
    )
    assert json.dumps(dict(OpenAI("m", deadline=7).decoding)) == json.dumps(dict(OpenAI("m").decoding))
    with pytest.raises(OptionError, match="timeout and deadline above 0"):
        OpenAI("m", deadline=0)
