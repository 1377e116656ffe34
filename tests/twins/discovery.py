"""Partial structure discovery in plain Python: dictionaries of samples, sets of names, one round at a time."""

import math
from itertools import chain, combinations, product

import networkx as nx

from causal_bandits.policies.base import StepwisePolicy


def ask_pomis(edges, nodes, reward, confounded):
    """The interventional borders of all graphs with some ancestors cut one by one, asking as late as possible.

    Effects are cut before causes, those of one level by name backwards; nothing is left out that was found before.
    Returns the borders and the pairs asked, in order.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(nodes))
    graph.add_edges_from(edges)
    levels = {v: i for i, level in enumerate(nx.topological_generations(graph)) for v in level}
    order = sorted(graph, key=lambda v: (levels[v], v))[::-1]
    answers = {}

    def territory(within):
        inside = graph.subgraph(within)
        ancestors = nx.ancestors(inside, reward) | {reward}
        found = {reward}
        while True:
            before = set(found)
            for v in before:
                found |= set(graph.successors(v)) & ancestors
                found |= {u for u in ancestors if answers.get(tuple(sorted((u, v))))}
            if found != before:
                continue
            for pair in combinations(sorted(ancestors), 2):
                if len(found & set(pair)) == 1 and pair not in answers:
                    answers[pair] = confounded(*pair)
                    break
            else:
                return frozenset(found)

    borders = set()

    def visit(present, candidates):
        borders.add(frozenset(chain(*(graph.predecessors(v) for v in present))) - present)
        for place, v in enumerate(candidates):
            smaller = territory(present - {v})
            visit(smaller, [u for u in candidates[place + 1 :] if u in smaller])

    start = territory(frozenset(nx.ancestors(graph, reward) | {reward}))
    visit(start, [v for v in order if v in start and v != reward])
    return borders, list(answers)


class PlainPartialDiscovery(StepwisePolicy):
    """The steps of the documentation, as a program that asks for one round at a time."""

    def __init__(self, policy):
        self.policy = policy

    def start(self, problem, horizon):
        self.number = {frozenset(arm.items()): a for a, arm in enumerate(problem.arms)}
        self.names = sorted({v for arm in problem.arms for v in arm})
        self.states = {v: problem.scm.cardinality(v) for v in self.names}
        self.reward, self.horizon, self.program = problem.reward, horizon, None
        self.samples = {arm: [] for arm in range(len(problem.arms))}
        self.finals, self.asked = None, 0

    def select(self, t, context, rng):
        if self.program is None:
            self.program = self.everything(rng)
        self.arm = next(self.program)
        return self.arm

    def update(self, arm, states, reward):
        self.samples[arm].append(dict(states))

    def sampled(self, do, times):
        arm = self.number[frozenset(do.items())]
        while len(self.samples[arm]) < times:
            yield arm
        return self.samples[arm]

    def everything(self, rng):
        policy, names, y = self.policy, self.names, self.reward
        n, k = len(names), max(self.states.values())
        d, delta = policy.in_degree or n, policy.confidence
        alpha = 2 * n * math.log(2 / delta + 2) / max(math.log(n), math.log(2))
        sets = [frozenset(c) for size in range(n) for c in combinations(names, size)]
        assert math.ceil(8 * alpha * d * max(math.log(n), math.log(2)) - 1e-9) >= 2**n
        drawn = {}

        def values(chosen):
            if chosen not in drawn:
                drawn[chosen] = {v: int(rng.integers(self.states[v])) for v in sorted(chosen)}
            return drawn[chosen]

        for chosen in sets:
            values(chosen)
        if policy.constants == "paper":
            first = delta / (32 * alpha * d * n * max(math.log(n), math.log(2)))
            a = max(8 / policy.epsilon**2, 8 / policy.gamma**2) * math.log(2 * n * k * k / first)
            b = 8 / policy.epsilon**2 * math.log(2 * n * k * k / (n * first))
            c = 16 / (policy.eta * policy.gamma**2) * math.log(2 * n * n * k * k / (n * first))
            c += 1 / (2 * policy.eta**2) * math.log(2 * n * n * k * k / (n * first))
            a, b, c = math.ceil(a), math.ceil(b), math.ceil(c)
        else:
            arms = set()
            for chosen in sets:
                for extra in [{}] + [{v: x} for v in names if v not in chosen for x in range(self.states[v])]:
                    arms.add(self.number[frozenset({**values(chosen), **extra}.items())])
            a = b = c = max(1, math.floor(policy.share * self.horizon / len(arms)))

        def radius(rounds):
            return math.sqrt(math.log(2 * n * k * k / delta) / (2 * rounds))

        def share(rows, v, state):
            return sum(row[v] == state for row in rows) / len(rows)

        def difference(rows, others, v):
            return max(abs(share(rows, v, s) - share(others, v, s)) for s in range(self.states.get(v, 2)))

        votes = {}
        for chosen in sets:
            outside = [v for v in names if v not in chosen]
            plain = list((yield from self.sampled(values(chosen), b)))
            strength = {}
            for cause in outside:
                for x in range(self.states[cause]):
                    rows = list((yield from self.sampled({**values(chosen), cause: x}, a)))
                    border = (
                        policy.epsilon / 2 if policy.constants == "paper" else radius(len(plain)) + radius(len(rows))
                    )
                    for effect in [*outside, y]:
                        moved = difference(rows, plain, effect)
                        if effect != cause and moved > border:
                            strength[cause, effect] = max(moved, strength.get((cause, effect), 0))
            found = self.acyclic(sorted(strength, key=lambda e: (-strength[e], e)))
            for edge in sorted(nx.transitive_reduction(nx.transitive_closure(found)).edges):
                votes[edge] = votes.get(edge, 0) + 1
        graph = self.acyclic(sorted(votes, key=lambda e: -votes[e]))
        graph.add_node(y)
        graph = graph.subgraph(nx.ancestors(graph, y) | {y})

        # Rounds are wanted while the enumeration waits: it is begun anew with every answer that it lacks.
        answers = {}

        class Lacking(Exception):
            pass

        def confounded(u, v):
            if (u, v) not in answers:
                raise Lacking(u, v)
            return answers[u, v]

        pairs = list(combinations(sorted(graph), 2))
        while True:
            try:
                if policy.hidden_causes == "all":
                    for pair in pairs:
                        confounded(*pair)
                known = (lambda *_: False) if policy.hidden_causes == "none" else confounded
                borders, _ = ask_pomis(graph.edges, graph.nodes, y, known)
                break
            except Lacking as lacking:
                u, v = pair = lacking.args
                if u == y or nx.has_path(graph, v, u):
                    u, v = v, u
                w = values(frozenset(graph.predecessors(u)) | frozenset(graph.predecessors(v)) - {u})
                plain = list((yield from self.sampled(w, c)))
                answers[pair] = False
                for x in range(self.states[u]):
                    rows = list((yield from self.sampled({**w, u: x}, a)))
                    watched = [row for row in plain if row[u] == x]
                    if not watched or answers[pair]:
                        continue
                    border = radius(len(watched)) + radius(len(rows))
                    if policy.constants == "paper":
                        border = policy.gamma / 2 if len(watched) >= policy.eta * c / 2 else math.inf
                    if difference(watched, rows, v) > border:
                        answers[pair] = True
                        break
        self.asked = len(answers)
        self.finals = [
            self.number[frozenset(zip(chosen, xs, strict=True))]
            for chosen in sorted(map(sorted, borders), key=lambda c: (len(c), c))
            for xs in product(*(range(self.states[v]) for v in chosen))
        ]
        rewards = {arm: [row[y] for row in self.samples[arm]] if policy.warm else [] for arm in self.finals}
        while True:
            t = sum(map(len, rewards.values()))
            best = max(
                self.finals,
                key=lambda arm: (
                    sum(rewards[arm]) / len(rewards[arm]) + math.sqrt(2 * math.log(t) / len(rewards[arm]))
                    if rewards[arm]
                    else math.inf
                ),
            )
            yield best
            rewards[best].append(self.samples[best][-1][y])

    @staticmethod
    def acyclic(edges):
        """Each edge in turn that leaves the graph without a directed cycle."""
        graph = nx.DiGraph()
        for edge in edges:
            graph.add_edge(*edge)
            if not nx.is_directed_acyclic_graph(graph):
                graph.remove_edge(*edge)
        return graph
