"""Judge metrics as jobs: batches, budgets, dry runs, signatures, rewrites."""

from __future__ import annotations

import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from judging import READER, by_rule, constant, score, shown

from gistmark import judges
from gistmark.judges.contract import Conversation
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Batch


def test_numbers_do_not_depend_on_the_batch() -> None:
    texts = {"summary": [f"Summary {number}." for number in range(12)], "source": ["A source."] * 12}
    metric = judges.judge(judges.Fake(), cache=False)
    whole = score(metric, **texts)
    parts = [score(metric, **{name: values[at : at + 5] for name, values in texts.items()}) for at in (0, 5, 10)]
    assert whole == {name: [value for part in parts for value in part[name]] for name in whole}
    assert score(metric, summary=pa.array([], pa.string()), source=pa.array([], pa.string()))["judge_overall"] == []


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_every_arrow_layout_of_text(kind: pa.DataType) -> None:
    texts = pa.array(["a", None, "b"]).cast(kind)
    found = score(judges.judge(judges.Fake(), cache=False), summary=texts, source=texts)
    assert found["judge_status"] == ["ok", None, "ok"]
    with pytest.raises(InputError, match="reads text in the role 'summary'"):
        score(judges.judge(judges.Fake(), cache=False), summary=[1], source=["s"])


def test_a_job_with_many_failures_says_so(caplog: pytest.LogCaptureFixture) -> None:
    metric = judges.judge(constant("?"), retries=0, cache=False)
    run: Any = metric.run
    run.open()
    score(metric, summary=["a", "b"], source=["s", "s"])
    run.close()
    assert run.failure_rate == 1.0
    assert dict(run.asker.counts) == {"calls": 2, "failed": 2}
    assert "100.0% of the questions have no answer" in caplog.text
    run.open()
    assert run.failure_rate == 0.0


def test_a_dry_run_counts_and_asks_nothing(tmp_path: Path) -> None:
    backend = judges.Fake(by_rule, model="dear")
    metric = judges.factscore(backend, cache=tmp_path / "c.sqlite", max_tokens=100)
    batch = Batch(3, {"summary": pa.array(["One cat.", "Two cats.", None]), "source": pa.array(["s"] * 3)})
    run: Any = metric.run
    plan = run.dry_run(batch)
    assert (plan.calls, plan.cached, backend.calls, plan.completion_tokens) == (4, 0, 0, 400)
    assert plan.prompt_tokens == pytest.approx(
        sum(len(part["content"]) for p in plan.prompts for part in p) / 3 * 2, rel=0.2
    )
    assert [shown(prompt, "summary") for prompt in plan.prompts] == ["One cat.", ""]
    assert run.asker.counts == {}
    score(metric, summary=["One cat."], source=["s"])
    after = run.dry_run(batch)
    assert (after.calls, after.cached) == (2, 2)
    assert sum(run.asker.cache.counts().values()) == 2


def test_a_budget_is_shared_between_metrics(tmp_path: Path) -> None:
    budget, backend = judges.Budget(calls=5), judges.Fake()
    texts = {"summary": ["a", "b", "c"], "source": ["s"] * 3}
    score(judges.judge(backend, budget=budget, cache=tmp_path / "c"), **texts)
    with pytest.raises(judges.BudgetError):
        score(judges.prometheus(backend, budget=budget, cache=tmp_path / "c"), **texts)
    assert backend.calls == 5


def test_every_judge_is_a_record_without_a_model_and_picklable_with_one() -> None:
    columns = {"summary": ["a"], "source": ["s"], "persona": [json.dumps(READER)], "query": ["q"], "rival": ["b"]}
    for factory in (judges.judge, judges.factscore, judges.persona, judges.annotator, judges.prometheus):
        record = factory()  # type: ignore[operator]
        assert "model:none" in record.signature
        with pytest.raises(OptionError, match="no model was named"):
            score(record, **columns)
        metric = factory(judges.Fake(), cache=False)  # type: ignore[operator]
        before = score(metric, **columns)
        assert score(pickle.loads(pickle.dumps(metric)), **columns) == before


def test_every_factory_spells_out_and_checks_the_shared_options() -> None:
    for factory in (judges.judge, judges.factscore, judges.persona, judges.annotator, judges.prometheus):
        options = inspect.signature(factory).parameters
        assert [*options][-7:] == ["model", "seed", "retries", "max_tokens", "cache", "budget", "prefix"]
        assert (options["retries"].default, options["cache"].default, options["prefix"].default) == (3, True, "")
        with pytest.raises(OptionError, match="seed must be an integer, not 'a'"):
            factory(seed="a")  # type: ignore[operator]
        with pytest.raises(TypeError, match="sed"):
            factory(sed=1)  # type: ignore[operator]
    assert "prefix" not in inspect.signature(judges.rewrite).parameters


def test_a_server_is_named_by_its_address() -> None:
    metric: Any = judges.judge("http://localhost:1/v1", model="small", cache=False)
    assert (metric.run.asker.backend.url, metric.run.asker.backend.model) == ("http://localhost:1/v1", "small")
    assert "localhost" not in metric.signature


def test_signatures_tell_what_changes_numbers() -> None:
    fake = judges.Fake()
    made = [
        judges.judge(fake, cache=False),
        judges.judge(fake, cache=False, seed=1),
        judges.judge(fake, cache=False, mode="per_dimension"),
        judges.judge(judges.Fake(model="other"), cache=False),
        judges.prometheus(fake, cache=False),
        judges.prometheus(fake, cache=False, rubric=judges.Rubric("c", ("1", "2", "3", "4", "5"))),
    ]
    assert len({metric.signature for metric in made}) == len(made)
    assert judges.judge(fake, cache="somewhere").signature == made[0].signature
    assert judges.judge(fake, cache=False, prefix="x_").columns.keys() == {"x_" + name for name in made[0].fields}


def test_rewrites_are_chains_and_a_broken_one_ends(tmp_path: Path) -> None:
    def rule(conversation: Conversation) -> str:
        text = shown(conversation, "text")
        return "?" if text == "b more" else json.dumps({"text": f"{text} more"})

    backend = judges.Fake(rule)
    options: dict[str, Any] = {"levels": 3, "retries": 0, "cache": tmp_path / "c.sqlite", "seed": 4}
    links = judges.rewrite(backend, {"1": "a", "2": "b", "3": ""}, "lengthen", **options)
    texts = {name: [link["text"] for link in links if link["doc_id"] == name] for name in "123"}
    assert texts["1"] == ["a", "a more", "a more more", "a more more more"]
    assert texts["2"] == ["b", "b more", None, None]
    assert texts["3"] == ["", None, None, None]
    assert links[1] == {
        "doc_id": "1", "perturbation": "lengthen", "level": 1, "text": "a more", "generator": "fake", "seed": 4,
    }  # fmt: skip
    silent = judges.Fake(lambda *_: "?")
    assert judges.rewrite(silent, {"1": "a"}, "lengthen", **options) == links[:4]
    assert silent.calls == 0
    assert judges.Cache(options["cache"]).jobs() == [
        ("rewrite_lengthen", "fake", {"calls": 5, "ok": 4, "failed": 1}),
        ("rewrite_lengthen", "fake", {"cached": 3, "ok": 3}),
    ]
    with pytest.raises(OptionError, match="sideways"):
        judges.rewrite(backend, {}, "sideways")  # type: ignore[arg-type]
