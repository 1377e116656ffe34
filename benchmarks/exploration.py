"""Time per round of xiong2023's policies early and late in a run, measured in one process.

    .venv/bin/python benchmarks/exploration.py

Prints a Markdown table: microseconds per round (the smallest of the repetitions, without compilation) over the first
rounds of a run that does not end, over ten times as many rounds, and the ratio of the two, which is 1 if the cost of a
round does not grow. CCPE-BGLM fits its model anew in every iteration, from counts.
"""

from __future__ import annotations

import argparse
import time

from causal_bandits.play.run import play
from causal_bandits.policies.glm.ccpe_bglm import CCPEBGLM
from causal_bandits.policies.glm.ccpe_general import CCPEGeneral
from causal_bandits.policies.glm.lucb import LUCB
from causal_bandits.policies.glm.track_and_stop import TrackAndStop
from causal_bandits.problems.xiong2023 import parallel, parallel_bglm, two_layers
from causal_bandits.seeding import generators

#: Radii are so wide, or gaps so small, that no run ends.
CASES = {
    "LUCB1, 21 actions": (LUCB(), parallel(10, 0.01)),
    "KL-LUCB, 21 actions": (LUCB(bounds="kl"), parallel(10, 0.01)),
    "Track-and-Stop, 21 actions": (TrackAndStop(), parallel(10, 0.01)),
    "CCPE-General, 21 actions": (CCPEGeneral(), parallel(10, 0.01)),
    "CCPE-General, 101 actions": (CCPEGeneral(), parallel(50, 0.01)),
    "CCPE-BGLM, linear, 11 actions": (CCPEBGLM(alpha_i=200.0), two_layers(1)),
    "CCPE-BGLM, logistic, 11 actions": (CCPEBGLM(alpha_i=200.0), two_layers(1, "logistic")),
    "CCPE-BGLM, linear, 129 actions": (CCPEBGLM(alpha_i=200.0), parallel_bglm(8, 2)),
}


def per_round(policy, bandit, rounds, repetitions):
    """Return microseconds per round."""
    found = []
    for _ in range(repetitions):
        start = time.process_time()
        played = len(play(policy, bandit, rounds, generators(0, "benchmark", 0)).arms)
        found.append((time.process_time() - start) / played * 1e6)
    return min(found)


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6_000, help="rounds of the shorter run (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=3, help="runs of each (default: %(default)s)")
    arguments = parser.parse_args()
    print("| policy | first rounds, us per round | ten times as many | ratio |")
    print("| --- | ---: | ---: | ---: |")
    for name, (policy, bandit) in CASES.items():
        per_round(policy, bandit, 100, 1)  # compile, or load from the cache
        short, long = (per_round(policy, bandit, n * arguments.rounds, arguments.repetitions) for n in (1, 10))
        print(f"| {name} | {short:.2f} | {long:.2f} | {long / short:.2f} |")


if __name__ == "__main__":
    main()
