"""Resample averages of as few trials as the paper has, and test a table's cells together (ledger L50, L87)."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
        """Compute the standard error of an average of ``trials``; exactly 0 where all seeds have the same count."""
        return float(self.values.std(ddof=1)) / math.sqrt(trials) if np.ptp(self.values) else 0.0


class Together(NamedTuple):
    """The test of a table's cells.

    Attributes
    ----------
    cells : int
    worst : int
        Which cell is furthest off.
    off : float
        How far it is, in standard errors; infinite where it has no spread and is another number.
    share : float
        Of resampled tables, those of which some cell is as far off.
    """

    cells: int
    worst: int
    off: float
    share: float

    @property
    def refuted(self) -> bool:
        """Whether the cells together cannot be averages of so few trials of the study's model."""
        return self.share <= RARE


def together(cells: Sequence[Cell], trials: int) -> Together:
    """Test all cells of a table at once, by the one that is furthest off.

    Trials are drawn anew for every cell. Cells that share their trials, as those of one policy at several thresholds
    may, are less often far off somewhere (Sidak 1967, for normal averages): the test is then wrong more seldom.

    Parameters
    ----------
    cells : sequence of Cell
        At least one, each with two seeds or more.
    trials : int
        The number that the paper averages.
    """
    offs = [cell.off(trials) for cell in cells]
    worst = int(np.argmax(offs))
    if math.isinf(offs[worst]):
        return Together(len(cells), worst, math.inf, 0.0)
    spread = [(cell.values - cell.values.mean()) / cell.error(trials) for cell in cells if cell.error(trials)]
    if all(float(np.abs(each).max()) < offs[worst] for each in spread) and offs[worst] > 0:
        return Together(len(cells), worst, offs[worst], 0.0)  # an average lies no further off than one value
    rng, largest = np.random.default_rng(0), np.zeros(RESAMPLES)
    for each in spread:
        np.maximum(largest, np.abs(averages(rng, each, trials)), out=largest)
    return Together(len(cells), worst, offs[worst], float((largest >= offs[worst]).mean()))
