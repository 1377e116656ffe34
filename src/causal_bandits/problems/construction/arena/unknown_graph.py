"""The environments of Shahverdikondori, Etesami & Kiyavash 2026.

They are random models whose graph no learner knows.

The law is that of the authors' public code. It was read there and written anew (ledger L218).
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.problems.construction.arena.beliefs import generator
from causal_bandits.problems.construction.arena.diagrams import REWARD, numbered


def unknown_graph(
    nodes: int = 8,
    causes: int = 1,
    states: int = 3,
    size: int = 3,
    effect: float = 0.7,
    density: float = 2.0,
    draw: int = 0,
) -> SCMBandit:
    """Build a random model without hidden causes.

    Arms set exactly ``size`` variables, so the best arm is among them.

    Each pair of variables in random order has an edge forward with probability ``density`` / n. P(X = . | pa) is
    (1 - effect) b + effect r_pa, where b of each variable and r_pa of each state of its parents are uniform on the
    simplex. P(Y=1 | pa) is uniform on [0, 1] for each state of the reward's parents, which are any of the variables.

    Parameters
    ----------
    nodes, causes, states, size : int
        n variables with v states each; k of them are the reward's parents; m, how many an arm sets; k, m <= n.
    effect : float
        In [0, 1].
    density : float
        In [0, n].
    draw : int

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if not (1 <= size <= nodes and 0 <= causes <= nodes and states >= 2):
        raise ValueError(
            f"nodes={nodes}, causes={causes}, states={states}, size={size}: expected 0 to {nodes} causes, at least "
            f"2 states, and arms of size 1 to {nodes}"
        )
    if not (0 <= effect <= 1 and 0 <= density <= nodes):
        raise ValueError(f"effect={effect}, density={density}: expected in [0, 1] and in [0, {nodes}]")
    names = numbered(nodes)
    options = (nodes, causes, states, effect, density)  # not the size: the model is the same for all sizes
    rng = generator("unknown_graph", draw, *options)
    order = [names[i] for i in rng.permutation(nodes)]
    edges = [(a, b) for a, b in combinations(order, 2) if rng.random() < density / nodes]
    rewarding = sorted(names[i] for i in rng.choice(nodes, size=causes, replace=False))
    graph = ADMG([*edges, *((x, REWARD) for x in rewarding)], nodes=[*names, REWARD])
    cpts = {}
    for x in names:
        own = sorted(graph.parents(x))
        base = rng.dirichlet(np.ones(states))
        cpts[x] = CPT(own, (1 - effect) * base + effect * rng.dirichlet(np.ones(states), size=(states,) * len(own)))
    ones = rng.uniform(size=(states,) * causes)
    cpts[REWARD] = CPT(rewarding, np.stack([1 - ones, ones], axis=-1))
    scm = DiscreteSCM(graph, cpts)
    arms = [
        dict(zip(chosen, values, strict=True))
        for chosen in combinations(names, size)
        for values in product(range(states), repeat=size)
    ]
    return SCMBandit(scm, REWARD, arm_strategy=Arms(scm.variables, arms))


def rival_search(bandit: SCMBandit, rounds: int, samples: int = 922) -> float:
    """Return the exact expected regret of the first ``rounds`` rounds of RAPS as the authors' code has it.

    It draws a variable at random and plays each of its states ``samples`` = ceil(ln(10) / 0.05^2) times, one after the
    other, before it looks at any result. So nothing has to be simulated as long as the rounds end before that.

    Parameters
    ----------
    bandit : SCMBandit
        With arms on ``size`` variables; RAPS plays arms on one variable, and is held against the best of these arms.
    rounds, samples : int

    Raises
    ------
    ValueError
        If the rounds do not end with the first variable.
    """
    variables = [x for x in bandit.scm.graph.nodes if x != bandit.reward]
    states = bandit.scm.cardinality(variables[0])
    if rounds > samples * states:
        raise ValueError(f"rounds={rounds}: expected at most {samples * states}, the rounds of the first variable")
    played = [min(samples, max(0, rounds - s * samples)) for s in range(states)]
    regret = 0.0
    for s, times in enumerate(played):
        arms = Arms(bandit.scm.variables, [{x: s} for x in variables])
        regret += times * (bandit.optimal_mean - float(bandit.with_arms(arms).means.mean()))
    return regret
