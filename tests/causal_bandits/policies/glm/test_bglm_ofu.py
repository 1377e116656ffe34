"""BGLM-OFU and BLM-LR against a plain twin; radii and rounds of watching by hand; what is refused."""

import math
from itertools import product

import numpy as np
import pytest
from pairs_of_causes import G4
from twins.linear_sem import PlainBGLMOFU
from twins.same import assert_same_choices

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.glm.bglm_ofu import BGLMOFU
from causal_bandits.policies.glm.blm_lr import BLMLR
from causal_bandits.seeding import generators


def random_bandit(rng, nodes):
    """Weights may be negative; arms set up to two variables to 0 or 1; Y has no base in half of them."""
    names = [f"X{i}" for i in range(nodes)]
    base, weights = {"H": 0.5}, {}
    for i, v in enumerate([*names, "Y"]):
        own = [p for p in names[:i] if rng.random() < 0.7]
        drawn = rng.uniform(0, 0.5, size=len(own)) / max(len(own), 1)
        if v == "Y" and rng.random() < 0.5:
            weights[v], base[v] = dict(zip(own, drawn.tolist(), strict=True)), 0.0
        else:
            drawn = drawn * rng.choice((-1, 1), size=len(own))
            weights[v], base[v] = dict(zip(own, drawn.tolist(), strict=True)), 0.5
    weights["X0"] = {"H": 0.3}  # a hidden cause of one variable
    sets = [(), *((v,) for v in names), tuple(names[:2])]
    arms = [dict(zip(chosen, values, strict=True)) for chosen in sets for values in product((1, 0), repeat=len(chosen))]
    return GLMBandit(BinaryGLM(base, weights, hidden=["H"]), arms)


@pytest.mark.parametrize("number", range(4))
def test_it_plays_as_its_plain_twin(number):
    bandit = random_bandit(np.random.default_rng(number), 2 + number % 2)
    growing = number >= 2
    settings = {"scale": 0.3, "watch": 0.05 if number % 2 else 0.0, "choose_null": number != 1}
    policy = (BLMLR if growing else BGLMOFU)(**settings)
    assert_same_choices(policy, PlainBGLMOFU(**settings, growing=growing), bandit, number, horizon=150)


def test_radii_are_those_of_the_formulas():
    """3 sqrt(log(3 n sqrt T)); and sqrt(n log(1 + n t) + 2 log(1/delta)) + sqrt n with delta = 1/(n sqrt T)."""
    fixed = BGLMOFU(scale=1.0)._radius(6, 2000)
    assert fixed.fixed == pytest.approx(3 * math.sqrt(math.log(3 * 6 * math.sqrt(2000))))
    assert (fixed.growth, fixed.level, fixed.root) == (0, 0, 0)
    for n, horizon, t in ((6, 2000, 7), (2, 50, 1), (11, 10_000, 9_999)):
        radius, delta = BLMLR(scale=0.3)._radius(n, horizon), 1 / (n * math.sqrt(horizon))
        assert (radius.scale, radius.fixed) == (0.3, 0)
        found = math.sqrt(radius.growth * math.log1p(radius.growth * t) + radius.level) + radius.root
        assert found == pytest.approx(math.sqrt(n * math.log(1 + n * t) + 2 * math.log(1 / delta)) + math.sqrt(n))


def test_bglm_ofu_watches_first_and_blm_lr_does_not():
    """do() costs 0.32 a round; without it every arm looks equally good at first."""
    run = play(BGLMOFU(choose_null=False), G4, 2000, generators(1, "ofu", 0))
    assert (run.arms[:20] == 0).all()
    assert not (run.arms[20:] == 0).any()
    assert run.regrets[:20].sum() == pytest.approx(20 * 0.32)
    assert play(BLMLR(choose_null=False), G4, 20, generators(1, "lr", 0)).arms[0] == 1


def test_with_the_radius_of_the_theory_it_hardly_learns():
    """Read from the design: 88 +- 3 and 96 +- 2, against 110 of UCB."""
    for policy, low, high in (
        (BGLMOFU(scale=1.0, choose_null=False), 70, 105),
        (BLMLR(1.0, choose_null=False), 80, 112),
    ):
        regrets = [play(policy, G4, 2000, generators(1, "theory", s)).regrets.sum() for s in range(4)]
        assert low < np.mean(regrets) < high


def test_what_it_cannot_play_is_refused():
    def refused(policy, bandit, message):
        with pytest.raises(ValueError, match=message):
            play(policy, bandit, 200, generators(1, "refused", 0))

    logistic = BinaryGLM({"X": 0.5, "Y": 0.0}, {"Y": {"X": 1.0}}, {"Y": "logistic"})
    refused(BGLMOFU(), GLMBandit(logistic, [{}, {"X": 1}]), "the links of Y are logistic")
    confounded = BinaryGLM({"H": 0.5, "X": 0.2, "Y": 0.2}, {"X": {"H": 0.5}, "Y": {"H": 0.5, "X": 0.1}}, hidden=["H"])
    refused(BGLMOFU(), GLMBandit(confounded, [{}, {"X": 1}]), "'H' is a hidden common cause of X, Y")
    refused(BGLMOFU(), GLMBandit(G4.glm, [{"X1": 1}, {"X2": 1}]), r"none of the 2 arms is do\(\)")
    refused(BGLMOFU(choose_null=False), GLMBandit(G4.glm, [{}]), "the only arm")
