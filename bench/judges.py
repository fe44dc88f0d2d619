"""What asking costs beside the model: calls a second to a judge that answers at once, and how busy a slow one is kept.

python -m bench.judges
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import pyarrow as pa

import gistmark as gm
from bench.slow_server import running
from bench.tables import micro, table
from gistmark.bench.race import Contestant, race
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Backend
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_batch

ROUNDS, ROWS = 5, 2000
SECONDS, AT_ONCE, CALLS = 0.05, 64, 8192
REPLY = '{"overall": 4, "rationale": "It gives the main point and leaves out the rest."}'


def pairs(rows: int) -> pa.Table:
    """Texts of 12 and 390 words, a new summary each time, so that no call is answered by another's reply."""
    source = "The committee met on Monday to discuss the new harbour and its cost. " * 30
    texts = [f"Summary {row}: the committee discussed the harbour and put off its decision." for row in range(rows)]
    return pa.table({"summary": texts, "source": [source] * rows})


def judge(backend: Backend, cache: Cache | bool) -> Metric:
    """One question a row."""
    return gm.metrics.judge(backend, dimensions=["overall"], retries=0, cache=cache)


def overhead() -> str:
    """CPU time of a call that a backend answers at once: nothing kept, every reply kept, every reply already there."""
    batch, fake = pairs(ROWS), gm.judges.Fake(lambda *_: REPLY)
    with tempfile.TemporaryDirectory() as folder:

        def kept() -> None:
            path = Path(folder, f"{time.monotonic_ns()}.sqlite")
            score_batch(batch, [judge(fake, Cache(path))])

        there = judge(fake, Cache(Path(folder, "there.sqlite")))
        sides: dict[str, Callable[[], object]] = {
            "nothing kept": partial(score_batch, batch, [judge(fake, False)]),
            "every reply kept": kept,
            "every reply there already": partial(score_batch, batch, [there]),
        }
        spent = race({name: Contestant(run, ROWS) for name, run in sides.items()}, ROUNDS, time.process_time)
    lines = [(name, micro(median(times)), f"{1 / median(times):,.0f}", "5,000") for name, times in spent.items()]
    note = f"{ROWS:,} calls, one thread, CPU time, median of {ROUNDS} interleaved rounds; prompts of some 450 words."
    return table("Judges: the framework alone", note, ("replies", "a call", "calls a second", "at least"), lines)


def busy(concurrency: int) -> tuple[str, ...]:
    """How much of a slow server's time is used with `concurrency` calls in flight."""
    with running(SECONDS, AT_ONCE) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        spent = time.process_time()
        score_batch(pairs(CALLS), [judge(gm.judges.OpenAI("slow", url, concurrency=concurrency), False)])
        spent = time.process_time() - spent
        share = server.communicate()[0]
    return str(concurrency), f"{float(share):.1%}", "90%", micro(spent / CALLS)


def main() -> None:
    """Print the tables."""
    print(overhead())
    note = (
        f"{CALLS:,} calls to a server that takes {1000 * SECONDS:g} ms for each, {AT_ONCE} at once; time on the wall, "
        "the server on the same machine."
    )
    headings = ("calls in flight", "server busy", "at least", "own CPU time, a call")
    print(table("Judges: a slow server", note, headings, [busy(AT_ONCE), busy(AT_ONCE + AT_ONCE // 4)]))


if __name__ == "__main__":
    main()
