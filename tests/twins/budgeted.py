"""The algorithms of Jamshidi et al. 2024, which spend a budget, in plain Python, on raw rows.

They play through `twins.exploration.Player`.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from twins.exploration import Player, largest


def conditions(graph):
    """By variable, in topological order: others in its c-component among those before it, and all parents."""
    order, found = list(graph.topological_order), {}
    for j, v in enumerate(order):
        component, waiting = {v}, [v]
        while waiting:
            a = waiting.pop()
            for b in order[: j + 1]:
                if b not in component and b in graph.spouses(a):
                    component.add(b)
                    waiting.append(b)
        given = (component | {p for c in component for p in graph.parents(c)}) - {v}
        found[v] = [z for z in order if z in given]
    return found


def split_values(graph, rows, x, state, reward="Y"):
    """All values of the formula for do(x = state), from rows of do(); none where a cell is empty."""
    given = conditions(graph)
    names, component = list(given), graph.c_component(x)
    cells = {
        (v, z): []
        for v in names
        for z in product((0, 1), repeat=len(given[v]))
        if v in component or dict(zip(given[v], z, strict=True)).get(x, state) == state
    }
    for n, row in enumerate(rows):
        v = names[n % len(names)]
        cell = v, tuple(row[z] for z in given[v])
        if cell in cells:
            cells[cell].append(row[v])
    groups = min(len(own) for own in cells.values())
    values = []
    for s in range(groups):
        total = 0.0
        for joint in product((0, 1), repeat=len(names)):
            v = dict(zip(names, joint, strict=True))
            if v[reward]:
                term = 1.0
                for w in names:
                    z = tuple((v if w in component else v | {x: state})[u] for u in given[w])
                    one = np.mean(cells[w, z][s::groups])
                    term *= one if v[w] else 1 - one
                total += term
        values.append(total)
    return values


def spending(policy):
    """Algorithm 1 of Jamshidi et al. 2024."""

    def play_on(player: Player):
        bandit = player.bandit
        arms, costs, scm = list(bandit.arms), bandit.costs.tolist(), bandit.bandit.scm
        null = arms.index({})
        rewards, extra, rows = [[player.play(a)] for a in range(len(arms))], [[] for _ in arms], []
        left, t, beta = policy.budget - sum(costs), len(arms), 1.0

        def learn(states):
            rows.append(states)
            for a, arm in enumerate(arms):
                if a != null and len(rows) % len(scm.graph.nodes) == 0:
                    ((x, state),) = arm.items()
                    extra[a] = split_values(scm.graph, rows, x, state)

        learn(rewards[null][0][0])
        while left >= 1:
            n = [len(own) + len(more) for own, more in zip(rewards, extra, strict=True)]
            mean = [(sum(y for _, y in own) + sum(more)) / m for own, more, m in zip(rewards, extra, n, strict=True)]
            index = [
                ((mu + math.sqrt(2 * math.log(t) / m)) / (c if policy.index == "rate" else 1))
                if c <= left
                else -math.inf
                for mu, m, c in zip(mean, n, costs, strict=True)
            ]
            forced = len(rewards[null]) < beta**2 * math.log(t)
            arm = null if forced else largest(index, player.rng)
            rewards[arm].append(player.play(arm))
            if arm == null:
                learn(rewards[null][-1][0])
            means = [
                (sum(y for _, y in own) + sum(more)) / (len(own) + len(more))
                for own, more in zip(rewards, extra, strict=True)
            ]
            best = max(mu / c for mu, c in zip(means, costs, strict=True))
            if means[null] < best:
                beta = min(2 * math.sqrt(2) / (best - means[null]), math.sqrt(math.log(t)))
            left, t = left - costs[arm], t + 1
        return t

    return play_on


def naming(policy):
    """Algorithm 2: watch for half of the budget, play the rare arms, spend what is left on do(); the answer."""

    def play_on(player: Player):
        arms, costs = list(player.bandit.arms), player.bandit.costs.tolist()
        null, half = arms.index({}), policy.budget // 2
        rows = [player.play(null) for _ in range(half)]
        counts = [sum(arm.items() <= states.items() for states, _ in rows) for arm in arms]
        rare, own, left = rare_with_costs(counts, half, arms, costs), {}, policy.budget - half
        together = sum(costs[a] for a in rare)
        for a in rare:
            own[a] = [player.play(a)[1] for _ in range(math.floor(policy.budget / (2 * together)))]
            left -= len(own[a]) * costs[a]
        rows += [player.play(null) for _ in range(left)]
        means = []
        for a, arm in enumerate(arms):
            rewards = own.get(a) or [y for states, y in rows if arm.items() <= states.items()]
            means.append(np.mean(rewards) if rewards else 0.0)
        return largest(means, player.rng)

    return play_on


def searched_tau(p, costs):
    """The least tau with sum of costs of {p < 1 / tau} <= tau, for p as fractions: of all numbers that it can be."""

    def rare(tau):
        return sum(c for q, c in zip(p, costs, strict=True) if q * tau < 1)

    jumps = sorted({1 / q for q in p if q})
    candidates = {*jumps, *(rare(tau) for tau in jumps), sum(costs), *(rare(tau - tau / 10**6) for tau in jumps)}
    return min(tau for tau in candidates if tau > 0 and rare(tau) <= tau)


def rare_with_costs(counts, half, arms, costs):
    """Return the arms that Algorithm 2 plays: those with q tau <= 1."""
    others = [a for a, arm in enumerate(arms) if arm]
    q = [Fraction(counts[a], half) for a in others]
    n = searched_tau(q, [costs[a] for a in others])
    return [a for a, share in zip(others, q, strict=True) if share * n <= 1]
