"""Language models as metrics: every reply ends as a value or as a null with its reason, and none is ever lost.

A judge metric is a `Metric` like any other, made by a factory that takes a backend:

    from gistmark import judges
    metric = judges.judge(judges.OpenAI("my-model", url="http://localhost:8000/v1"))

Replies are kept in `judges.default_path()` unless `cache` says otherwise; a run that was stopped continues from them.
"""

from gistmark.judges.annotator import annotator
from gistmark.judges.backends.fake import Fake
from gistmark.judges.backends.openai import OpenAI
from gistmark.judges.backends.transformers import Transformers
from gistmark.judges.backends.vllm import VLLM
from gistmark.judges.budget import Budget
from gistmark.judges.cache import Cache, default_path
from gistmark.judges.contract import Backend, BackendError, BudgetError, Message, Options, Reply
from gistmark.judges.factscore import factscore
from gistmark.judges.judge import judge
from gistmark.judges.persona import persona
from gistmark.judges.presets import LLAMA_3_3_70B, PROMETHEUS_7B
from gistmark.judges.prometheus import Rubric, prometheus
from gistmark.judges.rewrite import rewrite
from gistmark.judges.stage import DryRun

__all__ = [
    "LLAMA_3_3_70B",
    "PROMETHEUS_7B",
    "VLLM",
    "Backend",
    "BackendError",
    "Budget",
    "BudgetError",
    "Cache",
    "DryRun",
    "Fake",
    "Message",
    "OpenAI",
    "Options",
    "Reply",
    "Rubric",
    "Transformers",
    "annotator",
    "default_path",
    "factscore",
    "judge",
    "persona",
    "prometheus",
    "rewrite",
]
