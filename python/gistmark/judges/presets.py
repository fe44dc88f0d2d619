"""The judges of published studies, by the names their makers gave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Preset:
    """A published judge: the model to serve or load, the form of prompt it is made for, and whether its chat template
    takes a system message (where not, backends are given `system=False`)."""

    model: str
    form: Literal["json", "checkpoint"]
    system: bool = True


LLAMA_3_3_70B = Preset("meta-llama/Llama-3.3-70B-Instruct", "json")
PROMETHEUS_7B = Preset("prometheus-eval/prometheus-7b-v2.0", "checkpoint", system=False)
