"""Calls are made once, kept for good, retried by the policy, and never more of them than the budget allows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gistmark.judges.asking import Asker, Question, call_key
from gistmark.judges.backends.fake import Fake
from gistmark.judges.backends.inflight import in_flight
from gistmark.judges.budget import Budget, prompt_tokens
from gistmark.judges.cache import Cache, default_path
from gistmark.judges.contract import BudgetError, Conversation, Options, Reply
from gistmark.judges.policy import Policy
from gistmark.judges.template import load
from gistmark_engine.errors import GistmarkError, InputError, OptionError

SINGLE = load("annotator_single")
MULTI = load("multi")
SUPPORT = load("support")


def question(number: int, sample: int = 0) -> Question:
    return Question(
        SINGLE, {"persona": "Role: nurse", "query": "Is it safe?", "summary": f"Summary {number}."}, sample=sample
    )


def answering(*replies: str | Reply) -> Fake:
    """A backend that gives these replies in turn, the last one from then on."""
    waiting = list(replies)
    return Fake(lambda *_: waiting.pop(0) if len(waiting) > 1 else waiting[0])


GOOD = '{"satisfaction": 4, "reason": "clear"}'


def test_answers_come_in_order_and_equal_questions_are_asked_once() -> None:
    backend = Fake()
    asker = Asker(backend)
    questions = [question(number % 7) for number in range(50)]
    answers = asker.ask(questions)
    assert backend.calls == 7
    assert answers[:7] == answers[7:14]
    alone = [Asker(Fake()).ask([question(number)])[0] for number in range(7)]
    assert [answer.values for answer in answers[:7]] == [answer.values for answer in alone]


def test_retries_follow_the_policy() -> None:
    seen: list[tuple[float, int, str]] = []

    def rule(conversation: Conversation, options: Options) -> str:
        seen.append((options.temperature, options.seed, conversation[-1]["content"]))
        return "no idea"

    answer = Asker(Fake(rule), Policy(seed=10)).ask([question(1)])[0]
    assert [(warmth, seed) for warmth, seed, _ in seen] == [(0.0, 11), (0.7, 12), (0.7, 13), (0.7, 14)]
    assert "satisfaction" in seen[1][2].splitlines()[-1]
    assert seen[0][2] in seen[1][2]
    assert (answer.status, answer.values, answer.attempts) == ("failed", {}, 4)
    assert answer.errors == {"satisfaction": "no_score"}


def test_a_cut_reply_is_asked_for_with_more_room() -> None:
    limits: list[int] = []

    def rule(_: Conversation, options: Options) -> Reply:
        limits.append(options.max_tokens)
        return Reply('{"satisfaction": 4', "length")

    answer = Asker(Fake(rule), Policy(max_tokens=100)).ask([question(1)])[0]
    assert limits == [100, 200, 400, 400]
    assert answer.status == "truncated"


def test_only_what_is_missing_is_asked_again() -> None:
    first = json.dumps(dict.fromkeys(MULTI.schema.required, 3) | {"fluency": 9, "overall": "?"})
    second = '{"fluency": 2, "overall": 5, "relevance": 1}'
    asker = Asker(answering(first, second))
    answer = asker.ask([Question(MULTI, {"source": "s", "summary": "t"})])[0]
    assert answer.values["relevance"] == 3
    assert (answer.values["fluency"], answer.values["overall"]) == (2, 5)
    assert (answer.attempts, answer.errors) == (2, {})


def test_missing_ids_are_asked_again_by_id() -> None:
    said: list[str] = []

    def rule(conversation: Conversation, _: Options) -> str:
        said.append(conversation[-1]["content"])
        ids = (1, 3) if len(said) == 1 else (2,)
        return json.dumps({"decisions": [{"id": number, "supported": True} for number in ids]})

    answer = Asker(Fake(rule)).ask([Question(SUPPORT, {"source": "s", "facts": "1. a\n2. b\n3. c"}, (1, 2, 3))])[0]
    assert set(answer.values) == {1, 2, 3}
    assert said[1].endswith("exactly these ids: 2.")


def test_j22_every_setting_has_its_own_key() -> None:
    policy, warm = Policy(), Policy(samples=3)
    a, b = Fake(model="a"), Fake(model="b")
    keys = [
        call_key(a, question(1), policy.options(1, 0, 0), ""),
        call_key(b, question(1), policy.options(1, 0, 0), ""),
        *(call_key(a, question(1, sample), warm.options(1, sample, 0), "") for sample in range(3)),
        call_key(a, question(1), Policy(max_tokens=2048).options(1, 0, 0), ""),
    ]
    assert len(set(keys)) == 6
    same = policy.options(1, 0, 0)
    assert call_key(a, question(1, sample=1), same, "") != call_key(a, question(1, sample=2), same, "")
    assert keys[0] == call_key(Fake(model="a"), question(1), Policy().options(1, 0, 0), "")
    quantised = Fake(model="a")
    quantised.decoding = {"bits": 4}
    others = [
        call_key(quantised, question(1), policy.options(1, 0, 0), ""),
        call_key(a, question(2), policy.options(1, 0, 0), ""),
        call_key(a, Question(MULTI, question(1).texts), policy.options(1, 0, 0), ""),
        call_key(a, question(1), policy.options(2, 0, 0), "again"),
        call_key(a, question(1), Policy(seed=1).options(1, 0, 0), ""),
    ]
    assert len({*keys, *others}) == 11


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

    class KilledError(Exception):
        pass

    def dying(_: Conversation, options: Options) -> str:
        if options.temperature:
            raise KilledError
        return "nonsense"

    with pytest.raises(KilledError):
        Asker(Fake(dying), cache=cache).ask([question(1)])
    warmths: list[float] = []

    def rule(_: Conversation, options: Options) -> str:
        warmths.append(options.temperature)
        return GOOD

    assert Asker(Fake(rule), cache=cache).ask([question(1)])[0].attempts == 2
    assert warmths == [0.7]


def test_f04_an_error_is_one_rows_null_and_is_not_stored(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")

    def rule(conversation: Conversation, _: Options) -> str | Reply:
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
from gistmark.judges.asking import Asker, Question
from gistmark.judges.backends.fake import Fake, hashed
from gistmark.judges.cache import Cache
from gistmark.judges.template import load
log = open(sys.argv[2], "a", buffering=1)
def rule(conversation, options):
    time.sleep(0.002)
    log.write("call\\n")
    if options.temperature == 0 and hash_of(conversation) % 3 == 0:
        return "nonsense"
    return hashed(conversation, options)
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


def test_a_budget_of_calls_is_never_crossed_and_the_job_goes_on_from_there(tmp_path: Path) -> None:
    backend, cache = Fake(), Cache(tmp_path / "c.sqlite")
    questions = [question(number) for number in range(30)]
    with pytest.raises(BudgetError, match="10 calls"):
        Asker(backend, cache=cache, budget=Budget(calls=10)).ask(questions)
    assert backend.calls == 10
    rest = Asker(backend, cache=cache, budget=Budget(calls=20)).ask(questions)
    assert backend.calls == 30
    assert rest == Asker(Fake()).ask(questions)


def test_a_budget_of_tokens_counts_what_was_spent() -> None:
    backend = Fake(lambda *_: Reply(GOOD, tokens=(100, 20)))
    budget = Budget(tokens=2000)
    with pytest.raises(BudgetError, match="2000 tokens"):
        Asker(backend, Policy(max_tokens=50), budget=budget).ask([question(number) for number in range(30)])
    assert budget.spent_tokens == 120 * backend.calls <= 2000
    asked = prompt_tokens([{"role": "user", "content": "x" * 300}])
    assert asked == 108
    assert 2000 - budget.spent_tokens < 50 + 600


def test_a_backend_that_breaks_its_contract_is_named() -> None:
    class Deaf(Fake):
        def generate(self, conversations: object, options: object) -> object:  # type: ignore[override]
            return iter(())

    class Double(Fake):
        def generate(self, conversations: object, options: object) -> object:  # type: ignore[override]
            return iter([(0, Reply(GOOD)), (0, Reply(GOOD))])

    with pytest.raises(GistmarkError, match="'fake' left 1 of 1 calls unanswered"):
        Asker(Deaf()).ask([question(1)])
    with pytest.raises(GistmarkError, match="twice"):
        Asker(Double()).ask([question(1), question(2)])


def test_in_flight_is_bounded_and_stops_at_the_first_exception() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def work(index: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1
        return index * index

    assert dict(in_flight(work, 100, 8)) == {index: index * index for index in range(100)}
    assert 1 < most <= 8
    begun: list[int] = []

    def failing(index: int) -> int:
        begun.append(index)
        if index == 3:
            raise KeyError(index)
        time.sleep(0.01)
        return index

    with pytest.raises(KeyError):
        list(in_flight(failing, 1000, 4))
    time.sleep(0.05)
    assert len(begun) < 20
    assert list(in_flight(work, 0, 8)) == []


def test_settings_out_of_range_are_refused() -> None:
    for settings in ({"retries": -1}, {"max_tokens": 0}, {"samples": 0}, {"seed": -1}):
        with pytest.raises(OptionError, match=next(iter(settings))):
            Policy(**settings)


def test_the_default_file_is_data_not_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "gistmark" / "judges.sqlite"
    assert Cache().path == str(default_path())


def test_a_file_that_cannot_hold_replies_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is no database, whatever its name says" * 40)
    for path in (tmp_path / "text", tmp_path / "text" / "below"):
        with pytest.raises(InputError, match=r"cannot be kept in .*text"):
            Asker(Fake(), cache=Cache(path)).ask([question(1)])


def test_replies_can_be_kept_in_memory_and_shared() -> None:
    cache, backend = Cache(":memory:"), Fake()
    first, second = (Asker(backend, cache=cache).ask([question(1)]) for _ in range(2))
    assert first == second
    assert backend.calls == 1
