"""Random models with identified effects, and how often the intervals of `Logs.effect` hold on samples of them."""

from itertools import combinations

import numpy as np

from causal_bandits.datasets import CountTable
from causal_bandits.graphs import ADMG
from causal_bandits.identification import NotIdentifiable, identify_conditional
from causal_bandits.logs import Logs
from causal_bandits.models import DiscreteSCM


def random_model(rng):
    """A random model with an identified effect that the treatment has: scm, treatment, outcome and context."""
    while True:
        nodes = [str(v) for v in rng.permutation(list("ABCDE"[: rng.integers(3, 6)]))]
        pairs = list(combinations(nodes, 2))
        graph = ADMG([p for p in pairs if rng.random() < 0.5], [p for p in pairs if rng.random() < 0.3], nodes)
        treatment, outcome = nodes[int(rng.integers(len(nodes) - 1))], nodes[-1]
        before = sorted(set(nodes) - graph.descendants(treatment) - {outcome})
        context = tuple(before[:1]) if before and rng.random() < 0.3 else ()
        if outcome not in graph.descendants(treatment) or not graph.bidirected:
            continue
        try:
            identify_conditional(graph, outcome=outcome, treatment=treatment, given=context)
        except NotIdentifiable:
            continue
        hidden = {f"U{a}{b}": (a, b) for a, b in sorted(graph.bidirected)}
        cpts = {}
        for v in [*hidden, *graph.nodes]:
            parents = [*(sorted(graph.parents(v)) if v in graph else ()), *(u for u in hidden if v in hidden[u])]
            share = rng.uniform(0.12, 0.88, size=(2,) * len(parents))
            cpts[v] = (parents, np.stack([1 - share, share], axis=-1))
        return DiscreteSCM(graph, cpts), treatment, outcome, context


def misses(model, rng, samples, records, **options):
    """The numbers of intervals that miss, that hold, and that are not given: of arms, and of their difference."""
    scm, treatment, outcome, context = model
    names = scm.graph.nodes
    joint = scm.distribution(names)
    contexts = [{v: s} for v in context for s in (0, 1)] or [{}]
    exact = np.array([[scm.expectation(outcome, {treatment: x}, c) for x in (0, 1)] for c in contexts])
    found = np.zeros((2, 3), dtype=int)
    for _ in range(samples):
        counts = rng.multinomial(records, joint.ravel()).reshape(joint.shape)
        table = CountTable({v: ("0", "1") for v in names}, counts)
        logs = Logs(table, scm.graph, treatment=(treatment,), outcome=outcome, context=context)
        effect = logs.effect(**options)
        change = effect.difference(1, 0)
        for row, (lower, upper, truth) in enumerate(
            [(effect.lower, effect.upper, exact), (change.lower, change.upper, exact[:, 1] - exact[:, 0])]
        ):
            given = ~np.isnan(lower)
            holds = given & (lower <= truth) & (truth <= upper)
            found[row] += (given & ~holds).sum(), holds.sum(), (~given).sum()
    return found
