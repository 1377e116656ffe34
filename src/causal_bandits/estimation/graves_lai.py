"""The Graves-Lai bound for causal models: the least asymptotic regret of any consistent learner.

A learner is consistent if its regret grows more slowly than every power of the number T of rounds, on every model of a
class. Its regret is then asymptotically at least C log T (natural logarithm). C is the value of a linear program
(Graves & Lai 1997): play each arm as often, in units of log T, as it takes to distinguish the true model from every
confusing one, at the least loss. A model is confusing if the best arms show the same distribution under it as under the
true model, and another arm is better than they are. One round of arm a contributes the Kullback-Leibler divergence
between what it shows under the two models.

The classes of models here:

- `lai_robbins`: arms that say nothing about each other, each with any mean in [0, 1] (Lai & Robbins 1985);
- `graves_lai`: all discrete models of a known diagram without hidden causes, where every round shows all variables.

C depends on the class: it cannot fall as the class grows. C says nothing about the regret after a small number of
rounds.

Sources: Lai & Robbins (1985), "Asymptotically efficient adaptive allocation rules"; Graves & Lai (1997),
"Asymptotically efficient adaptive choice of control laws in controlled Markov chains". The divergences under full
feedback follow from the chain rule. Ledger L245 states which class is meant and how the program is solved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, linprog, minimize
from scipy.special import rel_entr

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.arms import Assignment
from causal_bandits.models.discrete_scm import DiscreteSCM

#: The maximum number of joint states of the reward's ancestors under one arm.
LIMIT = 2**18
#: Means that differ by less count as equal.
EQUAL = 1e-12
#: The minimum plays of every arm, in units of log T, in the search for a confusing model: they make its rows unique.
SELDOM = 1e-9
#: The smallest probability in a confusing model that is searched for iteratively.
LEAST = 1e-12
#: Up to this many combinations of states, the largest mean that the free rows can reach is found by trying them all.
ALL_STATES = 4096


@dataclass(frozen=True)
class AsymptoticBound:
    """The constant C of a lower bound C log T on regret, enclosed between two numbers.

    Attributes
    ----------
    lower : float
        C is at least this: the program's value over the confusing models found.
    upper : float
        C is at most this, if every search for a confusing model found the nearest one.
    proven : bool
        Whether every search is known to have found it: true if the rows that may differ never multiply each other, as
        the problems are then convex.
    plays : float64 array, shape (arms,)
        How often each arm should be played, in units of log T; 0 for best arms, which cost nothing. Several choices can
        have the same value.
    passes : int
        How often the program was solved.
    """

    lower: float
    upper: float
    proven: bool
    plays: FloatArray
    passes: int


def bernoulli_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Compute the Kullback-Leibler divergence kl(p, q) of two Bernoulli distributions in nats.

    It is infinite where q is 0 or 1 and p differs from it.
    """
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    return np.asarray(rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q))


def lai_robbins(means: ArrayLike) -> float:
    """Compute the constant of Lai and Robbins for independent arms with binary rewards.

    Parameters
    ----------
    means : array, shape (arms,)
        Each in [0, 1].

    Returns
    -------
    float
        The sum of (largest mean - mean) / kl(mean, largest mean) over the arms that are not best.

    Raises
    ------
    ValueError
        If there is no arm, or a mean is not in [0, 1].

    Examples
    --------
    >>> round(lai_robbins([0.3, 0.6]), 6)
    1.632325
    """
    mu = np.asarray(means, dtype=np.float64)
    if mu.ndim != 1 or not len(mu) or not ((mu >= 0) & (mu <= 1)).all():
        raise ValueError(f"means={mu.tolist()}: expected at least one number, all from 0 to 1")
    gaps = mu.max() - mu
    worse = gaps > EQUAL
    return float((gaps[worse] / bernoulli_divergence(mu[worse], mu.max())).sum())


def graves_lai(
    scm: DiscreteSCM,
    reward: str,
    arms: Sequence[Assignment],
    rivals: Collection[int] | None = None,
    tolerance: float = 1e-4,
    most: int = 200,
) -> AsymptoticBound:
    """Compute the constant of Graves and Lai for a known diagram without hidden causes and with full feedback.

    The class contains every model whose conditional probability tables fit the diagram; the rows of all tables vary
    freely. Every round shows the states of all variables.

    Parameters
    ----------
    scm : DiscreteSCM
        Without hidden variables.
    reward : str
        A variable with states 0 and 1.
    arms : sequence of mapping from str to int
        All arms that can be played.
    rivals : collection of int, optional
        Indices of arms of which one is best under every model of the class, such as those on possibly optimal
        intervention sets. Giving them saves time, and makes more searches convex. Default: all arms.
    tolerance : float
        > 0; the passes end once ``upper - lower`` is at most this fraction of ``upper``.
    most : int
        >= 1, the maximum number of passes; usually fewer than 20 suffice.

    Returns
    -------
    AsymptoticBound
        Both limits are 0 if nothing has to be learnt from arms that are not best.

    Raises
    ------
    ValueError
        If the model has hidden variables, the reward is not binary or set by an arm, there are no arms, a rival is not
        the index of an arm, none of the rivals is a best arm, ``tolerance`` or ``most`` is out of range, or the
        reward's ancestors have more than `LIMIT` joint states under an arm.

    Examples
    --------
    >>> from causal_bandits.graphs.admg import ADMG
    >>> coin = DiscreteSCM(ADMG([("X", "Y")]), {"X": ((), [0.6, 0.4]), "Y": (("X",), [[0.7, 0.3], [0.4, 0.6]])})
    >>> round(graves_lai(coin, "Y", [{}, {"X": 0}, {"X": 1}]).upper, 4)
    1.6323
    """
    _check(scm, reward, arms, tolerance, most)
    rows = _Rows(scm, reward, arms)
    means = np.array([scm.expectation(reward, do=arm) for arm in arms])
    gaps = means.max() - means
    worse = gaps > EQUAL
    rivals = range(len(arms)) if rivals is None else sorted(set(rivals))
    if not all(0 <= b < len(arms) for b in rivals) or all(worse[b] for b in rivals):
        raise ValueError(
            f"rivals={list(rivals)}: expected indices of arms, 0 to {len(arms) - 1}, one of them a best arm"
        )
    none = np.zeros(len(arms))
    free = ~(rows.met[~worse] > 0).any(axis=0)
    problems = [_Confusion(rows, arms[b], free, means.max()) for b in rivals if worse[b]]
    problems = [problem for problem in problems if problem.possible]
    if not problems:
        return AsymptoticBound(0.0, 0.0, True, none, 0)
    proven = all(problem.linear for problem in problems)
    plays, cuts, lower, upper = np.ones(int(worse.sum())), list[FloatArray](), 0.0, np.inf
    for passes in range(most + 1):
        least = np.inf
        for problem in problems:
            confusing = problem.nearest((plays + SELDOM) @ rows.met[worse])
            divergences = rows.divergences(confusing)[worse]
            cuts.append(divergences)
            least = min(least, float(plays @ divergences))
        if passes:
            if least > 0:  # otherwise these plays miss a confusing model and give no bound
                upper = min(upper, lower / min(least, 1.0))
            if upper - lower <= tolerance * upper or passes == most:
                break
        plays = _least_loss(gaps[worse], np.array(cuts))
        lower = float(plays @ gaps[worse])
    none[worse] = plays
    return AsymptoticBound(lower, upper, proven, none, passes)


def _check(scm: DiscreteSCM, reward: str, arms: Sequence[Assignment], tolerance: float, most: int) -> None:
    if scm.hidden:
        raise ValueError(f"hidden variables {', '.join(scm.hidden)}; expected a model without hidden variables")
    if scm.cardinality(reward) != 2:
        raise ValueError(f"reward {reward!r}: {scm.cardinality(reward)} states; expected 2")
    if not arms:
        raise ValueError("arms: none given; expected at least one")
    if any(reward in arm for arm in arms):
        raise ValueError(f"arms: no arm may set the reward {reward!r}")
    if not tolerance > 0:
        raise ValueError(f"tolerance={tolerance}: expected more than 0")
    if most < 1:
        raise ValueError(f"most={most}: expected at least 1")


def _least_loss(gaps: FloatArray, cuts: FloatArray) -> FloatArray:
    """Solve the linear program for the plays of least loss that make every cut at least one."""
    scale = cuts.max(axis=1, keepdims=True)  # rows of about one, for the solver's tolerances
    answer = linprog(gaps, A_ub=-cuts / scale, b_ub=-1.0 / scale[:, 0], bounds=(0, None), method="highs")
    if answer.status != 0:
        raise ValueError(f"the linear program over {len(cuts)} confusing models was not solved: {answer.message}")
    plays = np.asarray(answer.x, dtype=np.float64)
    return plays / min(1.0, float((cuts @ plays).min()))  # makes up for rounding


class _Rows:
    """The flattened rows of all tables of the reward's ancestors, and how often each arm meets them.

    Attributes
    ----------
    entry : float64 array
        All entries of all tables, row by row.
    row : int64 array, shape of ``entry``
        The index of the row that each entry belongs to.
    owner : int64 array, shape (rows,)
        The index of each row's variable.
    met : float64 array, shape (arms, rows)
        The probability that an arm does not set the row's variable and that its parents have the row's states.
    """

    def __init__(self, scm: DiscreteSCM, reward: str, arms: Sequence[Assignment]) -> None:
        ancestors = scm.graph.ancestors({reward})
        self.scm, self.reward = scm, reward
        self.variables = [v for v in scm.variables if v in ancestors]
        tables = {v: np.asarray(scm.cpt(v).table, dtype=np.float64) for v in self.variables}
        self.start: dict[str, int] = {}  # where a variable's entries begin
        sizes, owners, entries = [], [], 0
        for number, v in enumerate(self.variables):
            self.start[v] = entries
            count = tables[v].size // scm.cardinality(v)
            sizes += [scm.cardinality(v)] * count
            owners += [number] * count
            entries += tables[v].size
        self.entry: FloatArray = np.concatenate([tables[v].ravel() for v in self.variables])
        self.row: IntArray = np.repeat(np.arange(len(sizes)), sizes)
        self.owner: IntArray = np.array(owners)
        self.met: FloatArray = np.array([self._met_by(arm) for arm in arms])

    def _met_by(self, arm: Assignment) -> FloatArray:
        found = []
        for v in self.variables:
            parents = self.scm.cpt(v).parents
            if v in arm:
                found.append(np.zeros(prod(self.scm.cardinality(p) for p in parents)))
            else:
                found.append(self.scm.distribution(parents, do=arm).ravel())
        return np.concatenate(found)

    def divergences(self, entry: FloatArray) -> FloatArray:
        """Compute each arm's divergence of the true model from one with these entries, in nats; shape (arms,)."""
        by_row = np.bincount(self.row, rel_entr(self.entry, entry), minlength=len(self.owner))
        finite = np.where(np.isfinite(by_row), by_row, 1e300)
        return np.asarray(np.where(self.met > 0, self.met * finite, 0.0).sum(axis=1), dtype=np.float64)


class _Confusion:
    """The search for the nearest model in which one arm is at least as good as the best arms.

    The arm's mean is a sum of products of free entries, each with a known weight.

    Attributes
    ----------
    possible : bool
        Whether some choice of the free rows makes the arm better than the best arms.
    linear : bool
        Whether no two free entries multiply each other.
    """

    def __init__(self, rows: _Rows, arm: Assignment, free: NDArray[np.bool_], best: float) -> None:
        self._rows, self._best = rows, best
        self._factors, self._weights = _polynomial(rows, arm, free)
        self.linear = self._factors.shape[1] <= 1 or bool(((self._factors >= 0).sum(axis=1) <= 1).all())
        used = np.unique(rows.row[self._factors[self._factors >= 0]])
        #: By variable, for each of its free rows in the polynomial: the row's index and its entries.
        self._layers: dict[int, list[tuple[int, IntArray]]] = {}
        for r in used.tolist():
            self._layers.setdefault(int(rows.owner[r]), []).append((r, np.flatnonzero(rows.row == r)))
        self._highest = self._reach(rows.entry)
        self.possible = self.mean(self._highest) > best + EQUAL

    def mean(self, entry: FloatArray) -> float:
        """Compute the arm's mean in the model with these entries."""
        return float(self._weights @ self._values(entry).prod(axis=1))

    def _values(self, entry: FloatArray) -> FloatArray:
        return np.where(self._factors >= 0, entry[self._factors], 1.0)

    def slopes(self, entry: FloatArray) -> FloatArray:
        """Compute the derivatives of the arm's mean with respect to all entries."""
        values, slopes = self._values(entry), np.zeros(len(entry))
        for column in range(values.shape[1]):
            others = self._weights * np.delete(values, column, axis=1).prod(axis=1)
            held = self._factors[:, column] >= 0
            slopes += np.bincount(self._factors[held, column], others[held], minlength=len(entry))
        return slopes

    def _all_rows(self) -> Iterator[tuple[int, IntArray]]:
        for layer in self._layers.values():
            yield from layer

    def _reach(self, start: FloatArray) -> FloatArray:
        """Return free rows under which the arm's mean is largest.

        Each row puts all its probability on one state, as the mean is linear in each row. Up to `ALL_STATES`
        combinations of states are all tried. With more, one row after another is moved to its best state, from several
        starts; the mean found may then be too small, and so may the bound.
        """
        rows = list(self._all_rows())
        highest = start
        if prod(len(own) for _, own in rows) <= ALL_STATES:
            for states in np.ndindex(*(len(own) for _, own in rows)):
                entry = start.copy()
                for (_, own), state in zip(rows, states, strict=True):
                    entry[own] = np.arange(len(own)) == state
                if self.mean(entry) > self.mean(highest) + EQUAL:
                    highest = entry
            return highest
        rng = np.random.default_rng(0)
        for attempt in range(9):
            entry = start.copy()
            for _, own in rows if attempt else []:
                entry[own] = np.arange(len(own)) == rng.integers(len(own))
            before = -1.0
            while self.mean(entry) > before + EQUAL:
                before = self.mean(entry)
                for _, own in rows:
                    slopes = self.slopes(entry)[own]
                    entry[own] = np.arange(len(own)) == slopes.argmax()
            if self.mean(entry) > self.mean(highest) + EQUAL:
                highest = entry
        return highest

    # ------------------------------------------------------------------ the nearest model

    def nearest(self, costs: FloatArray) -> FloatArray:
        """Find the cheapest entries that reach the best mean.

        The cost of entries is the sum over rows of the row's cost times its divergence.

        Parameters
        ----------
        costs : float64 array, shape (rows,)
            >= 0.
        """
        if self.linear:
            found = self._moved(self._rows.entry, list(self._all_rows()), costs)
            assert found is not None  # `possible` guarantees it
            return found
        answers = [answer for start in self._starts(costs) for answer in self._descended(start, costs)]
        return min(answers, key=lambda entry: self._cost(entry, costs))

    def _cost(self, entry: FloatArray, costs: FloatArray) -> float:
        by_row = np.bincount(self._rows.row, rel_entr(self._rows.entry, entry), minlength=len(costs))
        return float(np.where(costs > 0, costs * by_row, 0.0).sum())

    def _moved(self, entry: FloatArray, layer: list[tuple[int, IntArray]], costs: FloatArray) -> FloatArray | None:
        """Move rows that do not multiply each other as cheaply as possible to the best mean; None if out of reach.

        The other rows stay as in ``entry``. With the multiplier nu, a row with cost c, true probabilities p and slopes
        g becomes c p / (kappa - nu g), where kappa makes it sum to one. The arm's mean grows with nu.
        """
        slopes, base = self.slopes(entry), entry.copy()
        for _, own in layer:
            base[own] = 0.0
        rest = self.mean(base)
        rows = [(costs[r], self._rows.entry[own], slopes[own], own) for r, own in layer]
        if rest + sum(float(g.max()) for _, _, g, _ in rows) < self._best + EQUAL:
            return None

        def at(log_nu: float) -> list[FloatArray]:
            nu = float(np.exp(log_nu))
            return [_tilted(c * p, nu * g, p) for c, p, g, _ in rows]

        def above(log_nu: float) -> float:
            return rest + sum(float(x @ g) for x, (_, _, g, _) in zip(at(log_nu), rows, strict=True)) - self._best

        low, high = -60.0, 60.0
        if above(low) >= 0:
            log_nu = low
        elif above(high) <= 0:
            return None
        else:
            log_nu = float(brentq(above, low, high, xtol=1e-13, rtol=1e-13))
        for x, (_, own) in zip(at(log_nu), layer, strict=True):
            base[own] = x
        return base

    def _starts(self, costs: FloatArray) -> Iterator[FloatArray]:
        """Yield starting points of the search: models in which the arm is at least as good as the best arms."""
        true = self._rows.entry
        for layer in self._layers.values():
            if (moved := self._moved(true, layer, costs)) is not None:
                yield moved
        for share in (1.0, 0.5):  # towards the largest mean, some variables faster than others
            for first in [None, *self._layers] if share < 1 else [None]:
                entry = true.copy()
                for owner, layer in self._layers.items():
                    for _, own in layer:
                        s = 1.0 if first is None or owner == first else share
                        entry[own] = (1 - s) * true[own] + s * self._highest[own]
                if self.mean(entry) >= self._best:
                    yield self._drawn_back(entry)

    def _drawn_back(self, entry: FloatArray) -> FloatArray:
        """Return the point between the true model and ``entry`` at which the arm reaches the best mean."""
        true = self._rows.entry
        share = brentq(lambda s: self.mean((1 - s) * true + s * entry) - self._best, 0.0, 1.0, xtol=1e-12)
        return np.asarray((1 - share) * true + share * entry)

    def _descended(self, start: FloatArray, costs: FloatArray) -> Iterator[FloatArray]:
        """Yield the start, and what sequential quadratic programming and moves of single variables reach from it."""
        yield start
        rows = list(self._all_rows())
        own = np.concatenate([own for _, own in rows])
        weights = np.concatenate([costs[r] * self._rows.entry[own] for r, own in rows])
        scale = max(self._cost(start, costs), 1e-300)
        totals = np.array([[float(e in mine) for e in own] for _, mine in rows])

        def full(x: FloatArray) -> FloatArray:
            entry = start.copy()
            entry[own] = x
            return entry

        def cost(x: FloatArray) -> float:
            return -float(weights @ np.log(x)) / scale

        def gradient(x: FloatArray) -> FloatArray:
            return np.asarray(-weights / x / scale)

        constraints: Any = [
            {"type": "eq", "fun": lambda x: totals @ x - 1.0, "jac": lambda x: totals},
            {
                "type": "ineq",
                "fun": lambda x: self.mean(full(x)) - self._best,
                "jac": lambda x: self.slopes(full(x))[own],
            },
        ]
        options: Any = {"maxiter": 200, "ftol": 1e-12}
        answer = minimize(
            cost,
            np.asarray(np.clip(start[own], 1e-6, 1.0), dtype=np.float64),
            jac=gradient,
            bounds=[(LEAST, 1.0)] * len(own),
            constraints=constraints,
            method="SLSQP",
            options=options,
        )
        if not np.isfinite(answer.x).all():
            return
        entry = full(np.clip(answer.x, 0.0, 1.0))
        for _, mine in rows:
            entry[mine] /= entry[mine].sum()
        best = np.inf
        for _ in range(20):  # one variable's rows at a time, exactly; this also mends a mean that falls short
            for layer in self._layers.values():
                if (moved := self._moved(entry, layer, costs)) is not None:
                    entry = moved
            now = self._cost(entry, costs)
            if now >= best * (1 - 1e-10):
                break
            best = now
        if self.mean(entry) >= self._best - EQUAL:
            yield entry


def _polynomial(rows: _Rows, arm: Assignment, free: NDArray[np.bool_]) -> tuple[NDArray[np.int64], FloatArray]:
    """Write the arm's mean as a sum of products of free entries.

    Returns
    -------
    factors : int64 array, shape (terms, most factors)
        The entries that a term multiplies, padded with -1.
    weights : float64 array, shape (terms,)
    """
    scm = rows.scm
    cut = scm.graph.do(arm)
    needed = [v for v in rows.variables if v in cut.ancestors({rows.reward})]
    states = [1 if v in arm or v == rows.reward else scm.cardinality(v) for v in needed]
    if prod(states) > LIMIT:
        raise ValueError(
            f"arm {dict(arm)}: the reward's ancestors have {prod(states)} joint states; at most {LIMIT} are supported"
        )
    at = dict(zip(needed, np.indices(states).reshape(len(needed), -1), strict=True))
    at |= {v: np.full_like(at[v], state) for v, state in arm.items() if v in at}
    at[rows.reward] = np.ones_like(at[rows.reward])
    weights, factors = np.ones(prod(states)), []
    for v in needed:
        if v in arm:
            continue
        place = np.zeros_like(at[v])
        for p in scm.cpt(v).parents:
            place = place * scm.cardinality(p) + at[p]
        entries = rows.start[v] + place * scm.cardinality(v) + at[v]
        loose = free[rows.row[entries]]
        weights *= np.where(loose, 1.0, rows.entry[entries])
        factors.append(np.where(loose, entries, -1))
    table = np.array(factors).T[weights > 0]
    table = -np.sort(-table, axis=1)  # empty places last
    table = table[:, : int((table >= 0).sum(axis=1).max(initial=0))]
    unique, number = np.unique(table, axis=0, return_inverse=True)
    total = np.bincount(number.ravel(), weights=weights[weights > 0], minlength=len(unique))
    return unique, np.asarray(total, dtype=np.float64)


def _tilted(weight: FloatArray, slope: FloatArray, true: FloatArray) -> FloatArray:
    """Solve x = weight / (kappa - slope) for x with sum one; any remainder goes to the largest slope.

    ``weight`` is the cost times ``true``, the true row; a row that costs nothing moves to the largest slope.
    """
    if not weight.any():
        x = np.where(slope >= slope.max(), 1.0, 0.0)
        return np.asarray(x / x.sum()) if slope.max() > slope.min() else true
    if slope.max() == slope.min():
        return true
    shifted = slope - slope.max()  # kappa is measured from the largest slope
    positive = weight > 0
    if weight[shifted == 0].sum() == 0:  # may be at the boundary: kappa is the largest slope
        with np.errstate(divide="ignore"):
            x = np.where(positive, weight / np.where(positive, -shifted, 1.0), 0.0)
        if x.sum() <= 1:
            top = shifted == 0
            return np.asarray(x + top * (1 - x.sum()) / top.sum())
    w, s = weight[positive], shifted[positive]
    kappa = float((w + s).max())
    for _ in range(100):  # Newton's method from the left of the root of a convex, decreasing function
        terms = w / (kappa - s)
        step = (terms.sum() - 1.0) / (terms / (kappa - s)).sum()
        kappa += step
        if step <= 1e-15 * abs(kappa):
            break
    x = np.zeros(len(weight))
    x[positive] = w / (kappa - s)
    return np.asarray(x / x.sum())
