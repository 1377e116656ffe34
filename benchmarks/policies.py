"""Time per round of the compiled policies and of the plain ones, measured in turn in one process.

    PYTHONPATH=tests .venv/bin/python benchmarks/policies.py

Prints a Markdown table: microseconds per round (median over repetitions, without compilation) and the ratio of the two
medians. TS and kl-UCB play all 3, 9 and 27 arms; both versions play the same rounds of the same SCM with the same
seeds, so they make the same choices. z2-TS and z2-kl-UCB play the 3, 5 and 15 possibly-optimal arms. Their plain
version bootstraps every data set B times for every arm in every round, as lee2019's Algorithm 2 says; it is timed over
a few rounds in the middle of a run, after it has learnt from what the compiled version played before.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time

from twins.scm import PlainKLUCB, PlainThompson, PlainZ2KLUCB, PlainZ2Thompson

from causal_bandits.play.run import play
from causal_bandits.policies.classical.kl_ucb import KLUCB
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.scm.z2_kl_ucb import Z2KLUCB
from causal_bandits.policies.scm.z2_thompson import Z2Thompson
from causal_bandits.problems import make
from causal_bandits.seeding import generators

PAIRS = {
    "TS": (Thompson(), PlainThompson(), "brute_force"),
    "kl-UCB": (KLUCB(), PlainKLUCB(), "brute_force"),
    "z2-TS": (Z2Thompson(), PlainZ2Thompson(), "possibly_optimal"),
    "z2-kl-UCB": (Z2KLUCB(), PlainZ2KLUCB(), "possibly_optimal"),
}


def compiled_run(policy, problem, horizon, seed):
    """Return the wall time of one run, in microseconds per round, and the arms played."""
    streams = generators(0, "benchmark", seed)
    start = time.perf_counter()
    run = play(policy, problem, horizon, streams)
    return (time.perf_counter() - start) / horizon * 1e6, run.arms


def plain_run(policy, problem, horizon, seed, before=()):
    """Return a stepwise policy's microseconds per round, after untimed plays of the arms ``before``."""
    streams = generators(0, "benchmark", seed)
    state = copy.copy(policy)
    state.start(problem, len(before) + horizon)
    world = problem.worlds(0, len(before) + horizon, streams.environment)
    for t, arm in enumerate(before):
        state.update(arm, *problem.play(world, t, arm))
    start = time.perf_counter()
    for t in range(len(before), len(before) + horizon):
        arm = state.select(t, problem.seen(world, t), streams.policy)
        state.update(arm, *problem.play(world, t, arm))
    return (time.perf_counter() - start) / horizon * 1e6


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=10_000, help="rounds of a z2 run (default: %(default)s)")
    parser.add_argument("--base-horizon", type=int, default=2_000, help="rounds of a base run (default: %(default)s)")
    parser.add_argument("--z2-rounds", type=int, default=2, help="rounds of plain z2, mid-run (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=7, help="runs of each (default: %(default)s)")
    arguments = parser.parse_args()
    print("| solver | arms | compiled, us per round | plain, us per round | ratio |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for solver, (compiled, plain, strategy) in PAIRS.items():
        for task in ("frontdoor", "fourvar", "sixvar"):
            problem = make(f"lee2019/{task}").with_arms(strategy)
            compiled_run(compiled, problem, 100, 0)  # compile, or load from the cache
            fast, slow = [], []
            for seed in range(arguments.repetitions):
                is_z2 = solver.startswith("z2")
                horizon = arguments.horizon if is_z2 else arguments.base_horizon
                duration, arms = compiled_run(compiled, problem, horizon, seed)
                fast.append(duration)
                before = arms[: horizon // 2].tolist() if is_z2 else ()
                slow.append(plain_run(plain, problem, arguments.z2_rounds if is_z2 else horizon, seed, before))
            a, b = statistics.median(fast), statistics.median(slow)
            print(f"| {solver} | {len(problem.arms)} | {a:.2f} | {b:.1f} | {b / a:.0f} |", flush=True)


if __name__ == "__main__":
    main()
