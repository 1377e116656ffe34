"""Random campaigns: users with a sensitive attribute, arms with features, and one reward."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.fair import FairBandit
from causal_bandits.problems.construction.arena.beliefs import generator

#: Users by three attributes, S the sensitive one; arms by three features; what both change; what the reward counts.
USERS, FEATURES, CAUSES, COUNTED = ("S", "X1", "X2"), ("A1", "A2", "A3"), ("K1", "K2"), ("M1", "M2", "M3", "M4")
#: The standard deviation of the reward's noise, as in huang2022's tasks.
NOISE = 0.1


def fair(sway: float, draw: int = 0) -> FairBandit:
    """Draw a random contextual bandit with a sensitive attribute: 8 users, 8 arms, all variables binary.

    Attributes of users are independent of each other. Each of K1 and K2 has every attribute and every feature as a
    cause with probability 1/2, but at least one feature; S is a cause of K1 always. Each of M1 to M4 has K1, K2 and one
    feature as causes with probabilities 3/4, 3/4 and 1/4, but at least one of K1 and K2. The reward is a weighted mean
    of the M, with noise. Edges, tables and weights are drawn anew for each draw (L262).

    Parameters
    ----------
    sway : float
        In [0, 1], how much S decides where it is a cause: P(K = 1 | causes) = (1 - sway) q + sway r, with a number
        q for each state of the other causes, and r for each state of all. They are Beta(1/2, 1/2).
    draw : int

    Raises
    ------
    ValueError
        If ``sway`` is not in [0, 1].
    """
    if not 0 <= sway <= 1:
        raise ValueError(f"sway={sway}: expected 0 to 1")
    rng = generator("fair", draw)
    shares = rng.uniform(0.3, 0.7, size=len(USERS))
    cpts = {v: _binary((), np.asarray(share)) for v, share in zip(USERS, shares, strict=True)}
    cpts |= {v: _binary((), np.asarray(0.5)) for v in FEATURES}
    for number, v in enumerate(CAUSES):
        users = [x for x in USERS[1:] if rng.random() < 0.5]
        swayed = rng.random() < 0.5 or number == 0
        parents = (*users, *_some(rng, FEATURES, 0.5))
        apart, together = (rng.beta(0.5, 0.5, size=(2,) * (len(parents) + more)) for more in (1, 0))
        one = (1 - sway) * together + sway * apart if swayed else together
        cpts[v] = _binary(("S", *parents) if swayed else parents, one)
    for v in COUNTED:
        parents = _some(rng, CAUSES, 0.75)
        if rng.random() < 0.25:
            parents = (*parents, FEATURES[rng.integers(len(FEATURES))])
        cpts[v] = _binary(parents, rng.beta(0.5, 0.5, size=(2,) * len(parents)))
    graph = ADMG([(parent, v) for v, cpt in cpts.items() for parent in cpt.parents], nodes=cpts)
    scm = DiscreteSCM(graph, cpts)
    weights = dict(zip(COUNTED, rng.dirichlet(np.ones(len(COUNTED))).tolist(), strict=True))
    return FairBandit(scm, USERS, FEATURES, weights, sd=NOISE, sensitive="S")


def _binary(parents: tuple[str, ...], one: FloatArray) -> CPT:
    return CPT(parents, np.stack([1 - one, one], axis=-1))


def _some(rng: np.random.Generator, names: tuple[str, ...], share: float) -> tuple[str, ...]:
    """Take each name with a probability; if none is taken, any one of them."""
    taken = tuple(name for name in names if rng.random() < share)
    return taken or (names[rng.integers(len(names))],)
