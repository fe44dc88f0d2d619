"""What a factory is given is what its annotations say, or it is refused before anything runs."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import get_type_hints

import pytest

import gistmark as gm
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.bleu import bleu
from gistmark_engine.metrics.chrf import chrf
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.metrics.ter import ter
from gistmark_engine.tokenizers import snowball

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("factory", "options", "said"),
    [
        (rouge, {"stem": "no"}, "rouge: stem must be True, False or one of arabic, .*, not 'no'"),
        (rouge, {"stem": 1}, "stem must be True or False or a string, not 1"),
        (rouge, {"scale": NAN}, "scale must be a finite number"),
        (rouge, {"scale": INF}, "scale must be a finite number"),
        (rouge, {"scale": True}, "scale must be a finite number"),
        (rouge, {"scale": -1}, "scale must be above 0"),
        (rouge, {"scale": 0}, "scale must be above 0"),
        (rouge, {"types": None}, "types must be a list, each a string"),
        (rouge, {"types": "1"}, "types must be a list, each a string"),
        (rouge, {"multi": "best"}, "multi must be one of 'max', 'mean'"),
        (rouge, {"parity": "rouge"}, "parity must be one of 'reference', 'rouge155' or None"),
        (rouge, {"tokenizer": "nltk"}, "unknown tokenizer 'nltk'"),
        (rouge, {"tokenizer": []}, "tokenizer must be a string"),
        (rouge, {"prefix": "a|b"}, "prefix must be of letters"),
        (datastats, {"orders": (1.5,)}, "orders must be a list, each an integer"),
        (datastats, {"orders": (True,)}, "orders must be a list, each an integer"),
        (datastats, {"orders": 3}, "orders must be a list, each an integer"),
        (abstraction, {"risk_cuts": "abc"}, "risk_cuts must be 3 values, each a finite number"),
        (abstraction, {"risk_cuts": (1.0, 2.0)}, "risk_cuts must be 3 values"),
        (abstraction, {"exponent": INF}, "exponent must be a finite number"),
        (abstraction, {"epsilon": 5e-324}, "epsilon at least"),
        (abstraction, {"lcs_source_cap": 1.5}, "lcs_source_cap must be an integer or None"),
        (abstraction, {"lcs_source_cap": 10**30}, "lcs_source_cap must be at least 1"),
        (bleu, {"max_order": True}, "max_order must be an integer"),
        (bleu, {"lowercase": 5}, "lowercase must be True or False"),
        (bleu, {"effective_order": "false"}, "effective_order must be True or False"),
        (bleu, {"smooth": "floor", "smooth_value": 1e308}, "smooth_value must lie in 0 to"),
        (chrf, {"char_order": 4.0}, "char_order must be an integer"),
        (chrf, {"beta": 1e308}, "beta must lie above 0"),
        (ter, {"normalized": "no"}, "normalized must be True or False"),
    ],
)
def test_a_wrong_option_is_refused_by_name_and_value(
    factory: type[Metric], options: dict[str, object], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        factory(**options)


@pytest.mark.parametrize(
    ("package", "option", "said"),
    [
        ("snowballstemmer", "rouge.stem=1", "rouge: stem must be True, False or one of arabic, .*german.*, not '1'"),
        ("snowballstemmer", "datastats.stem=germn", "datastats: stem must be True, False or one of .*, not 'germn'"),
        ("sentencepiece", "rouge.tokenizer=spm:/no/file", "rouge: .*; there is none at '/no/file'"),
        ("nltk", "meteor.synonyms=/no/folder", "synonyms: there is no folder /no/folder"),
        ("spacy", "syntax.model=/no/folder", "metric 'syntax': there is no folder '/no/folder' with a spaCy pipeline"),
        ("torch", "supert.device=gpu", "device is cpu, cuda, cuda:0 and so on, or several by comma, not 'gpu'"),
    ],
)
def test_a_wrong_value_is_refused_before_an_extra_is_asked_for(
    cli: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, package: str, option: str, said: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    snowball._algorithms.cache_clear()
    name = option.partition(".")[0]
    more = ["--set", "supert.model=some/name"] if name == "supert" else []
    code, _, err = cli("score", scitldr_sample(), "--metrics", name, "--set", option, *more)
    snowball._algorithms.cache_clear()
    assert code == 2
    assert re.fullmatch(f"gistmark: {said}.*\n", err)


def test_a_wrong_tokenizer_is_refused_before_an_extra_is_asked_for_its_stemmer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    snowball._algorithms.cache_clear()
    with pytest.raises(OptionError, match="unknown tokenizer 'nltk'"):
        rouge(stem="german", tokenizer="nltk")
    snowball._algorithms.cache_clear()


@pytest.mark.parametrize("gpus", ["-1", "nan", "one"])
def test_a_share_of_gpus_is_a_number(cli: Callable[..., object], capsys: pytest.CaptureFixture[str], gpus: str) -> None:
    with pytest.raises(SystemExit):
        cli("score", scitldr_sample(), "--output", "out/", "--engine", "ray", f"--gpus={gpus}")
    assert f"argument --gpus: '{gpus}' is no number of at least 0" in capsys.readouterr().err


def test_right_options_are_taken() -> None:
    assert rouge(["1", "L"], stem=True, scale=100).options["scale"] == 100
    assert abstraction(risk_cuts=[0.5, 1, 2]).options["risk_cuts"] == (0.5, 1, 2)
    assert datastats([2, 1]).options["orders"] == (1, 2)


def test_an_argument_that_no_factory_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(TypeError, match=r"bleu: .*unexpected keyword argument 'order'; it takes .*smooth"):
        bleu(order=4)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", list(gm.catalogue()))
def test_every_option_of_a_factory_has_a_type(name: str) -> None:
    """Python 3.14 copies the annotations of a wrapped function in another way than those before it."""
    factory = getattr(gm.metrics, name)
    assert set(inspect.signature(factory).parameters) <= set(get_type_hints(factory))
