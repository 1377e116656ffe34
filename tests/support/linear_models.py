"""Small linear structural equation models for tests."""

from causal_bandits.graphs import ADMG
from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit


def layered(width, layers, rows, reward_rows):
    """Layers of ``width`` variables, each a child of all in the layer before; uniform noise.

    ``rows`` and ``reward_rows`` hold the weight of every parent without and with an intervention. All variables but the
    first layer's can be intervened on.
    """
    names = [[f"X{layer}{i}" for i in range(width)] for layer in range(layers)]
    parents = {v: names[layer - 1] for layer in range(1, layers) for v in names[layer]} | {"Y": names[-1]}
    both = [
        {v: dict.fromkeys(own, (reward_rows if v == "Y" else rows)[k]) for v, own in parents.items()} for k in (0, 1)
    ]
    return LinearSEMBandit(LinearSEM({**{v: {} for v in names[0]}, **both[0]}, both[1], noise="uniform"))


def random_sem(rng, nodes, degree=3, scale=1.0, noise="normal"):
    """X1, ..., in random causal order with up to ``degree`` parents each, and Y; about half can be intervened on."""
    names = [f"X{i}" for i in rng.permutation(nodes)] + ["Y"]
    first, second, constants = {}, {}, ({}, {})
    for i, v in enumerate(names):
        own = [names[j] for j in rng.permutation(i)[: rng.integers(min(i, degree) + 1)]]
        first[v] = {p: float(rng.normal()) for p in own}
        constants[0][v] = float(rng.normal())
        if rng.random() < 0.6:
            second[v], constants[1][v] = {p: float(rng.normal()) for p in own}, float(rng.normal())
    return LinearSEM(first, second, constants, noise, scale)


def believed_otherwise(sem, rng):
    """Parents as somebody may believe who has another causal order in mind."""
    order = [v for v in rng.permutation(sem.variables).tolist() if v != "Y"] + ["Y"]
    beliefs = {v: [p for p in order[:i] if rng.random() < 0.5] for i, v in enumerate(order)}
    return ADMG([(p, v) for v, own in beliefs.items() for p in own], nodes=order), beliefs
