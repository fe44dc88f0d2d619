"""What is known of BERTScore's models: the layer that agrees best with people, and what unrelated texts score."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from gistmark_engine.errors import OptionError

Baseline = tuple[float, float, float]


def layer_of(model: str) -> int | None:
    """The layer for a model of this name, or for a folder called like the name's last part; None where none is known."""
    layers = {row["model"]: int(row["layer"]) for row in _rows("bertscore_layers.tsv")}
    return layers.get(_known(model, layers))


def baseline_of(language: str, model: str, layer: int) -> Baseline:
    """Mean precision, recall and F1 of unrelated texts. Raises `OptionError` where they are not known."""
    rows = [row for row in _rows("bertscore_baselines.tsv") if row["language"] == language]
    name = _known(model, [row["model"] for row in rows])
    for row in rows:
        if row["model"] == name and int(row["layer"]) == layer:
            return float(row["p"]), float(row["r"]), float(row["f1"])
    raise OptionError(
        f"bertscore: no baseline is known for {model} at layer {layer} in language {language!r}; name a file of your "
        "own as baseline (CSV with the columns LAYER,P,R,F)"
    )


def read_baseline(path: str | Path, layer: int) -> Baseline:
    """The row of `layer` in a baseline file as the package bert_score has them."""
    try:
        for row in csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()):
            if int(row["LAYER"]) == layer:
                return float(row["P"]), float(row["R"]), float(row["F"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise OptionError(f"bertscore: baseline {path} cannot be read as CSV with LAYER,P,R,F: {error!r}") from error
    raise OptionError(f"bertscore: baseline {path} has no layer {layer}")


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = files("gistmark.models").joinpath("data", name).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(), delimiter="\t")


def _known(model: str, names: Iterable[str]) -> str:
    """The name among `names` that `model` is, or is the last part of; "" if there is none."""
    return next((name for name in names if model in (name, name.rpartition("/")[2])), "")
