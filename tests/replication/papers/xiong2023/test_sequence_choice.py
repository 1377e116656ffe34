"""Which admissible sequence is taken decides q_a (ledger L185): all sequences on all small graphs."""

from itertools import chain, combinations, product

import numpy as np

from causal_bandits.graphs import ADMG
from causal_bandits.identification.admissible import (
    causal_orders,
    find_admissible_sequence,
    is_admissible_sequence,
)
from causal_bandits.models.binary_glm import BinaryGLM


def subsets(values, least=0):
    values = list(values)
    return chain.from_iterable(combinations(values, size) for size in range(least, len(values) + 1))


def unions(graph, treatment):
    """The covariates of every admissible sequence, all sets of one sequence together."""
    others = [v for v in graph if v != "Y" and v not in treatment]
    return {
        frozenset().union(*sets)
        for order in causal_orders(graph, treatment)
        for sets in product(list(subsets(others)), repeat=len(order))
        if is_admissible_sequence(graph, treatment=order, outcome="Y", covariates=sets)
    }


def least_probability(edges, caused, treatment, covariates, rng):
    """The q_a of Eq. 15 for each of several covariates, in one random model with the hidden cause U."""
    names = "UABCY"
    edges = [*edges, *(("U", v) for v in caused)]
    weights = {v: {a: float(rng.normal(0, 2)) for a, b in edges if b == v} for v in names[1:]}
    base = {v: float(rng.normal(0, 1)) for v in names}
    model = BinaryGLM(base, weights, dict.fromkeys(names, "logistic"), hidden=["U"])
    joint = model.to_scm().distribution(list("ABC"))
    out = []
    for z in covariates:
        kept = [*treatment, *sorted(z)]
        drop = tuple(i for i, v in enumerate("ABC") if v not in kept)
        order = [v for v in "ABC" if v in kept]
        table = joint.sum(axis=drop).transpose([order.index(v) for v in kept])
        out.append(table[(1,) * len(treatment)].min())
    return out


def test_another_sequence_can_have_a_larger_q():
    """Sequences with covariates that do not contain those that are taken; the more covariates, the smaller q_a."""
    rng, asked, several, factors = np.random.default_rng(0), 0, 0, []
    nodes = list("ABCY")
    for edges in subsets(combinations(nodes, 2)):
        for caused in ((), *subsets(nodes, 2)):
            graph = ADMG(edges, combinations(caused, 2), nodes)
            for treatment in subsets("ABC", 1):
                found = find_admissible_sequence(graph, treatment=frozenset(treatment), outcome="Y")
                if found is None or len(treatment) == 3:
                    continue
                taken = frozenset().union(*found.covariates)
                every = unions(graph, treatment)
                others = [z for z in every if not z >= taken]
                asked += 1
                several += len(every) > 1
                assert taken in every
                assert all(len(z) >= len(taken) for z in every)
                if others:
                    mine, *theirs = least_probability(edges, caused, treatment, [taken, *others], rng)
                    factors.append(max(theirs) / mine)
    assert (asked, several, len(factors)) == (2494, 1668, 32)
    assert max(factors) > 3
    assert sum(factor > 1 for factor in factors) >= 10
