"""The factories of all metrics: each returns a record (`gistmark_engine.metric.Metric`), ready without any argument.

Importing them compiles nothing; kernels and models load when a metric first runs.
"""

from gistmark.syntax.metric import syntax
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.bleu import bleu
from gistmark_engine.metrics.chrf import chrf, chrfpp
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.meteor import meteor
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.metrics.ter import ter

__all__ = ["abstraction", "bleu", "chrf", "chrfpp", "datastats", "meteor", "rouge", "syntax", "ter"]
