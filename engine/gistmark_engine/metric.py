"""A metric is a record: what it reads, how its texts are cut, what it returns, and one function that computes it.

Everything else (the Polars expression, the command line, the null rules, the signature, the documentation table, the
tests that run over every metric) is derived from this record. Declaring a metric imports neither numba nor torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError
from gistmark_engine.limits import Limit
from gistmark_engine.version import __version__

if TYPE_CHECKING:
    from gistmark_engine.tokens import Tokens

Dtype = Literal["float64", "int64", "bool", "enum", "string", "list<string>"]
Values: TypeAlias = NDArray[np.float64] | pa.Array
Block: TypeAlias = NDArray[np.float64]
"""The values of all fields, [fields, rows]."""
Scores: TypeAlias = Block | Mapping[str, Values]

ROLES = ("summary", "references", "source", "query", "persona", "rival")

STATUSES = (
    "ok",
    "empty_summary",
    "empty_reference",
    "empty_source",
    "too_short",
    "truncated",
    "undefined",
    "repaired",
    "failed",
)
STATUS: Mapping[str, int] = {name: code for code, name in enumerate(STATUSES)}


@dataclass(frozen=True, slots=True)
class Field:
    """One output column of a metric.

    `low` and `high` bound its values (None: unbounded); `better` says which direction is good (None: neither).
    `summary` lists the statistics by which a table may condense it: "mean", "median", "quartiles", "counts"
    (the share of each level, for enum and bool). An empty tuple keeps it out of tables. `levels` are an enum's values.
    """

    dtype: Dtype = "float64"
    low: float | None = None
    high: float | None = None
    better: Literal["higher", "lower"] | None = None
    summary: tuple[str, ...] = ("mean",)
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.dtype == "enum") != bool(self.levels):
            raise ValueError("an enum field, and only an enum field, lists its levels")

    @property
    def is_score(self) -> bool:
        """Whether it holds numbers that mean something beside each other, and not counts that stand behind them."""
        return self.dtype in ("float64", "int64") and bool(self.summary)


STATUS_FIELD = Field("enum", summary=("counts",), levels=STATUSES)


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """How a metric wants its texts cut.

    `normalize` and `case` are done to a text first, `name` cuts it, `stem` is done to each token: these decide what the
    tokens are, and metrics that agree on them share one cutting. `sentences` asks for sentence bounds, `whole` for ids of
    tokens that only the summary has (otherwise those are all -1, which is faster), `words` for ids that agree over all
    rows and for what they spell (`Tokens.words`; summary and references only).

    normalize  a Unicode normalisation form
    case       "casefold" for `str.casefold`, "lower" for `str.lower`, None to leave it to the tokenizer
    stem       True: Porter's stemmer, on ASCII tokens of more than three letters; or a language of Snowball's
    label      name and version of the library or model that cuts, where one does; filled in by `tokenizers.identified`
    """

    name: str
    stem: bool | str = False
    normalize: Literal["NFC", "NFKC"] | None = None
    case: Literal["casefold", "lower"] | None = None
    sentences: bool = False
    whole: bool = False
    words: bool = False
    label: str = ""

    @property
    def options(self) -> dict[str, object]:
        """What of the tokenizer enters a metric's signature."""
        stem: dict[str, object] = {} if self.words else {"stem": self.stem}
        return (
            {"tok": self.label or self.name}
            | stem
            | ({"norm": self.normalize} if self.normalize else {})
            | ({"fold": self.case} if self.case else {})
        )

    @property
    def rewrites(self) -> bool:
        """Whether it does something to texts or tokens beside cutting."""
        return bool(self.stem or self.normalize or self.case)

    @property
    def cutting(self) -> Tokenizer:
        """What metrics must agree on to share tokens. Where a library cuts, sentence bounds matter: it cuts each alone."""
        return replace(self, whole=False, sentences=self.sentences and bool(self.label))


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a metric is defined: the paper (with section) and the reference implementation (with version) it equals."""

    paper: str
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """How a metric that is no mean of rows makes one number of many.

    `statistics` names additive fields of the metric; `finish` turns their sums into the corpus scores by column name.
    """

    statistics: tuple[str, ...]
    finish: Callable[[Mapping[str, float]], dict[str, float | None]] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Batch:
    """What a metric's `run` receives: `rows` rows, their raw text by role, and their tokens if it asked for any.

    `texts[role]` is an Arrow string array of length `rows` (for references: a list of strings). A role that is
    optional and absent is missing from the mapping. Nulls are legal everywhere. `threads` is how many a metric on raw
    text may use; one on tokens gets a range of rows that has a thread of its own.
    """

    rows: int
    texts: Mapping[str, pa.Array]
    tokens: Tokens | None = None
    threads: int = 1

    @property
    def tokenised(self) -> Tokens:
        """The tokens of a batch whose metric asked for them."""
        if self.tokens is None:
            raise ValueError("this batch was not tokenised: its metric has no tokenizer")
        return self.tokens


Run = Callable[[Batch], Scores]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric as data.

    name       the metric's name; its file, factory and test carry the same
    inputs     the roles it reads, a subset of `ROLES`
    optional   those of `inputs` it can do without
    tokenizer  how its texts are cut; None: it reads raw strings
    fields     output columns by name, in order; known before anything runs
    options    every option that changes a number, for the signature
    run        from a `Batch` to a new array [fields, rows], the fields in their order: float64 with NaN for null (integers,
               booleans and enum codes are given as float64 too and cast at the end). Or to one array a field, of
               such numbers or an Arrow array of the field's own type.
               If it has methods `open()` and `close()`, they are called around a job (see `gistmark_engine.job`).
    corpus     None, or how the score of a corpus follows from additive statistics
    cite       where it is defined
    prefix     put before every column name, so that two variants fit in one table
    row_local  whether a row's fields depend on that row alone; if not, engines must hand it all rows at once
    needs      what it cannot run without beside the core: the name of an extra, "backend" for a model that the caller
               has to name, "" for nothing
    limit      None, or how long its texts may be (see `limited`)
    """

    name: str
    inputs: tuple[str, ...]
    fields: Mapping[str, Field]
    run: Run = field(repr=False, compare=False)
    cite: Citation
    tokenizer: Tokenizer | None = None
    optional: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    corpus: Corpus | None = None
    prefix: str = ""
    row_local: bool = True
    needs: str = ""
    limit: Limit | None = None

    @property
    def required(self) -> tuple[str, ...]:
        """The roles it cannot do without."""
        return tuple(role for role in self.inputs if role not in self.optional)

    @property
    def columns(self) -> dict[str, Field]:
        """The fields under the names they carry in a table."""
        return {self.prefix + name: spec for name, spec in self.fields.items()}

    @property
    def signature(self) -> str:
        """`name|key:value|…|gistmark:version`, keys sorted; equal for equal options, independent of the data."""
        options = dict(self.options) | (self.tokenizer.options if self.tokenizer else {})
        if self.limit and self.limit.long == "truncate":
            options["max_length"] = self.limit.length
        parts = [f"{key}:{_spell(value)}" for key, value in sorted(options.items())]
        return "|".join([self.prefix + self.name, *parts, f"gistmark:{__version__}"])

    def prefixed(self, prefix: str) -> Metric:
        """The same metric with `prefix` before its column names."""
        return replace(self, prefix=prefix)

    def limited(self, length: int, long: Literal["refuse", "truncate"] = "refuse") -> Metric:
        """The same metric for texts of at most `length` characters (code points).

        A longer one is refused, or cut there, which the signature then says, and the status of its row: "truncated".
        Raises OptionError for another `length` or `long`, and where texts would be cut and no status could say so.
        """
        if long == "truncate" and STATUS_FIELD not in self.fields.values():
            raise OptionError(f"metric {self.name!r} has no status to say that a text was truncated")
        return replace(self, limit=Limit(length, long))


def _spell(value: object) -> str:
    """An option's value as a signature writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, (tuple, list)):
        return ",".join(_spell(item) for item in value)
    return str(value)
