"""Imports go one way, and heavy packages are imported where they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {
    "gistmark_engine": (ROOT / "engine", {"gistmark_engine"}),
    "gistmark_bindings": (ROOT / "bindings", {"gistmark_engine", "gistmark_bindings"}),
    "gistmark": (ROOT / "python", {"gistmark_engine", "gistmark_bindings", "gistmark", "gistmark_datasets"}),
    "gistmark_datasets": (ROOT / "datasets", {"gistmark_datasets"}),
}
NEVER_AT_IMPORT = {"torch", "transformers", "spacy", "ray", "pyspark", "duckdb", "openai", "statsmodels", "pandas"} | {
    "tqdm"
}


def sources() -> list[tuple[str, Path]]:
    return [(room, path) for room, (root, _) in ROOMS.items() for path in sorted((root / room).rglob("*.py"))]


def imported(tree: ast.AST, *, at_import: bool) -> Iterator[str]:
    """Top-level names of the modules a file imports; `at_import`: only those that importing the file imports."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]
        if at_import and (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or type_checking(node)):
            continue
        yield from imported(node, at_import=at_import)


def type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def wrong(room: str, source: str) -> set[str]:
    return set(imported(ast.parse(source), at_import=False)) & set(ROOMS) - ROOMS[room][1]


def heavy(source: str) -> set[str]:
    return set(imported(ast.parse(source), at_import=True)) & NEVER_AT_IMPORT


@pytest.mark.parametrize(("room", "path"), sources(), ids=lambda value: str(value).removeprefix(str(ROOT) + "/"))
def test_imports_go_one_way(room: str, path: Path) -> None:
    assert wrong(room, path.read_text()) == set()
    assert heavy(path.read_text()) == set()


@pytest.mark.parametrize(("room", "path"), sources(), ids=lambda value: str(value).removeprefix(str(ROOT) + "/"))
def test_numba_is_named_in_six_files_only(room: str, path: Path) -> None:
    names = set(imported(ast.parse(path.read_text()), at_import=False))
    files = {f"{name}.py" for name in ("jit", "intrinsics", "bits", "blocks", "lanes", "wide")}
    allowed = room == "gistmark_engine" and path.name in files
    assert allowed or not names & {"numba", "llvmlite"}


def test_no_room_is_a_package() -> None:
    assert [root.name for root, _ in ROOMS.values() if (root / "__init__.py").exists()] == []


def test_these_tests_can_fail() -> None:
    assert wrong("gistmark_engine", "def f():\n    from gistmark.score import score") == {"gistmark"}
    assert wrong("gistmark_datasets", "import gistmark_engine.metric") == {"gistmark_engine"}
    assert heavy("try:\n    import torch\nexcept ImportError:\n    pass") == {"torch"}
    assert heavy("class A:\n    from ray.data import x") == {"ray"}
    assert heavy("def f():\n    import torch") == set()
