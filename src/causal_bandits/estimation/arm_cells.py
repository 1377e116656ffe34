"""Cells of rounds in which variables Z have the same states, for arms that intervene on an SCM.

Rounds in the same cell may share one mean reward, whichever arm was played. Source: Lu, Meisami, Tewari & Yan 2020
(arXiv 1910.04938). If E[Y | z, a] is the same for all arms a, ``E[Y | do(a)] = sum over z of E[Y | z] P(z | do(a))``.
Then rounds of different arms with the same z are pooled. By default Z is the set of the reward's observed parents. The
diagram shows whether that is right (`is_benign`). If it is not, arms are split into groups within which it is (ledger
L226).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import BoolArray, IntArray, States
from causal_bandits.compiled import jit, kernel
from causal_bandits.estimation.cells import CellMeans, Cells
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.bandit import SCMBandit

#: Which arms share cells: those for which the diagram justifies it, all of them, or none.
POOLS = ("checked", "all", "none")
#: The maximum number of joint states of Z: memory and time per round grow with that number times the number of arms.
MOST_CELLS = 2**14


class ArmCells(NamedTuple):
    """The cells of a bandit's arms, for compiled loops.

    Attributes
    ----------
    cells : Cells
        With one context. Its weights are the exact P(z | do(arm)); an arm alone in its group has one cell of weight 1.
    base : int64 array, shape (arms,)
        The index of the first cell of the arm's group.
    alone : bool array, shape (arms,)
        Whether the arm is the only one in its group: all its rounds then count in one cell.
    """

    cells: Cells
    base: IntArray
    alone: BoolArray


def is_benign(graph: ADMG, reward: str, variables: Iterable[str], sets: Iterable[frozenset[str]]) -> bool:
    """Decide from the graph whether E[reward | variables, arm] is the same for all arms on the given sets.

    Every variable V that an arm sets gets an additional parent F_V, which represents what arms do to V. If all arms set
    V, the other edges into V are cut. The answer is yes if the F_V are d-separated from the reward given ``variables``.
    A yes is right in every model of the diagram; a no may be too strict, because the values that arms set are ignored.

    Parameters
    ----------
    graph : ADMG
    reward : str
    variables : iterable of str
        Z, without the reward.
    sets : iterable of frozenset of str
        The intervention sets of the arms; the empty set stands for do().

    Raises
    ------
    ValueError
        If a node of the diagram already has the name needed for an F_V.
    """
    given = list(sets)
    touched = sorted(frozenset().union(*given))
    if not touched:
        return True
    doers = {v: f"do({v})" for v in touched}
    for doer in doers.values():
        if doer in graph:
            raise ValueError(f"a node is called {doer!r}, a name reserved for the arms' choice of {doer[3:-1]}")
    cut = graph.do(frozenset.intersection(*given))
    augmented = ADMG([*cut.directed, *((f, v) for v, f in doers.items())], cut.bidirected, graph.nodes)
    return augmented.is_d_separated(doers.values(), reward, variables)


@lru_cache(maxsize=256)
def benign_groups(
    graph: ADMG, reward: str, variables: tuple[str, ...], sets: tuple[frozenset[str], ...]
) -> tuple[int, ...]:
    """Split intervention sets into groups whose arms share E[reward | variables, arm]; return each set's group.

    The group is -1 for a set that is not benign (`is_benign`) even by itself. The others are taken in the given order.
    Each joins the first group that stays benign with it, or begins a new one. There is one group if all sets together
    are benign.

    Parameters
    ----------
    graph, reward, variables
        As for `is_benign`.
    sets : tuple of frozenset of str
        Distinct sets.
    """
    if is_benign(graph, reward, variables, sets):
        return (0,) * len(sets)
    groups: list[list[frozenset[str]]] = []
    found = []
    for chosen in sets:
        joins = (n for n, group in enumerate(groups) if is_benign(graph, reward, variables, [*group, chosen]))
        number = next(joins, len(groups))
        if number == len(groups):
            if not is_benign(graph, reward, variables, [chosen]):
                found.append(-1)
                continue
            groups.append([])
        groups[number].append(chosen)
        found.append(number)
    return tuple(found)


def observed_parents(bandit: SCMBandit) -> tuple[str, ...]:
    """Return the observed parents of the reward, sorted by name."""
    return tuple(sorted(bandit.scm.graph.parents(bandit.reward)))


def groups_of_arms(bandit: SCMBandit, variables: tuple[str, ...], pool: str) -> IntArray:
    """Return the group of each arm, numbered from 0, shape (arms,).

    Parameters
    ----------
    bandit : SCMBandit
    variables : tuple of str
        Z.
    pool : str
        One of `POOLS`. With ``checked``, the intervention sets with the most arms come first in `benign_groups`, and
        each arm on a set that is not benign by itself forms its own group.
    """
    n = len(bandit.arms)
    if pool == "none":
        return np.arange(n)
    if pool == "all":
        return np.zeros(n, dtype=np.int64)
    own = [frozenset(arm) for arm in bandit.arms]
    sizes: dict[frozenset[str], int] = {}
    for chosen in own:
        sizes[chosen] = sizes.get(chosen, 0) + 1
    sets = tuple(sorted(sizes, key=lambda chosen: (-sizes[chosen], sorted(chosen))))
    group = dict(zip(sets, benign_groups(bandit.scm.graph, bandit.reward, variables, sets), strict=True))
    found = np.array([group[chosen] for chosen in own], dtype=np.int64)
    single = found < 0
    found[single] = found.max() + 1 + np.arange(single.sum())
    return found


@lru_cache(maxsize=8)  # all seeds of a problem need the same cells
def arm_cells(bandit: SCMBandit, variables: tuple[str, ...] | None = None, pool: str = "checked") -> ArmCells:
    """Return the cells of a bandit's arms.

    Parameters
    ----------
    bandit : SCMBandit
    variables : tuple of str, optional
        Z: observed variables other than the reward. Default: `observed_parents`.
    pool : str
        One of `POOLS`.

    Raises
    ------
    ValueError
        If one of ``variables`` is the reward or not observed, or they have more than `MOST_CELLS` joint states.
    """
    scm, arms = bandit.scm, bandit.arms
    chosen = observed_parents(bandit) if variables is None else variables
    wrong = sorted({v for v in chosen if v == bandit.reward or v not in scm.graph})
    if wrong or len(set(chosen)) < len(chosen):
        raise ValueError(
            f"cells={list(chosen)}: expected distinct observed variables other than the reward {bandit.reward!r}"
        )
    strides, size = {}, 1
    for v in reversed(chosen):
        strides[v] = size
        size *= scm.cardinality(v)
    if size > MOST_CELLS:
        raise ValueError(f"cells={list(chosen)}: {size} joint states; expected at most {MOST_CELLS}")
    groups = groups_of_arms(bandit, chosen, pool)
    members = np.bincount(groups)
    alone = members[groups] == 1
    sizes = np.where(members == 1, 1, size)
    base = (np.cumsum(sizes) - sizes)[groups]
    width = 1 if alone.all() else size
    weight = np.zeros((1, len(arms), width))
    cell = np.empty((1, len(arms), width), dtype=np.int64)
    for a, arm in enumerate(arms):
        weight[0, a] = np.eye(width)[0] if alone[a] else scm.distribution(chosen, do=arm).ravel()
        cell[0, a] = base[a] if alone[a] else base[a] + np.arange(size)
    stride = np.array([strides.get(v, 0) for v in scm.variables], dtype=np.int64)
    return ArmCells(Cells(cell, weight, stride, int(sizes.sum())), base, alone)


@kernel
def cell_played(cells: ArmCells, arm: int, values: States) -> int:
    """Return the index of the cell to which a round of ``arm`` with the states ``values`` belongs."""
    cell = cells.base[arm]
    if not cells.alone[arm]:
        for variable in range(len(values)):
            cell += cells.cells.stride[variable] * values[variable]
    return cell  # type: ignore[no-any-return]


@jit
def learn_cell(means: CellMeans, cell: int, reward: float) -> None:
    """Add a reward to the mean of a cell."""
    means.visits[cell] += 1
    n = means.visits[cell]
    means.mean[cell] = reward if n == 1 else means.mean[cell] + (reward - means.mean[cell]) / n
    means.width[cell] = 1.0 / np.sqrt(n)
