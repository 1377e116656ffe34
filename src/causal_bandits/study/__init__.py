"""The study's configuration, read and checked whole before any job starts, and turned into jobs."""

from causal_bandits.study.config import ConfigError, Study, digest

__all__ = ["ConfigError", "Study", "digest"]
