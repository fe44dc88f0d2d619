"""Intervals and comparisons of systems: against sacreBLEU's paired tests and scipy, run here on the same draws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import sacrebleu.significance
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

import gistmark as gm
from gistmark_engine.kernels.resampling import bootstrap_sums, exchanged_sums
from gistmark_engine.metric import Batch, Citation, Field, Metric
from gistmark_engine.resampling import Quantile, Sums, exchanged, jackknife

CORPUS = [gm.metrics.bleu(parity="reference"), gm.metrics.chrf(parity="reference"), gm.metrics.ter(parity="reference")]
Frame = pl.DataFrame


def never(batch: Batch) -> dict[str, object]:
    raise AssertionError("scores that are there are compared")


MADE = Metric(
    name="made",
    inputs=("summary",),
    fields={"score": Field(summary=("mean",)), "skewed": Field(summary=("median", "quartiles"))},
    run=never,
    cite=Citation("none"),
)


def times(rows: int, replicates: int, seed: int) -> np.ndarray:
    """How often each row is in each bootstrap replicate: the sums of the unit vectors."""
    sums = np.empty((replicates, rows))
    bootstrap_sums(np.eye(rows), seed, sums)
    return sums.astype(int)


def swaps(rows: int, replicates: int, seed: int) -> np.ndarray:
    """Which rows each replicate exchanges."""
    sums = np.empty((2, replicates, rows))
    exchanged_sums(np.eye(rows), np.zeros((rows, rows)), seed, sums)
    return sums[1].astype(bool)


def first(sums: np.ndarray) -> np.ndarray:
    return sums[:, 0]


class Drawn:
    """A generator for sacreBLEU that draws what we drew."""

    def __init__(self, rows: int, replicates: int, seed: int) -> None:
        self.rows, self.replicates, self.seed = rows, replicates, seed

    def choice(self, *_: Any, **__: Any) -> np.ndarray:
        return np.array([np.repeat(np.arange(self.rows), row) for row in times(self.rows, self.replicates, self.seed)])

    def integers(self, *_: Any, **__: Any) -> np.ndarray:
        return swaps(self.rows, self.replicates, self.seed)


@pytest.fixture(scope="module")
def summeval(shared: Path) -> Frame:
    """Three systems on forty articles, four references: their mean length is exact in float32 too. First words only."""
    pairs = pl.read_parquet(shared / "data" / "cnndm_summeval.parquet").rename({"candidate": "summary"})
    systems = pairs["system"].unique(maintain_order=True)[:3]
    documents = pairs["doc_id"].unique(maintain_order=True)[:40]
    used = pairs.filter(pl.col("system").is_in(systems.implode()), pl.col("doc_id").is_in(documents.implode()))
    words = pl.col("summary").str.split(" ").list.head(15).list.join(" ")
    references = pl.col("references").list.head(4).list.eval(pl.element().str.split(" ").list.head(12).list.join(" "))
    return used.with_columns(words, references)


@pytest.mark.parametrize(("method", "name"), [("bootstrap", "bs"), ("randomisation", "ar")])
def test_p_equals_sacrebleu_on_the_same_draws(
    method: str, name: str, summeval: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = summeval.partition_by("system", as_dict=True, maintain_order=True)
    base = next(iter(systems.values()))
    streams = [list(stream) for stream in zip(*base["references"].to_list(), strict=True)]
    named = [(key[0], frame["summary"].to_list()) for key, frame in systems.items()]
    monkeypatch.setattr(np.random, "default_rng", lambda *_: Drawn(40, 150, 7))
    peers = {"BLEU": BLEU(references=streams), "chrF2": CHRF(references=streams), "TER": TER(references=streams)}
    _, theirs = sacrebleu.significance.PairedTest(named, peers, None, test_type=name, n_samples=150)()
    monkeypatch.undo()
    scored = gm.score(summeval, CORPUS)
    ours = gm.compare(scored, CORPUS, method=method, replicates=150, seed=7, parity="reference")
    for metric, key in zip(CORPUS, peers, strict=True):
        lines = ours.filter(metric=metric.name, statistic="corpus")
        assert lines["system"].to_list() == theirs["System"]
        assert lines["value"].to_list() == pytest.approx([result.score for result in theirs[key]], rel=1e-12)
        assert lines["p"].to_list()[1:] == [result.p_value for result in theirs[key][1:]]


def test_corpus_replicates_are_corpus_scores_of_the_drawn_texts(summeval: Frame) -> None:
    one = summeval.filter(system=summeval["system"][0])
    scored = gm.score(one, CORPUS)
    for metric in CORPUS:
        line = gm.summarise(scored, [metric], intervals="bootstrap", replicates=5, seed=3).filter(statistic="corpus")
        drawn = []
        for counts in times(40, 5, 3):
            again = one[np.repeat(np.arange(40), counts)]
            streams = [list(stream) for stream in zip(*again["references"].to_list(), strict=True)]
            peer = {"bleu": BLEU, "chrf": CHRF, "ter": TER}[metric.name]()
            drawn.append(peer.corpus_score(again["summary"].to_list(), streams).score)
        assert [line["low"][0], line["high"][0]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), rel=1e-12)


values = st.lists(st.one_of(st.none(), st.integers(-3, 3).map(float)), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(values, st.sampled_from(["score", "skewed"]), st.integers(0, 2**63 - 1))
def test_intervals_are_percentiles_of_what_numpy_finds_in_the_drawn_rows(
    numbers: list[float | None], field: str, seed: int
) -> None:
    frame = pl.DataFrame({"score": numbers, "skewed": numbers}, schema={"score": pl.Float64, "skewed": pl.Float64})
    table = gm.summarise(frame, [MADE], intervals="bootstrap", replicates=20, confidence=0.8, seed=seed)
    taken = [np.repeat(frame[field].to_numpy(), row) for row in times(len(numbers), 20, seed)]
    there = [row[~np.isnan(row)] for row in taken if not np.isnan(row).all()]
    by_name = {"mean": np.mean, "median": np.median}
    by_name |= {name: lambda row, at=at: np.quantile(row, at) for name, at in (("q1", 0.25), ("q3", 0.75))}
    for line in table.filter(field=field).iter_rows(named=True):
        drawn = [by_name[line["statistic"]](row) for row in there]
        expected = np.quantile(drawn, [0.1, 0.9]) if drawn else [None, None]
        assert [line["low"], line["high"]] == pytest.approx(list(expected), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12), st.integers(0, 9))
def test_exchanged_quantiles_equal_numpy(pairs: list[tuple[int, int]], seed: int) -> None:
    both = np.array(pairs, float).T
    drawn = exchanged([Quantile(both[0], 0.25)], [Quantile(both[1], 0.25)], 20, seed)
    for r, swapped in enumerate(swaps(len(pairs), 20, seed)):
        halves = np.where(swapped, both[::-1], both)
        assert drawn[:, 0, r] == pytest.approx(np.quantile(halves, 0.25, axis=1))


def systems(shift: float, rows: int = 40, seed: int = 0) -> Frame:
    """Two systems on the same texts, whose scores differ by `shift` on average."""
    draw = np.random.default_rng(seed)
    text = draw.normal(size=rows)
    scores = np.concatenate([text + draw.normal(0, 0.5, rows), text + draw.normal(shift, 0.5, rows)])
    ids = [f"t{row}" for row in range(rows)] * 2
    return pl.DataFrame({"system": ["a"] * rows + ["b"] * rows, "id": ids, "score": scores, "skewed": scores})


def test_differences_and_p_are_those_of_scipy() -> None:
    frame = systems(0.2)
    a, b = (frame.filter(system=name)["score"].to_numpy() for name in "ab")

    def difference(one: np.ndarray, other: np.ndarray, axis: int = -1) -> np.ndarray:
        return one.mean(axis=axis) - other.mean(axis=axis)

    line = gm.compare(frame, [MADE], method="randomisation", replicates=20_000).filter(system="b", statistic="mean")
    resampled = stats.bootstrap((b, a), difference, paired=True, method="percentile", n_resamples=20_000, rng=0)
    permuted = stats.permutation_test((b, a), difference, permutation_type="samples", n_resamples=20_000, rng=0)
    interval = resampled.confidence_interval
    assert line["difference"][0] == pytest.approx(float(difference(b, a)))
    assert [line["difference_low"][0], line["difference_high"][0]] == pytest.approx(list(interval), abs=0.01)
    assert line["p"][0] == pytest.approx(permuted.pvalue, abs=0.015)
    centred = gm.compare(frame, [MADE], replicates=20_000).filter(system="b", statistic="mean")
    assert centred["p"][0] == pytest.approx(permuted.pvalue, abs=0.03)


def test_randomisation_of_few_texts_comes_close_to_all_exchanges() -> None:
    frame = systems(0.5, rows=6)
    a, b = (frame.filter(system=name)["score"].to_numpy() for name in "ab")
    signs = 1 - 2 * ((np.arange(64)[:, None] >> np.arange(6)) & 1)
    exact = float((np.abs((signs * (b - a)).mean(axis=1)) >= abs((b - a).mean()) - 1e-12).mean())
    found = gm.compare(frame, [MADE], method="randomisation", replicates=20_000).filter(system="b", statistic="mean")
    assert found["p"][0] == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
def test_equal_systems_differ_by_chance_alone_and_sacrebleus_rule_does_not_keep_its_level(method: str) -> None:
    rejected = {None: 0, "reference": 0}
    for seed in range(120):
        frame = systems(0.0, seed=seed)
        for parity in rejected:
            found = gm.compare(frame, [MADE], method=method, replicates=100, seed=seed, parity=parity)
            rejected[parity] += found.filter(system="b", statistic="mean")["p"][0] <= 0.05
    assert 1 <= rejected[None] <= 13
    if method == "bootstrap":
        assert rejected["reference"] > 1.3 * rejected[None]


def test_a_system_equals_itself() -> None:
    frame = systems(0.0)
    same = pl.concat([frame.filter(system="a"), frame.filter(system="a").with_columns(system=pl.lit("b"))])
    for method in ("bootstrap", "randomisation"):
        found = gm.compare(same, [MADE], method=method).filter(system="b")
        assert found.select("difference", "difference_low", "difference_high", "p").unique().rows() == [(0, 0, 0, 1)]
        assert gm.compare(same, [MADE], method=method).equals(gm.compare(same, [MADE], method=method))
    strict = gm.compare(same, [MADE], method="randomisation", parity="reference").filter(system="b")
    assert strict["p"][0] == 1 / 1001


def test_the_jackknife_of_a_mean_is_its_standard_error(summeval: Frame) -> None:
    scored = gm.score(summeval, CORPUS)
    table = gm.summarise(scored, [*CORPUS], intervals="jackknife", confidence=0.9)
    line = table.filter(field="bleu", statistic="mean").row(0, named=True)
    numbers = scored["bleu"].to_numpy()
    reach = stats.norm.ppf(0.95) * stats.sem(numbers)
    assert [line["low"], line["high"]] == pytest.approx([numbers.mean() - reach, numbers.mean() + reach])
    one = scored.head(12)
    left_out = [
        gm.summarise(one.filter(pl.int_range(pl.len()) != row), CORPUS).filter(field="chrf", statistic="corpus")
        for row in range(12)
    ]
    errors = np.array([part["value"][0] for part in left_out])
    error = np.sqrt(11 * np.mean((errors - errors.mean()) ** 2))
    line = gm.summarise(one, CORPUS, intervals="jackknife").filter(field="chrf", statistic="corpus").row(0, named=True)
    assert line["high"] - line["value"] == pytest.approx(stats.norm.ppf(0.975) * error)


def test_what_has_no_interval_has_none() -> None:
    alone = pl.DataFrame({"score": [1.0, None], "skewed": [1.0, 2.0]})
    for intervals, bounds in (("jackknife", (None, None)), ("bootstrap", (1.0, 1.0))):
        table = gm.summarise(alone, [MADE], intervals=intervals)  # type: ignore[arg-type]
        assert table.filter(field="score").select("low", "high").row(0) == bounds
    assert jackknife(Sums(np.ones((1, 2)), first), 1.0, 0.95) is None
    nothing = pl.DataFrame({"score": [None], "skewed": [None]}, schema=dict.fromkeys(["score", "skewed"], pl.Float64))
    for intervals in ("jackknife", "bootstrap"):
        table = gm.summarise(nothing, [MADE], intervals=intervals)  # type: ignore[arg-type]
        assert table["low"].null_count() == table.height
    assert gm.summarise(alone, [MADE]).columns == [c for c in table.columns if c not in ("low", "high")]


def test_texts_that_either_lacks_a_score_of_leave_both() -> None:
    frame = systems(1.0, rows=10)
    gap = (pl.col("system") == "b") & (pl.col("id") == "t3")
    gaps = frame.with_columns(score=pl.when(~gap).then("score"))
    found = gm.compare(gaps, [MADE]).filter(system="b").to_dicts()
    without = gm.compare(frame.filter(pl.col("id") != "t3"), [MADE]).filter(system="b").to_dicts()
    assert (found[0]["n"], found[0]["n_null"], found[1]["n"]) == (9, 1, 10)
    for name in ("value", "difference"):
        assert found[0][name] == pytest.approx(without[0][name])
    empty = gm.compare(frame.with_columns(score=pl.lit(None, pl.Float64)), [MADE]).filter(field="score")
    assert empty.select("value", "low", "difference", "p").null_count().row(0) == (2, 2, 2, 2)


def test_rows_pair_by_name_not_by_place_and_groups_stand_apart() -> None:
    frame = systems(0.5).with_columns(corpus=pl.lit("x"))
    other = systems(-0.5, seed=9).with_columns(corpus=pl.lit("y"))
    whole = gm.compare(pl.concat([frame, other]), [MADE], by=["corpus", "system"])
    for name, part in (("x", frame), ("y", other)):
        shuffled = pl.concat(
            [part.filter(system="a"), part.filter(system="b").sample(fraction=1.0, shuffle=True, seed=1)]
        )
        alone = gm.compare(shuffled, [MADE])
        assert_frame_equal(whole.filter(corpus=name).drop("corpus"), alone, check_exact=True)
    backwards = gm.compare(frame, [MADE], baseline="b").filter(system="a")
    assert backwards["difference"][0] == -gm.compare(frame, [MADE]).filter(system="b")["difference"][0]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            lambda f: f[:-1],
            {},
            r"column 'id': system 'b' lacks 1 of the texts of 'a', the first of them \(found \('t39',\)\)",
        ),
        (lambda f: f[1:], {}, r"system 'a' lacks 1 of the texts of 'b'"),
        (lambda f: pl.concat([f, f[:1]]), {}, r"a text occurs twice in system 'a'.*found \('t0',\)"),
        (lambda f: f.with_columns(id=pl.when(pl.col("id") != "t2").then("id")), {}, "a null pairs with nothing"),
        (lambda f: f.drop("id"), {}, "none of doc_id, id, source is there"),
        (lambda f: f, {"baseline": "c"}, r"column 'system': there is no baseline 'c'; there are a, b"),
        (lambda f: f, {"by": "sistem"}, r"column 'sistem'.*did you mean 'system'"),
        (lambda f: f, {"pair": "ids"}, r"column 'ids'.*did you mean 'id'"),
        (lambda f: f, {"by": "p"}, "the table has a column 'p' of its own"),
        (lambda f: f, {"method": "t"}, "method must be one of bootstrap, randomisation"),
        (lambda f: f, {"replicates": 0}, "at least 1 replicate"),
        (lambda f: f, {"parity": "moses"}, "parity must be None or 'reference'"),
        (lambda f: f, {"by": []}, "by names no column"),
        (lambda f: f, {"pair": []}, "pair names no column"),
    ],
)
def test_refusals(change: Callable[[Frame], Frame], options: dict[str, Any], message: str) -> None:
    with pytest.raises(gm.GistmarkError, match=message):
        gm.compare(change(systems(0.0)), [MADE], **options)


def test_the_command_line(cli: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    pairs = pl.DataFrame(
        {
            "summary": ["a b c", "a x", "c d", "b a", "a b c d", "e"],
            "references": ["a b c", "a b", "c e"] * 2,
            "system": ["one"] * 3 + ["two"] * 3,
            "corpus": ["k"] * 6,
            "doc_id": ["1", "2", "3"] * 2,
        }
    )
    pairs.write_parquet(tmp_path / "pairs.parquet")
    for ending in ("parquet", "csv", "jsonl"):
        scored, out = tmp_path / f"scored.{ending}", tmp_path / f"out.{ending}"
        code, text, _ = cli("score", tmp_path / "pairs.parquet", "--metrics", "rouge,bleu", "--intervals",
                            "--by", "corpus", "--by", "system", "--output", scored)  # fmt: skip
        assert (code, text.splitlines()[0].split("  ")[-1].strip()) == (0, "k, two")
        assert "] " in next(line for line in text.splitlines() if "rouge1_f1 mean" in line)
        code, text, _ = cli("compare", scored, "--baseline", "two", "--replicates", "50", "--output", out)
        assert code == 0
        assert text.splitlines()[-3] == gm.metrics.rouge().signature
        assert text.splitlines()[-1] == "p: bootstrap, 50 replicates, after Holm over the systems of a field."
        expected = gm.compare(gm.score(pairs, ["bleu", "rouge"]), ["bleu", "rouge"], baseline="two", replicates=50)
        at = text.splitlines().index("  bleu corpus") + 1
        one, two = (line.split() for line in text.splitlines()[at : at + 2])
        line = expected.filter(field="bleu", statistic="corpus", system="one").row(0, named=True)
        assert one[:2] == ["one", f"{line['value']:.4f}"]
        assert f"{line['difference']:.4f}" in one
        assert two[-4:] == ["-", "-", "3", "0"]
    assert pl.read_parquet(tmp_path / "out.parquet").equals(expected)
    code, _, error = cli("compare", tmp_path / "pairs.parquet")
    assert (code, error.startswith("gistmark: no metric's columns are all there")) == (2, True)


@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
def test_one_text_tells_nothing_of_chance(method: Any) -> None:
    rows = [("a", "one", "a cat"), ("b", "one", "a dog"), ("a", "two", "a cat"), ("b", "two", None)]
    frame = pl.DataFrame(rows, schema=["system", "doc_id", "summary"], orient="row").with_columns(
        references=pl.lit("a cat")
    )
    scored = gm.score(frame, ["rouge"])
    for table in (scored.head(2), scored):
        found = gm.compare(table, ["rouge"], baseline="a", method=method).filter(field="rouge1_f1", system="b")
        assert found.select("difference", "difference_low", "difference_high", "p").row(0) == (-0.5, None, None, None)
