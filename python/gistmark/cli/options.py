"""A metric's options as text: from `--set metric.option=value` or a TOML file, typed by the factory's signature."""

from __future__ import annotations

import argparse
import inspect
import tomllib
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from gistmark import metrics as factories
from gistmark.catalogue import resolve
from gistmark.near import near
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric

Settings = Mapping[str, str]

TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def add_to(parser: argparse.ArgumentParser, default: str) -> None:
    """The arguments that choose metrics; `default` says in words which ones are taken without any."""
    parser.add_argument("--metrics", metavar="A,B", help=f"default: {default}")
    parser.add_argument("--set", metavar="METRIC.OPTION=VALUE", action="append", default=[], help="may be repeated")
    parser.add_argument("--config", metavar="FILE", help="TOML with a table of options for each metric")


def chosen(options: argparse.Namespace, default: Callable[[], Iterable[str]]) -> list[Metric]:
    """The metrics asked for by list or by file, else those named by `default`, with the options given."""
    if options.config:
        if options.metrics or options.set:
            raise OptionError("--config names the metrics and their options; leave out --metrics and --set")
        return from_file(options.config)
    return configured(names(options.metrics) if options.metrics else default(), options.set)


def names(text: str) -> list[str]:
    """The names in a list that is separated by commas. Raises `OptionError` where there is none."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise OptionError(f"{text!r} names nothing; write names with commas between them")
    return found


def configured(wanted: Iterable[str], assignments: Sequence[str]) -> list[Metric]:
    """The metrics called `wanted`, with the options that `metric.option=value` texts give them."""
    settings: dict[str, dict[str, str]] = {}
    for name in wanted:
        if name in settings:
            raise OptionError(
                f"metric {name!r} is named twice; variants of one metric go into a --config file, [[{name}]]"
            )
        settings[name] = {}
    for assignment in assignments:
        target, equals, value = assignment.partition("=")
        name, dot, option = target.strip().partition(".")
        if not (equals and dot and name and option):
            raise OptionError(f"--set takes metric.option=value, not {assignment!r}")
        if name not in settings:
            raise OptionError(f"--set {assignment}: metric {name!r} is not scored; scored are {', '.join(settings)}")
        if option in settings[name]:
            raise OptionError(f"--set {assignment}: {name}.{option} is set twice")
        settings[name][option] = value.strip()
    return [build(name, options) for name, options in settings.items()]


def from_file(path: str) -> list[Metric]:
    """The metrics of a TOML file: a table each, `[rouge]`, or variants of one, `[[rouge]]`, told apart by `prefix`."""
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"{path}: not TOML: {error}") from error
    if not tables:
        raise OptionError(f"{path}: names no metric; write a table for each, such as [rouge]")
    return [build(name, _texts(path, name, one)) for name, many in tables.items() for one in _variants(many)]


def build(name: str, settings: Settings) -> Metric:
    """The metric `name` with `settings`; `OptionError`, listing what its factory takes, for anything else."""
    if not settings:
        return resolve([name])[0]
    resolve([name])
    factory: Callable[..., Metric] = getattr(factories, name)
    kinds = options_of(name)
    for option in settings:
        if option not in kinds:
            raise OptionError(f"{name} has no option {option!r}{near(option, kinds)}; there are {', '.join(kinds)}")
    return factory(**{option: parse(text, kinds[option], f"{name}.{option}") for option, text in settings.items()})


def options_of(name: str) -> dict[str, Any]:
    """Name → type of every option of a metric, in the order of its factory's parameters."""
    factory = getattr(factories, name)
    hints = typing.get_type_hints(factory)
    return {option: hints[option] for option in inspect.signature(factory).parameters}


def defaults_of(name: str) -> dict[str, Any]:
    """Name → default of every option of a metric."""
    return {key: value.default for key, value in inspect.signature(getattr(factories, name)).parameters.items()}


def positive(text: str) -> int:
    """An argument that is a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive whole number")
    return int(text)


def parse(text: str, kind: Any, where: str) -> Any:
    """`text` as a value of type `kind`; `where` names the option in the `OptionError` that says what it takes."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _parse_union(text, arguments, where)
    if origin is Literal:
        by_name = {str(choice).lower(): choice for choice in arguments}
        return _look_up(text, by_name, where)
    if origin is not None and origin is not Callable and arguments:
        return tuple(parse(part.strip(), arguments[0], where) for part in text.split(",") if part.strip())
    if kind is bool:
        return _look_up(text, TRUTH, where)
    if kind not in (int, float, str):
        raise OptionError(f"{where} cannot be given as text; use the Python interface")
    try:
        return kind(text)
    except ValueError:
        raise OptionError(f"{where} takes {kind.__name__}, not {text!r}") from None


def _parse_union(text: str, kinds: tuple[Any, ...], where: str) -> Any:
    """The first alternative that takes the text; `none` is None where that is one."""
    if type(None) in kinds and text.lower() == "none":
        return None
    problem: OptionError | None = None
    for kind in kinds:
        try:
            if kind is not type(None):
                return parse(text, kind, where)
        except OptionError as error:
            problem = problem or error
    raise problem or OptionError(f"{where} takes none, not {text!r}")


def _look_up(text: str, values: Mapping[str, Any], where: str) -> Any:
    if text.lower() not in values:
        raise OptionError(f"{where} takes {', '.join(values)}, not {text!r}{near(text, values)}")
    return values[text.lower()]


def _variants(table: Any) -> list[Any]:
    return table if isinstance(table, list) else [table]


def _texts(path: str, name: str, table: Any) -> dict[str, str]:
    """A TOML table's values as `--set` would spell them."""
    if not isinstance(table, dict):
        raise OptionError(f"{path}: {name!r} is no table; write [{name}] above its options")
    return {option: _text(value) for option, value in table.items()}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(_text(item) for item in value) if isinstance(value, list) else str(value)
