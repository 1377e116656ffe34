"""What the replication says about each claim of data/published/huang2024.csv."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from causal_bandits.estimation.bounds import BCE, Method
from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.evaluation.verdicts import (
    CONTRADICTED,
    DIRECTION_ONLY,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    Judgement,
    judge_bound,
    judge_exact,
    judge_mean,
    judge_ordering,
)
from causal_bandits.papers.huang2024.labels import (
    ALPHAS,
    HORIZON,
    ROWS,
    by_row,
    covered_cells,
    in_rows,
    published_column,
)
from causal_bandits.papers.huang2024.problems import CONTEXT, GRAPH, MANIPULABLE, PROBLEMS
from causal_bandits.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound

FloatArray = NDArray[np.float64]

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
    """Estimates are judged as one offline sample's; the truth is exact and has no error.

    A cell inside its own interval does not count as reproduced if the column as a whole is one that no sample shows.
    """
    number = int(row) - 1
    if column == "truth":
        exact = _truth()[number]
        if abs(exact - float(published)) <= ROUNDING:
            return Judgement(REPRODUCED, "computed, no sampling", f"{exact:.4f}")
        why = f"Table 2 implies {exact:.4f} exactly; what the column shows instead: table `truth`"
        return Judgement(CONTRADICTED, why, f"{exact:.4f}", ledger="E03")
    values = _offline(results).pivot(index="seed", columns="row", values=column)
    ledger = {"cp": "", "biased": "L25 E02"}.get(column, "L22 E02 E04")
    judged = judge_mean(float(published), values[number], 1, ledger=ledger)
    as_far = _samples_as_far(values, published_column(results, column))
    why = f"{judged.why}; the column as a whole: {100 * as_far:.1f} % of samples lie as far from their mean"
    # The published column counts as one more sample, so that few samples cannot reject it.
    rejected = judged.verdict == REPRODUCED and (as_far * len(values) + 1) / (len(values) + 1) < 0.001
    return replace(judged, verdict=NOT_REPRODUCED if rejected else judged.verdict, why=why)


def _samples_as_far(values: pd.DataFrame, column: FloatArray) -> float:
    """Share of samples whose squared standardised distance from the mean is at least that of a published column."""
    mean, sd = values.mean().to_numpy(), values.std().to_numpy()
    distance = (((values.to_numpy() - mean) / sd) ** 2).sum(axis=1)
    return float((distance >= (((column - mean) / sd) ** 2).sum()).mean())


def _contains(published: str, results: Results, *_about: str) -> Judgement:
    """In how many cells the published bounds contain the exact effect of Table 2; and those of this study."""
    truth = _truth()
    lower, upper = (published_column(results, column) for column in ("lower", "upper"))
    inside = int(((lower - ROUNDING <= truth) & (truth <= upper + ROUNDING)).sum())
    exact = _offline(results, "bounds_contextual_exact").set_index("row").sort_index()
    ours = int(((exact["lower"] <= truth + 1e-12) & (truth <= exact["upper"] + 1e-12)).sum())
    counts = covered_cells(_offline(results), truth)
    why = (
        f"the published intervals contain the exact effect of Table 2 in {inside} cells; of this study's, those of the "
        f"exact distribution in {ours}, those of one offline sample in {counts.mean():.1f} on average, in all "
        f"{ROWS} at once in {100 * (counts == ROWS).mean():.1f} % of samples"
    )
    verdict = REPRODUCED if inside == int(published) else CONTRADICTED
    return Judgement(verdict, why, str(inside), n=len(counts), ledger="L22 E04")


def _deviates(published: str, results: Results, column: str) -> Judgement:
    """In how many cells an estimator's limit misses the exact effect by more than a sample's own 95 % noise."""
    exact = _offline(results, "bounds_contextual_exact").set_index("row").sort_index()
    gap = (exact[column] - _truth()).abs()
    noise = 1.96 * _offline(results).groupby("row")[column].std()
    cells = int((gap > noise).sum())
    verdict = REPRODUCED if cells == ROWS else DIRECTION_ONLY if cells else NOT_REPRODUCED
    why = f"with infinitely many samples it misses the effect by {gap.min():.3f} to {gap.max():.3f}"
    return Judgement(verdict, f"{why}; beyond one sample's noise in {cells} of {ROWS} cells", f"{cells} cells", n=ROWS)


def _kept(published: str, results: Results, *_about: str) -> Judgement:
    """Selected samples; "approximately" is read as within 5 %."""
    if "data_offline" not in results.files:
        raise NotRunError("not in this configuration: data.offline")
    table = pq.read_table(results.files["data_offline"], columns=["seed", "count"]).to_pandas()
    return judge_mean(float(published), table.groupby("seed")["count"].sum(), 1, margin=0.05, ledger="L64")


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
    judged = judge_ordering(*(results.final(experiment, policy=policy) for policy in (larger, smaller)))
    if experiment == "linear":
        return _over_settings(judged, results, larger, smaller)
    if experiment == "oam":
        other = judge_ordering(
            *(results.final("oam", policy=f"{policy}_small_epsilon") for policy in (larger, smaller))
        )
        why = (
            f"{judged.why}; OAM is uniform play at the published eps_t; at 0.01 of it: {other.replicated} "
            f"({other.ci_low:.1f} to {other.ci_high:.1f})"
        )
        verdict = judged.verdict if other.verdict == judged.verdict else DIRECTION_ONLY
        return replace(judged, verdict=verdict, why=why, ledger="L57 L58")
    exact = results.final("exact_non_contextual", policy=smaller).mean()
    why = (
        f"{judged.why}; with the exact distribution's bounds, which rule no arm out, {smaller} has {exact:.1f}: what "
        "is clipped is UCB's wide index, and Theorem 8 promises no gain here"
    )
    return replace(judged, why=why, ledger="L63")


def _over_settings(judged: Judgement, results: Results, larger: str, smaller: str) -> Judgement:
    """An ordering at the default settings is reproduced if it holds at all others tried, direction only if not."""
    settings = {f"alpha = {alpha:g}": ("alpha", f"_{name}") for alpha, name in ALPHAS.items()}
    settings |= {"one theta for all arms": ("variants", "_shared")}
    if "cp" in larger or "biased" in larger:
        settings |= {"weight 1": ("variants", "_one")}
    if "biased" in larger:
        settings |= {"P(y | x, S=1) for Biased": ("variants", "_observed")}
    held, shown = [judged.verdict == REPRODUCED], []
    for name, (experiment, ending) in settings.items():
        # A setting of warm starts leaves the other side as it is.
        base = smaller if ending in ("_one", "_observed") else smaller + ending
        other = judge_ordering(
            results.final(experiment, policy=larger + ending), results.final(experiment, policy=base)
        )
        held.append(other.verdict == REPRODUCED)
        shown.append(f"{name}: {other.replicated} ({other.ci_low:.1f} to {other.ci_high:.1f})")
    verdict = DIRECTION_ONLY if held[0] and not all(held) else judged.verdict
    why = f"at the default settings {judged.why}; {'; '.join(shown)}"
    return replace(judged, verdict=verdict, why=why, ledger="L25 L55 L56 L61")


def _expect_published_horizon(results: Results, experiment: str) -> None:
    if results.horizon(experiment) != HORIZON:
        raise NotRunError(f"not in this configuration: {HORIZON} rounds (played: {results.horizon(experiment)})")


def _lemma6(published: str, results: Results, *_about: str) -> Judgement:
    """Pulls of arms that the bounds of the exact distribution rule out, at several alpha."""
    pulls = {
        alpha: results.final("exact", policy=policy, metric="ruled_out")
        for alpha, policy in ((1, "lin_ucb_pcb"), (0.25, "lin_ucb_pcb_025"), (9, "lin_ucb_pcb_9"))
    }
    seeds = "; ".join(f"alpha = {alpha:g}: {int((n > 0).sum())} of {len(n)} seeds" for alpha, n in pulls.items())
    why = (
        f"seeds that pull such an arm at {seeds}; the proof takes the best arm's index to be above its mean, as a "
        "large alpha gives (Eq. 13: about 9)"
    )
    verdict = REPRODUCED if not pulls[1].any() else NOT_REPRODUCED
    shown = f"{pulls[1].mean():.2f}"
    return Judgement(verdict, why, shown, n=len(pulls[1]), ledger="L55 E14")


def _theorem6(published: str, results: Results, experiment: str, larger: str, smaller: str) -> Judgement:
    """On how many seeds LinUCB-PCB has lower regret, with bounds that are valid and rule arms out."""
    difference = results.final(experiment, policy=larger) - results.final(experiment, policy=smaller)
    lower = int((difference > 0).sum())
    why = f"lower on {lower} of {len(difference)} seeds; difference {difference.mean():.1f} on average"
    verdict = REPRODUCED if lower == len(difference) else NOT_REPRODUCED
    return Judgement(verdict, why, str(lower), n=len(difference), ledger="E14")


def _theorem7(published: str, results: Results, experiment: str, policy: str) -> Judgement:
    """The bound holds in the limit of many rounds, which no horizon tests; its value at this one stands beside."""
    problem = PROBLEMS["synthetic"](bounds=_file(results, "bounds_contextual_exact"), draw=0)
    regret = results.final(experiment, policy=policy)
    bound = oam_bound(problem, results.horizon(experiment), with_bounds=True)
    why = f"asymptotic: no horizon can contradict it; its value here is {bound:.1f}"
    return Judgement(NOT_TESTABLE, why, f"{regret.mean():.2f}", n=len(regret), ledger="L57 L58 E13")


def _file(results: Results, name: str) -> str:
    if name not in results.files:
        raise NotRunError(f"not in this configuration: {name.replace('_', '.', 1)}")
    return results.files[name]


def _theorem(published: str, results: Results, experiment: str, policy: str) -> Judgement:
    """A bound, with the exact distribution's causal bounds, against every seed's regret."""
    if experiment == "linear":  # Theorem 5 is about one theta for all arms
        problem = PROBLEMS["synthetic"](bounds=_file(results, "bounds_contextual_exact"), draw=0)
        bound = lin_ucb_bound(problem, results.horizon("variants"), with_bounds=True)
        regret = results.final("variants", policy=f"{policy}_shared")
    else:
        problem = PROBLEMS["non_contextual"](bounds=_file(results, "bounds_non_contextual_exact"), draw=0)
        bound = ucb_bound(problem, results.horizon(experiment), with_bounds=True)
        regret = results.final(experiment, policy=policy)
    worst = results.horizon(experiment) * float((problem.means.max(axis=1) - problem.means.min(axis=1)).max())
    return judge_bound(bound, regret, worst, ledger="L61 E14")


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
    "theorem6": _theorem6,
    "theorem7": _theorem7,
    "theorem8": _theorem,
}
