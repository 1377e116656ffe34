"""The compiled estimators of a bandit's arms (lee2019, Algorithm 3, lines 2 to 4)."""

from __future__ import annotations

from functools import lru_cache

from causal_bandits.estimation.compiled_expressions import CompiledEstimators, compile_estimators, reward_estimators
from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.estimators import PRINTED, Search, expressions_among
from causal_bandits.models.bandit import SCMBandit


def estimators_of(problem: SCMBandit, search: Search = PRINTED, support: str = "values") -> CompiledEstimators:
    """Compile the estimators that z2ID finds for each arm from samples of the other arms.

    ``support`` is what an estimator needs before it counts, see `Expression.cells`. The result depends on the diagram,
    the arms and the numbers of states, not on the parameters; a process that plays many seeds computes it once.
    """
    scm = problem.scm
    observed = tuple((v, scm.cardinality(v)) for v in scm.variables if v not in scm.hidden)
    arms = tuple(tuple(sorted(arm.items())) for arm in problem.arms)
    return _compiled(scm.graph, problem.reward, arms, tuple(scm.variables), observed, search, support)


@lru_cache(maxsize=32)
def _compiled(
    graph: ADMG,
    reward: str,
    arms: tuple[tuple[tuple[str, int], ...], ...],
    variables: tuple[str, ...],
    observed: tuple[tuple[str, int], ...],
    search: Search,
    support: str,
) -> CompiledEstimators:
    assignments, cardinality = [dict(arm) for arm in arms], dict(observed)
    expressions = expressions_among(graph, reward, assignments, search)
    estimators = reward_estimators(expressions, assignments, reward, cardinality)
    return compile_estimators(estimators, assignments, variables, cardinality, support)
