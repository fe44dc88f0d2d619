"""BERTScore against the package bert_score, run on the same models here."""

from __future__ import annotations

import importlib
import io
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tiny import kept, minilm, need

import gistmark as gm
from gistmark.cli import job, progress
from gistmark.models import embedder
from gistmark.models.checkpoint import Checkpoint
from gistmark.models.loading import load
from gistmark.models.matching import Embedded, match
from gistmark.models.ragged import Ragged
from gistmark.models.shelf import Shelf
from gistmark.models.weights import Rarity, shares
from gistmark.models.windows import single, windowed
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError, MissingExtra, OptionError

CATS = ["The cat sat on the mat.", "A cat was sitting on the mat."]
GOLDEN = {  # printed by bert_score 0.3.12 with torch 2.13.0
    "summary": [
        CATS[0],
        "Profits at the bank rose by ten percent last year.",
        "He did not attend the meeting in Paris on Monday.",
    ],
    "references": [
        CATS[1],
        "The bank's annual profit increased 10%.",
        "Officials met in Berlin to discuss the new trade agreement.",
    ],
}
P = [0.9186350107192993, 0.7725328803062439, 0.22761966288089752]
R = [0.8959047198295593, 0.8328374028205872, 0.2479512095451355]
F = [0.9071274995803833, 0.8015525341033936, 0.23735083639621735]
F_LAYER_4 = [0.890496015548706, 0.7737758755683899, 0.5343912839889526]
F_IDF = [0.8735836740354919, 0.7714707851409912, 0.2508332069290104]
FIELDS = ["bertscore_p", "bertscore_r", "bertscore_f1"]

Theirs = Callable[..., Any]


@pytest.fixture(scope="module")
def small() -> str:
    """A tiny encoder of two layers and 128 positions."""
    minilm()
    return str(kept("Model"))


@pytest.fixture(scope="module")
def theirs() -> Theirs:
    """bert_score's precision, recall and F1, float32 (rows, 3)."""
    need("bert_score")
    package = importlib.import_module("bert_score")
    utils = importlib.import_module("bert_score.utils")
    encode = utils.sent_encode

    def encode_empty_too(tokenizer: Any, text: str) -> Any:  # its own way does so on transformers before 5 only
        return encode(tokenizer, text) if text.strip() else tokenizer("")["input_ids"]

    utils.sent_encode = encode_empty_too

    def run(data: dict[str, Any], model: str, layer: int, **options: Any) -> Any:
        scores = package.score(
            data["summary"], data["references"], model_type=model, num_layers=layer, device="cpu", nthreads=0, **options
        )
        return np.stack([part.numpy() for part in scores], 1)

    return run


def ours(data: Any, model: str, **options: Any) -> Any:
    """The three scores, float64 (rows, 3), NaN for null."""
    scored = gm.score(pl.DataFrame(data), [gm.metrics.bertscore(model, device="cpu", **options)])
    return scored.select(FIELDS).fill_null(float("nan")).to_numpy()


def statuses(data: Any, model: str, **options: Any) -> list[str | None]:
    scored = gm.score(pl.DataFrame(data), [gm.metrics.bertscore(model, device="cpu", **options)])
    found: list[str | None] = scored["bertscore_status"].to_list()
    return found


def real(rows: int) -> dict[str, Any]:
    """Real summaries of scientific papers, each with one to several references."""
    frame = pl.read_parquet(scitldr_sample())
    some = frame.filter(pl.col("references").list.len() > 1).head(rows // 2)
    return pl.concat([some, frame.head(rows - some.height)]).select("summary", "references").to_dict(as_series=False)


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


def test_rarity_counts_every_reference_once() -> None:
    the, cat, dog, sat, unseen = range(5)
    rarity = Rarity(5)
    rarity.add(Ragged.of([[the, cat, the]]), np.array([1]))
    rarity.add(Ragged.of([[the, dog], [the, cat, sat]]), np.array([1, 1]))
    expected = [0.0, 0.28768207245178085, 0.6931471805599453, 0.6931471805599453, 1.3862943611198906]
    np.testing.assert_allclose(rarity.weights(), expected, atol=1e-12)
    again = Rarity(5)
    again.add(Ragged.of([[the, dog], [cat]]), np.array([3, 0]))
    assert again.texts == 3
    assert again.counts.tolist() == [3, 0, 3, 0, 0]
    portions, none = shares(Ragged.of([[the], [cat, dog], []]), rarity.weights())
    np.testing.assert_allclose(portions, [0, 0.28768207 / 0.98082925, 0.69314718 / 0.98082925], atol=1e-6)
    assert none.tolist() == [True, False, True]
    assert unseen == 4


def vectors() -> tuple[Any, Any]:
    """Two texts as unit vectors, [2, 4] and [5, 4]."""
    a = [[0.017891067, 0.715642693, 0.644604631, -0.26836601], [-0.357567975, -0.632343294, 0.683938667, -0.067193974]]
    b = [
        [0.294493642, -0.728152284, 0.617766448, -0.037846572],
        [0.742303672, -0.149552357, -0.413725135, 0.505421471],
        [0.748196916, -0.184101787, -0.138756519, 0.622137072],
        [-0.455044696, -0.791882378, 0.2066008, -0.35095976],
        [-0.784407647, -0.332556159, -0.191199364, -0.48739496],
    ]
    return np.array(a, np.float32), np.array(b, np.float32)


def scores_of(texts: list[Any], zero: bool) -> Any:
    """Precision and recall of text 0 against text 1, with the others beside them as further pairs."""
    torch = importlib.import_module("torch")
    lengths = np.array([len(text) for text in texts])
    starts = np.cumsum(lengths) - lengths
    weights = np.concatenate([np.full(size, 1 / size, np.float32) for size in lengths])
    table = torch.from_numpy(np.concatenate(texts))
    right = np.arange(1, len(texts))
    return match(Embedded(table, starts, lengths, torch.from_numpy(weights), starts), right * 0, right, zero)[0]


def test_padding_takes_no_part_in_the_match(theirs: Theirs) -> None:
    need("torch")
    a, b = vectors()
    alone = scores_of([a, b], zero=False)
    np.testing.assert_allclose(alone, [0.3604396596843759, 0.24513675285835843], atol=1e-6)
    np.testing.assert_allclose(scores_of([a, b, np.concatenate([b, b])], zero=False), alone, atol=1e-7)
    torch = importlib.import_module("torch")
    three = np.concatenate([a, a[:1]])  # bert_score takes a text of two tokens for an empty one
    padded = [
        torch.nn.functional.pad(torch.from_numpy(text), (0, 0, 0, 8 - len(text)), value=2.0) for text in (b, three)
    ]
    masks = [torch.arange(8)[None] < len(text) for text in (b, three)]
    ones = [mask.float() for mask in masks]
    greedy = importlib.import_module("bert_score.utils").greedy_cos_idf
    expected = [
        float(part) for part in greedy(padded[0][None], masks[0], ones[0], padded[1][None], masks[1], ones[1])[:2]
    ]
    np.testing.assert_allclose(scores_of([three, b], zero=True), expected, atol=1e-6)
    assert expected[1] > scores_of([three, b], zero=False)[1] + 0.01


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


@pytest.mark.parametrize("words", [1, 60, 126, 127, 189, 190, 400])
def test_windows_take_each_token_where_it_stands_most_in_the_middle(small: str, words: int) -> None:
    pieces = load(Checkpoint(small, device="cpu")).pieces
    bodies = Ragged.of([range(1000, 1000 + words), range(500)])
    parts = windowed(pieces, bodies)
    assert parts.inputs.ids.lengths.max() <= pieces.limit
    whole = single(pieces, Ragged.of([[]])).whole[0].tolist()
    expected = [whole[0], *range(1000, 1000 + words), whole[1]]
    assert parts.whole[0].tolist() == expected
    taken: list[int] = []
    for row in np.flatnonzero(parts.text == 0):
        skip, keep = int(parts.skip[row]), int(parts.keep[row])
        assert parts.at[row] == len(taken)
        taken += parts.inputs.ids[row][skip : skip + keep].tolist()
        inner = row > 0 and parts.text[row + 1] == 0
        assert not inner or min(skip, len(parts.inputs.ids[row]) - skip - keep) >= pieces.room // 4 - 1
    assert taken == expected


def count_tokens(metric: Any, data: Any) -> int:
    """Tokens that scoring `data` encodes."""
    told: list[tuple[int, int]] = []
    metric.run.watch(lambda needed, done: told.append((needed, done)))
    gm.score(pl.DataFrame(data), [metric])
    needed, done = map(sum, zip(*told, strict=True))
    assert needed == done
    return int(needed)


def test_references_are_encoded_once_for_all_systems(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = pl.DataFrame(real(30)).unique("references", maintain_order=True)
    two = one.with_columns(pl.col("summary") + " indeed")
    metric = gm.metrics.bertscore(small, layer=2, device="cpu")
    first, both = count_tokens(metric, one), count_tokens(metric, pl.concat([one, two]))
    alone = count_tokens(metric, two.with_columns(references=pl.lit("a")))
    assert first < both <= first + alone
    expected = ours(pl.concat([one, two]), small, layer=2)
    monkeypatch.setitem(embedder.MEMORY, "cpu", 32 * 4 * 400)
    assert count_tokens(metric, pl.concat([one, two])) <= first + alone
    np.testing.assert_allclose(ours(pl.concat([one, two]), small, layer=2), expected, atol=1e-5)


def test_the_shelf_forgets_when_it_is_full() -> None:
    need("torch")
    torch = importlib.import_module("torch")
    shelf = Shelf(10, 2, torch.float32, "cpu")
    lengths = np.array([3, 2])
    starts, missing = shelf.place([b"a", b"b"], lengths, np.array([2]))
    assert (starts.tolist(), missing, len(shelf.table)) == ([0, 3, 5], [0, 1], 7)
    starts, missing = shelf.place([b"b", b"c"], lengths[::-1], np.array([1]))
    assert (starts.tolist(), missing) == ([3, 5, 8], [1])
    starts, missing = shelf.place([b"b", b"d"], lengths[::-1], np.array([1]))
    assert (starts.tolist(), missing) == ([0, 2, 5], [0, 1])
    assert len(shelf.table) <= 10
    assert shelf.place([b"c"], lengths[1:], np.array([1]))[1] == [0]
    starts, _ = shelf.place([b"e"], np.array([12]), np.array([], np.int64))
    assert len(shelf.table) == 12


def test_memory_does_not_grow_with_the_column(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = 32 * 4 * 400
    monkeypatch.setitem(embedder.MEMORY, "cpu", budget)
    largest: list[int] = []
    place = Shelf.place

    def watched(shelf: Shelf, *arguments: Any) -> Any:
        found = place(shelf, *arguments)
        largest.append(shelf.table.nbytes)
        return found

    monkeypatch.setattr(Shelf, "place", watched)
    ours(real(60), small, layer=1)
    assert len(largest) > 5
    assert max(largest) <= budget


def test_references_kept_on_disk_are_not_encoded_again(small: str, tmp_path: Path) -> None:
    data, path = real(20), tmp_path / "deep" / "kept.sqlite"
    metric = gm.metrics.bertscore(small, layer=2, device="cpu", cache=path)
    first, second = count_tokens(metric, data), count_tokens(metric, data)
    only_summaries = count_tokens(gm.metrics.bertscore(small, layer=2, device="cpu"), data | {"references": ["a"] * 20})
    assert second < only_summaries < first
    np.testing.assert_array_equal(ours(data, small, layer=2, cache=path), ours(data, small, layer=2, cache=path))
    np.testing.assert_allclose(ours(data, small, layer=2, cache=path), ours(data, small, layer=2), atol=1e-6)
    np.testing.assert_allclose(ours(data, small, layer=1, cache=path), ours(data, small, layer=1), atol=1e-6)
    with pytest.raises(InputError, match="embeddings cannot be kept in"):
        ours(data, small, layer=2, cache=tmp_path)


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
