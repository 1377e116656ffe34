"""Random models and data on which xiong2023's lemmas and definitions are tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import TypeVar

import numpy as np
import pyarrow as pa

from causal_bandits.arrays import FloatArray, States, plain_sum
from causal_bandits.compiled import jit
from causal_bandits.estimation.sequential_adjustment import (
    Counts,
    Sequences,
    compile_sequences,
    estimate,
    observe,
)
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.binary_glm import LINKS, BinaryGLM
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.families import uniform_cpt
from causal_bandits.policies.glm.ccpe_bglm import constants_of, on_paths
from causal_bandits.problems.xiong2023 import parallel
from experiments.stages import Builder, Generators
from replication.papers.xiong2023 import theory

T = TypeVar("T")

#: The variables of the random models of Section 4.
NAMES = ("A", "B", "C", "Y")


def subsets(values: Sequence[T], least: int = 0) -> Iterator[tuple[T, ...]]:
    """Generate the subsets with at least ``least`` members, smaller ones first."""
    return chain.from_iterable(combinations(values, size) for size in range(least, len(values) + 1))


def small_graphs(observed: int, hidden: bool) -> Iterator[ADMG]:
    """Generate every DAG on ``observed`` variables including Y; if ``hidden``, also with each possible hidden cause."""
    nodes = [*"ABC"[: observed - 1], "Y"]

    for edges in subsets(list(combinations(nodes, 2))):
        for caused in ((), *(subsets(nodes, 2) if hidden else ())):
            yield ADMG(edges, combinations(caused, 2), nodes)


def lemma_1(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Draw a problem per seed: the q_a and the gaps of 2 to 39 actions.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`.

    Returns
    -------
    table
        Columns ``seed``, ``threshold`` and ``gap_dependent``: the thresholds of Definitions 1 and 2.
    """
    rows = []
    for seed in seeds:
        rng = generators(seed)
        actions = int(rng.integers(2, 40))
        q, gaps = 10.0 ** -rng.uniform(0, 3, actions), 10.0 ** -rng.uniform(0, 2, actions)
        q[rng.integers(actions)] = 1.0
        m, gap_dependent = theory.observation_threshold(q), theory.gap_dependent_threshold(q, gaps, 0.01)
        rows.append({"seed": seed, "threshold": m, "gap_dependent": gap_dependent})
    return pa.Table.from_pylist(rows)


def parallel_bandits(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Draw a parallel bandit of four variables per seed.

    Returns
    -------
    table
        Columns ``seed``, ``null``, the mean of do(), and ``best``, the largest mean of the other actions.
    """
    rows = []
    for seed in seeds:
        rng = generators(seed)
        chance, effect = rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.4)
        means = parallel(4, effect, rng.uniform(0, effect), chance).means
        rows.append({"seed": seed, "null": float(means[0]), "best": float(means[1:].max())})
    return pa.Table.from_pylist(rows)


def orders(seeds: Iterable[int], generators: Generators, observed: int = 4) -> pa.Table:
    """Compute Eq. 10 for the sequences of Definition 3 that treat an effect before its cause.

    All graphs of ``observed`` variables are searched, with two treatments and one random model each per seed.

    Returns
    -------
    table
        Columns ``seed``, ``equation``, the value of Eq. 10, and ``effect``, the exact mean; both are exact.
    """
    rows = []
    for seed in seeds:
        rng = generators(seed)
        for graph in small_graphs(observed, hidden=True):
            scm = uniform_cpt(graph, rng)
            for first, second in combinations([v for v in graph.topological_order if v != "Y"], 2):
                order = (second, first)
                if first not in graph.ancestors({second}):
                    continue
                effect = scm.expectation("Y", do=dict.fromkeys(order, 1))
                choices = [frozenset(z) for z in subsets([v for v in graph if v not in (first, second, "Y")])]
                rows += [
                    {"seed": seed, "equation": _by_sequence(scm, order, sets), "effect": effect}
                    for sets in product(choices, repeat=2)
                    if not sets[0] & sets[1] and _meets_definition_3(graph, order, sets)
                ]
    return pa.Table.from_pylist(
        rows, pa.schema([("seed", pa.int64()), ("equation", pa.float64()), ("effect", pa.float64())])
    )


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


def lemma_2(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Compare the rewards of all actions in two random binary GLMs per seed.

    Returns
    -------
    table
        Columns ``seed``, ``apart``, by which an action's rewards differ, and ``bound``: M1 times the sum, over the
        variables on paths from X_1 to Y that avoid S, of E|V_X (theta - theta')_X|, with the expectation under theta
        and the action.
    """
    rows = []
    for seed in seeds:
        rng = generators(seed)
        edges = _edges(rng)
        link = LINKS[int(rng.integers(len(LINKS)))]
        first, second = (_random_model(NAMES, edges, link, rng) for _ in range(2))
        slope, scm = constants_of(first).slope, first.to_scm()
        moved = {v: np.abs(_scores(first, v) - _scores(second, v)) for v in NAMES}
        for action in _actions():
            mass = scm.distribution(first.variables, do=action).ravel()
            bound = slope * plain_sum(float(mass @ moved[v]) for v in sorted(on_paths(first.graph, tuple(action), "Y")))
            apart = abs(first.expectation("Y", action) - second.expectation("Y", action))
            rows.append({"seed": seed, "apart": apart, "bound": float(bound)})
    return pa.Table.from_pylist(rows)


def passed_means(seeds: Iterable[int], generators: Generators, link: str = "linear") -> pa.Table:
    """Pass means in topological order for all actions, on a random binary GLM per seed.

    A variable's passed mean is its link function at the means of its parents.

    Returns
    -------
    table
        Columns ``seed``, ``passed`` and ``exact``: the action's mean reward.
    """
    rows = []
    for seed in seeds:
        rng = generators(seed)
        glm = _random_model(NAMES, _edges(rng), link, rng)
        rows += [
            {"seed": seed, "passed": _passed_mean(glm, action), "exact": glm.expectation("Y", action)}
            for action in _actions()
        ]
    return pa.Table.from_pylist(rows)


def _edges(rng: np.random.Generator) -> list[tuple[str, str]]:
    return [pair for pair in combinations(NAMES, 2) if rng.random() < 0.7]


def _actions() -> Iterator[dict[str, int]]:
    for chosen in subsets(NAMES[:-1]):
        for values in product((0, 1), repeat=len(chosen)):
            yield dict(zip(chosen, values, strict=True))


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


def estimates(
    seeds: Iterable[int], generators: Generators, chances: Sequence[float], observations: int = 4000
) -> pa.Table:
    """Estimate an action's mean from observations, once per seed and probability of observing it.

    The action is do(X_n=1) on the parallel graph; the estimate is that of Eq. 10 to 14.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`.
    chances : sequence of float
        The action's q_a.
    observations : int

    Returns
    -------
    table
        Columns ``seed``, ``q`` and ``squared``, the squared error.
    """
    rows = []
    problems = [parallel(3, 0.8, rare=1, rare_chance=chance, values="ones") for chance in chances]
    models = [bandit.glm.to_scm() for bandit in problems]
    for seed in seeds:
        rng = generators(seed)
        for chance, bandit, scm in zip(chances, problems, models, strict=True):
            variables, last = bandit.glm.variables, len(bandit.arms) - 1
            drawn = scm.sample(observations, rng)
            states = np.column_stack([drawn[v] for v in variables]).astype(np.int8)
            sequences, counts = compile_sequences(variables, list(bandit.arms), bandit.sequences)
            _observe_all(sequences, counts, states, variables.index(bandit.reward))
            error = estimate(sequences, counts, last)[0] - bandit.means[last]
            rows.append({"seed": seed, "q": chance, "squared": float(error**2)})
    return pa.Table.from_pylist(rows)


@jit
def _observe_all(sequences: Sequences, counts: Counts, states: States, reward: int) -> None:
    for i in range(len(states)):
        observe(sequences, counts, states[i], float(states[i, reward]))


STAGES: dict[str, Builder] = {
    "lemma_1": lemma_1,
    "parallel_bandits": parallel_bandits,
    "orders": orders,
    "lemma_2": lemma_2,
    "passed_means": passed_means,
    "estimates": estimates,
}
