"""How stages 1 and 2 of CN-UCB scale: seconds and memory over the number of nodes, and the slope on logarithmic axes.

Usage: python benchmarks/central_nodes.py [most nodes, default 10000]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from causal_bandits.evaluation.play import play
from causal_bandits.papers.lu2021.problems import tree
from causal_bandits.policies.cn_ucb import CNUCB
from causal_bandits.seeding import generators

SIZES = (100, 300, 1_000, 3_000, 10_000)


class Stages(CNUCB):
    """CN-UCB without stage 3."""

    def run(self, bandit, rounds, rng):
        _, experiments, _ = self.search(bandit, rounds)
        return {"rounds": sum(experiments.rounds)}


def measured(nodes: int) -> tuple[float, float, int]:
    """Processor seconds to build the problem, and for stages 1 and 2; and their rounds."""
    start = time.process_time()
    bandit = tree(nodes, shape="uniform", states=3, epsilon=0.25, reward_gap=0.4)
    built = time.process_time()
    run = play(Stages(), bandit, 2_000_000, generators(0, "benchmark", 0))
    return built - start, time.process_time() - built, int(run.outcome["rounds"])


def main(most: int) -> None:
    """Print one row per size, and the slope."""
    measured(10)  # compiles
    rows = []
    for nodes in (size for size in SIZES if size <= most):
        build, stages, rounds = measured(nodes)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append((nodes, stages))
        print(f"n = {nodes:6}: {stages:6.2f} s for {rounds:7} rounds (problem {build:5.2f} s), {memory:5.0f} MiB")
    if len(rows) > 1:
        n, seconds = np.log(np.array(rows)).T
        print(f"slope {np.polyfit(n, seconds, 1)[0]:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SIZES[-1])
