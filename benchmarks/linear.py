"""Time per round of the linear contextual policies and of the plain ones, measured in turn in one process.

    PYTHONPATH=tests .venv/bin/python benchmarks/linear.py

Prints a Markdown table: microseconds per round (median over repetitions, without compilation) and the ratio of the two
medians, on the synthetic bandit of huang2024 with the causal bounds of an infinite offline sample. Both versions play
the same rounds with the same seeds, so they make the same choices. Optimal allocation matching is also timed with
little forced exploration (epsilon = 0.01), where it solves its allocation program in about half of the rounds.
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np
from policies import compiled_run, plain_run
from twins.linear import PlainLinUCB, PlainOAM

from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.contextual.oam import OAM
from causal_bandits.policies.contextual.oam_pcb import OAMPCB
from causal_bandits.problems.huang2024 import PROBLEMS, scm

PAIRS = {
    "LinUCB": (LinUCB(), PlainLinUCB()),
    "LinUCB-PCB": (LinUCBPCB(), PlainLinUCB(clipped="upper")),
    "OAM": (OAM(), PlainOAM()),
    "OAM-PCB": (OAMPCB(bounds_enter="arms"), PlainOAM(bounds_enter="arms")),
    "OAM, epsilon = 0.01": (OAM(epsilon=0.01), PlainOAM(epsilon=0.01)),
    "OAM-PCB, epsilon = 0.01": (
        OAMPCB(epsilon=0.01, bounds_enter="arms"),
        PlainOAM(epsilon=0.01, bounds_enter="arms"),
    ),
}


def synthetic():
    """Return the bandit with min and max over i of P(y | x, u, I1 = i, S = 1) as bounds."""
    model, problem = scm(), PROBLEMS["synthetic"]()
    conditional = np.array(
        [
            [[model.expectation("Y", given={**c, **a, "I1": i, "S": 1}) for i in (0, 1)] for a in problem.arms]
            for c in problem.contexts
        ]
    )
    return problem.with_prior({"lower": conditional.min(axis=-1), "upper": conditional.max(axis=-1)})


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=15_000, help="rounds of a compiled run (default: %(default)s)")
    parser.add_argument("--plain-horizon", type=int, default=1_000, help="rounds of a plain run (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=5, help="runs of each (default: %(default)s)")
    arguments = parser.parse_args()
    problem = synthetic()
    print("| solver | compiled, us per round | the same, short | plain, short | ratio of the short runs |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for solver, (compiled, plain) in PAIRS.items():
        compiled_run(compiled, problem, 100, 0)  # compile, or load from the cache
        full, fast, slow = [], [], []
        for seed in range(arguments.repetitions):
            full.append(compiled_run(compiled, problem, arguments.horizon, seed)[0])
            fast.append(compiled_run(compiled, problem, arguments.plain_horizon, seed)[0])
            slow.append(plain_run(plain, problem, arguments.plain_horizon, seed))
        a, b, c = (statistics.median(times) for times in (full, fast, slow))
        print(f"| {solver} | {a:.2f} | {b:.2f} | {c:.1f} | {c / b:.0f} |", flush=True)


if __name__ == "__main__":
    main()
