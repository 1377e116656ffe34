"""The judges of xiong2023's own claims: its definitions, examples and lemma, admissible sequences, and the theorems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Literal

import numpy as np

from causal_bandits.evaluation.claims import Claim, Judge
from causal_bandits.evaluation.judges import (
    BY_CONSTRUCTION,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
    Judgement,
    judge_exact,
)
from causal_bandits.evaluation.judges.arguments import Along, Count
from causal_bandits.evaluation.judges.intervals import mean_interval
from causal_bandits.evaluation.results import Results
from causal_bandits.evaluation.settings import as_setting
from causal_bandits.graphs.adjustment import admissible_sets
from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.admissible import is_admissible_sequence, of_adjustment_set, of_parents
from causal_bandits.models.binary_glm import BinaryGLM, GLMBandit
from causal_bandits.papers.xiong2023 import theory
from causal_bandits.papers.xiong2023.labels import rounds_of
from causal_bandits.papers.xiong2023.problems import parallel
from causal_bandits.papers.xiong2023.profiles import Profile
from causal_bandits.policies.ccpe_bglm import easiness

#: What a difference in rounds must exceed to matter, relative to the other policy's mean.
SHARE = 0.01


def fair_threshold(claim: Claim, results: Results, *, variables: list[int]) -> Judgement:
    """The observation threshold of the parallel graph with fair coins is the same for all numbers of variables."""
    found = {theory.observation_threshold(np.r_[np.full(2 * n, 0.5), 1.0]) for n in variables}
    judged = judge_exact(claim.value, " ".join(map(str, sorted(found))))
    return replace(judged, why=f"{judged.why}; n from {min(variables)} to {max(variables)}")


def example(
    claim: Claim, results: Results, *, what: Literal["m", "m_gap", "H"], sizes: list[int], actions: Count
) -> Judgement:
    """The example after Lemma 1: q = 1/n, two gaps 1/n, the others 1/2; thresholds as multiples of n, or H_r >= n^2."""
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
    return judge_exact(claim.value, " ".join(sorted(found)))


def lemma_1(claim: Claim, results: Results, *, problems: Count) -> Judgement:
    """On random q, gaps and epsilon the gap-dependent threshold exceeds twice the other so often."""
    rng, broken, largest = np.random.default_rng(20230501), 0, 0.0
    for _ in range(problems):
        actions = int(rng.integers(2, 40))
        q, gaps = 10.0 ** -rng.uniform(0, 3, actions), 10.0 ** -rng.uniform(0, 2, actions)
        q[rng.integers(actions)] = 1.0
        m, gap_dependent = theory.observation_threshold(q), theory.gap_dependent_threshold(q, gaps, 0.01)
        broken += gap_dependent > 2 * m
        largest = max(largest, gap_dependent / m)
    judged = judge_exact(claim.value, str(broken))
    return replace(judged, why=f"{judged.why}; the largest of {problems} random ratios is {largest:.2f}")


def null_is_not_best(claim: Claim, results: Results, *, problems: Count) -> Judgement:
    """In how many random parallel bandits do() is strictly the best action: a mean lies between the two it mixes."""
    rng, best = np.random.default_rng(20230502), 0
    for _ in range(problems):
        chance, effect = rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.4)
        means = parallel(4, effect, rng.uniform(0, effect), chance).means
        best += means[0] > means[1:].max() + 1e-12
    judged = judge_exact(claim.value, str(best))
    return replace(judged, evidence=BY_CONSTRUCTION)


def _small_graphs(observed: int, hidden: bool) -> Iterator[ADMG]:
    """Every DAG over some variables and Y in a causal order, with no hidden cause or any of two or more of them."""
    nodes = [*"ABC"[: observed - 1], "Y"]

    def subsets(values: Sequence[object], least: int) -> Iterator[tuple[object, ...]]:
        return chain.from_iterable(combinations(values, size) for size in range(least, len(values) + 1))

    for edges in subsets(list(combinations(nodes, 2)), 0):
        for caused in ((), *(subsets(nodes, 2) if hidden else ())):
            yield ADMG(edges, combinations(caused, 2), nodes)  # type: ignore[arg-type]


def _treatments(graph: ADMG) -> Iterator[tuple[str, ...]]:
    others = [v for v in graph if v != "Y"]
    return chain.from_iterable(combinations(others, size) for size in range(1, len(others) + 1))


def parents_are_admissible(claim: Claim, results: Results, *, observed: Count) -> Judgement:
    """On how many graphs without hidden causes Theorem 4's sets are no admissible sequence."""
    wrong = asked = 0
    for graph in _small_graphs(observed, hidden=False):
        for treatment in _treatments(graph):
            found = of_parents(graph, treatment)
            asked += 1
            wrong += not is_admissible_sequence(graph, found.treatment, "Y", found.covariates)
    judged = judge_exact(claim.value, str(wrong))
    return replace(judged, why=f"{judged.why}; {asked} treatments on all graphs of {observed} variables")


def adjustment_sets(claim: Claim, results: Results, *, observed: Count) -> Judgement:
    """How many adjustment sets are no admissible sequence (Z, {}, ..., {}), on all graphs with a hidden cause."""
    wrong = asked = 0
    for graph in _small_graphs(observed, hidden=True):
        for treatment in _treatments(graph):
            for pair in admissible_sets(graph, treatment, "Y", selection=None):
                asked += 1
                wrong += of_adjustment_set(graph, treatment, "Y", pair.covariates) is None
    judged = judge_exact(claim.value, str(wrong))
    return replace(judged, why=f"{judged.why}; {asked} adjustment sets on all graphs of {observed} observed variables")


def least_q(claim: Claim, results: Results, *, observed: Count) -> Judgement:
    """On how many graphs some q_a of Eq. 7 lies below 1/n^5, n counting the global variable and not Y."""
    wrong = asked = 0
    for graph in _small_graphs(observed, hidden=False):
        model = BinaryGLM(dict.fromkeys(graph, 0.0), {v: dict.fromkeys(graph.parents(v), 0.0) for v in graph})
        q = easiness(GLMBandit(model, [{}, *(dict.fromkeys(chosen, 1) for chosen in _treatments(graph))]))
        asked += 1
        wrong += q.min() < len(graph) ** -5.0 * (1 - 1e-12)
    judged = judge_exact(claim.value, str(wrong))
    return replace(judged, why=f"{judged.why}; all {asked} graphs of {observed} variables and the global one")


def nowhere_more_rounds(claim: Claim, results: Results, *, over: Along | None = None) -> Judgement:
    """The policy takes no more rounds than the other, at every value of a setting.

    Level: 95 % intervals of the paired mean differences, simultaneous (Bonferroni). Border at each point: more rounds
    by a hundredth of the other's mean.
    """
    points = [{name: as_setting(value)} for name, values in (over or {}).items() for value in values] or [{}]
    found, worst, shown, n = [], -np.inf, "", 0
    for point in points:
        at = replace(claim, policy={**claim.policy, **point}, against={**claim.against, **point})
        ours, others = at.pair(results)
        excess = mean_interval(ours - (1 + SHARE) * others, len(points))
        ratio = ours.mean() / others.mean()
        found.append("fails" if excess.low > 0 else "holds" if excess.high <= 0 else "open")
        if ratio > worst:
            worst, shown = ratio, ", ".join(f"{name} = {value}" for name, value in point.items())
        n = excess.n
    held, failed = found.count("holds"), found.count("fails")
    verdict = NOT_REPRODUCED if failed else REPRODUCED if held == len(found) else INCONCLUSIVE
    where = f" (at {shown})" if shown else ""
    why = f"no more rounds at {held} of {len(found)} points, more at {failed}; the largest ratio is {worst:.2f}{where}"
    return Judgement(verdict, why, SIMULATED, f"{worst:.2f} times", n=n)


def order(claim: Claim, results: Results, *, bound: Literal["upper", "lower"]) -> Judgement:
    """The measured rounds over a bound that has no constant: no finite number of runs can contradict it."""
    ratios, silent, problems = [], 0, 0
    for experiment in results.experiments(algorithm="ccpe_general"):
        for policy in results.policies(experiment, algorithm="ccpe_general", alpha_o=8.0, alpha_i=2.0):
            profile = Profile.of(results.settings(experiment, policy))
            problems += 1
            if bound == "lower" and (profile.lower <= 0 or not profile.in_class):
                silent += 1
                continue
            ratios.append(rounds_of(results, experiment, policy=policy).mean() / getattr(profile, bound))
    told = f"{min(ratios):.3g} to {max(ratios):.3g}" if ratios else "nothing"
    why = f"an order without its constant, which no finite number of runs can contradict; rounds over it: {told}"
    if bound == "lower":
        why = f"{why}; of {problems} problems {silent} are outside its class or have a bound of 0 or less"
    return Judgement(NOT_TESTABLE, why, SIMULATED, told)


JUDGES: dict[str, Judge] = {
    "fair_threshold": Judge(fair_threshold),
    "example": Judge(example),
    "lemma_1": Judge(lemma_1),
    "null_is_not_best": Judge(null_is_not_best),
    "parents_are_admissible": Judge(parents_are_admissible),
    "adjustment_sets": Judge(adjustment_sets),
    "least_q": Judge(least_q),
    "nowhere_more_rounds": Judge(nowhere_more_rounds, needs=("policy", "against")),
    "order": Judge(order),
}
