"""Criteria, scales and reply formats of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import constant, score

from gistmark import judges
from gistmark.judges.template import load
from gistmark_engine.errors import OptionError

OWN = """
id = "plain"
version = 3
inputs = ["summary", "query"]
reply = "pattern"
pattern = '(?m)^Clarity = (?P<clarity>.+)$|^Tone = (?P<tone>.+)$|^Safe = (?P<safe>.+)$'
reminder = "Write the three lines."
user = \"\"\"
{query}
{summary}
Write three lines: Clarity = 0 to 10, Tone = warm or cold, Safe = yes or no.
\"\"\"

[schema]
required = ["clarity", "tone", "safe"]
properties.clarity = {type = "number", minimum = 0, maximum = 10}
properties.tone = {type = "string", enum = ["warm", "cold"]}
properties.safe = {type = "boolean"}
"""


def test_criteria_scales_and_parsers_come_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    backend = constant("Clarity = 7.5\nTone = WARM\nSafe = yes")
    metric = judges.judge(backend, template=path, cache=False)
    assert metric.inputs == ("summary", "query")
    assert (metric.fields["judge_clarity"].high, metric.fields["judge_tone"].levels) == (10, ("warm", "cold"))
    found = score(metric, summary=["a"], query=["q"])
    assert (found["judge_clarity"], found["judge_tone"], found["judge_safe"]) == ([7.5], ["warm"], [True])
    assert "plain@3" in metric.signature
    path.write_text(OWN.replace("0 to 10", "0 to 10 please"))
    assert judges.judge(backend, template=path, cache=False).signature != metric.signature


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("{query}", "{colour}", "colour"),
        ("{query}", "", "never places"),
        ('reply = "pattern"', 'reply = "prose"', "prose"),
        ("(?P<tone>", "(?P<hue>", "tone"),
        ("minimum = 0, ", "", "minimum"),
        ('type = "boolean"', 'type = "colour"', "colour"),
        ("version = 3", "", "version"),
        ("[schema]", "[schema", "own.toml"),
    ],
)
def test_a_wrong_template_says_what_is_wrong(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(old, new))
    with pytest.raises(OptionError, match=problem):
        load(path)
