"""Calls are made once, kept for good, retried by the policy, and never more of them than the budget allows."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from asked import GOOD, MULTI, SUPPORT, answering, question
from judging import Told

from gistmark.judges import rendering
from gistmark.judges.asking import Asker, call_key
from gistmark.judges.backends.fake import Fake
from gistmark.judges.backends.inflight import in_flight
from gistmark.judges.budget import Budget, prompt_tokens
from gistmark.judges.cache import Cache
from gistmark.judges.contract import BudgetError, Conversation, Options, Reply
from gistmark.judges.policy import Policy
from gistmark.judges.question import Question
from gistmark_engine.errors import GistmarkError, OptionError


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

    answer = Asker(Told(rule), Policy(seed=10)).ask([question(1)])[0]
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

    answer = Asker(Told(rule), Policy(max_tokens=100)).ask([question(1)])[0]
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

    def rule(conversation: Conversation) -> str:
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


def test_a_backend_is_given_all_calls_at_once_and_renders_what_it_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[str] = []
    made: list[int] = []

    class Counting(Fake):
        def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
            made.append(len(conversations))
            for index in range(len(conversations)):
                assert len(rendered) == index
                assert question(index).texts["summary"] in conversations[index][-1]["content"]
                yield index, Reply(GOOD)

    def counted(*call: object) -> Conversation:
        rendered.append("")
        return whole(*call)  # type: ignore[arg-type]

    whole = rendering.render
    monkeypatch.setattr(rendering, "render", counted)
    assert len(Asker(Counting()).ask([question(number) for number in range(5000)])) == 5000
    assert (made, len(rendered)) == ([5000], 5000)


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
