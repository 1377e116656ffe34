"""Judge the claims of huang2024 about offline data, regret and theorems.

Ledger L97 lists what has no row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.bounds import BCE, Method
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.problems.huang2024 import CONTEXT, GRAPH, LEVELS, MANIPULABLE, PROBLEMS
from experiments import files
from experiments.results import Results
from experiments.settings import compact
from replication.judging.claims import Final, Printed, check, check_number, pair
from replication.judging.judges import (
    WORST_FIRST,
    Judgement,
    Outcome,
    Why,
    by_construction,
    judge_above,
    judge_bound,
    judge_exact,
    judge_mean,
    judge_mean_bound,
    judge_rate,
    judge_rounded,
    noted,
    opened,
    reason,
)
from replication.judging.judges.intervals import clopper_pearson
from replication.judging.judges.means import FEW
from replication.papers.huang2024.stages import GRAPHS, ROUNDING, ROW_COUNT, exchangeable, rows_of_pairs
from replication.papers.huang2024.tables import by_row, covered_rows, cp_per_sample, per_sample, published_column
from replication.papers.huang2024.theory import (
    lin_ucb_bound,
    oam_bound,
    oam_confidence,
    ruled_out,
    smallest_gap,
    ucb_bound,
)

#: Columns of the stage ``bounds`` that a column of Table 1 may show.
Estimate = Literal[
    "cp", "biased", "biased_conditional", "observed", "lower", "upper", "strict_lower", "strict_upper", "truth"
]  # fmt: skip

#: Half a unit of the last digit that Table 1 prints.
HALF_DIGIT = 0.0005

#: The precision required of a cell of Table 1, relative to it.
PRECISION = 0.2

#: Number of standard deviations over samples below which an error cannot be distinguished from noise.
NOISE = 1.96

#: The share of samples whose bounds must contain the truth: what is said of bounds in general is no luck of one sample.
GUARANTEED = 0.95


def _effect() -> FloatArray:
    """Compute the exact E[Y | do(x), u] of Table 2, shape (16,)."""
    return rows_of_pairs(PROBLEMS["synthetic"]().means)


def _limits(results: Results) -> pd.DataFrame:
    """Read the values in the limit of infinite offline data, by row of Table 1."""
    return by_row(results.file("bounds_contextual_exact")).set_index("row").sort_index()


@check_number()
def cell(printed: Printed, results: Results, estimate: Estimate) -> Judgement:
    """Judge whether a cell of Table 1, and its whole column, can come from one offline sample.

    A cell inside its own interval is not evidence if no sample has such a column, so the weaker of the two verdicts
    counts. A bound that does not vary over samples is not an estimate; it is compared with the printed digits. CP has
    its own, much larger set of samples (ledger L160).
    """
    if estimate == "cp":
        values = cp_per_sample(results.file("bounds_cp"))
    else:
        values = per_sample(results.file("bounds_contextual"), estimate).to_numpy()
    ours = values[:, index_of(printed) - 1]
    if len(ours) > 1 and (ours == ours[0]).all():
        return judge_rounded(printed.value, float(ours[0]), implied_by="Algorithm 1")
    judged = judge_mean(printed.number, ours, 1, precision=PRECISION, unit="sample")
    if len(ours) == 1:
        return judged
    column = judge_column(published_column(results, printed.column), values)
    found = replace(judged, reason=reason(f"the column: {column.reason}", judged.reason))
    order = (Outcome.FAILS, Outcome.OPEN)
    if column.outcome not in order or (judged.outcome in order[: order.index(column.outcome) + 1]):
        return found
    return replace(found, outcome=column.outcome, why=column.why)


def index_of(printed: Printed) -> int:
    """Return the index of a row of Table 1, from 1."""
    return int(printed.row.removeprefix("index "))


# Judge whether a whole column of Table 1 can come from one sample (ledger L160).

#: Number of digits after the decimal point in Table 1.
DIGITS = 3
#: Minimum number of samples for each number tested; with fewer, their covariance is too imprecise.
SAMPLES_PER_NUMBER = 10
#: Eigenvalues of a covariance below this share of the largest count as zero; some numbers coincide in all samples.
SINGULAR = 1e-10
#: How far off the distance of the published numbers may be, in standard errors.
ERRORS = 1.96


class JointTest(NamedTuple):
    """Number of samples at least as far from the mean of all points as the published numbers.

    Attributes
    ----------
    as_far : int
    samples : int
    least, most : int
        The value of ``as_far`` if the distance of the published numbers is `ERRORS` standard errors larger, and
        smaller: the mean and the covariance that define the distance are estimated from these samples alone.
    """

    as_far: int
    samples: int
    least: int
    most: int

    @property
    def share(self) -> float:
        """The p-value: the share of all points (samples and published numbers) that are at least as far."""
        return (self.as_far + 1) / (self.samples + 1)


def joint_test(published: FloatArray, samples: FloatArray) -> JointTest:
    """Compare a set of published numbers with samples of the whole set, by Mahalanobis distance.

    The published numbers are added to the samples; distances are from the mean of all points, by the covariance of all
    points. So if the published numbers are one more sample, every rank of their distance is equally likely, and the
    test is exact. Samples must be rounded like the published numbers. If some numbers coincide in all samples but not
    in the published set, the set's distance is the largest that one of ``n + 1`` points can have.

    Parameters
    ----------
    published : array, shape (k,)
    samples : array, shape (n, k)

    Raises
    ------
    ValueError
        If there are fewer than `SAMPLES_PER_NUMBER` samples for each number, or the shapes do not match.
    """
    n, k = samples.shape
    if len(published) != k or n < SAMPLES_PER_NUMBER * k:
        raise ValueError(
            f"{n} samples of {k} numbers, {len(published)} published; "
            f"expected as many, and {SAMPLES_PER_NUMBER} samples for each"
        )
    together = np.vstack([samples, published])
    centred = together - together.mean(axis=0)
    inverse = np.linalg.pinv(centred.T @ centred / n, rcond=SINGULAR, hermitian=True)
    distances = ((centred @ inverse) * centred).sum(axis=1)
    # A point's squared distance d has a variance of about (2 d^2 + 4 d) / n; the first term is due to the covariance.
    error = ERRORS * math.sqrt((2 * distances[-1] ** 2 + 4 * distances[-1]) / n)
    as_far, least, most = (
        int((distances[:-1] >= (distances[-1] + change) * (1 - 1e-9)).sum()) for change in (0.0, error, -error)
    )
    return JointTest(as_far, n, least, most)


def judge_column(published: FloatArray, samples: FloatArray) -> Judgement:
    """Judge whether a column as a whole can come from one sample (`joint_test`).

    Level: 95 % interval (Clopper-Pearson, from ``least`` to ``most`` of `JointTest`) of the share of samples at least
    as far. Boundary: 2.5 % of samples (`FEW`), as for printed means; neither fewer than 146 samples nor fewer than
    `SAMPLES_PER_NUMBER` for each number can refute a column (ledger L160).

    Parameters
    ----------
    published : array, shape (k,)
    samples : array, shape (n, k)
        One row per seed; rounded here like Table 1.
    """
    n, k = samples.shape
    if n < SAMPLES_PER_NUMBER * k:
        why = f"{n} samples are too few to test {k} numbers together"
        return Judgement(Outcome.OPEN, why, n=n, why=Why.SEEDS)
    tested = joint_test(published, samples.round(DIGITS))
    low, high = clopper_pearson(tested.least, n)[0], clopper_pearson(tested.most, n)[1]
    found = Outcome.HOLDS if low > FEW else Outcome.FAILS if high <= FEW else Outcome.OPEN
    why = f"p = {tested.share:.3g}, boundary {FEW:g}"
    return Judgement(found, why, f"{100 * tested.as_far / n:.1f} %", low, high, n, opened(found, Why.SEEDS))


@check_number()
def truth(printed: Printed, results: Results) -> Judgement:
    """Judge a cell of the column Truth against the exact effect of Table 2."""
    return judge_rounded(printed.value, float(_effect()[index_of(printed) - 1]), implied_by="Table 2")


@check_number()
def contains(
    printed: Printed, results: Results, bounds: Literal["printed", "exact", "strict", "sample"] = "printed"
) -> Judgement:
    """Judge the number of rows of Table 1 whose bounds contain the exact effect of Table 2.

    Parameters
    ----------
    bounds
        ``printed``: those of Table 1. ``exact``: those from infinite offline data; ``strict``: the same, following
        Algorithm 1 to the letter (ledger L22); both provably contain the effect. ``sample``: those of one offline
        sample, of which a guarantee must hold for at least `GUARANTEED`.
    """
    effect = _effect()
    if bounds == "printed":
        lower, upper = (published_column(results, column) for column in ("BCE lb", "BCE ub"))
        inside = int(((lower - HALF_DIGIT <= effect) & (effect <= upper + HALF_DIGIT)).sum())
        judged = judge_exact(printed.value, str(inside), implied_by="Table 2, for the printed bounds")
        return noted(judged, f"exact bounds contain the effect in {_inside_limits(results, '', effect)} rows")
    if bounds != "sample":
        inside = _inside_limits(results, "strict_" if bounds == "strict" else "", effect)
        return by_construction(judge_exact(printed.value, str(inside)))
    counts = covered_rows(by_row(results.file("bounds_contextual")), effect)
    shows = (counts >= printed.number).to_numpy()
    told = f"{int(shows.sum())} of {len(shows)} samples show it; a guarantee takes {100 * GUARANTEED:g} %"
    average = f"a sample's bounds contain the effect in {counts.mean():.1f} of {ROW_COUNT} rows on average"
    return replace(judge_rate(shows, GUARANTEED), reason=reason(told, average))


def _inside_limits(results: Results, prefix: str, effect: FloatArray) -> int:
    """Count the rows whose bounds from infinite offline data contain the effect."""
    limits = _limits(results)
    lower, upper = (limits[f"{prefix}{side}"].to_numpy() for side in ("lower", "upper"))
    return int(((lower <= effect + 1e-12) & (effect <= upper + 1e-12)).sum())


@check_number()
def covers_at_levels(printed: Printed, results: Results) -> Judgement:
    """Judge the number of rows whose exact bounds contain the effect, at the level of bias with the fewest of them."""
    frame, effect = by_row(results.file("bounds_levels_exact")), _effect()
    at_levels = frame.groupby(list(LEVELS), dropna=False)
    inside = [int(covered_rows(level, effect, rounding=1e-12).min()) for _, level in at_levels]
    judged = judge_exact(printed.value, str(min(inside)))
    return noted(judged, f"{len(inside)} levels of confounding and selection")


@check_number()
def misses(
    printed: Printed, results: Results, estimate: Estimate, *, beyond: Literal["rounding", "noise"] = "rounding"
) -> Judgement:
    """Judge the number of rows in which an estimate from infinite offline data misses the exact effect.

    A miss is an error larger than ``beyond``: the rounding of the printed digits, or 1.96 standard deviations of the
    estimate over offline samples as large as the paper's, since a smaller error could not be distinguished from noise
    on the one sample that the paper shows.
    """
    gap = np.abs(_limits(results)[estimate].to_numpy() - _effect())
    noise = per_sample(results.file("bounds_contextual"), estimate).to_numpy().std(axis=0, ddof=1)
    judged = judge_exact(printed.value, str(int((gap > (NOISE * noise if beyond == "noise" else HALF_DIGIT)).sum())))
    return noted(judged, f"off by {gap.min():.3f} to {gap.max():.3f}; standard deviation at most {noise.max():.3f}")


@check_number()
def kept(printed: Printed, results: Results, margin: float) -> Judgement:
    """Judge the number of one sample's draws that the selection keeps; ``margin`` quantifies "approximately" (L64)."""
    table = files.read(results.file("data_offline"), ["seed", "count"]).to_pandas()
    counts = table.groupby("seed")["count"].sum().to_numpy()
    return judge_mean(printed.number, counts, 1, margin=margin, unit="sample")


@check
def ancestors(printed: Printed, results: Results) -> Judgement:
    """Judge which variables' c-factors make up P_x(y, c): An(Y) in the graph without X, and the context."""
    rest = GRAPH.subgraph(set(GRAPH) - set(MANIPULABLE))
    found = " ".join(f"{{{v}}}" for v in sorted(rest.ancestors("Y") | set(CONTEXT)))
    return judge_exact(printed.value, found, implied_by="the paper's own Fig. 2")


@check
def substitutes(printed: Printed, results: Results, method: Method) -> Judgement:
    """Judge what FindRSI returns on the paper's example."""
    found = BCE(GRAPH, treatment=MANIPULABLE, context=CONTEXT, outcome="Y", selection="S", method=method).substitutes
    shown = " ".join("{" + ",".join(sorted(w)) + "}" for w in found)
    return judge_exact(printed.value, shown or "none", implied_by="the paper's own Fig. 2")


# Judge what huang2024 says about regret and its theorems.

#: Number of rounds of the paper's online learning.
ROUNDS = 15_000


def _with_exact_bounds(results: Results, problem: Literal["synthetic", "non_contextual"]) -> ContextualBandit:
    """Build the bandit whose prior holds the exact causal bounds."""
    files = {"synthetic": "bounds_contextual_exact", "non_contextual": "bounds_non_contextual_exact"}
    return PROBLEMS[problem](bounds=results.file(files[problem]), draw=0)


def _worst(problem: ContextualBandit, horizon: int) -> float:
    """Compute the largest regret that any policy can have."""
    return horizon * float((problem.means.max(axis=1) - problem.means.min(axis=1)).max())


@check
def tighter(
    printed: Printed, results: Results, theorem: Literal[5, 7, 8], *, bounded: Literal["kept", "all"] = "kept"
) -> Judgement:
    """Judge whether a theorem's bound on regret is smaller with the exact causal bounds, for T = 15,000.

    The theorems promise a gain only if the bounds rule out an arm; if they rule out none, nothing can be tested.

    ``bounded``: the arms to which Theorem 7's constraint applies; see `theory.allocation_value`.
    """
    problem = _with_exact_bounds(results, "non_contextual" if theorem == 8 else "synthetic")

    def bound(with_bounds: bool) -> float:
        if theorem == 7:
            return oam_bound(problem, ROUNDS, with_bounds=with_bounds, bounded=bounded)
        return {5: lin_ucb_bound, 8: ucb_bound}[theorem](problem, ROUNDS, with_bounds=with_bounds)

    without, clipped = bound(False), bound(True)
    relation = "=" if math.isclose(without, clipped, rel_tol=1e-9) else ">" if without > clipped else "<"
    judged, excluded = judge_exact(printed.value, relation), int(ruled_out(problem).sum())
    if not excluded:
        why = "no gain is promised if they rule out none"
        judged = replace(judged, outcome=Outcome.OPEN, why=Why.UNTESTABLE, reason=why)
    bounds = f"the bound is {without:.1f} without and {clipped:.1f} with the exact causal bounds"
    out = f"they rule out {excluded} of {problem.means.size} pairs of arm and context"
    shown = f"{without:.1f} {relation} {clipped:.1f}"
    return replace(judged, replicated=shown, reason=reason(bounds, out, judged.reason))


@check_number()
def theorem_4(printed: Printed, results: Results, *, exchange: bool = False) -> Judgement:
    """Judge the number of random models on which Theorem 4's bounds miss P_x(y).

    All probabilities are exact. The graphs are those in which W is a substitute by the theorem as printed; with
    ``exchange``, those that also meet the condition stated before the theorem (E01).
    """
    models = files.read(results.file("bounds_theorem_4")).to_pandas()
    meeting = [name for name in GRAPHS if not exchange or exchangeable(name)]
    missed = int((models.loc[models["graph"].isin(meeting), "excess"] > ROUNDING).sum())
    judged = judge_exact(printed.value, str(missed), implied_by="P_x(y) of a random model")
    return noted(judged, f"{missed} of {int(models['graph'].isin(meeting).sum())} models on {len(meeting)} graphs")


@check
def above_at_levels(printed: Printed, results: Results, levels: Sequence[tuple[Final, Final]]) -> Judgement:
    """Judge whether one policy's mean is above the other's at every level of some settings.

    The worst level counts; its numbers are shown.
    """
    judged = []
    for larger, smaller in levels:
        judged.append((judge_above(*pair(larger, smaller, results)), compact(dict(smaller.policy.settings))))
    worst, where = min(judged, key=lambda each: (WORST_FIRST.index(each[0].outcome), each[0].ci_low))
    held = sum(each.outcome is Outcome.HOLDS for each, _ in judged)
    return replace(worst, reason=reason(f"holds at {held} of {len(judged)} levels, worst at {where}", worst.reason))


@check
def theorem_6(
    printed: Printed, results: Results, ours: Final, other: Final, *, in_every_run: bool = False
) -> Judgement:
    """Judge whether the policy has less regret than the other, on average or in every run (ledger L96)."""
    policy, against = pair(ours, other, results)
    return judge_rate(policy < against, 1.0) if in_every_run else judge_above(against, policy)


@check
def theorem_5(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge every seed's regret against Theorem 5's bound with delta = 1/T (the paper states no delta)."""
    problem, horizon = _with_exact_bounds(results, "synthetic"), ours.horizon(results)
    bound = lin_ucb_bound(problem, horizon, with_bounds=True)
    values = ours.values(results).to_numpy()
    return judge_bound(bound, values, _worst(problem, horizon), probability=1 - 1 / horizon)


@check
def theorem_7(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Report Theorem 7's bound; it holds only in the limit of many rounds, so no run can test it."""
    problem, horizon = _with_exact_bounds(results, "synthetic"), ours.horizon(results)
    kept_arms, all_arms = (oam_bound(problem, horizon, with_bounds=True, bounded=which) for which in ("kept", "all"))
    regret = ours.values(results).to_numpy()
    why = reason(
        "asymptotic: no horizon can contradict it",
        f"its value here is {kept_arms:.1f} with the constraint on the arms that are kept, {all_arms:.1f} on all arms",
    )
    shown, n = f"{regret.mean():.2f}", len(regret)
    return Judgement(Outcome.OPEN, why, shown, n=n, why=Why.UNTESTABLE)


@check
def line_13(printed: Printed, results: Results, *, horizon: int) -> Judgement:
    """Judge whether a pair of arm and context can be played as often as Algorithm 5 asks (E12).

    The number of plays is that of line 13, and must fit into T rounds. As printed, the line asks for min(T, f_n /
    Delta_min)^2 plays; Delta_min is computed from the exact means.
    """
    problem = _with_exact_bounds(results, "synthetic")
    asked = min(horizon, oam_confidence(problem, horizon) / smallest_gap(problem)) ** 2
    judged = judge_exact(printed.value, "<=" if asked <= horizon else ">", implied_by="T, the total number of plays")
    return noted(judged, f"it asks for {asked:,.0f} plays of each pair in {horizon:,} rounds")


@check
def theorem_8(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge the mean regret against Theorem 8's bound on the expectation."""
    problem, horizon = _with_exact_bounds(results, "non_contextual"), ours.horizon(results)
    bound = ucb_bound(problem, horizon, with_bounds=True)
    return judge_mean_bound(bound, ours.values(results).to_numpy(), _worst(problem, horizon))
