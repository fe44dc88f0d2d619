"""Sessions and tournaments of the preference study: files, rules, outcomes, decisions."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark.studies import sessions as files
from gistmark.studies.decisions import accept, decide, threshold_for, thresholds
from gistmark.studies.simulator import simulate
from gistmark.studies.tournament import Match, Session, Summary, check, outcome, seeded
from gistmark_engine.errors import InputError

FOUR = {label: Summary(f"text {label}", f"model {label in 'AB'}", label in "AC") for label in "ABCD"}


def session(ab: str, cd: str, final: str | None, sides: tuple[str, str] = ("A", "D")) -> Session:
    """A tournament from the choices of its matches."""
    matches = (Match(1, "AB", "A", "B", ab), Match(1, "CD", "C", "D", cd))
    if final is not None:
        matches += (Match(2, "final", *sides, final),)
    return Session("ann", "q1", "persona", "query", ("context",), FOUR, matches, 7)


# The four worked tournaments: choices, then champion, finalist, number of decisions.
TOURNAMENTS = [
    (("left", "right", "right"), ("A", "D"), ("D", "A", 3)),
    (("neither", "left", None), ("A", "D"), (None, None, 2)),
    (("neither", "neither", None), ("A", "D"), (None, None, 2)),
    (("left", "left", "neither"), ("A", "C"), (None, None, 3)),
]


@pytest.mark.parametrize(("choices", "sides", "expected"), TOURNAMENTS)
def test_outcomes(choices: tuple[str, str, str | None], sides: tuple[str, str], expected: tuple[object, ...]) -> None:
    played = session(*choices, sides=sides)
    check(played)
    found = outcome(played)
    assert (found.champion, found.finalist, found.decisions) == expected
    assert {found.champion, found.finalist, *found.tied} - {None} == set("ABCD")


def broken(*matches: Match) -> Session:
    return replace(session("left", "left", None), matches=matches)


AB, CD = Match(1, "AB", "A", "B", "left"), Match(1, "CD", "D", "C", "left")
FINAL = Match(2, "final", "D", "A", "left")
BROKEN = {
    "no_final_after_neither": broken(replace(AB, choice="neither"), CD, FINAL),
    "finalists_won": broken(AB, CD, replace(FINAL, left="B")),
    "one_final": broken(AB, CD, FINAL, FINAL),
    "final_after_two_winners": broken(AB, CD),
    "one_match_a_slot": broken(AB, AB, CD, FINAL),
    "slot_members": broken(replace(AB, right="C"), CD, FINAL),
    "known_values": broken(replace(AB, choice="both"), CD, FINAL),
    "four_summaries": replace(session("left", "left", None), summaries={"A": FOUR["A"]}),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_broken_rules_are_named_with_their_session(rule: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"session ann/q1, rule {rule}: ") as error:
        files.write([BROKEN[rule]], tmp_path / "sessions.jsonl")
    assert error.value.row == 0


def test_a_legal_final_in_either_order() -> None:
    check(broken(AB, CD, FINAL))
    check(broken(FINAL, CD, AB))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 5), st.integers(0, 4), st.integers(0, 2**31))
def test_files_come_back_as_written(
    tmp_path_factory: pytest.TempPathFactory, people: int, queries: int, seed: int
) -> None:
    path = tmp_path_factory.mktemp("sessions") / "sessions.jsonl"
    made = simulate(people, queries, seed=seed)
    files.write(made, path)
    assert files.read(path) == made
    assert files.matches_frame(made).height == sum(len(s.matches) for s in made)
    assert files.summaries_frame(made).height == 4 * people * queries


def test_read_takes_a_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    made = simulate(1, 2)
    files.write(made, tmp_path / "a.jsonl")
    text = (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    (tmp_path / "b.jsonl").write_text("\ufeff" + text.replace("\n", "\n\n"), encoding="utf-8")
    assert files.read(tmp_path / "b.jsonl") == made


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": None}, r"column 'query', row 1: needs a str under 'query'"),
        ({"contexts": "one"}, r"column 'contexts', row 1: needs a list"),
        ({"summaries": {"A": {"text": "t", "model": "m", "personalised": 1}}}, r"needs a bool under 'personalised'"),
        ({"matches": [{"round": True}]}, r"needs a str under 'slot'"),
        ({"matches": [{"round": True, "slot": "AB", "left": "A", "right": "B", "choice": "left"}]}, "needs a int"),
        ({"matches": ["AB"]}, r"row 1: needs a str under 'slot'"),
    ],
)
def test_malformed_lines_name_row_and_key(change: dict[str, object], message: str, tmp_path: Path) -> None:
    files.write(simulate(1, 2), tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | change)
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        files.read(tmp_path / "a.jsonl")


@pytest.mark.parametrize("line", ["{", "[1]", '"text"'])
def test_lines_that_are_no_object(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match="row 0"):
        files.read(tmp_path / "a.jsonl")


def test_a_session_twice_is_refused(tmp_path: Path) -> None:
    files.write(simulate(1, 1) * 2, tmp_path / "a.jsonl")
    with pytest.raises(InputError, match="one_session_a_query"):
        files.read(tmp_path / "a.jsonl")


def test_seeding_is_random_and_repeats() -> None:
    four = [FOUR[label] for label in "ABCD"]
    draws = [seeded(four, seed) for seed in range(400)]
    assert draws == [seeded(four, seed) for seed in range(400)]
    first = [sum(labels[slot] == four[0] for labels, _ in draws) for slot in "ABCD"]
    assert all(60 < count < 140 for count in first)
    assert all(130 < sum(swap[slot] for _, swap in draws) < 270 for slot in ("AB", "CD", "final"))


def decision(left: float | None, right: float | None, threshold: float, higher: bool = True) -> str | None:
    frame = pl.DataFrame({"l": [left], "r": [right]}, schema={"l": pl.Float64, "r": pl.Float64})
    return frame.select(decide(pl.col("l"), pl.col("r"), threshold, higher)).item()


@pytest.mark.parametrize(
    ("left", "right", "threshold", "higher", "expected"),
    [
        (4.0, 3.6, 0.5, True, "neither"),
        (4.0, 3.5, 0.5, True, "left"),
        (0.3, 0.1, 0.2, True, "left"),
        (10.0, 30.0, 5.0, False, "left"),
        (1.0, 1.0, 0.0, True, "neither"),
        (None, 1.0, 0.5, True, None),
        (float("nan"), 1.0, 0.5, True, None),
        (1.0, 2.0, 0.0, True, "right"),
        (110.0, 100.0, 10.0, True, "left"),
    ],
)
def test_decisions(
    left: float | None, right: float | None, threshold: float, higher: bool, expected: str | None
) -> None:
    assert decision(left, right, threshold, higher) == expected


@settings(max_examples=150, deadline=None)
@given(st.integers(-400, 400), st.integers(-400, 400), st.integers(0, 50), st.booleans())
def test_decisions_on_exact_tenths(left: int, right: int, threshold: int, higher: bool) -> None:
    """Scores in tenths, decided by fractions: float noise never moves a decision."""
    apart = Fraction(left - right, 10) * (1 if higher else -1)
    expected = "left" if apart > 0 else "right"
    if apart == 0 or abs(apart) < Fraction(threshold, 10):
        expected = "neither"
    assert decision(left / 10, right / 10, threshold / 10, higher) == expected


def test_acceptability_reads_scores_as_a_reader() -> None:
    frame = pl.DataFrame({"l": [0.2, 0.6, 0.6, 0.9, None], "r": [0.4, 0.5, 0.6, 0.1, 0.9]})
    found = frame.select(accept(pl.col("l"), pl.col("r"), 0.5)).to_series().to_list()
    assert found == ["neither", "left", "neither", "left", None]
    lower = frame.select(accept(pl.col("l"), pl.col("r"), 0.3, higher=False)).to_series().to_list()
    assert lower == ["left", "neither", "neither", "right", None]


def test_thresholds_on_record() -> None:
    published = {name: t.value for name, t in thresholds().items() if t.paper}
    assert len(published) == 29
    counts = {"W": 10, "S": 1, "VP": 2, "C": 2, "T": 1, "DC": 1, "CT": 1, "CP": 1, "CN": 2}
    assert {name: published[f"syn_{name}"] for name in counts} == counts
    assert published["syn_MLS"] == published["syn_MLT"] == 3
    assert published["syn_DC_per_C"] == 0.1
    assert published["judge_overall"] == 0.5
    assert threshold_for("syn_W").assumed
    assert not threshold_for("judge_overall").assumed
    ter = threshold_for("ter", "lower")
    assert (ter.value, ter.higher, ter.paper) == (0.0, False, False)
    assert threshold_for("unheard_of", None).assumed


def test_every_syntactic_column_has_a_published_threshold() -> None:
    from gistmark.syntax.ratios import FIELDS

    assert set(FIELDS) == {name for name, t in thresholds().items() if t.paper and name.startswith("syn_")}
