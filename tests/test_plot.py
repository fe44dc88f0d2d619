"""Pictures for notebooks, and the figures of studies that are asked for by hand."""

from __future__ import annotations

import re

import polars as pl
import pytest

import gistmark as gm
from gistmark.studies import human_figures
from gistmark_engine.errors import InputError, OptionError

ROW = {"summary": "A <b>cat</b> sat.", "source": "The cat sat & slept."}


def test_runs_and_new_words_are_marked() -> None:
    text = gm.plot.fragments(ROW)._repr_html_()
    assert "<b>cat" not in text
    assert "&lt;" in text
    assert "&amp; slept" in text
    coloured = re.findall(r"background:[^>]*>([^<]*)<", text)
    assert coloured.count("cat") == 2
    assert coloured.count("sat") == coloured.count("cat")
    assert "A &lt;b&gt;" in re.findall(r"underline[^>]*>([^<]*)<", text)
    assert re.sub(r"<[^>]*>", "", text.split("source")[1]) == "The cat sat &amp; slept."


def test_longer_runs_are_deeper() -> None:
    text = gm.plot.fragments({"summary": "one two three four five x six", "source": "six one two three four five"})
    assert ",0.75)'>one two three four five<" in text._repr_html_()
    assert ",0.18)'>six<" in text._repr_html_()


def test_a_table_of_one_row_is_a_row() -> None:
    frame = pl.DataFrame([ROW])
    assert gm.plot.fragments(frame) == gm.plot.fragments(ROW)
    with pytest.raises(InputError, match="this table has 2"):
        gm.plot.fragments(pl.concat([frame, frame]))


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(InputError, match="column 'source'"):
        gm.plot.fragments({"summary": "a"})
    with pytest.raises(InputError, match=r"column 'summary'.*found 3"):
        gm.plot.fragments({"summary": 3, "source": "a"})
    with pytest.raises(OptionError, match="order must be one of 1, 2, 3"):
        gm.plot.fragments(ROW, order=4)


def test_correlations_with_human_scores_are_drawn() -> None:
    pytest.importorskip("matplotlib")
    row = {"level": "summary", "coefficient": "kendall", "n": 9}
    rows = [
        row | {"metric": metric, "human": human, "value": value, "low": low, "high": 0.9}
        for metric, value, low in (("rouge1_f1", 0.3, 0.1), ("bleu", 0.2, None), ("ter", None, None))
        for human in ("coherence", "fluency")
    ]
    figure = human_figures.correlations(pl.DataFrame(rows))
    assert [axes.get_title() for axes in figure.axes] == ["coherence", "fluency"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["bleu", "rouge1_f1"]
    assert list(figure.axes[0].lines[0].get_xdata()) == [0.3, 0.2]
