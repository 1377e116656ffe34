"""Judge what xiong2023 defines and proves, without runs: examples, lemmas, sequences, Theorem 1."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Literal

import numpy as np
import pandas as pd

from causal_bandits.graphs.adjustment import admissible_sets
from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.admissible import (
    causal_orders,
    is_admissible_sequence,
    largest_covariates,
    of_adjustment_set,
    of_parents,
)
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.glm.ccpe_bglm import Constants, easiness
from causal_bandits.problems.xiong2023 import parallel
from experiments import files
from experiments.results import Results
from replication.judging.claims import Printed, check
from replication.judging.judges import (
    Judgement,
    Outcome,
    Why,
    by_construction,
    judge_exact,
    noted,
    reason,
)
from replication.papers.xiong2023 import theory
from replication.papers.xiong2023.stages import small_graphs, subsets
from replication.papers.xiong2023.theory import Profile


@check
def fair_threshold(printed: Printed, results: Results, variables: list[int]) -> Judgement:
    """Judge the observation threshold of fair coins on the parallel graph, for several sizes."""
    found = {theory.observation_threshold(np.r_[np.full(2 * n, 0.5), 1.0]) for n in variables}
    judged = judge_exact(printed.value, " ".join(map(str, sorted(found))))
    return noted(judged, f"n from {min(variables)} to {max(variables)}")


@check
def example(
    printed: Printed, results: Results, what: Literal["m", "m_gap", "H"], *, sizes: list[int], actions: int
) -> Judgement:
    """Judge a threshold or the smallest H_r of the example after Lemma 1: q = 1/n, two gaps 1/n, the others 1/2."""
    found = set()
    for n in sizes:
        q = np.r_[np.full(actions - 1, 1 / n), 1.0]
        gaps = np.r_[1 / n, 1 / n, np.full(actions - 2, 0.5)]
        if what == "m":
            found.add("n" if theory.observation_threshold(q) == n else "another")
        elif what == "m_gap":
            found.add(str(theory.gap_dependent_threshold(q, gaps, 0.0)))
        else:
            least = min(theory.hardness(q, gaps, 0.0, r) for r in range(1, actions + 1))
            found.add("at least n^2" if least >= n**2 * (1 - 1e-12) else "less")
    return judge_exact(printed.value, " ".join(sorted(found)))


@check
def lemma_1(printed: Printed, results: Results) -> Judgement:
    """Count the random problems whose gap-dependent threshold exceeds twice the observation threshold."""
    problems = _table(results, "lemma_1")
    judged = judge_exact(printed.value, str(int((problems["gap_dependent"] > 2 * problems["threshold"]).sum())))
    largest = (problems["gap_dependent"] / problems["threshold"]).max()
    return noted(judged, f"the largest of {len(problems)} random ratios is {largest:.2f}")


@check
def null_is_not_best(printed: Printed, results: Results) -> Judgement:
    """Count the random parallel bandits whose best action is do(), which mixes two others."""
    bandits = _table(results, "parallel")
    return by_construction(judge_exact(printed.value, str(int((bandits["null"] > bandits["best"] + 1e-12).sum()))))


def _table(results: Results, name: str) -> pd.DataFrame:
    table: pd.DataFrame = files.read(results.file(f"data_{name}")).to_pandas()
    return table


#: A bound that is at most this share of another is 0 up to rounding.
ROUNDING = 1e-9


@check
def no_radius(printed: Printed, results: Results, variables: list[int]) -> Judgement:
    """Count the actions on parallel graphs of fair coins for which Eq. 16 gives no radius.

    An action may have several admissible sequences. Only sequences whose q_a (Eq. 15) is P(X_i = x) count, as Section
    5.2 states for parallel graphs; an action has a radius if one of them has.
    """
    missing = asked = 0
    for n in variables:
        bandit = parallel(n, 0.25)
        graph, scm = bandit.glm.graph, bandit.glm.to_scm()
        for x, state in (pair for action in bandit.arms for pair in action.items()):
            radii = [
                theory.radius_of_equation_16(
                    1, 1, treated=1, actions=len(bandit.arms), covariates=len(covariates), delta=0.1
                )
                for covariates in subsets([v for v in graph if v not in (x, "Y")])
                if is_admissible_sequence(graph, treatment=(x,), outcome="Y", covariates=(frozenset(covariates),))
                and np.isclose(scm.distribution([x, *covariates])[state].min(), scm.distribution([x])[state])
            ]
            asked += 1
            missing += bool(np.isnan(radii).all())
    judged = judge_exact(printed.value, str(missing), implied_by="Eq. 16 at Z_a = 0, the logarithm of zero")
    return noted(judged, f"{asked} actions of {min(variables)} to {max(variables)} fair coins; by the main text alone")


@check
def no_lower_bound(
    printed: Printed,
    results: Results,
    hard: range,
    *,
    variables: list[int],
    rare: list[int],
    effects: list[float],
) -> Judgement:
    """Count the problems in Theorem 3's class on which its lower bound is 0 or less.

    Theorem 2's upper bound is positive on all of them. They are parallel graphs of fair coins, some of which are
    replaced by variables that are rarely 1; epsilon is 0. ``hard`` selects problems by their number m of hard actions.

    Raises
    ------
    ValueError
        If a problem is outside the class.
    """
    profiles = [Profile(parallel(n, effect, rare=r)) for n, effect, r in product(variables, effects, rare)]
    if not all(profile.in_class for profile in profiles):
        raise ValueError(f"effects={effects}: a problem is outside Theorem 3's class; expected smaller effects")
    chosen = [profile for profile in profiles if profile.gap_dependent in hard]
    many = "four or more" if hard.start else "at most three"
    silent = sum(profile.lower <= ROUNDING * profile.upper for profile in chosen)
    judged = judge_exact(printed.value, str(silent), implied_by="Theorem 3's formula")
    return noted(judged, f"a bound of 0 or less on {silent} of {len(chosen)} problems with {many} hard actions")


def _treatments(graph: ADMG) -> Iterator[tuple[str, ...]]:
    return subsets([v for v in graph if v != "Y"], 1)


@check
def parents_are_admissible(printed: Printed, results: Results, *, observed: int) -> Judgement:
    """Count the treatments in graphs without hidden causes for which Theorem 4's sets are not admissible."""
    wrong = asked = 0
    for graph in small_graphs(observed, hidden=False):
        for treatment in _treatments(graph):
            found = of_parents(graph, treatment)
            asked += 1
            wrong += not is_admissible_sequence(
                graph, treatment=found.treatment, outcome="Y", covariates=found.covariates
            )
    judged = judge_exact(printed.value, str(wrong))
    return noted(judged, f"{asked} treatments on all graphs of {observed} variables")


@check
def adjustment_sets(printed: Printed, results: Results, *, observed: int) -> Judgement:
    """Count the adjustment sets Z, on small graphs, for which (Z, {}, ..., {}) is not admissible."""
    wrong = asked = 0
    for graph in small_graphs(observed, hidden=True):
        for treatment in _treatments(graph):
            for pair in admissible_sets(graph, treatment=treatment, outcome="Y", selection=None):
                asked += 1
                wrong += of_adjustment_set(graph, treatment=treatment, outcome="Y", covariates=pair.covariates) is None
    judged = judge_exact(printed.value, str(wrong))
    return noted(judged, f"{asked} adjustment sets on all graphs of {observed} observed variables")


@check
def existence(printed: Printed, results: Results, *, observed: int, any_order: bool = False) -> Judgement:
    """Judge whether one d-separation test per treatment decides if an admissible sequence exists in a given order.

    It must agree with a search of all sets, in every causal order. Whether an efficient algorithm exists that also
    chooses the order is left open.
    """
    if any_order:
        why = "we know of no efficient algorithm that also chooses the order, and of no proof that there is none"
        return Judgement(Outcome.OPEN, why, "not known", why=Why.UNTESTABLE)
    wrong = asked = 0
    for graph in small_graphs(observed, hidden=True):
        for treatment in _treatments(graph):
            choices = [frozenset(z) for z in subsets([v for v in graph if v != "Y" and v not in treatment])]
            for ordered in causal_orders(graph, treatment):
                every = product(choices, repeat=len(ordered))
                asked += 1
                wrong += any(
                    is_admissible_sequence(graph, treatment=ordered, outcome="Y", covariates=sets) for sets in every
                ) != (largest_covariates(graph, treatment=ordered, outcome="Y") is not None)
    judged = judge_exact(printed.value, "none" if wrong else "one")
    return noted(judged, f"wrong in {wrong} of {asked} orders on all graphs of {observed} observed variables")


@check
def orders(printed: Printed, results: Results) -> Judgement:
    """Count the sequences of Definition 3, with effects before causes, for which Eq. 10 misses the effect."""
    sequences = _table(results, "orders")
    missed = int(((sequences["equation"] - sequences["effect"]).abs() > 1e-9).sum())
    return noted(judge_exact(printed.value, str(missed)), f"{len(sequences)} sequences with an effect before its cause")


@check
def least_q(printed: Printed, results: Results, *, observed: int) -> Judgement:
    """Count the graphs with some q_a of Eq. 7 below 1/n^5; n counts the global variable but not Y."""
    wrong = asked = 0
    for graph in small_graphs(observed, hidden=False):
        model = BinaryGLM(dict.fromkeys(graph, 0.0), {v: dict.fromkeys(graph.parents(v), 0.0) for v in graph})
        q = easiness(GLMBandit(model, [{}, *(dict.fromkeys(chosen, 1) for chosen in _treatments(graph))]))
        asked += 1
        wrong += q.min() < len(graph) ** -5.0 * (1 - 1e-12)
    judged = judge_exact(printed.value, str(wrong))
    return noted(judged, f"all {asked} graphs of {observed} variables and the global one")


@check
def lemma_2(printed: Printed, results: Results) -> Judgement:
    """Count the actions whose rewards in two random models differ by more than Lemma 2's bound."""
    actions = _table(results, "lemma_2")
    judged = judge_exact(printed.value, str(int((actions["apart"] > actions["bound"] + 1e-12).sum())))
    told = f"{len(actions)} actions on {actions['seed'].nunique()} pairs of models"
    bounded = actions[actions["bound"] > 0]
    return noted(judged, f"{told}, apart by at most {(bounded['apart'] / bounded['bound']).max():.2f} of the bound")


@check
def means_in_order(printed: Printed, results: Results) -> Judgement:
    """Count the actions whose exact mean reward differs from that found by passing means in topological order."""
    actions = _table(results, "passed_means")
    apart = (actions["passed"] - actions["exact"]).abs()
    judged = judge_exact(printed.value, str(int((apart > 1e-9).sum())))
    return noted(
        judged,
        f"{len(actions)} actions on {actions['seed'].nunique()} random models, off by at most {apart.max():.2g}",
    )


@check
def theorem_1_rounds(printed: Printed, results: Results, parents: list[int]) -> Judgement:
    """Judge whether the rounds that line 5 needs stay within a constant times Theorem 1's order for all sizes.

    The reward's parents are fair coins, links are linear (M1 = kappa = 1, M2 = 0, eta = 1/2), and one action sets all
    parents and is 1/2 better than do(): l_S = 1, and the order is the same for all numbers of parents. No run ends
    before line 5 holds. Boundary: the ratio of these rounds to the order rises at every step.
    """
    ratios = []
    for count in parents:
        known = Constants(slope=1.0, curvature=0.0, least_slope=1.0, freedom=0.5, parents=count + 1)
        order = theory.sample_complexity_bound([1.0, (count + 1) ** -3.0], [0.5, 0.5], 0.0, 0.1)
        ratios.append(theory.ObservationsNeeded(known, count + 1, 0.05).condition(1.0) / order)
    rises = all(later > earlier for earlier, later in pairwise(ratios))
    told = f"{ratios[0]:.3g} times the order with {parents[0]} parents, {ratios[-1]:.3g} with {parents[-1]}"
    why = f"line 5 with c = 1 asks for {told}; {'it rises at every step' if rises else 'it does not always rise'}"
    outcome = Outcome.FAILS if rises else Outcome.HOLDS
    return Judgement(outcome, reason(why), f"{ratios[0]:.3g} to {ratios[-1]:.3g}")
