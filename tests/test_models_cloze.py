"""Guesses at masked places are those of the whole model, of which only what these places need is computed."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import tiny

from gistmark.models.checkpoint import Checkpoint
from gistmark.models.cloze import Cloze, guess
from gistmark.models.loading import load
from gistmark.models.ragged import Ragged

IDS = [[101, 1037, 103, 2938, 103, 102], [101, 103, 1996, 4937, 2938, 2006, 103, 1012, 102], [101, 103, 102]]
PLACES = [[2, 4], [1, 6], [1]]


@pytest.mark.parametrize("family", ["Bert", "Roberta", "Electra", "MPNet", "DebertaV2", "Albert", "DistilBert"])
@pytest.mark.parametrize("tokens", [1, 1000])
def test_guesses_are_those_of_the_whole_model(tmp_path: Path, family: str, tokens: int) -> None:
    folder = tiny(tmp_path / "model", "ForMaskedLM", family=family)
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    plain = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    with torch.no_grad():
        likeliest = np.concatenate(
            [
                plain(torch.tensor([ids])).logits[0, places].argmax(1).numpy()
                for ids, places in zip(IDS, PLACES, strict=True)
            ]
        )
    stage = load(Checkpoint(str(folder), device="cpu"), "masked_lm", tokens=tokens)
    before = [dict(vars(module)) for module in stage.models[0].modules()]

    def right(answers: Any) -> list[bool]:
        asked = Cloze(Ragged.of(IDS), Ragged.of(PLACES), answers.astype(np.int64))
        found: list[bool] = guess(stage, asked, lambda needed, done: None).tolist()
        return found

    assert right(likeliest) == [True] * 5
    wrong = likeliest + np.array([0, 1, 0, 1, 1])
    assert right(wrong) == [True, False, True, False, False]
    assert [dict(vars(module)).keys() for module in stage.models[0].modules()] == [found.keys() for found in before]
