"""The structural causal bandit on models with too many joint states to sum over.

Networks built by experts are such models. Means come from contracted tables, as in `DiscreteSCM.distribution`, with one
contraction for all arms that set the same variables. The cost of a contraction grows with the widest table that has to
be built, not with the number of joint states of the model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import product

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.contraction import contract
from causal_bandits.models.discrete_scm import DiscreteSCM


class WideSCMBandit(SCMBandit):
    """An SCM bandit that computes means without the joint distribution; all else is as in `SCMBandit`.

    Regret is measured against the best of all interventions on manipulable variables, whatever the arms are: one of the
    possibly optimal sets of the model's own graph attains it (Lee & Bareinboim 2019, Theorem 4).
    """

    @cached_property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        return arm_means(self.scm, self.arms, self.reward)

    @cached_property
    def optimal_mean(self) -> float:
        """Largest expected reward of all interventions on manipulable variables."""
        sets = possibly_optimal_intervention_sets(
            self.scm.graph, outcome=self.reward, non_manipulable=self.non_manipulable
        )
        return max(float(set_means(self.scm, chosen, self.reward).max()) for chosen in sets)


def arms_on(scm: DiscreteSCM, sets: Iterable[Collection[str]]) -> Arms:
    """List all assignments to each of the sets, ordered by set size, then by name."""
    ordered = sorted((tuple(sorted(chosen)) for chosen in sets), key=lambda names: (len(names), names))
    return Arms(
        scm.variables,
        [
            dict(zip(chosen, values, strict=True))
            for chosen in ordered
            for values in product(*(range(scm.cardinality(v)) for v in chosen))
        ],
    )


def arm_means(scm: DiscreteSCM, arms: Arms, reward: str) -> FloatArray:
    """Compute E[reward | do(arm)] for every arm exactly, shape (arms,).

    Parameters
    ----------
    scm : DiscreteSCM
    arms : Arms
    reward : str
        Its states count as their indices, as in `DiscreteSCM.expectation`.
    """
    tables: dict[tuple[str, ...], FloatArray] = {}
    means = np.empty(len(arms))
    for number, arm in enumerate(arms):
        chosen = tuple(sorted(arm))
        if chosen not in tables:
            tables[chosen] = set_means(scm, chosen, reward)
        means[number] = tables[chosen][tuple(arm[v] for v in chosen)]
    return means


def set_means(scm: DiscreteSCM, chosen: Iterable[str], reward: str) -> FloatArray:
    """Compute E[reward | do(chosen = x)] for all x at once.

    Parameters
    ----------
    scm : DiscreteSCM
    chosen : iterable of str
    reward : str

    Returns
    -------
    float64 array, one axis per variable of ``chosen``, in order of name
    """
    names = sorted(chosen)
    axis = {v: i for i, v in enumerate(scm.variables)}
    needed, waiting = set[str](), [reward]
    while waiting:  # causes of the reward that the intervention does not cut off
        v = waiting.pop()
        if v not in needed:
            needed.add(v)
            waiting += [] if v in names else scm.cpt(v).parents
    factors: list[tuple[FloatArray, list[int]]] = [(np.arange(scm.cardinality(reward), dtype=float), [axis[reward]])]
    for v in scm.variables:
        if v in needed and v not in names:
            factors.append((np.asarray(scm.cpt(v).table), [*(axis[p] for p in scm.cpt(v).parents), axis[v]]))
    # A variable that is set has an axis even if it is no longer a cause; one that is a cause has it in its effects.
    factors += [(np.ones(scm.cardinality(v)), [axis[v]]) for v in names]
    return contract(factors, [axis[v] for v in names])
