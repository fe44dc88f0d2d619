"""`gistmark metrics`: every metric, what it reads, what it returns and where it is defined."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from gistmark.catalogue import catalogue, resolve
from gistmark.cli.options import defaults_of
from gistmark_engine.metric import Field, Metric


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser("metrics", help="list every metric: inputs, fields, options, source")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of metrics; default: all")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    records = resolve(options.names) if options.names else list(catalogue().values())
    if options.json:
        print(json.dumps([_data(metric) for metric in records], indent=2, ensure_ascii=False))
    else:
        print("\n\n".join("\n".join(_lines(metric)) for metric in records))
    return 0


def _data(metric: Metric) -> dict[str, Any]:
    """A metric as JSON can hold it."""
    return {
        "name": metric.name,
        "inputs": list(metric.inputs),
        "optional": list(metric.optional),
        "needs": metric.needs,
        "options": {name: _plain(value) for name, value in defaults_of(metric.name).items()},
        "fields": {name: _field(field) for name, field in metric.fields.items()},
        "paper": metric.cite.paper,
        "reference": metric.cite.reference,
        "signature": metric.signature,
    }


def _field(field: Field) -> dict[str, Any]:
    return {
        "dtype": field.dtype,
        "low": field.low,
        "high": field.high,
        "better": field.better,
        "summary": list(field.summary),
        "levels": list(field.levels),
    }


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int, float, tuple, type(None))) else str(value)


def _lines(metric: Metric) -> Iterator[str]:
    inputs = [f"{role} (optional)" if role in metric.optional else role for role in metric.inputs]
    yield metric.name
    yield f"  reads      {', '.join(inputs)}"
    if metric.needs:
        yield f"  needs      {_needs(metric.needs)}"
    yield f"  options    {', '.join(f'{name}={value!r}' for name, value in defaults_of(metric.name).items())}"
    yield f"  defined in {metric.cite.paper}"
    if metric.cite.reference:
        yield f"  equals     {metric.cite.reference}"
    width = max(len(name) for name in metric.fields)
    for name, field in metric.fields.items():
        yield f"    {name:<{width}}  {_range(field)}"


def _needs(needs: str) -> str:
    """What must be there before a metric can run, in words."""
    return "a model, as its option backend" if needs == "backend" else f"pip install 'gistmark[{needs}]'"


def _range(field: Field) -> str:
    """Type, bounds and direction of a field in one line."""
    if field.levels:
        return f"one of {', '.join(field.levels)}"
    if field.dtype not in ("float64", "int64"):
        return field.dtype
    low = "(-∞" if field.low is None else f"[{field.low:g}"
    high = "∞)" if field.high is None else f"{field.high:g}]"
    return f"{field.dtype} {low}, {high}" + (f", {field.better} is better" if field.better else "")
