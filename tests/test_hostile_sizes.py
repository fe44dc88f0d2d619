"""Texts no one writes: results that can be worked out by hand, in bounded memory and time.

Each runs in a process of its own, which reports the peak of its memory after what loading and compiling took.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

TIMEOUT = 300
MEGABYTES = 1 << 10  # ru_maxrss counts KiB on Linux
PREAMBLE = """
import json, resource, sys
from engine import scores
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge

ALL = [rouge(("1", "2", "9", "L", "Lsum")), datastats(), abstraction()]

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def score(metrics=ALL, **roles):
    return {name: values for name, values in scores(metrics, **roles).items()}

score(summary=["a b"], references=[["a b"]], source=["a b"])
before = peak()
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read as Linux reports it")


def run(body: str) -> tuple[dict[str, Any], float]:
    """What `body` leaves in `out`, and by how many MB it raised the peak."""
    code = PREAMBLE + textwrap.dedent(body) + "\nprint(json.dumps([out, peak() - before]))"
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=os.environ | {"PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    out, grown = json.loads(done.stdout)
    return out, grown / MEGABYTES


def test_one_token_repeated() -> None:
    n, m = 100_000, 40_000
    out, grown = run(f"out = score(summary=['a ' * {m}], references=[['a ' * {n}]], source=['a ' * {n}])")
    for kind in ("1", "L", "Lsum"):
        assert (out[f"rouge{kind}_p"], out[f"rouge{kind}_r"]) == ([1.0], [m / n])
    assert (out["rouge9_p"], out["rouge9_r"]) == ([1.0], [(m - 8) / (n - 8)])
    assert (out["coverage"], out["density"], out["compression"]) == ([1.0], [float(m)], [n / m])
    assert (out["novel_2gram"], out["repeated_2gram"], out["c_s1"], out["ar1"]) == ([0.0], [1.0], [1.0], [0.0])
    assert grown < 400


def test_all_tokens_distinct() -> None:
    n = 100_000
    out, grown = run(f"""
        text = " ".join(f"w{{k}}" for k in range({n}))
        turned = " ".join(f"w{{(k + {n // 4}) % {n}}}" for k in range({n}))
        out = score(summary=[turned], references=[[text]], source=[text])
    """)
    assert out["rouge1_f1"] == [1.0]
    assert out["rouge2_p"] == out["rouge2_r"] == [(n - 2) / (n - 1)]
    assert out["rougeL_r"] == out["rougeLsum_r"] == out["c_sL"] == [0.75]
    assert (out["coverage"], out["density"]) == ([1.0], [((3 * n // 4) ** 2 + (n // 4) ** 2) / n])
    assert (out["repeated_1gram"], out["novel_2gram"]) == ([0.0], [1 / (n - 1)])
    assert grown < 900


def test_one_row_of_a_megabyte_beside_tiny_ones() -> None:
    out, grown = run("""
        large = " ".join(f"w{k % 5000} x" for k in range(150_000))
        texts = ["a b"] * 500 + [large] + ["c d"] * 500
        out = score([rouge(("1", "2")), datastats()], summary=texts, references=texts, source=texts)
        out = {name: sorted(set(values)) for name, values in out.items() if name.endswith(("_f1", "coverage", "length"))}
    """)
    assert out == {"rouge1_f1": [1.0], "rouge2_f1": [1.0], "coverage": [1.0], "summary_length": [2, 300_000]}
    assert grown < 600


def test_ten_thousand_references() -> None:
    out, grown = run("""
        references = [f"r{k} common" for k in range(10_000)] + ["common words here", ""]
        rows = [references] * 3
        out = score(rouge(("1", "Lsum")), summary=["common words here", "r77 common", "nothing"], references=rows)
        out["mean"] = score(rouge(("1",), multi="mean"), summary=["r77 common"], references=[references])["rouge1_p"]
    """)
    assert out["rouge1_f1"] == out["rougeLsum_f1"] == [1.0, 1.0, 0.0]
    assert out["mean"] == [pytest.approx((10_001 * 0.5 + 0.5) / 10_001, rel=1e-12)]
    assert grown < 300


def test_a_token_of_a_million_characters() -> None:
    out, grown = run("""
        a, b, wide = "y" * 1_000_000, "y" * 999_999 + "z", "é" * 1_000_000
        out = score([rouge(("1", "L"), stem=True)], summary=[a, a, a], references=[a, b, a + " " + b])
        words = score([datastats()], summary=[wide, wide], source=[wide, wide[:-1] + "e"])
        out["coverage"] = words["coverage"]
    """)
    assert out["rouge1_p"] == [1.0, 0.0, 1.0]
    assert out["rougeL_r"] == [1.0, 0.0, 0.5]
    assert out["coverage"] == [1.0, 0.0]
    assert grown < 900


def test_one_long_sentence_against_another() -> None:
    """100,000 by 100,000 tokens of two words: the table would take 80 GB, all bit rows 1.2 GB."""
    out, grown = run("""
        text, shifted = "a b " * 50_000, "b a " * 50_000
        out = score([rouge(("L", "Lsum"))], summary=[shifted], references=[text])
    """)
    assert out["rougeL_p"] == out["rougeLsum_p"] == [99_999 / 100_000]
    assert grown < 200


def test_many_equal_looking_references_take_no_quadratic_time() -> None:
    """Fixed-width records: equal length, first and last bytes. Compared pair by pair, 60,000 would take many minutes."""
    out, _ = run("""
        records = [f"RECORD-- {k:08d} --RECORD" for k in range(60_000)]
        scored = score([rouge(("1",))], summary=records, references=records)
        out = {"least": min(scored["rouge1_f1"])}
    """)
    assert out == {"least": 1.0}


def test_a_long_subsequence_in_little_memory() -> None:
    out, grown = run("""
        summary = " ".join(f"w{k}" for k in range(5000))
        reference = " ".join(f"w{k}" for k in range(0, 5000, 2))
        out = score([rouge(("L",))], summary=[summary], references=[reference])
    """)
    assert (out["rougeL_p"], out["rougeL_r"], out["rougeL_f1"]) == ([0.5], [1.0], [pytest.approx(2 / 3, abs=1e-12)])
    assert grown < 8


def test_more_tokens_than_there_is_room_for_from_the_start() -> None:
    """Rows of punctuation, each mark a token, which together take more ids than ordinary text of their size."""
    rows, size = 2400, 6000
    out, grown = run(f"""
        texts = ['!' * (k + 1) + '?' * ({size} - k) for k in range({rows})]
        references = ['!' * 50 + ' ' * (k % 50) + '?' * 10 + ' ' * (k // 50) for k in range({rows})]  # no two alike
        found = score(rouge(("1",), tokenizer="13a"), summary=texts, references=references)
        out = found["rouge1_p"]
    """)
    assert out == [(min(k + 1, 50) + min(size - k, 10)) / (size + 1) for k in range(rows)]
    assert grown < 300


def test_more_sentences_than_there_is_room_for_from_the_start() -> None:
    """Rows of line ends, each the end of a sentence without a token."""
    out, grown = run("""
        texts = ['\\n' * k + 'a\\nb c\\n' + '\\n' * (6000 - k) for k in range(2400)]
        references = ['b c\\na' + '\\n' * (k % 50) + ' ' * (k // 50) for k in range(2400)]  # no two alike
        found = score(rouge(("L", "Lsum")), summary=texts, references=references)
        out = [found["rougeL_p"], found["rougeLsum_p"]]
    """)
    assert out == [[2 / 3] * 2400, [1.0] * 2400]
    assert grown < 400
