"""The newest run, and the time that it still takes."""

import heapq
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from replication.tools.planning.costs import TABLE, Cost, Costs, read_costs
from replication.tools.planning.events import RECORDS, SUFFIX, Run
from replication.tools.planning.jobs import Job, PlanError
from replication.tools.planning.progress import newest, progress

ROOT = Path(__file__).parents[4]
START = datetime(2026, 11, 21, 18, 0, 0)


def test_the_newest_record_is_read(tmp_path):
    with pytest.raises(PlanError, match="no run is recorded in "):
        newest(tmp_path)
    (tmp_path / RECORDS).mkdir(parents=True)
    for hour, arguments in ((18, '["a"]'), (19, '["--config", "scale={extras: true}", "--", "lee2019"]')):
        event = f'{{"time": 0, "event": "resources_info", "arguments": {arguments}, "cores": 2}}\n'
        (tmp_path / RECORDS / f"2026-11-21T{hour}0000.0{SUFFIX}").write_text(event)
    (tmp_path / RECORDS / "2026-11-21T200000.0.snakemake.log").write_text("Nothing to be done.\n")
    assert newest(tmp_path) == Run(["--config", "scale={extras: true}", "--", "lee2019"], 2)


@pytest.mark.parametrize("slower", [0.5, 1.0, 3.0])
def test_the_time_left_is_exact_where_the_machine_is_steadily_slower(slower):
    """Two cores play 40 jobs of 10 expected seconds; after any number of them the time left is the truth."""
    jobs = [Job(f"table/p/{i}", "p" if i < 30 else "", outputs=(f"{i}",)) for i in range(40)]
    costs = Costs({"table/p/0": Cost(1, 0, 10.0, 1.0)})
    took = 10 * slower
    begun = {job: START + timedelta(seconds=took * (i // 2)) for i, job in enumerate(jobs)}
    for pairs in (1, 4, 10, 19):
        now = START + timedelta(seconds=took * pairs)
        done = {job: begun[job] + timedelta(seconds=took) for job in jobs[: 2 * pairs]}
        found = progress(
            Run([], 2, jobs, {j: t for j, t in begun.items() if t <= now}, done), jobs[2 * pairs :], costs, 2, now
        )
        assert found.left == pytest.approx((20 - pairs) * took)
        assert found.work == pytest.approx(pairs / 20)
        assert found.papers["p"] == (min(2 * pairs, 30), 30)
    nothing = progress(Run([], 2, jobs), jobs, costs, 2, START)
    assert nothing.left is None


def test_a_run_that_stood_still_is_not_taken_to_stand_still_for_ever():
    """One of 11 equal jobs took a second, 99 ago: ten more fill five seconds of two cores, at a twentieth of them."""
    jobs = [Job(f"table/p/{i}", "p", outputs=(f"{i}",)) for i in range(11)]
    run = Run([], 2, jobs, {jobs[0]: START}, {jobs[0]: START + timedelta(seconds=1)})
    costs = Costs({"table/p/0": Cost(1, 0, 10.0, 1.0)})
    found = progress(run, jobs[1:], costs, 2, START + timedelta(seconds=100))
    assert found.left == pytest.approx(5 / 0.05)


def committed_jobs():
    """As many jobs as the committed table counts, stage by stage, in the order of a run."""
    stages = ("data", "discovery", "bounds", "simulate", "aggregate", "figures", "tables", "verdicts")
    jobs = []
    for series, cost in read_costs(ROOT / TABLE).items():
        paper = series.split("/")[1] if "/" in series else ""
        names = [f"{series}/{i}" for i in range(cost.jobs)] if cost.seeds else [series]
        jobs += [Job(name, paper, cost.seeds // cost.jobs, (), (name,)) for name in names]
    return sorted(jobs, key=lambda job: stages.index(job.kind) if job.kind in stages else len(stages))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("cores", "slower"), [(2, 0.5), (2, 3.0), (8, 1.3)])
def test_the_time_left_is_within_three_tenths_after_a_fifth_of_the_committed_work(seed, cores, slower):
    """Jobs take what the table says, off by half either way, and a start each; the first of an experiment compile.

    A run of 34 minutes took 0.4 s for every job beside its CPU, and a cold one 2 s more for every experiment. The
    machine's other work makes the first tenth slower still.
    """
    rng = np.random.default_rng(seed)
    costs, jobs = Costs(read_costs(ROOT / TABLE)), committed_jobs()
    expected = {job: costs.seconds(job) for job in jobs}
    begun, ended, free, compiled = {}, {}, [0.0] * cores, set()
    total, work = sum(expected.values()), 0.0
    for job in jobs:
        experiment = tuple(job.name.split("/")[:3])
        took = expected[job] * rng.lognormal(0, 0.4) + 0.4 + 2 * (experiment not in compiled) * (job.kind == "simulate")
        compiled.add(experiment)
        begun[job] = heapq.heappop(free)
        heapq.heappush(free, ended.setdefault(job, begun[job] + slower * took * (1.7 if work < 0.1 else 1)))
        work += expected[job] / total
    when = {job: START + timedelta(seconds=int(second)) for job, second in begun.items()}
    until = {job: START + timedelta(seconds=int(second)) for job, second in ended.items()}
    truth, work, checked = max(ended.values()), 0.0, 0
    for job in sorted(jobs, key=ended.__getitem__):
        work += expected[job] / total
        if work > 0.2 + 0.1 * checked and checked < 7:
            now = ended[job]
            at = START + timedelta(seconds=now)
            done = {j: until[j] for j in jobs if ended[j] <= now}
            run = Run([], 2, jobs, {j: when[j] for j in jobs if begun[j] <= now}, done)
            found = progress(run, [j for j in jobs if j not in done], costs, cores, at)
            assert found.left == pytest.approx(truth - now, rel=0.3)
            checked += 1
    assert checked == 7
