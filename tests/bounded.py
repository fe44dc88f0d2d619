"""Runs tests with every index of every kernel checked: what lies outside its array, negative ones too, is an error.

python tests/bounded.py [PYTEST ARGUMENT …]

Numba's own check (NUMBA_BOUNDSCHECK) lets negative indices count from the end, which kernels do on purpose only where they
say `[-1]`; elsewhere they are errors here too. Everything is compiled again, without optimisation, to save time: some 40
minutes of one core.
Fails if a test fails, or if there is a kernel that none of them ran. Borrowed arrays are checked like any others; what
kernels read and write by address is not: guarded.py is for that.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FILES = (
    *("test_fuzz", "test_overlap", "test_lcs", "test_summary_lcs", "test_rouge", "test_rouge_rules", "test_rouge155"),
    *("test_abstraction", "test_abstraction_edges", "test_datastats", "test_bleu", "test_evaluate", "test_ter"),
    *("test_chrf", "test_characters", "test_meteor", "test_meteor15", "test_synonyms", "test_stem", "test_stems"),
    *("test_tokenizers", "test_tokens_given", "test_unicode", "test_arrow", "test_plan", "test_positions"),
    *("test_syntax", "test_ranks", "test_monotonicity", "test_agreement", "test_human", "test_compare"),
    *("test_summarise", "test_invariants"),
)
ELSEWHERE = "test_kernels_touch_nothing_beyond_texts_and_arrays"
"""It starts a process with a guard of its own, which takes too long where nothing is optimised."""


def main(arguments: list[str]) -> int:
    """The exit status of the tests; 1 as well for a kernel that did not run."""
    with tempfile.TemporaryDirectory(prefix="gistmark-bounded-") as cache:
        os.environ |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": cache}
        refuse_negative()
        expect_checks()
        failed = pytest.main(arguments or [*(f"{HERE}/{name}.py" for name in FILES), "-k", f"not {ELSEWHERE}"])
        missed = idle()
    for name in missed:
        print(f"no test ran {name}", file=sys.stderr)
    return int(failed) or bool(missed)


def refuse_negative() -> None:
    """Have numba hand indices to its check as they are; only a negative one that is written out counts from the end."""
    from llvmlite import ir
    from numba.core import types
    from numba.np import arrayobj

    from_the_end = arrayobj.fix_integer_index

    def as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if isinstance(index, ir.Constant):
            return from_the_end(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = as_it_is


def expect_checks() -> None:
    """Stop unless an index outside is noticed, in borrowed arrays as well."""
    import numpy as np

    from gistmark_engine.intrinsics import borrowed
    from gistmark_engine.jit import called, inlined

    at: Any = inlined(lambda values, place: values[place])
    lent: Any = called(lambda values, place: at(borrowed(values), place))
    for place in (-1, 3):
        for read in (at, lent):
            with pytest.raises(IndexError, match="out of bounds"):
                read(np.zeros(3), place)


def idle() -> list[str]:
    """The loops of all kernel modules that were never compiled, so never called."""
    from numba.core.dispatcher import Dispatcher

    from gistmark_engine import kernels

    names = [f"{kernels.__name__}.{module.name}" for module in pkgutil.iter_modules(kernels.__path__)]
    loops = {
        f"{name}.{loop.__name__}": loop
        for name in names
        for loop in vars(importlib.import_module(name)).values()
        if isinstance(loop, Dispatcher) and loop.__module__ == name
    }
    return sorted(name for name, loop in loops.items() if not loop.overloads)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
