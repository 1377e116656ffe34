"""What wrong edges cost, by their number.

Curves over the dose tell how many a learner may believe in and still gain.

A learner who believes in a diagram is held against the best learner without one, problem by problem (L212).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from arena.players import median, ratio
from causal_bandits.arrays import FloatArray
from causal_bandits.problems.construction.arena.beliefs import ROUNDING, generator, true_diagram
from causal_bandits.problems.construction.arena.dosed import EVERYTHING, SINGLE, belief_of
from causal_bandits.problems.construction.arena.dosed_linear import CAUTIOUS
from causal_bandits.problems.construction.arena.doses import KINDS, MIXED
from experiments.results import NotRunError, Results

#: Resamples of the bootstrap over problems.
RESAMPLES = 2000
#: What a curve compares, by the metric.
MEASURED = {"cumulative_regret": "regret", "correct": "wrong answers", "sample_complexity": "rounds to the answer"}
#: A kind is followed up to the largest dose that at least this share of the problems admits (L211).
ELIGIBLE = 0.5


@dataclass(frozen=True)
class Dosed:
    """A learner that believes in a diagram, and the learners without one that play the same problems.

    Parameters
    ----------
    name : str
        The algorithm.
    experiment : str
        Where it plays at every dose.
    algorithm : mapping
        Settings that select it there.
    without : tuple of (str, str, mapping)
        Name, experiment and settings of each learner without a diagram.
    metric : str
        A key of `MEASURED`. Of ``correct`` the share of wrong answers is taken.
    on_diagrams : bool
        Whether errors are of all `doses.KINDS`; else they are of fewer kinds.
    ends : bool
        Whether it ends when it is sure. Such a learner gains rounds and risks wrong answers. Only its rounds have a
        number of wrong edges that breaks even; they are held against two others, one at a time (L271).
    """

    name: str
    experiment: str
    algorithm: Mapping[str, Any]
    without: tuple[tuple[str, str, Mapping[str, Any]], ...]
    metric: Literal["cumulative_regret", "correct", "sample_complexity"] = "cumulative_regret"
    on_diagrams: bool = True
    ends: bool = False

    @property
    def breaks_even(self) -> bool:
        """Whether a number of wrong edges breaks even: not for wrong answers of who plays until sure."""
        return not (self.ends and self.metric == "correct")


def _alone(experiment: str) -> tuple[tuple[str, str, Mapping[str, Any]], ...]:
    names = {EVERYTHING: "TS on all interventions", SINGLE: "TS on one variable at most"}
    return tuple((name, experiment, {"algorithm": "thompson", "kind": kind}) for kind, name in names.items())


def _rejects(budget: int) -> Dosed:
    settings = {"algorithm": "successive_rejects", "budget": budget}
    alone = (f"SR of {budget:,} rounds", "dose_answers", {**settings, "watch": 0.0, "wrong": 0})
    name = f"SR of {budget:,} rounds, half watching"
    return Dosed(name, "dose_answers", {**settings, "watch": 0.5}, (alone,), "correct")


def _until_sure(name: str, algorithm: str) -> Iterator[Dosed]:
    """Yield a learner that ends when it is sure: its wrong answers, and its rounds against two others."""
    names = {"kl": "KL-LUCB", "xiong": "LUCB with radii of CCPE-General"}
    alone = [(name, "dose_sure_alone", {"algorithm": "lucb", "bounds": bounds}) for bounds, name in names.items()]
    yield Dosed(name, "dose_sure", {"algorithm": algorithm}, tuple(alone), "correct", ends=True)
    for rival in alone:
        yield Dosed(name, "dose_sure", {"algorithm": algorithm}, (rival,), "sample_complexity", ends=True)


#: The learners, in the order in which tables show them.
LEARNERS: tuple[Dosed, ...] = (
    Dosed("TS", "dose", {"algorithm": "thompson"}, _alone("dose")),
    Dosed("TS", "dose_short", {"algorithm": "thompson"}, _alone("dose_short")),
    Dosed("TS", "dose_long", {"algorithm": "thompson"}, _alone("dose_long")),
    Dosed("TS", "dose_kinds", {"algorithm": "thompson"}, _alone("dose")),
    Dosed("kl-UCB", "dose_solvers", {"algorithm": "kl_ucb"}, _alone("dose")),
    Dosed("z2-TS", "dose_solvers", {"algorithm": "z2_thompson"}, _alone("dose")),
    Dosed("z2-kl-UCB", "dose_solvers", {"algorithm": "z2_kl_ucb"}, _alone("dose")),
    Dosed("C-TS", "dose_parents", {"algorithm": "c_ts"}, _alone("dose")),
    Dosed("C-UCB", "dose_parents", {"algorithm": "c_ucb_arms"}, _alone("dose")),
    Dosed("HAC-UCB", "dose_parents", {"algorithm": "hac_ucb"}, _alone("dose")),
    Dosed(
        "CN-UCB",
        "dose_tree",
        {"algorithm": "cn_ucb"},
        (
            ("UCB on all arms", "dose_tree_alone", {"algorithm": "gaussian_ucb"}),
            ("TS on all arms", "dose_tree_alone", {"algorithm": "gaussian_thompson"}),
        ),
        on_diagrams=False,
    ),
    Dosed(
        "LinSEM-TS",
        "dose_linear",
        {"algorithm": "linsem_ts"},
        (("LinSEM-TS told the causal order", "dose_linear", {"algorithm": "linsem_ts", "kind": CAUTIOUS}),),
        on_diagrams=False,
    ),
    _rejects(500),
    *_until_sure("CCPE-General", "ccpe_general"),
    *_until_sure("1,000 watching, then LUCB", "observe_then_lucb"),
)


class Curve(NamedTuple):
    """One learner's losses over the dose, on the same problems at every dose.

    Attributes
    ----------
    learner : Dosed
    situation : mapping
        ``nodes`` and, where there are some, ``confounders``.
    kind : str
        Of the errors.
    doses : tuple of int
        Numbers of wrong edges, ascending, 0 first.
    losses : DataFrame, one row per problem
        One column per dose: regret; or 1 for an answer that is wrong or missing; or rounds to the answer, all that
        were played where there is none.
    against : str
        The best learner without a diagram: the one with the least mean.
    alone : Series, indexed as ``losses``
        What that learner loses on the same problems.
    lost : DataFrame or None
        Like ``losses``: whether the belief rules out the best intervention.
    problems : int
        How many were played; ``losses`` has those that admit the largest dose.
    """

    learner: Dosed
    situation: Mapping[str, Any]
    kind: str
    doses: tuple[int, ...]
    losses: pd.DataFrame
    against: str
    alone: pd.Series
    lost: pd.DataFrame | None
    problems: int

    @property
    def differences(self) -> FloatArray:
        """Losses over those without a diagram, shape (problems, doses)."""
        return self.losses.sub(self.alone, axis=0).to_numpy()


def curves(results: Results) -> Iterator[Curve]:
    """Yield the curves of all learners, sizes and kinds of errors; of what is not played, nothing."""
    for learner in LEARNERS:
        if learner.experiment not in results.plans:
            continue
        labels = results.policies(learner.experiment, **learner.algorithm)
        found = [results.settings(learner.experiment, label) for label in labels]
        cells = {(int(str(s["nodes"])), int(str(s.get("confounders", -1))), str(s.get("kind", MIXED))) for s in found}
        order = [MIXED, *KINDS]
        believing = sorted((n, c, order.index(kind)) for n, c, kind in cells if kind in order)
        for nodes, confounders, number in believing:
            situation = {"nodes": nodes} | ({"confounders": confounders} if confounders >= 0 else {})
            curve = _curve(results, learner, situation, order[number])
            if curve is not None:
                yield curve


def _curve(results: Results, learner: Dosed, situation: Mapping[str, Any], kind: str) -> Curve | None:
    """Return the curve on the problems that admit the largest dose.

    None with one dose, or with nobody to compare.
    """
    named = {**learner.algorithm, **situation}
    found = [results.settings(learner.experiment, label) for label in results.policies(learner.experiment, **named)]
    if any("kind" in settings for settings in found):
        named["kind"] = kind
        found = [settings for settings in found if settings.get("kind") == kind]
    runs = {
        int(str(settings["wrong"])): (learner.experiment, {**named, "wrong": settings["wrong"]}) for settings in found
    }
    # The experiment with single kinds leaves dose 0, which has no kind, to the one with mixed errors.
    runs.setdefault(0, ("dose", {**named, "wrong": 0, "kind": MIXED}))
    played = pd.DataFrame({dose: _losses(results, *runs[dose], learner.metric) for dose in sorted(runs)}).dropna()
    losses = _admitting(played, sorted(runs), situation, kind) if learner.on_diagrams and kind != MIXED else played
    rivals = _without(results, learner, situation)
    if losses.shape[1] < 2 or not rivals:
        return None
    losses = losses.loc[losses.index.intersection(next(iter(rivals.values())).index)]
    doses = [dose for dose in sorted(runs) if dose in losses]
    against = min(rivals, key=lambda name: float(rivals[name].loc[losses.index].mean()))
    lost = None
    if learner.metric == "cumulative_regret" and learner.on_diagrams:
        beyond = {dose: results.final(runs[dose][0], "lost_for_good", by="draw", **runs[dose][1]) for dose in doses}
        lost = pd.DataFrame(beyond).loc[losses.index] > ROUNDING
    alone = rivals[against].loc[losses.index]
    return Curve(learner, situation, kind, tuple(doses), losses, against, alone, lost, len(played))


def _admitting(losses: pd.DataFrame, doses: Sequence[int], situation: Mapping[str, Any], kind: str) -> pd.DataFrame:
    """Keep the doses that enough problems admit (`ELIGIBLE`), and the problems that admit the largest."""
    nodes, confounders = int(situation["nodes"]), int(situation["confounders"])
    made = pd.Series({d: errors_possible(nodes, confounders, kind, max(doses), int(d)) for d in losses.index})
    doses = [dose for dose in doses if (made >= dose).mean() >= ELIGIBLE]
    return losses[made >= max(doses)][doses]


def _without(results: Results, learner: Dosed, situation: Mapping[str, Any]) -> dict[str, pd.Series]:
    """Return the losses of the learners without a diagram that are played, by name."""
    found = {}
    for name, experiment, settings in learner.without:
        with suppress(NotRunError):
            found[name] = _losses(results, experiment, {**settings, **situation}, learner.metric)
    return found


def rounds_to_answer(results: Results, curve: Curve, dose: int) -> tuple[float, float, float]:
    """Return the median number of rounds to the answer at a dose, with its 95 % interval.

    It is infinite without an answer.
    """
    settings = {**curve.learner.algorithm, **curve.situation, "wrong": dose}
    right = results.final(curve.learner.experiment, "correct", by="draw", **settings)
    rounds = results.final(curve.learner.experiment, "sample_complexity", by="draw", **settings)
    return median(rounds.where(right.notna(), np.inf)[curve.losses.index].to_numpy())


def _losses(results: Results, experiment: str, settings: Mapping[str, Any], metric: str) -> pd.Series:
    values = results.final(experiment, metric, by="draw", **settings)
    if metric == "correct":
        return (values != 1).astype(np.float64)
    return values.fillna(results.horizon(experiment)) if metric == "sample_complexity" else values


@cache
def errors_possible(nodes: int, confounders: int, kind: str, most: int, draw: int) -> int:
    """Count the errors of a kind, up to ``most``, that a draw's diagram admits one after another."""
    return belief_of(true_diagram(nodes, confounders, draw), nodes, confounders, kind, most, draw)[1]


# ---------------------------------------------------------------------- how many wrong edges


class BreakEven(NamedTuple):
    """A number of wrong edges, or a probability, up to which knowledge pays.

    It is infinite if knowledge pays at all that were tried.
    """

    value: float
    low: float
    high: float


def isotonic(values: FloatArray) -> FloatArray:
    """Return the non-decreasing rows nearest to some in the sum of squares, shape (rows, columns)."""
    return np.array([isotonic_regression(row).x for row in values])


def crossings(doses: Sequence[float], values: FloatArray) -> FloatArray:
    """Return the dose at which each curve, made non-decreasing, first reaches 0; linear between doses.

    Parameters
    ----------
    doses : sequence of float
        Ascending.
    values : float64 array, shape (curves, doses)

    Returns
    -------
    float64 array, shape (curves,)
        The first dose where a curve is at or above 0 there; infinite where it stays below 0.
    """
    rising, at = isotonic(values), np.asarray(doses, dtype=np.float64)
    above = rising >= 0
    k = np.argmax(above, axis=1)
    rows, before = np.arange(len(rising)), np.maximum(k - 1, 0)
    left, right = rising[rows, before], rising[rows, k]
    with np.errstate(divide="ignore", invalid="ignore"):
        between = at[before] + (at[k] - at[before]) * -left / (right - left)
    return np.where(~above.any(axis=1), np.inf, np.where(k == 0, at[0], between))


def break_even(curve: Curve, typical: bool = False) -> BreakEven:
    """Find the number of wrong edges up to which a diagram pays.

    So far the learner loses less than the best one without a diagram.

    Parameters
    ----------
    curve : Curve
    typical : bool
        False: where the mean loss is the same. True: where half of the problems have the smaller loss with the diagram;
        equal losses count as half.

    Returns
    -------
    BreakEven
        With a 95 % interval, percentiles of a bootstrap over problems.
    """
    differences = curve.differences
    if typical:
        differences = np.sign(differences)
    value = crossings(curve.doses, differences.mean(axis=0, keepdims=True))[0]
    return BreakEven(float(value), *_percentiles(crossings(curve.doses, _resampled(differences))))


def chance(right: pd.Series, wrong: pd.Series, alone: pd.Series) -> BreakEven:
    """Find the probability of a wrong diagram up to which it pays to believe in the diagram.

    With probability p the diagram is wrong; then its mean regret is that of ``wrong``, else that of ``right``. It pays
    up to the p at which the mean is that of ``alone``: 0 if a right diagram costs more, infinite if a wrong one does
    not.
    """
    frame = pd.DataFrame({"right": right, "wrong": wrong, "alone": alone}).dropna()

    def solved(means: FloatArray) -> FloatArray:
        own, other, nothing = means.T
        with np.errstate(divide="ignore", invalid="ignore"):
            equal = (nothing - own) / (other - own)
        return np.where(own >= nothing, 0.0, np.where(other > nothing, equal, np.inf))

    values = frame.to_numpy(dtype=np.float64)
    return BreakEven(float(solved(values.mean(axis=0, keepdims=True))[0]), *_percentiles(solved(_resampled(values))))


def _resampled(values: FloatArray) -> FloatArray:
    """Return the means of resampled problems, shape (resamples, columns), the same at every call."""
    n = len(values)
    weights = generator("bootstrap", n).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    return np.asarray(weights @ values / n)


def _percentiles(found: FloatArray) -> tuple[float, float]:
    """Return the 2.5 and 97.5 % percentiles as order statistics, so that infinite values are allowed."""
    ordered, rank = np.sort(found), int(0.025 * len(found))
    return float(ordered[rank]), float(ordered[-1 - rank])


def points(curve: Curve) -> pd.DataFrame:
    """Return one row per dose: what the learner loses, and how often the diagram helps.

    The loss is a mean; its ratio is to the loss without a diagram.

    Returns
    -------
    DataFrame
        ``wrong``; ``loss``; ``ratio, low, high`` with a 95 % interval (NaN where nothing is lost without a diagram);
        ``less`` and ``more``, shares of problems with a smaller and a larger loss; ``lost``, the share whose best
        intervention is ruled out, and ``kept``, the mean loss on the others (NaN where the diagram decides no arms).
    """
    rows = []
    for dose in curve.doses:
        own = curve.losses[dose]
        defined = own.mean() > 0 and curve.alone.mean() > 0
        row = {
            "wrong": dose,
            "loss": own.mean(),
            "less": (own < curve.alone).mean(),
            "more": (own > curve.alone).mean(),
        }
        row |= dict(zip(("ratio", "low", "high"), ratio(own, curve.alone) if defined else (np.nan,) * 3, strict=True))
        row |= {"lost": np.nan, "kept": np.nan}
        if curve.lost is not None:
            row |= {"lost": curve.lost[dose].mean(), "kept": own[~curve.lost[dose]].mean()}
        rows.append(row)
    return pd.DataFrame(rows)
