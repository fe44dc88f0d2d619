"""FActScore: the share of a summary's separate claims that its source supports."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, Unpack

from gistmark.judges import rows
from gistmark.judges.asking import Asker
from gistmark.judges.contract import Backend
from gistmark.judges.facts import Decomposed, decompose
from gistmark.judges.making import judge_metric
from gistmark.judges.passages import Passages, okapi, words
from gistmark.judges.question import Answer, Question
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
    passages: int = 0,
    gamma: float = 10.0,
    parity: Literal["default", "reference"] = "default",
    **settings: Unpack[Settings],
) -> Metric:
    """The share of a summary's separate claims that its source alone supports (Min et al. 2023).

    The summary is decomposed into facts, each fact is decided against the row's `source`, and the score is the mean of
    the decisions. `gamma` is the length below which `factscore_lp` is shrunk (see `length_factor`).

    passages  for sources too long for the model: of each fact the best so many passages of some hundred words by BM25
              are shown, and nothing else of the source (see `passages.Passages`); 0: all of it
    parity    "reference": each fact is asked about by itself and answered in words, read by `stated_truth`, which takes
              even a reply that says neither true nor false for support unless it holds a word of denial; passages are
              found by what stands between white space, case and punctuation included, and not by words

    Fields: `factscore` and `factscore_lp` in [0, 1]; `n_facts` decided facts and `n_supported` of them, null where no
    decision could be read;
    `factscore_undecided` facts whose decision could not be read, which enter no score; `factscore_responded`, false
    where the summary claims nothing or says that it cannot answer (then the scores are null); the facts and their
    decisions ("supported", "unsupported", "undecided") for reading; `factscore_status`. Inputs: raw texts.
    `backend` and `settings` are those of all judges, see `settings.Settings`.
    """
    if not gamma >= 0:
        raise OptionError(f"factscore: gamma must be at least 0, not {gamma}")
    if passages < 0:
        raise OptionError(f"factscore: passages must be at least 0, not {passages}")
    if passages:
        okapi()
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
        partial(_score, plan=_Plan(templates, gamma, parity == "reference", passages)),
        _CITE,
        options={"gamma": f"{gamma:g}", "parity": parity, "passages": passages},
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


@dataclass(frozen=True)
class _Plan:
    """How a batch is scored: `templates` to decompose and to decide, facts decided `singly` or a row's together."""

    templates: tuple[Template, Template]
    gamma: float
    singly: bool
    passages: int

    def view(self) -> _View:
        """What of a source is shown to decide on facts; one for each batch, since it remembers sources."""
        if not self.passages:
            return lambda source, _: source
        held = cache(partial(Passages, by=str.split if self.singly else words))
        return lambda source, facts: held(source).best(facts, self.passages)


def _score(asker: Asker, batch: Batch, plan: _Plan) -> dict[str, Values]:
    columns = rows.texts(batch, ("summary", "source"))
    status = rows.screen(columns, ("summary", "source"), batch.rows)
    summaries = {row: columns["summary"][row] or "" for row in range(batch.rows) if status[row] == "ok"}
    split = decompose(asker, plan.templates[0], summaries)
    sources = {row: columns["source"][row] or "" for row, found in split.items() if found.facts}
    decide = _decide_singly if plan.singly else _decide_together
    decided = decide(asker, plan, sources, split)
    for row, found in split.items():
        status[row] = _status(found, decided.get(row))
    return _columns(status, split, decided, plan.gamma)


@dataclass(frozen=True)
class _Decided:
    """The decisions on a row's facts, None where one could not be read, and the status of their answers."""

    supported: tuple[bool | None, ...]
    status: str


_View = Callable[[str, Sequence[str]], str]
_Texts = Mapping[int, str]
_Split = Mapping[int, Decomposed]


def _decide_together(asker: Asker, plan: _Plan, sources: _Texts, split: _Split) -> dict[int, _Decided]:
    """One question a row, about all its facts by number."""
    view = plan.view()
    questions = []
    for row, source in sources.items():
        facts = split[row].facts
        texts = {"source": view(source, facts), "facts": rows.numbered(facts)}
        questions.append(Question(plan.templates[1], texts, tuple(range(1, len(facts) + 1))))
    answers = zip(questions, asker.ask(questions), strict=True)
    return {
        row: _Decided(tuple(_supported(answer.values.get(number)) for number in question.ids), answer.status)
        for row, (question, answer) in zip(sources, answers, strict=True)
    }


def _decide_singly(asker: Asker, plan: _Plan, sources: _Texts, split: _Split) -> dict[int, _Decided]:
    """One question a fact, answered in words."""
    view = plan.view()
    pairs = [(row, fact) for row in sources for fact in split[row].facts]
    texts = [{"source": view(sources[row], [fact]), "fact": fact} for row, fact in pairs]
    answers = asker.ask([Question(plan.templates[1], shown) for shown in texts])
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
    counted = {row for row in known if flags.get(row) or not known[row].facts}
    return {
        "factscore": rows.numbers([means.get(row) for row in every]),
        "factscore_lp": rows.numbers([shrunk.get(row) for row in every]),
        "n_facts": rows.numbers([len(flags.get(row, ())) if row in counted else None for row in every]),
        "n_supported": rows.numbers([sum(flags.get(row, ())) if row in counted else None for row in every]),
        "factscore_undecided": rows.numbers([undecided.get(row, 0) if row in known else None for row in every]),
        "factscore_responded": rows.numbers([bool(known[row].facts) if row in known else None for row in every]),
        "factscore_facts": rows.string_lists([known[row].facts if row in known else None for row in every]),
        "factscore_decisions": rows.string_lists(
            [[spelled[flag] for flag in decided[row].supported] if row in decided else None for row in every]
        ),
        "factscore_status": rows.statuses(status),
    }
