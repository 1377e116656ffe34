"""Time per round of the compiled policies beside the plain ones, measured in turn in one process.

    .venv/bin/python benchmarks/policies.py

Prints a Markdown table: microseconds per round at 3, 9 and 27 arms (median over repetitions, compilation not counted)
and the ratio of the two medians. Both play the same SCM with the same seeds, so they make the same choices.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from plain import PlainKLUCB, PlainThompson

from causal_bandits.papers.lee2019.problems import build
from causal_bandits.policies.kl_ucb import KLUCB
from causal_bandits.policies.thompson import Thompson
from causal_bandits.seeding import generators

INSTANCES = Path(__file__).parents[1] / "data/instances/lee2019"
PAIRS = {"TS": (Thompson(), PlainThompson()), "kl-UCB": (KLUCB(), PlainKLUCB())}


def microseconds_per_round(policy, problem, horizon, seed):
    """Wall time of one run, per round."""
    rngs = generators(0, "benchmark", seed)
    start = time.perf_counter()
    policy.run(problem, horizon, *rngs)
    return (time.perf_counter() - start) / horizon * 1e6


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=10_000, help="rounds of a compiled run (default: %(default)s)")
    parser.add_argument("--plain-horizon", type=int, default=1_000, help="rounds of a plain run (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=15, help="runs of each (default: %(default)s)")
    arguments = parser.parse_args()
    print("| solver | arms | compiled, us per round | plain, us per round | ratio |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for solver, (compiled, plain) in PAIRS.items():
        for task in ("frontdoor", "fourvar", "sixvar"):
            problem = build(task, instance=INSTANCES / f"{task}.json")
            microseconds_per_round(compiled, problem, 100, 0)  # compile, or load from the cache
            fast, slow = [], []
            for seed in range(arguments.repetitions):
                fast.append(microseconds_per_round(compiled, problem, arguments.horizon, seed))
                slow.append(microseconds_per_round(plain, problem, arguments.plain_horizon, seed))
            a, b = statistics.median(fast), statistics.median(slow)
            print(f"| {solver} | {len(problem.arms)} | {a:.2f} | {b:.1f} | {b / a:.0f} |", flush=True)


if __name__ == "__main__":
    main()
