"""Made-up replies: none raises, none becomes a number it does not hold."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from replies import CHOICE, FACTS, MULTI, SUPPORT, number, read

from gistmark.judges.parsing import parse_result

json_like = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*MULTI.fields, "id"]), inner, max_size=4)
    ),
    max_leaves=8,
)
pieces = st.sampled_from(
    [
        *"{}[]\",:“”'`*-.\\/()<>\n 0123456789",
        "score",
        "relevance",
        "overall",
        "[RESULT]",
        "true",
        "None",
        "```json",
        "</think>",
    ]
)
replies = st.text() | st.lists(pieces, max_size=40).map("".join) | json_like.map(json.dumps) | json_like.map(str)


@settings(max_examples=400, deadline=None)
@given(replies, st.sampled_from(["stop", "length"]))
def test_no_reply_raises_or_becomes_a_number_it_does_not_hold(text: str, finish: str) -> None:
    written = {float(found) for found in re.findall(r"(?=((?<![0-9.])[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?))", text)}
    for schema in (MULTI, number(1, 5), number(1, 5, "number")):
        found = read(text, schema, finish)
        assert set(found.errors) == {name for name in schema.required if name not in found.values}
        for name in set(schema.required) & set(found.values):
            value = found.values[name]
            assert 1 <= value <= 5  # type: ignore[operator]
            assert value in written
            assert isinstance(value, int) or schema.fields[name]["type"] == "number"
    for parser in (parse_result,):
        value = read(text, number(1, 5), finish, parser=parser).values.get("score")
        assert value is None or value in written
    rows = read(text, SUPPORT, finish, ids=(1, 2))
    assert set(rows.values) | set(rows.errors) == {1, 2}
    read(text, FACTS, finish)
    read(text, CHOICE, finish)


def meant(value: object) -> int | None:
    """What a value in a JSON reply means on a scale from 1 to 5, by the contract and nothing of ours."""
    if isinstance(value, str):
        whole = re.fullmatch(r"\s*([1-5])(?:\.0)?(?:\s*/\s*5)?\s*", value)
        return int(whole[1]) if whole else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value in (1, 2, 3, 4, 5) else None


values = (
    st.integers(-2, 12)
    | st.floats(allow_nan=False)
    | st.booleans()
    | st.none()
    | st.sampled_from(["4", "4/5", " 3.0 ", "5/10", "good", "4-5", "", "4 or 5", "-3", "٣", "1.5", "0x3"])
)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from(MULTI.required), values),
    st.text(st.characters(blacklist_characters="{}<>")),
    st.sampled_from(["json", "comma", "python", "fence", "smart"]),
)
def test_what_json_says_is_what_is_read(held: dict[str, object], rationale: str, spelling: str) -> None:
    body = {**held, "rationale": rationale}
    text = {
        "json": json.dumps(body),
        "comma": json.dumps(body)[:-1] + ",}",
        "python": repr(body),
        "fence": f"Sure!\n```json\n{json.dumps(body, ensure_ascii=False)}\n```\n",
        "smart": json.dumps(body).replace('"relevance"', "“relevance”"),
    }[spelling]
    found = read(text, MULTI)
    for name in MULTI.required:
        expected = meant(held.get(name))
        if expected is None:
            assert name not in found.values
        elif spelling in ("json", "comma", "fence", "smart"):
            assert found.values[name] == expected
        else:
            assert found.values.get(name) in (expected, None)
