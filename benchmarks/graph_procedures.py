"""Time our graph procedures and y0's in turn, on the same random graphs in one process.

    .venv/bin/python benchmarks/graph_procedures.py

Prints Markdown tables. Identification: CPU milliseconds per query, the median over repetitions; each query asks for the
effect of one variable on Y. Our expressions are simplified and printed; y0's are not. The rows of z2ID use data from
observation and from two random experiments. y0's closest procedure is identification with surrogate outcomes
(`identify_target_outcomes`), which is given the same experiments; an error counts as no answer. Graphs are made afresh
and caches of terms are emptied before each repetition. Intervention sets, which y0 does not compute, have their own
table. So does adjustment, which is compared with plain versions on networkx: the definitions, followed line by line, on
sets in the same order.
"""

from __future__ import annotations

import argparse
import gc
import logging
import random
import statistics
import time
from itertools import combinations, pairwise, permutations, product

import networkx as nx
from networkx import NetworkXError
from y0.algorithm.conditional_independencies import are_d_separated
from y0.algorithm.identify import Unidentifiable, identify_outcomes
from y0.algorithm.transport import identify_target_outcomes
from y0.dsl import Population, Variable

from causal_bandits.graphs import (
    ADMG,
    admissible_sets,
    minimal_intervention_sets,
    possibly_optimal_intervention_sets,
)
from causal_bandits.graphs import adjustment as adjustment_sets
from causal_bandits.graphs.exchange import to_y0
from causal_bandits.identification import NotIdentifiable, expression, identify, z2id
from causal_bandits.identification import admissible as sequences

#: Variables, share of pairs with a directed edge, share with a bidirected one.
RANDOM = ((8, 0.3, 0.1), (15, 0.2, 0.05), (15, 0.2, 0.1), (15, 0.3, 0.05), (15, 0.3, 0.1))


def random_graph(n, directed, bidirected, seed):
    draw = random.Random(seed)
    names = [*(f"X{i:02}" for i in range(n - 1)), "Y"]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return ADMG([e for e in pairs if draw.random() < directed], [e for e in pairs if draw.random() < bidirected], names)


def query(graph, seed):
    """Return a treatment, and two experiments that need not contain it."""
    draw = random.Random(seed)
    others = [v for v in graph if v != "Y"]
    return draw.choice(others), [frozenset(draw.sample(others, 2)) for _ in range(2)]


def seconds(procedure, queries):
    """Return the CPU seconds for all queries, and the number of queries that were answered."""
    answered, start = 0, time.process_time()
    for arguments in queries:
        answered += procedure(*arguments)
    return time.process_time() - start, answered


def ours(graph, treatment):
    try:
        return bool(str(identify(graph, outcome="Y", treatment=treatment)))
    except NotIdentifiable:
        return False


def theirs(graph, treatment):
    try:
        return identify_outcomes(graph, Variable(treatment), Variable("Y")) is not None
    except Unidentifiable:
        return False


def ours_from_experiments(graph, treatment, experiments):
    try:
        return bool(str(z2id(graph, outcome="Y", treatment=treatment, experiments=[(), *experiments])))
    except NotIdentifiable:
        return False


def theirs_from_experiments(graph, treatment, interventions, outcomes):
    try:
        found = identify_target_outcomes(
            graph,
            target_outcomes={Variable("Y")},
            target_interventions={Variable(treatment)},
            surrogate_outcomes=outcomes,
            surrogate_interventions=interventions,
        )
    except (Unidentifiable, NetworkXError, ValueError):
        return False
    return found is not None


def surrogates(graph, experiments):
    """Translate experiments into y0's terms, one population each."""
    populations = [Population(f"pi{i}") for i in range(1, len(experiments) + 1)]
    interventions = {p: {Variable(v) for v in z} for p, z in zip(populations, experiments, strict=True)}
    outcomes = {p: {Variable(v) for v in graph if v not in z} for p, z in zip(populations, experiments, strict=True)}
    return interventions, outcomes


def ours_separated(graph, x, y, given):
    return graph.is_d_separated(x, y, given)


def theirs_separated(graph, x, y, given):
    return bool(are_d_separated(graph, Variable(x), Variable(y), conditions=[Variable(v) for v in given]))


def ours_components(graph):
    return len(graph.c_components()) > 0


def theirs_components(graph):
    return len(graph.districts()) > 0


def compare(name, setting, pairs, repetitions):
    """Print a row: medians of our queries and theirs in turn, on fresh graphs each time, so that nothing is cached."""
    times = {0: [], 1: []}
    counts = [0, 0]
    for _ in range(repetitions):
        expression.term.cache_clear()
        for side, (procedure, make) in enumerate(pairs):
            queries = make()
            gc.collect()
            spent, counts[side] = seconds(procedure, queries)
            times[side].append(spent / len(queries) * 1e3)
    mine, other = (statistics.median(times[side]) for side in (0, 1))
    n, directed, bidirected = setting
    print(
        f"| {name} | {n} | {directed} | {bidirected} | {mine:.3f} | {other:.3f} | {other / mine:.1f} | "
        f"{counts[0]} | {counts[1]} |",
        flush=True,
    )


def identification(graphs, repetitions):
    print("| procedure | variables | directed | bidirected | ours, ms | y0, ms | ratio | answered | answered by y0 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for setting in RANDOM:

        def drawn(setting=setting):
            return [(graph := random_graph(*setting, seed), *query(graph, seed)) for seed in range(graphs)]

        compare(
            "ID",
            setting,
            [
                (ours, lambda drawn=drawn: [(g, x) for g, x, _ in drawn()]),
                (theirs, lambda drawn=drawn: [(to_y0(g), x) for g, x, _ in drawn()]),
            ],
            repetitions,
        )
    for setting in RANDOM:

        def drawn(setting=setting):
            return [(graph := random_graph(*setting, seed), *query(graph, seed)) for seed in range(graphs)]

        compare(
            "z2ID",
            setting,
            [
                (ours_from_experiments, drawn),
                (
                    theirs_from_experiments,
                    lambda drawn=drawn: [(to_y0(g), x, *surrogates(g, z)) for g, x, z in drawn()],
                ),
            ],
            repetitions,
        )
    for setting in RANDOM[1:2]:

        def separations(convert, setting=setting):
            found = []
            for seed in range(graphs):
                graph, draw = random_graph(*setting, seed), random.Random(seed)
                x, y, *given = draw.sample(graph.nodes, 5)
                found.append((convert(graph), x, y, given))
            return found

        def whole(convert, setting=setting):
            return [(convert(random_graph(*setting, seed)),) for seed in range(graphs)]

        compare(
            "d-separation",
            setting,
            [
                (ours_separated, lambda s=separations: s(lambda g: g)),
                (theirs_separated, lambda s=separations: s(to_y0)),
            ],
            repetitions,
        )
        compare(
            "c-components",
            setting,
            [(ours_components, lambda w=whole: w(lambda g: g)), (theirs_components, lambda w=whole: w(to_y0))],
            repetitions,
        )


def intervention_sets(repetitions):
    print("\n| graph | variables | procedure | sets | s |\n| --- | ---: | --- | ---: | ---: |")
    names = [*(f"X{i:02}" for i in range(21)), "Y"]
    edges = [*pairwise(names), *zip(names, names[2:], strict=False)]
    long = [*(f"X{i:02}" for i in range(29)), "Y"]
    graphs = {
        "chain with edges to the next two, both kinds": ADMG(edges, edges),
        "random, .25 directed, .1 bidirected, seed 2": random_graph(22, 0.25, 0.1, 2),
        "chain, neighbours confounded": ADMG(pairwise(long), pairwise(long)),
    }
    for name, graph in graphs.items():
        for label, procedure in (("POMIS", possibly_optimal_intervention_sets), ("MIS", minimal_intervention_sets)):
            if label == "MIS" and len(graph) == 22:
                continue  # millions
            spent = []
            for _ in range(repetitions):
                start = time.process_time()
                found = procedure(graph, "Y")
                spent.append(time.process_time() - start)
            print(f"| {name} | {len(graph)} | {label} | {len(found):,} | {statistics.median(spent):.3f} |", flush=True)


def smallest_set(graph, x):
    """Return the first set of covariates that is valid for adjustment, by size and names."""
    found = next(admissible_sets(graph, treatment=x, outcome="Y", selection=None), None)
    return None if found is None else found.covariates


def plain_smallest_set(graph, x):
    """Return the first valid set by a plain search: without descendants of mediators, and blocking all other paths."""
    drawn = graph.to_networkx()
    causal = nx.descendants(drawn, x) & (nx.ancestors(drawn, "Y") | {"Y"})
    forbidden = causal.union(*(nx.descendants(drawn, v) for v in causal))
    drawn.remove_edges_from([(x, v) for v in causal if drawn.has_edge(x, v)])
    allowed = sorted(set(graph) - forbidden - {x, "Y"})
    for size in range(len(allowed) + 1):
        for z in combinations(allowed, size):
            if nx.is_d_separator(drawn, {x}, {"Y"}, set(z)):
                return frozenset(z)
    return None


def smallest_sequence(graph, treatments):
    """Return the number of covariates of the smallest admissible sequence; None if there is none."""
    found = sequences.find_admissible_sequence(graph, treatment=treatments, outcome="Y")
    return None if found is None else sum(map(len, found.covariates))


def plain_smallest_sequence(graph, treatments):
    """Return the size of the smallest sequence by Definition 3 of xiong2023, over both orders and all pairs of sets."""
    drawn = graph.to_networkx()
    best = None
    for first, second in permutations(sorted(treatments)):
        if first in nx.descendants(drawn, second):
            continue
        one, two = drawn.copy(), drawn.copy()  # the graphs of condition (2)
        one.remove_edges_from([*drawn.out_edges(first), *drawn.in_edges(second)])
        two.remove_edges_from(list(drawn.out_edges(second)))
        out = {first, second, "Y"}
        after_second = set(graph) - nx.descendants(drawn, second) - out
        after_first = after_second - nx.descendants(drawn, first)
        for size in range(len(graph) if best is None else best):
            if any(
                nx.is_d_separator(one, {first}, {"Y"}, set(a))
                and nx.is_d_separator(two, {second}, {"Y"}, {first, *a, *b})
                for own in range(size + 1)
                for a, b in product(
                    combinations(sorted(after_first), own), combinations(sorted(after_second), size - own)
                )
                if not set(a) & set(b)
            ):
                best = size
                break
    return best


def adjustment(graphs, repetitions):
    print("\n| procedure | variables | directed | bidirected | ours, ms | plain, ms | ratio | equal |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")

    def one(seed, setting):
        return (graph := random_graph(*setting, seed)), query(graph, seed)[0]

    def two(seed, setting):
        graph = random_graph(*setting, seed)
        return graph, frozenset(random.Random(seed).sample([v for v in graph if v != "Y"], 2))

    rows = (
        ("smallest set for adjustment", (8, 0.3, 0.1), one, smallest_set, plain_smallest_set),
        ("smallest set for adjustment", (12, 0.2, 0.05), one, smallest_set, plain_smallest_set),
        ("smallest sequence for two treatments", (8, 0.3, 0.1), two, smallest_sequence, plain_smallest_sequence),
    )
    for name, setting, ask, ours, plain in rows:
        times, answers = ([], []), ([], [])
        for repetition in range(repetitions):
            for side, procedure in enumerate((ours, plain)):
                queries = [ask(seed, setting) for seed in range(graphs)]
                for remembered in (adjustment_sets._query, sequences.find_admissible_sequence, sequences._separated):
                    remembered.cache_clear()
                gc.collect()
                start = time.process_time()
                found = [procedure(*arguments) for arguments in queries]
                times[side].append((time.process_time() - start) / graphs * 1e3)
                if not repetition:
                    answers[side].extend(found)
        mine, other = map(statistics.median, times)
        equal = sum(a == b for a, b in zip(*answers, strict=True))
        shape = " | ".join(map(str, setting))
        print(f"| {name} | {shape} | {mine:.3f} | {other:.3f} | {other / mine:.1f} | {equal} of {graphs} |", flush=True)


TABLES = ("identification", "intervention_sets", "adjustment")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graphs", type=int, default=60, help="random graphs per row")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=TABLES, choices=TABLES, help="some of the tables")
    chosen = parser.parse_args()
    logging.disable()  # y0 logs every query that has several answers
    if "identification" in chosen.only:
        identification(chosen.graphs, chosen.repetitions)
    if "intervention_sets" in chosen.only:
        intervention_sets(chosen.repetitions)
    if "adjustment" in chosen.only:
        adjustment(chosen.graphs, chosen.repetitions)


if __name__ == "__main__":
    main()
