"""Averages of as few trials as the paper has; a table's counts tested together (ledger L50, L87)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import Z, quantile

#: Resamples of the paper's trials.
RESAMPLES = 20_000

#: What no more than this share of resamples lies as far out as fails.
RARE = 0.025

#: Replications from which the paper's trials are resampled, at least.
FEWEST = 72

#: A printed count is an average of trials, rounded to a whole number.
ROUNDING = 0.5


def averages(rng: np.random.Generator, values: FloatArray, trials: int) -> FloatArray:
    """Draw `RESAMPLES` averages of ``trials`` of the values, with replacement."""
    return rng.choice(values, (RESAMPLES, trials)).mean(axis=1)  # type: ignore[no-any-return]


def as_far(share: float, what: str) -> str:
    """Say which share of what is resampled lies as far off, beside the border."""
    return f"{100 * share:.2g} % of resampled {what} lie as far off, border {100 * RARE:g} %"


class Cell(NamedTuple):
    """One printed count, and the study's counts by seed, shape (n,)."""

    published: float
    values: FloatArray

    def off(self, trials: int) -> float:
        """Compute how far the printed count lies off, in standard errors of an average of ``trials``.

        The standard error is that of the difference between the paper's average and the study's own mean, widened as
        the study's intervals are: so few seeds know neither the spread nor the rare large counts well. Where all seeds
        have the same count, the printed one is 0 off if it is that count, and infinitely far if not.
        """
        n = len(self.values)
        miss = max(0.0, abs(self.published - float(self.values.mean())) - ROUNDING)
        if miss == 0:
            return 0.0
        error = self.error(trials) * math.sqrt(1 + trials / n) * quantile(n) / Z
        return miss / error if error else math.inf

    def error(self, trials: int) -> float:
        """Compute the standard error of an average; exactly 0 where all seeds have the same count."""
        return float(self.values.std(ddof=1)) / math.sqrt(trials) if np.ptp(self.values) else 0.0


class Together(NamedTuple):
    """The test of a table's counts.

    Attributes
    ----------
    counts, policies : int
        How many counts there are, of how many policies.
    off : int
        Of how many policies they are off.
    chance : float
        With what probability, at most, those of so many are off under the study's own model.
    worst : tuple of (str, int)
        The policy with the count that is furthest off, and the number of that count.
    errors : float
        How far it is off, in standard errors; infinite where all seeds have the same count and another is printed.
    """

    counts: int
    policies: int
    off: int
    chance: float
    worst: tuple[str, int]
    errors: float

    @property
    def refuted(self) -> bool:
        """Whether the counts together cannot be averages of so few trials of the study's model."""
        return self.off > 0 and self.chance <= RARE


def together(table: Mapping[str, Sequence[Cell]], trials: int) -> Together:
    """Test all counts of a table at once, policy by policy.

    A policy is off if its furthest count is further off than that of all but a share of resampled averages. That is
    wrong by chance of the seeds at hand in `RARE` of cases over all policies. It is wrong, too, where the paper's few
    trials have a run of a kind that none of the study's seeds shows (`unseen`), for each count at most once. Policies
    are run apart, so that it takes several of them to refute a table.

    Parameters
    ----------
    table : mapping from policy to sequence of Cell
        At least one, each with two seeds or more.
    trials : int
        The number that the paper averages.
    """
    level = RARE / len(table)
    offs = {policy: [cell.off(trials) for cell in cells] for policy, cells in table.items()}
    off = sum(_share(table[policy], max(of_policy), trials) <= level for policy, of_policy in offs.items())
    each = max(level + sum(unseen(len(cell.values), trials) for cell in cells) for cells in table.values())
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
    """Bound the probability that none of so many seeds is of a kind and one of so many trials is.

    With probability u of the kind it is (1 - u)^seeds (1 - (1 - u)^trials); this is the largest over u.
    """
    return float((seeds / (seeds + trials)) ** (seeds / trials) * trials / (seeds + trials))


def _share(cells: Sequence[Cell], off: float, trials: int) -> float:
    """Compute of how many resampled averages of a policy's trials some count is as far off."""
    if math.isinf(off):
        return 0.0
    rng, largest = np.random.default_rng(0), np.zeros(RESAMPLES)
    for cell in cells:
        if error := cell.error(trials):
            np.maximum(largest, np.abs(averages(rng, (cell.values - cell.values.mean()) / error, trials)), out=largest)
    return float((largest >= off).mean())
