"""Summaries of scores with their uncertainty: against brute force and scipy, and how often intervals cover."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, rankdata, trim_mean

from arena import summaries
from arena.summaries import Scores, improvements, interquartile_means, mean_ranks, profiles, ranks


def made(players, shapes, seed, digits=1):
    """Scores with ties, by (cells, problems) of each stratum."""
    rng = np.random.default_rng(seed)
    return Scores(tuple(rng.gamma(2.0, size=(players, *shape)).round(digits) for shape in shapes))


shapes = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 7)), min_size=1, max_size=3)


@settings(max_examples=25)
@given(st.integers(1, 4), shapes, st.integers(0, 10**6))
def test_summaries_of_the_scores_and_of_each_resample_are_those_of_lists(players, cells, seed):
    scores = made(players, cells, seed)
    values = [[v for stratum in scores.strata for cell in stratum[p] for v in cell] for p in range(players)]
    assert scores.values.tolist() == values
    levels = np.array([0.5, 1.0, 2.0])
    shares = [[sum(v <= level for v in row) / len(row) for level in levels] for row in values]
    np.testing.assert_allclose(profiles(scores, levels).value, shares)
    np.testing.assert_allclose(interquartile_means(scores).value, [trim_mean(row, 0.25) for row in values])
    np.testing.assert_allclose(mean_ranks(scores).value, rankdata(values, axis=0).mean(axis=1))
    better = improvements(scores).value
    for a, b in product(range(players), repeat=2):
        pairs = list(zip(values[a], values[b], strict=True))
        assert better[a, b] == pytest.approx(sum((x < y) + (x == y) / 2 for x, y in pairs) / len(pairs))
    for resample in range(3):
        counts = scores.counts[resample]
        again = [[v for v, k in zip(row, counts, strict=True) for _ in range(k)] for row in values]
        found = summaries._trimmed(scores.values, scores.counts[[resample]])[0]
        np.testing.assert_allclose(found, [trim_mean(row, 0.25) for row in again])


@settings(max_examples=25)
@given(shapes, st.integers(0, 10**6))
def test_resamples_keep_the_size_of_every_stratum_and_move_its_cells_together(cells, seed):
    counts, start = made(1, cells, seed).counts, 0
    for number, problems in cells:
        own = counts[:, start : start + number * problems].reshape(len(counts), number, problems)
        assert (own.sum(axis=2) == problems).all()
        assert (own == own[:, :1]).all()
        start += number * problems
    assert start == counts.shape[1]


def test_intervals_are_those_of_scipys_bootstrap():
    """Which takes every stratum for a sample of its own; both are random, with 2,000 resamples."""
    scores = made(2, [(1, 30), (1, 40)], 3, digits=6)
    middle = interquartile_means(scores)

    def statistic(*strata, axis):
        return trim_mean(np.concatenate(strata, axis=axis), 0.25, axis=axis)

    for p in range(2):
        strata = [stratum[p, 0] for stratum in scores.strata]
        found = bootstrap(strata, statistic, method="percentile", n_resamples=2000, rng=np.random.default_rng(0))
        width = middle.high[p] - middle.low[p]
        assert middle.low[p] == pytest.approx(found.confidence_interval.low, abs=0.08 * width)
        assert middle.high[p] == pytest.approx(found.confidence_interval.high, abs=0.08 * width)
    # a share of 70 problems: within a stratum the variance of a share p of n is p (1 - p) / n
    level = np.array([1.5])
    share = profiles(scores, level)
    own = [(stratum[0, 0] <= 1.5).mean() for stratum in scores.strata]
    sd = (30 * own[0] * (1 - own[0]) + 40 * own[1] * (1 - own[1])) ** 0.5 / 70
    assert share.high[0, 0] - share.low[0, 0] == pytest.approx(2 * 1.96 * sd, rel=0.12)


def test_intervals_cover_as_often_as_they_say(monkeypatch):
    """Two strata of different difficulty, three players of whom the last two are equally good: 200 made-up studies."""
    monkeypatch.setattr(summaries, "RESAMPLES", 200)
    rng = np.random.default_rng(5)

    def study(problems):
        common = rng.gamma(2.0, size=(2, 1, 1, problems))
        own = rng.gamma(2.0, size=(2, 3, 1, problems)) * [[[0.5]], [[1]], [[1]]]
        return Scores(tuple(times * part for times, part in zip((1, 2), common + own, strict=True)))

    large = study(100_000)
    true = np.array([trim_mean(row, 0.25) for row in large.values])
    chance = (large.values[0] < large.values[1]).mean()
    covered = {"middle": 0, "chance": 0, "ranks": 0}
    for _ in range(200):
        scores = study(40)
        middle, less, open_ranks = interquartile_means(scores), improvements(scores), ranks(scores)
        covered["middle"] += int(middle.low[0] <= true[0] <= middle.high[0])
        covered["chance"] += int(less.low[0, 1] <= chance <= less.high[0, 1])
        best_is_first = open_ranks.least[0] == 1
        covered["ranks"] += int(
            best_is_first and open_ranks.most[1] == open_ranks.most[2] == 3 and (open_ranks.least[1:] <= 2).all()
        )
    assert all(0.90 < count / 200 <= 1 for count in covered.values()), covered
    assert covered["middle"] < 200
    assert covered["chance"] < 200


def test_ranks_by_hand():
    """The same scores leave everything open; far apart and without noise, nothing."""
    same = Scores((np.tile(np.arange(8.0), (3, 1, 1)),))
    assert [r.tolist() for r in ranks(same)] == [[1, 1, 1], [3, 3, 3]]
    apart = Scores((np.stack([np.arange(8.0) + shift for shift in (20, 0, 10)])[:, None],))
    assert [r.tolist() for r in ranks(apart)] == [[3, 1, 2], [3, 1, 2]]
    assert mean_ranks(apart).value.tolist() == [3, 1, 2]


def test_strata_must_have_the_same_players():
    with pytest.raises(ValueError, match="equally many players"):
        Scores((np.zeros((2, 1, 3)), np.zeros((3, 1, 3))))
    with pytest.raises(ValueError, match="equally many players"):
        Scores(())
