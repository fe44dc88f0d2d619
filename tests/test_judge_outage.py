"""A reply that fails is a null; a server, a model or a rule that fails ends the job, and says what to do about it."""

from __future__ import annotations

import json
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked import GOOD, question
from test_judge_openai import Server, completion, server

import gistmark as gm
from gistmark.judges.asking import Asker
from gistmark.judges.backends.openai import OpenAI
from gistmark.judges.backends.outage import Outage
from gistmark.judges.cache import Cache
from gistmark.judges.contract import BackendError, Reply

__all__ = ["server"]

NOBODY = "http://127.0.0.1:9/v1"
ALWAYS = [
    (401, b"no key", "OPENAI_API_KEY"),
    (403, b"not yours", "OPENAI_API_KEY"),
    (404, b"the model m does not exist", "name a model that it serves"),
    (307, b"elsewhere", "its address up to /v1"),
    (400, b"m is not a valid model ID", "change what it refuses"),
    (429, b"over quota", "start again when it does"),
    (500, b"out of memory", "start again when it does"),
    (200, b"<html>welcome</html>", "no chat completion"),
]


def pairs(rows: int) -> dict[str, list[str]]:
    return {"summary": [f"Summary {row}." for row in range(rows)], "source": ["A source."] * rows}


@pytest.mark.parametrize(("status", "body", "cure"), ALWAYS)
def test_a_server_that_answers_nobody_ends_the_job(server: Server, status: int, body: bytes, cure: str) -> None:
    server.handler = lambda *_: (status, {"Retry-After": "0"}, body)
    backend = OpenAI("m", server.url, retries=1, concurrency=4)
    with pytest.raises(BackendError) as raised:
        Asker(backend).ask([question(number) for number in range(20)])
    said = str(raised.value)
    assert said.startswith(server.url)
    assert said.endswith("; no call was finished")
    assert cure in said
    assert status == 200 or f"HTTP {status} " in said
    assert status == 200 or body.decode() in said


def test_one_call_makes_sure_for_all_and_none_where_another_was_answered_meanwhile() -> None:
    probes: list[int] = []

    def probe() -> Reply:
        probes.append(1)
        return Reply("Yes.")

    outage = Outage("here", "KEY", probe)
    outage.answered += 1
    outage.check(0)
    assert not probes
    threads = [threading.Thread(target=outage.check, args=(1,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(probes) == 1


def test_a_server_that_never_answers_is_given_the_shortest_call_once(server: Server) -> None:
    released = threading.Event()

    def handler(*_: object) -> tuple[int, dict[str, str], bytes]:
        released.wait(20)
        return completion(GOOD)

    server.handler = handler
    with pytest.raises(BackendError, match=r"answers no call \(ReadTimeoutError\): start again when it does"):
        Asker(OpenAI("m", server.url, retries=1, timeout=0.3)).ask([question(1)])
    released.set()
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (NOBODY, "Connection refused"),
        ("http://nowhere.invalid/v1", "Name or service not known|name resolution"),
        ("https://127.0.0.1:9/v1", "Connection refused"),
    ],
)
def test_a_server_that_cannot_be_reached_is_named_from_python(url: str, reason: str) -> None:
    judge = gm.metrics.judge(OpenAI("m", url, retries=1), cache=False)
    with pytest.raises(gm.judges.BackendError, match=rf"{url} cannot be reached \(.*({reason}).*; retries=1\)"):
        gm.score(pairs(2), [judge])


@pytest.mark.parametrize("url", [NOBODY, "http://nowhere.invalid/v1"])
def test_an_address_where_nothing_ever_answered_is_given_up_soon(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", pauses.append)
    with pytest.raises(BackendError, match=rf"{url} cannot be reached \(.*; retries=2\): start the server"):
        Asker(OpenAI("m", url)).ask([question(1)])
    assert sum(pauses) < 2


@pytest.mark.parametrize("status", [200, 503])
def test_a_server_that_has_answered_is_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    """Be it that it was busy: it is there, and may be starting again."""
    pauses: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", pauses.append)

    def handler(*_: object) -> tuple[int, dict[str, str], bytes]:
        server.http.socket.close()  # no further connection
        return status, {"Connection": "close"}, completion(GOOD)[2]

    server.handler = handler
    backend = OpenAI("m", server.url)
    if status == 200:
        Asker(backend).ask([question(1)])
        backend.url = NOBODY
    with pytest.raises(BackendError, match=r"cannot be reached \(.*; retries=6\)"):
        Asker(backend).ask([question(2)])
    assert sum(pauses) > 15


def test_the_command_line_ends_with_one_sentence(
    cli: Callable[..., tuple[int, str, str]], server: Server, tmp_path: Path
) -> None:
    table, kept, out = (tmp_path / name for name in ("pairs.jsonl", "kept.sqlite", "scored.parquet"))
    rows = [{name: texts[row] for name, texts in pairs(6).items()} for row in range(6)]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = {"backend": server.url, "model": "m", "cache": kept, "retries": 0}
    named = [part for name, value in options.items() for part in ("--set", f"judge.{name}={value}")]
    server.handler = lambda *_: (401, {}, b"who are you?")
    code, printed, err = cli("score", table, "--metrics", "judge", *named, "--output", out)
    assert (code, printed, out.exists()) == (2, "", False)
    (line,) = err.splitlines()
    assert line.startswith(f"gistmark: {server.url} answers no call (HTTP 401 'who are you?'): put the key")


def test_what_was_finished_is_kept_and_the_job_goes_on_from_there(server: Server, tmp_path: Path) -> None:
    cache, questions = Cache(tmp_path / "c.sqlite"), [question(number) for number in range(20)]
    server.handler = lambda _, number: completion(GOOD) if number <= 7 else (503, {"Retry-After": "0"}, b"gone")
    backend = OpenAI("m", server.url, retries=0, concurrency=1)
    with pytest.raises(BackendError, match=rf"7 calls were finished and kept in {cache.path}, from where the same job"):
        Asker(backend, cache=cache).ask(questions)
    server.bodies.clear()
    with pytest.raises(BackendError, match="7 calls were finished, and nothing was kept"):
        Asker(backend).ask(questions)
    backend.url = NOBODY
    with pytest.raises(BackendError, match=f"{NOBODY} cannot .* 7 calls were finished and kept"):
        Asker(backend, cache=cache).ask(questions)
    backend.url = server.url
    server.bodies.clear()
    server.handler = lambda *_: completion(GOOD)
    answers = Asker(backend, cache=cache).ask(questions)
    assert all(answer.values["satisfaction"] == 4 for answer in answers)
    assert len(server.bodies) == 20 - 7


@pytest.mark.parametrize("status", [400, 403, 500])
def test_texts_that_a_server_cannot_take_are_nulls_while_it_takes_others(server: Server, status: int) -> None:
    """Even where they are all that a job asks about, as when the rest of it is answered already."""

    def handler(body: dict[str, Any], _: int) -> tuple[int, dict[str, str], bytes]:
        long = "Summary" in body["messages"][1]["content"]
        return (status, {"Retry-After": "0"}, b"too long") if long else completion("Yes.")

    server.handler = handler
    asker = Asker(OpenAI("m", server.url, retries=0, concurrency=2))
    answers = asker.ask([question(number) for number in range(9)])
    assert {answer.status for answer in answers} == {"failed"}
    assert all("too long" in answer.errors["satisfaction"] for answer in answers)
    assert asker.counts == {"calls": 9, "unanswered": 9, "failed": 9}
    short = [body for body in server.bodies if "Summary" not in body["messages"][1]["content"]]
    assert 1 <= len(short) <= 9
    assert all(body["max_tokens"] <= 16 and "response_format" not in body for body in short)


def test_a_job_of_many_failures_says_what_for(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    server.handler = lambda body, _: (
        (400, {}, b"too long") if "Summary" in body["messages"][1]["content"] else completion("Yes.")
    )
    gm.score(pairs(3), [gm.metrics.judge(OpenAI("m", server.url), cache=False)])
    assert "100.0% of the questions have no answer, most often: error: \"HTTP 400 'too long'\"" in caplog.text


@pytest.mark.parametrize("model", ["/no/such/folder", "./no/such", "~/none", "a/b/c"])
@pytest.mark.parametrize("kind", [gm.judges.Transformers, gm.judges.VLLM])
def test_a_folder_that_is_not_there_is_named(
    kind: Callable[[str], gm.judges.Backend], model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setitem(sys.modules, "vllm", types.SimpleNamespace(LLM=None))
    judge = gm.metrics.judge(kind(model), cache=False)
    with pytest.raises(BackendError, match=rf"the model '{model}' cannot be loaded \(no such folder\): name a folder"):
        gm.score(pairs(1), [judge])


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(BackendError, match=rf"the model '{tmp_path}' cannot be loaded \(\w+: .+\): name a folder"):
        gm.score(pairs(1), [gm.metrics.judge(gm.judges.Transformers(tmp_path), cache=False)])


def raising(messages: list[gm.judges.Message]) -> str:
    return messages[9]["content"]


def two(messages: list[gm.judges.Message], options: object) -> str:
    return ""


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda messages: None, "'.*<lambda>' of the fake judge returned None, not the text of a reply"),
        (lambda messages: 3, "returned 3, not the text"),
        (lambda messages: {"overall": 3}, "returned {'overall': 3}, not the text"),
        (raising, "the rule 'raising' .*raised IndexError: list index out of range"),
        (two, "the rule 'two' .*called with the messages alone, raised TypeError: .*'options'"),
    ],
)
def test_a_rule_that_gives_no_reply_is_named(rule: Any, said: str) -> None:
    with pytest.raises(BackendError, match=said):
        gm.score(pairs(2), [gm.metrics.judge(gm.judges.Fake(rule), cache=False)])


def test_a_rule_is_a_function_of_the_messages() -> None:
    judge = gm.judges.Fake(lambda messages: '{"overall": 4}' if "Summary 1." in messages[-1]["content"] else "no idea")
    found = gm.score(pairs(2), [gm.metrics.judge(judge, dimensions=["overall"], cache=False)])
    assert found["judge_overall"] == [None, 4.0]
