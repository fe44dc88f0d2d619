"""How well a masked language model guesses the pieces that are masked."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.masking import Variants
from gistmark.models.pieces import Inputs
from gistmark.models.ragged import Ints, Ragged, join, places
from gistmark.models.run import Tell, told
from gistmark.models.shown import Shown
from gistmark.models.stage import Stage

POSTPONED = ("bert", "roberta", "xlm-roberta", "camembert", "electra")
"""Kinds of models whose last layer ends in a step that reads one place at a time, and after which none follows."""


@dataclass(frozen=True, slots=True)
class Cloze:
    """Inputs with masked pieces.

    ids      what the model reads, special tokens included
    at       the places that are masked
    answers  int64, what was there, as long as `at.values`
    """

    ids: Ragged
    at: Ragged
    answers: Ints


def cloze(stage: Stage, variants: Variants, which: Ints, before: Ragged) -> Cloze:
    """An input for each k: the pieces `before[k]`, then the variant `which[k]`, between the model's special tokens."""
    ids = stage.pieces.around(join(before, variants.ids.take(which)))
    spots = variants.at.take(which)
    shift = np.repeat(len(stage.pieces.prefix) + before.lengths, spots.lengths)
    answers = Ragged(variants.answers.astype(np.int32), variants.at.bounds).take(which).values
    return Cloze(ids, Ragged((spots.values + shift).astype(np.int32), spots.bounds), answers.astype(np.int64))


def guess(stage: Stage, asked: Cloze, tell: Tell) -> NDArray[np.bool_]:
    """Whether the likeliest piece at each masked place is the answer, as long as `asked.answers`."""
    at, bounds, counts = asked.at, asked.at.bounds[:-1], asked.at.lengths
    heads = {model.device: _head(model) for model in stage.models}

    def read(output: Any, shown: Shown) -> Any:
        spots = places(bounds[shown.rows], counts[shown.rows])
        source = np.repeat(shown.starts, counts[shown.rows]) + at.values[spots]
        hidden = output[0].flatten(0, 1)[shown.tensor(source)]  # [spots, width]
        likeliest = heads[hidden.device](finish[hidden.device](hidden)).argmax(1)
        return likeliest == shown.tensor(asked.answers[spots])

    inputs = Inputs(asked.ids, None)
    encoders = replace(stage, models=[model.base_model for model in stage.models])
    right = np.empty(len(asked.answers), np.bool_)
    with ExitStack() as stack:
        finish = {model.device: stack.enter_context(_unfinished(model)) for model in stage.models}
        for rows, found in told(encoders, inputs, read, tell):
            right[places(bounds[rows], counts[rows])] = np.asarray(found)
    return right


@contextmanager
def _unfinished(model: Any) -> Iterator[Callable[[Any], Any]]:
    """The encoder without what its last layer does to each place by itself, most of a layer's work, if its kind is known;
    and what does that, at the places that are wanted."""
    if model.config.model_type not in POSTPONED:
        yield lambda hidden: hidden
        return
    last = model.base_model.encoder.layer[-1]
    finish = last.feed_forward_chunk
    last.feed_forward_chunk = lambda attention_output: attention_output
    try:
        yield finish
    finally:
        del last.feed_forward_chunk


def _head(model: Any) -> Any:
    """A function from the encoder's output at some places, [places, width], to what the model scores there, [places,
    vocabulary]: the model itself, with an encoder that hands on what it gets.

    Of a batch only the masked places are wanted, and scoring all of them costs as much as many layers.
    """
    from transformers.modeling_outputs import BaseModelOutput

    encoder, head = copy.copy(model.base_model), copy.copy(model)
    encoder.forward = lambda *_, inputs_embeds, **__: BaseModelOutput(last_hidden_state=inputs_embeds)
    head._modules = model._modules | {model.base_model_prefix: encoder}
    return lambda hidden: head(inputs_embeds=hidden[None]).logits[0]
