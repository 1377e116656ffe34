"""What a run takes and how far it is: jobs from Snakemake's own text, costs from logs, minutes by list scheduling."""

import heapq
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.pipeline.joblog import logged
from replication.tools.planning import jobs as listing
from replication.tools.planning.__main__ import estimated
from replication.tools.planning.costs import TABLE, Cost, Costs, measured, read_costs, write_costs
from replication.tools.planning.jobs import Job, PlanError, Run, planned, read_run
from replication.tools.planning.progress import newest, progress
from replication.tools.planning.schedule import schedule

ROOT = Path(__file__).parents[4]
START = datetime(2026, 11, 21, 18, 0, 0)

LOG = """\
SNAKEMAKE
=========
  Command: /a/snakemake-study/.venv/bin/snakemake --cores all --configfile config/quick.yaml
Provided cores: 2

[Sat Nov 21 18:00:00 2026]
localrule simulate:
    input: data/instances/lee2019/sixvar.json
    output: results/lee2019/sixvar/runs/ts,c=0.5/250-499.parquet
    log: logs/simulate/lee2019/sixvar/ts,c=0.5/250-499.log
    jobid: 78
    wildcards: paper=lee2019, experiment=sixvar, policy=ts,c=0.5, first=250, last=499
    resources: tmpdir=/tmp, runtime=15
[Sat Nov 21 18:01:00 2026]
Finished jobid: 78 (Rule: simulate)
1 of 3 steps (33%) done
[Sat Nov 21 18:01:05 2026]
rule all_verdicts:
    input: results/lee2019/verdicts.csv, results/lu2021/verdicts.csv
    output: results/verdicts.csv, results/verdicts.md
    jobid: 3
    log: logs/quick/all_verdicts.log
rule all:
    input: results/verdicts.csv
    jobid: 0
"""


def test_jobs_and_their_times_are_read_from_a_log():
    run = read_run(LOG.splitlines(keepends=True))
    played, judged = run.jobs
    assert (played.name, played.paper, played.seeds) == ("simulate/lee2019/sixvar/ts,c=0.5/250-499", "lee2019", 250)
    assert played.series == "simulate/lee2019/sixvar/ts,c=0.5"
    assert (judged.name, judged.paper, judged.kind) == ("all_verdicts", "", "all_verdicts")
    assert judged.inputs == ("results/lee2019/verdicts.csv", "results/lu2021/verdicts.csv")
    assert run.begun == {played: START, judged: START + timedelta(seconds=65)}
    assert run.ended == {played: START + timedelta(minutes=1)}


def test_jobs_of_a_group_are_read_too():
    lines = [
        f"    {line}" if "[" in line or line.startswith("  ") or "rule" in line else line for line in LOG.splitlines()
    ]
    assert read_run(lines).jobs == read_run(LOG.splitlines()).jobs
    assert read_run(lines).ended == read_run(LOG.splitlines()).ended


def test_the_newest_run_says_how_it_was_started(tmp_path):
    folder = tmp_path / ".snakemake/log"
    folder.mkdir(parents=True)
    (folder / "2026-11-21T180000.snakemake.log").write_text(LOG)
    (folder / "2026-11-21T190000.snakemake.log").write_text("Nothing to be done.\n")
    command = newest(tmp_path)
    assert command.arguments == ["--cores", "all", "--configfile", "config/quick.yaml"]
    assert command.cores == 2
    assert len(command.run.jobs) == 2


def test_a_dry_run_lists_jobs_and_where_it_fails_snakemakes_own_words_are_told(monkeypatch):
    """The made-up Snakemake answers a command with some status, and prints the jobs of the log or what is given."""

    def answering(status, says, warns="Using workflow specific profile\n"):
        def run(command, **_):
            asked.append(command[3:])
            return subprocess.CompletedProcess(command, status, stdout=says, stderr=warns)

        monkeypatch.setattr(listing.subprocess, "run", run)

    asked = []
    answering(0, LOG)
    assert planned(["lee2019"]) == planned(["-c4"]) == read_run(LOG.splitlines()).jobs
    assert asked == [["lee2019", "--dry-run", "--cores", "1"], ["-c4", "--dry-run"]]
    answering(1, "Building DAG of jobs...\nMissingRuleException:\nNo rule to produce lee2091\n")
    with pytest.raises(PlanError, match=r"^snakemake lee2091:\n.*\nMissingRuleException:\nNo rule to produce lee2091$"):
        planned(["lee2091"])
    answering(2, "", "usage: snakemake\nerror: ambiguous option: --confi\n")
    with pytest.raises(PlanError, match=r"error: ambiguous option: --confi$"):
        planned(["--confi"])


@st.composite
def plans(draw):
    """Jobs that read what some earlier ones make, with whole seconds."""
    n = draw(st.integers(1, 12))
    jobs = []
    for i in range(n):
        reads = draw(st.sets(st.integers(0, i - 1), max_size=3)) if i else set()
        jobs.append(Job(f"table/p/{i}", "p", 0, tuple(f"file{j}" for j in sorted(reads)), (f"file{i}",)))
    seconds = {job: float(draw(st.integers(1, 9))) for job in jobs}
    return draw(st.permutations(jobs)), seconds


def critical_path(jobs, seconds):
    """The longest chain, by plain recursion."""
    maker = {job.outputs[0]: job for job in jobs}

    def until(job):
        return seconds[job] + max((until(maker[file]) for file in job.inputs), default=0.0)

    return max(map(until, jobs))


@given(plans(), st.integers(1, 5))
def test_a_schedule_keeps_graham_s_bounds_and_is_exact_at_both_ends(plan, cores):
    jobs, seconds = plan
    memory = dict.fromkeys(jobs, 1.0)
    total, longest = sum(seconds.values()), critical_path(jobs, seconds)
    found = schedule(jobs, seconds, memory, cores)
    assert max(total / cores, longest) <= found.seconds <= total / cores + (1 - 1 / cores) * longest + 1e-9
    assert 1 <= found.peak_mb <= cores
    assert schedule(jobs, seconds, memory, 1).seconds == total
    assert schedule(jobs, seconds, memory, len(jobs)).seconds == longest


def test_a_schedule_refuses_no_core_and_a_circle():
    one, other = Job("a", inputs=("y",), outputs=("x",)), Job("b", inputs=("x",), outputs=("y",))
    with pytest.raises(ValueError, match="0 cores"):
        schedule([], {}, {}, 0)
    with pytest.raises(ValueError, match="2 jobs wait for each other"):
        schedule([one, other], {one: 1, other: 1}, {one: 1, other: 1}, 2)


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
            Run(jobs, {j: t for j, t in begun.items() if t <= now}, done), jobs[2 * pairs :], costs, 2, now
        )
        assert found.left == pytest.approx((20 - pairs) * took)
        assert found.work == pytest.approx(pairs / 20)
        assert found.papers["p"] == (min(2 * pairs, 30), 30)
    nothing = progress(Run(jobs, {}, {}), jobs, costs, 2, START)
    assert nothing.left is None


def test_a_run_that_stood_still_is_not_taken_to_stand_still_for_ever():
    """One of 11 equal jobs took a second, 99 ago: ten more fill five seconds of two cores, at a twentieth of them."""
    jobs = [Job(f"table/p/{i}", "p", outputs=(f"{i}",)) for i in range(11)]
    run = Run(jobs, {jobs[0]: START}, {jobs[0]: START + timedelta(seconds=1)})
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
            run = Run(jobs, {j: when[j] for j in jobs if begun[j] <= now}, done)
            found = progress(run, [j for j in jobs if j not in done], costs, cores, at)
            assert found.left == pytest.approx(truth - now, rel=0.3)
            checked += 1
    assert checked == 7
