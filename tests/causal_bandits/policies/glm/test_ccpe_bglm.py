"""CCPE-BGLM against a plain twin by the letter of Algorithms 1 and 2, its constants, and what is refused."""

import math
from itertools import product

import numpy as np
import pytest
from twins.exploration import ccpe, run

from causal_bandits.estimation.maximum_likelihood import ParentCounts, fit, observe
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.glm.ccpe_bglm import CCPEBGLM, constants_of, easiness
from causal_bandits.problems.xiong2023 import confounded, parallel_bglm, two_layers
from causal_bandits.seeding import generators

BANDITS = {"linear": two_layers(1), "logistic": two_layers(1, "logistic")}


def watcher(bandit, factor, delta):
    """Algorithm 2 on all rows anew, and sigma by the model's tables."""
    glm, arms = bandit.glm, list(bandit.arms)

    def watch(rows, t):
        model = glm.compiled._replace(base=np.zeros(len(glm.variables)), weight=np.zeros(len(glm.compiled.weight)))
        counts = ParentCounts.empty(model)
        for row in rows:
            observe(counts, model, np.array([row[v] for v in glm.variables], dtype=np.int8))
        if not fit(counts, model):
            return [None] * len(arms)
        radius = math.sqrt(math.log(3 * len(glm.variables) * t**2 / delta) / t)
        return [(sigma(glm, model, action), factor[a] * radius) for a, action in enumerate(arms)]

    return watch


def sigma(glm, model, action):
    """E[Y | do(action)] under estimated coefficients, by summing over all joint states."""
    total, y = 0.0, glm.variables.index("Y")
    for states in product((0, 1), repeat=len(glm.variables)):
        if any(states[glm.variables.index(v)] != s for v, s in action.items()) or not states[y]:
            continue
        mass = 1.0
        for v, name in enumerate(glm.variables):
            if name not in action:
                own = range(model.start[v], model.start[v + 1])
                score = model.base[v] + sum(model.weight[i] * states[model.parent[i]] for i in own)
                one = 1 / (1 + math.exp(-score)) if model.logistic[v] else score
                mass *= one if states[v] else 1 - one
        total += mass
    return total


@pytest.mark.parametrize("bandit", BANDITS.values(), ids=BANDITS)
def test_it_plays_as_its_plain_twin(bandit):
    policy = CCPEBGLM(epsilon=0.2, delta=0.4, alpha_o=0.5, alpha_i=0.4, radius="bare", c=0.0)
    twin = ccpe(watcher(bandit, [0.5] * len(bandit.arms), 0.2), 0.2, 0.2, 0.4)
    for seed in range(2):
        found = play(policy, bandit, 150, generators(1, "bglm", seed), block=40)
        arms, answer = run(twin, bandit, generators(1, "bglm", seed), 150)
        assert found.arms.tolist() == arms
        assert found.outcome.get("answer") == answer


def test_the_radius_as_printed():
    """Eq. 8: the half widths after some iterations, from the outcome that they lead to, against the twin's."""
    bandit = two_layers(1)
    known, q = constants_of(bandit.glm), easiness(bandit)
    factor = 1e-4 * known.slope * known.parents**1.5 / (known.least_slope * math.sqrt(known.freedom)) / np.sqrt(q)
    policy = CCPEBGLM(epsilon=0.2, delta=0.4, alpha_o=1e-4, alpha_i=0.4, c=0.0)
    twin = ccpe(watcher(bandit, factor, 0.2), 0.2, 0.2, 0.4)
    found = play(policy, bandit, 120, generators(1, "bglm", 5))
    arms, answer = run(twin, bandit, generators(1, "bglm", 5), 120)
    assert found.arms.tolist() == arms
    assert answer is not None


def test_line_5_delays_the_end_and_a_capped_run_says_so():
    bandit = two_layers(1)
    settings = {"alpha_o": 0.7, "alpha_i": 0.7, "radius": "bare"}
    free = play(CCPEBGLM(**settings, c=0.0), bandit, 200_000, generators(1, "bglm", 0)).outcome
    held = play(CCPEBGLM(**settings, c=1.0), bandit, 200_000, generators(1, "bglm", 0)).outcome
    t = held["sample_complexity"] / 3 + 1
    known = constants_of(bandit.glm)
    least = known.parents / known.freedom**2 * math.log(6 * t**2 / 0.05)
    assert free["sample_complexity"] < held["sample_complexity"]
    assert least <= t <= least + 2
    capped = play(CCPEBGLM(**settings, c=1.0), bandit, 3000, generators(1, "bglm", 0)).outcome
    assert capped["unmet_width"] == 0
    assert capped["unmet_observations"] > 0


def test_the_least_slope_is_that_of_assumption_2():
    """Over all v of zeros and ones with v_1 = 1, and the theta at distance 1 that is worst for each; random models."""
    rng = np.random.default_rng(6)
    names = [*"ABCD", "Y"]
    for _ in range(200):
        weights = {
            v: {p: float(rng.normal(0, 2)) for p in names[:i] if rng.random() < 0.7} for i, v in enumerate(names)
        }
        base = {v: float(rng.normal(0, 2)) for v in names}
        found = constants_of(BinaryGLM(base, weights, dict.fromkeys(names, "logistic"))).least_slope
        farthest = 0.0
        for v in names:
            theta = np.array([base[v], *weights[v].values()])
            for free in product((0, 1), repeat=len(theta) - 1):
                x = np.array([1, *free])
                worst = theta + np.sign(theta @ x) * x / np.linalg.norm(x)
                farthest = max(farthest, abs(worst @ x))
                for _ in range(3):  # no other theta at distance 1, and no v inside the cube, goes beyond it
                    step, inside = rng.normal(size=len(theta)), np.array([1, *rng.random(len(free))])
                    other = theta + step / np.linalg.norm(step)
                    assert abs(other @ inside) <= _farthest(base[v], weights[v].values()) + 1e-9
        assert found == pytest.approx(np.exp(-farthest) / (1 + np.exp(-farthest)) ** 2)
    # By hand: X5 of the two layers has the scores -1.6 to 1.6 and two parents.
    assert constants_of(two_layers(1, "logistic").glm).least_slope == pytest.approx(0.0333, abs=1e-4)


def _farthest(base, weights):
    scores = (
        abs(base + sum(w for w, x in zip(weights, free, strict=True) if x)) + np.sqrt(1 + sum(free))
        for free in product((0, 1), repeat=len(weights))
    )
    return max(scores)


def test_constants_of_a_linear_and_a_logistic_model():
    linear, logistic = constants_of(two_layers(1).glm), constants_of(two_layers(1, "logistic").glm)
    assert linear[:3] == (1.0, 0.0, 1.0)
    assert linear.parents == logistic.parents == 4
    assert logistic.slope == 0.25
    # The second derivative of the logistic function is largest at its inflections: 1/(6 sqrt 3).
    s = 1 / (1 + np.exp(-np.linspace(-5, 5, 100_001)))
    assert logistic.curvature == pytest.approx((s * (1 - s) * (1 - 2 * s)).max(), rel=1e-6)
    assert 0 < logistic.least_slope < 0.25
    # P(X5 | X6): both follow X2 and X3.
    scm = two_layers(1).glm.to_scm()
    shares = [
        scm.distribution([v], given=dict(zip(others, states, strict=True))).min()
        for v, *others in (("X4", "X5", "X6"), ("X5", "X4", "X6"), ("X6", "X4", "X5"), ("X2", "X3"), ("X3", "X2"))
        for states in product((0, 1), repeat=len(others))
    ]
    assert linear.freedom == pytest.approx(min(shares))


def test_easiness_counts_the_variables_on_paths():
    """Eq. 7 on the two layers: D = 4 with X1; setting X4 leaves X2, X3, X5, X6 and Y on paths."""
    bandit = two_layers(2)
    q = dict(zip(map(frozenset, bandit.arms), easiness(bandit), strict=True))
    assert q[frozenset()] == 1
    assert q[frozenset(["X4"])] == 1 / (5**2 * 4**3)
    assert q[frozenset(["X5", "X6"])] == 1 / (4**2 * 4**3)
    assert easiness(parallel_bglm(6, 1)).min() == 1 / (6**2 * 7**3)


def test_what_it_cannot_play_is_refused():
    with pytest.raises(ValueError, match="hidden variables U1"):
        play(CCPEBGLM(), confounded(2, 0.5), 10, generators(1, "bglm", 0))
    model = BinaryGLM({"X": 0.5, "Y": 0.2}, {"Y": {"X": 0.3}})
    with pytest.raises(ValueError, match=r"is do\(\)"):
        play(CCPEBGLM(), GLMBandit(model, [{"X": 1}, {"X": 0}]), 10, generators(1, "bglm", 0))
