"""DataStats: how extractive a summary is, how much it compresses, what it adds and repeats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Block, Citation, Field, Metric
from gistmark_engine.options import checked
from gistmark_engine.tokenizers import tokenizer_of

SCANS = ("newsroom", "longest")

CITE = Citation(
    "Grusky, Naaman, Artzi 2018, Newsroom, section 4; Fabbri et al. 2021, SummEval, section 3.1",
    "SummEval DataStatsMetric and Newsroom Fragments (algorithms as published)",
)


@checked
def datastats(
    orders: Sequence[int] = (1, 2, 3),
    *,
    fragments: Literal["newsroom", "longest"] = "newsroom",
    novel_basis: Literal["type", "token"] = "type",
    tokenizer: str = "word_punct",
    stem: bool | str = False,
    normalize: Literal["NFC", "NFKC"] | None = None,
    casefold: bool = False,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """Extractive fragment statistics of a summary against its source.

    With the fragments' lengths L, n summary tokens and N source tokens: `coverage` = ΣL/n in [0, 1], `density` = ΣL²/n
    in [0, n], `compression` = N/n, `summary_length` = n. For each order k: `novel_kgram`, the share of the summary's
    distinct k-grams that the source lacks, and `repeated_kgram`, the share that occur more than once, both in [0, 1].
    None of them says good or bad.

    orders       n-gram orders, 1 to 9
    fragments    "newsroom": the published greedy scan; "longest": at each position the longest match
    novel_basis  "type": distinct n-grams; "token": all occurrences
    tokenizer    "word_punct" is close to spaCy's tokens, "spacy_en_lower" has them; "whitespace_lower" cuts as SummEval does
                 without spaCy. Its novel n-grams keep case: "spacy_en" and "whitespace" are for those
    stem, normalize, casefold
                 as in `rouge`; see docs/tokenizers.md
    parity       "reference": 0.0 where the default is null, as the references return or average it

    Null text gives null. Empty summary: `summary_length` 0, the rest null. Empty source: 0, and all n-grams novel. A summary
    shorter than k tokens has null k-gram fields. `datastats_status` says why.
    """
    orders = tuple(orders)
    if not all(1 <= order <= 9 for order in orders) or len(set(orders)) != len(orders):
        raise OptionError(f"datastats: orders must be distinct ones of 1 to 9, not {orders!r}")
    orders = tuple(sorted(orders))
    return Metric(
        name="datastats",
        inputs=("summary", "source"),
        tokenizer=tokenizer_of(tokenizer, stem, normalize, casefold, whole=True),
        fields=_fields(orders),
        options={"orders": orders, "fragments": fragments, "novel_basis": novel_basis, "parity": parity},
        run=partial(
            _run,
            orders=np.array(orders, np.int64),
            scan=SCANS.index(fragments),
            by_token=novel_basis == "token",
            parity=parity == "reference",
        ),
        cite=CITE,
        prefix=prefix,
    )


def _fields(orders: tuple[int, ...]) -> dict[str, Field]:
    grams = {f"{what}_{order}gram": Field("float64", 0.0, 1.0) for order in orders for what in ("novel", "repeated")}
    return {
        "coverage": Field("float64", 0.0, 1.0),
        "density": Field("float64", 0.0),
        "compression": Field("float64", 0.0),
        "summary_length": Field("int64", 0.0),
        **grams,
        "datastats_status": STATUS_FIELD,
    }


def _run(batch: Batch, *, orders: NDArray[np.int64], scan: int, by_token: bool, parity: bool) -> Block:
    from gistmark_engine.kernels.datastats import datastats as count

    tokens = batch.tokenised
    out = count(tokens.cut, tokens.groups, orders, scan, by_token, parity)
    return tokens.without_null(out, "summary", "source")
