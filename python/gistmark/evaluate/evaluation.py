"""A metric that takes texts at once or bit by bit, as those of Hugging Face's `evaluate` do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gistmark_engine.errors import InputError, OptionError

Texts = Sequence[str]
References = Sequence[str] | Sequence[Sequence[str]]
Columns = Mapping[str, Sequence[Any]]
Found = dict[str, Any]

ROLES = {"predictions": "summary", "references": "references", "sources": "source"}


class Evaluation:
    """A metric that takes texts at once or bit by bit: what `evaluate.load` returns."""

    def __init__(self, name: str, run: Callable[..., Found], references: bool = False) -> None:
        self.name = name
        self._run, self._references = run, references  # references: whether it cannot do without
        self._columns: dict[str, list[Any]] = {}

    def add(self, *, prediction: str, reference: str | Sequence[str] | None = None, source: str | None = None) -> None:
        """Keep one summary, with its reference or list of references, or its source."""
        references: Any = None if reference is None else [reference]
        self.add_batch(predictions=[prediction], references=references, sources=None if source is None else [source])

    def add_batch(
        self, *, predictions: Texts, references: References | None = None, sources: Texts | None = None
    ) -> None:
        """Keep several summaries, with as many references (texts, or lists of texts) or sources."""
        given = {"predictions": predictions, "references": references, "sources": sources}
        columns = {name: list(values) for name, values in given.items() if values is not None}
        if self._columns and set(columns) != set(self._columns):
            raise InputError(f"{self.name} was given {', '.join(self._columns)} before, now {', '.join(columns)}")
        for name, values in columns.items():
            if len(values) != len(columns["predictions"]):
                raise InputError(f"{len(values)} {name} for {len(columns['predictions'])} predictions", column=name)
            self._columns.setdefault(name, []).extend(values)

    def compute(
        self,
        *,
        predictions: Texts | None = None,
        references: References | None = None,
        sources: Texts | None = None,
        **options: Any,
    ) -> Found:
        """The scores of everything kept and given, which is then forgotten.

        Raises OptionError for an option that the metric does not take, InputError for nothing to score.
        """
        if predictions is not None:
            self.add_batch(predictions=predictions, references=references, sources=sources)
        elif references is not None or sources is not None:
            raise InputError(f"{self.name} was given references or sources without predictions")
        columns, self._columns = self._columns, {}
        self._check(columns)
        try:
            return self._run({ROLES[name]: values for name, values in columns.items()}, **options)
        except TypeError as error:
            if "unexpected keyword argument" in str(error):
                raise OptionError(f"{self.name}: {error}") from None
            raise

    def _check(self, columns: Columns) -> None:
        """Refuse what is no text, naming its row."""
        if not columns or not columns["predictions"]:
            raise InputError(f"{self.name} was given no predictions")
        if self._references and "references" not in columns:
            raise InputError(f"{self.name} was given no references")
        for name, values in columns.items():
            for row, value in enumerate(values):
                texts = listed(value) if name == "references" else [value]
                if not texts or not all(isinstance(text, str) for text in texts):
                    raise InputError("a text is missing", metric=self.name, column=name, row=row, value=value)


def listed(row: Any) -> list[Any]:
    """The references of one prediction, also where there is one alone; none of what is no list."""
    if isinstance(row, str):
        return [row]
    return list(row) if isinstance(row, Sequence) else []
