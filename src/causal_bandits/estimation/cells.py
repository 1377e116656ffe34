"""Cells: rounds in which variables have the same states; the arms' means are weighted averages of the cells' means.

Contextual bandits: huang2022, Eq. 2. If W d-separates the reward from the context and the arm, ``E[R | do(a), x] = sum
over z of E[R | w] P(z | x, a)``, where Z consists of the variables of W that neither the context nor the arm sets. So
rounds of different contexts and arms that fall into the same cell w are pooled.

Arms that intervene on an SCM: Lu, Meisami, Tewari & Yan 2020 (arXiv 1910.04938). If E[Y | z, a] is the same for all
arms a, ``E[Y | do(a)] = sum over z of E[Y | z] P(z | do(a))``. Then rounds of different arms with the same z are
pooled. By default Z is the set of the reward's observed parents. The diagram shows whether that is right (`is_benign`).
If it is not, arms are split into groups within which it is (ledger L226).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, cast

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import kernel
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.separators import reward_separator
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.models.discrete_scm import DiscreteSCM

#: Which arms share cells: those for which the diagram justifies it, all of them, or none.
POOLS = ("checked", "all", "none")
#: The maximum number of joint states of Z: memory and time per round grow with that number times the number of arms.
MOST_CELLS = 2**14


class Cells(NamedTuple):
    """The numbered joint states of a set of variables W, for compiled loops.

    Attributes
    ----------
    cell : int64 array, shape (contexts, arms, joint states of Z)
        The indices of the cells that are consistent with the context and the arm.
    weight : float64 array, shape (contexts, arms, joint states of Z)
        The exact P(z | do(arm), context) of each of these cells.
    stride : int64 array, shape (variables of the SCM,)
        A cell's index is the sum of ``stride[v] * state of v``.
    size : int
        The number of cells.
    """

    cell: IntArray
    weight: FloatArray
    stride: IntArray
    size: int


class CellMeans(NamedTuple):
    """The state of a run: rewards by cell.

    Attributes
    ----------
    cells : Cells
    visits : int64 array, shape (cells,)
        N_w.
    mean : float64 array, shape (cells,)
        The sample mean of a cell's rewards; for an empty cell, the argument ``unplayed`` of `no_rewards`.
    width : float64 array, shape (cells,)
        1 / sqrt(1 v N_w).
    """

    cells: Cells
    visits: IntArray
    mean: FloatArray
    width: FloatArray


def cells(problem: ContextualBandit, variables: tuple[str, ...]) -> Cells:
    """Return the cells of observed ``variables`` in a problem; computed once for all seeds."""
    key = ("cells", variables)
    if key not in problem.memory:
        problem.memory[key] = _cells(problem, variables)
    return cast(Cells, problem.memory[key])


def _cells(problem: ContextualBandit, variables: tuple[str, ...]) -> Cells:
    strides, size = _numbered(problem.scm, variables)
    features = [*problem.context, *problem.manipulable]
    free = [v for v in variables if v not in features]
    known = problem.features.astype(np.int64) @ np.array([strides.get(v, 0) for v in features], dtype=np.int64)
    offsets = [
        sum(strides[v] * state for v, state in zip(free, states, strict=True))
        for states in product(*(range(problem.scm.cardinality(v)) for v in free))
    ]
    return Cells(
        cell=known[:, :, None] + np.array(offsets, dtype=np.int64),
        weight=np.ascontiguousarray(problem.distribution(free).reshape(*known.shape, -1)),
        stride=np.array([strides.get(v, 0) for v in problem.scm.variables], dtype=np.int64),
        size=size,
    )


def _numbered(scm: DiscreteSCM, variables: Sequence[str]) -> tuple[dict[str, int], int]:
    """Return the stride of each variable and the number of joint states; the last variable varies fastest."""
    strides, size = {}, 1
    for v in reversed(variables):
        strides[v] = size
        size *= scm.cardinality(v)
    return strides, size


def minimal_separator(problem: ContextualBandit) -> tuple[str, ...]:
    """Return the separator W with the fewest cells (huang2022, Algorithm 1, line 2, and the text after it)."""
    if "separator" not in problem.memory:
        sizes = {v: problem.scm.cardinality(v) for v in problem.scm.graph.nodes}
        graph = problem.reward_graph.do(problem.manipulable)
        found = reward_separator(
            graph, outcome="R", arms=problem.manipulable, context=problem.context, sizes=sizes, objective="W"
        )
        problem.memory["separator"] = tuple(sorted(found))
    return cast(tuple[str, ...], problem.memory["separator"])


def separator_of(problem: ContextualBandit, variables: Sequence[str] | None) -> tuple[str, ...]:
    """Return ``variables`` if they are a separator; if None, the minimal separator.

    They must d-separate the reward from the rest of the context and the arm.

    Raises
    ------
    ValueError
        If one of ``variables`` is not observed, or they leave the reward d-connected to another variable of the
        context or the arm once arms set their variables.
    """
    if variables is None:
        return minimal_separator(problem)
    graph = problem.reward_graph.do(problem.manipulable)
    unknown = sorted(set(variables) - set(problem.scm.graph.nodes))
    if unknown:
        raise ValueError(f"separator: {', '.join(unknown)} not among the observed variables")
    rest = [v for v in (*problem.context, *problem.manipulable) if v not in variables]
    connected = [v for v in rest if not graph.is_d_separated(v, "R", variables)]
    if connected:
        raise ValueError(f"separator {list(variables)}: leaves the reward d-connected to {', '.join(connected)}")
    return tuple(variables)


def no_rewards(cells: Cells, unplayed: float) -> CellMeans:
    """Create cells without rewards; an empty cell's mean is ``unplayed``."""
    return CellMeans(cells, np.zeros(cells.size, dtype=np.int64), np.full(cells.size, unplayed), np.ones(cells.size))


@kernel
def learn_cell(means: CellMeans, cell: int, reward: float) -> None:
    """Add a reward to the mean of a cell."""
    means.visits[cell] += 1
    n = means.visits[cell]
    means.mean[cell] = reward if n == 1 else means.mean[cell] + (reward - means.mean[cell]) / n
    means.width[cell] = 1.0 / np.sqrt(n)


@kernel
def learn(means: CellMeans, values: States, reward: float) -> None:
    """Add the reward of a round in which the variables had the states ``values``."""
    w = 0
    for variable in range(len(values)):
        w += means.cells.stride[variable] * values[variable]
    learn_cell(means, w, reward)


@kernel
def upper_bounds(means: CellMeans, context: int, scale: float, bounds: FloatArray) -> None:
    """Write UCB_a of every arm into ``bounds`` (huang2022, Eq. 5 and 6).

    UCB_a = sum over z of (mean_w + scale / sqrt(1 v N_w)) P(z | x, a).
    """
    cells = means.cells
    for arm in range(len(bounds)):
        total = 0.0
        for k in range(cells.cell.shape[2]):
            w = cells.cell[context, arm, k]
            total += cells.weight[context, arm, k] * (means.mean[w] + scale * means.width[w])
        bounds[arm] = total


@kernel
def mean_widths(means: CellMeans, context: int, arms: IntArray, widths: FloatArray) -> None:
    """Write the sum over z of P(z | x, a) / sqrt(1 v N_w) for each of ``arms`` into ``widths``."""
    cells = means.cells
    for i in range(len(arms)):
        total = 0.0
        for k in range(cells.cell.shape[2]):
            total += cells.weight[context, arms[i], k] * means.width[cells.cell[context, arms[i], k]]
        widths[i] = total


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
    strides, size = _numbered(scm, chosen)
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
