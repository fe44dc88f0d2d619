"""BERTScore against the package bert_score, run on the same models here."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from bertscores import FIELDS, GOLDEN, Theirs, bert_score, encoder, ours, real, statuses
from tiny import minilm, need

import gistmark as gm
from gistmark.models import embedder
from gistmark_engine.errors import OptionError

small, theirs = (pytest.fixture(scope="module")(make) for make in (encoder, bert_score))
P = [0.9186350107192993, 0.7725328803062439, 0.22761966288089752]
R = [0.8959047198295593, 0.8328374028205872, 0.2479512095451355]
F = [0.9071274995803833, 0.8015525341033936, 0.23735083639621735]
F_LAYER_4 = [0.890496015548706, 0.7737758755683899, 0.5343912839889526]
F_IDF = [0.8735836740354919, 0.7714707851409912, 0.2508332069290104]


def test_golden_values() -> None:
    model = str(minilm())
    np.testing.assert_allclose(ours(GOLDEN, model, layer=6), np.stack([P, R, F], 1), atol=1e-5)
    np.testing.assert_allclose(ours(GOLDEN, model, layer=4)[:, 2], F_LAYER_4, atol=1e-5)
    np.testing.assert_allclose(ours(GOLDEN, model, layer=6, idf=True)[:, 2], F_IDF, atol=1e-5)


@pytest.mark.parametrize("idf", [False, True])
def test_equal_to_bert_score_on_real_texts(theirs: Theirs, idf: bool) -> None:
    data, model = real(24), str(minilm())
    np.testing.assert_allclose(ours(data, model, layer=3, idf=idf), theirs(data, model, 3, idf=idf), atol=1e-5)


@pytest.mark.parametrize("tokens", [1, 150, 4096])
def test_any_batch_size_and_order(small: str, theirs: Theirs, tokens: int) -> None:
    data = pl.DataFrame(real(24))
    expected = theirs(data.to_dict(as_series=False), small, 2)
    np.testing.assert_allclose(ours(data, small, layer=2, batch_tokens=tokens), expected, atol=1e-5)
    order = np.random.default_rng(tokens).permutation(24)
    mixed = ours(data[order.tolist()], small, layer=2, batch_tokens=tokens)
    np.testing.assert_allclose(mixed, expected[order], atol=1e-5)


def test_several_devices(small: str, theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(embedder.MEMORY, "cpu", 32 * 4 * 400)
    data = real(40)
    scored = gm.score(pl.DataFrame(data), [gm.metrics.bertscore(small, layer=2, device="cpu,cpu")])
    np.testing.assert_allclose(scored.select(FIELDS).to_numpy(), theirs(data, small, 2), atol=1e-5)


def test_the_best_of_several_references_is_taken_score_by_score(small: str) -> None:
    data = real(10)
    many = ours(data, small, layer=1)
    pairs = {
        "summary": [text for text, found in zip(*data.values(), strict=True) for _ in found],
        "references": [text for found in data["references"] for text in found],
    }
    rows = np.repeat(np.arange(10), [len(found) for found in data["references"]])
    single_scores = ours(pairs, small, layer=1)
    best = np.array([single_scores[rows == row].max(0) for row in range(10)])
    np.testing.assert_allclose(many, best, atol=1e-5)


def test_rescaling(small: str, theirs: Theirs, tmp_path: Path) -> None:
    table = tmp_path / "baseline.csv"
    table.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.5,0.4,0.45\n2,0.83,0.82,0.825\n")
    data = real(12)
    expected = theirs(data, small, 2, rescale_with_baseline=True, baseline_path=str(table), lang="en")
    np.testing.assert_allclose(ours(data, small, layer=2, rescale=True, baseline=table), expected, atol=2e-5)
    raw = ours(data, small, layer=2)
    assert ours(data, small, layer=2, rescale=True, baseline=table)[0, 0] == (raw[0, 0] - 0.83) / (1 - 0.83)
    with pytest.raises(
        OptionError, match="no baseline is known for tinyModel at layer 2 in language 'en'; name a file"
    ):
        gm.metrics.bertscore(small, layer=2, rescale=True)
    with pytest.raises(OptionError, match="has no layer 3"):
        gm.metrics.bertscore(small, layer=3, rescale=True, baseline=table)
    table.write_text("a,b\n1,2\n")
    with pytest.raises(OptionError, match="cannot be read as CSV with LAYER,P,R,F"):
        gm.metrics.bertscore(small, layer=2, rescale=True, baseline=table)


def test_each_score_is_rescaled_by_its_own_baseline_and_may_be_negative(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "baseline.csv"
    table.write_text("LAYER,P,R,F\n2,0.83,0.82,0.825\n")
    pairs = np.array([[0.8, 0.9, 0.85]])
    monkeypatch.setattr("gistmark.models.bertscorer.Bertscorer._pairs", lambda *_: pairs)
    found = ours({"summary": ["a"], "references": ["b"]}, small, layer=2, rescale=True, baseline=table)
    expected = [[-0.17647058823529357, 0.4444444444444447, 0.14285714285714296]]
    np.testing.assert_allclose(found, expected, atol=1e-12)


EMPTY = {
    "summary": ["", "hello world", "", " \n", "hello world", "hello world", None],
    "references": [["hello world"], [""], [""], ["", "hello"], ["", "hello world"], [None, "hello"], ["hello"]],
}


def test_empty_texts(small: str, theirs: Theirs) -> None:
    found = ours(EMPTY, small, layer=2)
    np.testing.assert_array_equal(np.isnan(found).any(1), [False, True, True, False, False, False, True])
    assert found[0].tolist() == found[3].tolist() == [0, 0, 0]
    np.testing.assert_allclose(found[4], 1, atol=1e-6)
    empty_summary, empty_reference = "empty_summary", "empty_reference"
    expected = [empty_summary, empty_reference, empty_reference, empty_summary, "ok", "ok", None]
    assert statuses(EMPTY, small, layer=2) == expected
    data = {name: values[:5] for name, values in EMPTY.items()}
    np.testing.assert_allclose(ours(data, small, layer=2, parity="reference"), theirs(data, small, 2), atol=1e-5)
    assert statuses(EMPTY, small, layer=2, parity="reference") == expected


def test_weights_by_rarity_that_are_all_zero_leave_nothing_to_average(small: str, theirs: Theirs) -> None:
    data = {"summary": ["cat", "the dog"], "references": ["the cat", "the cat"]}
    found = ours(data, small, layer=2, idf=True)
    assert np.isnan(found[:, 1:]).all()
    assert np.isnan(found[0, 0])
    assert found[1, 0] == pytest.approx(theirs(data, small, 2, idf=True)[1, 0], abs=1e-5)
    assert statuses(data, small, layer=2, idf=True) == ["undefined", "undefined"]


LONG = "the bank rose and the river fell "


def test_long_texts_are_cut_and_say_so(small: str, theirs: Theirs) -> None:
    data = {"summary": [LONG * 30 + "cat", "cat"], "references": [LONG * 30 + "no dog", "cat"]}
    found = ours(data, small, layer=2)
    np.testing.assert_allclose(found, theirs(data, small, 2), atol=1e-5)
    assert statuses(data, small, layer=2) == ["truncated", "ok"]
    whole = ours(data, small, layer=2, long="window")
    assert whole[0, 2] < found[0, 2] - 1e-4
    assert statuses(data, small, layer=2, long="window") == ["ok", "ok"]
    short = real(6)
    np.testing.assert_allclose(ours(short, small, layer=2, long="window"), ours(short, small, layer=2), atol=1e-5)


def test_half_precision_stays_within_the_bound() -> None:
    data, model = real(8), str(minilm())
    exact = ours(data, model, layer=6)
    for dtype in ("bfloat16", "float16"):
        assert np.abs(ours(data, model, layer=6, dtype=dtype) - exact).max() < 0.02


def test_layers_and_baselines_are_those_of_bert_score() -> None:
    need("bert_score")
    package = importlib.import_module("bert_score")
    tables = importlib.import_module("gistmark.models.tables")
    known = importlib.import_module("bert_score.utils").model2layers
    assert {model: tables.layer_of(model) for model in known} == known
    assert tables.layer_of("scibert_scivocab_uncased") == 8
    assert tables.layer_of("no-such-model") is None
    assert tables.baseline_of("en", "roberta-large", 17) == (0.83150584, 0.8314941, 0.83122575)
    folder = Path(str(package.__file__)).parent / "rescale_baseline"
    files = list(folder.rglob("*.tsv"))
    assert len(files) == 72
    for path in files[::9]:
        language, *name = path.relative_to(folder).with_suffix("").parts
        for layer in (1, 5):
            assert tables.baseline_of(language, "/".join(name), layer) == tables.read_baseline(path, layer)
