"""Random instances that several test modules share."""

import numpy as np
from hypothesis import strategies as st

from causal_bandits.graphs import ADMG
from causal_bandits.models import ARM_STRATEGIES, FAMILIES, SCMBandit

NAMES = ("A", "B", "C", "D", "E", "F", "Y")


@st.composite
def admgs(draw, min_nodes=2, max_nodes=7, names=NAMES):
    """Random ADMGs that always hold Y; every pair has a directed edge, a bidirected edge, both or neither."""
    size = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations([*names[: size - 1], "Y"]))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    kinds = draw(st.lists(st.integers(0, 7), min_size=len(pairs), max_size=len(pairs)))
    directed = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (0, 1, 2)]
    bidirected = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (2, 3)]
    return ADMG(directed, bidirected, nodes=order)


@st.composite
def admgs_with_constraints(draw, **sizes):
    """A random ADMG and a random set of non-manipulable variables."""
    graph = draw(admgs(**sizes))
    others = [node for node in graph if node != "Y"]
    return graph, frozenset(draw(st.lists(st.sampled_from(others), unique=True)))


@st.composite
def bandits(draw, max_nodes=4):
    """A random bandit: diagram, constraint, parameters and arm strategy."""
    graph, fixed = draw(admgs_with_constraints(max_nodes=max_nodes))
    family = FAMILIES[draw(st.sampled_from(sorted(FAMILIES)))]
    scm = family(graph, np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
    return SCMBandit(scm, "Y", fixed, draw(st.sampled_from(sorted(ARM_STRATEGIES))))
