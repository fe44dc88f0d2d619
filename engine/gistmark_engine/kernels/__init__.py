"""Every compiled loop of the engine.

They stand apart from the metrics so that declaring a metric, and `gistmark metrics`, import no numba: a metric's `run`
imports its kernel when it first runs. A kernel keeps three rungs: one pair or text in plain loops (`inlined`), the rows
around it, and the function Python calls (`kernel`), which makes the memory that the loops borrow.
"""
