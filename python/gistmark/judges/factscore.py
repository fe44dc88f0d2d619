"""FActScore: the share of a summary's separate claims that its source supports."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Unpack

from gistmark.judges import rows
from gistmark.judges.asking import Answer, Asker, Question
from gistmark.judges.contract import Backend
from gistmark.judges.facts import Decomposed, decompose
from gistmark.judges.making import judge_metric
from gistmark.judges.settings import Settings, spelled
from gistmark.judges.template import Template, load
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Citation, Field, Metric, Values
from gistmark_engine.options import checked

_CITE = Citation("Min et al. 2023, FActScore, §3", "FActScore, state of April 2025, with the row's source as knowledge")
_DENIAL = re.compile(r"\b(?:not|cannot|unknown|information)\b")


@checked
@spelled
def factscore(
    backend: Backend | str | None = None,
    *,
    gamma: float = 10.0,
    parity: Literal["default", "reference"] = "default",
    **settings: Unpack[Settings],
) -> Metric:
    """The share of a summary's separate claims that its source alone supports (Min et al. 2023).

    The summary is decomposed into facts, each fact is decided against the row's `source`, and the score is the mean of
    the decisions. `gamma` is the length below which `factscore_lp` is shrunk (see `length_factor`). With
    `parity="reference"` each fact is asked about by itself and answered in words, read by `stated_truth`, which takes
    even a reply that says neither true nor false for support unless it holds a word of denial.

    Fields: `factscore` and `factscore_lp` in [0, 1]; `n_facts` decided facts and `n_supported` of them;
    `factscore_undecided` facts whose decision could not be read, which enter no score; `factscore_responded`, false
    where the summary claims nothing or says that it cannot answer (then the scores are null); the facts and their
    decisions ("supported", "unsupported", "undecided") for reading; `factscore_status`. Inputs: raw texts.
    `backend` and `settings` are those of all judges, see `settings.Settings`.
    """
    if not gamma >= 0:
        raise OptionError(f"factscore: gamma must be at least 0, not {gamma}")
    templates = (load("decompose"), load("support" if parity == "default" else "support_one"))
    return judge_metric(
        "factscore",
        backend,
        settings,
        templates,
        ("summary", "source"),
        {
            "factscore": Field("float64", 0, 1, better="higher"),
            "factscore_lp": Field("float64", 0, 1, better="higher"),
            "n_facts": Field("int64", 0),
            "n_supported": Field("int64", 0),
            "factscore_undecided": Field("int64", 0),
            "factscore_responded": Field("bool", summary=("counts",)),
            "factscore_facts": Field("list<string>", summary=()),
            "factscore_decisions": Field("list<string>", summary=()),
            "factscore_status": STATUS_FIELD,
        },
        partial(_score, templates=templates, gamma=gamma),
        _CITE,
        options={"gamma": f"{gamma:g}", "parity": parity},
    )


def length_factor(facts: int, gamma: float) -> float:
    """exp(1 − gamma / facts) below `gamma` facts, 1 from there on (Min et al. 2023; as BLEU's brevity penalty)."""
    return 1.0 if facts >= gamma else math.exp(1 - gamma / facts)


def stated_truth(reply: str) -> bool:
    """The reference implementation's reading of a reply in words.

    Only "true": supported; only "false": not; both: the later one; neither: supported unless one of not, cannot,
    unknown, information is among the words.
    """
    said = reply.lower()
    true, false = said.find("true"), said.find("false")
    if true < 0 and false < 0:
        return not _DENIAL.search(said)
    return true > false


def _score(asker: Asker, batch: Batch, templates: Sequence[Template], gamma: float) -> dict[str, Values]:
    columns = rows.texts(batch, ("summary", "source"))
    status = rows.screen(columns, ("summary", "source"), batch.rows)
    summaries = {row: columns["summary"][row] or "" for row in range(batch.rows) if status[row] == "ok"}
    split = decompose(asker, templates[0], summaries)
    sources = {row: columns["source"][row] or "" for row, found in split.items() if found.facts}
    decide = _decide_together if templates[1].id == "support" else _decide_singly
    decided = decide(asker, templates[1], sources, split)
    for row, found in split.items():
        status[row] = _status(found, decided.get(row))
    return _columns(status, split, decided, gamma)


@dataclass(frozen=True)
class _Decided:
    """The decisions on a row's facts, None where one could not be read, and the status of their answers."""

    supported: tuple[bool | None, ...]
    status: str


_Texts = Mapping[int, str]
_Split = Mapping[int, Decomposed]


def _decide_together(asker: Asker, template: Template, sources: _Texts, split: _Split) -> dict[int, _Decided]:
    """One question a row, about all its facts by number."""
    counts = {row: len(split[row].facts) for row in sources}
    answers = asker.ask(
        [
            Question(
                template, {"source": text, "facts": rows.numbered(split[row].facts)}, tuple(range(1, counts[row] + 1))
            )
            for row, text in sources.items()
        ]
    )
    return {
        row: _Decided(
            tuple(_supported(answer.values.get(number)) for number in range(1, counts[row] + 1)), answer.status
        )
        for row, answer in zip(sources, answers, strict=True)
    }


def _decide_singly(asker: Asker, template: Template, sources: _Texts, split: _Split) -> dict[int, _Decided]:
    """One question a fact, answered in words."""
    pairs = [(row, fact) for row in sources for fact in split[row].facts]
    answers = asker.ask([Question(template, {"source": sources[row], "fact": fact}) for row, fact in pairs])
    given: dict[int, list[Answer]] = {row: [] for row in sources}
    for (row, _), answer in zip(pairs, answers, strict=True):
        given[row].append(answer)
    return {row: _Decided(tuple(map(_stated, found)), rows.worst(found)) for row, found in given.items()}


def _supported(decision: object) -> bool | None:
    return bool(decision["supported"]) if isinstance(decision, dict) else None


def _stated(answer: Answer) -> bool | None:
    said = answer.values.get("answer")
    return stated_truth(said) if isinstance(said, str) else None


def _status(split: Decomposed, decided: _Decided | None) -> str:
    """A row's status: a failed step only where no fact was decided, "repaired" where some were not."""
    if decided is None:
        return split.status
    if all(flag is None for flag in decided.supported):
        return decided.status
    return "ok" if split.status == decided.status == "ok" else "repaired"


def _columns(
    status: Sequence[str | None], split: _Split, decided: Mapping[int, _Decided], gamma: float
) -> dict[str, Values]:
    every = range(len(status))
    flags = {row: [flag for flag in found.supported if flag is not None] for row, found in decided.items()}
    means = {row: sum(found) / len(found) for row, found in flags.items() if found}
    spelled = {None: "undecided", True: "supported", False: "unsupported"}
    shrunk = {row: mean * length_factor(len(split[row].facts), gamma) for row, mean in means.items()}
    undecided = {row: found.supported.count(None) for row, found in decided.items()}
    known = {row: found for row, found in split.items() if found.status not in ("truncated", "failed")}
    return {
        "factscore": rows.numbers([means.get(row) for row in every]),
        "factscore_lp": rows.numbers([shrunk.get(row) for row in every]),
        "n_facts": rows.numbers([len(flags.get(row, ())) if row in known else None for row in every]),
        "n_supported": rows.numbers([sum(flags.get(row, ())) if row in known else None for row in every]),
        "factscore_undecided": rows.numbers([undecided.get(row, 0) if row in known else None for row in every]),
        "factscore_responded": rows.numbers([bool(known[row].facts) if row in known else None for row in every]),
        "factscore_facts": rows.string_lists([known[row].facts if row in known else None for row in every]),
        "factscore_decisions": rows.string_lists(
            [[spelled[flag] for flag in decided[row].supported] if row in decided else None for row in every]
        ),
        "factscore_status": rows.statuses(status),
    }
