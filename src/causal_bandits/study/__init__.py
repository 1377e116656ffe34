"""The study's configuration, read and checked whole before any job starts, and turned into jobs."""

from causal_bandits.study.config import read_yaml
from causal_bandits.study.errors import ConfigError
from causal_bandits.study.jobs import digest
from causal_bandits.study.study import Study

__all__ = ["ConfigError", "Study", "digest", "read_yaml"]
