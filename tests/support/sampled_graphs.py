"""The joint table of a model as a table of counts."""

from itertools import product

import pandas as pd


def population(scm, n):
    """The joint table with n times each state's probability as its count (not rounded)."""
    nodes = scm.graph.nodes
    joint = scm.distribution(nodes)
    states = pd.DataFrame(list(product(*(range(k) for k in joint.shape))), columns=list(nodes))
    return states, n * joint.ravel()
