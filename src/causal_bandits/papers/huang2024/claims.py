"""What the replication says about each claim of data/published/huang2024.csv."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.estimation.bounds import BCE, Method
from causal_bandits.metrics import NotRunError, Results
from causal_bandits.papers.huang2024.labels import ALPHAS, HORIZON, ROWS, by_row, in_rows
from causal_bandits.papers.huang2024.problems import CONTEXT, GRAPH, MANIPULABLE, PROBLEMS
from causal_bandits.papers.huang2024.theory import lin_ucb_bound, ucb_bound
from causal_bandits.verdicts import (
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

#: Rounding of the published table.
ROUNDING = 0.0005


def judge_claim(claim_id: str, claim: pd.Series, results: Results) -> Judgement:
    """Judge one claim; ``claim_id`` is ``huang2024.<topic>.<what it is about>``."""
    _, topic, *about = claim_id.split(".")
    return _TOPICS[topic](claim["value"], results, *about)


def _offline(results: Results, name: str = "bounds_contextual") -> pd.DataFrame:
    if name not in results.files:
        raise NotRunError(f"not in this configuration: {name.replace('_', '.', 1)}")
    return by_row(results.files[name])


def _truth() -> pd.Series:
    """Exact E[Y | do(x), u] of Table 2, by row of Table 1."""
    return pd.Series(in_rows(PROBLEMS["synthetic"]().means))


def _table1(published: str, results: Results, row: str, column: str) -> Judgement:
    """Estimates are judged as one offline sample's; the truth is exact and has no error."""
    number = int(row) - 1
    if column == "truth":
        exact = _truth()[number]
        if abs(exact - float(published)) <= ROUNDING:
            return Judgement(REPRODUCED, "computed, no sampling", f"{exact:.4f}")
        why = f"Table 2 implies {exact:.4f} exactly; what the column shows instead: table `truth`"
        return Judgement(CONTRADICTED, why, f"{exact:.4f}", ledger="E03")
    frame = _offline(results)
    values = frame[frame["row"] == number].set_index("seed")[column]
    ledger = {"cp": "", "biased": "L25 E02"}.get(column, "L22 E02 E04")
    return judge_mean(float(published), values, 1, ledger=ledger)


def _contains(published: str, results: Results, *_about: str) -> Judgement:
    """In how many cells the exact bounds contain the exact effect; the estimated ones' coverage stands beside it."""
    truth = _truth()
    exact, frame = _offline(results, "bounds_contextual_exact").set_index("row").sort_index(), _offline(results)
    inside = int(((exact["lower"] <= truth + 1e-12) & (truth <= exact["upper"] + 1e-12)).sum())
    target = frame["row"].map(truth)
    covered = ((frame["lower"] <= target) & (target <= frame["upper"])).groupby(frame["row"]).mean()
    seeds = frame["seed"].nunique()
    why = (
        f"bounds of the exact distribution: {inside} of {ROWS} cells contain the exact effect; bounds estimated from "
        f"one offline sample cover it in {100 * covered.min():.1f} to {100 * covered.max():.1f} % of {seeds} samples "
        "per cell"
    )
    verdict = REPRODUCED if inside == int(published) else NOT_REPRODUCED
    return Judgement(verdict, why, str(inside), n=seeds, ledger="L22 E04")


def _deviates(published: str, results: Results, column: str) -> Judgement:
    """Whether an estimator's limit, from the exact distribution of the selected, differs from the exact effect."""
    exact = _offline(results, "bounds_contextual_exact").set_index("row")
    gap = (exact[column] - _truth()).abs()
    shown = "yes" if bool((gap > 1e-9).all()) else "no"
    judged = judge_exact(published, shown)
    why = f"with infinitely many samples it misses the effect by {gap.min():.3f} to {gap.max():.3f}"
    return Judgement(judged.verdict, why, judged.replicated)


def _kept(published: str, results: Results, *_about: str) -> Judgement:
    """Selected samples; "approximately" is read as within 5 %."""
    if "data_offline" not in results.files:
        raise NotRunError("not in this configuration: data.offline")
    table = pq.read_table(results.files["data_offline"], columns=["seed", "count"]).to_pandas()
    return judge_mean(float(published), table.groupby("seed")["count"].sum(), 1, margin=0.05)


def _ancestors(published: str, results: Results, *_about: str) -> Judgement:
    """The variables whose c-factors make up P_x(y, c): An(Y) without X."""
    rest = GRAPH.subgraph(set(GRAPH) - set(MANIPULABLE))
    computed = " ".join(f"{{{v}}}" for v in sorted(rest.ancestors("Y") | set(CONTEXT)))
    judged = judge_exact(published, computed, ledger="E15")
    if judged.verdict == REPRODUCED:
        return judged
    return Judgement(CONTRADICTED, "I1 is an ancestor of Y in the paper's own Fig. 2", computed, ledger="E15")


def _substitutes(published: str, results: Results, *_about: str) -> Judgement:
    """What FindRSI returns, strictly and with conditional substitutes."""
    methods: tuple[Method, ...] = ("strict", "conditional_substitute")
    found = {
        method: " ".join(
            "{" + ",".join(sorted(w)) + "}"
            for w in BCE(GRAPH, MANIPULABLE, CONTEXT, "Y", selection="S", method=method).substitutes
        )
        for method in methods
    }
    shown = "; ".join(f"{method}: {sets or 'none'}" for method, sets in found.items())
    verdict = REPRODUCED if found["strict"] == published else CONTRADICTED
    why = "by the adjustment criterion that Algorithm 3 names; as a conditional substitute it is valid"
    return Judgement(verdict, why, shown, ledger="L22 E01")


def _order(published: str, results: Results, experiment: str, larger: str, smaller: str) -> Judgement:
    _expect_published_horizon(results, experiment)
    ledger = {"linear": "L55 L56", "oam": "L57"}.get(experiment, "")
    judged = judge_ordering(*(results.final(experiment, policy) for policy in (larger, smaller)), ledger=ledger)
    return _over_alpha(judged, results, larger, smaller) if experiment == "linear" else judged


def _over_alpha(judged: Judgement, results: Results, larger: str, smaller: str) -> Judgement:
    """An ordering at alpha = 1 is reproduced if it holds for all alphas, direction only if for some (L55)."""
    held, shown = [judged.verdict == REPRODUCED], []
    for alpha, name in ALPHAS.items():
        other = judge_ordering(*(results.final("alpha", f"{policy}_{name}") for policy in (larger, smaller)))
        held.append(other.verdict == REPRODUCED)
        shown.append(f"alpha = {alpha:g}: {other.replicated} ({other.ci_low:.1f} to {other.ci_high:.1f})")
    verdict = REPRODUCED if all(held) else DIRECTION_ONLY if any(held) else NOT_REPRODUCED
    return replace(judged, verdict=verdict, why=f"at alpha = 1, {judged.why}; {'; '.join(shown)}")


def _expect_published_horizon(results: Results, experiment: str) -> None:
    if results.horizon(experiment) != HORIZON:
        raise NotRunError(f"not in this configuration: {HORIZON} rounds (played: {results.horizon(experiment)})")


def _lemma6(published: str, results: Results, *_about: str) -> Judgement:
    """Pulls of arms that the bounds of the exact distribution rule out; alpha = 1, and 0.25 beside it."""
    pulls = results.final("exact", "lin_ucb_pcb", "ruled_out")
    narrow = results.final("exact", "lin_ucb_pcb_025", "ruled_out")
    why = (
        f"{int((pulls > 0).sum())} of {len(pulls)} seeds pull such an arm at alpha = 1, {int((narrow > 0).sum())} of "
        f"{len(narrow)} at alpha = 0.25; the proof takes the best arm's index to be above its mean"
    )
    verdict = REPRODUCED if not pulls.any() else NOT_REPRODUCED
    return Judgement(verdict, why, f"{pulls.mean():.2f}", n=len(pulls), ledger="L55 E14")


def _theorem(published: str, results: Results, experiment: str, policy: str) -> Judgement:
    """Whether the mean regret lies below a theorem's bound, with the bounds of the exact distribution."""
    name = {"linear": "synthetic", "non_contextual": "non_contextual"}[experiment]
    file = {"linear": "bounds_contextual_exact", "non_contextual": "bounds_non_contextual_exact"}[experiment]
    if file not in results.files:
        raise NotRunError(f"not in this configuration: {file.replace('_', '.', 1)}")
    problem = PROBLEMS[name](bounds=results.files[file], draw=0)
    bound = {"linear": lin_ucb_bound, "non_contextual": ucb_bound}[experiment](
        problem, results.horizon(experiment), with_bounds=True
    )
    worst = results.horizon(experiment) * float((problem.means.max(axis=1) - problem.means.min(axis=1)).max())
    return judge_bound(bound, results.final(experiment, policy), worst, ledger="L55 E14")


_TOPICS: dict[str, Callable[..., Judgement]] = {
    "table1": _table1,
    "contains": _contains,
    "deviates": _deviates,
    "kept": _kept,
    "ancestors": _ancestors,
    "substitutes": _substitutes,
    "order": _order,
    "lemma6": _lemma6,
    "theorem5": _theorem,
    "theorem8": _theorem,
}
