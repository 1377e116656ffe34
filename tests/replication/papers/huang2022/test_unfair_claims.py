"""Averages of a few trials, and how a user's two possible incomes are coupled."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from made_huang2022 import adult_counts

from causal_bandits.problems.huang2022 import adult_video_bandit, user_counts
from experiments.results import Results
from replication.papers.huang2022 import unfair_claims
from replication.papers.huang2022.unfair_claims import RARE, Cell, averages, together, unseen

TRIALS, SEEDS, POLICIES, COUNTS = 5, 100, ("UCB", "C-UCB", "D-UCB"), 5

#: Counts of so many runs at a threshold, by model. In the last four a run in 10 to 300 decides the mean.
MODELS = {
    "normal": lambda rng, at, size: rng.normal(3000 / (at + 1), 60, size).round(),
    "skewed": lambda rng, at, size: rng.exponential(50 * (at + 1), size).round(),
    "few": lambda rng, at, size: rng.poisson(0.2 * at, size).astype(float),
    "heavy": lambda rng, at, size: rng.lognormal(3, 2, size).round(),
    "rare 0.1": lambda rng, at, size: 900.0 * (rng.random(size) < 0.1),
    "rare 0.02": lambda rng, at, size: 1000 + 900.0 * (rng.random(size) < 0.02),
    "rare 0.01": lambda rng, at, size: 900.0 * (rng.random(size) < 0.01),
    "rare 0.003": lambda rng, at, size: 900.0 * (rng.random(size) < 0.003),
}


def a_table(rng, model, shift=0.0, shifted=POLICIES, dependent=False):
    """A printed table of averages over the paper's trials, and the study's own seeds, of one model."""
    table = {}
    for policy in POLICIES:
        trial = np.random.default_rng(rng.integers(10**9))
        state = trial.bit_generator.state
        table[policy] = []
        for at in range(COUNTS):
            if dependent:
                trial.bit_generator.state = state  # all counts of a policy from the very same trials
            printed = MODELS[model](trial, at, TRIALS).mean() + shift * (at == 3 and policy in shifted)
            table[policy].append(Cell(round(printed), MODELS[model](rng, at, SEEDS)))
    return table


def test_averages_have_the_distribution_of_all_draws():
    """Two samples, three draws of each, one by one."""
    one, two = np.array([0.0, 1.0, 1.0, 10.0]), np.array([-5.0, 2.5])
    found = averages([one, two], 3)
    means = np.array([(sum(a) + sum(b)) / 6 for a in product(one, repeat=3) for b in product(two, repeat=3)])
    assert found.chance.sum() == pytest.approx(1)
    for border in (-1.7, 0.3, 1.1, 2.6, 4.4):
        assert found.share(found.value <= border) == pytest.approx((means <= border).mean(), abs=1e-9)
    assert averages([np.full(4, 3.0)], 5) == (3.0, 1.0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dependent", [False, True])
def test_a_table_of_the_very_model_is_refuted_no_more_often_than_declared(model, dependent):
    """Of 200 tables 11 or more would be refuted in less than 2.5 % of cases if the level were 2.5 %."""
    rng = np.random.default_rng(7)
    wrong = sum(together(a_table(rng, model, dependent=dependent), TRIALS).refuted for _ in range(200))
    assert wrong <= 10


@pytest.mark.parametrize("model", ["normal", "skewed"])
def test_a_table_that_is_shifted_is_refuted(model):
    """By ten standard errors of an average, in one count of each policy."""
    rng, spread = np.random.default_rng(8), {"normal": 60, "skewed": 200}[model]
    shift = 10 * spread / math.sqrt(TRIALS)
    assert all(together(a_table(rng, model, shift), TRIALS).refuted for _ in range(50))


def test_one_policy_alone_refutes_no_table():
    """Its five trials may have had what no seed of ours shows."""
    rng = np.random.default_rng(8)
    for shifted, refuted in ((POLICIES[:1], False), (POLICIES[:2], False), (POLICIES, True)):
        tested = together(a_table(rng, "normal", 1e4, shifted), TRIALS)
        assert (tested.off, tested.refuted) == (len(shifted), refuted)
        assert tested.worst == (shifted[0], 3) or tested.worst[0] in shifted


def test_a_count_without_spread_is_its_own_or_another():
    same, none = Cell(18, np.full(SEEDS, 18.0)), Cell(0, np.zeros(SEEDS))
    tested = together({"UCB": [same, none], "D-UCB": [same]}, TRIALS)
    assert (tested.counts, tested.policies, tested.off, tested.errors, tested.refuted) == (3, 2, 0, 0.0, False)
    tested = together({"UCB": [same, none], "D-UCB": [same, Cell(1, np.zeros(SEEDS))]}, TRIALS)
    assert (tested.off, tested.errors, tested.worst) == (1, math.inf, ("D-UCB", 1))


def test_a_printed_average_is_rounded():
    """0.4 is printed as 0; 0.6 is not."""
    assert Cell(0, np.full(SEEDS, 0.4)).off(TRIALS) == 0.0
    assert Cell(0, np.full(SEEDS, 0.6)).off(TRIALS) == math.inf


@pytest.mark.parametrize(("seeds", "trials"), [(72, 5), (100, 5), (100, 1), (1000, 20)])
def test_no_kind_of_run_is_unseen_and_met_more_often(seeds, trials):
    chance = np.linspace(0, 1, 100_001)
    met = (1 - chance) ** seeds * (1 - (1 - chance) ** trials)
    assert met.max() <= unseen(seeds, trials) <= met.max() + 1e-6


def test_the_share_is_that_of_resampled_averages():
    rng = np.random.default_rng(9)
    cell = Cell(0, rng.normal(100, 10, SEEDS))
    assert unfair_claims._share([cell], cell.off(TRIALS), TRIALS) == 0.0
    near = Cell(round(cell.values.mean() + 5), cell.values)
    assert RARE < unfair_claims._share([near], near.off(TRIALS), TRIALS) < 1


def test_how_far_a_count_lies_off_by_hand():
    """20 less 10.5, rounded, in units of sqrt(35 / 5) sqrt(1 + 5 / 20) 3.18439 / 1.95996."""
    assert Cell(20.0, np.arange(1.0, 21.0)).off(5) == pytest.approx(1.87264, abs=1e-4)


NOTHING = Results({}, {}, pd.DataFrame(), {}, {})


@pytest.fixture
def adult(tmp_path):
    return adult_counts(tmp_path)


def test_unfair_rounds_rest_on_the_coupling(adult):
    table = unfair_claims.couplings(replace(NOTHING, files={"data_adult": adult}))
    assert table["tau = 0.1"].tolist() == ["1023", "1204", "1699"]
    assert (table[[f"tau = 0.{i}" for i in (2, 3, 4, 5)]] == "0").all(axis=None)


def test_the_studys_coupling_is_that_of_the_bandit(adult):
    counts = user_counts(adult)
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = unfair_claims.Incomes(own, own[:, ::-1])
    both = unfair_claims.both_high(incomes)["same noise for both (the study's)"]
    exact = adult_video_bandit(counts, income_descends_from_sex=True).discrepancies
    ours = np.abs(unfair_claims.discrepancies(incomes, both)).ravel()
    np.testing.assert_allclose(np.abs(exact), np.repeat(ours[:, None], 16, axis=1), atol=1e-12)


def test_no_coupling_takes_a_discrepancy_beyond_the_weight_of_income(adult):
    """Among all couplings, in steps between Frechet's bounds, the largest is that of opposite noise."""
    counts = user_counts(adult)
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = unfair_claims.Incomes(own, own[:, ::-1])
    least, most = np.maximum(own + incomes.other - 1, 0), np.minimum(own, incomes.other)
    largest = [
        np.abs(unfair_claims.discrepancies(incomes, least + s * (most - least))).max() for s in np.linspace(0, 1, 21)
    ]
    sizes = unfair_claims.discrepancies_by_coupling(counts)
    assert max(largest) == sizes["opposite noise"].max() <= 0.2
    assert sizes["same noise for both (the study's)"].max() == pytest.approx(largest[-1])
    assert largest == sorted(largest, reverse=True)


def test_couplings_are_those_of_drawn_noise():
    """Incomes of two worlds, drawn with one noise, two, and one and its complement."""
    rng = np.random.default_rng(0)
    own, other = np.array([[[0.3]], [[0.7]]]), np.array([[[0.5]], [[0.6]]])
    noise, second = rng.random((2, 400_000))
    drawn = {"same noise for both (the study's)": noise, "independent noise": second, "opposite noise": 1 - noise}
    computed = unfair_claims.both_high(unfair_claims.Incomes(own, other))
    assert computed.keys() == drawn.keys()
    for name, there in drawn.items():
        disc = unfair_claims.discrepancies(unfair_claims.Incomes(own, other), computed[name])
        for i in (0, 1):
            here_high, there_high = noise < own[i, 0, 0], there < other[i, 0, 0]
            for income in (0, 1):
                change = 0.2 * (there_high[here_high == income].mean() - income)
                assert disc[i, 0, 0, income] == pytest.approx(change, abs=2e-3)
