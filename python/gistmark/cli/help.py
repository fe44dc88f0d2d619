"""What `--help` says beside the options: command lines to start from."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator

EXAMPLES = {
    "score": (
        "gistmark score pairs.parquet --output scored.parquet",
        "gistmark score pairs.jsonl --metrics rouge,bleu --set rouge.stem=true --summary decoded",
        "gistmark score pairs.parquet --metrics rouge --intervals --format latex",
        "cat pairs.jsonl | gistmark score - --output - > scored.jsonl",
    ),
    "compare": (
        "gistmark compare scored.parquet --baseline lead1",
        "gistmark compare scored.parquet --metrics rouge --method randomisation --format markdown",
    ),
    "report": (
        "gistmark report scored.parquet --output report.html",
        "gistmark report bart.parquet pegasus.parquet study/ --output report.html --title 'Two systems'",
    ),
    "metrics": ("gistmark metrics", "gistmark metrics rouge bleu", "gistmark metrics --json"),
    "study robustness": (
        "gistmark study robustness pairs.parquet --output study/",
        "gistmark study robustness pairs.parquet --output study/ --metrics rouge --perturbations distractor,shorten",
    ),
    "study preference": ("gistmark study preference sessions.jsonl --output study/",),
    "study human": ("gistmark study human pairs.parquet --human coherence,relevance --output study/ --format csv",),
    "study abstraction": ("gistmark study abstraction pairs.parquet --output study/ --stem",),
    "study scitldr": ("gistmark study scitldr pairs.parquet --output study/ --format latex",),
    "bench": ("gistmark bench pairs.parquet --against rouge_score,sacrebleu --limit 200",),
    "warmup": ("gistmark warmup",),
    "cache clear": ("gistmark cache clear",),
    "completion": (
        "gistmark completion bash > ~/.local/share/bash-completion/completions/gistmark",
        "gistmark completion zsh > ~/.zfunc/_gistmark",
    ),
}
"""Command → command lines, each of which parses."""


class Formatter(argparse.HelpFormatter):
    """Wraps what is prose and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return textwrap.indent(text, indent)
        return super()._fill_text(text, width, indent)


def add_examples(parser: argparse.ArgumentParser) -> None:
    """Put its examples under the help of every command of `parser`."""
    for name, command in commands(parser):
        if name in EXAMPLES:
            command.epilog = "examples:\n" + "\n".join(f"  {line}" for line in EXAMPLES[name])
            command.formatter_class = Formatter


def commands(parser: argparse.ArgumentParser, path: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command below `parser` that runs something, by the words that call it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from commands(command, f"{path} {name}".strip())
            return
    yield path, parser
