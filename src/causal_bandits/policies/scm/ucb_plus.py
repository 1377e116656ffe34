"""UCB+ for a known number of reward parents: UCB on a random subset of interventions.

Without hidden causes, every intervention on m variables that sets all k parents of the reward to their best values is
optimal. So a fraction of at least 1 / N_k of these interventions is optimal, and N_k ln(T) / 2 of them drawn at random
include an optimal one with probability at least 1 - 1/sqrt(T). The steps are those of the authors' code; our results
were compared with those of that code (L218).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, Interval, constrained
from causal_bandits.compiled import inlined, jit
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds

#: The index of an arm without samples, by name.
UNPLAYED = {"infinite": math.inf, "one": 1.0}


class Interventions(NamedTuple):
    """The arms that UCB+ considers: those that set the most variables.

    Attributes
    ----------
    arms : int64 array
        Their indices among the bandit's arms, in the bandit's order.
    n, v, m : int
        The number of variables that an arm may set, the largest number of states of such a variable, and how many
        variables each of these arms sets.
    """

    arms: IntArray
    n: int
    v: int
    m: int

    @property
    def sets(self) -> int:
        """C(n, m), the number of sets of m variables."""
        return math.comb(self.n, self.m)


def largest_interventions(bandit: SCMBandit) -> Interventions:
    """Return the arms of ``bandit`` that set the most variables."""
    free = settable(bandit)
    sizes = np.diff(bandit.arms.compiled.start)
    most = int(sizes.max())
    states = max((bandit.scm.cardinality(v) for v in free), default=1)
    return Interventions(np.flatnonzero(sizes == most), len(free), states, most)


def settable(bandit: SCMBandit) -> list[str]:
    """List the variables that an arm may set."""
    return [v for v in bandit.scm.graph.nodes if v != bandit.reward and v not in bandit.non_manipulable]


def reward_parents(bandit: SCMBandit) -> int:
    """Count the reward's parents in the graph of the variables that an arm may set.

    Latent projection removes the other variables.
    """
    return len(bandit.scm.graph.latent_projection([*settable(bandit), bandit.reward]).parents(bandit.reward))


@dataclass(frozen=True)
@constrained
class UCBPlus:
    """Play UCB on a random subset of the largest interventions, for a known number of causes (UCB+).

    Use it for very many arms without a graph if you know k, the number of the reward's causes, and the horizon T. It
    assumes that there are no hidden causes and that all parents of the reward can be set.

    The paper's pseudo-code was not available; the steps are those of the authors' code (L215), with our numbering:

    1. Consider the arms that set the most variables, m of n. Play N = ceil(N_k ln(T) / 2) of them, where N_k = v^k C(n,
       k) / C(m, k) for v states, or all of them if there are fewer or k exceeds m.
    2. Draw N of these arms at random.
    3. In every round play the arm with the largest index, or of several the one that was drawn first. The index is the
       mean of the arm's N_a samples plus sqrt(alpha ln(T) / N_a).
    4. Count the reward for every drawn arm whose values agree with what was seen.

    Parameters
    ----------
    parents : int, optional
        k. None: the number in the bandit's graph, from which variables that cannot be set are left out
        (`reward_parents`, L272).
    alpha : float
        The factor of the logarithm in an index.
    divided : bool
        Whether alpha is divided by C(n, m), the number of sets of m variables.
    share : bool
        Whether a sample counts for every arm that agrees with it, rather than only for the arm played. Shared samples
        are biased for arms that do not set all parents of the reward (L216).
    subset : bool
        Whether a subset is drawn. If not, all arms of the bandit are played, including those that set fewer variables;
        without sharing, this is plain UCB.
    unplayed : str
        The index of an arm without samples (see `UNPLAYED`).

    References
    ----------
    Shahverdikondori, Etesami & Kiyavash 2026, "Graph Learning is Suboptimal in Causal Bandits" (arXiv 2510.16811).

    Examples
    --------
    >>> import numpy as np
    >>> from causal_bandits import SCMBandit, as_admg, generators
    >>> from causal_bandits.models import uniform_cpt
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import UCBPlus
    >>> scm = uniform_cpt(as_admg("dag { A -> Y ; B -> Y ; A -> C }"), np.random.default_rng(1))
    >>> bandit = SCMBandit(scm, "Y").with_arms("brute_force")
    >>> run = play(UCBPlus(parents=2), bandit, 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = SCMBandit
    constraints: ClassVar[Constraints] = {
        "parents": (None, Interval(0, math.inf, "left", integer=True)),
        "alpha": POSITIVE,
        "unplayed": tuple(UNPLAYED),
    }

    parents: int | None = 1
    alpha: float = 0.1
    divided: bool = True
    share: bool = True
    subset: bool = True
    unplayed: str = "infinite"

    def size(self, own: Interventions, horizon: int) -> int:
        """Return N, the number of arms that are played in ``horizon`` rounds.

        Parameters
        ----------
        own : Interventions
        horizon : int
            T >= 1.

        Raises
        ------
        ValueError
            If ``parents`` is None, since there is no bandit from which to read the number.
        """
        if self.parents is None:
            raise ValueError("parents=None: expected a number of parents")
        k, n, v, m = self.parents, own.n, own.v, own.m
        if not self.subset or k > m:
            return len(own.arms)
        wanted: float = v**k * math.comb(n, k) / math.comb(m, k) * math.log(horizon) / 2  # N_k ln(T) / 2
        return min(len(own.arms), max(1, math.ceil(wanted)))

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        own = largest_interventions(bandit)
        if not self.subset:
            own = own._replace(arms=np.arange(len(bandit.arms)))
        told = self if self.parents is not None else replace(self, parents=reward_parents(bandit))
        size = told.size(own, rounds.horizon)  # step 1
        # step 2
        arms = rng.permutation(own.arms)[:size]
        alpha = self.alpha / own.sets if self.divided else self.alpha
        indices = Indices(np.zeros(size), np.zeros(size), np.full(size, UNPLAYED[self.unplayed]))
        for world in rounds:
            rounds.record(*_play(world, arms, indices, alpha * math.log(rounds.horizon), self.share))
        return {}


class Indices(NamedTuple):
    """Sums of rewards, numbers of samples and indices; float64 arrays of shape (arms,)."""

    total: FloatArray
    samples: FloatArray
    value: FloatArray


@jit
def _play(world: SCMWorld, arms: IntArray, indices: Indices, spread: float, share: bool) -> tuple[IntArray, FloatArray]:
    n = len(world.uniforms)
    played, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(n):
        best = int(np.argmax(indices.value))  # step 3; of ties, the arm drawn first (L215)
        reward = play_round(world, i, arms[best])
        if share:  # step 4
            for a in range(len(arms)):
                if shows(world, arms[a]):
                    _add(indices, a, reward, spread)
        else:
            _add(indices, best, reward, spread)
        played[i], rewards[i] = arms[best], reward
    return played, rewards


@inlined
def shows(world: SCMWorld, arm: int) -> bool:
    """Return whether, in the last round played, each variable that ``arm`` sets had the state that it sets.

    ``world.values`` holds the states of that round. do() sets nothing, so every round agrees with it.
    """
    same = True
    for entry in range(world.arms.start[arm], world.arms.start[arm + 1]):
        same = same and world.values[world.arms.variable[entry]] == world.arms.state[entry]
    return same


@inlined
def _add(indices: Indices, a: int, reward: float, spread: float) -> None:
    indices.total[a] += reward
    indices.samples[a] += 1
    indices.value[a] = indices.total[a] / indices.samples[a] + math.sqrt(spread / indices.samples[a])
