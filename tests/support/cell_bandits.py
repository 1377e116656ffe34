"""Bandits with arms do(X = x), a variable Z and the reward Y, for what pools rounds by the states of Z."""

import numpy as np

from causal_bandits.graphs import ADMG
from causal_bandits.models import CPT, DiscreteSCM, SCMBandit
from causal_bandits.models.arms import Arms

NAMED = ("Z",)


def chain(rows, means):
    """P(z | x) by rows, and E[Y | z]: Z separates the arms from Y."""
    return _bandit(ADMG([("X", "Z"), ("Z", "Y")]), rows, ("Z",), means)


def direct(rows, means):
    """P(z | x) by rows, and E[Y | x, z] by rows: Z does not separate them."""
    return _bandit(ADMG([("X", "Z"), ("Z", "Y"), ("X", "Y")]), rows, ("X", "Z"), means)


def _bandit(graph, rows, parents, means):
    rows, means = np.asarray(rows, dtype=float), np.asarray(means, dtype=float)
    arms = len(rows)
    scm = DiscreteSCM(
        graph,
        {
            "X": CPT((), np.full(arms, 1 / arms)),
            "Z": CPT(("X",), rows),
            "Y": CPT(parents, np.stack([1 - means, means], axis=-1)),
        },
    )
    return SCMBandit(scm, "Y", arm_strategy=Arms(scm.variables, [{"X": x} for x in range(arms)]))
