"""lee2019's bandits: means by enumeration of all noises, from the structural equations written a second time."""

from itertools import product

import numpy as np
import pytest

from causal_bandits.problems import make

#: Probabilities of one and structural equations, in causal order; a pair of letters is a hidden common cause.
TWINS = {
    "frontdoor": (
        {"X": 0.5, "Y": 0.4, "Z": 0.4, "XY": 0.5},
        {
            "X": lambda u, v: u["X"] != u["XY"],
            "Z": lambda u, v: u["Z"] != v["X"],
            "Y": lambda u, v: (u["Y"] and u["XY"]) != v["Z"],
        },
    ),
    "fourvar": (
        {"B": 0.5, "C": 0.25, "Y": 0.25, "BY": 0.25, "AB": 0.4},
        {
            "A": lambda u, v: u["AB"],
            "B": lambda u, v: odd(u["B"], u["AB"], u["BY"]),
            "C": lambda u, v: odd(u["C"], v["A"], v["B"]),
            "Y": lambda u, v: not odd(u["BY"], u["Y"], v["A"], v["C"]),
        },
    ),
    "sixvar": (
        {"A": 0.22, "B": 0.2, "C": 0.12, "D": 0.2, "E": 0.04, "Y": 0.87, "BY": 0.04, "AY": 0.45},
        {
            "A": lambda u, v: u["A"] != u["AY"],
            "B": lambda u, v: u["B"] != u["BY"],
            "C": lambda u, v: u["C"] != v["B"],
            "D": lambda u, v: u["D"] != v["C"],
            "E": lambda u, v: odd(u["E"], v["A"], v["C"]),
            "Y": lambda u, v: not odd(u["Y"], u["AY"], u["BY"], v["D"], v["E"]),
        },
    ),
}


def odd(*bits):
    return sum(bits) % 2 == 1


def enumerated(task, noise, do):
    """Joint distribution of the observed variables under an intervention, by going through all noises."""
    equations = TWINS[task][1]
    found = {}
    for values in product((0, 1), repeat=len(noise)):
        u = dict(zip(noise, values, strict=True))
        weight = np.prod([noise[name] if on else 1 - noise[name] for name, on in u.items()])
        v = {}
        for name, equation in equations.items():
            v[name] = do[name] if name in do else int(equation(u, v))
        key = tuple(v.values())
        found[key] = found.get(key, 0.0) + weight
    return found


@pytest.mark.parametrize("task", TWINS)
@pytest.mark.parametrize("moved", [{}, {"Y": 0.3}])
def test_every_arm_has_the_distribution_of_the_structural_equations(task, moved):
    bandit = make(f"lee2019/{task}", noise=moved)
    observed = list(TWINS[task][1])
    for arm, mean in zip(bandit.arms, bandit.means, strict=True):
        found = enumerated(task, TWINS[task][0] | moved, arm)
        rest = [name for name in observed if name not in arm]
        exact = bandit.scm.distribution(rest, dict(arm))
        assert sum(found.values()) == pytest.approx(1)
        for key, probability in found.items():
            assert all(key[observed.index(name)] == value for name, value in arm.items())
            assert exact[tuple(key[observed.index(name)] for name in rest)] == pytest.approx(probability, abs=1e-12)
        assert mean == pytest.approx(sum(p for key, p in found.items() if key[observed.index("Y")]), abs=1e-12)


def test_best_means_and_numbers_of_arms_are_the_papers():
    best = {task: make(f"lee2019/{task}").optimal_mean for task in TWINS}
    assert best == pytest.approx({"frontdoor": 0.56, "fourvar": 0.5625, "sixvar": 0.6332843008}, abs=1e-12)
    arms = {
        task: [len(make(f"lee2019/{task}").with_arms(s).arms) for s in ("brute_force", "minimal", "possibly_optimal")]
        for task in TWINS
    }
    assert arms == {"frontdoor": [3, 3, 3], "fourvar": [9, 5, 5], "sixvar": [27, 19, 15]}
    assert make("lee2019/frontdoor").means.tolist() == pytest.approx([0.5, 0.44, 0.56])


def test_the_best_arm_of_the_six_variables_is_behind_the_five_noises_that_published_curves_gave():
    """The tutorial docs/tutorials/curve.md derives the five from the digits of three curves."""
    noise = TWINS["sixvar"][0]
    behind = sorted(min(p, 1 - p) for name, p in noise.items() if name in {"A", "C", "E", "Y", "BY"})
    assert behind == pytest.approx([0.04, 0.04, 0.12, 0.13, 0.22])
    biases = [1 - 2 * p for p in behind]
    assert make("lee2019/sixvar").optimal_mean == pytest.approx((1 + np.prod(biases)) / 2, abs=1e-12)


@pytest.mark.parametrize("noise", [{"Q": 0.1}, {"Y": 1.5}])
def test_an_impossible_noise_is_refused(noise):
    with pytest.raises(ValueError, match=r"lee2019/frontdoor: noise .* expected a probability for one of: X, Y, Z, XY"):
        make("lee2019/frontdoor", noise=noise)
