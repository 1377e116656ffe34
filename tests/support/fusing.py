"""Bandits whose arms can, or cannot, share samples."""

from functools import partial

import numpy as np
from estimation_samples import pool
from hypothesis import strategies as st
from strategies import positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.models import FAMILIES, SCMBandit
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE

#: All variables binary, no probability near 0: the support of expressions is covered after few rounds.
even_handed = partial(positive_scm, max_states=2)


@st.composite
def fusing_bandits(draw):
    """A random bandit where some arm has an expression beside the trivial one."""
    graph, fixed = draw(st.sampled_from(pool()))
    family = draw(st.sampled_from([even_handed, even_handed, *FAMILIES.values()]))
    scm = family(graph, np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
    return SCMBandit(scm, "Y", fixed, "possibly_optimal")


def even_handed_task(task):
    """One of lee2019's problems with such parameters."""
    scm = even_handed(GRAPHS[task], np.random.default_rng(1))
    return SCMBandit(scm, "Y", NON_MANIPULABLE[task], "possibly_optimal")


def confounded_pair():
    """X -> Y with a confounder: neither do() nor do(X) says anything of the other."""
    graph = ADMG([("X", "Y")], [("X", "Y")])
    return SCMBandit(FAMILIES["uniform_cpt"](graph, np.random.default_rng(3)), "Y", frozenset(), "possibly_optimal")
