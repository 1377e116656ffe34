"""Compare times with other libraries: y0, causalrl, pgmpy, causal-learn and two for bandits.

    .venv/bin/python benchmarks/peers.py --environment /tmp/peers --write

makes a separate environment in the folder (once, with `venv` and `pip`, from benchmarks/peers.lock), runs itself in it
and writes the table into benchmarks/README.md. Without `--environment` it runs in the current environment, which must
have all of them; without `--write` it only prints.

Each row asks both libraries the same questions, in one process and in turn, and compares the answers before it times
them: CPU milliseconds per question, the median over repetitions, with graphs made afresh each time so that nothing is
cached.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import logging
import os
import random
import re
import statistics
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
README = ROOT / "benchmarks/README.md"
#: The distribution of each peer.
PEERS = ("y0", "causalrl", "pgmpy", "causal-learn", "MABWiser", "contextualbandits")


@dataclass(frozen=True)
class Row:
    """One comparison."""

    task: str
    size: str
    peer: str
    answers: str
    ours: float
    theirs: float

    def __str__(self) -> str:
        times = f"{self.ours:.4g} | {self.theirs:.4g} | {self.theirs / self.ours:.3g}"
        return f"| {self.task} | {self.size} | {self.peer} | {self.answers} | {times} |"


def milliseconds(procedure, questions):
    """Return CPU milliseconds per question."""
    gc.collect()
    start = time.process_time()
    for question in questions:
        procedure(*question)
    return (time.process_time() - start) / len(questions) * 1e3


def compare(task, size, peer, ours, theirs, make_ours, make_theirs, repetitions=5, same=None, say=None):
    """Compare all answers, then time both procedures in turn on questions made afresh.

    Parameters
    ----------
    task, size, peer : str
    ours, theirs : callable
        Answer one question.
    make_ours, make_theirs : callable
        Make the list of all questions, each a tuple of arguments.
    repetitions : int
    same : callable, optional
        Whether two answers agree; equality by default.
    say : callable, optional
        Describes the list of pairs of answers; by default says how many agree.
    """
    same = same or (lambda a, b: a == b)
    say = say or (lambda pairs: f"{sum(bool(same(a, b)) for a, b in pairs)} of {len(pairs)} equal")
    answers = say([(ours(*a), theirs(*b)) for a, b in zip(make_ours(), make_theirs(), strict=True)])
    times = [(milliseconds(ours, make_ours()), milliseconds(theirs, make_theirs())) for _ in range(repetitions)]
    mine, other = (statistics.median(column) for column in zip(*times, strict=True))
    return Row(task, size, peer, answers, mine, other)


# ---------------------------------------------------------------------- graphs


def random_graph(n, directed, bidirected, seed):
    """Return a random graph of ours whose last variable is Y."""
    from causal_bandits import ADMG

    draw = random.Random(seed)
    names = [*(f"X{i:02}" for i in range(n - 1)), "Y"]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return ADMG([e for e in pairs if draw.random() < directed], [e for e in pairs if draw.random() < bidirected], names)


def treatment(graph, seed):
    return random.Random(seed).choice([v for v in graph if v != "Y"])


def to_causalrl(graph):
    from causalrl.graphs import CausalGraph

    bidirected = sorted(tuple(sorted(edge)) for edge in graph.bidirected)
    return CausalGraph(sorted(graph.directed), bidirected, list(graph.nodes))


def to_y0(graph):
    from y0.graph import NxMixedGraph

    return NxMixedGraph.from_str_edges(graph.nodes, sorted(graph.directed), sorted(graph.bidirected))


def identification(repetitions, graphs=60):
    """Yield rows of ID: is the effect of one variable on Y identified, and by which formula?"""
    from causal_bandits.identification import NotIdentifiable, expression, identify

    def ours(graph, x):
        try:
            return bool(str(identify(graph, outcome="Y", treatment=x)))  # simplified and printed; theirs is neither
        except NotIdentifiable:
            return False

    def by_y0(graph, x):
        from y0.algorithm.identify import Unidentifiable, identify_outcomes
        from y0.dsl import Variable

        try:
            return identify_outcomes(graph, Variable(x), Variable("Y")) is not None
        except Unidentifiable:
            return False

    def by_causalrl(graph, x):
        from causalrl.exceptions import NotIdentifiableError
        from causalrl.identification.id_algorithm import identify_effect

        try:
            return identify_effect(graph, [x], ["Y"], return_certificate=False) is not None
        except NotIdentifiableError:
            return False

    for setting in ((8, 0.3, 0.1), (15, 0.2, 0.05), (15, 0.3, 0.1)):
        size = f"{setting[0]} variables, {setting[1]:g} directed, {setting[2]:g} bidirected"
        for peer, theirs, convert in (("y0", by_y0, to_y0), ("causalrl", by_causalrl, to_causalrl)):

            def made(form, setting=setting):
                expression.term.cache_clear()
                found = [random_graph(*setting, seed) for seed in range(graphs)]
                return [(form(graph), treatment(graph, seed)) for seed, graph in enumerate(found)]

            mine, other = (lambda made=made: made(lambda g: g)), (lambda made=made, c=convert: made(c))
            yield compare("ID", size, peer, ours, theirs, mine, other, repetitions)


def effects_from_a_table(repetitions, graphs=60):
    """Yield rows of identified effects computed from records: formula and number.

    The records have exactly the shares of a model whose probabilities are multiples of a quarter, so that all formulas
    for an effect give the same number, which is the model's.
    """
    from causal_bandits import ADMG
    from causal_bandits.identification import JointTable, NotIdentifiable, expression, identify
    from causal_bandits.models.families import from_ones, uniform_cpt

    task = "effect from records, by ID"
    drawn = []
    for seed in range(graphs):
        graph, x = random_graph(5, 0.5, 0.2, seed), random.Random(seed).choice([f"X{i:02}" for i in range(4)])
        if len(graph.bidirected) > 2:
            continue
        draft = uniform_cpt(graph, np.random.default_rng(seed))  # hidden causes are fair coins
        ones = {v: np.clip(np.rint(4 * draft.cpt(v).table[..., 1]), 1, 3) / 4 for v in draft.variables}
        model = from_ones(graph, ones)
        records = 4**5 * 2 ** len(graph.bidirected)
        counts = model.distribution(list(graph.nodes)) * records
        cells = np.indices(counts.shape).reshape(5, -1)
        rows = np.repeat(cells, np.rint(counts).astype(int).ravel(), axis=1)
        assert np.abs(counts - np.rint(counts)).max() < 1e-6
        try:
            identify(graph, outcome="Y", treatment=x)
        except NotIdentifiable:
            continue
        drawn.append((graph, x, dict(zip(graph.nodes, rows, strict=True)), model.expectation("Y", do={x: 1})))
    size = (
        f"5 binary variables, {min(len(d[2]['Y']) for d in drawn):,} to {max(len(d[2]['Y']) for d in drawn):,} records"
    )
    from causalrl.identification.id_algorithm import estimate_effect

    def ours(graph, x, columns, _):
        counts = np.zeros((2,) * len(graph.nodes))
        np.add.at(counts, tuple(columns[v] for v in graph.nodes), 1)
        formula = identify(graph, outcome="Y", treatment=x)
        table = JointTable(list(graph.nodes), counts / counts.sum())
        return float(formula.evaluate({frozenset(): table}, {v: 1 for v in formula.arguments}))

    def theirs(graph, x, columns, truth):
        return estimate_effect(graph, [x], ["Y"], columns, do={x: 1})[(1,)], truth

    def made(convert):
        expression.term.cache_clear()
        return [(convert(ADMG(g.directed, g.bidirected, g.nodes)), x, columns, truth) for g, x, columns, truth in drawn]

    def right(pairs):
        mine = sum(abs(a - truth) < 1e-9 for a, (_, truth) in pairs)
        other = sum(abs(b - truth) < 1e-9 for _, (b, truth) in pairs)
        return f"correct: ours {mine}, causalrl {other} of {len(pairs)}"

    questions = (lambda: made(lambda g: g)), (lambda: made(to_causalrl))
    yield compare(task, size, "causalrl", ours, theirs, *questions, repetitions, say=right)


def intervention_sets(repetitions):
    """Yield rows of POMIS."""
    from causal_bandits import ADMG, possibly_optimal_intervention_sets

    def ours(graph):
        return set(possibly_optimal_intervention_sets(graph, outcome="Y"))

    def theirs(graph):
        from causalrl.identification.intervention_sets import pomis

        return set(pomis(graph, "Y"))

    names = [*(f"X{i:02}" for i in range(17)), "Y"]
    edges = [*pairwise(names), *zip(names, names[2:], strict=False)]
    tasks = {
        "10 variables, random": (lambda: [random_graph(10, 0.3, 0.15, seed) for seed in range(40)], repetitions),
        "15 variables, random": (lambda: [random_graph(15, 0.3, 0.1, seed) for seed in range(10)], 3),
        "18 variables in a chain with edges to the next two, both kinds": (lambda: [ADMG(edges, edges, names)], 1),
    }
    for size, (graphs, times) in tasks.items():
        mine, other = (
            (lambda graphs=graphs: [(g,) for g in graphs()]),
            (lambda graphs=graphs: [(to_causalrl(g),) for g in graphs()]),
        )
        sets = sum(len(ours(*question)) for question in mine())
        yield compare("POMIS", f"{size}; {sets:,} sets", "causalrl", ours, theirs, mine, other, times)


def adjustment(repetitions, graphs=60):
    """Yield rows of covariate adjustment: is a set valid, and which one is smallest?

    Hidden causes are separate nodes for pgmpy, which answers that there is no set if it finds none without them.
    causalrl's back-door criterion is asked about sets without descendants of the treatment, for which it agrees with
    the adjustment criterion.
    """
    from causal_bandits.graphs import adjustment as remembering
    from causal_bandits.graphs import admissible_sets, is_admissible

    setting = (15, 0.2, 0.05)
    size = "15 variables, 0.2 directed, 0.05 bidirected"

    def ours_valid(graph, x, covariates):
        return is_admissible(graph, treatment=x, outcome="Y", covariates=covariates, selection=None)

    def ours_smallest(graph, x):
        found = next(admissible_sets(graph, treatment=x, outcome="Y", selection=None), None)
        return graph, x, None if found is None else found.covariates

    def by_causalrl(graph, x, covariates):
        from causalrl.identification.transport import is_backdoor_admissible

        return is_backdoor_admissible(graph, x, "Y", set(covariates))

    def valid_by_pgmpy(graph, x, covariates):
        from pgmpy.inference import CausalInference

        return CausalInference(graph).is_valid_adjustment_set(x, "Y", list(covariates))

    def smallest_by_pgmpy(graph, x):
        from pgmpy.identification import Adjustment

        graph = graph.with_role("exposures", x).with_role("outcomes", "Y")
        found, there_is_one = Adjustment(variant="minimal").identify(graph)
        return set(found.get_role("adjustment")) if there_is_one else None

    def to_pgmpy(graph):
        from pgmpy.base import DAG

        drawn = graph.to_networkx()
        dag = DAG(list(drawn.edges), latents=set(drawn.nodes) - set(graph.nodes))
        dag.add_nodes_from(graph.nodes)
        return dag

    def made(convert, below):
        remembering._query.cache_clear()
        found = []
        for seed in range(graphs):
            graph = random_graph(*setting, seed)
            x, draw = treatment(graph, seed), random.Random(seed)
            out = {x, "Y"} if below else {x, "Y"} | graph.descendants(x)
            others = [v for v in graph if v not in out]
            found.append((convert(graph), x, tuple(draw.sample(others, draw.randint(0, len(others) // 2)))))
        return found

    def right(pairs):
        good = 0
        for (graph, x, smallest), theirs in pairs:
            good += (
                smallest is None
                if theirs is None
                else is_admissible(graph, treatment=x, outcome="Y", covariates=theirs, selection=None)
            )
        return f"valid sets, or correctly none: pgmpy {good} of {len(pairs)}"

    valid, smallest = "is a set valid for adjustment?", "smallest set for adjustment"
    for task, peer, theirs, convert, below in (
        (valid, "pgmpy", valid_by_pgmpy, to_pgmpy, True),
        (f"{valid} no descendants", "pgmpy", valid_by_pgmpy, to_pgmpy, False),
        (f"{valid} no descendants", "causalrl", by_causalrl, to_causalrl, False),
        (smallest, "pgmpy", smallest_by_pgmpy, to_pgmpy, True),
    ):

        def asked(form, task=task, below=below):
            return [question[: 2 if task == smallest else 3] for question in made(form, below)]

        ours, say = (ours_smallest, right) if task == smallest else (ours_valid, None)
        mine, other = (lambda asked=asked: asked(lambda g: g)), (lambda asked=asked, c=convert: asked(c))
        yield compare(task, size, peer, ours, theirs, mine, other, min(repetitions, 3), say=say)


# ---------------------------------------------------------------------- models and data


def discovery(repetitions, tables=8, records=5_000):
    """Yield rows of PC: the class of graphs that fit a table, by chi-square tests at 1 %."""
    import pandas as pd

    from causal_bandits.models import uniform_cpt

    size = f"8 binary variables, {records:,} records"
    from pgmpy.causal_discovery import PC

    from causal_bandits.discovery import learn

    def table(seed):
        model = uniform_cpt(random_graph(8, 0.3, 0.0, seed), np.random.default_rng(seed))
        return pd.DataFrame(model.sample(records, np.random.default_rng(seed))).astype(np.int64)

    def edges(graph):
        return frozenset(graph.directed), frozenset(frozenset(edge) for edge in graph.undirected)

    def ours(frame):
        return edges(learn(frame, "pc", [list(frame.columns)]))

    def by_pgmpy(frame):
        learner = PC(variant="stable", ci_test="chi_square", significance_level=0.01, show_progress=False)
        found = learner.fit(frame).causal_graph_
        return frozenset(found.directed_edges), frozenset(map(frozenset, found.undirected_edges))

    def by_causal_learn(frame):
        from causallearn.search.ConstraintBased.PC import pc

        found = pc(frame.to_numpy(), 0.01, "chisq", node_names=list(frame.columns), show_progress=False)
        tail, arrow = -1, 1  # of an edge between i and j, graph[i, j] is the mark at i
        marks = {(a, b): found.G.graph[j, i] for i, a in enumerate(frame) for j, b in enumerate(frame)}
        heads = {pair for pair, mark in marks.items() if mark == arrow}
        if both := sorted(pair for pair in heads if pair[::-1] in heads):
            return f"{both[0]}: colliders that contradict each other become edges with two heads"
        tails = {pair for pair, mark in marks.items() if mark == tail}
        return frozenset(heads), frozenset(map(frozenset, (pair for pair in tails if pair[::-1] in tails)))

    for peer, theirs in (("pgmpy", by_pgmpy), ("causal-learn", by_causal_learn)):

        def made():
            return [(table(seed),) for seed in range(tables)]

        yield compare("PC", size, peer, ours, theirs, made, made, min(repetitions, 3))


# ---------------------------------------------------------------------- bandits, per round

ARMS, ROUNDS, FEATURES = 9, 400, 10


def rewards_of(seed):
    """Return the rewards from which both libraries learn: each arm's in each round."""
    rng = np.random.default_rng(seed)
    return (rng.random((ROUNDS, ARMS)) < np.linspace(0.2, 0.6, ARMS)).astype(np.int64)


def causal(policy):
    """Return our bandit without contexts, with numbered arms."""
    from causal_bandits import CausalBandit

    return CausalBandit("dag { arm -> y }", outcome="y", states={"arm": range(ARMS)}, policy=policy)


def contextual(policy, arms=ARMS):
    """Return our bandit with vectors as contexts."""
    from causal_bandits import ContextualCausalBandit

    seen = [f"x{i}" for i in range(FEATURES)]
    graph = "dag { arm -> y ; " + " ; ".join(f"{x} -> y" for x in seen) + " }"
    states = {"arm": range(arms)}
    return ContextualCausalBandit(graph, outcome="y", treatment="arm", context=seen, states=states, policy=policy)


def by_name(x):
    """Return a vector as a context with names."""
    return {f"x{i}": float(value) for i, value in enumerate(x)}


def thompson(repetitions):
    """Yield rows of Thompson sampling: one decision and one reward per round."""
    from causal_bandits.policies import Thompson

    task, size = "TS, a round", f"{ARMS} arms"
    logged = np.random.default_rng(0).integers(ARMS, size=300)
    paid = rewards_of(0)[np.arange(300), logged]

    def ours(rewards):
        bandit = causal(Thompson())
        for row in rewards:
            choice = bandit.act()
            bandit.update(choice, {"y": row[choice.do["arm"]]})

    from mabwiser.mab import MAB, LearningPolicy

    def theirs(rewards):
        mab = MAB(list(range(ARMS)), LearningPolicy.ThompsonSampling(), seed=0)
        mab.fit([], [])
        for row in rewards:
            arm = mab.predict()
            mab.partial_fit([arm], [row[arm]])

    # Random numbers differ: after the same 300 rewards both must choose every arm equally often, within 4 standard
    # errors.
    bandit = causal(Thompson())
    mab = MAB(list(range(ARMS)), LearningPolicy.ThompsonSampling(), seed=1)
    for arm, reward in zip(logged, paid, strict=True):
        bandit.update({"arm": arm}, {"y": reward})
    mab.fit(logged.tolist(), paid.tolist())
    draws = 4000
    shares = np.array(
        [
            np.bincount([f() for _ in range(draws)], minlength=ARMS) / draws
            for f in (lambda: bandit.act().do["arm"], mab.predict)
        ]
    )
    middle = shares.mean(axis=0)
    within = np.abs(shares[0] - shares[1]) <= 4 * np.sqrt(2 * np.maximum(middle * (1 - middle), 1 / draws) / draws)
    rows = [
        (milliseconds(ours, [(rewards_of(i),)]), milliseconds(theirs, [(rewards_of(i),)])) for i in range(repetitions)
    ]
    mine, other = (statistics.median(column) / ROUNDS for column in zip(*rows, strict=True))
    yield Row(task, size, "MABWiser", f"{within.sum()} of {ARMS} arms chosen equally often", mine, other)


def shared(repetitions):
    """Yield the row of Thompson sampling with samples shared between arms, on a front door with as many arms.

    MABWiser cannot share samples: it plays the same arms, each on its own. So the answers are the mean outcomes.
    """
    from causal_bandits import CausalBandit
    from causal_bandits.policies import Z2Thompson

    nothing = ARMS - 1  # MABWiser's number of the arm that sets nothing; the others set x

    def worlds(seed):
        """Return, of each round, x if nobody sets it, z by x, and y by z; a hidden cause affects x and y."""
        rng = np.random.default_rng(seed)
        hidden = rng.random(ROUNDS) < 0.5
        x = np.where(hidden, rng.integers(nothing, size=ROUNDS), 0)
        z = rng.random((ROUNDS, nothing)) < np.linspace(0.1, 0.9, nothing)
        y = rng.random((ROUNDS, 2)) < 0.1 + 0.4 * np.arange(2) + 0.4 * hidden[:, None]
        return list(zip(x.tolist(), z.astype(int).tolist(), y.astype(int).tolist(), strict=True))

    def ours(rounds):
        bandit = CausalBandit(
            "dag { x -> z -> y ; x <-> y }", outcome="y", states={"x": range(nothing)}, policy=Z2Thompson()
        )
        paid = 0
        for x, z, y in rounds:
            choice = bandit.act()
            x = choice.do.get("x", x)
            paid += y[z[x]]
            bandit.update(choice, {"x": x, "z": z[x], "y": y[z[x]]})
        return paid / ROUNDS

    from mabwiser.mab import MAB, LearningPolicy

    def theirs(rounds):
        mab = MAB(list(range(ARMS)), LearningPolicy.ThompsonSampling(), seed=0)
        mab.fit([], [])
        paid = 0
        for x, z, y in rounds:
            arm = mab.predict()
            x = x if arm == nothing else arm
            paid += y[z[x]]
            mab.partial_fit([arm], [y[z[x]]])
        return paid / ROUNDS

    def means(pairs):
        mine, other = (np.mean(column) for column in zip(*pairs, strict=True))
        return f"mean outcome: ours {mine:.3f}, MABWiser {other:.3f}"

    def questions():
        return [(worlds(seed),) for seed in range(20)]

    found = compare(
        "TS, a round, samples shared", f"{ARMS} arms", "MABWiser", ours, theirs, questions, questions, repetitions,
        say=means,
    )  # fmt: skip
    yield replace(found, ours=found.ours / ROUNDS, theirs=found.theirs / ROUNDS)


def lin_ucb(repetitions):
    """Yield rows of LinUCB with a regression per arm and vectors as contexts: a decision and a reward per round."""
    from causal_bandits.policies import LinUCB

    task, size = "LinUCB, a round", f"{ARMS} arms, vectors of {FEATURES} numbers"
    policy = LinUCB(alpha=0.7, intercept=False)
    rng = np.random.default_rng(1)
    seen, asked = rng.normal(size=(ROUNDS, FEATURES)), rng.normal(size=(200, FEATURES))
    logged = rng.integers(ARMS, size=ROUNDS)
    paid = rng.random(ROUNDS)

    def ours(contexts, rewards):
        bandit = contextual(policy)
        for x, row in zip(contexts, rewards, strict=True):
            choice = bandit.act(by_name(x))
            bandit.update(choice, {"y": row[choice.do["arm"]]})

    bandit = contextual(policy)
    for x, arm, reward in zip(seen, logged, paid, strict=True):
        bandit.update({"arm": arm}, {**by_name(x), "y": reward})
    chosen = [bandit.act(by_name(x)).do["arm"] for x in asked]

    def mabwiser():
        from mabwiser.mab import MAB, LearningPolicy

        made = MAB(list(range(ARMS)), LearningPolicy.LinUCB(alpha=0.7, l2_lambda=1.0), seed=0)
        known = MAB(list(range(ARMS)), LearningPolicy.LinUCB(alpha=0.7, l2_lambda=1.0), seed=0)
        known.fit(logged.tolist(), paid.tolist(), seen)

        def theirs(contexts, rewards):
            made.fit([0], [0], np.zeros((1, FEATURES)))  # a feature vector of zeros teaches nothing
            for x, row in zip(contexts, rewards, strict=True):
                arm = made.predict([x])
                made.partial_fit([arm], [row[arm]], [x])

        return theirs, [known.predict([x]) for x in asked]

    def contextualbandits():
        from contextualbandits.online import LinUCB as Theirs

        def make():
            return Theirs(ARMS, alpha=0.7, lambda_=1.0, fit_intercept=False, use_float=False, random_state=1)

        known = make()
        known.fit(seen, logged, paid)

        def theirs(contexts, rewards):
            made = make()
            for x, row in zip(contexts, rewards, strict=True):
                arm = int(made.predict(x[None])[0])
                made.partial_fit(x[None], np.array([arm]), np.array([float(row[arm])]))

        return theirs, [int(known.predict(x[None])[0]) for x in asked]

    for peer, make in (("MABWiser", mabwiser), ("contextualbandits", contextualbandits)):
        theirs, others = make()
        agree = sum(a == b for a, b in zip(chosen, others, strict=True))
        times = [
            (milliseconds(ours, [(seen, rewards_of(i))]), milliseconds(theirs, [(seen, rewards_of(i))]))
            for i in range(repetitions)
        ]
        mine, other = (statistics.median(column) / ROUNDS for column in zip(*times, strict=True))
        yield Row(task, size, peer, f"{agree} of {len(asked)} equal", mine, other)


def many_arms(repetitions):
    """Yield rows of one decision among many arms, after rewards from which both have learnt."""
    from causal_bandits.policies import LinUCB

    arms, asked = 1_000, 20
    task, size = "LinUCB, a decision", f"{arms:,} arms, vectors of {FEATURES} numbers"
    rng = np.random.default_rng(2)
    seen, contexts = rng.normal(size=(5 * arms, FEATURES)), rng.normal(size=(asked, FEATURES))
    logged, paid = np.tile(np.arange(arms), 5), rng.random(5 * arms)
    from mabwiser.mab import MAB, LearningPolicy

    bandit = contextual(LinUCB(alpha=0.7, intercept=False), arms)
    for x, arm, reward in zip(seen, logged, paid, strict=True):
        bandit.update({"arm": arm}, {**by_name(x), "y": reward})
    known = MAB(list(range(arms)), LearningPolicy.LinUCB(alpha=0.7, l2_lambda=1.0), seed=0)
    known.fit(logged.tolist(), paid.tolist(), seen)

    def questions():
        return [(x,) for x in contexts]

    yield compare(
        task,
        size,
        "MABWiser",
        lambda x: bandit.act(by_name(x)).do["arm"],
        lambda x: known.predict([x]),
        questions,
        questions,
        repetitions,
    )


TASKS = (
    identification,
    effects_from_a_table,
    intervention_sets,
    adjustment,
    discovery,
    thompson,
    shared,
    lin_ucb,
    many_arms,
)


def versions():
    """Return the versions of what is compared, in one line."""
    found = [f"{peer} {importlib.metadata.version(peer)}" for peer in PEERS]
    return f"Python {sys.version.split()[0]}, numpy {np.__version__}; {', '.join(found)}."


def in_environment(folder):
    """Make the environment if there is none, run this script in it and return its exit code."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", "-r", str(ROOT / "benchmarks/peers.lock")], check=True
        )
    rest = [
        word for i, word in enumerate(sys.argv[1:]) if "--environment" not in (word, sys.argv[1:][i - 1] if i else "")
    ]
    settings = {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    settings["PYTHONHASHSEED"] = "0"  # some answers of pgmpy depend on the order of sets
    return subprocess.run([str(python), __file__, *rest], env=os.environ | settings, check=False).returncode


def main():
    """Compare, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=Path, help="folder of a separate environment")
    parser.add_argument("--repetitions", type=int, default=5, help="repetitions of each row (default: %(default)s)")
    parser.add_argument("--only", nargs="*", default=[], help=f"some of {', '.join(task.__name__ for task in TASKS)}")
    parser.add_argument("--write", action="store_true", help="write the table into benchmarks/README.md")
    chosen = parser.parse_args()
    if chosen.environment:
        sys.exit(in_environment(chosen.environment))
    versions()  # a peer that is missing ends the run before it starts
    logging.disable()  # y0 logs every query that has several answers
    warnings.simplefilter("ignore")
    lines = [
        "| task | size | peer | answers | ours, ms | peer, ms | peer / ours |",
        "| --- | --- | --- | --- | ---: | ---: | ---: |",
    ]
    print(*lines, sep="\n")
    for task in TASKS:
        if not chosen.only or task.__name__ in chosen.only:
            for row in task(chosen.repetitions):
                lines.append(str(row))
                print(row, flush=True)
    lines += ["", versions()]
    print("", versions(), sep="\n")
    if chosen.write:
        table = "\n".join(lines)
        text, found = re.subn(
            r"(<!-- peers -->\n).*?(<!-- /peers -->)",
            lambda m: f"{m[1]}\n{table}\n\n{m[2]}",
            README.read_text(),
            flags=re.DOTALL,
        )
        if not found:
            sys.exit(f"{README}: no lines <!-- peers --> and <!-- /peers --> to write between")
        README.write_text(text)


if __name__ == "__main__":
    main()
