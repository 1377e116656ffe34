"""Compute the bounds of lu2021's theorems."""

from __future__ import annotations

from math import exp, log2, pi, sqrt

from scipy.integrate import quad
from scipy.special import ndtr

from causal_bandits.policies.single_node.explore_ends import plays_of_each


def minimax(nodes: float, states: int, horizon: int) -> float:
    """Compute Eq. 4, sqrt(nKT) / 8: allegedly, no policy has less regret on all instances of the proofs.

    This is true of policies that see only rewards, as in the proof. A policy that is given the essential graph, like
    the paper's learners, can have less regret on all of them (`regret_at_the_ends`, E45).
    """
    return sqrt(nodes * states * horizon) / 8


def needle(nodes: float, states: int, horizon: int) -> float:
    """Compute the mean reward, sqrt(nK / T) / 4, of the only arm with a reward in each instance.

    The instances are those of Theorems 4 and 5.
    """
    return sqrt(nodes * states / horizon) / 4


def regret_at_the_ends(nodes: int, states: int, horizon: int, explored: float) -> float:
    """Compute the exact expected regret of `ExploreEnds` on instances of Theorems 4 and 5.

    The policy is `causal_bandits.policies.ExploreEnds`. X_R is at an end of the path, so the one good arm is among the
    2K arms of both ends. Each of these is played m times, and then the best for the rest of the run. The good arm has
    the largest sample mean with probability E[Phi(Z + Delta sqrt(m)) ^ (2K - 1)], with Z standard normal; nothing else
    is random.

    Parameters
    ----------
    nodes, states, horizon : int
        n >= 2, K and T.
    explored : float
        Share of the rounds spent exploring.
    """
    arms, gap = 2 * states, needle(nodes, states, horizon)
    times = plays_of_each(horizon, arms, explored)
    shift = gap * sqrt(times)
    best, _ = quad(lambda z: exp(-(z**2) / 2) / sqrt(2 * pi) * ndtr(z + shift) ** (arms - 1), -10, 10)
    return gap * ((arms - 1) * times + (horizon - arms * times) * (1 - best))


def lemma_1(nodes: int, degree: int) -> float:
    """Bound the number of variables that stages 1 and 2 intervene on, by Lemma 1: (2 + d) log2 n."""
    return (2 + degree) * log2(nodes)


def theorem_3(nodes: int, clique: int, degree: int) -> float:
    """Bound the number of variables that stages 1 and 2 intervene on in one chain component, by Theorem 3.

    Parameters
    ----------
    nodes : int
        n.
    clique, degree : int
        omega(G), and d(T_G), the degree of the junction tree.
    """
    return log2(nodes) * (2 + degree) * clique
