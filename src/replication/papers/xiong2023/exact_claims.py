"""Judge what xiong2023 defines and proves, without runs: examples, lemmas, sequences, Theorem 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, pairwise, product
from typing import Literal, TypeVar

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.adjustment import admissible_sets
from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.admissible import (
    causal_orders,
    is_admissible_sequence,
    largest_covariates,
    of_adjustment_set,
    of_parents,
)
from causal_bandits.models.binary_glm import LINKS, BinaryGLM
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.families import uniform_cpt
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.glm.ccpe_bglm import Constants, constants_of, easiness, on_paths
from causal_bandits.problems.xiong2023 import parallel
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
from replication.papers.xiong2023.theory import Profile

T = TypeVar("T")

#: Base of the judges' random seeds, to which each judge adds its own number: 1, 2, ...
START = 20230500


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
def lemma_1(printed: Printed, results: Results, *, problems: int) -> Judgement:
    """Count the random problems whose gap-dependent threshold exceeds twice the observation threshold."""
    rng, broken, largest = np.random.default_rng(START + 1), 0, 0.0
    for _ in range(problems):
        actions = int(rng.integers(2, 40))
        q, gaps = 10.0 ** -rng.uniform(0, 3, actions), 10.0 ** -rng.uniform(0, 2, actions)
        q[rng.integers(actions)] = 1.0
        m, gap_dependent = theory.observation_threshold(q), theory.gap_dependent_threshold(q, gaps, 0.01)
        broken += gap_dependent > 2 * m
        largest = max(largest, gap_dependent / m)
    judged = judge_exact(printed.value, str(broken))
    return noted(judged, f"the largest of {problems} random ratios is {largest:.2f}")


@check
def null_is_not_best(printed: Printed, results: Results, *, problems: int) -> Judgement:
    """Count the random parallel bandits whose best action is do(), which mixes two others."""
    rng, best = np.random.default_rng(START + 2), 0
    for _ in range(problems):
        chance, effect = rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.4)
        means = parallel(4, effect, rng.uniform(0, effect), chance).means
        best += means[0] > means[1:].max() + 1e-12
    judged = judge_exact(printed.value, str(best))
    return by_construction(judged)


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
                for covariates in _subsets([v for v in graph if v not in (x, "Y")])
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


def _subsets(values: Sequence[T], least: int = 0) -> Iterator[tuple[T, ...]]:
    """Generate the subsets with at least ``least`` members, smaller ones first."""
    return chain.from_iterable(combinations(values, size) for size in range(least, len(values) + 1))


def _small_graphs(observed: int, hidden: bool) -> Iterator[ADMG]:
    """Generate every DAG on ``observed`` variables including Y; if ``hidden``, also with each possible hidden cause."""
    nodes = [*"ABC"[: observed - 1], "Y"]

    for edges in _subsets(list(combinations(nodes, 2))):
        for caused in ((), *(_subsets(nodes, 2) if hidden else ())):
            yield ADMG(edges, combinations(caused, 2), nodes)


def _treatments(graph: ADMG) -> Iterator[tuple[str, ...]]:
    return _subsets([v for v in graph if v != "Y"], 1)


@check
def parents_are_admissible(printed: Printed, results: Results, *, observed: int) -> Judgement:
    """Count the treatments in graphs without hidden causes for which Theorem 4's sets are not admissible."""
    wrong = asked = 0
    for graph in _small_graphs(observed, hidden=False):
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
    for graph in _small_graphs(observed, hidden=True):
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
    for graph in _small_graphs(observed, hidden=True):
        for treatment in _treatments(graph):
            choices = [frozenset(z) for z in _subsets([v for v in graph if v != "Y" and v not in treatment])]
            for ordered in causal_orders(graph, treatment):
                every = product(choices, repeat=len(ordered))
                asked += 1
                wrong += any(
                    is_admissible_sequence(graph, treatment=ordered, outcome="Y", covariates=sets) for sets in every
                ) != (largest_covariates(graph, treatment=ordered, outcome="Y") is not None)
    judged = judge_exact(printed.value, "none" if wrong else "one")
    return noted(judged, f"wrong in {wrong} of {asked} orders on all graphs of {observed} observed variables")


@check
def orders(printed: Printed, results: Results, *, observed: int) -> Judgement:
    """Count the sequences of Definition 3, with effects before causes, for which Eq. 10 misses the effect.

    All small graphs are searched, with two treatments and one random model each; all numbers are exact.
    """
    rng, missed, asked = np.random.default_rng(START + 6), 0, 0
    for graph in _small_graphs(observed, hidden=True):
        scm = uniform_cpt(graph, rng)
        for first, second in combinations([v for v in graph.topological_order if v != "Y"], 2):
            order = (second, first)
            if first not in graph.ancestors({second}):
                continue
            exact = scm.expectation("Y", do=dict.fromkeys(order, 1))
            choices = [frozenset(z) for z in _subsets([v for v in graph if v not in (first, second, "Y")])]
            for sets in product(choices, repeat=2):
                if not sets[0] & sets[1] and _meets_definition_3(graph, order, sets):
                    asked += 1
                    missed += abs(_by_sequence(scm, order, sets) - exact) > 1e-9
    judged = judge_exact(printed.value, str(missed))
    return noted(judged, f"{asked} sequences with an effect before its cause")


def _meets_definition_3(graph: ADMG, order: Sequence[str], sets: Sequence[frozenset[str]]) -> bool:
    """Return whether an order of treatments and sets of covariates meet Definition 3 to the letter.

    The definition allows any order of the treatments.
    """
    for i, treated in enumerate(order):
        given = frozenset(order[:i]).union(*sets[: i + 1])
        cut = graph.do(order[i + 1 :]).without_edges_out_of(treated)
        if sets[i] & graph.descendants(order[i:]) or not cut.is_d_separated(treated, "Y", given):
            return False
    return True


def _by_sequence(scm: DiscreteSCM, order: Sequence[str], sets: Sequence[frozenset[str]]) -> float:
    """Compute the right-hand side of Eq. 10 with all treatments set to 1, from exact distributions."""
    covariates, total = sorted(frozenset().union(*sets)), 0.0
    for values in product((0, 1), repeat=len(covariates)):
        state = dict(zip(covariates, values, strict=True))
        term = scm.expectation("Y", given={**dict.fromkeys(order, 1), **state})
        known: dict[str, int] = {}
        for treated, own in zip(order, sets, strict=True):
            names = sorted(own)
            if names:
                term *= float(scm.distribution(names, given=known)[tuple(state[v] for v in names)])
            known = {**known, **{v: state[v] for v in names}, treated: 1}
        total += term
    return total


@check
def least_q(printed: Printed, results: Results, *, observed: int) -> Judgement:
    """Count the graphs with some q_a of Eq. 7 below 1/n^5; n counts the global variable but not Y."""
    wrong = asked = 0
    for graph in _small_graphs(observed, hidden=False):
        model = BinaryGLM(dict.fromkeys(graph, 0.0), {v: dict.fromkeys(graph.parents(v), 0.0) for v in graph})
        q = easiness(GLMBandit(model, [{}, *(dict.fromkeys(chosen, 1) for chosen in _treatments(graph))]))
        asked += 1
        wrong += q.min() < len(graph) ** -5.0 * (1 - 1e-12)
    judged = judge_exact(printed.value, str(wrong))
    return noted(judged, f"all {asked} graphs of {observed} variables and the global one")


@check
def lemma_2(printed: Printed, results: Results, *, models: int) -> Judgement:
    """Count the actions whose rewards in two random models differ by more than Lemma 2's bound.

    The bound is M1 times the sum, over the variables on paths from X_1 to Y that avoid S, of E|V_X (theta - theta')_X|,
    with the expectation under theta and the action.
    """
    rng, broken, asked, tightest = np.random.default_rng(START + 3), 0, 0, 0.0
    names = [*"ABC", "Y"]
    for _ in range(models):
        edges = [pair for pair in combinations(names, 2) if rng.random() < 0.7]
        link = LINKS[int(rng.integers(len(LINKS)))]
        first, second = (_random_model(names, edges, link, rng) for _ in range(2))
        slope, scm = constants_of(first).slope, first.to_scm()
        moved = {v: np.abs(_scores(first, v) - _scores(second, v)) for v in names}
        for size in range(len(names)):
            for chosen in combinations(names[:-1], size):
                paths = on_paths(first.graph, chosen, "Y")
                for values in product((0, 1), repeat=size):
                    action = dict(zip(chosen, values, strict=True))
                    mass = scm.distribution(first.variables, do=action).ravel()
                    bound = slope * sum(float(mass @ moved[v]) for v in paths)
                    apart = abs(first.expectation("Y", action) - second.expectation("Y", action))
                    asked += 1
                    broken += int(apart > bound + 1e-12)
                    tightest = max(tightest, apart / bound if bound else 0.0)
    judged = judge_exact(printed.value, str(broken))
    return noted(judged, f"{asked} actions on {models} pairs of models, apart by at most {tightest:.2f} of the bound")


@check
def means_in_order(
    printed: Printed, results: Results, link: Literal["linear", "logistic"], *, models: int
) -> Judgement:
    """Count the actions whose exact mean reward differs from that found by passing means in topological order.

    A variable's passed mean is its link function at the means of its parents. All actions are tried, on random models
    over A, B, C and Y.
    """
    rng, missed, asked, largest = np.random.default_rng(START + 5), 0, 0, 0.0
    names = [*"ABC", "Y"]
    for _ in range(models):
        glm = _random_model(names, [pair for pair in combinations(names, 2) if rng.random() < 0.7], link, rng)
        for size in range(len(names)):
            for chosen in combinations(names[:-1], size):
                for values in product((0, 1), repeat=size):
                    action = dict(zip(chosen, values, strict=True))
                    apart = abs(_passed_mean(glm, action) - glm.expectation("Y", action))
                    asked += 1
                    missed += apart > 1e-9
                    largest = max(largest, apart)
    judged = judge_exact(printed.value, str(missed))
    return noted(judged, f"{asked} actions on {models} random models, off by at most {largest:.2g}")


def _passed_mean(glm: BinaryGLM, action: Mapping[str, int]) -> float:
    """Compute the mean of the reward Y by passing means from causes to effects."""
    model, means = glm.compiled, np.zeros(len(glm.variables))
    for i, v in enumerate(glm.variables):
        own = slice(model.start[i], model.start[i + 1])
        score = model.base[i] + means[model.parent[own]] @ model.weight[own]
        means[i] = action.get(v, 1 / (1 + np.exp(-score)) if model.logistic[i] else score)
    return float(means[glm.variables.index("Y")])


def _random_model(
    names: Sequence[str], edges: Sequence[tuple[str, str]], link: str, rng: np.random.Generator
) -> BinaryGLM:
    """Draw a model with coefficients of either sign and all probabilities in [0, 1]."""
    base, weights = {}, {}
    for v in names:
        own = [cause for cause, effect in edges if effect == v]
        if link == "logistic":
            drawn = rng.normal(0, 2, len(own))
            base[v] = float(rng.normal(0, 2))
        else:
            least, *sizes, _ = rng.dirichlet(np.ones(len(own) + 2))
            drawn = np.array(sizes) * rng.choice([-1, 1], len(own))
            base[v] = float(least - drawn[drawn < 0].sum())
        weights[v] = dict(zip(own, drawn.tolist(), strict=True))
    return BinaryGLM(base, weights, dict.fromkeys(names, link))


def _scores(glm: BinaryGLM, variable: str) -> FloatArray:
    """Return theta_X V_X in every joint state of the model's variables, shape (states,)."""
    model, v = glm.compiled, glm.variables.index(variable)
    own = slice(model.start[v], model.start[v + 1])
    states = np.array(list(product((0, 1), repeat=len(glm.variables))))
    return np.asarray(model.base[v] + states[:, model.parent[own]] @ model.weight[own])


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
