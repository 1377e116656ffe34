"""Estimates of effects: by hand where a hand can, against the bootstrap, and how often their intervals hold."""

from itertools import combinations, product
from math import exp, log, sqrt

import numpy as np
import pytest
from effect_coverage import misses, random_model
from scipy.stats import binom, norm
from strategies import positive_scm

from causal_bandits.datasets import CountTable
from causal_bandits.graphs import ADMG
from causal_bandits.identification import NotIdentifiable
from causal_bandits.logs import Logs

RANDOMISED = {"x": [0] * 60 + [1] * 40, "y": [0] * 45 + [1] * 15 + [0] * 10 + [1] * 30}
FRONT_DOOR = "dag { x -> z -> y ; x <-> y }"


def triple(difference):
    return [difference.estimate, difference.lower, difference.upper]


def logs_of(frame, graph="dag { x -> y }", **roles):
    return Logs.from_frame(frame, graph, **{"treatment": "x", "outcome": "y"} | roles)


def drawn(n, seed=0):
    """Records of a front door."""
    rng = np.random.default_rng(seed)
    u = rng.random(n) < 0.5
    x = (rng.random(n) < np.where(u, 0.7, 0.3)).astype(int)
    z = (rng.random(n) < np.where(x, 0.8, 0.2)).astype(int)
    y = (rng.random(n) < 0.2 + 0.35 * z + 0.3 * u).astype(int)
    return {"x": x, "z": z, "y": y}


def test_randomised_arms_by_hand():
    """Two shares: p = 1/4 of 60 and 3/4 of 40."""
    found = logs_of(RANDOMISED).effect(confidence=0.9)
    np.testing.assert_allclose(found.estimate, [[0.25, 0.75]], rtol=1e-12)
    q = norm.ppf(0.95)
    for arm, (p, n) in enumerate([(0.25, 60), (0.75, 40)]):
        centre, radius = log(p / (1 - p)), q / sqrt(n * p * (1 - p))
        limits = [1 / (1 + exp(-(centre + sign * radius))) for sign in (-1, 1)]
        np.testing.assert_allclose([found.lower[0, arm], found.upper[0, arm]], limits, rtol=1e-9)
    radius = q * sqrt(0.1875 / 60 + 0.1875 / 40)
    np.testing.assert_allclose(np.ravel(triple(found.difference(1, 0))), [0.5, 0.5 - radius, 0.5 + radius], rtol=1e-9)
    np.testing.assert_allclose(
        np.ravel(triple(found.difference({"x": 0}, {"x": "1"}))), np.array([-0.5, -0.5 - radius, -0.5 + radius])
    )
    same = found.difference(1, 1)
    assert [*same.estimate, *same.lower, *same.upper] == [0, 0, 0]
    for value in (1, 1.0, "1", np.int64(1), np.float32(1)):  # as `from_frame` reads them
        assert str(found.difference({"x": value}, 0)) == str(found.difference(1, 0))
    assert found.rows()[1]["estimate"] == found.estimate[0, 1]
    text = str(found)
    assert "90% intervals by the delta method" in text
    assert "P(y | x)" in text
    assert "Each cell that the formula uses has many records." in text


def test_the_bootstrap_of_a_share_has_the_percentiles_of_a_binomial():
    found = logs_of({"x": [0] * 200, "y": [0] * 140 + [1] * 60}, states={"x": [0, 1]}).effect(
        method="bootstrap", replicates=20_000
    )
    limits = binom.ppf([0.025, 0.975], 200, 0.3) / 200
    np.testing.assert_allclose([found.lower[0, 0], found.upper[0, 0]], limits, atol=0.0051)
    assert np.isnan([found.estimate[0, 1], found.lower[0, 1], found.upper[0, 1]]).all()  # nobody has x = 1
    assert any("no record has x = 1" in note for note in found.notes)


def test_both_methods_agree_where_there_are_many_records():
    logs = logs_of(drawn(200_000), FRONT_DOOR)
    delta, bootstrap = logs.effect(), logs.effect(method="bootstrap", replicates=4000)
    np.testing.assert_array_equal(delta.estimate, bootstrap.estimate)
    width = delta.upper - delta.lower
    np.testing.assert_allclose(bootstrap.upper - bootstrap.lower, width, rtol=0.06)
    np.testing.assert_allclose(bootstrap.lower, delta.lower, atol=0.06 * width.max())
    one, other = delta.difference(1, 0), bootstrap.difference(1, 0)
    np.testing.assert_allclose(other.upper - other.lower, one.upper - one.lower, rtol=0.06)
    assert (one.upper - one.lower)[0] < 1.2 * width.max()  # of arms whose estimates do not fall apart


def test_tables_of_the_bootstrap_are_those_of_the_seed():
    logs = logs_of(drawn(500), FRONT_DOOR)
    one, again, other = (logs.effect(method="bootstrap", replicates=100, seed=seed).lower for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert (one != other).all()


def test_the_front_door_is_far_narrower_than_natural_bounds():
    logs = logs_of(drawn(5000), FRONT_DOOR)
    found, natural = logs.effect(), logs.bounds(method="natural", confidence=0.95)
    assert (found.upper - found.lower < 0.045).all()
    assert (natural.upper - natural.lower > 0.5).all()
    assert (natural.lower < found.lower).all()
    assert (found.upper < natural.upper).all()


def test_a_context_and_several_states_by_hand():
    """Within each context the arms are randomised; the outcome has three states, of which the middle one counts."""
    rng = np.random.default_rng(3)
    c, x = rng.integers(0, 2, 900), rng.integers(0, 3, 900)
    y = rng.integers(0, 3, 900)
    found = logs_of({"c": c, "x": x, "y": y}, "dag { c -> x -> y ; c -> y }", context="c", success=1).effect()
    assert found.estimate.shape == (2, 3)
    assert found.success == "y = 1"
    for i in range(2):
        for a in range(3):
            share = (y[(c == i) & (x == a)] == 1).mean()
            np.testing.assert_allclose(found.estimate[i, a], share, rtol=1e-12)
            variance = share * (1 - share) / ((c == i) & (x == a)).sum()
            np.testing.assert_allclose(found.covariance[i, a, a], variance, rtol=1e-9)
            np.testing.assert_allclose(np.delete(found.covariance[i, a], a), 0, atol=1e-15)


def test_the_napkin_takes_the_value_that_most_records_of_the_arm_have():
    rng, n = np.random.default_rng(1), 4000
    w, z = rng.integers(0, 2, n), rng.integers(0, 2, n)
    x = np.where(rng.random(n) < 0.7, z, 1 - z)
    y = (rng.random(n) < 0.2 + 0.3 * x + 0.3 * w).astype(int)
    napkin = "dag { w -> z -> x -> y ; w <-> x ; w <-> y }"
    found = logs_of({"w": w, "z": z, "x": x, "y": y}, napkin).effect()
    assert any("holds for any z" in note for note in found.notes)
    for arm in (0, 1):

        def mean(event, at=arm):  # over w, among the records with z = arm, which most records of the arm have
            return sum(event[(z == at) & (w == i)].mean() * (w == i).mean() for i in (0, 1))

        np.testing.assert_allclose(found.estimate[0, arm], mean((x == arm) & (y == 1)) / mean(x == arm), rtol=1e-12)


def test_selected_records():
    """Selection by the treatment alone: the share of each arm is that of all its records."""
    found = logs_of(RANDOMISED, "dag { x -> y ; x -> S }", selection="S").effect()
    np.testing.assert_allclose(found.estimate, [[0.25, 0.75]], rtol=1e-12)
    assert any("depends directly on x" in sentence for sentence in found.assumptions)
    frame = {"c": [0, 1] * 50, **RANDOMISED}
    given = logs_of(frame, "dag { c -> x -> y ; c -> y ; c -> S }", selection="S", context="c").effect()
    alike = logs_of(frame, "dag { c -> x -> y ; c -> y }", context="c").effect()
    np.testing.assert_allclose(given.estimate, alike.estimate, rtol=1e-12)
    with pytest.raises(NotIdentifiable, match="records that S selects"):
        logs_of(RANDOMISED, "dag { x -> y ; y -> S }", selection="S").effect()


def test_estimates_from_as_many_records_as_there_can_be_are_the_effects():
    """With and without selection, with and without a context."""
    rng = np.random.default_rng(7)
    found = {True: 0, False: 0}
    for i in range(250):
        selected = i % 2 == 0
        nodes = [str(v) for v in rng.permutation([*"ABC"[: rng.integers(1, 4)], "X", "Y"])]
        pairs = list(combinations(nodes, 2))
        directed = [p for p in pairs if rng.random() < 0.5]
        directed += [(v, "S") for v in nodes if v != "Y" and selected and rng.random() < 0.3]
        graph = ADMG(directed, [p for p in pairs if rng.random() < 0.2], [*nodes, *("S" if selected else "")])
        scm = positive_scm(graph, rng, max_states=2)
        before = sorted(set(nodes) - graph.descendants("X") - {"Y"})
        context = tuple(v for v in before if rng.random() < 0.4)
        joint = scm.distribution(nodes, given={"S": 1} if selected else None)
        table = CountTable({v: ("0", "1") for v in nodes}, np.rint(joint * 1e12).astype(np.int64))
        try:
            roles = {"treatment": ("X",), "outcome": "Y", "context": context, "selection": "S" if selected else None}
            effect = Logs(table, graph, **roles).effect()
        except NotIdentifiable:
            continue
        contexts = [dict(zip(context, states, strict=True)) for states in product((0, 1), repeat=len(context))]
        exact = [[scm.expectation("Y", {"X": x}, c) for x in (0, 1)] for c in contexts]
        np.testing.assert_allclose(effect.estimate, exact, atol=1e-6)
        found[selected] += 1
    assert min(found.values()) >= 40


def test_an_interval_is_not_given_where_records_do_not_show_it():
    frame = {"x": [0] * 50 + [1] * 50, "y": [0] * 50 + [0] * 20 + [1] * 30}
    for method in ("delta", "bootstrap"):
        found = logs_of(frame).effect(method=method)
        assert found.estimate.tolist() == [[0, 0.6]]
        assert np.isnan([found.lower[0, 0], found.upper[0, 0]]).all()
        assert found.lower[0, 1] < 0.6 < found.upper[0, 1]
        assert np.isnan(found.difference(1, 0).lower).all()
        assert found.difference(1, 0).estimate.tolist() == [0.6]
        assert any("exact limits" in note for note in found.notes)


def test_an_empty_stratum_is_named():
    frame = {"z": [0] * 100 + [1] * 5, "x": [0] * 50 + [1] * 50 + [0] * 5, "y": [0, 1, 1, 1] * 26 + [0]}
    graph = "dag { z -> x -> y ; z -> y }"
    found = logs_of(frame, graph).effect()
    assert np.isnan(found.estimate).tolist() == [[False, True]]
    assert any("no record has x = 1, z = 1" in note for note in found.notes)
    frame["x"][-1] = 1  # one record, which many of the bootstrap's tables lack
    thin = logs_of(frame, graph).effect(method="bootstrap")
    assert any("tables lack a cell" in note for note in thin.notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"confidence": 1.0}, "confidence=1.0"),
        ({"method": "jackknife"}, "expected one of delta, bootstrap"),
        ({"method": "bootstrap", "replicates": 20}, "replicates=20"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(ValueError, match=words):
        logs_of(RANDOMISED).effect(**options)


def test_what_is_not_identified_is_refused():
    with pytest.raises(NotIdentifiable):
        logs_of(RANDOMISED, "dag { x -> y ; x <-> y }").effect()
    with pytest.raises(ValueError, match="arm 2: expected an index below 2"):
        logs_of(RANDOMISED).effect().difference(2, 0)


@pytest.mark.parametrize(
    ("options", "samples"), [({}, 60), ({"method": "bootstrap", "replicates": 400}, 20)], ids=["delta", "bootstrap"]
)
def test_the_intervals_hold_as_often_as_they_say(options, samples):
    """On 60 random models. Three standard errors, and .004 since counts are finite: 92 or 98 % would be found out."""
    rng = np.random.default_rng(12)
    found = sum(misses(random_model(rng), rng, samples, 5000, **options) for _ in range(60))
    for missed, held, _ in found:
        trials = missed + held
        assert trials > 50 * samples
        error = sqrt(0.05 * 0.95 / trials)
        assert abs(missed / trials - 0.05) < 3 * error + 0.004
