"""The package blanc, made to run beside current versions of what it imports."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from tiny import need


def blanc(monkeypatch: pytest.MonkeyPatch, split: Callable[[str], list[str]], limit: int = 128) -> Any:
    """Its module, with sentences cut by `split` and inputs of at most `limit` pieces."""
    need("torch", "transformers", "blanc", "nltk", "tqdm")
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    monkeypatch.setattr(transformers, "AdamW", torch.optim.AdamW, raising=False)
    unwanted = ModuleType("blanc.shannon")  # wants models that transformers has no more
    unwanted.Shannon = None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "blanc.shannon", unwanted)
    module, utils = importlib.import_module("blanc.blanc"), importlib.import_module("blanc.utils")
    monkeypatch.setattr(module, "sent_tokenize", split)
    for part in (module, utils):
        monkeypatch.setattr(part, "BERT_MAX_TOKENS", limit)
    return module
