"""What a metric's factory accepts, checked against its own annotations, so that no metric checks types by hand.

`"no"` is not False and `nan` is no scale: a wrong value is refused where it is given, before anything is scored.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from gistmark_engine.errors import OptionError, shorten
from gistmark_engine.metric import Metric
from gistmark_engine.tokenizers import extra_of, identified

Factory = TypeVar("Factory", bound=Callable[..., Metric])


def checked(factory: Factory) -> Factory:
    """The factory with every argument checked against its annotation; a wrong one raises OptionError.

    Understood: bool, int, float (finite), str, Path, Literal, None, unions of those, and sequences and tuples of them. Other
    annotations are left to the factory. The tokenizer of the metric must exist and be installed.
    """
    signature = inspect.signature(factory)
    hints = functools.cache(lambda: get_type_hints(factory))

    @functools.wraps(factory)
    def check_and_make(*args: Any, **options: Any) -> Metric:
        for name, value in _bound(factory, signature, args, options).items():
            if not _fits(value, hints()[name]):
                raise OptionError(f"{factory.__name__}: {name} must be {_spell(hints()[name])}, not {shorten(value)}")
        metric = factory(*args, **options)
        if not re.fullmatch(r"[\w.-]*", metric.prefix):
            raise OptionError(
                f"{metric.name}: prefix must be of letters, digits, '_', '.' and '-', not {metric.prefix!r}"
            )
        return _with_tokenizer(metric)

    # From Python 3.14 on `wraps` leaves out annotations that were assigned, as those of judges are.
    check_and_make.__annotations__ = factory.__annotations__
    return cast(Factory, check_and_make)


def _bound(
    factory: Callable[..., Metric], signature: inspect.Signature, args: Sequence[Any], options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The arguments by name; TypeError that says what the factory takes."""
    try:
        return signature.bind(*args, **options).arguments
    except TypeError as error:
        raise TypeError(f"{factory.__name__}: {error}; it takes {', '.join(signature.parameters)}") from None


def _with_tokenizer(metric: Metric) -> Metric:
    """The metric with its tokenizer identified, and the extra that it needs."""
    if metric.tokenizer is None:
        return metric
    try:
        tokenizer = identified(metric.tokenizer)
    except OptionError as error:
        raise OptionError(f"{metric.name}: {error}") from None
    return replace(metric, tokenizer=tokenizer, needs=metric.needs or extra_of(tokenizer))


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is what the annotation says; true for annotations that are not understood."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is bool:
        return isinstance(value, bool)
    if hint is int:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    if hint in (str, Path, types.NoneType):
        return isinstance(value, hint)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is tuple:
        return isinstance(value, (tuple, list)) and len(value) == len(inner) and all(map(_fits, value, inner))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        items = value if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else None
        return items is not None and all(_fits(item, inner[0]) for item in items)
    return True


def _spell(hint: Any) -> str:
    """An annotation as a sentence names it."""
    origin, inner = get_origin(hint), get_args(hint)
    names = {
        bool: "True or False",
        int: "an integer",
        float: "a finite number",
        str: "a string",
        Path: "a path",
        types.NoneType: "None",
    }
    if hint in names:
        return names[hint]
    if origin is Literal:
        return f"one of {', '.join(map(repr, inner))}" if len(inner) > 1 else repr(inner[0])
    if origin in (Union, types.UnionType):
        return " or ".join(_spell(one) for one in inner)
    if origin is tuple:
        return f"{len(inner)} values, each {_spell(inner[0])}"
    return f"a list, each {_spell(inner[0])}"
