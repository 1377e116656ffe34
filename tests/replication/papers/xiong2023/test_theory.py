"""xiong2023: Definitions 1 and 2, Lemma 1, the worked examples and the bounds of the theorems."""

import math
from itertools import product

import numpy as np
import pytest

from causal_bandits.policies.glm.ccpe_bglm import Constants
from causal_bandits.problems.xiong2023 import (
    confounded,
    parallel,
    two_gaps,
)
from replication.papers.xiong2023 import theory


def triples(count, seed=0):
    """Random (q, gaps, epsilon) of many kinds: few and many actions, rare and impossible ones, tied and tiny gaps."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        actions = int(rng.integers(2, 40))
        q = rng.choice(
            [rng.uniform(size=actions), 10.0 ** -rng.uniform(0, 4, actions), rng.integers(0, 3, actions) / 2]
        )
        q[rng.integers(actions)] = 1.0
        gaps = rng.choice(
            [rng.uniform(size=actions), 10.0 ** -rng.uniform(0, 3, actions), rng.integers(1, 4, actions) / 4]
        )
        best = rng.integers(actions)
        gaps[best] = np.delete(gaps, best).min()
        yield q, gaps, float(rng.choice([0.0, 0.01, 0.1, 0.9]))


def brute_threshold(q):
    return min(tau for tau in range(1, len(q) + 1) if sum(1 for x in q if x * tau < 1 - 1e-9) <= tau)


def brute_gap_threshold(q, gaps, epsilon, order=1):
    """By the letter of Definition 2; ``order=-1`` sorts equal products the other way round."""
    size = [max(gap, epsilon / 2) ** 2 for gap in gaps]
    ranked = sorted(range(len(q)), key=lambda a: (q[a] * size[a], order * size[a]))
    for tau in range(1, len(q) + 1):
        h = sum(1 / size[a] for a in ranked[:tau])
        if sum(1 for a in ranked if q[a] * size[a] * h < 1 - 1e-9) <= tau:
            return tau
    raise AssertionError


def test_lemma_1_on_ten_thousand_triples():
    """m_{epsilon, Delta} <= 2 m; both thresholds exist, and the bound is nearly met."""
    largest = 0.0
    for q, gaps, epsilon in triples(10_000):
        m, gap_dependent = theory.observation_threshold(q), theory.gap_dependent_threshold(q, gaps, epsilon)
        assert 1 <= m <= len(q)
        assert 1 <= gap_dependent <= min(2 * m, len(q))
        largest = max(largest, gap_dependent / m)
    assert largest > 1.2


def test_thresholds_are_those_of_the_definitions():
    for q, gaps, epsilon in triples(600, seed=1):
        assert theory.observation_threshold(q) == brute_threshold(q)
        assert theory.gap_dependent_threshold(q, gaps, epsilon) == brute_gap_threshold(q, gaps, epsilon)


def test_the_order_of_equal_products_can_matter_and_lemma_1_holds_in_either():
    """Ledger L130: products tie where q and gaps are round numbers."""
    differ = 0
    for shares in product((0.01, 0.0625, 0.25, 1.0), repeat=3):
        for gaps in product((0.1, 0.2, 0.4, 0.8), repeat=4):
            q = [*shares, 1.0]
            found = [brute_gap_threshold(q, gaps, 0.0, order) for order in (1, -1)]
            assert theory.gap_dependent_threshold(q, gaps, 0.0) == found[0]
            assert max(found) <= 2 * theory.observation_threshold(q)
            differ += found[0] != found[1]
    assert differ > 100


@pytest.mark.parametrize("n", [1, 2, 10, 100])
def test_the_parallel_graph_with_fair_coins_has_threshold_2(n):
    """Section 3, after Definition 1."""
    assert theory.observation_threshold([0.5] * (2 * n) + [1.0]) == 2


@pytest.mark.parametrize(("n", "actions"), [(5, 6), (5, 40), (30, 31), (30, 101)])
def test_the_example_where_gaps_matter(n, actions):
    """Section 3, after Lemma 1: q = 1/n, two gaps 1/n, the others 1/2, epsilon < 1/n."""
    q = np.r_[np.full(actions - 1, 1 / n), 1.0]
    gaps = np.r_[1 / n, 1 / n, np.full(actions - 2, 0.5)]
    assert theory.observation_threshold(q) == n
    for epsilon in (0.0, 0.9 / n):
        assert theory.gap_dependent_threshold(q, gaps, epsilon) == 2
        assert theory.hardness(q, gaps, epsilon, 1) >= n**2 * (1 - 1e-12)


def test_gaps_of_means():
    assert theory.gaps_of([0.2, 0.9, 0.5]).tolist() == pytest.approx([0.7, 0.4, 0.4])
    assert theory.gaps_of([0.9, 0.1, 0.9]).tolist() == pytest.approx([0.0, 0.8, 0.0])
    with pytest.raises(ValueError, match="at least two"):
        theory.gaps_of([0.5])


def test_hardness_adds_the_hardest_actions_first():
    q, gaps = [0.0, 0.5, 1.0, 0.01], [0.5, 0.1, 0.2, 0.1]
    # Products: 0, 0.005, 0.04, 0.0001.
    assert theory.hard_terms(q, gaps, 0.0).tolist() == pytest.approx([4, 100, 100, 25])
    assert [theory.hardness(q, gaps, 0.0, r) for r in range(5)] == pytest.approx([0, 4, 104, 204, 229])
    assert theory.hardness(q, gaps, 2.0, 4) == pytest.approx(4)
    with pytest.raises(ValueError, match="r=5"):
        theory.hardness(q, gaps, 0.0, 5)
    with pytest.raises(ValueError, match="1 for do"):
        theory.observation_threshold([0.5, 0.5])


def test_the_upper_bound_counts_hard_actions_alone():
    q, gaps = [1 / 10] * 20 + [1.0], [0.1, 0.1] + [0.5] * 19
    assert theory.gap_dependent_threshold(q, gaps, 0.0) == 2
    assert theory.sample_complexity_bound(q, gaps, 0.0, 0.1) == pytest.approx(200 * math.log(21 * 200 / 0.1))
    h = 200 + 19 * 4
    assert theory.bandit_bound(gaps, 0.0, 0.1) == pytest.approx(h * math.log(21 * h / 0.1))


def test_the_lower_bound_leaves_out_three_terms():
    q, gaps = [0.0, 0.0, 0.0, 0.0, 1.0], [0.1, 0.1, 0.2, 0.25, 0.5]
    m = theory.gap_dependent_threshold(q, gaps, 0.0)
    assert m == 4
    # H_3 takes the first three of the sorted actions, less the largest of them, less that of do().
    expected = (100 + 100 + 25) - 100 - 4
    assert theory.lower_bound(q, gaps, 0.0, 0.05, observing=4) == pytest.approx(expected * math.log(20))


def test_without_hard_actions_the_lower_bound_takes_away_that_of_do_alone():
    q, gaps = [1.0, 1.0, 1.0], [0.5, 0.5, 0.25]
    assert theory.gap_dependent_threshold(q, gaps, 0.0) == 1
    assert theory.lower_bound(q, gaps, 0.0, 0.05, observing=2) == pytest.approx(-16 * math.log(20))


def test_the_lower_bound_says_nothing_for_two_hard_actions():
    """With m = 2, as in the paper's own example, H_1 is the very term that is taken away (ledger E53)."""
    checked = 0
    for q, gaps, epsilon in triples(2_000, seed=2):
        if theory.gap_dependent_threshold(q, gaps, epsilon) <= 2 and max(gaps.min(), epsilon) > 0:
            assert theory.lower_bound(q, gaps, epsilon, 0.05, observing=int(q.argmax())) <= 0
            checked += 1
    assert checked > 200


def test_the_radius_of_equation_16_is_the_root_of_the_logarithm_of_zero_without_covariates():
    """E50: by the letter of Eq. 16, with I_a = 2^{Z_a}."""
    for covariates, k, n, t in product((0, 1, 3), (1, 2), (1, 40), (1, 100)):
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.float64(20 * k * 9 * covariates) * 2**covariates * np.log(2 * t) / 0.1
            expected = 8 * np.sqrt(np.log(inside) / n)
        found = theory.radius_of_equation_16(n, t, treated=k, actions=9, covariates=covariates, delta=0.1)
        assert found == pytest.approx(expected, nan_ok=True)
        assert math.isnan(found) == (covariates == 0)


def test_line_5_asks_for_more_than_the_order_of_theorem_1():
    """E55: one action beside do(), a gap of 1/2, fair coins: Theorem 1's order stays, line 5 grows with the parents."""
    ratios = []
    for parents in (2, 4, 8, 16):
        # Linear, eta = 1/2: M2 = 0 and kappa = M1 = 1; the action sets all parents, so l_S = 1 (Y alone).
        q = [1.0, 1 / (parents + 1) ** 3]
        known = Constants(slope=1.0, curvature=0.0, least_slope=1.0, freedom=0.5, parents=parents + 1)
        order = theory.sample_complexity_bound(q, [0.5, 0.5], 0.0, 0.1)
        ratios.append(theory.ObservationsNeeded(known, parents + 1, 0.05).condition(1.0) / order)
    assert (np.diff(ratios) > 0).all()
    assert ratios[-1] > 5 * ratios[0]


def test_observations_needed_meet_their_conditions():
    known = Constants(slope=0.25, curvature=0.1, least_slope=0.2, freedom=0.3, parents=3.0)
    needs = theory.ObservationsNeeded(known, 5, 0.1)
    t = needs.radius(0.01, 0.2)
    beta = 6 * 2**0.5 * 0.25 * 3**1.5 / (0.2 * 0.3**0.5) * math.sqrt(math.log(3 * 5 * t**2 / 0.1) / (0.01 * t))
    assert beta == pytest.approx(0.2)
    t = needs.condition(2.0)
    first = 2 * 3 / 0.3**2 * math.log(5 * t**2 / 0.1)
    second = 1024 * 0.1**2 * (4 * 9 - 3) * 3 / (0.2**4 * 0.3) * (9 + math.log(15 * t**2 / 0.1))
    assert t == pytest.approx(max(first, second))


@pytest.mark.parametrize(
    ("bandit", "width"),
    [
        (parallel(4, 0.8), 0.2),
        (parallel(6, 0.8, rare=3, rare_chance=0.01), 0.1),
        (parallel(30, 0.8, rare=10, rare_chance=0.001, values="ones"), 0.2),
        (confounded(3, 0.6), 0.1),
        (two_gaps(5, 8), 0.3),
    ],
)
@pytest.mark.parametrize("alpha", [0.7071, 2.0])
def test_no_other_plan_of_fixed_size_is_shorter(bandit, width, alpha):
    """By hand: for every number of observations, which actions are not known well enough and how often to play them."""
    found, q, actions = theory.two_stages(bandit, width, 0.02, alpha, alpha), theory.easiness(bandit), len(bandit.arms)

    def played_radius(n):
        return alpha * math.sqrt(math.log(actions * math.log(2 * n) / 0.02) / n)

    def watched_radius(share, n):  # of actions without covariates: k = Z_a = I_a = 1 in Eq. 16
        return alpha * math.sqrt(math.log(20 * actions * math.log(2 * n) / 0.02) / (share * n))

    plays = next(n for n in range(2, 10**7) if played_radius(n) <= width)
    assert found.plays == plays
    best = actions * plays
    for n in {*np.unique(np.geomspace(2, best, 400).astype(int)), found.observations}:
        if n >= 2:
            open_ = sum(1 for share in q[1:] if share == 0 or watched_radius(share, n) > width) + (n < plays)
            best = min(best, n + open_ * plays)
    assert found.rounds == best
