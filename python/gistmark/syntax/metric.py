"""The metric `syntax`: 23 measures of syntactic complexity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark.syntax import parser, trees
from gistmark.syntax.ratios import COUNTS, FIELDS, measures
from gistmark.syntax.words import WORD_RULES, WordRule
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import STATUS, STATUS_FIELD, Batch, Citation, Metric, Values

if TYPE_CHECKING:
    from spacy.language import Language

Backend = Literal["dep", "const"]

CITE = Citation(
    "Lu 2010, Automatic analysis of syntactic complexity in second language writing, International Journal of Corpus "
    "Linguistics 15(4), sections 3.2-3.3",
    "L2SCA's patterns as published (backend 'const'); rules of our own over spaCy's labels (backend 'dep')",
)


def syntax(
    backend: Backend = "dep",
    w_rule: WordRule = "word",
    parity: Literal["reference"] | None = None,
    model: str = parser.DEFAULT_MODEL,
    prefix: str = "",
) -> Metric:
    """Syntactic complexity of a summary: nine counts (int64, at least 0) and fourteen ratios of them (float64).

    Counts: W words, S sentences, VP verb phrases, C clauses, T T-units, DC dependent clauses, CT complex T-units,
    CP coordinate phrases, CN complex nominals. They are added up over a text's sentences before they are divided.

    backend  "dep": from the text, by rules over spaCy's dependency parse (extra `syntax`). "const": the text is one or
             more constituency trees in Penn brackets, counted by L2SCA's definitions with Collins's head rules. The
             two agree in tendency, not in number: no dependency rule reproduces a constituency pattern exactly.
    w_rule   what is a word. "word": a token with a letter or digit. "l2sca": a token with a purely alphabetic tag and
             no hyphen, dash or parenthesis. "summeval": every token, punctuation included.
    parity   "reference": a ratio with denominator 0 is 0.0, as L2SCA, neosca and SummEval have it; default null.
    model    backend "dep": an installed spaCy pipeline with tagger and parser for English, or a folder with one.
    prefix   goes before every column name.

    Known limits of "dep". It is as good as the parse. A bare verb coordinated with a main verb under a modal ("can
    sing and dance") counts as an imperative clause. A text without a word has counts 0 and status `empty_summary`.
    Null text: null. Raises `MissingExtra` without spaCy or the default pipeline, `InputError` for text longer than
    the pipeline's limit and for brackets that do not close, `OptionError` for an unknown option.
    """
    _check("backend", backend, get_args(Backend))
    _check("w_rule", w_rule, WORD_RULES)
    _check("parity", parity, (None, "reference"))
    options: dict[str, object] = {"backend": backend, "w_rule": w_rule, "parity": parity}
    if backend == "dep":
        options["model"] = parser.version(model)
    return Metric(
        name="syntax",
        inputs=("summary",),
        fields=FIELDS | {"syntax_status": STATUS_FIELD},
        run=_Syntax(backend, w_rule, 0.0 if parity else np.nan, model),
        cite=CITE,
        options=options,
        prefix=prefix,
        needs="syntax" if backend == "dep" else "",
    )


def _check(option: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuse a value that an option does not take."""
    if value not in allowed:
        raise OptionError(f"metric 'syntax': {option} takes {', '.join(map(repr, allowed))} (found {value!r})")


class _Syntax:
    """Counts distinct texts once; holds the parser between `open` and `close`."""

    def __init__(self, backend: Backend, w_rule: WordRule, undefined: float, model: str) -> None:
        self.backend, self.w_rule, self.undefined, self.model = backend, w_rule, undefined, model
        self.nlp: Language | None = None

    def open(self) -> None:
        """Load the parser, if texts have to be parsed."""
        self._pipeline()

    def close(self) -> None:
        """Let the parser go."""
        self.nlp = None

    def __getstate__(self) -> dict[str, object]:
        """Workers load their own parser."""
        return self.__dict__ | {"nlp": None}

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        nlp = self._pipeline()
        column = batch.texts["summary"].cast(pa.large_string())
        encoded: Any = column.dictionary_encode()
        places = np.asarray(encoded.indices.fill_null(-1))
        counts = np.vstack([self._counts(encoded.dictionary.to_pylist(), places, nlp), np.zeros((1, 9), np.int64)])
        null = places < 0  # such rows took the added row of zeros
        columns = measures(counts[places], self.undefined)
        columns["syntax_status"] = _status(counts[places])
        return {name: np.where(null, np.nan, values) for name, values in columns.items()}

    def _pipeline(self) -> Language | None:
        """The parser, loaded if need be, safe from another thread's `close`; None where none is wanted."""
        nlp = self.nlp
        if nlp is None and self.backend == "dep":
            nlp = self.nlp = parser.load(self.model)
        return nlp

    def _counts(self, texts: list[str], places: NDArray[np.int64], nlp: Language | None) -> NDArray[np.int64]:
        """The nine counts of each distinct text; an error speaks of the first row that holds the text."""
        try:
            if nlp is None:
                return trees.parse(texts).counts(self.w_rule)
            return parser.parse(texts, nlp).counts(self.w_rule)
        except InputError as error:
            row = int(np.flatnonzero(places == error.row)[0])
            raise InputError(error.problem, metric="syntax", column="summary", row=row, value=error.value) from None


def _status(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """ok; empty_summary where there is no sentence; undefined where there is one, but no clause or no T-unit."""
    s, c, t = (counts[:, COUNTS.index(name)] for name in ("S", "C", "T"))
    status = np.where((c == 0) | (t == 0), STATUS["undefined"], STATUS["ok"])
    return np.where(s == 0, STATUS["empty_summary"], status).astype(np.float64)
