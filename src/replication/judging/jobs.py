"""What the job that judges a paper is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.jobs import ReaderJob


@dataclass(frozen=True, kw_only=True)
class VerdictsJob(ReaderJob):
    """What the verdicts of one paper are made of: its slug, and its sets of readings by name."""

    paper: str
    readings: Mapping[str, Sequence[Any]]
