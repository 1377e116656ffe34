"""A job of the study: its name, the seeds that it plays, the files that it reads and makes."""

from __future__ import annotations

from dataclasses import dataclass


class PlanError(Exception):
    """Snakemake cannot list its jobs, or no run is recorded; in one line."""


@dataclass(frozen=True)
class Job:
    """One job.

    Attributes
    ----------
    name : str
        The path of its log below the folder of logs, without suffix: ``simulate/lee2019/frontdoor/ts_pomis/0-249``.
    paper : str
        Empty for a job that serves all papers.
    seeds : int
        How many it plays; 0 where it plays none.
    inputs, outputs : tuple of str
    """

    name: str
    paper: str = ""
    seeds: int = 0
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The first part of the name."""
        return self.name.partition("/")[0]

    @property
    def series(self) -> str:
        """The name without the block of seeds: the same for jobs that differ in their seeds alone."""
        return self.name.rpartition("/")[0] if self.seeds else self.name
