"""Chains of rewrites made by a language model, as lines of the form that `rewrites` reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import polars as pl

from gistmark.studies.documents import KEY
from gistmark.studies.rewrites import Rewrites

if TYPE_CHECKING:
    from gistmark.judges import Backend, Budget, Cache

REWRITTEN: tuple[Literal["lengthen", "shorten", "audience"], ...] = ("lengthen", "shorten", "audience")
"""The perturbations that a model makes; rules make the others."""


@dataclass(frozen=True, slots=True)
class Rewriter:
    """A model that rewrites base texts level by level; see `gistmark.judges.rewrite` for what the options mean.

    Replies are kept in `cache` as they arrive, so that a study that was cut off asks for nothing twice.
    """

    backend: Backend | str
    model: str = ""
    cache: bool | str | Path | Cache = True
    budget: Budget | None = None

    def lines(
        self, documents: pl.DataFrame, perturbations: Sequence[str], levels: int, seed: int, kept: Path | None = None
    ) -> Rewrites:
        """One line a document, perturbation of REWRITTEN and level: key, level, text (null where none was had),
        generator and seed; or the file `kept` where that is there already. Raises as the backend does, and BudgetError.
        """
        if kept and kept.exists():
            return kept
        from gistmark.judges import rewrite

        listed = isinstance(documents.schema["base"], pl.List)
        base = documents["base"].list.join(" ") if listed else documents["base"]
        texts = {str(number): text for number, text in enumerate(base)}
        keys = documents.select(KEY).to_dicts()
        return [
            {**line, **keys[int(line["doc_id"])]}
            for name in REWRITTEN
            if name in perturbations
            for line in rewrite(
                self.backend,
                texts,
                name,
                model=self.model,
                levels=levels,
                seed=seed,
                cache=self.cache,
                budget=self.budget,
            )
        ]
