"""Time lu2021's stages 1 and 2, and a round of its baselines, by number of variables.

    PYTHONPATH=tests .venv/bin/python benchmarks/single_node.py

Prints two Markdown tables of CPU times (medians over repetitions, without compilation). First: seconds to draw a tree
with three states per variable and to find X_R in it, the rounds that this takes, the peak memory of the process so far,
and the slope of log time against log n. Second: microseconds per round of UCB and Thompson sampling on all arms, of
their plain versions, which look at every arm (both make the same choices, which is checked), and of RAPS while all
variables are candidates.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from twins.single_node import PlainGaussianThompson, PlainGaussianUCB

from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.play.run import play
from causal_bandits.policies.classical.gaussian_thompson import GaussianThompson
from causal_bandits.policies.classical.gaussian_ucb import GaussianUCB
from causal_bandits.policies.single_node.cn_ucb import CNUCB
from causal_bandits.policies.single_node.raps import RAPS
from causal_bandits.problems.lu2021 import tree
from causal_bandits.seeding import generators

PAIRS = {
    "UCB": (GaussianUCB(), PlainGaussianUCB()),
    "Thompson sampling": (GaussianThompson(), PlainGaussianThompson()),
}
#: More rounds than stages 1 and 2 take.
ROUNDS = 10_000_000
#: Fewer rounds than RAPS takes to observe.
RAPS_ROUNDS = 1_000


@dataclass
class Search:
    """Stages 1 and 2 of CN-UCB alone."""

    plays: ClassVar[type] = SingleNodeBandit
    found: list = field(default_factory=list)

    def run(self, bandit, rounds, rng):
        """See `causal_bandits.policies.base.Policy`."""
        found, _, _ = CNUCB().search(bandit, rounds)
        self.found.append(set(found) == set(bandit.rewards))
        return {}


def searches(nodes, shape, repetitions):
    """Return the seconds to draw and to search, the rounds played, and how often X_R was found."""
    drawn, searched, rounds, search = [], [], [], Search()
    for seed in range(repetitions):
        start = time.process_time()
        bandit = tree(nodes, shape=shape, draw=seed)
        drawn.append(time.process_time() - start)
        start = time.process_time()
        rounds.append(len(play(search, bandit, ROUNDS, generators(0, "benchmark", seed)).rewards))
        searched.append(time.process_time() - start)
    return statistics.median(drawn), statistics.median(searched), statistics.median(rounds), sum(search.found)


def timed(policy, bandit, horizon, seed):
    """Return the CPU time of one run, in microseconds per round, and the arms played."""
    streams = generators(0, "benchmark", seed)
    start = time.process_time()
    run = play(policy, bandit, horizon, streams)
    return (time.process_time() - start) / horizon * 1e6, run.arms


def main():
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[100, 300, 1_000, 3_000, 10_000])
    parser.add_argument("--shape", default="uniform", help="shape of the trees (default: %(default)s)")
    parser.add_argument("--horizon", type=int, default=100_000, help="rounds of a compiled run (default: %(default)s)")
    parser.add_argument("--plain-horizon", type=int, default=100, help="rounds of a plain run (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=5, help="runs of each (default: %(default)s)")
    parser.add_argument("--searches-only", action="store_true", help="print only the first table")
    arguments = parser.parse_args()
    searches(10, arguments.shape, 1)  # compile, or load from the cache
    print("| n | draw, s | stages 1 and 2, s | rounds | X_R found | memory, MiB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    seconds = []
    for nodes in arguments.nodes:
        drawn, searched, rounds, found = searches(nodes, arguments.shape, arguments.repetitions)
        seconds.append(searched)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        share = f"{found}/{arguments.repetitions}"
        print(f"| {nodes} | {drawn:.2f} | {searched:.2f} | {rounds:,.0f} | {share} | {memory:.0f} |", flush=True)
    if len(seconds) > 1:
        print(f"\nslope of log time against log n: {np.polyfit(np.log(arguments.nodes), np.log(seconds), 1)[0]:.2f}\n")
    if arguments.searches_only:
        return
    print("| n | arms | policy | compiled, us per round | plain, us per round | ratio |")
    print("| ---: | ---: | --- | ---: | ---: | ---: |")
    for nodes in arguments.nodes:
        bandit = tree(nodes)
        for name, (compiled, plain) in PAIRS.items():
            timed(compiled, bandit, 10, 0)
            fast, slow = [], []
            for seed in range(arguments.repetitions):
                fast.append(timed(compiled, bandit, arguments.horizon, seed)[0])
                duration, arms = timed(plain, bandit, arguments.plain_horizon, seed)
                slow.append(duration)
                assert (arms == timed(compiled, bandit, arguments.plain_horizon, seed)[1]).all(), name
            a, b = statistics.median(fast), statistics.median(slow)
            print(f"| {nodes} | {bandit.empty} | {name} | {a:.2f} | {b:.0f} | {b / a:.0f} |", flush=True)
        # do() alone, before any candidate is ruled out
        raps = [timed(RAPS(too_short="cut off"), bandit, RAPS_ROUNDS, seed)[0] for seed in range(arguments.repetitions)]
        print(f"| {nodes} | {bandit.empty} | RAPS | {statistics.median(raps):.2f} | | |", flush=True)


if __name__ == "__main__":
    main()
