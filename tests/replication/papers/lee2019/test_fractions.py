"""The best arm's mean of Fig. 5c and its five noises, from the published curves alone."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.graphs.admg import hidden_name
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.families import from_ones
from replication.papers.lee2019.fractions import (
    Curve,
    fraction_of,
    noises,
    optimal_means,
    read_curves,
    share_of_products,
)
from replication.papers.lee2019.graphs import GRAPHS, NON_MANIPULABLE
from replication.papers.lee2019.parities import ones, sign_of, sources

CURVES = Path(__file__).parents[4] / "data/published/curves/lee2019_fig5c_kl_ucb.csv"
RUNS = 1000


def test_the_curves_are_of_drawn_rewards_and_share_a_fraction():
    """At t = 1 bands are those of 1,000 rewards of 0 or 1; 1,000 x regret is 1,000 mu* t less a whole number."""
    curves = read_curves(CURVES)
    assert {name: len(curve.rounds) for name, curve in curves.items()} == {"BF": 101, "MIS": 101, "POMIS": 101}
    for curve in curves.values():
        deviation = (curve.high[0] - curve.low[0]) / 2 / 1.96 * math.sqrt(RUNS)
        assert deviation == pytest.approx(0.5, abs=0.002)
    fraction = fraction_of(curves, RUNS)
    assert np.abs(fraction.residuals).max() < 0.0045
    assert fraction.value == pytest.approx(0.2843008, abs=1e-6)
    assert fraction.error < 1e-7


def test_the_best_mean_and_its_five_noises_follow_from_the_curves():
    curves = read_curves(CURVES)
    fraction = fraction_of(curves, RUNS)
    possible = optimal_means(curves, RUNS, fraction.value)
    error = 4 * fraction.error / RUNS
    ways = [(mean, factors) for mean in possible for factors in noises(mean, 5, error)]
    assert 5 <= len(possible) <= 60
    ((mean, factors),) = ways
    assert mean == pytest.approx(0.6332843008, abs=1e-10)
    assert factors == (46, 46, 38, 37, 28)
    assert (2 * mean - 1) * 50**5 == pytest.approx(83_302_688, abs=0.01)
    assert not any(noises(other, 3, error) for other in possible)
    # One whole number in 1,400 is such a product by chance: among all possible means, one would be in 4 % of cases.
    assert share_of_products(83_302_688, 5) * len(possible) < 0.04


@pytest.mark.parametrize(("mean", "seed"), [(0.6332843008, 1), (0.512, 2), (0.87654321, 3), (0.9999, 4)])
def test_the_fraction_of_simulated_curves_is_that_of_their_mean(mean, seed):
    """Curves of drawn rewards, printed to six digits and moved by the error of a drawing."""
    rng = np.random.default_rng(seed)
    rounds = np.array([1, *range(101, 10_000, 100), 10_000])
    rewards = np.cumsum(rng.binomial(RUNS, mean * 0.9, size=10_000))[rounds - 1]
    moved = mean * rounds - rewards / RUNS + rng.uniform(-4e-6, 4e-6, len(rounds))
    curve = Curve(rounds, moved.round(6), moved, moved)
    fraction = fraction_of({"one": curve}, RUNS)
    off = (fraction.value - RUNS * mean + 0.5) % 1 - 0.5
    assert abs(off) < 5 * fraction.error


def test_curves_of_expected_rewards_have_no_common_fraction():
    rounds = np.array([1, *range(101, 10_000, 100), 10_000])
    curve = Curve(rounds, 60 * np.log1p(rounds / 300), rounds * 0.0, rounds * 0.0)
    with pytest.raises(ValueError, match=r"no common fraction: a point is 0.[0-9]+ off"):
        fraction_of({"one": curve}, RUNS)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=4))
def test_noises_are_all_ways_to_divide_the_product(factors):
    mean = (1 + math.prod(factors) / 50 ** len(factors)) / 2
    found = noises(mean, len(factors))
    assert tuple(sorted(factors, reverse=True)) in found
    assert len(set(found)) == len(found)
    every = (
        {
            tuple(sorted(way, reverse=True))
            for way in product(range(1, 51), repeat=len(factors) - 1)
            for way in [(*way, _last(math.prod(factors), way))]
            if way[-1]
        }
        if len(factors) < 4
        else set(found)
    )
    assert set(found) == every


def _last(whole, way):
    part = math.prod(way)
    return whole // part if whole % part == 0 and whole // part <= 50 else 0


def test_the_share_of_products_by_hand():
    """Of 91 to 99 all but 97, a prime, are products of two factors up to 50."""
    assert share_of_products(95, 2, width=4.5 / 95) == pytest.approx(8 / 9)


@pytest.mark.parametrize("task", list(GRAPHS))
def test_an_arms_mean_is_the_product_of_its_sources_biases(task):
    """Against the exact expectation of the model, on random noises."""
    graph = GRAPHS[task]
    names = [*graph.nodes, *(hidden_name(*edge) for edge in graph.bidirected)]
    for seed in range(40):
        rng = np.random.default_rng(seed)
        noise = {name: rng.uniform(0.01, 0.99) for name in names}
        bandit = SCMBandit(from_ones(graph, ones(graph, noise)), "Y", NON_MANIPULABLE[task])
        for arm, mean in zip(map(dict, bandit.arms), bandit.means, strict=True):
            bias = math.prod(1 - 2 * noise[name] for name in sources(graph, arm))
            assert mean == pytest.approx((1 + sign_of(graph, arm) * bias) / 2, abs=1e-12)


def test_five_noises_lie_between_the_best_arms_and_the_reward():
    graph = GRAPHS["sixvar"]
    assert sources(graph, {"B", "D"}) == {"A", "C", "E", "Y", "U_BY"}
    assert sources(graph, {"D", "E"}) == {"Y", "U_AY", "U_BY"}
    assert sources(graph, set()) == sources(graph, {"B"})
    assert len(sources(graph, {"D"})) == len(sources(graph, {"E"})) == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [("t,regret\n1,2\n", "columns"), ("t,strategy,regret,band_low,band_high\n2,BF,1,1,1\n2,BF,1,1,1\n", "BF: rounds")],
)
def test_a_file_that_is_no_curves_is_refused(tmp_path, text, said):
    path = tmp_path / "curves.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"{path}: .*{said}"):
        read_curves(path)
