"""Time per round of compiled policies and of the work that they cannot avoid, measured in turn in one process.

    PYTHONPATH=tests .venv/bin/python benchmarks/limits.py

Prints a Markdown table: microseconds per round (the smallest of the repetitions, without compilation) of

* the policy;
* its limit: a compiled loop that plays the arms that the policy played, in the same worlds, and computes what no
  implementation of the rule can avoid: random numbers, logarithms, roots and products, and one look at each arm if all
  indices change from round to round (the docstrings of the functions `floor_...` list them);
* the worlds alone: the same loop without any of that.

If the ratio of the policy to its limit is above 2, the kernel does much that it could avoid.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numba
import numpy as np
from linear import synthetic

from causal_bandits.models import bandit as scm_worlds
from causal_bandits.models import contextual, glm_bandit
from causal_bandits.play.run import play
from causal_bandits.policies.classical.kl_ucb import KLUCB, upper_index
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.contextual.helpers.features import feature_vectors
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.contextual.oam import OAM
from causal_bandits.policies.contextual.oam_pcb import OAMPCB
from causal_bandits.policies.glm.ccpe_general import CCPEGeneral
from causal_bandits.policies.glm.lucb import LUCB
from causal_bandits.problems.lee2019 import build
from causal_bandits.problems.xiong2023 import all_settings, parallel
from causal_bandits.seeding import generators

jit = numba.njit

LANES = 8


@jit
def highest(mean, own, factor):
    """Return the largest mean + factor own, taken eight at a time so that no comparison waits for the one before."""
    best = np.full(LANES, -np.inf)
    whole = len(mean) // LANES * LANES
    for a in range(0, whole, LANES):
        for lane in range(LANES):
            value = mean[a + lane] + factor * own[a + lane]
            best[lane] = value if value > best[lane] else best[lane]
    for a in range(whole, len(mean)):
        best[0] = max(best[0], mean[a] + factor * own[a])
    return best.max()


@jit
def worlds_scm(world, arms, play_round, state, rng):
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        rewards[i] = play_round(world, i, arms[i])
    return rewards


@jit
def floor_thompson(world, arms, play_round, state, rng):
    """Do the work of Thompson sampling: a draw from every arm's beta distribution."""
    ones, zeros = state
    rewards, sink = np.empty(len(arms)), 0.0
    for i in range(len(arms)):
        for a in range(len(ones)):
            sink = max(sink, rng.beta(ones[a], zeros[a]))
        rewards[i] = play_round(world, i, arms[i])
        ones[arms[i]] += rewards[i]
        zeros[arms[i]] += 1 - rewards[i]
    ones[0] += 1e-300 * sink
    return rewards


@jit
def floor_kl_ucb(world, arms, play_round, state, rng):
    """Do the work of kl-UCB: two logarithms each for f(t), comparison and entropy; a root; a product per arm."""
    rate, pulls, guess, sink = state
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        t = world.first + i + 2.0
        f, arm = math.log(t) + math.log(1 + math.log(t)), arms[i]
        mu = upper_index(rate[arm], f / (pulls[arm] + 1), guess[arm])
        guess[arm] = mu
        log_m, log_1m = math.log(mu + 1e-9), math.log(1 + 1e-9 - mu)
        for a in range(len(rate)):
            sink[0] += rate[a] * log_m + (1 - rate[a]) * log_1m < f / (pulls[a] + 1)
        rewards[i] = play_round(world, i, arm)
        pulls[arm] += 1
        rate[arm] += (rewards[i] - rate[arm]) / pulls[arm]
        sink[0] += math.log(rate[arm] + 1e-9) * rate[arm] + (1 - rate[arm]) * math.log(1 + 1e-9 - rate[arm])
    return rewards


@jit
def quadratic(inverse, x):
    """Return x' A x for a symmetric A, from one half of it."""
    total = 0.0
    for p in range(len(x)):
        row = 0.5 * inverse[p, p] * x[p]
        for q in range(p):
            row += inverse[p, q] * x[q]
        total += 2.0 * x[p] * row
    return total


@jit
def rank_one(inverse, theta, x, reward):
    """Take one step of least squares: the inverse by Sherman and Morrison, and theta along it."""
    d, scale, told = len(x), 1.0, 0.0
    z = np.empty(d)
    for p in range(d):
        z[p] = 0.0
        for q in range(d):
            z[p] += inverse[p, q] * x[q]
        scale += x[p] * z[p]
        told += theta[p] * x[p]
    for p in range(d):
        theta[p] += z[p] * (reward - told) / scale
        for q in range(d):
            inverse[p, q] -= z[p] * z[q] / scale


@jit
def floor_lin_ucb(world, arms, play_round, state, rng):
    """Do the work of LinUCB: for each arm a quadratic form, a root and a product of d numbers; one update."""
    features, inverse, theta, sink = state
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        c, best = world.contexts[i], -np.inf
        for a in range(features.shape[1]):
            x = features[c, a]
            value = math.sqrt(quadratic(inverse[a], x))
            for p in range(len(x)):
                value += theta[a, p] * x[p]
            best = max(best, value)
        sink[0] += best
        rewards[i] = play_round(world, i, arms[i])
        rank_one(inverse[arms[i]], theta[arms[i]], features[c, arms[i]], rewards[i])
    return rewards


@jit
def floor_oam(world, arms, play_round, state, rng):
    """Do the work of OAM: a quadratic form per arm, an update, a product of d numbers per arm and context."""
    features, inverse, theta, sink = state
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        c = world.contexts[i]
        for a in range(features.shape[1]):
            sink[0] += quadratic(inverse[0], features[c, a])
        rewards[i] = play_round(world, i, arms[i])
        rank_one(inverse[0], theta[0], features[c, arms[i]], rewards[i])
        for k in range(features.shape[0]):
            best = -np.inf
            for a in range(features.shape[1]):
                value = 0.0
                for p in range(features.shape[2]):
                    value += theta[0, p] * features[k, a, p]
                best = max(best, value)
            sink[0] += best
    return rewards


@jit
def floor_lucb(world, arms, play_round, state, rng):
    """Do the work of LUCB: every second round a logarithm, a root, a look at each mean and bound; each round a root."""
    mean, own, pulls, sink = state
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        if i % 2 == 0:
            factor = math.sqrt(math.log(1.25 * len(mean) * (world.first + i + 2.0) ** 4))
            sink[0] += highest(mean, own, 0.0) + highest(mean, own, factor)
        arm = arms[i]
        rewards[i] = play_round(world, i, arm)
        pulls[arm] += 1
        mean[arm] += (rewards[i] - mean[arm]) / pulls[arm]
        own[arm] = 1 / math.sqrt(pulls[arm])
    return rewards


@jit
def floor_lucb_own(world, arms, play_round, state, rng):
    """Do the work of LUCB with xiong2023's radius: two logarithms and a root in each round.

    Only two arms' bounds change, so no look at all arms is needed.
    """
    mean, own, pulls, _ = state
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        arm = arms[i]
        rewards[i] = play_round(world, i, arm)
        pulls[arm] += 1
        mean[arm] += (rewards[i] - mean[arm]) / pulls[arm]
        own[arm] = math.sqrt(math.log(len(mean) * math.log(2 * pulls[arm]) + 1) / pulls[arm])
    return rewards


@jit
def floor_lucb_kl(world, arms, play_round, state, rng):
    """Do the work of KL-LUCB: every second round 2 logarithms, 3 roots of 4 logarithms each, a look at each arm."""
    mean, own, pulls, sink = state
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        arm = arms[i]
        if i % 2 == 0:
            level = math.log(405.5 * len(mean) * (world.first + i + 2.0) ** 1.1)
            level += math.log(level)
            for _ in range(3):
                sink[0] += upper_index(mean[arm], level / (pulls[arm] + 1), mean[arm])
            sink[0] += highest(mean, own, 0.0) + highest(mean, own, level)
        rewards[i] = play_round(world, i, arm)
        pulls[arm] += 1
        mean[arm] += (rewards[i] - mean[arm]) / pulls[arm]
        own[arm] = math.log(mean[arm] + 1e-9) * mean[arm] + (1 - mean[arm]) * math.log(1 + 1e-9 - mean[arm])
    return rewards


@jit
def floor_ccpe(world, arms, play_round, state, rng):
    """Do the work of CCPE-General: two logarithms per play, and some more every third round.

    Every third round takes a root, quotients, a count for each action, and a look at both bounds.
    """
    mean, own, pulls, sink = state
    rewards = np.empty(len(arms))
    reach = np.empty(len(mean))
    for i in range(len(arms)):
        arm = arms[i]
        rewards[i] = play_round(world, i, arm)
        pulls[arm] += 1
        if i % 3 == 0:
            more = math.log(math.log(2.0 * (world.first + i + 2.0)))
            for a in range(len(mean)):
                own[a] += rewards[i]
                reach[a] = math.sqrt((5.0 + more) / (pulls[a] + 1)) + own[a] / (pulls[a] + 1)
            sink[0] += highest(mean, reach, 1.0) + highest(mean, reach, -1.0)
        else:
            mean[arm] += (rewards[i] - mean[arm]) / pulls[arm]
            sink[0] += math.sqrt(math.log(len(mean) * math.log(2 * pulls[arm] + 1) + 1) / pulls[arm])
    return rewards


@dataclass(frozen=True)
class Replay:
    """Play given arms with the computations of the kernel."""

    plays: ClassVar[type] = object

    arms: Any
    kernel: Any
    play_round: Any
    state: Any

    def run(self, bandit, rounds, rng):
        done = 0
        for world in rounds:
            arms = self.arms[done : done + len(world.uniforms)]
            rounds.record(arms, self.kernel(world, arms, self.play_round, self.state, rng))
            done += len(arms)
        return {}


def betas(bandit):
    return np.ones(len(bandit.arms)), np.ones(len(bandit.arms))


def rates(bandit):
    n = len(bandit.arms)
    return np.full(n, 0.5), np.zeros(n), np.full(n, 0.6), np.zeros(1)


def bounds(bandit):
    n = len(bandit.arms)
    return np.full(n, 0.5), np.ones(n), np.ones(n), np.zeros(1)


def regressions(bandit):
    features = feature_vectors(bandit, True)
    n, d = len(bandit.arms), features.shape[-1]
    return features, np.tile(np.eye(d), (n, 1, 1)), np.zeros((n, d)), np.zeros(1)


def cases():
    """Yield name, policy, bandit, rounds of a run, limit, its state, and the function that plays a round."""
    scm, glm, linear = scm_worlds.play_round, glm_bandit.play_round, contextual.play_round
    for task, arms in (("frontdoor", 3), ("sixvar", 27)):
        bandit = build(task, family="uniform_cpt", draw=3).with_arms("brute_force")
        yield f"TS, {len(bandit.arms)} arms", Thompson(), bandit, 10_000, floor_thompson, betas, scm
        yield f"kl-UCB, {len(bandit.arms)} arms", KLUCB(), bandit, 10_000, floor_kl_ucb, rates, scm
        assert arms == len(bandit.arms), (task, len(bandit.arms))
    bandit = synthetic()
    for name, policy, floor in (
        ("LinUCB", LinUCB(), floor_lin_ucb),
        ("LinUCB-PCB", LinUCBPCB(), floor_lin_ucb),
        ("OAM", OAM(), floor_oam),
        ("OAM-PCB", OAMPCB(bounds_enter="arms"), floor_oam),
    ):
        yield f"{name}, {len(bandit.arms)} arms", policy, bandit, 15_000, floor, regressions, linear
    for bandit in (parallel(10, 0.01), all_settings(6)):
        n = len(bandit.arms)
        yield f"LUCB, {n} actions", LUCB(), bandit, 20_000, floor_lucb, bounds, glm
        yield (
            f"LUCB with xiong2023's radius, {n} actions",
            LUCB(bounds="xiong"),
            bandit,
            20_000,
            floor_lucb_own,
            bounds,
            glm,
        )
        yield f"KL-LUCB, {n} actions", LUCB(bounds="kl"), bandit, 20_000, floor_lucb_kl, bounds, glm
        yield f"CCPE-General, {n} actions", CCPEGeneral(), bandit, 20_000, floor_ccpe, bounds, glm


def seconds(policy, bandit, horizon):
    streams = generators(0, "limits", 0)
    start = time.process_time()
    run = play(policy, bandit, horizon, streams)
    return time.process_time() - start, run.arms


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5, help="runs of each (default: %(default)s)")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    chosen = parser.parse_args()
    print("| policy | us per round | limit | worlds alone | ratio |\n| --- | ---: | ---: | ---: | ---: |")
    for name, policy, bandit, horizon, floor, state, play_round in cases():
        if chosen.only not in name:
            continue
        _, arms = seconds(policy, bandit, horizon)  # compiled, or loaded from the cache
        rounds = len(arms)
        least = [math.inf] * 3
        for repetition in range(chosen.repetitions + 1):
            others = [Replay(arms, kernel, play_round, state(bandit)) for kernel in (floor, worlds_scm)]
            taken = [seconds(which, bandit, rounds)[0] / rounds * 1e6 for which in (policy, *others)]
            if repetition:  # the first compiles
                least = [min(pair) for pair in zip(least, taken, strict=True)]
        own, limit, worlds = least
        print(f"| {name} | {own:.3f} | {limit:.3f} | {worlds:.3f} | {own / limit:.2f} |", flush=True)


if __name__ == "__main__":
    main()
