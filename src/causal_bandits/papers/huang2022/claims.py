"""What the replication says about each claim of data/published/huang2022.csv."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.discovery import consensus
from causal_bandits.metrics import NotRunError, Results
from causal_bandits.models.cells import minimal_separator
from causal_bandits.models.fair import FairBandit
from causal_bandits.papers.huang2022.discovery import learned_graphs
from causal_bandits.papers.huang2022.labels import DEFINITIONS, HORIZON, TAUS, TRIALS, policy_at, unfair
from causal_bandits.papers.huang2022.problems import EMAIL_STATES, VIDEO, WEIGHTS, adult_video_bandit, email
from causal_bandits.papers.huang2022.theory import d_ucb_bound, f_ucb_bound
from causal_bandits.verdicts import (
    CONTRADICTED,
    DIRECTION_ONLY,
    NOT_REPRODUCED,
    REPRODUCED,
    Judgement,
    judge_exact,
    judge_mean,
    judge_ordering,
)


def judge_claim(claim_id: str, claim: pd.Series, results: Results) -> Judgement:
    """Judge one claim; ``claim_id`` is ``huang2022.<topic>.<what it is about>``."""
    _, topic, *about = claim_id.split(".")
    return _TOPICS[topic](claim["value"], results, *about)


def _table(experiment: str) -> Callable[..., Judgement]:
    """Judge a cell of Table 1 (email) or Table 2 (Adult-Video)."""

    def judge(published: str, results: Results, quantity: str, policy: str, tau: str) -> Judgement:
        _expect_published_horizon(results, experiment)
        if quantity == "regret":
            label = policy if tau == "any" else policy_at(policy, tau)
            ledger = "L51" if policy == "fair_lin_ucb" else "L48 L49"
            return judge_mean(float(published), results.final(experiment, label), TRIALS, ledger=ledger)
        return _unfair(float(published), results, experiment, policy, tau)

    return judge


def _unfair(published: float, results: Results, experiment: str, policy: str, tau: str) -> Judgement:
    """Count by the exact discrepancy (Definition 3); where it can never exceed tau, any other number contradicts it."""
    label = policy_at(policy, tau)
    counts = results.final(experiment, label, unfair("exact", tau))
    others = {d: results.final(experiment, label, unfair(d, tau)).mean() for d in DEFINITIONS if d != "exact"}
    nearest = min(others, key=lambda definition: abs(others[definition] - published))
    if published == counts.mean() == 0:
        why = "no arm's exact discrepancy exceeds tau, so this holds for every policy"
        if experiment == "adult":
            below = results.final("adult_bounds", label, unfair("exact", tau)).mean()
            why = f"{why}; {below:.0f} if income descends from sex, for every policy too"
        return Judgement(REPRODUCED, why, "0", n=len(counts), ledger="L50 E11")
    why = f"nearest of the other definitions: {others[nearest]:.0f} ({DEFINITIONS[nearest]})"
    if experiment == "email":
        largest = float(np.abs(email().discrepancies).max())
        why = f"the largest exact discrepancy of the paper's own model is {largest:.4f}; {why}"
    else:
        largest = WEIGHTS["income"]
        below = results.final("adult_bounds", label, unfair("exact", tau)).mean()
        why = f"{below:.0f} if income descends from sex, when no discrepancy can exceed its weight {largest:g}; {why}"
    verdict = CONTRADICTED if largest <= TAUS[tau] else NOT_REPRODUCED
    return Judgement(verdict, why, f"{counts.mean():.0f}", n=len(counts), ledger="L50 E11")


def _problem(experiment: str) -> FairBandit:
    """The problem of an experiment; the discrepancies of Adult-Video do not depend on who the users are."""
    return email() if experiment == "email" else adult_video_bandit(np.ones((2, 2, 2, 2), dtype=np.int64))


def _order(published: str, results: Results, experiment: str, larger: str, smaller: str) -> Judgement:
    _expect_published_horizon(results, experiment)
    printed = judge_ordering(*(results.final(experiment, p) for p in (larger, smaller)), ledger="L48 L49")
    theorem = [p.replace("f_ucb_0", "f_ucb_theorem_0") for p in (larger, smaller)]
    if theorem == [larger, smaller]:
        return printed
    other = judge_ordering(*(results.final(experiment, p) for p in theorem))
    why = f"{printed.why}; with Theorem 3's scales: {other.replicated} ({other.ci_low:.2f} to {other.ci_high:.2f})"
    return Judgement(
        printed.verdict, why, printed.replicated, printed.ci_low, printed.ci_high, printed.n, printed.ledger
    )


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


def _separator(published: str, results: Results, experiment: str) -> Judgement:
    return judge_exact(published, "{" + ",".join(sorted(minimal_separator(_problem(experiment)))) + "}", ledger="L41")


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
    judged = _table(experiment)("2053", results, "unfair", policy, "01")
    counts = results.final(experiment, policy, unfair("exact", "01"))
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
        if f"discovery_{learner}" not in results.files:
            raise NotRunError(f"not in this configuration: discovery.{learner}")
        graphs = learned_graphs(results.files[f"discovery_{learner}"])
        shown[learner] = "{" + ",".join(sorted(consensus(graphs).parents("reward"))) + "}"
        exact[learner] = [graph.parents("reward") == stated for graph in graphs]
    held = [set(found.strip("{}").split(",")) == stated for found in shown.values()]
    verdict = REPRODUCED if all(held) else DIRECTION_ONLY if any(held) else NOT_REPRODUCED
    why = "; ".join(f"{learner.upper()}: exactly these in {sum(e)} of {len(e)} seeds" for learner, e in exact.items())
    n = sum(len(e) for e in exact.values())
    return Judgement(verdict, why, f"PC {shown['pc']}, GES {shown['ges']}", n=n, ledger="L37 L38 L39 L40")


def _theorem(published: str, results: Results, experiment: str, policy: str) -> Judgement:
    """Whether the mean regret lies below a theorem's bound; a bound above T says nothing."""
    problem, horizon = _problem(experiment), results.horizon(experiment)
    size = int(np.prod([problem.scm.cardinality(v) for v in minimal_separator(problem)]))
    if policy == "d_ucb":
        regret, bound = results.final(experiment, policy), d_ucb_bound(horizon, size)
    else:
        tau = policy.removeprefix("f_ucb_")
        safe = float(np.abs(problem.discrepancies).min(axis=1).max())
        regret, bound = results.final(experiment, f"f_ucb_theorem_{tau}"), f_ucb_bound(horizon, size, TAUS[tau], safe)
    why = f"the bound is {bound.regret:.0f} in {horizon} rounds, with probability at least {bound.probability:.4f}"
    if bound.regret > horizon:
        why += ": no regret can exceed it"
    verdict = REPRODUCED if regret.mean() < bound.regret else NOT_REPRODUCED
    return Judgement(verdict, why, f"{regret.mean():.2f}", n=len(regret), ledger="L43 E09")


_TOPICS: dict[str, Callable[..., Judgement]] = {
    "table1": _table("email"),
    "table2": _table("adult"),
    "order": _order,
    "early": _early,
    "separator": _separator,
    "count": _count,
    "share": _share,
    "domain": _domain,
    "parents": _parents,
    "theorem1": _theorem,
    "theorem3": _theorem,
}
