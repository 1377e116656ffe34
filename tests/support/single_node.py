"""Random single-node bandits that several test modules share."""

import numpy as np
from hypothesis import strategies as st

from replication.papers.lu2021.problems import assumed, tree
from replication.papers.lu2021.shapes import chordal


@st.composite
def copying_bandits(draw, max_nodes=7):
    """A random tree or chordal DAG whose model holds the assumptions with small constants."""
    n, rng = draw(st.integers(1, max_nodes)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["interval", "clique_tree", "nested"]))
    states = draw(st.integers(2, 3))
    return assumed(chordal(n, kind, draw(st.integers(2, 3)), rng), rng, states, epsilon=0.1, reward_gap=0.1)


def small_tree(draw):
    """Eight nodes with three states."""
    return tree(8, draw=draw, epsilon=0.2, reward_gap=0.3)
