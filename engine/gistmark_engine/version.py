"""The one place that states the version; the build reads it here too."""

__version__ = "0.1.0"
