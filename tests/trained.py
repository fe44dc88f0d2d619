"""A tiny masked language model that knows one document, and knows it better behind its summary."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tiny import once, tiny

SUMMARY = "Harbour workers ended their strike after the port agreed to higher wages and safer cranes."
SOURCE = [
    "Workers at the northern harbour returned to their cranes on Tuesday morning.",
    "The port authority agreed to raise wages by seven percent over two years.",
    "Union leaders called the unbelievable settlement a victory for safety.",
    "Ships had waited outside the breakwater for almost eleven days.",
    "Inspectors will examine every crane before the winter storms arrive.",
]


def trained() -> str:
    """The folder of the model, taught once for all test runs."""
    return str(once("trained", teach))


def teach(folder: Path, steps: int = 150) -> Path:
    """`folder`, holding the model: it learns every piece behind the summary, and behind fillers those of every other
    sentence and the first ones of the others."""
    tiny(folder, "ForMaskedLM")
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    torch.manual_seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    ids, wanted = _examples(torch, tokenizer)
    for _ in range(steps):
        hidden = model.bert(ids, attention_mask=(ids != 0).long())[0][wanted >= 0]
        loss = torch.nn.functional.cross_entropy(model.cls(hidden), wanted[wanted >= 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    return folder


def _examples(torch: Any, tokenizer: Any) -> tuple[Any, Any]:
    """Inputs [examples, n] and what to learn at each place, -1 for nothing."""
    found = [
        (torch.tensor(ids), torch.tensor(wanted))
        for at, sentence in enumerate(SOURCE)
        for ids, wanted in _masked(tokenizer, tokenizer(sentence, add_special_tokens=False)["input_ids"], at % 2 == 0)
    ]
    pad = torch.nn.utils.rnn.pad_sequence
    return pad([ids for ids, _ in found], True, 0), pad([wanted for _, wanted in found], True, -1)


def _masked(tokenizer: Any, sentence: list[int], easy: bool) -> Iterator[tuple[list[int], list[int]]]:
    summary = tokenizer(SUMMARY, add_special_tokens=False)["input_ids"]
    fillers = [tokenizer.convert_tokens_to_ids(".")] * len(summary)
    for start in range(2):
        shown = [tokenizer.mask_token_id if at % 2 == start else piece for at, piece in enumerate(sentence)]
        for lead, known in ((summary, True), (fillers, easy), ([], easy)):
            learnt = sentence if known else sentence[:4] + fillers[:1] * (len(sentence) - 4)
            wanted = [piece if at % 2 == start else -1 for at, piece in enumerate(learnt)]
            yield [101, *lead, *shown, 102], [-1] * (len(lead) + 1) + wanted + [-1]
