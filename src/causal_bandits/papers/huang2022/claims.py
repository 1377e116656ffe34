"""What the replication says about each claim of data/published/huang2022.csv."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.discovery import LearnedGraph, consensus
from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.evaluation.verdicts import (
    CONTRADICTED,
    DIRECTION_ONLY,
    NOT_REPRODUCED,
    REPRODUCED,
    Judgement,
    judge_bound,
    judge_exact,
    judge_mean,
    judge_ordering,
)
from causal_bandits.papers.huang2022.discovery import learned_graphs, learned_separator
from causal_bandits.papers.huang2022.labels import DEFINITIONS, HORIZON, READINGS, TAUS, TRIALS, policy_at, unfair
from causal_bandits.papers.huang2022.problems import EMAIL_STATES, USER, VIDEO, WEIGHTS, email
from causal_bandits.papers.huang2022.theory import d_ucb_bound, f_ucb_bound


def judge_claim(claim_id: str, claim: pd.Series, results: Results) -> Judgement:
    """Judge one claim; ``claim_id`` is ``huang2022.<topic>.<what it is about>``."""
    _, topic, *about = claim_id.split(".")
    return _TOPICS[topic](claim["value"], results, *about)


#: The experiment a task's claims are judged on. Discovery finds an edge from sex to income in the data, so Adult-Video
#: is judged with it; without it the counterfactual reward would be identifiable (shown beside).
EXPERIMENTS = {"email": "email", "adult": "adult_bounds"}


def _table(task: str) -> Callable[..., Judgement]:
    """Judge a cell of Table 1 (email) or Table 2 (Adult-Video)."""

    def judge(published: str, results: Results, quantity: str, policy: str, tau: str) -> Judgement:
        _expect_published_horizon(results, EXPERIMENTS[task])
        if quantity == "unfair":
            return _unfair(float(published), results, task, policy, tau)
        label = policy if tau == "any" else policy_at(policy, tau)
        ledger = "L51" if policy == "fair_lin_ucb" else "L48 L49"
        judged = judge_mean(float(published), results.final(EXPERIMENTS[task], policy=label), TRIALS, ledger=ledger)
        others = {} if policy == "fair_lin_ucb" else {m: t for m, t in READINGS.items() if m}
        shown = [f"{t}: {_mean(results, EXPERIMENTS[task], f'{policy}_{m}{tau}')}" for m, t in others.items()]
        if task == "adult":
            shown.append(f"without the edge from sex to income: {_mean(results, 'adult', label)}")
        return replace(judged, why="; ".join([judged.why, *shown]))

    return judge


def _mean(results: Results, experiment: str, policy: str) -> str:
    try:
        return f"{results.final(experiment, policy=policy).mean():.1f}"
    except NotRunError:
        return "not run"


def _largest_discrepancy(task: str) -> float:
    """What no counterfactual discrepancy exceeds: exact for the email campaign.

    In Adult-Video sex moves the reward through other features of the user only, whatever the edges among them.
    """
    if task == "email":
        return float(np.abs(email().discrepancies).max())
    return sum(WEIGHTS[v] for v in WEIGHTS if v in USER)


def _unfair(published: float, results: Results, task: str, policy: str, tau: str) -> Judgement:
    """Count by the exact discrepancy (Definition 3); where it can never exceed tau, any other number contradicts it."""
    label, ledger = policy_at(policy, tau), "L50 E11" if task == "email" else "L42 L50 E11"
    counts = results.final(EXPERIMENTS[task], policy=label, metric=unfair("exact", tau))
    definitions = [d for d in DEFINITIONS if d != "exact"]
    others = {d: results.final(EXPERIMENTS[task], policy=label, metric=unfair(d, tau)).mean() for d in definitions}
    nearest = min(others, key=lambda definition: abs(others[definition] - published))
    largest = _largest_discrepancy(task)
    why = f"no discrepancy of the paper's own model exceeds {largest:.4f}"
    if task == "adult":
        without = results.final("adult", policy=label, metric=unfair("exact", tau)).mean()
        why = f"{why}; without the edge from sex to income {without:.0f}"
    shown = f"{counts.mean():.0f}"
    if published == counts.mean() == 0:
        everywhere = results.finals[EXPERIMENTS[task]][unfair("exact", tau)].max() == 0
        why = f"{why}; 0 for {'every policy' if everywhere else 'this policy'}"
        return Judgement(REPRODUCED, why, shown, n=len(counts), ledger=ledger)
    why = f"{why}; nearest of the other definitions: {others[nearest]:.0f} ({DEFINITIONS[nearest]})"
    verdict = CONTRADICTED if largest <= TAUS[tau] else NOT_REPRODUCED
    return Judgement(verdict, why, shown, n=len(counts), ledger=ledger)


def _contrast(published: str, results: Results, task: str, larger: str, smaller: str, tau: str) -> Judgement:
    """One policy decides unfairly more often than another, by the exact discrepancy."""
    return _more_unfair(results, task, [(policy_at(policy, tau), tau) for policy in (larger, smaller)])


def _falls(published: str, results: Results, task: str, policy: str, tau: str, next_tau: str) -> Judgement:
    """A policy's unfair decisions fall as the threshold grows, by the exact discrepancy."""
    return _more_unfair(results, task, [(policy, tau), (policy, next_tau)])


def _more_unfair(results: Results, task: str, pair: list[tuple[str, str]]) -> Judgement:
    _expect_published_horizon(results, EXPERIMENTS[task])
    counts = [results.final(EXPERIMENTS[task], policy=label, metric=unfair("exact", tau)) for label, tau in pair]
    judged = judge_ordering(*counts, ledger="L50 E11")
    if judged.verdict != REPRODUCED and _largest_discrepancy(task) <= min(TAUS[tau] for _, tau in pair):
        return replace(judged, verdict=CONTRADICTED, why="both are 0 for every policy: no decision can be unfair")
    return judged


def _order(published: str, results: Results, task: str, larger: str, smaller: str) -> Judgement:
    """An ordering of regrets with F-UCB as Algorithm 2 prints it; other readings stand beside it (L48, L49)."""
    experiment = EXPERIMENTS[task]
    _expect_published_horizon(results, experiment)
    judged = judge_ordering(*(results.final(experiment, policy=p) for p in (larger, smaller)), ledger="L48 L49")
    if "f_ucb_0" not in larger + smaller:
        return judged
    shown = []
    for middle, title in READINGS.items():
        pair = [p.replace("f_ucb_0", f"f_ucb_{middle}0") for p in (larger, smaller)]
        try:
            other = judge_ordering(*(results.final(experiment, policy=p) for p in pair))
        except NotRunError:
            continue
        if middle:
            shown.append(f"{title}: {other.replicated} ({other.ci_low:.1f} to {other.ci_high:.1f})")
    judged = replace(judged, why="; ".join([judged.why, *shown]))
    if smaller == "fair_lin_ucb" and judged.verdict == REPRODUCED:
        why = f"by far more than the paper's 'slightly'; {judged.why}"
        return replace(judged, verdict=DIRECTION_ONLY, why=why, ledger="L48 L49 L51")
    return judged


def _early(published: str, results: Results, experiment: str, larger: str, smaller: str) -> Judgement:
    """An ordering at t = 2000, from the curves: seeds are not paired there, so the interval is conservative."""
    frame = results.curves[experiment] if experiment in results.curves else pd.DataFrame()
    if frame.empty or not (frame["t"] == 2000).any():
        raise NotRunError("not in this configuration: a checkpoint at t = 2000")
    at = frame[(frame["t"] == 2000) & (frame["metric"] == "cumulative_regret")].set_index("policy")
    missing = [p for p in (larger, smaller) if p not in at.index]
    if missing:
        raise NotRunError(f"not in this configuration: policy {missing[0]} of experiment {experiment}")
    difference = at["mean"][larger] - at["mean"][smaller]
    half = np.hypot(*(at["ci_high"][p] - at["mean"][p] for p in (larger, smaller)))
    holds = difference - half > 0
    why = f"at t = 2000, not paired, the 95 % interval of the difference {'lies' if holds else 'does not lie'} above 0"
    verdict = REPRODUCED if holds else NOT_REPRODUCED
    n = int(at["n"][larger])
    return Judgement(verdict, why, f"difference {difference:.2f}", difference - half, difference + half, n, "L48")


def _separator(published: str, results: Results, task: str) -> Judgement:
    """W of the email campaign; of Adult-Video's learnt graphs, which all must have it."""
    if task == "email":
        computed = "{" + ",".join(sorted(minimal_separator(email()))) + "}"
        return judge_exact(published, computed, ledger="L41")
    graphs = [graph for learner in ("pc", "ges") for graph in _learned(results, learner)]
    found = ["{" + ",".join(sorted(learned_separator(graph))) + "}" for graph in graphs]
    judged = judge_exact(published, max(set(found), key=found.count), ledger="L37 L41")
    why = f"so in {found.count(published)} of {len(found)} graphs learnt; planted: rewards follow the formula"
    return replace(judged, why=why, n=len(found))


def _learned(results: Results, learner: str) -> list[LearnedGraph]:
    if f"discovery_{learner}" not in results.files:
        raise NotRunError(f"not in this configuration: discovery.{learner}")
    return learned_graphs(results.files[f"discovery_{learner}"])


def _count(published: str, results: Results, name: str, what: str) -> Judgement:
    """A number of records, exactly, from the shipped table's counts."""
    if f"data_{name}" not in results.files:
        raise NotRunError(f"not in this configuration: data.{name}")
    table = pq.read_table(results.files[f"data_{name}"]).to_pandas()
    if what == "arms":
        known = table[(table[list(VIDEO)] < 2).all(axis=1) & (table["count"] > 0)]
        return judge_exact(published, str(len(known.groupby(list(VIDEO)))), ledger="L32 L33")
    chosen = {"male": table["sex"] == 1, "female": table["sex"] == 0}[what] if what != "rows" else slice(None)
    computed = str(int(table.loc[chosen, "count"].sum()))
    judged = judge_exact(published, computed, ledger={"adult": "L35 E06", "youtube": "L33"}[name])
    if name == "adult" and judged.verdict != REPRODUCED:
        return Judgement(CONTRADICTED, "the paper's own men and women sum to 32,561", computed, ledger="E06")
    return judged


def _share(published: str, results: Results, experiment: str, policy: str) -> Judgement:
    """The share of unfairly treated users at tau = 0.1, in percent; the count itself is judged in Table 2."""
    count = str(results.value(f"huang2022.table2.unfair.{policy}.01"))
    judged = _table(experiment)(count, results, "unfair", policy, "01")
    counts = results.final(EXPERIMENTS[experiment], policy=policy, metric=unfair("exact", "01"))
    return replace(judged, replicated=f"{100 * counts.mean() / HORIZON:.1f} %")


def _domain(published: str, results: Results, experiment: str, variable: str) -> Judgement:
    """How many values a variable has by the equations of Appendix E.1 and Table 5."""
    computed = str(EMAIL_STATES[variable.upper()])
    judged = judge_exact(published, computed, ledger="E10")
    if judged.verdict == REPRODUCED:
        return judged
    return Judgement(CONTRADICTED, "by the equations of E.1 and Table 5", computed, ledger="E10")


def _expect_published_horizon(results: Results, experiment: str) -> None:
    if results.horizon(experiment) != HORIZON:
        raise NotRunError(f"not in this configuration: {HORIZON} rounds (played: {results.horizon(experiment)})")


def _parents(published: str, results: Results, *_about: str) -> Judgement:
    """The parents of the reward that most seeds' graphs have, by PC and by GES."""
    stated = set(published.strip("{}").split(","))
    exact, shown = {}, {}
    for learner in ("pc", "ges"):
        graphs = _learned(results, learner)
        shown[learner] = "{" + ",".join(sorted(consensus(graphs).parents("reward"))) + "}"
        exact[learner] = [graph.parents("reward") == stated for graph in graphs]
    held = [set(found.strip("{}").split(",")) == stated for found in shown.values()]
    verdict = REPRODUCED if all(held) else DIRECTION_ONLY if any(held) else NOT_REPRODUCED
    why = "; ".join(f"{learner.upper()}: exactly these in {sum(e)} of {len(e)} seeds" for learner, e in exact.items())
    why = f"{why}; planted: rewards are drawn by the paper's formula"
    n = len(exact["pc"])
    return Judgement(verdict, why, f"PC {shown['pc']}, GES {shown['ges']}", n=n, ledger="L37 L38 L39 L40")


def _theorem(published: str, results: Results, task: str, policy: str) -> Judgement:
    """A theorem's bound against every seed's regret; a bound that no regret can reach tests nothing."""
    problem, horizon = email(), results.horizon(task)
    size = int(np.prod([problem.scm.cardinality(v) for v in minimal_separator(problem)]))
    if policy == "d_ucb":
        regret, bound = results.final(task, policy=policy), d_ucb_bound(horizon, size)
    else:
        tau = policy.removeprefix("f_ucb_")
        safe = float(np.abs(problem.discrepancies).min(axis=1).max())
        regret = results.final(task, policy=f"f_ucb_theorem_{tau}")
        bound = f_ucb_bound(horizon, size, TAUS[tau], safe)
    worst = horizon * float((problem.means.max(axis=1) - problem.means.min(axis=1)).max())
    return judge_bound(bound.regret, regret, worst, ledger="L43 E09")


_TOPICS: dict[str, Callable[..., Judgement]] = {
    "table1": _table("email"),
    "table2": _table("adult"),
    "order": _order,
    "contrast": _contrast,
    "falls": _falls,
    "early": _early,
    "separator": _separator,
    "count": _count,
    "share": _share,
    "domain": _domain,
    "parents": _parents,
    "theorem1": _theorem,
    "theorem3": _theorem,
}
