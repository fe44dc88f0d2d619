"""Syntactic complexity: nine counts and fourteen ratios from a dependency parse or from constituency trees."""
