"""Replies become values or reasoned nulls, never a number they do not hold."""

from __future__ import annotations

import json
import re
import time

import pytest
from replies import CHOICE, FACTS, MULTI, SCORES, SUPPORT, number, read

from gistmark.judges.parsing import Parsed, parse_pattern, parse_result
from gistmark.judges.schema import Schema
from gistmark.judges.template import load

# Replies that judges are known to have given, and what they must be read as. (None, reason): no value.
SINGLE = [
    ("J03", "Overall: 6 out of 10, mostly for coverage.", number(0, 10), 6),
    ("J04", "Score: .8", number(0, 1, "number"), 0.8),
    ("J04", "Score: 8e-1", number(0, 1, "number"), 0.8),
    ("J04", "score = -0", number(0, 1, "number"), 0.0),
    ("J06", "Of the 6 claims checked, 5 hold up; overall score: 7.", number(0, 10), 7),
    ("J07", "Far from perfect, though good enough.", number(0, 1, "number"), (None, "no_score")),
    ("J09", '{"score": 3, "reason": "gap of 1,} and [2, ] noted"}', number(1, 5), 3),
    ("J10", '{"score": "4"}', number(1, 5), 4),
    ("J11", "SCORE: 85", number(1, 10), (None, "out_of_range")),
    ("J14", "Rating (1-5): 3", number(1, 5), 3),
    ("J15", '{"reason": "the summary omits the date and', number(1, 5), (None, "truncated")),
    ("J17", "4", number(1, 5), 4),
    ("J17", "2", number(1, 5), 2),
    ("J20", "[RESULT] 4.5", number(1, 5), (None, "wrong_type")),
    ("J20", "[RESULT] 4.5", number(1, 5, "number"), 4.5),
    ("spec", '{"score": 4.0}', number(1, 5), 4),
    ("spec", '{"score": "4/5"}', number(1, 5), 4),
    ("spec", '{"score": 4.5}', number(1, 5), (None, "wrong_type")),
    ("spec", '{"score": 6}', number(1, 5), (None, "out_of_range")),
    ("spec", '{"score": 0}', number(1, 5), (None, "out_of_range")),
    ("scale", '{"score": "4/10"}', number(1, 5), (None, "wrong_scale")),
    ("scale", "Score: 8 out of 10", number(1, 5), (None, "wrong_scale")),
    ("bool", '{"score": true}', number(1, 5), (None, "wrong_type")),
    ("null", '{"score": null}', number(1, 5), (None, "wrong_type")),
    ("absent", '{"grade": 4}', number(1, 5), (None, "missing")),
    ("nan", '{"score": NaN}', number(1, 5), (None, "wrong_type")),
    ("infinite", '{"score": 1e999}', number(1, 5), (None, "out_of_range")),
    ("huge", '{"score": ' + "9" * 5000 + "}", number(1, 5), (None, "no_json")),
    ("twice", '{"score": 5, "score": 1}', number(1, 5), (None, "ambiguous")),
    ("two cases", '{"score": 5, "Score": 1}', number(1, 5), (None, "ambiguous")),
    ("two objects", '{"score": 5} {"score": 1}', number(1, 5), (None, "ambiguous")),
    ("a bare fraction", ".8", number(0, 10, "number"), 0.8),
    ("a bare fraction", "**.8**", number(0, 10, "number"), 0.8),
    ("a bare number", "(4).", number(1, 5), 4),
    ("no label", "see answer2.", number(1, 5), (None, "no_score")),
    ("two labels", "Score: 5. No, on reflection, score: 1", number(1, 5), (None, "ambiguous")),
    ("range", "Score: 3-4", number(1, 5), (None, "no_score")),
    ("comma", "Score: 4,5", number(1, 5), (None, "no_score")),
    ("a count", "Score: 3 of the claims hold", number(1, 5), (None, "no_score")),
    ("a count", "coherence: 3 sentences are out of place", number(1, 5, name="coherence"), (None, "no_score")),
    ("other digits", "Score: ٤", number(1, 5), (None, "no_score")),
    ("inner", '{a b c, "inner": {"score": 5}}', number(1, 5), (None, "no_json")),
    ("thought", '<think>{"score": 1}</think>{"score": 5}', number(1, 5), 5),
    ("thinking", '<think>{"score": 1', number(1, 5), (None, "truncated")),
    ("empty", " \n", number(1, 5), (None, "empty")),
]


@pytest.mark.parametrize(("case", "text", "schema", "expected"), SINGLE)
def test_known_replies(case: str, text: str, schema: Schema, expected: object) -> None:
    found = read(text, schema)
    name = schema.required[0]
    if isinstance(expected, tuple):
        assert name not in found.values
        assert found.errors == {name: expected[1]}, case
    else:
        assert found.errors == {}
        assert found.values[name] == expected
        assert type(found.values[name]) is type(expected)


def test_j04_negative_zero_is_zero() -> None:
    assert str(read("score = -0", number(0, 1, "number")).values["score"]) == "0.0"


def test_j09_strings_are_not_repaired() -> None:
    found = read('{"score": 3, "reason": "gap of 1,} and [2, ] noted"}', number(1, 5))
    assert found == Parsed({"score": 3, "reason": "gap of 1,} and [2, ] noted"}, {}, False)


@pytest.mark.parametrize("text", ['{"verdict": True}', '{"VERDICT": "True"}', '{"verdict": "yes"}'])
def test_j10_booleans(text: str) -> None:
    schema = Schema({"verdict": {"type": "boolean"}}, ("verdict",))
    assert read(text, schema) == Parsed({"verdict": True}, {}, True)


@pytest.mark.parametrize(
    ("tail", "winner"),
    [("**[RESULT]** Response B", "B"), ("[RESULT] A", "A"), ("Result: b.", "B"), ("[RESULT] C", None), ("B", None)],
)
def test_j02_choices(tail: str, winner: str | None) -> None:
    found = read(f"Both are fluent, A is vague. {tail}", CHOICE, parser=parse_result)
    assert found.values.get("winner") == winner
    assert bool(found.errors) == (winner is None)


@pytest.mark.parametrize(
    ("tail", "score"),
    [
        ("[RESULT] 4", 4),
        ("[SCORE] 4", 4),
        ("[RESULT] (4)", 4),
        ("[RESULT] [4]", 4),
        ("Score: 4/5", 4),
        ("Result: 4 out of 5", 4),
        ("a score of 4.", 4),
        ("**[RESULT]** **4**", 4),
        ("[RESULT] 2 [RESULT] 4", 4),
        ("[RESULT] 6", None),
        ("[RESULT] 0", None),
        ("[RESULT] 4.5", None),
        ("[RESULT] 4/10", None),
        ("[RESULT] 4 because it is good", None),
        ("[RESULT]", None),
        ("4", None),
    ],
)
def test_result_marker(tail: str, score: int | None) -> None:
    """The rule of prometheus-eval's parser: the verdict is the last thing in the reply, after a marker."""
    found = read(f"Feedback: clear enough. {tail}", load("prometheus_direct").schema, parser=parse_result)
    assert found.values.get("score") == score
    if score:
        assert str(found.values["feedback"]).startswith("clear enough.")


def test_j21_a_declared_marker_has_priority() -> None:
    def parser(text: str, schema: Schema) -> Parsed:
        return parse_pattern(re.compile(r"\[\[(?P<score>[^\]]+)\]\]"), text, schema)

    text = "Verdict [[6]]; a stricter reader might say 9/10."
    assert read(text, number(0, 10), parser=parser).values["score"] == 6
    assert read("[[6]] or [[7]]", number(0, 10), parser=parser).errors == {"score": "ambiguous"}
    assert read("6", number(0, 10), parser=parser).errors == {"score": "no_score"}
    assert read("[[11]]", number(0, 10), parser=parser).errors == {"score": "out_of_range"}


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{json.dumps(SCORES)}\n```",
        f"Here is my verdict:\n{json.dumps(SCORES, indent=1)}\nI hope it helps {{smile}}.",
        json.dumps(SCORES)[:-1] + ",}",
        json.dumps(SCORES).replace('"', "“", 1).replace('"', "”", 1),
        str(SCORES),
        json.dumps(SCORES).replace("fine", "two\nlines"),
        json.dumps({name.upper(): str(value) for name, value in SCORES.items()}),
        json.dumps(SCORES).replace("4,", "4/5,"),
        json.dumps({**SCORES, "confidence": 0.3}).replace("4,", "4.0,"),
    ],
)
def test_repair_reads_what_was_meant(text: str) -> None:
    found = read(text, MULTI)
    assert found.repaired
    assert found.errors == {}
    assert {name: found.values[name] for name in MULTI.required} == {name: SCORES[name] for name in MULTI.required}


def test_json_and_the_words_around_it_must_agree() -> None:
    said = json.dumps(SCORES)
    assert read(f"Relevance: 4.\n{said}", MULTI).errors == {}
    found = read(f"{said}\nOn reflection, relevance: 2.", MULTI)
    assert found.errors == {"relevance": "ambiguous"}
    assert found.values["consistency"] == 5
    assert read('Here is the result: 1. A look at it. {"score": 4}', number(1, 5)).values["score"] == 4


def test_labelled_prose_gives_every_dimension() -> None:
    text = "\n".join(
        f"**{name.title()}** (1-5): {value}/5 - fits" for name, value in SCORES.items() if name != "rationale"
    )
    found = read(text, MULTI)
    assert {name: found.values[name] for name in MULTI.required} == {name: SCORES[name] for name in MULTI.required}


def test_partly_valid_keeps_the_valid() -> None:
    found = read(json.dumps({**SCORES, "fluency": 7, "overall": "good"}), MULTI)
    assert found.errors == {"fluency": "out_of_range", "overall": "wrong_type"}
    assert found.values["relevance"] == 4


@pytest.mark.parametrize("finish", ["length", "refused", "error"])
def test_cut_refused_and_failed_replies(finish: str) -> None:
    for text in ("Score: 4", '{"score": 4', "4"):
        reason = "truncated" if finish == "length" else finish
        assert read(text, number(1, 5), finish).errors == {"score": reason}
    whole = read('{"score": 4}', number(1, 5), finish)
    assert bool(whole.errors) == (finish != "length")


def test_rows_fail_one_by_one() -> None:
    decisions = [
        {"id": 1, "supported": True, "evidence": None},
        {"id": "2", "supported": "no"},
        {"id": 3, "supported": "perhaps"},
        {"id": 5, "supported": True},
        {"id": 6, "supported": True},
        {"id": 6, "supported": False},
        {"id": 99, "supported": True},
    ]
    found = read(json.dumps({"decisions": decisions}), SUPPORT, ids=(1, 2, 3, 4, 5, 6))
    assert found.errors == {3: "wrong_type", 4: "missing", 6: "ambiguous"}
    assert {slot: row["supported"] for slot, row in found.values.items()} == {1: True, 2: False, 5: True}  # type: ignore[index]


def test_lists_of_facts() -> None:
    rows = [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]
    assert read(json.dumps({"facts": rows}), FACTS).values == {"facts": rows}
    assert read('{"facts": []}', FACTS).values == {"facts": []}
    assert read('["a", "b"]', FACTS).values == {"facts": rows}
    assert read('{"facts": [{"id": 1}]}', FACTS).errors == {"facts": "missing"}
    assert read("There are 2 facts.", FACTS).errors == {"facts": "no_json"}


def test_half_an_emoji_becomes_a_replacement_character() -> None:
    found = read('{"score": 4, "reason": "nice \\ud83d"}', number(1, 5))
    assert found.values["reason"] == "nice \ufffd"
    assert read('{"score": 4, "reason": "\ud83d"}', number(1, 5)).values["reason"] == "\ufffd"


@pytest.mark.parametrize("text", ["{" * 200_000, '{"score":' * 50_000, "[1" * 100_000, '{"a": "' + "\\" * 200_000])
def test_hostile_length_is_read_in_linear_time(text: str) -> None:
    begun = time.process_time()
    assert "score" in read(text, number(1, 5)).errors
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "text", ["relevance: n/a, overall: 2", "relevance: 1-5, overall: 2", "overall: 2", "**Overall:** 2"]
)
def test_what_is_said_of_another_field_is_no_answer_for_the_one_still_missing(text: str) -> None:
    """A second attempt asks for one field, and so admits general labels, of which `overall` is a field here."""
    found = read(text, MULTI.narrow(("relevance",)))
    assert found.values.get("relevance") is None
    assert found.errors["relevance"] == "no_score"
    assert read("overall: 2", number(1, 5)).values == {"score": 2}
