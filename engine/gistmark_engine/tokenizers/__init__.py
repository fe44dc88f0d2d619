"""The tokenizers by name.

One of `RULES` says how to fold case and which characters make tokens, and kernels follow it; one of `LIBRARIES`, and
`spm:FILE`, is a Python function of another package that cuts many texts at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from typing import Literal

from gistmark_engine.errors import MissingExtra, OptionError
from gistmark_engine.metric import Tokenizer
from gistmark_engine.tokenizers import (
    mteval,
    nltk_word,
    rouge,
    rouge155,
    sentencepiece,
    snowball,
    spacy_en,
    unicode,
    whitespace,
    whitespace_lower,
    word_lower,
    word_punct,
)
from gistmark_engine.tokenizers.rule import Cut, Library, Rule

RULES: Mapping[str, Rule] = {
    "rouge": rouge.RULE,
    "rouge155": rouge155.RULE,
    "whitespace": whitespace.RULE,
    "whitespace_lower": whitespace_lower.RULE,
    "word_lower": word_lower.RULE,
    "word_punct": word_punct.RULE,
    **unicode.RULES,
    **mteval.RULES,
}

LIBRARIES: Mapping[str, Library] = spacy_en.LIBRARIES | nltk_word.LIBRARIES


def tokenizer_of(
    name: str,
    stem: bool | str = False,
    normalize: Literal["NFC", "NFKC"] | None = None,
    casefold: bool = False,
    *,
    sentences: bool = False,
    whole: bool = False,
    words: bool = False,
) -> Tokenizer:
    """The record for the options by which metrics let their users choose, and for what the metric itself asks for."""
    return Tokenizer(name, stem, normalize, "casefold" if casefold else None, sentences, whole, words)


def rule_of(tokenizer: Tokenizer) -> Rule:
    """The rule of a tokenizer that kernels know."""
    return RULES[tokenizer.name]


def cut_of(tokenizer: Tokenizer) -> Cut | None:
    """The function that cuts, None where a kernel does."""
    if tokenizer.name.startswith(sentencepiece.PREFIX):
        return partial(sentencepiece.cut_pieces, name=tokenizer.name, label=tokenizer.label)
    return LIBRARIES[tokenizer.name].cut if tokenizer.name in LIBRARIES else None


def extra_of(tokenizer: Tokenizer) -> str:
    """The extra that a tokenizer, or else its stemmer, needs; "" for none."""
    if tokenizer.name.startswith(sentencepiece.PREFIX):
        return "sentencepiece"
    if tokenizer.name in LIBRARIES:
        return LIBRARIES[tokenizer.name].extra
    return "stemmers" if isinstance(tokenizer.stem, str) else ""


def identified(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer with its label, if a library or model cuts.

    Raises OptionError for an unknown name or language, with the known ones, and for a missing model file; MissingExtra
    where a package is not installed that a good value needs.
    """
    name, library = tokenizer.name, LIBRARIES.get(tokenizer.name)
    _check(tokenizer)
    if isinstance(tokenizer.stem, str):
        _demand("stem='LANGUAGE'", snowball.PACKAGE, "stemmers")
    if name.startswith(sentencepiece.PREFIX):
        label = sentencepiece.label(name)
        _demand("tokenizer 'spm:FILE'", "sentencepiece", "sentencepiece")
        return replace(tokenizer, label=label)
    if library:
        _demand(f"tokenizer {name!r}", library.package, library.extra)
        return replace(tokenizer, label=f"{name}-{metadata.version(library.package)}")
    return tokenizer


def _check(tokenizer: Tokenizer) -> None:
    """Refuse a name or a stemmer that there is not, whatever is installed."""
    name = tokenizer.name
    if name not in RULES and name not in LIBRARIES and not name.startswith(sentencepiece.PREFIX):
        known = ", ".join(sorted({*RULES, *LIBRARIES}))
        raise OptionError(f"unknown tokenizer {name!r}; there are: {known}, spm:FILE")
    if isinstance(tokenizer.stem, str):
        snowball.check(tokenizer.stem)
    elif tokenizer.stem and name != "rouge":
        raise OptionError(
            f"stem=True, Porter's, needs tokenizer 'rouge', whose tokens are ASCII; this is {name!r}. "
            "stem='english', Snowball's, takes any"
        )


def _demand(feature: str, package: str, extra: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra(feature, extra)
