"""Admissible sequences against brute force on all small graphs, and the effects that they stand for."""

from itertools import chain, combinations, islice, permutations, product

import numpy as np
import pytest

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.adjustment import admissible_sets
from causal_bandits.identification.admissible import (
    AdmissibleSequence,
    causal_orders,
    find_admissible_sequence,
    is_admissible_sequence,
    largest_covariates,
    of_adjustment_set,
    of_parents,
)
from causal_bandits.models import DiscreteSCM


def subsets(values, least=0):
    values = list(values)
    return chain.from_iterable(combinations(values, size) for size in range(least, len(values) + 1))


def small_graphs(observed):
    """Every DAG over some of A, B, C and Y in this causal order, with a hidden cause of two or more, or with none."""
    nodes = [*"ABC"[: observed - 1], "Y"]
    for edges in subsets(combinations(nodes, 2)):
        for caused in ((), *subsets(nodes, 2)):
            yield ADMG(edges, combinations(caused, 2), nodes), edges, caused


class Plain:
    """Definition 3 on bit masks, with the hidden cause as a node of its own, by walking over all open paths."""

    def __init__(self, nodes, edges, caused):
        self.number = {v: i for i, v in enumerate([*nodes, "U"])}
        self.edges = [(self.number[a], self.number[b]) for a, b in edges] + [
            (self.number["U"], self.number[v]) for v in caused
        ]

    def descendants(self, nodes):
        found = set(nodes)
        while True:
            more = {b for a, b in self.edges if a in found} - found
            if not more:
                return found
            found |= more

    def separated(self, edges, x, y, given):
        """Reachability over (node, came from a parent), the rules of d-separation one by one."""
        parents = {v: {a for a, b in edges if b == v} for v in self.number.values()}
        children = {v: {b for a, b in edges if a == v} for v in self.number.values()}
        opening = set(given)
        while more := {a for a, b in edges if b in opening} - opening:
            opening |= more
        seen, stack = set(), [(x, False)]
        while stack:
            v, from_parent = stack.pop()
            if (v, from_parent) in seen:
                continue
            seen.add((v, from_parent))
            if v == y:
                return False
            if from_parent:
                if v not in given:
                    stack += [(c, True) for c in children[v]]
                if v in opening:
                    stack += [(p, False) for p in parents[v]]
            elif v not in given:
                stack += [(c, True) for c in children[v]] + [(p, False) for p in parents[v]]
        return True

    def admissible(self, order, sets):
        xs, sets = [self.number[x] for x in order], [{self.number[v] for v in z} for z in sets]
        for i, x in enumerate(xs):
            if sets[i] & self.descendants(xs[i:]):
                return False
            edges = [(a, b) for a, b in self.edges if a != x and b not in xs[i + 1 :]]
            if not self.separated(edges, x, self.number["Y"], set(xs[:i]).union(*sets[: i + 1])):
                return False
        return True

    def causal(self, order):
        xs = [self.number[x] for x in order]
        return all(not self.descendants([b]) & {a} for i, a in enumerate(xs) for b in xs[i + 1 :])

    def fewest(self, order, others):
        """The least total size of an admissible sequence in this order, or None."""
        sizes = [
            sum(map(len, sets))
            for sets in product(list(subsets(others)), repeat=len(order))
            if sum(map(len, sets)) == len(set().union(*sets)) and self.admissible(order, sets)
        ]
        return min(sizes, default=None)


@pytest.mark.parametrize("observed", [2, 3, 4])
def test_what_is_found_on_every_small_graph_agrees_with_brute_force(observed):
    """Existence, by the largest candidates alone (E52), validity, and the least number of covariates."""
    found_some = found_none = 0
    for graph, edges, caused in small_graphs(observed):
        plain = Plain(graph.topological_order, edges, caused)
        others = [v for v in graph if v != "Y"]
        for treatment in subsets(others, 1):
            rest = [v for v in others if v not in treatment]
            least = {order: plain.fewest(order, rest) for order in permutations(treatment) if plain.causal(order)}
            assert set(causal_orders(graph, treatment)) == set(least)
            for order, size in least.items():
                assert (largest_covariates(graph, treatment=order, outcome="Y") is None) == (size is None), (
                    graph,
                    order,
                )
            sizes = [size for size in least.values() if size is not None]
            found = find_admissible_sequence(graph, treatment=frozenset(treatment), outcome="Y")
            assert (found is None) == (not sizes), (graph, treatment)
            if found is None:
                found_none += 1
            else:
                found_some += 1
                assert sum(map(len, found.covariates)) == min(sizes), (graph, treatment)
                assert plain.admissible(*found)
                assert is_admissible_sequence(
                    graph, treatment=found.treatment, outcome="Y", covariates=found.covariates
                )
    assert found_some > 1
    assert found_none > 0


def test_several_treatments_of_larger_graphs_agree_with_brute_force():
    """Random graphs of six nodes, and one in which a covariate of the first treatment descends from the second."""
    rng, nodes, found_some = np.random.default_rng(64), "ABCDEY", 0
    drawn = [
        ([e for e in combinations(nodes, 2) if rng.random() < 0.4], rng.permutation([*"ABCDE"])[:2]) for _ in range(150)
    ]
    hard = [("C", "D"), ("C", "A"), ("A", "Y"), ("B", "E"), ("E", "A"), ("D", "Y")]
    for edges, treatment in [(hard, ["D", "E"]), *drawn]:
        graph, plain = ADMG(edges, nodes=[*nodes]), Plain(nodes, edges, ())
        rest = sorted(set("ABCDE").difference(treatment))
        sizes = [plain.fewest(order, rest) for order in permutations(treatment) if plain.causal(order)]
        found = find_admissible_sequence(graph, treatment=treatment, outcome="Y")
        assert plain.admissible(*found), (graph, treatment)
        assert sum(map(len, found.covariates)) == min(size for size in sizes if size is not None)
        found_some += sum(map(len, found.covariates)) > 0
        for order, _ in product(permutations(treatment), range(4)):  # any sets, not only what is found
            places = rng.integers(3, size=len(rest))
            sets = [[v for v, place in zip(rest, places, strict=True) if place == i] for i in range(2)]
            right = plain.causal(order) and plain.admissible(order, sets)
            assert is_admissible_sequence(graph, treatment=order, outcome="Y", covariates=sets) == right
    assert found_some > 30


def binary(graph, rng):
    """A random binary model whose every probability is well away from zero; one hidden cause per bidirected edge."""
    hidden = {f"U{a}{b}": (a, b) for a, b in sorted(graph.bidirected)}
    cpts = {u: ((), [0.5, 0.5]) for u in hidden}
    for v in graph:
        parents = [*sorted(graph.parents(v)), *(u for u, ends in hidden.items() if v in ends)]
        ones = rng.uniform(0.1, 0.9, (2,) * len(parents))
        cpts[v] = (parents, np.stack([1 - ones, ones], axis=-1))
    return DiscreteSCM(graph, cpts)


def by_formula(scm, order, sets, states):
    """Eq. 10 on exact distributions; the right side alone."""
    covariates = sorted(frozenset().union(*sets))
    do, total = dict(zip(order, states, strict=True)), 0.0
    for values in product((0, 1), repeat=len(covariates)):
        z = dict(zip(covariates, values, strict=True))
        term, known = scm.expectation("Y", given={**do, **z}), {}
        for x, own in zip(order, sets, strict=True):
            names = sorted(own)
            p = scm.distribution(names, given=known)[tuple(z[v] for v in names)] if names else 1.0
            term *= p
            known |= {v: z[v] for v in names} | {x: do[x]}
        total += term
    return total


def test_the_formula_is_the_effect_where_a_sequence_is_found():
    rng, checked = np.random.default_rng(0), 0
    graphs = [graph for graph, _, _ in small_graphs(4)]
    for number in rng.permutation(len(graphs))[:40]:
        graph = graphs[number]
        scm = binary(graph, rng)
        for treatment in subsets([v for v in graph if v != "Y"], 1):
            found = find_admissible_sequence(graph, treatment=frozenset(treatment), outcome="Y")
            if found is not None:
                for states in ((0,) * len(treatment), (1,) * len(treatment)):
                    exact = scm.expectation("Y", do=dict(zip(found.treatment, states, strict=True)))
                    assert by_formula(scm, *found, states) == pytest.approx(exact, abs=1e-10)
                    checked += 1
    assert checked > 150


def test_parents_are_admissible_where_nothing_is_hidden():
    """xiong2023, Theorem 4, on all graphs with four variables."""
    for graph, _, caused in small_graphs(4):
        if caused:
            continue
        for treatment in subsets([v for v in graph if v != "Y"], 1):
            sequence = of_parents(graph, treatment)
            assert is_admissible_sequence(
                graph, treatment=sequence.treatment, outcome="Y", covariates=sequence.covariates
            )
    with pytest.raises(ValueError, match="parents"):
        of_parents(ADMG([("A", "Y")], [("A", "Y")]), ["A"])


def test_a_parent_of_two_treatments_is_in_the_first_set_alone():
    found = of_parents(ADMG([("Z", "A"), ("Z", "B"), ("W", "B"), ("A", "B"), ("B", "Y"), ("Z", "Y")]), "BA")
    assert found == AdmissibleSequence(("A", "B"), (frozenset("Z"), frozenset("W")))


def test_an_order_with_an_effect_before_its_cause_gives_another_number():
    """Definition 3 as printed admits it (E51): A causes B, and in the order (B, A) nothing seems to be in the way."""
    wrong = 0
    for graph, edges, caused in islice(small_graphs(4), 0, None, 2):
        plain = Plain(graph.topological_order, edges, caused)
        for a, b in combinations([v for v in graph if v != "Y"], 2):
            order = (b, a)
            if plain.causal(order):
                continue
            rest = [v for v in graph if v not in (a, b, "Y")]
            for sets in product(list(subsets(rest)), repeat=2):
                if set(sets[0]) & set(sets[1]) or not plain.admissible(order, sets):
                    continue
                assert not is_admissible_sequence(graph, treatment=order, outcome="Y", covariates=sets)
                scm = binary(graph, np.random.default_rng(1))
                exact = scm.expectation("Y", do={a: 1, b: 1})
                wrong += abs(by_formula(scm, order, sets, (1, 1)) - exact) > 1e-3
    assert wrong > 4


def test_not_every_adjustment_set_is_an_admissible_sequence():
    """E54: an adjustment set may hold descendants of a treatment, an admissible sequence may not."""
    sequences = others = 0
    for graph, _, _ in islice(small_graphs(4), 0, None, 7):
        for treatment in subsets([v for v in graph if v != "Y"], 1):
            for pair in admissible_sets(graph, treatment=treatment, outcome="Y", selection=None):
                found = of_adjustment_set(graph, treatment=treatment, outcome="Y", covariates=pair.covariates)
                sequences += found is not None
                others += found is None
    assert sequences > 100
    assert others > 10


def test_a_sequence_where_no_adjustment_set_exists():
    """Pearl's sequential back-door: Z blocks for the second treatment what it must not for the first."""
    graph = ADMG([("A", "B"), ("B", "C"), ("A", "C"), ("C", "Y"), ("A", "Y")], [("B", "Y")])
    assert not list(admissible_sets(graph, treatment={"A", "C"}, outcome="Y", selection=None))
    assert find_admissible_sequence(graph, treatment=frozenset("AC"), outcome="Y") == AdmissibleSequence(
        ("A", "C"), (frozenset(), frozenset("B"))
    )


def test_what_is_asked_wrongly_is_refused():
    graph = ADMG([("A", "B"), ("B", "Y")])
    with pytest.raises(ValueError, match="treatment: Q "):
        find_admissible_sequence(graph, treatment=frozenset("Q"), outcome="Y")
    with pytest.raises(ValueError, match=r"Y: .*treatment.*outcome"):
        find_admissible_sequence(graph, treatment=frozenset("Y"), outcome="Y")
    with pytest.raises(ValueError, match=r"1 sets .*\['A', 'B'\]"):
        is_admissible_sequence(graph, treatment=["A", "B"], outcome="Y", covariates=[set()])
    with pytest.raises(ValueError, match=r"Y: .*outcome.*covariates"):
        is_admissible_sequence(graph, treatment=["A"], outcome="Y", covariates=[{"Y"}])
    assert find_admissible_sequence(graph, treatment=frozenset(), outcome="Y") == AdmissibleSequence((), ())


def test_the_fewest_covariates_are_found_where_removing_them_one_by_one_ends_with_more():
    """A opens both back doors through B and C. Without A, B and C are both needed."""
    graph = ADMG([("A", "B"), ("A", "C"), ("A", "Y"), ("B", "X"), ("C", "X"), ("X", "Y")])
    assert find_admissible_sequence(graph, treatment=["X"], outcome="Y") == AdmissibleSequence(
        ("X",), (frozenset("A"),)
    )


def test_of_equally_good_orders_the_topological_one_is_taken():
    graph = ADMG([("Z", "A"), ("Z", "B"), ("Z", "Y"), ("A", "Y"), ("B", "Y")])
    found = find_admissible_sequence(graph, treatment=["B", "A"], outcome="Y")
    assert found == AdmissibleSequence(("A", "B"), (frozenset("Z"), frozenset()))
