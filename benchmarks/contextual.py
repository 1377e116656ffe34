"""Time per round of the contextual policies and of their plain versions, measured in turn in one process.

    PYTHONPATH=tests .venv/bin/python benchmarks/contextual.py

Prints a Markdown table: microseconds per round (median over repetitions, without compilation) and the ratio of the two
medians. Both versions play the same rounds with the same seeds, so they make the same choices, which is checked. The
email campaign has 8 contexts and 36 arms; Adult-Video (here with equal counts of users) has 16 of each.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from twins.contextual import PlainCellUCB, PlainFairLinUCB, PlainFUCB

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.c_ucb import CUCB
from causal_bandits.policies.contextual.d_ucb import DUCB
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.policies.contextual.ucb_pcb import UCBPCB
from causal_bandits.policies.fair.f_ucb import FUCB
from causal_bandits.policies.fair.fair_lin_ucb import FairLinUCB
from causal_bandits.problems.huang2022 import adult_video_bandit, email
from causal_bandits.seeding import generators


def pairs(problem):
    """Return each policy by name, compiled and plain."""
    table, minimal = (*problem.context, *problem.manipulable), minimal_separator(problem)
    return {
        "UCB": (UCB(), PlainCellUCB(table)),
        "UCB-PCB": (UCBPCB(), PlainCellUCB(table, "horizon", "infinite", clip=True)),
        "C-UCB": (CUCB(), PlainCellUCB(tuple(problem.weights))),
        "D-UCB": (DUCB(), PlainCellUCB(minimal)),
        "F-UCB": (FUCB(), PlainFUCB(minimal)),
        "Fair-LinUCB": (FairLinUCB(), PlainFairLinUCB()),
    }


def timed(policy, problem, horizon, seed):
    """Return the wall time of one run, in microseconds per round, and the arms played."""
    streams = generators(0, "benchmark", seed)
    start = time.perf_counter()
    run = play(policy, problem, horizon, streams)
    return (time.perf_counter() - start) / horizon * 1e6, run.arms


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=5_000, help="rounds of a compiled run (default: %(default)s)")
    parser.add_argument("--plain-horizon", type=int, default=200, help="rounds of a plain run (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=7, help="runs of each (default: %(default)s)")
    arguments = parser.parse_args()
    problems = {"email": email(), "adult_video": adult_video_bandit(np.ones((2, 2, 2, 2), dtype=np.int64))}
    print("| problem | policy | compiled, us per round | plain, us per round | ratio |")
    print("| --- | --- | ---: | ---: | ---: |")
    for name, problem in problems.items():
        bounded = problem.with_prior({"lower": problem.means - 0.1, "upper": problem.means + 0.1})
        for policy, (compiled, plain) in pairs(bounded).items():
            timed(compiled, bounded, 10, 0)  # compile, or load from the cache
            timed(plain, bounded, 1, 0)
            fast, slow = [], []
            for seed in range(arguments.repetitions):
                fast.append(timed(compiled, bounded, arguments.horizon, seed)[0])
                duration, arms = timed(plain, bounded, arguments.plain_horizon, seed)
                slow.append(duration)
                assert (arms == timed(compiled, bounded, arguments.plain_horizon, seed)[1]).all(), policy
            a, b = statistics.median(fast), statistics.median(slow)
            print(f"| {name} | {policy} | {a:.2f} | {b:.1f} | {b / a:.0f} |", flush=True)


if __name__ == "__main__":
    main()
