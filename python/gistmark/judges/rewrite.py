"""Chains of rewrites for studies of how metrics react: ever longer, ever shorter, for ever more distant readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict, Unpack

from gistmark.judges.asking import Asker
from gistmark.judges.contract import Backend
from gistmark.judges.question import Question
from gistmark.judges.settings import Asking, asker, spelled
from gistmark.judges.stage import end
from gistmark.judges.template import Template, load
from gistmark_engine.errors import OptionError

PERTURBATIONS = ("lengthen", "shorten", "audience")


class Rewrite(TypedDict):
    """One link of a chain, as a line of the JSONL file that studies read. `text` is None where no rewrite was had."""

    doc_id: str
    perturbation: str
    level: int
    text: str | None
    generator: str
    seed: int


@spelled
def rewrite(
    backend: Backend | str,
    documents: Mapping[str, str],
    perturbation: Literal["lengthen", "shorten", "audience"],
    *,
    levels: int = 5,
    **settings: Unpack[Asking],
) -> list[Rewrite]:
    """For every text of `documents` (by id) a chain of levels 0 … `levels`; 0 is the text itself.

    Each level rewrites the one before, so a chain that fails at a level has None from there on. Calls are cached,
    retried, budgeted and counted like a judge's, the counts as those of the job "rewrite_<perturbation>"; a reply that
    leaves the text as it was counts as it is.
    `backend` and `settings` are those of all judges, see `settings.Asking`.
    """
    if perturbation not in PERTURBATIONS or levels < 1:
        raise OptionError(f"rewrite: one of {PERTURBATIONS} and at least 1 level, not {perturbation!r} and {levels}")
    asking = asker(backend, **settings)
    template = load(f"rewrite_{perturbation}")
    chains: list[Mapping[str, str | None]] = [documents]
    try:
        for _ in range(levels):
            chains.append(_next(asking, template, chains[-1]))
    finally:
        end(template.id, asking)
    fixed = {"perturbation": perturbation, "generator": asking.backend.model, "seed": asking.policy.seed}
    return [
        Rewrite(doc_id=name, level=level, text=texts[name], **fixed)  # type: ignore[typeddict-item]
        for name in documents
        for level, texts in enumerate(chains)
    ]


def _next(asker: Asker, template: Template, texts: Mapping[str, str | None]) -> dict[str, str | None]:
    """The next level of every chain that has not ended."""
    known = {name: text for name, text in texts.items() if text and text.strip()}
    answers = asker.ask([Question(template, {"text": text}) for text in known.values()])
    made = {name: answer.values.get("text") for name, answer in zip(known, answers, strict=True)}
    return {name: text if isinstance(text := made.get(name), str) and text.strip() else None for name in texts}
