"""What the replication says about each claim of data/published/lee2019.csv."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from causal_bandits.graphs.intervention_sets import interventional_border, muct
from causal_bandits.metrics import Results
from causal_bandits.models.bandit import ARM_STRATEGIES
from causal_bandits.papers.lee2019.labels import TRIALS
from causal_bandits.papers.lee2019.problems import GRAPHS
from causal_bandits.verdicts import NOT_TESTABLE, Judgement, judge_exact, judge_identity, judge_mean, judge_ordering

#: Strategies of the paper as the graph package names them.
ARMS = {"bf": "brute_force", "mis": "minimal", "pomis": "possibly_optimal"}


def judge_claim(claim_id: str, claim: pd.Series, results: Results) -> Judgement:
    """Judge one claim; ``claim_id`` is ``lee2019.<topic>.<what it is about>``."""
    _, topic, *about = claim_id.split(".")
    if "pomis_plus" in about or topic in {"reduction", "expressions", "equation"}:
        return Judgement(NOT_TESTABLE, "not built yet")
    return _TOPICS[topic](claim["value"], results, *about)


def _table1(published: str, results: Results, task: str, solver: str, strategy: str) -> Judgement:
    regret = results.final(task, f"{solver}_{strategy}")
    return judge_mean(float(published), regret, TRIALS, calibrated=True, ledger="L01")


def _order(published: str, results: Results, task: str, solver: str, larger: str, smaller: str) -> Judgement:
    regrets = (results.final(task, f"{solver}_{strategy}") for strategy in (larger, smaller))
    return judge_ordering(*regrets, calibrated=True, ledger="L01")


def _same(published: str, results: Results, task: str, solver: str, a: str, b: str) -> Judgement:
    return judge_identity(*(results.final(task, f"{solver}_{strategy}") for strategy in (a, b)))


def _sets(published: str, results: Results, task: str, fixed: str, strategy: str) -> Judgement:
    return judge_exact(published, written(_intervention_sets(task, fixed, strategy)), ledger="L06")


def _arms(published: str, results: Results, task: str, fixed: str, strategy: str) -> Judgement:
    return judge_exact(published, str(_arm_count(task, fixed, strategy)), ledger="L06")


def _arms_saved(published: str, results: Results, task: str, fixed: str, more: str, fewer: str) -> Judgement:
    saved = _arm_count(task, fixed, more) - _arm_count(task, fixed, fewer)
    return judge_exact(published, str(saved), ledger="L06")


def _muct(published: str, results: Results, task: str, intervention: str) -> Judgement:
    return judge_exact(published, written([muct(GRAPHS[task].do(_names(intervention)), "Y")]), ledger="L06")


def _border(published: str, results: Results, task: str, intervention: str) -> Judgement:
    border = interventional_border(GRAPHS[task].do(_names(intervention)), "Y")
    return judge_exact(published, written([border]), ledger="L06")


def _projection(published: str, results: Results, task: str, removed: str) -> Judgement:
    graph = GRAPHS[task]
    projected = graph.latent_projection(set(graph).difference(_names(removed)))
    return judge_exact(published, written(projected.bidirected), ledger="L02 L06")


def written(sets: Iterable[Iterable[str]]) -> str:
    """Sets as the published table writes them: small ones first, ``{} {A} {A,C}``."""
    ordered = sorted((sorted(chosen) for chosen in sets), key=lambda names: (len(names), names))
    return " ".join("{" + ",".join(names) + "}" for names in ordered)


def _names(letters: str) -> set[str]:
    return set() if letters == "none" else set(letters)


def _intervention_sets(task: str, fixed: str, strategy: str) -> frozenset[frozenset[str]]:
    return ARM_STRATEGIES[ARMS[strategy]](GRAPHS[task], "Y", _names(fixed))


def _arm_count(task: str, fixed: str, strategy: str) -> int:
    """Arms of a strategy: all variables are binary."""
    return sum(2 ** len(chosen) for chosen in _intervention_sets(task, fixed, strategy))


_TOPICS: dict[str, Callable[..., Judgement]] = {
    "table1": _table1,
    "order": _order,
    "same": _same,
    "sets": _sets,
    "arms": _arms,
    "arms_saved": _arms_saved,
    "muct": _muct,
    "border": _border,
    "projection": _projection,
}
