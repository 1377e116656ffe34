"""Judge the counts of unfair decisions by averages over as few trials as the paper's (ledger L50, L87)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray, plain_sum
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.unfairness import unfair
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, WEIGHTS
from causal_bandits.problems.huang2022 import user_counts
from experiments.results import NotRunError, Results
from replication.judging.claims import Experiment, Final, Printed, check, check_number, pair
from replication.judging.judges import (
    WORST_FIRST,
    Judgement,
    Outcome,
    Why,
    by_construction,
    judge_above,
    judge_zero,
    reason,
)
from replication.judging.judges.intervals import normal, quantile
from replication.papers.huang2022.policies import DEFINITIONS, PICKED, counts_in
from replication.papers.huang2022.theory import bandit_of

#: Number of steps of the grid on which distributions of averages are computed.
STEPS = 2**13

#: A claim fails if at most this share of resampled averages is at least as far off as the printed numbers.
RARE = 0.025

#: Smallest number of replications from which the paper's trials are resampled.
FEWEST = 72

#: A printed count is an average of trials, rounded to a whole number.
ROUNDING = 0.5


class Averages(NamedTuple):
    """The distribution of resampled averages: their values, and the probability of each; arrays of one shape."""

    value: FloatArray
    chance: FloatArray

    def share(self, which: NDArray[np.bool_]) -> float:
        """Return the probability of some of the values."""
        return float(self.chance[which].sum())


def averages(samples: Sequence[FloatArray], trials: int) -> Averages:
    """Compute the distribution of an average of ``trials`` values of every sample, drawn with replacement.

    Nothing is drawn: the distribution of the sum is the convolution of those of its terms, whose values are rounded to
    a grid of `STEPS` steps from the smallest sum to the largest.

    Parameters
    ----------
    samples : sequence of float arrays, shape (n,) each
    trials : int
        At least 1.
    """
    terms, lowest = trials * len(samples), trials * plain_sum(float(sample.min()) for sample in samples)
    width = trials * plain_sum(float(np.ptp(sample)) for sample in samples)
    if width == 0:
        return Averages(np.array([lowest / terms]), np.ones(1))
    step, size = width / STEPS, 2 * STEPS
    transformed = np.ones(STEPS + 1, dtype=np.complex128)
    for sample in samples:
        at = np.rint((sample - sample.min()) / step).astype(np.int64)
        transformed *= np.fft.rfft(np.bincount(at, minlength=size) / len(sample)) ** trials
    chance = np.fft.irfft(transformed, size)
    chance[chance < 1e-12] = 0.0  # rounding
    return Averages((lowest + step * np.arange(size)) / terms, chance)


def as_far(share: float, what: str) -> str:
    """Format the share of resampled averages that are as far off as the printed numbers, with its boundary."""
    return f"{round(100 * share, 4):.2g} % of resampled {what} are as far off, boundary {100 * RARE:g} %"


class Cell(NamedTuple):
    """One printed count, and the study's counts by seed, shape (n,)."""

    published: float
    values: FloatArray

    def off(self, trials: int) -> float:
        """Compute how far off the printed count is, in standard errors of an average of ``trials`` trials.

        The standard error is that of the difference between the paper's average and the study's own mean, widened like
        the study's intervals, because so few seeds determine neither the spread nor the rare large counts well. If all
        seeds have the same count, the result is 0 if the printed count equals that count, and infinite otherwise.
        """
        n = len(self.values)
        miss = max(0.0, abs(self.published - float(self.values.mean())) - ROUNDING)
        if miss == 0:
            return 0.0
        error = self.error(trials) * math.sqrt(1 + trials / n) * quantile(n) / normal()
        return miss / error if error else math.inf

    def error(self, trials: int) -> float:
        """Compute the standard error of an average; exactly 0 if all seeds have the same count."""
        return float(self.values.std(ddof=1)) / math.sqrt(trials) if np.ptp(self.values) else 0.0


class Together(NamedTuple):
    """The test of a table's counts.

    Attributes
    ----------
    counts, policies : int
        Number of counts, and of policies that have them.
    off : int
        Number of policies whose counts are off.
    chance : float
        Upper bound on the probability that the counts of this many policies are off if the study's own model is right.
    worst : tuple of (str, int)
        The policy with the count that is furthest off, and the index of that count.
    errors : float
        How far this count is off, in standard errors; infinite if all seeds have the same count and a different one is
        printed.
    """

    counts: int
    policies: int
    off: int
    chance: float
    worst: tuple[str, int]
    errors: float

    @property
    def refuted(self) -> bool:
        """Whether averages of so few trials of the study's model cannot explain the counts, taken together."""
        return self.off > 0 and self.chance <= RARE


def together(table: Mapping[str, Sequence[Cell]], trials: int) -> Together:
    """Test all counts of a table at once, policy by policy.

    A policy is off if at most a share `RARE` / (number of policies) of resampled averages is as far off as its furthest
    count. If the study's model is right, some policy is off by chance in at most a share `RARE` of cases. A policy can
    also be off because the paper's few trials include a run of a kind that none of the study's seeds shows (`unseen`),
    at most once for each count. Policies are run separately, so several of them must be off to refute a table.

    Parameters
    ----------
    table : mapping from policy to sequence of Cell
        At least one, each with two seeds or more.
    trials : int
        Number of trials that the paper averages.
    """
    level = RARE / len(table)
    offs = {policy: [cell.off(trials) for cell in cells] for policy, cells in table.items()}
    off = sum(_share(table[policy], max(of_policy), trials) <= level for policy, of_policy in offs.items())
    each = max(level + plain_sum(unseen(len(cell.values), trials) for cell in cells) for cells in table.values())
    worst = max(offs, key=lambda policy: max(offs[policy]))
    return Together(
        sum(map(len, table.values())),
        len(table),
        off,
        min(1.0, math.comb(len(table), off) * each**off),
        (worst, int(np.argmax(offs[worst]))),
        max(offs[worst]),
    )


def unseen(seeds: int, trials: int) -> float:
    """Bound the probability that a kind of run occurs in none of the seeds but in one of the trials.

    If the kind has probability u, it is (1 - u)^seeds (1 - (1 - u)^trials); the bound is the maximum over u.
    """
    return float((seeds / (seeds + trials)) ** (seeds / trials) * trials / (seeds + trials))


def _share(cells: Sequence[Cell], off: float, trials: int) -> float:
    """Compute the share of resampled averages in which some count is at least ``off`` standard errors off."""
    if off == 0.0 or math.isinf(off):
        return float(off == 0.0)
    none = 1.0
    for cell in cells:
        if error := cell.error(trials):
            found = averages([(cell.values - cell.values.mean()) / error], trials)
            none *= 1 - found.share(np.abs(found.value) >= off)
    return 1 - none


#: The keys of `policies.DEFINITIONS` that claims may use, as literals, which are checked before any job starts.
Definition = Literal["exact", "answer", "plugin"]


@check
def counts(
    printed: Printed,
    results: Results,
    experiment: Experiment,
    *,
    trials: int,
    rounds: int,
    described: bool = True,
) -> Judgement:
    """Judge whether any definition of an unfair decision gives a printed count, with all those of its table above 0.

    The paper does not say what is counted. Under each definition, all counts of the table are tested together
    (`together`), each policy under the reading that comes closest; five trials cannot refute one count alone (L50).
    The claim holds if a definition remains that was not chosen after seeing the counts (L82); otherwise it is open.

    Parameters
    ----------
    printed, results, experiment
    trials, rounds : int
        Numbers of trials that the paper averages, and of rounds in which it counts.
    described : bool
        Whether the paper describes the policies. The study's own runs say nothing about other policies (L51), so the
        claim then stays open.
    """
    if results.horizon(experiment) != rounds:
        raise NotRunError(f"{rounds} rounds of {experiment} (played: {results.horizon(experiment)})")
    above_0 = {
        policy: {tau: count for tau, count in of_policy.items() if count}
        for policy, of_policy in counts_in(results, printed.place).items()
        if any(of_policy.values())
    }
    if not described:
        names = " and ".join(above_0)
        why = f"the paper describes neither what it counts nor the policy that is counted ({names})"
        return Judgement(Outcome.OPEN, why, why=Why.OMITTED)
    tables = {d: _table(experiment, results, d, above_0, trials) for d in DEFINITIONS}
    seeds = min(len(cell.values) for table in tables.values() for cells in table.values() for cell in cells)
    if seeds < FEWEST:
        why = f"{seeds} seeds are too few to judge averages of {trials} trials; expected {FEWEST}"
        return Judgement(Outcome.OPEN, why, n=seeds, why=Why.SEEDS)
    gives = [d for d, table in tables.items() if not _refuted(experiment, results, d, above_0, table, trials)]
    shown = f"{len(gives)} of {len(DEFINITIONS)} definitions"
    found = [DEFINITIONS[d] for d in gives if d not in PICKED]
    if found:
        why = reason("as far as five trials can show, the count is: " + "; ".join(found))
        return Judgement(Outcome.HOLDS, why, shown, n=seeds)
    why = "the paper does not say what it counts; no definition that was tried gives its table's counts"
    picked = f"except one chosen after seeing them: {', '.join(DEFINITIONS[d] for d in gives)}" if gives else ""
    return Judgement(Outcome.OPEN, reason(why, picked), shown, n=seeds, why=Why.OMITTED)


def _refuted(
    experiment: str,
    results: Results,
    definition: str,
    printed: Mapping[str, Mapping[float, float]],
    table: Mapping[str, Sequence[Cell]],
    trials: int,
) -> bool:
    """Return whether the model rules out a printed count, or averages of its runs cannot explain the counts."""
    largest = _largest(experiment, results, definition)
    return any(tau >= largest for of_policy in printed.values() for tau in of_policy) or together(table, trials).refuted


def _table(
    experiment: str, results: Results, definition: str, printed: Mapping[str, Mapping[float, float]], trials: int
) -> dict[str, list[Cell]]:
    """Pair the printed counts with the study's, each policy under the reading that comes closest."""
    found = {}
    for algorithm, of_policy in printed.items():
        labels = results.policies(experiment, algorithm=algorithm)
        if not labels:
            raise NotRunError(f"{algorithm} of {experiment}")
        columns = [
            [Cell(count, _counts(results, experiment, label, definition, tau)) for tau, count in of_policy.items()]
            for label in labels
        ]
        found[algorithm] = min(columns, key=lambda column: _distance(column, trials))
    return found


def _distance(column: Sequence[Cell], trials: int) -> tuple[float, float]:
    """Compute how far off a policy's furthest count is, and the total over all of them."""
    total = plain_sum(abs(cell.published - float(cell.values.mean())) for cell in column)
    return max(cell.off(trials) for cell in column), total


@check_number()
def never_unfair(
    printed: Printed, results: Results, ours: Sequence[Final], *, definition: Definition, trials: int
) -> Judgement:
    """Judge whether F-UCB, given at each threshold, makes no unfair decision at any threshold, under one definition.

    The claim fails if it fails at one threshold, and holds if it holds at all of them. At a threshold that no
    discrepancy of the model exceeds, no policy can be unfair.
    """
    found = {tau: _never(at, results, definition, tau, trials) for tau, at in zip(THRESHOLDS, ours, strict=True)}
    tau, worst = min(
        found.items(), key=lambda item: (WORST_FIRST.index(item[1].outcome), item[1].why is Why.BY_CONSTRUCTION)
    )
    return replace(worst, reason=reason(f"at tau = {tau:g}: {worst.reason}"))


def _never(ours: Final, results: Results, definition: str, tau: float, trials: int) -> Judgement:
    values = _counts(results, ours.experiment, ours.label(results), definition, tau)
    largest = _largest(ours.experiment, results, definition)
    if largest > tau:
        return judge_zero(values, trials)
    why = f"no discrepancy of the model exceeds {largest:.4f}"
    if values.any():
        raise ValueError(f"{why}, but some rounds are counted as beyond {tau:g}")
    return by_construction(Judgement(Outcome.HOLDS, f"{why}: no policy can be unfair", "0.00", n=len(values)))


@check
def more_unfair(
    printed: Printed, results: Results, more: Final, fewer: Final, *, tau: float, definition: Definition
) -> Judgement:
    """Judge whether the policy is unfair in more rounds than the other at ``tau``, under one definition."""
    metric, largest = unfair(definition, tau), _largest(more.experiment, results, definition)
    if largest <= tau:
        why = f"no discrepancy of the model exceeds {largest:.4f}: no policy can be unfair"
        return Judgement(Outcome.FAILS, why, "0 and 0")
    return judge_above(*pair(more.of(metric), fewer.of(metric), results))


def _counts(results: Results, experiment: str, label: str, definition: str, tau: float) -> FloatArray:
    """Read a policy's unfair rounds, by seed."""
    found: FloatArray = results.final(experiment, unfair(definition, tau), policy=label).to_numpy(float)
    return found


def _largest(experiment: str, results: Results, definition: str) -> float:
    """Bound the discrepancies of an experiment's bandit, however a user's two incomes are coupled (L42).

    The bound is infinite for definitions that use estimates or draws.
    """
    bandit = bandit_of(results, experiment)
    if definition == "answer":
        return largest_between_answers(bandit)
    if definition != "exact":
        return np.inf
    if not bandit.descendants:
        return float(np.abs(bandit.discrepancies).max())
    sizes = discrepancies_by_coupling(user_counts(results.file("data_adult")))
    return max(float(size.max()) for size in sizes.values())


def largest_between_answers(bandit: FairBandit) -> float:
    """Compute the largest difference between a user's mean under an arm and that under any arm in the other group."""
    means = bandit.means
    best, worst = means.max(axis=1), means.min(axis=1)
    above = best[:, None] - worst[bandit.others]
    return float(np.maximum(above, best[bandit.others] - worst[:, None]).max())


# Compute Adult-Video's unfair rounds under other couplings of a user's two possible incomes (L42).

#: The paper's number of rounds.
HORIZON = 5_000


class Incomes(NamedTuple):
    """P(income = 1) for a user's own sex and for the other; arrays by (age, sex, race)."""

    own: FloatArray
    other: FloatArray


def both_high(incomes: Incomes) -> dict[str, FloatArray]:
    """Compute P(income = 1 in both worlds) by coupling; the tables determine it only up to Fréchet's bounds."""
    own, other = incomes
    return {
        "same noise for both (the study's)": np.minimum(own, other),
        "independent noise": own * other,
        "opposite noise": np.maximum(own + other - 1, 0.0),
    }


def discrepancies(incomes: Incomes, both: FloatArray) -> FloatArray:
    """Compute E[R(other sex) - R | user], shape (2, 2, 2, 2) by (age, sex, race, income)."""
    own, other = incomes
    high_though_low = (other - both) / (1 - own)
    return WEIGHTS["income"] * np.stack([high_though_low, both / own - 1], axis=-1)


def discrepancies_by_coupling(counts: NDArray[np.int64]) -> dict[str, FloatArray]:
    """Compute |E[R(other sex) - R | user]| by coupling, shape (2, 2, 2, 2).

    Opposite noise gives the largest values possible, because both branches decrease in P(income = 1 in both worlds).

    Parameters
    ----------
    counts : int array, shape (2, 2, 2, 2)
        Users by (age, sex, race, income).
    """
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = Incomes(own, own[:, ::-1])
    return {name: np.abs(discrepancies(incomes, both)) for name, both in both_high(incomes).items()}


def couplings(results: Results) -> pd.DataFrame:
    """Compute the expected number of unfair rounds in 5,000 with an edge from sex to income, for any choice of arms."""
    counts = user_counts(results.files["data_adult"])
    share = counts / counts.sum()
    rows = []
    for name, size in discrepancies_by_coupling(counts).items():
        expected = {f"tau = {tau:g}": f"{HORIZON * share[size > tau].sum():.0f}" for tau in THRESHOLDS}
        rows.append({"a user's two incomes": name, "largest discrepancy": f"{size.max():.4f}", **expected})
    return pd.DataFrame(rows)
