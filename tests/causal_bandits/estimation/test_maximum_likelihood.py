"""Maximum likelihood on counts: against statsmodels on raw rows, warm or cold, and what has no estimate."""

import time

import numpy as np
import pytest
import statsmodels.api as sm

from causal_bandits.estimation.maximum_likelihood import ParentCounts, fit, observe
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit


def model_of(parents, rng, link):
    names = [f"X{i}" for i in range(parents)]
    weights = rng.normal(0, 1.5, parents) if link == "logistic" else rng.dirichlet(np.ones(parents + 2))[:parents]
    base = {**dict.fromkeys(names, 0.5), "Y": float(rng.normal()) if link == "logistic" else 0.05}
    links = {"Y": link}
    return BinaryGLM(base, {"Y": dict(zip(names, weights * (0.9 if link == "linear" else 1), strict=True))}, links)


def blank(model):
    return model._replace(base=np.zeros(len(model.base)), weight=np.zeros(len(model.weight)))


def observed(glm, rounds, rng):
    """Raw rows of all variables, in the model's order."""
    bandit = GLMBandit(glm, [{}])
    world = bandit.worlds(0, rounds, rng)
    rows = np.empty((rounds, len(glm.variables)), dtype=np.int8)
    for i in range(rounds):
        bandit.play(world, i, 0)
        rows[i] = world.values
    return rows


def counted(model, rows):
    counts = ParentCounts.empty(model)
    for row in rows:
        observe(counts, model, row)
    return counts


def by_statsmodels(rows, glm, link, of="Y"):
    y = rows[:, glm.variables.index(of)].astype(float)
    x = sm.add_constant(rows[:, [glm.variables.index(p) for p in glm.parents(of)]].astype(float), has_constant="add")
    if link == "linear":
        return sm.OLS(y, x).fit().params
    return sm.GLM(y, x, family=sm.families.Binomial()).fit(tol=1e-12, maxiter=200).params


@pytest.mark.parametrize("link", ["linear", "logistic"])
def test_estimates_are_those_of_statsmodels(link):
    """To 1e-6, on random data of 60 models."""
    rng, checked = np.random.default_rng(1), 0
    for _ in range(60):
        glm = model_of(int(rng.integers(1, 5)), rng, link)
        rows = observed(glm, int(rng.integers(60, 600)), rng)
        model = blank(glm.compiled)
        if not fit(counted(model, rows), model):
            continue
        y = glm.variables.index("Y")
        ours = np.r_[model.base[y], model.weight[model.start[y] : model.start[y + 1]]]
        np.testing.assert_allclose(ours, by_statsmodels(rows, glm, link), atol=1e-6)
        roots = [i for i in range(len(glm.variables)) if i != y]
        np.testing.assert_allclose(model.base[roots], rows[:, roots].mean(axis=0), atol=1e-12)
        checked += 1
    assert checked > 45


@pytest.mark.parametrize("link", ["linear", "logistic"])
def test_every_variable_has_its_own_coefficients(link):
    """Where several have parents, one, two and three of them."""
    parents, rng = {"B": "A", "C": "AB", "Y": "ABC"}, np.random.default_rng(5)
    weights = {v: dict(zip(ps, rng.uniform(0.1, 0.25, len(ps)), strict=True)) for v, ps in parents.items()}
    glm = BinaryGLM(dict.fromkeys("ABCY", 0.2), weights, dict.fromkeys(parents, link))
    rows, model = observed(glm, 3000, rng), blank(glm.compiled)
    assert fit(counted(model, rows), model)
    for v in parents:
        i = glm.variables.index(v)
        ours = np.r_[model.base[i], model.weight[model.start[i] : model.start[i + 1]]]
        np.testing.assert_allclose(ours, by_statsmodels(rows, glm, link, v), atol=1e-6)


@pytest.mark.parametrize("link", ["linear", "logistic"])
def test_a_warm_start_ends_where_a_cold_one_does(link):
    rng = np.random.default_rng(2)
    glm = model_of(4, rng, link)
    warm, counts = blank(glm.compiled), ParentCounts.empty(glm.compiled)
    for row in observed(glm, 400, rng):
        observe(counts, warm, row)
        cold = blank(glm.compiled)
        found = fit(counts, cold)
        assert fit(counts, warm) == found
        if found:
            np.testing.assert_allclose(warm.weight, cold.weight, atol=1e-8)
            np.testing.assert_allclose(warm.base, cold.base, atol=1e-8)
    assert found


@pytest.mark.parametrize("link", ["linear", "logistic"])
def test_the_cost_of_a_fit_does_not_grow_with_the_observations(link):
    """The same shares of a thousand times the observations: the work is per configuration, cold or warm."""
    rng = np.random.default_rng(5)
    glm = model_of(4, rng, link)
    few = counted(blank(glm.compiled), observed(glm, 600, rng))
    many = few._replace(rounds=1000 * few.rounds, ones=1000 * few.ones)

    def seconds(counts):
        start = time.process_time()
        for _ in range(400):
            assert fit(counts, blank(glm.compiled))
        return time.process_time() - start

    seconds(few)
    assert min(seconds(many) for _ in range(3)) < 2 * min(seconds(few) for _ in range(3))


def test_what_separates_has_no_estimate_until_it_does_not():
    glm = BinaryGLM({"X": 0.5, "Y": 0.0}, {"Y": {"X": 1.0}}, {"Y": "logistic"})
    model = blank(glm.compiled)
    x, y = glm.variables.index("X"), glm.variables.index("Y")
    assert (x, y) == (0, 1)
    counts = counted(model, np.array([[0, 0], [1, 1]] * 50, dtype=np.int8))
    assert not fit(counts, model)
    assert model.weight.tolist() == [0.0]
    for row in ([0, 1], [1, 0]):
        observe(counts, model, np.array(row, dtype=np.int8))
    assert fit(counts, model)
    assert model.weight[0] == pytest.approx(2 * np.log(50), abs=1e-9)


def test_too_few_configurations_have_no_estimate():
    glm = BinaryGLM({"X": 0.5, "Z": 0.5, "Y": 0.1}, {"Y": {"X": 0.3, "Z": 0.3}})
    model = blank(glm.compiled)
    order = [glm.variables.index(v) for v in ("X", "Z", "Y")]
    rows = np.zeros((3, 3), dtype=np.int8)
    rows[0, order[0]] = rows[1, order[0]] = rows[0, order[1]] = rows[1, order[1]] = 1  # X = Z throughout
    counts = counted(model, rows)
    assert not fit(counts, model)
    rows[0, order[1]] = 0
    observe(counts, model, rows[0])
    assert fit(counts, model)


def test_too_many_parents_are_refused():
    names = [f"X{i}" for i in range(17)]
    glm = BinaryGLM({**dict.fromkeys(names, 0.5), "Y": 0.0}, {"Y": dict.fromkeys(names, 0.01)})
    with pytest.raises(ValueError, match="17 parents"):
        ParentCounts.empty(glm.compiled)
