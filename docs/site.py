"""The pages of the site that are made, not written: README as the first, one a metric from its record and docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gistmark as gm
from gistmark import metrics as factories
from gistmark.cli.options import defaults_of
from gistmark.report.citations import bibtex
from gistmark_engine.metric import Field, Metric

ROOT = Path(__file__).parents[1]
USES = ("batch", "command_line", "expressions", "pipelines", "comparisons", "benchmark", "report", "json")
MAKING = ("adding_a_metric", "migrating")
EXAMPLES = {
    "summary": '["A cat sat on the mat.", "It rained."]',
    "references": '[["The cat sat on the mat.", "A cat was sitting."], ["It was raining."]]',
    "source": '["On Monday a cat came in and sat on the mat. Nobody minded.", "It rained all day."]',
    "query": '["What did the cat do?", "How was the weather?"]',
    "persona": '[{"role": "farmer", "domain": "weather", "information_needs": ["rain"]}] * 2',
}


def on_config(config: Any) -> Any:
    """The order of pages: uses, then the metrics, then whatever else there is."""
    there = {path.stem for path in (ROOT / "docs").glob("*.md")}
    pages = {title: [f"{name}.md" for name in names if name in there] for title, names in _groups(there).items()}
    metrics = ["metrics/index.md", *(f"metrics/{name}.md" for name in gm.catalogue())]
    config.nav = ["index.md", {"Using it": pages["uses"]}, {"Metrics": metrics}, {"What numbers mean": pages["rest"]},
                  {"Making and moving": pages["making"]}, "python.md"]  # fmt: skip
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    made = {"index.md": _readme(), "python.md": _python(), "metrics/index.md": _overview()}
    made |= {f"metrics/{name}.md": page(metric) for name, metric in gm.catalogue().items()}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def page(metric: Metric) -> str:
    """A metric's page: definition, options, fields, example, source."""
    prose, options = _docstring(getattr(factories, metric.name))
    parts = [
        f"# {metric.name}",
        *prose,
        "## Fields",
        _table(("field", "type", "range", "better", "in tables"), [_field(*item) for item in metric.fields.items()]),
        "## Options",
        _table(("option", "default", ""), _options(metric, options)),
        "## Example",
        f"```python\n{example(metric)}\n```",
        f"```sh\ngistmark score pairs.parquet --metrics {metric.name}\n```",
        "## Source",
        f"Defined in: {metric.cite.paper}.",
        *(
            [f"Equals or follows: {metric.cite.reference}. See [differences](../differences.md)."]
            if metric.cite.reference
            else []
        ),
        f"Signature with default options: `{metric.signature}`",
        f"```bibtex\n{bibtex([metric.name])}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def example(metric: Metric) -> str:
    """Code that scores two rows; a judge's answers are made up."""
    option = "gm.judges.Fake(), cache=False" if metric.needs == "backend" else ""
    roles = [role for role in metric.inputs if role in EXAMPLES]
    data = "\n".join(f'    "{role}": {EXAMPLES[role]},' for role in roles)
    shown = next(iter(metric.columns))
    lines = ("import gistmark as gm", "", f"rows = {{\n{data}\n}}",
             f"scored = gm.score(rows, [gm.metrics.{metric.name}({option})])", f'print(scored["{shown}"])')  # fmt: skip
    return "\n".join(lines)


def _follows(metric: Metric) -> list[str]:
    """The reference implementation, if there is one."""
    reference = metric.cite.reference
    return [f"Equals or follows: {reference}. See [differences](../differences.md)."] if reference else []


def _groups(there: set[str]) -> dict[str, Sequence[str]]:
    return {"uses": USES, "making": MAKING, "rest": sorted(there - {*USES, *MAKING})}


def _docstring(factory: Any) -> tuple[list[str], dict[str, str]]:
    """Paragraphs of prose, and what is said of each option in the aligned lists among them."""
    prose, options = [], {}
    for block in inspect.cleandoc(factory.__doc__ or "").split("\n\n"):
        if not re.match(r"\w+ {2,}\S", block):
            prose.append(" ".join(block.split("\n")))
            continue
        for entry in re.split(r"\n(?=\w)", block):
            name, _, text = entry.partition(" ")
            options[name] = " ".join(text.split())
    return prose, options


def _options(metric: Metric, said: dict[str, str]) -> list[tuple[str, ...]]:
    known = defaults_of(metric.name)
    return [(f"`{name}`", f"`{value!r}`", said.get(name, "")) for name, value in known.items()]


def _field(name: str, field: Field) -> tuple[str, ...]:
    low = "−∞" if field.low is None else f"{field.low:g}"
    high = "∞" if field.high is None else f"{field.high:g}"
    numeric = field.dtype in ("float64", "int64")
    bounds = f"{low} to {high}" if numeric else ", ".join(field.levels)
    return f"`{name}`", field.dtype, bounds, field.better or "", ", ".join(field.summary)


def _overview() -> str:
    rows = [
        (f"[{name}]({name}.md)", ", ".join(metric.inputs), metric.cite.paper, metric.cite.reference)
        for name, metric in gm.catalogue().items()
    ]
    return "# Metrics\n\n" + _table(("metric", "reads", "defined in", "equals or follows"), rows) + "\n"


def _python() -> str:
    """The functions of `gistmark` with their docstrings."""
    return "# Python\n\n" + "\n\n".join(_functions()) + "\n"


def _functions() -> Iterator[str]:
    for name in gm.__all__:
        function = getattr(gm, name)
        if inspect.isfunction(function):
            text = inspect.cleandoc(function.__doc__ or "")
            yield f"## gm.{name}\n\n```text\ngm.{name}{inspect.signature(function)}\n\n{text}\n```"


def _readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8").replace("(docs/", "(")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
