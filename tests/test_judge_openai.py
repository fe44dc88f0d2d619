"""Any OpenAI-compatible server: a small one is started here that is slow, busy, wrong or rude on purpose."""

from __future__ import annotations

import json
import logging
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gistmark.judges.asking import Asker
from gistmark.judges.backends.openai import OpenAI
from gistmark.judges.cache import Cache
from gistmark.judges.contract import BackendError, Options, joined
from gistmark.judges.policy import Policy
from gistmark.judges.question import Question
from gistmark.judges.template import load
from gistmark_engine.errors import OptionError

SINGLE = load("annotator_single")
SECRET = "sk-very-secret"
GOOD = '{"satisfaction": 4, "reason": "clear"}'
Handler = Callable[[dict[str, Any], int], tuple[int, dict[str, str], bytes]]


class Server:
    """A server on 127.0.0.1 whose every answer comes from `handler(body, number of the call)`."""

    def __init__(self) -> None:
        self.handler: Handler = lambda *_: completion(GOOD)
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.running = self.most = 0
        self.lock = threading.Lock()
        outer = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.lock:
                    outer.bodies.append(body)
                    outer.keys.append(self.headers["Authorization"])
                    outer.running += 1
                    outer.most = max(outer.most, outer.running)
                    number = len(outer.bodies)
                status, headers, data = outer.handler(body, number)
                with outer.lock:
                    outer.running -= 1
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        class Crowd(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

        self.http = Crowd(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


def completion(text: str | None, finish: str = "stop", **message: object) -> tuple[int, dict[str, str], bytes]:
    choice = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return 200, {}, json.dumps({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.http.shutdown()
    started.http.server_close()


def question(number: int) -> Question:
    return Question(SINGLE, {"persona": "Role: nurse", "query": "Is it safe?", "summary": f"Summary {number}."})


def test_a_call_carries_what_the_server_needs(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", SECRET)
    backend = OpenAI("small", server.url, key_variable="JUDGE_KEY", extra={"top_p": 0.9, "seed": None})
    answer = Asker(backend).ask([question(1)])[0]
    assert answer.values == {"satisfaction": 4, "reason": "clear"}
    assert answer.reply.tokens == (9, 3)
    body = server.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"], body["top_p"]) == ("small", 0.0, 1024, 0.9)
    assert "seed" not in body
    assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
    shape = body["response_format"]["json_schema"]["schema"]
    assert shape["properties"]["satisfaction"] == {"type": "integer", "minimum": 1, "maximum": 5}
    assert shape["additionalProperties"] is False
    assert server.keys == [f"Bearer {SECRET}"]


def test_busy_and_broken_answers_are_asked_again(server: Server) -> None:
    answers = [
        (429, {"Retry-After": "0"}, b"slow down"),
        (503, {"Retry-After": "0"}, b""),
        (200, {}, b"<html>nonsense</html>"),
        (200, {}, b'{"choices": []}'),
        completion(GOOD),
    ]
    server.handler = lambda _, number: answers[number - 1]
    answer = Asker(OpenAI("m", server.url)).ask([question(1)])[0]
    assert answer.values["satisfaction"] == 4
    assert len(server.bodies) == 5


def test_a_call_that_never_succeeds_is_a_null_with_a_reason_and_not_stored(server: Server, tmp_path: Path) -> None:
    def handler(body: dict[str, Any], _: int) -> tuple[int, dict[str, str], bytes]:
        busy = "Summary 3." in body["messages"][1]["content"]
        return (429, {"Retry-After": "0"}, b"slow down") if busy else completion(GOOD)

    server.handler = handler
    cache = Cache(tmp_path / "c.sqlite")
    answers = Asker(OpenAI("m", server.url, retries=2), cache=cache).ask([question(number) for number in range(8)])
    assert [bool(answer.errors) for answer in answers] == [number == 3 for number in range(8)]
    assert "429" in answers[3].errors["satisfaction"]
    assert cache.counts() == {"ok": 7}
    assert sum("Summary 3." in body["messages"][1]["content"] for body in server.bodies) == 3


def test_too_long_a_prompt_fails_alone(server: Server) -> None:
    def handler(body: dict[str, Any], _: int) -> tuple[int, dict[str, str], bytes]:
        long = "Summary 3." in body["messages"][1]["content"]
        return (400, {}, b'{"error": "context length exceeded"}') if long else completion(GOOD)

    server.handler = handler
    answers = Asker(OpenAI("m", server.url)).ask([question(number) for number in range(6)])
    assert [bool(answer.errors) for answer in answers] == [number == 3 for number in range(6)]
    assert "context length" in answers[3].errors["satisfaction"]
    assert sum("response_format" in body for body in server.bodies) == 6


def test_a_server_without_structured_outputs_is_asked_without(server: Server) -> None:
    def handler(body: dict[str, Any], _: int) -> tuple[int, dict[str, str], bytes]:
        return (400, {}, b"unknown field response_format") if "response_format" in body else completion(GOOD)

    server.handler = handler
    answers = Asker(OpenAI("m", server.url, concurrency=1)).ask([question(number) for number in range(5)])
    assert not any(answer.errors for answer in answers)
    assert sum("response_format" in body for body in server.bodies) == 1


@pytest.mark.parametrize("status", [401, 404, 429])
def test_a_server_that_turns_every_call_away_is_not_told_of_with_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.handler = lambda *_: (status, {"Retry-After": "0"}, f"no entry with {SECRET}".encode())
    caplog.set_level(logging.DEBUG)
    with pytest.raises(BackendError, match=str(status)) as raised:
        Asker(OpenAI("m", server.url, retries=1)).ask([question(1)])
    assert SECRET not in str(raised.value) + caplog.text
    assert "***" in str(raised.value)


def test_secrets_are_nowhere(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    refused = (429, {"Retry-After": "0"}, f"key {SECRET} is over its limit".encode())
    server.handler = lambda body, _: refused if "Summary" in body["messages"][1]["content"] else completion("Yes.")
    cache = Cache(tmp_path / "c.sqlite")
    backend = OpenAI("m", server.url, retries=0)
    answer = Asker(backend, cache=cache).ask([question(1)])[0]
    server.handler = lambda *_: completion(GOOD)
    Asker(backend, cache=cache).ask([question(2)])
    cache.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir()) + pickle.dumps(backend)
    assert SECRET.encode() not in stored
    assert SECRET not in str(answer) + repr(vars(backend))
    with pytest.raises(OptionError, match="without a user, a password or a query") as raised:
        OpenAI("m", f"https://me:{SECRET}@example.org/v1")
    assert SECRET not in str(raised.value)
    for address in (f"https://example.org/v1?key={SECRET}", "http://example.org:x/v1", "http:///v1", "localhost:8000"):
        with pytest.raises(OptionError, match="url is http"):
            OpenAI("m", address)


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        (completion(None, refusal="I will not."), "failed", "refused"),
        (completion("", "content_filter"), "failed", "refused"),
        (completion('{"satisfaction": 4', "length"), "truncated", "truncated"),
        (completion(None), "failed", "empty"),
        (completion("I'd say about four."), "failed", "no_score"),
    ],
)
def test_what_is_no_verdict_is_null(
    server: Server, answer: tuple[int, dict[str, str], bytes], status: str, reason: str
) -> None:
    server.handler = lambda *_: answer
    found = Asker(OpenAI("m", server.url), Policy(retries=1)).ask([question(1)])[0]
    assert (found.status, found.values.get("satisfaction"), found.errors) == (status, None, {"satisfaction": reason})
    assert len(server.bodies) == 2


def test_log_probabilities_arrive_and_are_stored(server: Server, tmp_path: Path) -> None:
    top = [{"token": "4", "logprob": -0.5}, {"token": "5", "logprob": -1.5}]
    parts = [{"token": GOOD[:17], "top_logprobs": []}, {"token": "4", "top_logprobs": top}]
    data = json.loads(completion(GOOD)[2])
    data["choices"][0]["logprobs"] = {"content": parts}
    server.handler = lambda *_: (200, {}, json.dumps(data).encode())
    cache = Cache(tmp_path / "c.sqlite")
    first = Asker(OpenAI("m", server.url), Policy(logprobs=True), cache).ask([question(1)])[0]
    assert first.scores["satisfaction"][1] == ("4", {"4": -0.5, "5": -1.5})
    assert (server.bodies[0]["logprobs"], server.bodies[0]["top_logprobs"]) == (True, 20)
    assert Asker(OpenAI("m", server.url), Policy(logprobs=True), cache).ask([question(1)])[0] == first


def test_many_calls_are_in_flight_and_no_more_than_allowed(server: Server) -> None:
    together = threading.Barrier(16, timeout=30)

    def handler(*_: object) -> tuple[int, dict[str, str], bytes]:
        together.wait()  # answers none of the calls before 16 of them are here
        return completion(GOOD)

    server.handler = handler
    answers = Asker(OpenAI("m", server.url, concurrency=16)).ask([question(number) for number in range(96)])
    assert not any(answer.errors for answer in answers)
    assert server.most == 16


def test_replies_are_stored_as_they_arrive(server: Server, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    stored: list[int] = []

    def handler(_: object, number: int) -> tuple[int, dict[str, str], bytes]:
        if number == 10:
            deadline = time.monotonic() + 10
            while not (count := sum(cache.counts().values())) and time.monotonic() < deadline:
                time.sleep(0.01)
            stored.append(count)
        return completion(GOOD)

    server.handler = handler
    Asker(OpenAI("m", server.url, concurrency=2), cache=cache).ask([question(number) for number in range(10)])
    assert stored[0] > 0


def test_a_model_without_system_messages_hears_them_from_the_user(server: Server) -> None:
    Asker(OpenAI("m", server.url, system=False)).ask([question(1)])
    (turn,) = server.bodies[0]["messages"]
    assert turn["role"] == "user"
    assert turn["content"].startswith("You grade texts.")
    assert joined([{"role": "user", "content": "hi"}]) == [{"role": "user", "content": "hi"}]
    assert Options().schema is None


@pytest.mark.parametrize("asked", ["0.5", "soon", "-5"])
def test_a_wait_that_cannot_be_read_is_none_asked_for(server: Server, asked: str) -> None:
    server.handler = lambda _, number: (429, {"Retry-After": asked}, b"busy") if number == 1 else completion(GOOD)
    assert Asker(OpenAI("m", server.url)).ask([question(1)])[0].status == "ok"


def test_no_server_makes_us_wait_for_an_hour() -> None:
    from urllib3 import HTTPResponse

    from gistmark.judges.backends.outage import Contact
    from gistmark.judges.backends.patience import LONGEST, Patience

    answer = HTTPResponse(headers={"Retry-After": "3600"}, status=429)
    assert Patience(contact=Contact()).get_retry_after(answer) == LONGEST


def test_an_error_in_place_of_a_completion_is_told(server: Server) -> None:
    server.handler = lambda *_: (200, {}, b'{"error": {"message": "model not loaded"}}')
    with pytest.raises(BackendError, match="model not loaded"):
        Asker(OpenAI("m", server.url, retries=0)).ask([question(1)])
