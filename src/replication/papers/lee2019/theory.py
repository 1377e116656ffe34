"""Test what lee2019 defines and proves: its literal projection, and Theorems 4 and 5 on random models (L195)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, product
from math import inf

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import InterventionSets, brute_force, possibly_optimal_intervention_sets
from causal_bandits.identification.estimators import Search, expressions_among
from causal_bandits.identification.expression import Expression, JointTable
from causal_bandits.identification.z2id import TRIED
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from causal_bandits.problems.lee2019 import build
from experiments.results import Results
from replication.judging.claims import Printed, check
from replication.judging.judges import Judgement, judge_exact
from replication.papers.lee2019.policies import FAMILIES


def literal_projection(graph: ADMG, keep: Collection[str]) -> ADMG:
    """Return the latent projection with item 2 of its definition taken literally (ledger E20).

    Bidirected edges come only from confounders in the diagram, not from the noise of variables that are marginalised
    out.
    """

    def reached(ends: Iterable[str]) -> set[str]:
        found, pending = set(), list(ends)
        while pending:
            node = pending.pop()
            found |= {node} & set(keep)
            pending += [] if node in keep else graph.children(node)
        return found

    directed = {(a, b) for a in keep for b in reached(graph.children(a))}
    bidirected = {pair for edge in graph.bidirected for pair in combinations(sorted(reached(edge)), 2)}
    return ADMG(directed, bidirected, keep)


#: Exact means and probabilities that differ by less are equal up to rounding.
ROUNDING = 1e-9


@check
def theorem_4(printed: Printed, results: Results, *, draws: int) -> Judgement:
    """Judge how often some arm beats all possibly-optimal arms of the projection.

    In each of the three diagrams, every set of variables is tried as N, the variables that cannot be set, on the exact
    means of ``draws`` random models per family. Theorem 4 says that this never happens, and that each of the sets is
    best in some model. The reason says for how many sets such a model was found; random models need not include one.
    """
    violations = cases = models = 0
    met: set[tuple[str, frozenset[str], frozenset[str]]] = set()
    stated = set()
    for task, graph in GRAPHS.items():
        sets = {fixed: projected_pomis(graph, fixed) for fixed in brute_force(graph, outcome="Y")}
        stated |= {(task, fixed, chosen) for fixed, found in sets.items() for chosen in found}
        for scm in _models(task, draws):
            models += 1
            best = {chosen: best_mean(scm, chosen) for chosen in sets}
            for fixed, pomis in sets.items():
                cases += 1
                violations += (
                    max(best[chosen] for chosen in best if not chosen & fixed)
                    > max(best[chosen] for chosen in pomis) + ROUNDING
                )
                met |= {(task, fixed, chosen) for chosen in pomis if _is_alone(chosen, pomis, best)}
    why = f"{cases} pairs of a model and an N; {len(met)} of {len(stated)} sets are uniquely best in some model"
    return replace(judge_exact(printed.value, str(violations)), n=models, reason=why)


def projected_pomis(graph: ADMG, fixed: Iterable[str]) -> InterventionSets:
    """Return the unconstrained POMISs of the projection onto the manipulable variables.

    They are the right-hand side of Theorem 4.
    """
    return possibly_optimal_intervention_sets(graph.latent_projection(set(graph) - set(fixed)), outcome="Y")


def best_mean(scm: DiscreteSCM, chosen: frozenset[str]) -> float:
    """Return the largest expected reward over the values of an intervention set."""
    names = sorted(chosen)
    states = product(*(range(scm.cardinality(name)) for name in names))
    return max(float(scm.expectation("Y", do=dict(zip(names, values, strict=True)))) for values in states)


def _is_alone(chosen: frozenset[str], pomis: InterventionSets, best: dict[frozenset[str], float]) -> bool:
    """Return whether a set is better than all others."""
    return best[chosen] > max((best[other] for other in pomis if other != chosen), default=-inf) + ROUNDING


@check
def theorem_5(printed: Printed, results: Results, *, draws: int) -> Judgement:
    """Judge the number of expressions from z2ID, over the three tasks, that differ from the arm's distribution.

    Each is computed from exact distributions of ``draws`` random models per family and compared with the exact effect
    at all values; an expression that differs in any model counts. The expressions are those from both orders in which
    line 6 may try experiments (ledger L08).
    """
    wrong = total = models = 0
    for task, graph in GRAPHS.items():
        sets = possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=NON_MANIPULABLE[task])
        searches = [expressions_among(graph, sets, outcome="Y", search=Search(tried=tried)) for tried in TRIED]
        cases = list(dict.fromkeys((chosen, e) for found in searches for chosen in sets for e in found[chosen][1:]))
        worlds = [(scm, _tables(scm, sets)) for scm in _models(task, draws)]
        models, total = models + len(worlds), total + len(cases)
        wrong += sum(any(misses(e, scm, tables, chosen) for scm, tables in worlds) for chosen, e in cases)
    why = f"{total} expressions on {models // len(GRAPHS)} random models of each diagram"
    return replace(judge_exact(printed.value, str(wrong)), n=models, reason=why)


def misses(
    expression: Expression, scm: DiscreteSCM, tables: dict[frozenset[str], JointTable], chosen: frozenset[str]
) -> bool:
    """Return whether an expression differs from P(y | do(chosen)) for some value of its arguments."""
    value, names = expression.evaluate(tables), expression.arguments
    for states in product(*(range(scm.cardinality(name)) for name in sorted(chosen))):
        do = dict(zip(sorted(chosen), states, strict=True))
        exact = scm.distribution(["Y"], do)
        at = value[tuple(do.get(name, slice(None)) for name in names)]
        axis = [name for name in names if name not in do].index("Y")
        if not np.allclose(np.moveaxis(at, axis, -1), exact, rtol=0, atol=ROUNDING):
            return True
    return False


def _tables(scm: DiscreteSCM, sets: Iterable[frozenset[str]]) -> dict[frozenset[str], JointTable]:
    """Tabulate the exact joint distribution under each intervention set, with axes in the order of the nodes."""
    nodes, tables = scm.graph.nodes, {}
    for chosen in sets:
        table = np.empty([scm.cardinality(name) for name in nodes])
        rest = [name for name in nodes if name not in chosen]
        for states in product(*(range(scm.cardinality(name)) for name in sorted(chosen))):
            do = dict(zip(sorted(chosen), states, strict=True))
            table[tuple(do.get(name, slice(None)) for name in nodes)] = scm.distribution(rest, do)
        tables[chosen] = JointTable(nodes, table)
    return tables


def _models(task: str, draws: int) -> Iterator[DiscreteSCM]:
    return (build(task, family=family, draw=draw).scm for family in FAMILIES for draw in range(draws))
