"""BERTScore as a metric among others: refusals, workers, the command line, a missing package."""

from __future__ import annotations

import importlib
import io
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from bertscores import FIELDS, GOLDEN, encoder, ours, real

import gistmark as gm
from gistmark.cli import job, progress
from gistmark.models.checkpoint import Checkpoint
from gistmark_engine.errors import InputError, MissingExtra, OptionError

small = pytest.fixture(scope="module")(encoder)


def test_what_is_refused_before_work_starts(small: str) -> None:
    with pytest.raises(OptionError, match="no layer is known for tinyModel; set layer"):
        gm.metrics.bertscore(small)
    with pytest.raises(OptionError, match="batch_tokens must be at least 1, not 0"):
        gm.metrics.bertscore(small, layer=2, batch_tokens=0)
    with pytest.raises(OptionError, match="model must be a string or a path or None, not 7"):
        gm.metrics.bertscore(7)
    with pytest.raises(OptionError, match="metric 'bertscore': no model was named; set model"):
        gm.score(GOLDEN, ["bertscore"])
    with pytest.raises(OptionError, match="has 2 layers; layer is 0 to 2, not 5"):
        gm.score(GOLDEN, [gm.metrics.bertscore(small, layer=5, device="cpu")])
    with pytest.raises(InputError, match="reads text, and this column is"):
        gm.score(
            {"summary": [["a", "b"]], "references": ["a"]},
            [gm.metrics.bertscore(small, layer=2, device="cpu")],
            columns={"summary": gm.tokens("summary")},
        )


def test_metrics_travel_to_workers(small: str) -> None:
    metric = gm.metrics.bertscore(small, layer=2, device="cpu")
    before = gm.score(pl.DataFrame(GOLDEN), [metric])
    again = pickle.loads(pickle.dumps(metric.run))
    assert again.checkpoint == Checkpoint(small, device="cpu")
    expression = gm.bertscore("summary", "references", model=small, layer=2, device="cpu")
    assert pl.DataFrame(GOLDEN).lazy().with_columns(expression).unnest("bertscore").collect().equals(before)


def test_the_command_line_reads_a_column_whole_where_rarity_counts(
    small: str, cli: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pl.DataFrame(real(9))
    data.write_parquet(tmp_path / "pairs.parquet")
    monkeypatch.setattr(job, "ROWS", 2)
    options = [f"bertscore.{option}" for option in (f"model={small}", "layer=2", "idf=true", "device=cpu")]
    chosen = [part for option in options for part in ("--set", option)]
    output = tmp_path / "scored.parquet"
    code, table, _ = cli("score", tmp_path / "pairs.parquet", "--metrics", "bertscore", *chosen, "--output", output)
    assert code == 0
    assert "bertscore_f1" in table
    expected = ours(data, small, layer=2, idf=True)
    np.testing.assert_allclose(pl.read_parquet(output).select(FIELDS).to_numpy(), expected, atol=1e-6)


def test_the_bar_of_tokens_moves_on_with_its_end() -> None:
    bar = importlib.import_module("tqdm").tqdm(total=0, file=io.StringIO())
    for needed, done in ((5, 0), (0, 3), (7, 0), (0, 9)):
        progress.count(bar, needed, done)
    assert (bar.total, bar.n) == (12, 12)


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_package_is_named_with_its_command(small: str, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        MissingExtra, match=r"a metric that runs a model needs an extra: pip install 'gistmark\[models\]'"
    ):
        gm.score(GOLDEN, [gm.metrics.bertscore(small, layer=2, device="cpu", dtype="float32")])
