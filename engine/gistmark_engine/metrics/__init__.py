"""The metrics on tokens: one file a metric, each with its factory, its fields and what it runs."""
