"""Who plays, who is chosen, and how losses are compared on the same problems.

The best learner with the diagram, and the best of all without one, are chosen on the first fifth of the problems, for
each size; results are reported on the others (ledger L272). Intervals are 95 % percentiles of a bootstrap over
problems, so that no bound on a loss, or on a ratio of losses, is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from causal_bandits.arrays import FloatArray
from causal_bandits.problems.construction.arena.beliefs import generator
from experiments.results import NotRunError, Results

#: One problem in this many is used to choose learners.
CHOOSING = 5
#: Resamples of the bootstrap.
RESAMPLES = 2000
#: Algorithms by the learner's name; all play with and without the diagram. A configuration may have more.
SOLVERS = {"TS": "thompson", "kl-UCB": "kl_ucb", "UCB": "ucb_plus"}
#: The arms of learners without a diagram: the variables that they set, and the option ``told``.
ARMS = {
    "all interventions": "nothing",
    "one variable at most": "single",
    "all variables": "all_set",
    "all variables or at most one": "few_or_all",
}
#: The learner that tries only a small number of the interventions on the most variables, and its algorithm.
FEW, FEW_ALGORITHM = "UCB+", "ucb_plus_unknown"
#: UCB+ guessing that the reward has two causes, which plays only without a diagram, and its algorithm.
GUESS, GUESS_ALGORITHM = "UCB+ guessing two causes", "ucb_plus"


class Learner(NamedTuple):
    """The experiment in which a learner plays, and the settings that select it there."""

    experiment: str
    settings: dict[str, Any]


Losses = TypeVar("Losses", pd.Series, pd.DataFrame)


class Estimate(NamedTuple):
    """A value with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


# ---------------------------------------------------------------------- who plays


def solvers(results: Results, experiment: str) -> dict[str, str]:
    """Return the algorithms that play an experiment: `SOLVERS`, then other people's, by the names of their classes."""
    found = [str(results.settings(experiment, label)["algorithm"]) for label in results.policies(experiment)]
    more = [algorithm for algorithm in dict.fromkeys(found) if algorithm not in SOLVERS.values()]
    return SOLVERS | {algorithm.rpartition(":")[2]: algorithm for algorithm in more}


def with_diagram(results: Results, stem: str, end: str = "") -> dict[str, Learner]:
    """List the learners that are told the diagram.

    Parameters
    ----------
    results : Results
    stem, end : str
        The solvers play in the experiment ``stem + end``, UCB+ in ``<stem>_phases<end>``.
    """
    told = {"told": "diagram"}
    found = {name: Learner(stem + end, told | {"algorithm": key}) for name, key in solvers(results, stem + end).items()}
    return found | {FEW: Learner(f"{stem}_phases{end}", told | {"algorithm": FEW_ALGORITHM})}


def without_diagram(results: Results, stem: str, end: str = "") -> dict[str, Learner]:
    """List the learners without a diagram; "UCB+ guessing two causes" plays in ``<stem>_guess<end>``."""
    found = {
        f"{name}, {arms}": Learner(stem + end, {"told": told, "algorithm": key})
        for arms, told in ARMS.items()
        for name, key in solvers(results, stem + end).items()
    }
    for name, part, key in ((FEW, "phases", FEW_ALGORITHM), (GUESS, "guess", GUESS_ALGORITHM)):
        found[name] = Learner(f"{stem}_{part}{end}", {"told": "all_set", "algorithm": key})
    return found


def regrets(results: Results, learners: Mapping[str, Learner], **cell: Any) -> pd.DataFrame:
    """Return the regret of each learner that was played: one row per problem, one column per learner.

    Parameters
    ----------
    results : Results
    learners : dict from name to Learner
    **cell
        Settings of the problem.
    """
    found = {}
    for name, learner in learners.items():
        with suppress(NotRunError):
            found[name] = results.final(learner.experiment, by="draw", **learner.settings, **cell)
    return pd.DataFrame(found)


def chosen(frame: pd.DataFrame) -> str:
    """Return the learner with the smallest mean loss on the problems used for choosing."""
    return str(frame[frame.index < len(frame) / CHOOSING].mean().idxmin())


def reported(losses: Losses) -> Losses:
    """Keep the problems not used for choosing."""
    return losses[losses.index >= len(losses) / CHOOSING]


# ---------------------------------------------------------------------- how they are compared


def estimate(statistic: Callable[[FloatArray], FloatArray], values: FloatArray) -> Estimate:
    """Estimate a statistic of means over problems.

    Parameters
    ----------
    statistic : callable
        From means of shape (..., columns) to values of shape (...).
    values : float64 array, shape (problems, columns)

    Returns
    -------
    Estimate
        The ends are order statistics, so that infinite values are allowed.
    """
    weights = resamples(len(values))
    value = statistic(values.mean(axis=0)[np.newaxis])[0]
    return _interval(float(value), statistic(weights @ values))


def resamples(problems: int) -> FloatArray:
    """Return the weights of the problems in each resample, shape (resamples, problems), the same at every call.

    Raises
    ------
    ValueError
        If there are no problems.
    """
    if not problems:
        raise ValueError(
            f"no problem is left to compare on; expected at least {CHOOSING} replicates (scale.replicates)"
        )
    drawn = generator("bootstrap", problems).multinomial(problems, np.full(problems, 1 / problems), size=RESAMPLES)
    return np.asarray(drawn / problems)


def _interval(value: float, found: FloatArray) -> Estimate:
    ordered, rank = np.sort(found), int(0.025 * len(found))
    return Estimate(value, float(ordered[rank]), float(ordered[-1 - rank]))


def ratio(own: pd.Series, other: pd.Series) -> Estimate:
    """Estimate the ratio of two mean losses on the same problems."""
    frame = pd.concat([own, other], axis=1).dropna()
    with np.errstate(divide="ignore", invalid="ignore"):  # a rival that loses nothing
        return estimate(lambda means: means[:, 0] / means[:, 1], frame.to_numpy(dtype=np.float64))


def mean(values: FloatArray) -> Estimate:
    """Estimate a mean."""
    return estimate(lambda means: means[:, 0], values[:, np.newaxis])


def median(values: FloatArray) -> Estimate:
    """Estimate a median."""
    drawn = generator("bootstrap of medians", len(values)).integers(len(values), size=(RESAMPLES, len(values)))
    return _interval(float(np.median(values)), np.median(values[drawn], axis=1))


# ---------------------------------------------------------------------- wrong diagrams


class Wrong(NamedTuple):
    """Regrets with the right diagram (first column), with wrong ones, and of the rival without one (last column, L212).

    Attributes
    ----------
    lost : float64 array, shape (problems, columns)
        The exact regret, over the rounds played, that no learner can avoid with its arms.
    learning : float64 array, shape (played, columns)
        The rest of the regret, on the first ``played`` of these problems. It is not negative.
    """

    lost: FloatArray
    learning: FloatArray

    def estimate(self, statistic: Callable[[FloatArray, FloatArray], FloatArray]) -> Estimate:
        """Estimate a statistic of the mean regrets with the diagram, shape (..., columns), and without, shape (...).

        What is lost for good is a control variate with coefficient one: its mean is taken over all problems, that of
        the rest over those played. Both are means of nonnegative values, so no estimate of a regret is negative.
        """
        played = len(self.learning)
        one, share = resamples(played), played / len(self.lost)
        lost = share * one @ self.lost[:played]
        if played < len(self.lost):
            lost += (1 - share) * resamples(len(self.lost) - played) @ self.lost[played:]
        drawn = lost + one @ self.learning
        mean = (self.lost.mean(axis=0) + self.learning.mean(axis=0))[np.newaxis]
        return _interval(float(statistic(mean[:, :-1], mean[:, -1])[0]), statistic(drawn[:, :-1], drawn[:, -1]))

    def ratio(self, column: int) -> Estimate:
        """Estimate the ratio of the regret with a column's diagram to the rival's regret."""
        return self.estimate(lambda own, alone: own[:, column] / alone)

    def break_even(self, wrong: Sequence[float]) -> Estimate:
        """Estimate the number of wrong edges that makes both mean regrets equal; infinite if beyond all tried."""
        return self.estimate(lambda own, alone: crossings(wrong, own - alone[:, np.newaxis]))

    def chance(self, column: int) -> Estimate:
        """Estimate the largest probability of being wrong at which the diagram still pays.

        It is 0 if the diagram costs even when it is right, and infinite if it pays even when it is certainly wrong.
        """

        def solved(own: FloatArray, alone: FloatArray) -> FloatArray:
            right, wrong = own[:, 0], own[:, column]
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(right >= alone, 0.0, np.where(wrong > alone, (alone - right) / (wrong - right), np.inf))

        return self.estimate(solved)


def crossings(at: Sequence[float], values: FloatArray) -> FloatArray:
    """Return where each curve, made non-decreasing, first reaches 0; linear between points.

    Parameters
    ----------
    at : sequence of float
        Ascending.
    values : float64 array, shape (curves, points)

    Returns
    -------
    float64 array, shape (curves,)
        The first point for a curve that is at or above 0 there; infinite for one that stays below 0.
    """
    rising, points = np.array([isotonic_regression(row).x for row in values]), np.asarray(at, dtype=np.float64)
    above = rising >= 0
    k = np.argmax(above, axis=1)
    rows, before = np.arange(len(rising)), np.maximum(k - 1, 0)
    left, right = rising[rows, before], rising[rows, k]
    with np.errstate(divide="ignore", invalid="ignore"):
        between = points[before] + (points[k] - points[before]) * -left / (right - left)
    return np.where(~above.any(axis=1), np.inf, np.where(k == 0, points[0], between))
