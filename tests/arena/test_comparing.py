"""Who is chosen, and how losses are compared: by hand, by known truth, and that intervals cover."""

import math

import numpy as np
import pandas as pd
import pytest

from arena import comparing
from arena.comparing import Wrong, chosen, crossings, median, ratio, reported


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(comparing, "RESAMPLES", 400)


def test_problems_that_choose_are_not_reported():
    """The learner that is best on the first fifth is chosen, though the other is better on the rest."""
    frame = pd.DataFrame({"first": [1.0, 1.0, *[9.0] * 8], "rest": [2.0, 2.0, *[0.0] * 8]})
    assert chosen(frame) == "first"
    kept = reported(frame["first"])
    assert kept.index.tolist() == list(range(2, 10))
    assert (kept == 9).all()


def test_a_ratio_is_of_means_on_the_same_problems():
    own, other = pd.Series([1.0, 3.0, 5.0], index=[5, 6, 7]), pd.Series([4.0, 2.0, 6.0], index=[7, 5, 6])
    assert ratio(own, other).value == pytest.approx(9 / 12)
    twice = ratio(2 * other, other)  # paired, so that nothing is left to chance
    assert twice == pytest.approx((2, 2, 2))


def test_fewer_problems_than_are_needed_are_named():
    with pytest.raises(ValueError, match=r"at least 5 replicates \(scale.replicates\)"):
        ratio(*[reported(pd.Series(dtype=float))] * 2)


def test_intervals_of_ratios_and_medians_cover_and_are_not_negative(quick):
    rng, hits = np.random.default_rng(1), {"ratio": 0, "median": 0}
    for _ in range(200):
        shared = rng.exponential(size=200)
        own, other = pd.Series(shared * rng.exponential(size=200)), pd.Series(2 * shared * rng.exponential(size=200))
        _, low, high = ratio(own, other)
        hits["ratio"] += 0 <= low <= 1 / 2 <= high
        _, low, high = median(shared)
        hits["median"] += low <= math.log(2) <= high
    assert all(0.89 < count / 200 < 0.99 for count in hits.values()), hits


def heavy(rng, problems, played):
    """One problem in ten or twenty loses a lot for good; the mean regret is 10 right, 20 + 5 wrong, 10 + 10 alone."""
    lost = np.where(rng.random(problems) < 0.1, rng.exponential(200, problems), 0)
    alone = np.where(rng.random(problems) < 0.05, rng.exponential(200, problems), 0)
    learning = np.column_stack([rng.exponential(mean, played) for mean in (10, 5, 10)])
    return Wrong(np.column_stack([np.zeros(problems), lost, alone]), learning)


def test_intervals_with_exact_losses_cover_and_are_not_negative(quick):
    rng, covered, width = np.random.default_rng(2), 0, {1000: [], 200: []}
    for _ in range(200):
        _, low, high = heavy(rng, 1000, 200).ratio(1)
        covered += 0 <= low <= 25 / 20 <= high
        width[1000].append(high - low)
        _, low, high = heavy(rng, 200, 200).ratio(1)
        width[200].append(high - low)
    assert 0.89 < covered / 200 < 0.99
    assert np.mean(width[1000]) < 0.75 * np.mean(width[200])  # what the exact losses are for
    rare = heavy(rng, 1000, 200)._replace(lost=np.zeros((1000, 3)))
    rare.lost[0, 1] = 500  # one problem of a thousand
    assert rare.ratio(1).low >= 0


def test_the_chance_of_an_error_up_to_which_a_diagram_pays():
    def solved(right, wrong, alone):
        learning = np.tile([right, wrong, alone], (3, 1)).astype(float)
        return Wrong(np.zeros((5, 3)), learning).chance(1)

    assert solved(1, 11, 3) == pytest.approx((0.2, 0.2, 0.2))
    assert solved(4, 11, 3).value == 0
    assert solved(1, 2, 3).value == math.inf


def test_the_break_even_number_is_between_the_numbers_played():
    lost = np.tile([0.0, 0.0, 30.0, 10.0], (4, 1))
    found = Wrong(lost, np.full((2, 4), 10.0)).break_even([0, 1, 4])
    assert found == pytest.approx((2, 2, 2))  # from 10 - 20 at one wrong edge to 40 - 20 at four


def test_the_crossing_of_curves_made_by_hand():
    def crossing(at, values):
        return crossings(at, np.array([values]))[0]

    assert crossing((0, 1), [-1.0, 1.0]) == 0.5
    assert crossing((0, 1), [1.0, 2.0]) == 0
    assert crossing((0, 1), [-1.0, -2.0]) == math.inf
    # -0.5 and 0.5 pool to a block at 0, which the curve reaches at 1
    assert crossing((0, 1, 2, 3), [-2.0, 0.5, -0.5, 1.0]) == 1
    assert crossing((0, 2, 8), [-1.0, -1.0, 2.0]) == 4
