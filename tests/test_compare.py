"""Comparisons of systems: against sacreBLEU's paired tests and scipy, run here on the same draws."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import sacrebleu.significance
from polars.testing import assert_frame_equal
from resampled import CORPUS, MADE, Drawn, Frame, systems
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

import gistmark as gm


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


@pytest.mark.filterwarnings("ignore:.* texts")
def test_the_command_line_leaves_out_what_is_equal_for_all_systems(
    cli: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    pairs = pl.DataFrame(
        {
            "summary": ["a b c", "a x", "c d", "b a", "a b c d", "e"],
            "references": ["a b c", "a b", "c e"] * 2,
            "source": ["a b c d e", "a b x y z", "c d e"] * 2,
            "system": ["one"] * 3 + ["two"] * 3,
            "corpus": ["k", "k", "l"] * 2,
            "doc_id": ["1", "2", "3"] * 2,
        }
    )
    scored, out = tmp_path / "scored.parquet", tmp_path / "out.parquet"
    metrics = ["abstraction", "rouge"]
    gm.score(pairs, metrics).write_parquet(scored)
    _, text, _ = cli("compare", scored, "--output", out)
    lines = text.splitlines()
    assert lines[-2].startswith(
        "Equal for all systems and left out, unless --metrics names their metric: c_r1, c_r2, c_rL,"
    )
    assert lines[-2].endswith("r_tokens, o_tokens.")
    assert {"  s_tokens mean", "  rouge1_f1 mean"} < set(lines)
    assert not {"  o_tokens mean", "  ra1 mean", "  ra1 median"} & set(lines)
    assert pl.read_parquet(out).equals(gm.compare(gm.score(pairs, metrics), metrics))
    assert "o_tokens" in cli("compare", scored, "--format", "csv")[1]
    for options in (["--metrics", "abstraction"], ["--config", tmp_path / "metrics.toml"]):
        (tmp_path / "metrics.toml").write_text("[abstraction]\n")
        _, named, _ = cli("compare", scored, *options)
        assert ("  o_tokens mean" in named.splitlines(), "left out" in named) == (True, False)
    _, grouped, _ = cli("compare", scored, "--by", "corpus", "--by", "system")
    assert "  o_tokens mean" not in grouped.splitlines()


@pytest.mark.filterwarnings("ignore:.* texts")
def test_the_command_line_shows_all_where_all_is_equal(
    cli: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    pairs = pl.DataFrame({"summary": ["a b", "c"] * 2, "references": ["a c", "c d"] * 2, "doc_id": ["1", "2"] * 2})
    for names in (["one", "one", "two", "two"], ["one", "one"]):
        frame = pairs.head(len(names)).with_columns(system=pl.Series(names))
        gm.score(frame, ["rouge"]).write_parquet(tmp_path / "scored.parquet")
        _, text, _ = cli("compare", tmp_path / "scored.parquet")
        assert ("  rouge1_f1 mean" in text.splitlines(), "left out" in text) == (True, False)


def flipped(differences: Any) -> float:
    """The exact p of a mean difference: the share of all exchanges that give as much."""
    size = abs(sum(differences)) - 1e-12
    flips = list(itertools.product([1, -1], repeat=len(differences)))
    return sum(abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= size for signs in flips) / len(flips)


@pytest.mark.filterwarnings("ignore:.* texts")
@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
@pytest.mark.parametrize("rows", [2, 3, 4, 5, 6])
def test_no_p_is_below_that_of_all_exchanges_where_every_text_agrees(method: Any, rows: int) -> None:
    base, better = np.arange(rows) / 10, np.arange(rows) / 10 + 1 + 0.01 * np.arange(rows) ** 2
    frame = pl.DataFrame(
        {"system": ["a"] * rows + ["b"] * rows, "id": [*range(rows)] * 2, "score": np.append(base, better)}
    ).with_columns(skewed="score")
    found = gm.compare(frame, [MADE], method=method, replicates=4000).filter(system="b")
    exact = flipped(better - base)
    assert exact == 2 / 2**rows
    mean = found.filter(statistic="mean")["p"][0]
    assert exact <= mean <= exact + (0.04 if method == "randomisation" else 0)
    assert found["p"].min() >= exact
    alike = frame.with_columns(score=pl.when(pl.col("id") < 2).then("score").otherwise(pl.lit(0.5)))
    assert gm.compare(alike, [MADE], method=method).filter(system="b", statistic="mean")["p"][0] >= 0.5 - 1e-12


@pytest.mark.filterwarnings("ignore:.* texts")
def test_the_floor_is_no_ceiling_and_not_sacrebleus() -> None:
    for seed in range(20):
        frame = systems(0.3, rows=5, seed=seed)
        found = gm.compare(frame, [MADE]).filter(system="b", statistic="mean")["p"][0]
        drawn = gm.compare(frame, [MADE], parity="reference").filter(system="b", statistic="mean")["p"][0]
        assert found >= max(2 / 2**5, drawn)
    pairs = pl.DataFrame({"system": ["a", "a", "b", "b"], "id": [1, 2] * 2, "summary": ["a cat", "a cat sat"] * 2})
    pairs = pairs.with_columns(
        summary=pl.when(pl.col("system") == "b").then(pl.lit("no")).otherwise("summary"), references=pl.lit("a cat sat")
    )
    scored = gm.score(pairs, ["ter", "rouge"])
    ours = gm.compare(scored, ["ter", "rouge"]).filter(pl.col("difference") != 0)
    assert set(ours["statistic"]) == {"mean", "corpus"}
    assert ours["p"].to_list() == [0.5] * ours.height
    theirs = gm.compare(scored, ["ter", "rouge"], parity="reference").filter(pl.col("difference") != 0)
    assert theirs["p"].to_list() == [1 / 1001] * ours.height


@pytest.mark.parametrize(
    ("rows", "count", "options", "message"),
    [
        (2, 2, {}, "^2 texts tell no systems apart: p is at least 0.5; compare on 6 or more"),
        (
            2,
            2,
            {"method": "randomisation", "correction": None},
            "2 texts tell no .* at least 0.5; compare on 6 or more",
        ),
        (5, 2, {"confidence": 0.99}, "at least 0.062; compare on 8 or more"),
        (
            6,
            5,
            {},
            "^6 texts tell no systems apart: p, after Holm over 4 tests, is at least 0.12; compare on 8 or more",
        ),
        (6, 5, {"correction": "bh"}, "of 6 texts the bootstrap finds p too small"),
        (
            19,
            2,
            {},
            "of 19 texts the bootstrap finds p too small and bounds too narrow; for p take method randomisation",
        ),
        (19, 2, {"method": "randomisation"}, None),
        (3, 2, {"parity": "reference"}, "of 3 texts the bootstrap finds p too small"),
        (3, 2, {"parity": "reference", "method": "randomisation"}, None),
        (20, 2, {}, None),
    ],
)
def test_few_texts_are_told_of(rows: int, count: int, options: dict[str, Any], message: str | None) -> None:
    draw = np.random.default_rng(0)
    names, texts = np.repeat([f"s{at}" for at in range(count)], rows), [*range(rows)] * count
    frame = pl.DataFrame({"system": names, "id": texts, "score": draw.normal(size=rows * count)}).with_columns(
        skewed="score"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gm.compare(frame, [MADE], **options)
    assert len(caught) == (message is not None)
    assert message is None or re.search(message, str(caught[0].message))
    assert all(one.filename == __file__ for one in caught)


def test_few_texts_among_many_can_tell_systems_apart() -> None:
    """After Holm the factor of the least p is the size of the family, that of the largest is 1."""
    frame = pl.DataFrame(
        [
            {"group": group, "system": system, "id": at, "score": at + 10 * (system == "b"), "skewed": 0.0}
            for group, texts in {"few": 8, **{f"many {k}": 60 for k in range(9)}}.items()
            for system in "ab"
            for at in range(texts)
        ]
    ).with_columns(pl.col("score").cast(pl.Float64), skewed=pl.col("score").cast(pl.Float64))
    options: dict[str, Any] = {"family": "all", "replicates": 9999, "method": "randomisation"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = gm.compare(frame, [MADE], by=["group", "system"], **options)
    few = found.filter(pl.col("group") == "few", pl.col("p").is_not_null())
    assert few["n"].unique().to_list() == [8]
    assert few["p_adjusted"].max() < 0.05  # type: ignore[operator]


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
