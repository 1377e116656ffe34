"""What a job's name tells: its kind, and the series of jobs that differ in their seeds alone."""

import pytest

from replication.tools.planning.jobs import Job


@pytest.mark.parametrize(
    ("name", "seeds", "kind", "series"),
    [
        ("simulate/lee2019/frontdoor/ts_pomis/0-249", 250, "simulate", "simulate/lee2019/frontdoor/ts_pomis"),
        ("table/lee2019/table1", 0, "table", "table/lee2019/table1"),
        ("all_verdicts", 0, "all_verdicts", "all_verdicts"),
    ],
)
def test_kind_and_series(name, seeds, kind, series):
    job = Job(name, seeds=seeds)
    assert (job.kind, job.series) == (kind, series)
