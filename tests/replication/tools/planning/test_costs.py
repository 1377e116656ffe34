"""What jobs took, read from their logs, and what others are then expected to take."""

import pytest

from experiments.joblog import logged
from replication.tools.planning.costs import Cost, Costs, measured, read_costs, write_costs
from replication.tools.planning.jobs import Job


def test_costs_come_from_the_logs_of_jobs_and_go_by_seeds(tmp_path):
    for block in ("0-9", "10-19"):
        path = tmp_path / f"logs/simulate/p/e/ts/{block}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        with logged(path):
            pass
    (tmp_path / "logs/simulate/p/e/ts/0-4.log").write_text("ended after 1.00 s; 1.00 s of CPU, 10 MB\n")  # before
    names = [f"simulate/p/e/{played}" for played in ("ts/0-9", "ts/10-19", "ts/20-29")]  # the last one has no log yet
    found = measured(tmp_path / "logs", [Job(name, "p", 10) for name in names])
    assert {series: (cost.jobs, cost.seeds) for series, cost in found.items()} == {"simulate/p/e/ts": (2, 20)}
    write_costs(found, tmp_path / "jobs.csv")
    (read,) = read_costs(tmp_path / "jobs.csv").values()
    assert read.seconds == pytest.approx(found["simulate/p/e/ts"].seconds, abs=0.051)
    costs = Costs({"simulate/p/e/ts": Cost(2, 20, 22.0, 300), "table/p/t": Cost(2, 0, 2.0, 100)})
    same, half, other = (
        Job(f"simulate/p/e/{policy}", "p", n) for policy, n in (("ts/0-9", 10), ("ts/0-4", 5), ("u/0-4", 5))
    )
    assert [costs.seconds(job) for job in (same, half, other)] == [11, 6, 6]
    assert [costs.known(job) for job in (same, half, other)] == [True, True, False]
    assert costs.seconds(Job("table/p/t", "p")) == 1
    assert costs.peak_mb(half) == 300
