"""The cliques of `CliqueTree` in plain Python, with sets and lists; they share nothing with the compiled ones."""

import heapq
from math import prod

import numpy as np

from causal_bandits.models.clique_tree import WIDEST, Cliques, TooWideError


def plain_cliques(scm):
    """Every field of `Cliques` but ``place``, of a `DiscreteSCM`."""
    number = {v: i for i, v in enumerate(scm.variables)}
    families = [[*(number[p] for p in scm.cpt(v).parents), number[v]] for v in scm.variables]
    states = [scm.cardinality(v) for v in scm.variables]
    return _cliques(families, states, [np.asarray(scm.cpt(v).table) for v in scm.variables], scm.variables)


def _cliques(families, states, tables, names):
    order, cliques = _eliminated(families, states, names)
    position = {v: c for c, v in enumerate(order)}
    sizes = [prod(states[v] for v in axes) for axes in cliques]
    at = np.concatenate([[0], np.cumsum([table.size for table in tables])])
    messages = int(at[-1]) + np.concatenate(
        [[0], np.cumsum([s // states[v] for s, v in zip(sizes, order, strict=True)])]
    )
    # by clique, for each factor: where it begins, its axes, the variable whose table it is
    factors = [[] for _ in order]
    for v, family in enumerate(families):
        factors[min(position[w] for w in family)].append((int(at[v]), family, v))
    for c, axes in enumerate(cliques[:-1]):
        # A message over nothing, the last of a connected component, goes to the last clique: one tree in all.
        receiver = min((position[w] for w in axes[:-1]), default=len(order) - 1)
        factors[receiver].append((int(messages[c]), axes[:-1], -1))
    strides = []
    begins, kept, room = [], [], 0
    for axes, size, own in zip(cliques, sizes, factors, strict=True):
        for _, along, _ in own:
            begins.append(len(strides))
            kept.append(room)
            room += size
            step, entries = {}, 1
            for w in reversed(along):
                step[w] = entries
                entries *= states[w]
            strides += [step.get(w, 0) for w in axes]
    flat = [factor for own in factors for factor in own]
    found = Cliques(
        variable=np.array(order),
        size=np.array(sizes),
        own=np.array([states[v] for v in order]),
        message=messages[:-1].astype(np.int64),
        axis_start=np.concatenate([[0], np.cumsum([len(axes) for axes in cliques])]),
        axis=np.array([states[w] for axes in cliques for w in axes]),
        factor_start=np.concatenate([[0], np.cumsum([len(own) for own in factors])]),
        at=np.array([begin for begin, _, _ in flat]),
        kept=np.array(kept),
        sender=np.array([sender for _, _, sender in flat]),
        stride_start=np.array(begins),
        stride=np.array(strides),
        place=np.empty(room),
        numbers=np.concatenate([*(table.ravel() for table in tables), np.zeros(int(messages[-1] - at[-1]))]),
        state_start=np.concatenate([[0], np.cumsum(states)]),
    )
    return found


def _eliminated(families, states, names):
    neighbours = [set() for _ in families]
    for family in families:
        for v in family:
            neighbours[v].update(w for w in family if w != v)
    waiting = [(len(near), -v) for v, near in enumerate(neighbours)]
    heapq.heapify(waiting)
    order = []
    cliques = []
    done = [False] * len(families)
    while waiting:
        degree, v = heapq.heappop(waiting)
        v = -v
        if done[v] or degree != len(neighbours[v]):
            continue  # another entry of the heap stands for it
        near = sorted(neighbours[v])
        size = prod(states[w] for w in (*near, v))
        if size > WIDEST:
            raise TooWideError(
                f"{names[v]} and {', '.join(names[w] for w in near)} would share a table of {size} numbers; "
                f"at most {WIDEST} are supported"
            )
        done[v] = True
        order.append(v)
        cliques.append([*near, v])
        for w in near:
            neighbours[w].discard(v)
            neighbours[w].update(u for u in near if u != w)
            heapq.heappush(waiting, (len(neighbours[w]), -w))
    return order, cliques
