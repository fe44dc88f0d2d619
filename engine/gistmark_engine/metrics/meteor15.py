"""METEOR 1.5: an alignment by spelling, stem, synonym and paraphrase, and how scattered it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Block, Citation, Field, Metric
from gistmark_engine.options import checked
from gistmark_engine.release import NOTHING, PARAPHRASES, read_release
from gistmark_engine.tokenizers.given import cut_batch
from gistmark_engine.tokenizers.meteor import Normaliser

CITE = Citation(
    "Denkowski and Lavie 2014, Meteor Universal, section 2; parameters of English, task rank",
    "meteor-1.5.jar, -l en -norm",
)
STAGES = ("exact", "stem", "synonym", "paraphrase")


@checked
def meteor15(
    *,
    release: str | PathLike[str] | None = None,
    stages: Sequence[Literal["exact", "stem", "synonym", "paraphrase"]] | None = None,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """METEOR 1.5 of an English summary against its references, the highest of several.

    Words, and phrases in the last stage, are aligned by equal spelling, equal Snowball stem, a common synonym set, or as
    paraphrases, so that as many words as possible are covered in as few chunks as possible (a search that keeps forty
    partial alignments). With stages weighing 1, 0.6, 0.8, 0.6, content words 0.75 and function words 0.25, P and R are the
    shares of both texts' weights that are aligned, Fmean = 1 / (0.15 / P + 0.85 / R), and `meteor15` =
    (1 − 0.6 (chunks / aligned words)^0.2) Fmean, without penalty where both texts are aligned whole as one chunk. Float64
    in [0, 1], higher is better. Equal to the released program with `-l en -norm` (differences: docs/meteor.md).

    release  the folder of the release: `meteor-1.5.jar`, which holds function words, abbreviations and synonym sets, and
             `data/paraphrase-en.gz`. Nothing of it comes with gistmark. Without it the function words count like others
    stages   which to use: all four with a release, "exact" and "stem" without
    parity   "reference": an empty reference counts as 0.0 instead of null

    Null text gives null; an empty summary 0.0; an empty reference null (`meteor15_status` says so), left out beside others.
    """
    wanted = tuple(stages) if stages is not None else STAGES if release is not None else STAGES[:2]
    _check(wanted, release)
    folder = str(Path(release).resolve()) if release is not None else None
    return Metric(
        name="meteor15",
        inputs=("summary", "references"),
        fields={"meteor15": Field("float64", 0.0, 1.0, "higher"), "meteor15_status": STATUS_FIELD},
        options={
            "release": read_release(folder).name if folder else NOTHING.name,
            "stages": tuple(stage for stage in STAGES if stage in wanted),
            "tok": "meteor",
            "parity": parity,
        },
        run=partial(_run, folder=folder, stages=[stage in wanted for stage in STAGES], parity=parity == "reference"),
        cite=CITE,
        prefix=prefix,
    )


def _check(stages: tuple[str, ...], release: str | PathLike[str] | None) -> None:
    if not stages or len(set(stages)) != len(stages):
        raise OptionError(f"meteor15: stages must be distinct ones of {', '.join(STAGES)}, not {stages!r}")
    lacking = [stage for stage in stages if release is None and stage in STAGES[2:]]
    if lacking:
        raise OptionError(f"meteor15: stage {lacking[0]!r} needs release=, the folder of METEOR 1.5 with its data")
    if release is not None and "paraphrase" in stages and not (Path(release) / PARAPHRASES).is_file():
        raise OptionError(
            f"meteor15: there is no {PARAPHRASES} in {str(release)!r}; choose stages without 'paraphrase'"
        )


def _run(batch: Batch, *, folder: str | None, stages: Sequence[bool], parity: bool) -> Block:
    from gistmark_engine.glossary import read_words
    from gistmark_engine.kernels.meteor15 import meteor15_rows
    from gistmark_engine.paraphrases import no_phrases, read_paraphrases

    release = read_release(folder) if folder else NOTHING
    phrases, numbers = read_paraphrases(str(Path(folder) / PARAPHRASES)) if folder and stages[3] else (no_phrases(), {})
    normaliser = Normaliser(release.prefixes)
    tokens = cut_batch(batch, lambda texts: [normaliser.cut(text) for text in texts], words=True)
    words = read_words(tokens.words, release, numbers)
    out = meteor15_rows(tokens.cut, tokens.groups, words, phrases, np.array(stages), parity)
    return tokens.without_null(out, "summary", "references")
