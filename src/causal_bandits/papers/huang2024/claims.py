"""The judges of huang2024's own claims: Table 1, the worked example, Lemma 6 and Theorems 5 to 8."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.estimation.bounds import BCE, Method
from causal_bandits.evaluation.claims import Claim, Judge
from causal_bandits.evaluation.judges import (
    DIRECTION_ONLY,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    SIMULATED,
    Judgement,
    judge_above,
    judge_bound,
    judge_exact,
    judge_mean,
    judge_mean_bound,
    judge_rate,
    judge_rounded,
    judge_sample,
)
from causal_bandits.evaluation.judges.arguments import NotNegative, Positive, Probability
from causal_bandits.evaluation.judges.intervals import mean_interval
from causal_bandits.evaluation.results import Results
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.papers.huang2024.labels import ROWS, by_row, covered_cells, in_rows, published_column
from causal_bandits.papers.huang2024.problems import CONTEXT, GRAPH, MANIPULABLE, PROBLEMS
from causal_bandits.papers.huang2024.theory import lin_ucb_bound, oam_bound, ruled_out, ucb_bound

#: Columns of the stage ``bounds`` that a column of Table 1 may be.
Estimate = Literal[
    "cp", "biased", "biased_conditional", "observed", "lower", "upper", "strict_lower", "strict_upper"
]  # fmt: skip

#: Rounding of the published table.
ROUNDING = 0.0005


def _effect() -> pd.Series:
    """Exact E[Y | do(x), u] of Table 2, by row of Table 1."""
    return pd.Series(in_rows(PROBLEMS["synthetic"]().means))


def _row(claim: Claim, results: Results) -> int:
    """The row of Table 1 (0 to 15) that a claim is about: they stand in the order of the table."""
    return list(results.published_where(item=claim.item, column=claim.column).index).index(claim.claim_id)


def _samples(results: Results, estimate: Estimate) -> pd.DataFrame:
    """An estimate of every cell, shape (offline samples, rows of Table 1)."""
    return by_row(results.file("bounds_contextual")).pivot(index="seed", columns="row", values=estimate)


def _limits(results: Results) -> pd.DataFrame:
    """What infinitely many offline samples say, by row of Table 1."""
    return by_row(results.file("bounds_contextual_exact")).set_index("row").sort_index()


def cell(claim: Claim, results: Results, *, estimate: Estimate, precision: Positive) -> Judgement:
    """A cell of Table 1 is one offline sample's, and so is its whole column.

    A cell inside its own interval is no evidence if no sample shows such a column: the weaker of the two verdicts
    counts. A bound that does not vary over the samples is no estimate; it is compared with the printed digits.
    """
    values = _samples(results, estimate)
    ours = values[_row(claim, results)].to_numpy()
    if len(ours) > 1 and (ours == ours[0]).all():
        return judge_rounded(claim.value, float(ours[0]), implied_by="Algorithm 1")
    judged = judge_mean(claim.number, ours, 1, precision=precision, unit="sample")
    if len(ours) == 1:
        return judged
    column = judge_sample(published_column(results, claim.column).to_numpy(), values.to_numpy())
    verdicts = {judged.verdict, column.verdict}
    verdict = next((v for v in (NOT_REPRODUCED, INCONCLUSIVE) if v in verdicts), judged.verdict)
    why = f"{judged.why}; the column as a whole: {column.why}"
    return replace(judged, verdict=verdict, why=why, level=judged.level + column.level)


def truth(claim: Claim, results: Results) -> Judgement:
    """A cell of the column Truth is the exact effect, as Table 2 implies it."""
    return judge_rounded(claim.value, float(_effect()[_row(claim, results)]), implied_by="Table 2")


def contains(claim: Claim, results: Results) -> Judgement:
    """In how many cells the published bounds contain the exact effect of Table 2; beside it, those of this study."""
    effect, limits = _effect(), _limits(results)
    lower, upper = (published_column(results, column) for column in ("BCE lb", "BCE ub"))
    inside = int(((lower - ROUNDING <= effect) & (effect <= upper + ROUNDING)).sum())
    exact = int(((limits["lower"] <= effect + 1e-12) & (effect <= limits["upper"] + 1e-12)).sum())
    counts = covered_cells(by_row(results.file("bounds_contextual")), effect)
    judged = judge_exact(claim.value, str(inside), implied_by="for the printed bounds, Table 2")
    why = (
        f"{judged.why}; of this study's bounds, those of the exact distribution contain the effect in {exact} cells, "
        f"those of one offline sample in {counts.mean():.1f} on average, in all {ROWS} at once in "
        f"{100 * (counts == ROWS).mean():.1f} % of samples"
    )
    return replace(judged, why=why)


def deviates(claim: Claim, results: Results, *, estimate: Estimate, probability: Probability) -> Judgement:
    """An estimate deviates from the effect in every cell: so that one sample shows it, or at least in the limit.

    One sample shows it if every cell's estimate lies on the side of the effect where its limit lies; that is asked for
    with ``probability``. Where it fails, a limit that misses the effect in every cell by more than the printed digits
    is the direction.
    """
    effect, limit = _effect(), _limits(results)[estimate]
    gap = limit - effect
    shown = np.sign(_samples(results, estimate) - effect) == np.sign(gap)
    judged = judge_rate(shown.all(axis=1).to_numpy(), probability)
    cells = int((gap.abs() > ROUNDING).sum())
    why = (
        f"in the limit of many samples it misses the effect by {gap.abs().min():.4f} to {gap.abs().max():.4f}, in "
        f"{cells} of {ROWS} cells by more than the printed digits; one sample shows the side of all: {judged.why}"
    )
    direction = judged.verdict == NOT_REPRODUCED and cells == ROWS
    return replace(judged, verdict=DIRECTION_ONLY if direction else judged.verdict, why=why)


def kept(claim: Claim, results: Results, *, margin: NotNegative) -> Judgement:
    """How many of one offline sample's draws the selection keeps; ``margin`` reads "approximately"."""
    table = pq.read_table(results.file("data_offline"), columns=["seed", "count"]).to_pandas()
    counts = table.groupby("seed")["count"].sum().to_numpy()
    return judge_mean(claim.number, counts, 1, margin=margin, unit="sample")


def ancestors(claim: Claim, results: Results) -> Judgement:
    """The variables whose c-factors make up P_x(y, c): An(Y) without X, and the context."""
    rest = GRAPH.subgraph(set(GRAPH) - set(MANIPULABLE))
    found = " ".join(f"{{{v}}}" for v in sorted(rest.ancestors("Y") | set(CONTEXT)))
    return judge_exact(claim.value, found, implied_by="the paper's own Fig. 2")


def substitutes(claim: Claim, results: Results, *, method: Method) -> Judgement:
    """What FindRSI returns on the paper's example."""
    found = BCE(GRAPH, MANIPULABLE, CONTEXT, "Y", selection="S", method=method).substitutes
    shown = " ".join("{" + ",".join(sorted(w)) + "}" for w in found)
    return judge_exact(claim.value, shown or "none", implied_by="the paper's own Fig. 2")


def _with_exact_bounds(results: Results, problem: Literal["synthetic", "non_contextual"]) -> ContextualBandit:
    """The bandit whose prior is what the exact distribution of the selected says."""
    files = {"synthetic": "bounds_contextual_exact", "non_contextual": "bounds_non_contextual_exact"}
    return PROBLEMS[problem](bounds=results.file(files[problem]), draw=0)


def _worst(problem: ContextualBandit, horizon: int) -> float:
    """The largest regret that any policy can have."""
    return horizon * float((problem.means.max(axis=1) - problem.means.min(axis=1)).max())


def gain_without_context(claim: Claim, results: Results) -> Judgement:
    """The policy's regret lies above the other's; beside it, what Theorem 8 promises with the exact bounds."""
    judged = judge_above(*claim.pair(results))
    problem, horizon = _with_exact_bounds(results, "non_contextual"), results.horizon(claim.experiment)
    plain, clipped = (ucb_bound(problem, horizon, with_bounds=bounds) for bounds in (False, True))
    why = (
        f"paired by seed, {judged.why}; the exact distribution's bounds rule out {int(ruled_out(problem).sum())} of "
        f"{problem.means.size} arms, and Theorem 8's bound on regret is {plain:.0f} without and {clipped:.0f} with them"
    )
    return replace(judged, why=why)


def guaranteed(claim: Claim, results: Results) -> Judgement:
    """The policy has less regret than the other on the published share of seeds; beside it, on average.

    The theorem says "guaranteed" of the regret where bounds rule arms out: a share of 1, and not the mean.
    """
    policy, against = claim.pair(results)
    judged, mean = judge_rate(policy < against, claim.number), mean_interval(against - policy)
    out = int(ruled_out(_with_exact_bounds(results, "synthetic")).sum())
    why = (
        f"the exact bounds rule out {out} pairs of arm and context; lower regret: {judged.why}; on average it is lower "
        f"by {mean.value:.1f} ({mean.low:.1f} to {mean.high:.1f})"
    )
    return replace(judged, why=why)


def theorem_5(claim: Claim, results: Results) -> Judgement:
    """Every seed's regret against the bound, which holds with probability 1 - delta; delta = 1/T is not published."""
    problem, horizon = _with_exact_bounds(results, "synthetic"), results.horizon(claim.experiment)
    bound = lin_ucb_bound(problem, horizon, with_bounds=True)
    values = claim.values(results).to_numpy()
    return judge_bound(bound, values, _worst(problem, horizon), probability=1 - 1 / horizon)


def theorem_7(claim: Claim, results: Results) -> Judgement:
    """The bound holds in the limit of many rounds, which no horizon tests; its value at this one stands beside."""
    problem, horizon = _with_exact_bounds(results, "synthetic"), results.horizon(claim.experiment)
    ours, printed = (oam_bound(problem, horizon, with_bounds=True, bounded=which) for which in ("kept", "all"))
    regret = claim.values(results).to_numpy()
    why = (
        f"asymptotic: no horizon can contradict it; its value here is {ours:.1f} with the constraint for the arms that "
        f"are kept, {printed:.1f} for all arms as printed"
    )
    return Judgement(NOT_TESTABLE, why, SIMULATED, f"{regret.mean():.2f}", n=len(regret))


def theorem_8(claim: Claim, results: Results) -> Judgement:
    """The mean regret against the bound, which is one on the expectation."""
    problem, horizon = _with_exact_bounds(results, "non_contextual"), results.horizon(claim.experiment)
    bound = ucb_bound(problem, horizon, with_bounds=True)
    return judge_mean_bound(bound, claim.values(results).to_numpy(), _worst(problem, horizon))


JUDGES: dict[str, Judge] = {
    "cell": Judge(cell, needs=("number",)),
    "truth": Judge(truth, needs=("number",)),
    "contains": Judge(contains, needs=("number",)),
    "deviates": Judge(deviates),
    "kept": Judge(kept, needs=("number",)),
    "ancestors": Judge(ancestors),
    "substitutes": Judge(substitutes),
    "gain_without_context": Judge(gain_without_context, needs=("policy", "against")),
    "guaranteed": Judge(guaranteed, needs=("number", "policy", "against"), value=Probability),
    "theorem_5": Judge(theorem_5, needs=("policy",)),
    "theorem_7": Judge(theorem_7, needs=("policy",)),
    "theorem_8": Judge(theorem_8, needs=("policy",)),
}
