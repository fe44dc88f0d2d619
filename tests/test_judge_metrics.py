"""The multidimensional judge: modes, samples, expected values, options."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from judging import Told, constant, score, shown

from gistmark import judges
from gistmark.judges.contract import Conversation, Options, Reply, Token
from gistmark.judges.expected import expected_value
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Batch
from gistmark_engine.plan import score_batch


def test_judge_asks_one_question_a_row_or_one_a_dimension() -> None:
    for mode, calls in (("joint", 2), ("per_dimension", 12)):
        backend = judges.Fake()
        metric = judges.judge(backend, mode=mode, cache=False)  # type: ignore[arg-type]
        found = score(metric, summary=["a", "b"], source=["s", "s"])
        assert backend.calls == calls
        assert list(found)[:6] == [f"judge_{name}" for name in judges.judge(backend, cache=False).options["dimensions"]]  # type: ignore[attr-defined]
        assert all(1 <= value <= 5 for name in list(found)[:6] for value in found[name])


def test_judge_keeps_the_dimensions_it_could_read() -> None:
    reply = '{"relevance": 4, "consistency": 5, "fluency": 3, "coherence": "?", "informativeness": 9, "overall": 4}'
    found = score(judges.judge(constant(reply), cache=False), summary=["a"], source=["s"])
    assert [found[f"judge_{name}"][0] for name in ("relevance", "coherence", "informativeness")] == [4.0, None, None]
    assert found["judge_status"] == ["failed"]


def test_j17_failed_rows_are_null_not_zero() -> None:
    replies = {"a": '{"overall": 4}', "b": "?", "c": '{"overall": 2}'}
    backend = judges.Fake(lambda conversation: replies[shown(conversation, "summary")])
    metric = judges.judge(backend, dimensions=["overall"], cache=False)
    batch = pa.table({"summary": ["a", "b", "c"], "source": ["s"] * 3})
    values = score_batch(batch, [metric]).column("judge_overall")
    assert (pa.compute.mean(values).as_py(), len(values) - values.null_count, values.null_count) == (3.0, 2, 1)


def test_samples_are_averaged_if_half_can_be_read() -> None:
    def rule(_: Conversation, options: Options) -> str:
        sample = options.seed // 1000
        assert options.temperature == 1.0
        return f'{{"overall": {sample + 1}}}' if sample < 2 else "?"

    def judged(samples: int) -> tuple[float | None, str]:
        metric = judges.judge(Told(rule), dimensions=["overall"], samples=samples, retries=0, cache=False)
        found = score(metric, summary=["a"], source=["s"])
        return found["judge_overall"][0], found["judge_status"][0]

    assert judged(2) == (1.5, "ok")
    assert judged(4) == (1.5, "repaired")
    assert judged(5) == (None, "failed")


def test_expected_value_over_the_alternatives() -> None:
    spec = {"type": "integer", "minimum": 1, "maximum": 5}
    top = {"4": math.log(0.6), " 5": math.log(0.2), "nine": math.log(0.1), "7": math.log(0.1)}
    tokens = [
        Token('{"fluency": ', {}),
        Token("3", {"3": 0.0}),
        Token(', "overall":', {}),
        Token(" 4", top),
        Token("}", {}),
    ]
    assert expected_value(tokens, "overall", spec) == pytest.approx((4 * 0.6 + 5 * 0.2) / 0.8, abs=1e-12)
    assert expected_value(tokens, "fluency", spec) == 3.0
    assert expected_value([], "overall", spec) is None
    assert expected_value([Token("4", {"x": 0.0})], "overall", spec) is None
    reply = Reply('{"fluency": 3, "overall": 4}', scores=tuple(tokens))
    metric = judges.judge(constant(reply), dimensions=["overall"], expected=True, cache=False)
    found = score(metric, summary=["a"], source=["s"])
    assert found["judge_overall"] == [pytest.approx(4.25, abs=1e-12)]
    mute = judges.judge(constant('{"overall": 4}'), dimensions=["overall"], expected=True, cache=False)
    with pytest.raises(judges.BackendError, match=r"'fake' reports no log-probabilities, .*: ask it without expected"):
        score(mute, summary=["a"], source=["s"])
    plan = mute.run.dry_run(Batch(2, {"summary": pa.array(["a", "b"]), "source": pa.array(["s", "s"])}))  # type: ignore[attr-defined]
    assert plan.calls == 2


def test_a_reference_is_shown_only_where_asked_for() -> None:
    prompts: list[str] = []

    def rule(conversation: Conversation) -> str:
        prompts.append(shown(conversation, "reference"))
        return '{"overall": 4}'

    columns = {"summary": ["a"] * 3, "source": ["s"] * 3, "references": [[None, " ", "good"], None, []]}
    metric = judges.judge(judges.Fake(rule), dimensions=["overall"], reference=True, cache=False)
    assert score(metric, **columns)["judge_overall"] == [4.0] * 3
    assert prompts == ["good", ""]
    assert metric.optional == ("references",)
    assert "references" not in judges.judge(judges.Fake(), cache=False).inputs


def test_options_are_checked() -> None:
    fake = judges.Fake()
    for wrong in (
        lambda: judges.judge(fake, mode="both"),  # type: ignore[arg-type]
        lambda: judges.judge(fake, dimensions=["colour"]),
        lambda: judges.judge(fake, template="nowhere"),
        lambda: judges.judge(fake, template="support"),
        lambda: judges.judge(fake, model="m"),
        lambda: judges.judge("http://localhost:1/v1"),
        lambda: judges.judge(fake, samples=0),
        lambda: judges.factscore(fake, gamma=-1),
        lambda: judges.factscore(fake, parity="close"),  # type: ignore[arg-type]
        lambda: judges.annotator(fake, mode="triple"),  # type: ignore[arg-type]
        lambda: judges.prometheus(fake, form="xml"),  # type: ignore[arg-type]
    ):
        with pytest.raises(OptionError):
            wrong()
