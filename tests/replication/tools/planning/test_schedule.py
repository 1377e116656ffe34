"""Schedules on N cores, held against Graham's bounds and the longest chain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.tools.planning.jobs import Job
from replication.tools.planning.schedule import schedule


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
