"""The bound of Graves and Lai: known values, a grid of models, and that borrowing cannot pay without confounders."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar
from scipy.special import rel_entr

from causal_bandits.estimation import graves_lai as module
from causal_bandits.estimation.graves_lai import bernoulli_divergence, graves_lai, lai_robbins
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.families import uniform_cpt
from causal_bandits.problems import arena


def model(edges, **ones):
    """A binary model from P(V = 1) of every row; axes are the parents by the order of ``edges``."""
    tables = {}
    for v, p in ones.items():
        p = np.asarray(p, dtype=float)
        tables[v] = CPT([a for a, b in edges if b == v], np.stack([1 - p, p], axis=-1))
    return DiscreteSCM(ADMG(edges), tables)


def single(*variables):
    return [{}, *({v: s} for v in variables for s in (0, 1))]


def every(*variables):
    """All values of all subsets."""
    states = product((None, 0, 1), repeat=len(variables))
    return [{v: s for v, s in zip(variables, chosen, strict=True) if s is not None} for chosen in states]


def kl(p, q):
    return float(bernoulli_divergence(p, q))


CHAIN = [("X", "Z"), ("Z", "Y")]
DIRECT = model([("X", "Y")], X=0.4, Y=[0.3, 0.6])
LONG = model(CHAIN, X=0.4, Z=[0.2, 0.7], Y=[0.25, 0.8])
SURE = model(CHAIN, X=0.4, Z=[0.2, 1.0], Y=[0.25, 0.8])
BOTH = model([("X", "Z"), ("X", "Y"), ("Z", "Y")], X=0.4, Z=[0.2, 0.7], Y=[[0.25, 0.5], [0.3, 0.8]])
TWO = model(
    [("W", "Z"), ("X", "Z"), ("Z", "Y"), ("X", "Y")],
    W=0.5,
    X=0.5,
    Z=[[0.3, 0.2], [0.6, 0.7]],
    Y=[[0.2, 0.3], [0.6, 0.8]],
)
#: Model, arms, C, and that of Lai and Robbins over these arms.
KNOWN = {
    "the reward's cause": (DIRECT, single("X"), 1.632325, 4.371910),  # 0.3 / kl(0.3, 0.6)
    "a chain": (LONG, single("X", "Z"), 0.785121, 5.249508),  # 0.55 / kl(0.25, 0.8)
    "a mediator that no arm sets": (LONG, single("X"), 0.514874, 4.705896),  # 0.275 / kl(0.2, 0.7)
    "a mediator that is sure under the best arm": (SURE, single("X"), 0.785121, 2.464338),
    "a mediator beside a direct effect": (BOTH, single("X"), 1.382055, 3.676759),
    "watching is best": (DIRECT, [{}, {"X": 0}], 0.0, 3.909445),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_values(name):
    scm, arms, constant, independent = KNOWN[name]
    bound = graves_lai(scm, "Y", arms)
    assert bound.lower == pytest.approx(constant, abs=5.1e-7)
    assert bound.upper == pytest.approx(constant, abs=5.1e-7)
    means = [scm.expectation("Y", do=arm) for arm in arms]
    assert lai_robbins(means) == pytest.approx(independent, abs=5e-7)
    assert bound.plays @ (max(means) - np.array(means)) == pytest.approx(bound.lower, abs=1e-9)
    assert bound.plays[np.argmax(means)] == 0


def test_free_rows_that_multiply_each_other():
    """Four rivals: those with X = 0 may differ in both tables. The grid below proves their searches."""
    arms = every("W", "X")
    rivals = [i for i, arm in enumerate(arms) if len(arm) == 2]
    bound = graves_lai(TWO, "Y", arms, rivals, tolerance=1e-3)
    assert 2.9490 <= bound.lower <= bound.upper <= 2.9515
    assert not bound.proven
    assert lai_robbins([TWO.expectation("Y", do=arms[i]) for i in rivals]) == pytest.approx(5.697346, abs=5e-7)


def test_fewer_rivals_give_the_same_and_a_proof():
    for scm, arms in ((DIRECT, single("X")), (LONG, single("X", "Z")), (LONG, single("X"))):
        never_set = set(scm.graph.nodes) - {"Y"} - {v for arm in arms for v in arm}
        sets = possibly_optimal_intervention_sets(scm.graph, "Y", never_set)
        rivals = [i for i, arm in enumerate(arms) if frozenset(arm) in sets]
        assert len(rivals) == 2
        few, whole = graves_lai(scm, "Y", arms, rivals), graves_lai(scm, "Y", arms)
        assert few.proven
        assert few.upper == pytest.approx(whole.upper, abs=1e-9)


# ---------------------------------------------------------------------- the plain twin: all models of a grid


def grid_bound(scm, arms, points):
    """The program over every confusing model whose free rows have probabilities (i + 1/2) / points."""
    variables = [v for v in scm.variables if v in scm.graph.ancestors({"Y"})]
    truth = {
        (v, row): np.asarray(scm.cpt(v)[1])[row] for v in variables for row in np.ndindex(*(2,) * len(scm.cpt(v)[0]))
    }

    def worlds(tables, arm):
        for states in product((0, 1), repeat=len(variables)):
            world, p = dict(zip(variables, states, strict=True)), 1.0
            for v in variables:
                row = tuple(world[parent] for parent in scm.cpt(v)[0])
                p *= (world[v] == arm[v]) if v in arm else tables[v, row][world[v]]
            if p > 0:
                yield world, p

    def mean(tables, arm):
        return sum(p for world, p in worlds(tables, arm) if world["Y"])

    def met(arm):
        found = dict.fromkeys(truth, 0.0)
        for world, p in worlds(truth, arm):
            for v in variables:
                if v not in arm:
                    found[v, tuple(world[parent] for parent in scm.cpt(v)[0])] += p
        return found

    means = [mean(truth, arm) for arm in arms]
    best, meets = max(means), [met(arm) for arm in arms]
    worse = [a for a, m in enumerate(means) if m < best - 1e-12]
    met_by_best = {key for key in truth if any(meets[a][key] for a in range(len(arms)) if a not in worse)}
    free = [key for key in truth if key not in met_by_best and any(meets[a][key] for a in worse)]
    cuts = []
    for values in product([(i + 0.5) / points for i in range(points)], repeat=len(free)):
        other = truth | {key: np.array([1 - q, q]) for key, q in zip(free, values, strict=True)}
        if max(mean(other, arms[b]) for b in worse) > best:
            cuts.append([sum(meets[a][k] * rel_entr(truth[k], other[k]).sum() for k in free) for a in worse])
    gaps = best - np.array(means)[worse]
    return linprog(gaps, A_ub=-np.array(cuts), b_ub=-np.ones(len(cuts)), bounds=(0, None)).fun


@pytest.mark.parametrize("seed", range(4))
def test_against_a_grid_on_random_models(seed):
    """A chain whose mediator no arm sets: the grid lacks the nearest model by less than the rows' spacing."""
    scm = uniform_cpt(ADMG(CHAIN), np.random.default_rng([9, seed]))
    arms = [{"X": 0}, {"X": 1}]
    grid, bound = grid_bound(scm, arms, 300), graves_lai(scm, "Y", arms)
    assert bound.proven
    assert bound.lower * 0.95 <= grid <= bound.upper * (1 + 1e-9)
    assert bound.upper == pytest.approx(bound.lower, rel=1e-4)


def test_the_search_where_rows_multiply_finds_the_nearest_model():
    """One row of Z and both of Y are free: a fine grid over Z's, and for each the convex search over Y's."""
    rows = module._Rows(TWO, "Y", every("W", "X"))
    best = TWO.expectation("Y", do={"W": 1, "X": 1})
    free = ~(rows.met[-1] > 0)
    problem = module._Confusion(rows, {"W": 0, "X": 0}, free, best)
    assert problem.possible
    assert not problem.linear
    rng = np.random.default_rng(4)
    of_z = rows.start["Z"]  # Z's row for W=0, X=0
    for _ in range(2):
        costs = rng.gamma(0.5, size=len(rows.owner))
        found = problem.nearest(costs)
        assert problem.mean(found) == pytest.approx(best, abs=1e-9)
        layer = problem._layers[rows.variables.index("Y")]

        def at(z, costs=costs, layer=layer):
            entry = rows.entry.copy()
            entry[of_z : of_z + 2] = 1 - z, z
            moved = problem._moved(entry, layer, costs)
            return np.inf if moved is None else problem._cost(moved, costs)

        grid = min((at(z), z) for z in np.linspace(0.025, 0.975, 39))
        finer = minimize_scalar(at, bounds=(grid[1] - 0.025, grid[1] + 0.025), method="bounded")
        assert problem._cost(found, costs) == pytest.approx(min(finer.fun, grid[0]), rel=1e-6)


def test_a_row_moves_as_far_as_its_multiplier_says():
    """Against the closed form of a binary row, and where all that is left over goes to a state not seen before."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, c, h = rng.random(), rng.gamma(1.0), rng.normal() * 3
        x = module._tilted(c * np.array([1 - p, p]), np.array([0.0, h]), np.array([1 - p, p]))
        assert x[1] == pytest.approx((h - c + np.sqrt((c - h) ** 2 + 4 * h * c * p)) / (2 * h), rel=1e-9)
    true = np.array([0.5, 0.5, 0.0])
    x = module._tilted(0.1 * true, np.array([0.0, 0.0, 2.0]), true)
    assert x == pytest.approx([0.025, 0.025, 0.95])
    assert module._tilted(0 * true, np.array([1.0, 3.0, 2.0]), true) == pytest.approx([0, 1, 0])
    assert module._tilted(true, np.ones(3), true) == pytest.approx(true)


def test_more_than_two_states():
    """X has four states, one of them best: each other one must be told from it by its own rewards."""
    q = np.array([0.2, 0.5, 0.7, 0.4])
    scm = DiscreteSCM(
        ADMG([("X", "Y")]), {"X": CPT((), [0.1, 0.2, 0.3, 0.4]), "Y": CPT(("X",), np.stack([1 - q, q], axis=-1))}
    )
    arms = [{}, *({"X": s} for s in range(4))]
    bound = graves_lai(scm, "Y", arms, range(1, 5))
    assert bound.proven
    assert bound.upper == pytest.approx(lai_robbins(q), rel=1e-9)
    # a mediator of three states that no arm sets tells more than the reward does
    z = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
    mediated = DiscreteSCM(
        ADMG(CHAIN),
        {"X": CPT((), [0.5, 0.5]), "Z": CPT(("X",), z), "Y": CPT(("Z",), [[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]])},
    )
    arms = [{"X": 0}, {"X": 1}]
    bound, means = graves_lai(mediated, "Y", arms), [mediated.expectation("Y", do=arm) for arm in arms]
    steps = np.linspace(0.004, 0.996, 249)  # the twin: Z's row for X=0 on a grid, Y's rows are known from X=1
    grid = [np.array([1 - b - c, b, c]) for b in steps for c in steps if b + c < 0.999]
    near = min(rel_entr(z[0], row).sum() for row in grid if row @ [0.2, 0.5, 0.9] >= means[1])
    assert bound.upper == pytest.approx((means[1] - means[0]) / near, rel=0.03)
    assert bound.upper < 0.8 * lai_robbins(means)


# ---------------------------------------------------------------------- what does and what does not pay


@pytest.mark.parametrize("seed", range(24))
def test_without_confounders_and_with_all_parents_settable_borrowing_cannot_pay(seed):
    """The bound with full feedback is Lai and Robbins' on the possibly optimal sets."""
    rng = np.random.default_rng([3, seed])
    edges = [("A", "Y"), *([("B", "Y")] if seed % 2 else []), *([("A", "B")] if seed % 3 else [("B", "A")])]
    scm = uniform_cpt(ADMG(edges), rng)
    arms = every("A", "B") if seed % 4 > 1 else [*single("A", "B"), *every("A", "B")[4:]]
    arms = [dict(arm) for arm in dict.fromkeys(tuple(sorted(arm.items())) for arm in arms)]
    sets = possibly_optimal_intervention_sets(scm.graph, "Y")
    rivals = [i for i, arm in enumerate(arms) if frozenset(arm) in sets]
    assert sets == {scm.graph.parents("Y")}
    bound = graves_lai(scm, "Y", arms, rivals, tolerance=1e-7)
    independent = lai_robbins([scm.expectation("Y", do=arms[i]) for i in rivals])
    assert bound.proven
    assert bound.lower == pytest.approx(independent, rel=1e-6)
    assert bound.upper == pytest.approx(independent, rel=1e-6)


def test_bounds_are_in_order():
    """Full feedback knows more than the rewards of possibly optimal arms, and those are fewer than all."""
    gains = []
    for seed in range(8):
        scm = uniform_cpt(ADMG([("X", "Z"), ("W", "Z"), ("Z", "Y")]), np.random.default_rng([5, seed]))
        arms = every("W", "X")
        rivals = [i for i, arm in enumerate(arms) if len(arm) == 2]
        means = np.array([scm.expectation("Y", do=arm) for arm in arms])
        bound = graves_lai(scm, "Y", arms, rivals)
        assert bound.upper <= lai_robbins(means[rivals]) * (1 + 1e-6)
        assert lai_robbins(means[rivals]) <= lai_robbins(means)
        gains.append(bound.upper / lai_robbins(means[rivals]))
    assert min(gains) < 0.6  # a parent of Y that no arm sets: here borrowing pays


def test_plays_that_tell_nothing_apart_bound_nothing():
    """A search that ends at a confusing model which these plays do not see leaves the bound open."""
    bandit = arena.diagram(3, 0, "nothing", draw=28)
    never = min(bandit.truth.parents("Y"))
    arms = [arm for arm in bandit.arms if never not in arm]
    sets = possibly_optimal_intervention_sets(bandit.truth, "Y", frozenset({never}))
    rivals = [number for number, arm in enumerate(arms) if frozenset(arm) in sets]
    found = graves_lai(bandit.scm, "Y", arms, rivals, tolerance=1e-3)
    assert (found.upper, found.proven) == (np.inf, False)
    assert 0 < found.lower < lai_robbins(np.array([bandit.scm.expectation("Y", do=arms[b]) for b in rivals]))


def test_two_best_arms_must_both_agree():
    """With a tie, what either of them shows is known: nothing is left to learn where they meet all rows."""
    scm = model(CHAIN, X=0.4, Z=[0.3, 0.7], Y=[0.5, 0.5])
    assert graves_lai(scm, "Y", single("X")).upper == 0
    tied = model([("X", "Y"), ("W", "Y")], X=0.5, W=0.5, Y=[[0.6, 0.6], [0.2, 0.1]])
    arms = [{"X": x, "W": w} for x in (0, 1) for w in (0, 1)]
    assert graves_lai(tied, "Y", arms).upper == pytest.approx(0.4 / kl(0.2, 0.6) + 0.5 / kl(0.1, 0.6), rel=1e-6)


def test_several_best_arms_leave_the_worse_ones_their_places():
    """By hand: each worse arm has a row of its own, whatever the number and the places of the best arms."""
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        p = np.array([0.7, 0.7, 0.4, 0.1])
        rows = np.stack([1 - p[order], p[order]], axis=-1)
        scm = DiscreteSCM(ADMG([("X", "Y")]), {"X": CPT((), np.full(4, 0.25)), "Y": CPT(("X",), rows)})
        bound = graves_lai(scm, "Y", [{"X": x} for x in range(4)])
        expected = np.array([0.0 if p[i] == 0.7 else 1 / kl(p[i], 0.7) for i in order])
        np.testing.assert_allclose(bound.plays, expected, rtol=1e-5)
        assert bound.upper == pytest.approx((0.7 - p[order]) @ expected, rel=1e-5)
        assert bound.upper == pytest.approx(lai_robbins(p[order]), rel=1e-5)
        with pytest.raises(ValueError, match="one of them a best arm"):
            graves_lai(scm, "Y", [{"X": x} for x in range(4)], rivals=[order.index(2), order.index(3)])
        only = graves_lai(scm, "Y", [{"X": x} for x in range(4)], rivals=[order.index(0), order.index(3)])
        assert only.upper == pytest.approx(0.6 / kl(0.1, 0.7), rel=1e-5)


def test_what_any_best_arm_shows_is_known():
    """Two best arms show different rows of the reward; their order does not matter."""
    z = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.1, 0.4]])
    y = np.array([[0.4, 0.6], [0.4, 0.6], [0.9, 0.1]])
    scm = DiscreteSCM(
        ADMG([("X", "Z"), ("Z", "Y")]), {"X": CPT((), np.full(3, 1 / 3)), "Z": CPT(("X",), z), "Y": CPT(("Z",), y)}
    )
    bounds = [graves_lai(scm, "Y", [{"X": x} for x in order]) for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0])]
    assert all(bound.upper == pytest.approx(bounds[0].upper, rel=1e-6) for bound in bounds)
    single_best = graves_lai(scm, "Y", [{"X": 0}, {"X": 2}]).upper
    assert bounds[0].upper < single_best * (1 - 1e-3)  # what the second shows leaves fewer confusing models


def test_what_cannot_be_is_refused():
    hidden = DiscreteSCM(
        ADMG([("X", "Y")], [("X", "Y")]),
        {"U": ((), [0.5, 0.5]), "X": (("U",), np.eye(2)), "Y": (("X", "U"), np.full((2, 2, 2), 0.5))},
    )
    for scm, arms, keywords, message in (
        (hidden, [{}], {}, "hidden variables U"),
        (LONG, [], {}, "arms: none given"),
        (LONG, [{"Y": 1}], {}, "no arm may set the reward 'Y'"),
        (LONG, single("X"), {"rivals": [3]}, r"rivals=\[3\]: expected indices of arms, 0 to 2"),
        (LONG, single("X"), {"rivals": [1]}, "one of them a best arm"),
        (LONG, single("X"), {"tolerance": 0}, "tolerance=0: expected more than 0"),
        (LONG, single("X"), {"most": 0}, "most=0: expected at least 1"),
    ):
        with pytest.raises(ValueError, match=message):
            graves_lai(scm, "Y", arms, **keywords)
    with pytest.raises(ValueError, match="means"):
        lai_robbins([0.5, 1.2])
    wide = DiscreteSCM(
        ADMG([(f"X{i}", "Y") for i in range(3)]),
        {f"X{i}": ((), np.full(80, 1 / 80)) for i in range(3)}
        | {"Y": ([f"X{i}" for i in range(3)], np.full((80, 80, 80, 2), 0.5))},
    )
    with pytest.raises(ValueError, match="512000 joint states"):
        module._polynomial(module._Rows(wide, "Y", [{}]), {}, np.ones(3 + 80**3, dtype=bool))
