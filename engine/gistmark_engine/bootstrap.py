"""Bootstrap intervals: what is resampled, how often, and the percentiles of what came out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError
from gistmark_engine.ranks import REASONS, Arrow, series


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """An interval by percentiles of `replicates` resamples of whole clusters, from a counter-based generator.

    The same seed and data give the same interval to the bit. 0 replicates: no interval.
    """

    replicates: int = 0
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.replicates < 0:
            raise OptionError(f"replicates must be at least 0, not {self.replicates}")
        if not 0.0 < self.confidence < 1.0:
            raise OptionError(f"confidence must lie between 0 and 1, such as 0.95, not {self.confidence}")
        if not 0 <= self.seed < 2**63:
            raise OptionError(f"seed must be at least 0 and less than 2⁶³, not {self.seed}")


def percentiles(drawn: NDArray[np.float64], confidence: float) -> tuple[float | None, float | None, int]:
    """The central interval of the replicates that are defined (linear interpolation), and how many those are."""
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return None, None, 0
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high), defined.size


def mean_interval(values: Arrow, bootstrap: Bootstrap, column: str = "values") -> dict[str, pa.Array]:
    """The mean of every list of numbers with its bootstrap interval; null and NaN are left out, after drawing.

    Returns `mean`, `mean_low`, `mean_high` (float64; null without a value, the last two also without replicates),
    `mean_n` (int64, values counted) and `mean_status` ("ok" or "too_few"); null where a whole list is.
    """
    from gistmark_engine.kernels.means import means

    lists = series(values, column)
    out = np.empty((lists.lengths.size, 1 + bootstrap.replicates))  # the list itself first, replicate −1
    means(lists.values, lists.starts, lists.lengths, bootstrap.seed, -1, out)
    intervals = [percentiles(row[1:], bootstrap.confidence) for row in out]
    rows = zip(lists.starts, lists.lengths, strict=True)
    counts = np.array([np.count_nonzero(~np.isnan(lists.values[a : a + n])) for a, n in rows], np.int64)
    status = np.where(counts > 0, REASONS.index("ok"), REASONS.index("too_few")).astype(np.int8)
    return {
        "mean": pa.array(out[:, 0], from_pandas=True),
        "mean_low": pa.array([low for low, _, _ in intervals], pa.float64()),
        "mean_high": pa.array([high for _, high, _ in intervals], pa.float64()),
        "mean_n": pa.array(counts, mask=~lists.valid),
        "mean_status": pa.DictionaryArray.from_arrays(pa.array(status, mask=~lists.valid), pa.array(REASONS)),
    }
