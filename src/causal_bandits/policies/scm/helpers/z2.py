"""Code shared by z2-TS and z2-kl-UCB (lee2019, Algorithm 3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

from causal_bandits.checks import NOT_NEGATIVE, Constraints, Interval, constrained
from causal_bandits.compiled import kernel
from causal_bandits.estimation.compiled_expressions import CompiledEstimators, compile_estimators, reward_estimators
from causal_bandits.estimation.minimum_variance import SOLVERS
from causal_bandits.estimation.mvwa import METHODS, Averages, new_averages
from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.estimators import COLLECTIONS, PRINTED, Search, expressions_among
from causal_bandits.identification.expression import SUPPORTS
from causal_bandits.identification.z2id import TRIED
from causal_bandits.models.bandit import SCMBandit

#: The smallest variance allowed: if all replicates agreed, an average would otherwise be infinitely precise.
LEAST_VARIANCE = 1e-12


class Sharing(NamedTuple):
    """The state of a run: the arms' estimators from each other's samples, and their averages.

    ``method`` is a value of `causal_bandits.estimation.mvwa.METHODS`.
    """

    estimators: CompiledEstimators
    averages: Averages
    method: int | None


@dataclass(frozen=True)
@constrained
class Z2Policy:
    """Hyper-parameters of the algorithms that share samples between arms.

    Parameters
    ----------
    replicates : int
        B, the number of bootstrap replicates; ``delta`` uses none.
    averaging : str
        How the covariance of an arm's estimators is estimated: a key of `causal_bandits.estimation.mvwa.METHODS`.
    collections, tried : str
        Which experiments z2ID derives expressions from, and how: see `causal_bandits.identification.estimators.Search`
        (ledger L08). With ``collections="none"``, only the trivial estimator is averaged (ledger L72).
    support : str
        What must have been observed before an expression is used (ledger L10).
    solver : str
        What finds the weights: a key of `causal_bandits.estimation.minimum_variance.SOLVERS` (ledger L14).
    tolerance : float
        Where the solver stops; ``exact`` uses none.
    """

    constraints: ClassVar[Constraints] = {
        "replicates": Interval(2, math.inf, "left", integer=True),  # a covariance needs two
        "averaging": tuple(METHODS),
        "collections": COLLECTIONS,
        "tried": tuple(TRIED),
        "support": SUPPORTS,
        "solver": tuple(SOLVERS),
        "tolerance": NOT_NEGATIVE,
    }

    replicates: int = 500
    averaging: str = "online_bootstrap"
    collections: str = "all"
    tried: str = "maximal"
    support: str = "values"
    solver: str = "exact"
    tolerance: float = 0.0

    @property
    def search(self) -> Search:
        """Which expressions z2ID derives."""
        return Search(self.collections, self.tried)

    def sharing(self, bandit: SCMBandit) -> Sharing:
        """Create the state before the first sample of a bandit's arms."""
        return self.start(estimators_of(bandit, self.search, self.support))

    def start(self, estimators: CompiledEstimators) -> Sharing:
        """Create the state before the first sample."""
        method = METHODS[self.averaging]
        averages = new_averages(estimators, method, self.replicates, SOLVERS[self.solver], float(self.tolerance))
        return Sharing(estimators, averages, method)


def estimators_of(problem: SCMBandit, search: Search = PRINTED, support: str = "values") -> CompiledEstimators:
    """Compile, for each arm, z2ID's estimators from samples of other arms (Algorithm 3, lines 2 to 4).

    ``support`` states what an estimator needs before it is used (see `Expression.cells`). The result depends on the
    diagram, the arms and the numbers of states, not on the parameters; a process that plays many seeds computes it
    once.
    """
    scm = problem.scm
    observed = tuple((v, scm.cardinality(v)) for v in scm.variables if v not in scm.hidden)
    arms = tuple(tuple(sorted(arm.items())) for arm in problem.arms)
    return _compiled(scm.graph, problem.reward, arms, tuple(scm.variables), observed, search, support)


def among(
    graph: ADMG,
    reward: str,
    arms: Sequence[Mapping[str, int]],
    sizes: Mapping[str, int],
    search: Search = PRINTED,
    support: str = "values",
) -> CompiledEstimators:
    """Compile the estimators of arms on a graph whose variables have these numbers of states, in their order."""
    assignments = tuple(tuple(sorted(arm.items())) for arm in arms)
    return _compiled(graph, reward, assignments, tuple(sizes), tuple(sizes.items()), search, support)


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
    expressions = expressions_among(graph, assignments, outcome=reward, search=search)
    estimators = reward_estimators(expressions, assignments, reward, cardinality)
    return compile_estimators(estimators, assignments, variables, cardinality, support)


@kernel
def proper(mean: float, variance: float) -> tuple[float, float, bool]:
    """Convert an average to the mean and variance of a Beta distribution of weight at least 1 (ledger L13).

    An average of estimators may lie outside [0, 1], or have a variance that no distribution on [0, 1] with its mean can
    have. A Beta distribution with this mean and variance has alpha + beta = mean (1 - mean) / variance - 1. If this sum
    is below 1, the mean moves to the nearer of eta and 1 - eta, with eta (1 - eta) = 2 variance, for which the sum is
    1.

    Parameters
    ----------
    mean : float
    variance : float
        At most 1/12, the variance of the trivial estimator without samples; so eta < 1/2 exists.

    Returns
    -------
    mean, variance : float
    clipped : bool
        Whether either had to change.
    """
    possible = max(variance, LEAST_VARIANCE)
    eta = 4.0 * possible / (1.0 + math.sqrt(1.0 - 8.0 * possible))
    within = min(max(mean, eta), 1.0 - eta)
    return within, possible, within != mean or possible != variance
