"""Random contextual bandits with a sensitive attribute."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from strategies import positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.models.fair import FairBandit

NODES = ("S", "C", "X", "Z", "M", "N")


@st.composite
def fair_bandits(draw, descending=None, scale=1.0):
    """Users S and C, arms X and Z, mediators M and N, perhaps confounded; the reward weighs some of all six.

    ``descending``: whether C descends from S (then counterfactual means are not identifiable); None: either.
    ``scale``: of the rewards' weights; where it is large, bounds for rewards around [0, 1] are missed.
    """
    edges = [e for e in combinations(NODES, 2) if e not in {("S", "C"), ("X", "Z")} and draw(st.booleans())]
    order = draw(st.sampled_from(["S -> C", "C -> S", "none"])) if descending is None else descending
    if order in (True, "S -> C"):
        edges.append(("S", "C"))
    elif order == "C -> S":
        edges.append(("C", "S"))
    confounded = ("S", "C") not in edges and draw(st.booleans())  # bounds want a Markovian model
    graph = ADMG(edges, [("M", "N")] if confounded else [], NODES)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scm = positive_scm(graph, rng, max_states=3)
    while scm.cardinality("S") != 2:
        scm = positive_scm(graph, rng, max_states=3)
    rewarded = draw(st.lists(st.sampled_from(NODES), min_size=1, max_size=4, unique=True))
    weights = {v: float(scale * rng.uniform(-0.3, 0.3)) for v in rewarded}
    problem = FairBandit(
        scm, ("C", "S"), ("X", "Z"), weights, intercept=0.2, sd=0.1, sensitive="S", thresholds=(0.05, 0.2)
    )
    width = rng.uniform(0, 0.3, size=(2, *problem.means.shape))
    return problem.with_prior({"lower": problem.means - width[0], "upper": problem.means + width[1]})
