"""Summaries of many scores with their uncertainty; lower scores are better.

Agarwal et al. 2021 recommend them.

Source: Agarwal, Schwarzer, Castro, Courville & Bellemare 2021, "Deep Reinforcement Learning at the Edge of the
Statistical Precipice" (NeurIPS): performance profiles, interquartile means and probabilities of improvement, each with
percentiles of a bootstrap stratified by task. Their library rliable is archived, and it compares independent runs. Here
the players share the problems, so that one set of resamples serves all players and all summaries. Ranks with
simultaneous intervals stand beside that, by the idea of Mogstad, Romano, Shaikh & Wilhelm 2024, "Inference for Ranks".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.problems.construction.arena.beliefs import generator

#: Resamples of the bootstrap.
RESAMPLES = 2000
#: What intervals are to cover, and the share of scores that an interquartile mean leaves out at either end.
CONFIDENCE, TRIMMED = 0.95, 0.25


class Estimate(NamedTuple):
    """Values with the ends of their 95 % intervals, all of one shape."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class Scores:
    """Scores of several players on the same problems.

    Parameters
    ----------
    strata : tuple of float64 arrays, each of shape (players, cells, problems)
        Problems are drawn anew within a stratum, for all of its cells and all players at once: cells whose problems are
        drawn independently are strata of their own, cells that show the same random draws share one.

    Raises
    ------
    ValueError
        If there is no stratum, or the strata differ in their number of players.
    """

    strata: tuple[FloatArray, ...]

    def __post_init__(self) -> None:
        shapes = [stratum.shape for stratum in self.strata]
        if len({shape[0] for shape in shapes}) != 1 or any(len(shape) != 3 for shape in shapes):
            raise ValueError(f"strata of shapes {shapes}: expected (players, cells, problems), equally many players")

    @cached_property
    def values(self) -> FloatArray:
        """All scores, shape (players, scores): every cell of every stratum counts by its number of problems."""
        return np.concatenate([stratum.reshape(len(stratum), -1) for stratum in self.strata], axis=1)

    @cached_property
    def counts(self) -> IntArray:
        """How often each resample has each score, shape (resamples, scores); the same at every call."""
        parts = []
        for number, stratum in enumerate(self.strata):
            _, cells, n = stratum.shape
            drawn = generator("summaries", number, n).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
            parts.append(np.tile(drawn, cells))
        return np.concatenate(parts, axis=1)

    def means(self, of: FloatArray) -> Estimate:
        """Estimate the means of what ``of`` says of each problem, shape (..., scores)."""
        flat = of.reshape(-1, of.shape[-1])
        resampled = self.counts @ flat.T / flat.shape[1]
        shape = of.shape[:-1]
        return Estimate(of.mean(axis=-1), *(end.reshape(shape) for end in _percentiles(resampled)))


def _percentiles(resampled: FloatArray) -> FloatArray:
    """Return the lower and the upper end, shape (2, ...), of values of shape (resamples, ...)."""
    return np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)


# ---------------------------------------------------------------------- how large scores are


def profiles(scores: Scores, levels: FloatArray) -> Estimate:
    """Estimate the share of problems with a score of at most each level, shape (players, levels).

    The intervals are pointwise: each holds for one level, not for all levels at once.
    """
    return scores.means((scores.values[:, None, :] <= levels[:, None]).astype(np.float64))


def interquartile_means(scores: Scores) -> Estimate:
    """Estimate each player's mean of the middle half of its scores, shape (players,)."""
    found = _trimmed(scores.values, np.ones((1, scores.values.shape[1]), dtype=np.int64))[0]
    return Estimate(found, *_percentiles(_trimmed(scores.values, scores.counts)))


def _trimmed(values: FloatArray, counts: IntArray) -> FloatArray:
    """Return the trimmed means of resamples, shape (resamples, players).

    Of n scores the least and the largest int(n / 4) are left out, which is what scipy's ``trim_mean`` does. A score
    that a resample has k times fills k places of the ordered scores.
    """
    n = values.shape[1]
    cut = int(TRIMMED * n)
    found = []
    for row in values:
        order = np.argsort(row)
        places = np.clip(np.cumsum(counts[:, order], axis=1), cut, n - cut)
        found.append(np.diff(places, axis=1, prepend=cut) @ row[order] / (n - 2 * cut))
    return np.stack(found, axis=1)


# ---------------------------------------------------------------------- who is better


def improvements(scores: Scores) -> Estimate:
    """Estimate the probability that a player has the lower score on a problem than another.

    Shape (players, players).

    Entry (a, b) is of a having less than b; equal scores count as half. It is the share of problems, since both play
    each of them: Agarwal et al. compare independent runs of one task instead.
    """
    return scores.means(_less(scores.values))


def mean_ranks(scores: Scores) -> Estimate:
    """Estimate each player's mean rank over problems, shape (players,).

    The rank 1 has the least score; ties share ranks.
    """
    return scores.means(_less(scores.values).sum(axis=0) + 0.5)


def _less(values: FloatArray) -> FloatArray:
    """Say of each problem who has less than whom, shape (players, players, scores).

    It is 1 for less, and 1/2 for equal scores.
    """
    own, other = values[:, None], values[None]
    return np.where(own < other, 1.0, np.where(own == other, 0.5, 0.0))


class Ranks(NamedTuple):
    """Between which ranks each player lies, shape (players,) both, from 1."""

    least: IntArray
    most: IntArray


def ranks(scores: Scores) -> Ranks:
    """Find the ranks by interquartile mean that the data leave open.

    They hold for all players at once with 95 % confidence.

    Each difference of two interquartile means is divided by its bootstrap standard deviation. A player is taken for
    better than another where this lies below minus c; in 95 % of the resamples none of the differences, divided so, is
    off by more than c. A player's least rank is one more than the number of better players. Its most is the number of
    players less those that it is better than.
    """
    found = interquartile_means(scores).value
    resampled = _trimmed(scores.values, scores.counts)
    difference = found[:, None] - found
    moved = (resampled[:, :, None] - resampled[:, None, :]) - difference
    sd = moved.std(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.where(sd > 0, np.abs(moved) / sd, 0.0).max(axis=(1, 2))
    better = difference < -np.quantile(largest, CONFIDENCE) * sd
    return Ranks(1 + better.sum(axis=0), len(found) - better.sum(axis=1))
