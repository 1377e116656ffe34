"""What `make estimate` prints."""

from replication.tools.planning.__main__ import estimated
from replication.tools.planning.costs import Cost, Costs
from replication.tools.planning.jobs import Job


def test_an_estimate_counts_jobs_and_says_which_it_does_not_know():
    costs = Costs({"table/p/t": Cost(1, 0, 60.0, 500)})
    text = estimated([Job("table/p/t", "p", outputs=("x",)), Job("table/p/u", "p", outputs=("y",))], costs, [1, 2])
    assert text.splitlines() == [
        "2 jobs to do, 2.0 CPU minutes; 1 of them never measured, taken as the median of their kind",
        "one job holds at most 0.5 GB",
        "cores  minutes  GB at most, of all jobs at a time",
        "    1      2.0  0.5",
        "    2      1.0  1.0",
    ]
    assert estimated([], costs, [1]) == "0 jobs to do, 0.0 CPU minutes"
