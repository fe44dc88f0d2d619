"""The pages of docs: every block of code runs, every link leads somewhere, the site has a page a metric."""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from pages import DOCS, README, ROOT, blocks, commands, make_clone, shell

import gistmark as gm
from gistmark.cli import main
from gistmark_engine.errors import MissingExtra

spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site.py")
assert spec is not None
made = importlib.util.module_from_spec(spec)
spec.loader.exec_module(made)

OWN_TEST = {"judges.md"}
"""Pages whose blocks another test runs."""

PAGES = [name for name, text in DOCS.items() if name not in OWN_TEST and blocks(text)]
NEEDS = {"report.md": "matplotlib", "robustness.md": "matplotlib", "abstraction.md": "matplotlib"}


def run(clone: Path, line: str) -> None:
    """One command line; in this process, which is faster, unless it takes a shell."""
    words = shlex.split(line)
    if words[0] == "gistmark" and not {"|", ">"} & set(words) and "cache" not in words:
        assert main(words[1:]) == 0, line
    else:
        shell(clone, line)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    monkeypatch.chdir(make_clone(tmp_path))
    for language, block in blocks(DOCS[page]):
        if language == "sh":
            assert commands(block), block
            for line in commands(block):
                run(tmp_path, line)
        elif language == "python":
            exec(compile(block, page, "exec"), {"__name__": "__main__"})
        else:
            assert language in ("text", "toml", "bibtex"), f"a block of {language!r} is run by no test"


@pytest.mark.parametrize("page", ["README.md", *DOCS])
def test_every_link_leads_somewhere(page: str) -> None:
    text, folder = (README, ROOT) if page == "README.md" else (DOCS[page], ROOT / "docs")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("https://") or (folder / target).exists(), target


def test_every_page_is_linked_or_named_in_readme() -> None:
    assert [name for name in DOCS if f"docs/{name}" not in README] == []


def test_python_blocks_stand_by_themselves() -> None:
    for page in [README, *DOCS.values()]:
        for language, block in blocks(page):
            assert language != "python" or "import" in block


@pytest.mark.parametrize("name", list(gm.catalogue()))
def test_the_example_of_a_metric_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    metric = gm.catalogue()[name]
    if metric.needs == "models":
        pytest.skip("its model is the reader's")
    block = made.example(metric)
    try:
        exec(compile(block, name, "exec"), {"__name__": "__main__"})
    except MissingExtra as error:
        pytest.skip(str(error))
    assert capsys.readouterr().out


@pytest.fixture
def site(tmp_path: Path) -> Callable[[str], str]:
    """Builds the site once and reads its pages."""
    build = pytest.importorskip("mkdocs.commands.build", reason="the site needs the extra docs")
    pytest.importorskip("material")
    from mkdocs.config import load_config

    build.build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True))
    return lambda name: (tmp_path / "site" / name / "index.html").read_text(encoding="utf-8")


def test_the_site_has_a_page_a_metric(site: Callable[[str], str]) -> None:
    for name, metric in gm.catalogue().items():
        text = site(f"metrics/{name}")
        assert all(field in text for field in metric.fields)
        assert metric.signature.split("|")[0] in text
    assert "Coming from another library" in site("migrating")
