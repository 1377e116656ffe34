"""The study's configuration, read and checked whole before any job starts, and turned into jobs."""

from replication.config.errors import ConfigError
from replication.config.job_specs import digest
from replication.config.loading import read_yaml
from replication.config.study import Study

__all__ = ["ConfigError", "Study", "digest", "read_yaml"]
