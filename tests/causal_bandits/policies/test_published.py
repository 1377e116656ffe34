"""Regrets that authors publish of their own algorithms, on their problems, are those that we find.

Yan & Tajer 2024 publish their data files, and Feng & Chen 2023 figures, from which values were read to 1 either way.
Each value is a mean of 20 runs.

Three values of Feng & Chen are not confirmed (BGLM-OFU on G2, BLM-LR on G4 and G5: 17.9 instead of 19, 13.1 instead of
12, 11.8 instead of 14). One of Yan & Tajer is not met: GA-LCB's 19,509.8 after 40,000 rounds, where all our runs have
19,500 (ledger L238).
"""

import math

import numpy as np
import pytest
from published_models import FOUR_LAYERS, TWO_LAYERS, PrintedGaps, combinatorial

from causal_bandits.play.run import play
from causal_bandits.policies import BGLMOFU, BLMLR, GALCB, LinSEMUCB
from causal_bandits.seeding import generators


def regrets(policy, bandit, rounds, runs=1):
    """Cumulative regret by run, shape (runs, rounds)."""
    found = [play(policy, bandit, rounds, generators(1, "published", seed)) for seed in range(runs)]
    return np.array([run.regrets.cumsum() for run in found])


def test_the_first_stage_of_ga_lcb_costs_what_its_authors_have():
    """It plays the same arms in every run."""
    (two,) = regrets(GALCB(), PrintedGaps(TWO_LAYERS.sem), 40_000)
    assert (two[999], two[3_999]) == pytest.approx((4_875, 19_500), abs=1e-6)
    (four,) = regrets(GALCB(cycles=1_000, penalty="one", restart=True), FOUR_LAYERS, 12_000)
    assert four[9_999] == pytest.approx(24_500, abs=1e-6)


@pytest.mark.parametrize(
    ("policy", "told", "published"),
    [
        (GALCB(known=True), False, 2_299.1),
        (LinSEMUCB(maximum="forward", constant=False), True, 896.8),
    ],
    ids=["GA-LCB, graph known", "LinSEM-UCB"],
)
def test_means_of_yan_and_tajer(policy, told, published):
    """Within three standard errors of the difference of two means of 20 runs."""
    found = regrets(policy, PrintedGaps(TWO_LAYERS.sem, told), 40_000, 20)[:, -1]
    assert abs(found.mean() - published) < 3 * found.std(ddof=1) * math.sqrt(2 / 20)


@pytest.mark.parametrize(
    ("algorithm", "graph", "rounds", "published"),
    [
        (BLMLR, "G1", 10_000, 39),
        (BGLMOFU, "G1", 10_000, 68),
        (BLMLR, "G2", 2_000, 19),
        (BLMLR, "G3", 2_000, 17),
        (BGLMOFU, "G3", 2_000, 17.5),
        (BGLMOFU, "G4", 2_000, 15),
        (BGLMOFU, "G5", 10_000, 72),
    ],
)
def test_means_of_feng_and_chen(algorithm, graph, rounds, published):
    """With the authors' radius, a tenth of that in the formulas (ledger L240)."""
    policy = algorithm(choose_null=False, scale=0.1)
    found = regrets(policy, combinatorial(graph), rounds, 40)[:, -1]
    error = found.std(ddof=1) * math.sqrt(1 / 20 + 1 / 40)
    assert abs(found.mean() - published) < 3 * error + 1


@pytest.mark.parametrize(
    ("graph", "best", "mean", "null", "arms"),
    [
        ("G1", {"X2", "X3", "X4"}, 0.84, 0.32, 21),
        ("G2", {"X1", "X2"}, 0.76, 0.44, 29),
        ("G3", {"X1", "X2"}, 0.64, 0.32, 16),
        ("G4", {"X1", "X2"}, 0.52, 0.20, 7),
        ("G5", {"X1", "X3"}, 0.762, 0.114, 11),
    ],
)
def test_means_of_the__are_those_computed_by_hand(graph, best, mean, null, arms):
    bandit = combinatorial(graph)
    assert len(bandit.arms) == arms
    assert set(bandit.arms[int(bandit.means.argmax())]) == best
    assert (bandit.optimal_mean, bandit.means[0]) == pytest.approx((mean, null), abs=1e-12)
    assert list(bandit.arms)[:2] == [{}, dict.fromkeys([f"X{i}" for i in range(1, 4 if graph == "G1" else 3)], 1)]


def test_printed_gaps_take_the_roots_for_one():
    printed, told = PrintedGaps(TWO_LAYERS.sem), PrintedGaps(TWO_LAYERS.sem, told=True)
    assert printed.means.tolist() == TWO_LAYERS.means.tolist()
    assert told._losses.tolist() == printed._losses.tolist()
    assert printed.told_noise == TWO_LAYERS.told_noise == dict.fromkeys(TWO_LAYERS.sem.variables, 0.5)
    assert told.told_noise == TWO_LAYERS.told_noise | dict.fromkeys(["X00", "X01", "X02"], 1.0)
    gaps = {frozenset(arm): gap for arm, gap in zip(printed.arms, printed._losses.tolist(), strict=True)}
    middle = [f"X1{i}" for i in range(3)]
    # By hand: 3.5 or 2 in the middle; the reward adds 0.5 to their sum, halved without an intervention on it.
    for arm, gap in gaps.items():
        weight, inner = (1.0 if "Y" in arm else 0.5), sum(2.0 if v in arm else 3.5 for v in middle)
        assert gap == pytest.approx(11.0 - (weight * inner + 0.5), abs=1e-12)
    assert 4 * gaps[frozenset()] + sum(gaps[frozenset([v])] for v in [*middle, "Y"]) == pytest.approx(39)
