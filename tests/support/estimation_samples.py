"""Bandits with estimators, and samples for them, that the tests of this folder share."""

from functools import cache
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from causal_bandits.compiled import jit
from causal_bandits.estimation.compiled_expressions import compile_estimators, reward_estimators
from causal_bandits.estimation.minimum_variance import WEIGHTS, new_workspace, solve
from causal_bandits.estimation.mvwa import new_averages, observe
from causal_bandits.graphs import ADMG
from causal_bandits.identification import JointTable, reward_expressions
from causal_bandits.models import FAMILIES
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS


def minimum_variance_weights(covariance):
    """The weights that the solver finds for one problem."""
    work = new_workspace(len(covariance))
    work.covariance[:, :] = covariance
    solve(len(covariance), work)
    return work.vectors[WEIGHTS].copy()


class Setting:
    """Arms of a graph's possibly-optimal sets, their estimators, and the counts of the samples so far."""

    def __init__(self, graph, non_manipulable, cardinality):
        self.graph, self.cardinality, self.variables = graph, cardinality, ["U", *graph.topological_order]
        expressions = reward_expressions(graph, outcome="Y", non_manipulable=non_manipulable)
        self.arms = [
            dict(zip(sorted(chosen), states, strict=True))
            for chosen in expressions
            for states in product(*(range(cardinality[v]) for v in sorted(chosen)))
        ]
        self.estimators = reward_estimators(expressions, self.arms, "Y", cardinality)
        self.compiled = compile_estimators(self.estimators, self.arms, self.variables, cardinality)
        shape = [cardinality[v] for v in graph.nodes]
        self.counts = [np.zeros(shape) for _ in self.arms]

    def cells(self, arm):
        """Every sample that the arm can give."""
        free = [v for v in self.graph.nodes if v not in self.arms[arm]]
        for states in product(*(range(self.cardinality[v]) for v in free)):
            yield self.arms[arm] | dict(zip(free, states, strict=True))

    def row(self, sample):
        """A sample as compiled loops take it; the hidden U is there to be skipped."""
        return np.array([sample.get(v, 1) for v in self.variables], dtype=np.int8)

    def rows(self, samples):
        """Samples as `DiscreteSCM.sample` gives them, in the same form."""
        hidden = np.ones(len(samples), dtype=np.int8)
        return np.column_stack([samples[v] if v in samples.dtype.names else hidden for v in self.variables])

    def add(self, arm, sample, weight=1.0):
        self.counts[arm][tuple(sample[v] for v in self.graph.nodes)] += weight

    def tables(self, counts=None):
        """Relative frequencies as joint tables; the slices of all arms of one set make one table."""
        found = {}
        for arm, n in zip(self.arms, self.counts if counts is None else counts, strict=True):
            table = found.setdefault(frozenset(arm), np.zeros(n.shape))
            table += n / n.sum()
        return {chosen: JointTable(self.graph.nodes, table) for chosen, table in found.items()}

    def estimates(self, counts=None):
        """All estimators, by exact evaluation of their expressions on relative frequencies."""
        tables = self.tables(counts)
        return np.array([e.expression.evaluate(tables, e.values).item() for e in self.estimators])


def play(setting, method, replicates, rng, extra=40):
    """One sample of every cell of every arm, so that no condition is empty, and some more; shuffled."""
    plan = [(arm, sample) for arm in range(len(setting.arms)) for sample in setting.cells(arm)]
    plan += [plan[i] for i in rng.integers(len(plan), size=extra)]
    state = new_averages(setting.compiled, method, replicates)
    for i in rng.permutation(len(plan)):
        arm, sample = plan[i]
        setting.add(arm, sample)
        observe(setting.compiled, state, method, arm, setting.row(sample), float(sample["Y"]), rng)
    return state


@cache
def pool():
    """Random graphs and constraints under which some arm has an expression beside the trivial one."""
    rng, found = np.random.default_rng(0), []
    while len(found) < 30:
        order = [*rng.permutation(list("ABC")), "Y"]
        pairs = list(combinations(order, 2))
        kinds = rng.integers(5, size=len(pairs))
        directed = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (0, 1, 2)]
        bidirected = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (2, 3)]
        graph = ADMG(directed, bidirected, nodes=order)
        fixed = frozenset(rng.choice(order[:-1], size=rng.integers(3), replace=False).tolist())
        expressions = reward_expressions(graph, outcome="Y", non_manipulable=fixed)
        if any(len(some) > 1 for some in expressions.values()):
            found.append((graph, fixed))
    return found


@st.composite
def settings_with_estimators(draw, max_states=2):
    graph, fixed = draw(st.sampled_from(pool()))
    return Setting(graph, fixed, {v: draw(st.integers(2, max_states)) for v in graph} | {"Y": 2})


NON_MANIPULABLE = {"frontdoor": frozenset("Z"), "fourvar": frozenset("A"), "sixvar": frozenset("AC")}


def trivial(setting, arm):
    ones = setting.counts[arm].take(1, axis=setting.graph.nodes.index("Y")).sum()
    n = setting.counts[arm].sum()
    mean = (ones + 1) / (n + 2)
    return mean, mean * (1 - mean) / (n + 3)


@jit
def sample_once(compiled, state, method, arms, rows, rewards, rng):
    for i in range(len(arms)):
        observe(compiled, state, method, arms[i], rows[i], rewards[i], rng)


@cache
def sampled(problem, n, seed, family="uniform_cpt"):
    """A setting with ``n`` samples of every arm from a random SCM, as arrays."""
    rng = np.random.default_rng(seed)
    setting = Setting(GRAPHS[problem], NON_MANIPULABLE[problem], dict.fromkeys(GRAPHS[problem].nodes, 2))
    scm = FAMILIES[family](GRAPHS[problem], rng)
    rows, arms = [], []
    for number, arm in enumerate(setting.arms):
        draws = scm.sample(n, rng, do=arm)
        np.add.at(setting.counts[number], tuple(draws[v] for v in setting.graph.nodes), 1)
        rows.append(setting.rows(draws))
        arms += [number] * n
    order = rng.permutation(len(arms))
    rows = np.concatenate(rows)[order]
    return setting, scm, np.array(arms)[order], rows, rows[:, setting.variables.index("Y")].astype(np.float64)
