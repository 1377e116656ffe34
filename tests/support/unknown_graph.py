"""Environments of Shahverdikondori, Etesami & Kiyavash 2026: random models whose graph no learner knows.

The law is that of the authors' public code. It was read there and written anew (ledger L218).
"""

from itertools import combinations, product

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM


def unknown_graph(nodes=8, causes=1, states=3, size=3, draw=0):
    """Build a random model without hidden causes, whose arms set exactly ``size`` variables.

    Each pair of variables in random order has an edge forward with probability 2 / n. P(X = . | pa) is
    0.3 b + 0.7 r_pa, where b of each variable and r_pa of each state of its parents are uniform on the simplex.
    P(Y=1 | pa) is uniform on [0, 1] for each state of the reward's parents, which are any of the variables.
    """
    rng = np.random.default_rng([nodes, causes, states, draw])  # not the size: the model is the same for all sizes
    names = [f"X{i}" for i in range(1, nodes + 1)]
    order = [names[i] for i in rng.permutation(nodes)]
    edges = [(a, b) for a, b in combinations(order, 2) if rng.random() < 2 / nodes]
    rewarding = sorted(names[i] for i in rng.choice(nodes, size=causes, replace=False))
    graph = ADMG([*edges, *((x, "Y") for x in rewarding)], nodes=[*names, "Y"])
    cpts = {}
    for x in names:
        own = sorted(graph.parents(x))
        base = rng.dirichlet(np.ones(states))
        cpts[x] = CPT(own, 0.3 * base + 0.7 * rng.dirichlet(np.ones(states), size=(states,) * len(own)))
    ones = rng.uniform(size=(states,) * causes)
    cpts["Y"] = CPT(rewarding, np.stack([1 - ones, ones], axis=-1))
    scm = DiscreteSCM(graph, cpts)
    arms = [
        dict(zip(chosen, values, strict=True))
        for chosen in combinations(names, size)
        for values in product(range(states), repeat=size)
    ]
    return SCMBandit(scm, "Y", arm_strategy=Arms(scm.variables, arms))
