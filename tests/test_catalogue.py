"""The catalogue: every record as data, without compiling anything."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest

import gistmark as gm
from gistmark import statistics
from gistmark_engine.metric import ROLES, Metric

ROOT = Path(__file__).parents[1]
LIGHT = """
import sys
import gistmark as gm
gm.catalogue(), gm.signature(["rouge"])
gm.rouge("summary", "references"), gm.abstraction("summary", None, "source")
import polars as pl
gm.score(pl.LazyFrame({"summary": ["a"], "references": ["b"], "source": ["c"]}))
print(sorted({"numba", "llvmlite", "torch", "transformers", "pandas", "scipy", "spacy", "tqdm", "pyarrow.compute",
              "sqlite3", "urllib3", "statsmodels", "matplotlib"} & set(sys.modules)))
"""


def test_import_and_declarations_are_light() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_light_test_can_fail() -> None:
    code = LIGHT.replace("import sys\n", "import sys, numba\n", 1)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numba" in done.stdout


@pytest.mark.parametrize("name", gm.catalogue())
def test_records_are_sound(name: str) -> None:
    metric = gm.catalogue()[name]
    assert metric.name == name
    assert set(metric.inputs) <= set(ROLES)
    assert set(metric.optional) < set(metric.inputs)
    assert metric.cite.paper
    assert metric.prefix == ""
    for field, spec in metric.fields.items():
        if spec.low is not None and spec.high is not None:
            assert spec.low < spec.high, field
        assert set(spec.summary) <= {"mean", "median", "quartiles", "counts"}, field
        assert ("counts" in spec.summary) <= (spec.dtype in ("enum", "bool")), field
        assert not (spec.dtype in ("string", "list<string>", "enum") and {"mean", "median"} & set(spec.summary)), field
    assert metric == getattr(gm.metrics, name)()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert metric.needs in ("", "backend", *extras)


def test_no_two_metrics_write_the_same_column() -> None:
    columns = [column for metric in gm.catalogue().values() for column in metric.columns]
    assert len(columns) == len(set(columns))


def test_signatures_by_prefixed_name() -> None:
    signatures = gm.signature(["datastats", gm.metrics.rouge(stem=True, prefix="stem_")])
    assert list(signatures) == ["datastats", "stem_rouge"]
    assert "|stem:yes|" in signatures["stem_rouge"]
    assert signatures["stem_rouge"].endswith(f"|gistmark:{gm.__version__}")
    assert gm.signature(["rouge"])["rouge"] != gm.signature([gm.metrics.rouge(stem=True)])["rouge"]


def test_declared_types_match_the_catalogue() -> None:
    for name, metric in gm.catalogue().items():
        given = {role: role for role in metric.inputs}
        schema = (
            pl.LazyFrame(schema=dict.fromkeys(given, pl.String)).select(gm.scores([name], **given)).collect_schema()
        )
        assert list(dict(schema[name])) == list(metric.columns)  # type: ignore[call-overload]
    assert all(isinstance(metric, Metric) for metric in gm.catalogue().values())


def test_everything_offered_is_there() -> None:
    assert all(hasattr(gm, name) for name in gm.__all__)
    assert set(gm.__all__) <= set(dir(gm))
    assert all(callable(getattr(gm.metrics, name)) for name in gm.metrics.__all__)
    assert set(statistics.__all__) < set(gm.__all__)
    for module in (gm, gm.metrics):
        with pytest.raises(AttributeError, match="no attribute 'rogue'"):
            module.rogue  # noqa: B018


def test_two_summaries_can_be_held_against_each_other() -> None:
    pair = gm.metrics.annotator(gm.judges.Fake(), mode="pair", cache=False)
    frame = pl.DataFrame({"a": ["one"], "b": ["two"], "who": ['{"role": "nurse"}'], "asked": ["why?"]})
    expr = gm.scores([pair], summary="a", rival="b", persona="who", query="asked")
    assert frame.select(expr.struct["judge_annotator_choice"]).item() in ("A", "B", "Neither")
