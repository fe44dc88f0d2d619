"""The factories of all metrics: each returns a record (`gistmark_engine.metric.Metric`), ready without any argument.

Importing them compiles nothing; kernels and models load when a metric first runs.
"""

from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge

__all__ = ["abstraction", "datastats", "rouge"]
