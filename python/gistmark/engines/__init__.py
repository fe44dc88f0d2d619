"""Scoring as a step of somebody else's pipeline: Ray, Spark, DuckDB. Imported when `gistmark.ray` and so on are asked for."""
