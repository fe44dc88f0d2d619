"""Replies are kept for good: replayed, resumed after a kill, shared, and never served where they did not parse."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from asked import GOOD, answering, question
from judging import Told

from gistmark import judges
from gistmark.judges.asking import Asker, call_key
from gistmark.judges.backends.fake import Fake
from gistmark.judges.cache import Cache, default_path
from gistmark.judges.contract import Conversation, Options, Reply
from gistmark.judges.policy import Policy
from gistmark_engine.errors import InputError, OptionError


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    questions = [question(number) for number in range(20)]
    first = Asker(Fake(), cache=Cache(tmp_path / "c.sqlite")).ask(questions)
    again = Fake()
    assert Asker(again, cache=Cache(tmp_path / "c.sqlite")).ask(questions) == first
    assert again.calls == 0


def test_raw_replies_are_stored_as_they_arrived(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    reply = Reply('```json\n{"satisfaction": "4/5"}\n```\ud83d', tokens=(12, 7))
    asker = Asker(answering(reply), cache=cache)
    assert asker.ask([question(1)])[0].status == "repaired"
    key = call_key(asker.backend, question(1), Policy().options(1, 0, 0), "")
    assert cache.get(key) == reply
    assert cache.counts() == {"repaired": 1}


def test_a_reply_that_did_not_parse_is_never_served_as_a_result(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    assert Asker(answering("nonsense"), cache=cache).ask([question(1)])[0].status == "failed"
    assert cache.counts() == {"failed": 4}
    better = answering(GOOD)
    assert Asker(better, cache=cache).ask([question(1)])[0].values["satisfaction"] == 4
    assert better.calls == 1
    last = answering("nonsense")
    assert Asker(last, cache=cache).ask([question(1)])[0].values["satisfaction"] == 4
    assert last.calls == 0


def test_a_chain_that_succeeded_late_is_replayed_whole(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    first = Asker(answering("nonsense", "still", GOOD), cache=cache).ask([question(1)])
    silent = answering("never asked")
    assert Asker(silent, cache=cache).ask([question(1)]) == first
    assert silent.calls == 0
    assert first[0].attempts == 3


def test_a_chain_that_was_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")

    class KilledError(BaseException):
        pass

    def dying(_: Conversation, options: Options) -> str:
        if options.temperature:
            raise KilledError
        return "nonsense"

    with pytest.raises(KilledError):
        Asker(Told(dying), cache=cache).ask([question(1)])
    warmths: list[float] = []

    def rule(_: Conversation, options: Options) -> str:
        warmths.append(options.temperature)
        return GOOD

    assert Asker(Told(rule), cache=cache).ask([question(1)])[0].attempts == 2
    assert warmths == [0.7]


def test_f04_an_error_is_one_rows_null_and_is_not_stored(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")

    def rule(conversation: Conversation) -> str | Reply:
        return Reply("", "error", "HTTP 503") if "Summary 17." in conversation[-1]["content"] else GOOD

    asker = Asker(Fake(rule), cache=cache)
    answers = asker.ask([question(number) for number in range(1000)])
    assert [number for number, answer in enumerate(answers) if answer.errors] == [17]
    assert answers[17].errors == {"satisfaction": "error: 'HTTP 503'"}
    assert answers[17].status == "failed"
    assert answers[17].attempts == 1
    assert sum(cache.counts().values()) == 999
    healthy = answering(GOOD)
    assert not any(answer.errors for answer in Asker(healthy, cache=cache).ask([question(n) for n in range(1000)]))
    assert healthy.calls == 1


SCRIPT = """
import sys, time
from gistmark.judges.asking import Asker
from gistmark.judges.question import Question
from gistmark.judges.backends.fake import Fake, hashed
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Options
from gistmark.judges.template import load
log = open(sys.argv[2], "a", buffering=1)
def rule(conversation):
    time.sleep(0.002)
    log.write("call\\n")
    if "last reply" not in conversation[-1]["content"] and hash_of(conversation) % 3 == 0:
        return "nonsense"
    return hashed(conversation, Options(schema=template.wire))
def hash_of(conversation):
    return sum(map(ord, conversation[-1]["content"][:400]))
template = load("annotator_single")
questions = [
    Question(template, {"persona": "p", "query": "q", "summary": f"Summary {n}."}) for n in range(300)
]
answers = Asker(Fake(rule), cache=Cache(sys.argv[1])).ask(questions)
print([(answer.values, answer.attempts, answer.status) for answer in answers])
"""


def run(script: Path, cache: Path, log: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, script, cache, log], stdout=subprocess.PIPE, text=True, env={**os.environ})


def lines(log: Path) -> int:
    return log.read_text().count("\n") if log.exists() else 0


def test_killed_at_any_moment_it_finishes_without_asking_twice(tmp_path: Path) -> None:
    script, cache, log = tmp_path / "job.py", tmp_path / "c.sqlite", tmp_path / "calls"
    script.write_text(SCRIPT)
    whole = run(script, tmp_path / "whole.sqlite", tmp_path / "whole").communicate()[0]
    for goal in (40, 170, 310):
        job = run(script, cache, log)
        deadline = time.monotonic() + 60
        while lines(log) < goal and job.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        job.send_signal(signal.SIGKILL)
        job.communicate()
        assert job.returncode == -signal.SIGKILL
    resumed = run(script, cache, log)
    assert resumed.communicate()[0] == whole
    assert whole.count("satisfaction") == 300
    assert lines(tmp_path / "whole") <= lines(log) <= lines(tmp_path / "whole") + 3


def test_threads_and_processes_share_one_file(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    answers: dict[int, object] = {}

    def ask(turn: int) -> None:
        answers[turn] = Asker(Fake(), cache=cache).ask([question(number) for number in range(50)])

    threads = [threading.Thread(target=ask, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answers[turn] == answers[0] for turn in range(4))
    assert sum(cache.counts().values()) == 50
    child = os.fork()
    if child == 0:
        silent = Fake(lambda *_: os._exit(3))
        Asker(silent, cache=cache).ask([question(number) for number in range(50)])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_default_file_is_data_not_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "gistmark" / "judges.sqlite"
    assert Cache().path == str(default_path())


def test_a_file_that_cannot_hold_replies_is_named(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("this is no database, whatever its name says" * 40)
    with pytest.raises(InputError, match=r"cannot be kept in .*text"):
        Asker(Fake(), cache=Cache(text)).ask([question(1)])
    for place, said in (
        (text / "below", "does not exist"),
        (tmp_path / "none" / "c", "does not exist"),
        (tmp_path, "is a"),
    ):
        with pytest.raises(OptionError, match=rf"cache {place}.* {said}"):
            judges.judge(Fake(), cache=place)
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_replies_can_be_kept_in_memory_and_shared() -> None:
    cache, backend = Cache(":memory:"), Fake()
    first, second = (Asker(backend, cache=cache).ask([question(1)]) for _ in range(2))
    assert first == second
    assert backend.calls == 1
