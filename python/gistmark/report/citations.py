"""What to cite for a metric, as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files

from gistmark.catalogue import catalogue
from gistmark.report.columns import plain_name

KEYS = {
    "rouge": ("lin2004rouge",),
    "bleu": ("papineni2002bleu", "post2018call"),
    "chrf": ("popovic2015chrf",),
    "chrfpp": ("popovic2017chrf",),
    "ter": ("snover2006study",),
    "meteor": ("lavie2007meteor",),
    "meteor15": ("denkowski2014meteor",),
    "datastats": ("grusky2018newsroom", "fabbri2021summeval"),
    "syntax": ("lu2010automatic",),
    "judge": ("fabbri2021summeval", "liu2023geval"),
    "factscore": ("min2023factscore",),
    "prometheus": ("kim2024prometheus",),
    "bertscore": ("zhang2020bertscore",),
    "supert": ("gao2020supert",),
    "summaqa": ("scialom2019answers",),
    "blanc_help": ("vasilyev2020fill",),
    "blanc_tune": ("vasilyev2020fill",),
    "factcc": ("kryscinski2020evaluating",),
    "summac": ("laban2022summac",),
    "entities": ("nan2021entity", "katwe2025reducing"),
    "readability": (
        "flesch1948new",
        "kincaid1975derivation",
        "coleman1975computer",
        "dale1948formula",
        "gunning1952technique",
    ),
}
"""The entries of citations.bib by metric; a metric that is not here is cited by what its record says."""


def bibtex(metrics: Iterable[str]) -> str:
    """The entries for metrics by (prefixed) name, each once."""
    names = [name for metric in metrics if (name := plain_name(metric))]
    return "\n\n".join(dict.fromkeys(entry for name in names for entry in _of(name)))


def _of(name: str) -> list[str]:
    if name in KEYS:
        return [_entries()[key] for key in KEYS[name]]
    return [f"@misc{{gistmark-{name},\n  title = {{{catalogue()[name].cite.paper}}},\n}}"]


def _entries() -> dict[str, str]:
    text = files("gistmark.report").joinpath("citations.bib").read_text(encoding="utf-8")
    return {key: entry.strip() for entry, key in re.findall(r"(@\w+\{([\w-]+),.*?^\})", text, re.MULTILINE | re.DOTALL)}
