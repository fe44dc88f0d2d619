"""From texts to a model's inputs: tokenised in bulk, special tokens around them, cut where the model can take no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gistmark.models.ragged import Ints, Ragged, join

_UNBOUNDED = 1 << 30


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a model reads.

    ids    a row each, special tokens included
    types  token types beside `ids`, or None where all are 0 or the model has none
    """

    ids: Ragged
    types: Ragged | None

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Ints) -> Inputs:
        """Some rows, in the order given."""
        types = None if self.types is None else self.types.take(rows)
        return Inputs(self.ids.take(rows), types)


class Pieces:
    """A tokenizer: `bodies` cuts texts into word pieces, `single` and `pairs` put special tokens around them.

    prefix, middle, suffix  the special tokens before, between and after, by how many texts they stand around (1 or 2)
    limit                   the most tokens that tokenizer and model take, special ones included
    """

    def __init__(self, tokenizer: Any, limit: int) -> None:
        self.tokenizer = tokenizer
        self.limit = min(int(tokenizer.model_max_length), limit)
        self.pad = int(tokenizer.pad_token_id or 0)
        body = tokenizer("a", add_special_tokens=False)["input_ids"]
        one, two = list(tokenizer("a")["input_ids"]), list(tokenizer("a", "a")["input_ids"])
        first = _find(one, body, 0)
        self.prefix, self.suffix = one[:first], one[first + len(body) :]
        second = _find(two, body, first + len(body))
        self.middle, self.end = two[first + len(body) : second], two[second + len(body) :]
        types = tokenizer("a", "a").get("token_type_ids")
        self.kinds = (types[first], types[second - 1], types[second]) if types is not None else None

    def bodies(self, texts: Sequence[str]) -> Ragged:
        """The word pieces of each text, without special tokens and however many they are."""
        texts = list(texts)
        if not texts:
            return Ragged.of([])
        if not self.tokenizer.is_fast:
            return Ragged.of([self.tokenizer.encode(text, add_special_tokens=False) for text in texts])
        rust = self.tokenizer.backend_tokenizer
        rust.no_truncation()
        rust.no_padding()
        return Ragged.of([found.ids for found in rust.encode_batch_fast(texts, add_special_tokens=False)])

    def heads(self, texts: Sequence[str]) -> tuple[Ragged, Ints]:
        """The word pieces of each text, no more than tells that it does not fit beside another; and how many there were."""
        bodies = self.bodies(texts)
        return bodies.head(np.full(len(bodies), self.pair_room + 1)), bodies.lengths

    @property
    def room(self) -> int:
        """Pieces of one text that fit between its special tokens."""
        return self.limit - len(self.prefix) - len(self.suffix)

    @property
    def pair_room(self) -> int:
        """Pieces of two texts together that fit between their special tokens."""
        return self.limit - len(self.prefix) - len(self.middle) - len(self.end)

    def single(self, bodies: Ragged) -> Inputs:
        """One text a row; what is beyond `room` is left out."""
        long = (bodies.lengths > self.room).any()
        kept = bodies.head(np.full(len(bodies), self.room, np.int64)) if long else bodies
        return Inputs(self.around(kept), None)

    def around(self, bodies: Ragged) -> Ragged:
        """Each text between its special tokens."""
        return join(Ragged.repeat(self.prefix, len(bodies)), bodies, Ragged.repeat(self.suffix, len(bodies)))

    def pairs(self, first: Ragged, second: Ragged, cut: Literal["first", "second"] = "second") -> Inputs:
        """Two texts a row; where they do not fit, the end of the one named by `cut` is left out, then of the other."""
        room = self.pair_room
        kept, whole = (first, second) if cut == "first" else (second, first)
        whole = whole.head(np.full(len(whole), room, np.int64))
        kept = kept.head(room - whole.lengths)
        a, b = (kept, whole) if cut == "first" else (whole, kept)
        rows = len(first)
        parts = [
            Ragged.repeat(self.prefix, rows),
            a,
            Ragged.repeat(self.middle, rows),
            b,
            Ragged.repeat(self.end, rows),
        ]
        return Inputs(join(*parts), self._types(parts))

    def _types(self, parts: Sequence[Ragged]) -> Ragged | None:
        """The token types of pairs made of these five parts."""
        if self.kinds is None or not any(self.kinds):
            return None
        one, between, two = self.kinds
        kinds = (one, one, between, two, two)
        return join(
            *(Ragged(np.full_like(part.values, kind), part.bounds) for part, kind in zip(parts, kinds, strict=True))
        )


def _find(ids: Sequence[int], body: Sequence[int], start: int) -> int:
    """Where `body` begins in `ids`, at `start` or later."""
    places = [at for at in range(start, len(ids)) if list(ids[at : at + len(body)]) == list(body)]
    return places[0]


def limit_of(config: Any) -> int:
    """The longest input that a model of this configuration has positions for; position ids of RoBERTa's family begin
    after the padding id."""
    positions = getattr(config, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions <= 0 or getattr(config, "relative_attention", False):
        return _UNBOUNDED
    from_padding = config.model_type in ("roberta", "xlm-roberta", "camembert", "longformer", "mpnet", "xlm-roberta-xl")
    return positions - (int(config.pad_token_id) + 1 if from_padding else 0)
