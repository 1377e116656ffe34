"""The allocation program of optimal allocation matching (huang2024, Eq. 18-19).

The program determines how often to play each suboptimal arm. Minimise sum_i w_i Delta_i over w >= 0, subject to
x_j' H^-1 x_j <= Delta_j^2, with H = sum_i w_i x_i x_i'. (Eq. 19 has Delta_j^2 / f_n: its solution is
T = f_n w.) Arms without a gap cost nothing and may be played without limit, w = inf. So only the part z of a feature
vector that is orthogonal to the vectors of all these arms matters. With y_j = z_j / Delta_j and v = w Delta^2 the
program is

    min sum_i v_i / Delta_i   subject to   q_j = y_j' (sum_i v_i y_i y_i')^-1 y_j <= 1,   v >= 0,

which is convex, and is solved by Newton's method with logarithmic barriers. With m barriers and weight tau on the
objective, a centred point is within m / tau of the optimum.
"""

from __future__ import annotations

import math

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.compiled import jit, kernel

#: The maximum relative excess of a solution's cost over the optimum.
TOLERANCE = 1e-6
#: A feature vector lies in a span if its orthogonal part is less than this fraction of its length.
_IN_SPAN = 1e-7
#: Arms whose relative difference is less than this are treated as one.
_SAME = 1e-7
_BARRIER_GAP = 1e-9


@jit
def allocate(features: FloatArray, gaps: FloatArray, playable: BoolArray, bounded: BoolArray) -> FloatArray:
    """Find the cheapest allocation w that distinguishes every bounded arm from the best ones.

    The module docstring states the program. Arms that give the same information at the same cost share their pulls
    evenly (ledger L59). The cost exceeds the optimum by at most the fraction `TOLERANCE`, and the constraints hold up
    to rounding.

    Parameters
    ----------
    features : float64 array, shape (k, d)
    gaps : float64 array, shape (k,)
        >= 0; the best arms have gap 0.
    playable, bounded : bool arrays, shape (k,)
        Which arms may be played, and which must meet the constraint (all arms in both cases in Eq. 18-19).

    Returns
    -------
    float64 array, shape (k,)
        w; ``inf`` for playable arms of gap 0. All ``nan`` if no allocation meets the constraints: a bounded arm of gap
        > 0 has features outside the span of the playable ones.
    """
    k, d = features.shape
    w = np.zeros(k)
    best, rank = np.empty((d, d)), 0  # an orthonormal basis of the span of the best arms' features
    for i in range(k):
        if playable[i] and gaps[i] == 0.0:
            w[i] = math.inf
            rank = extend(best, rank, features[i])
    y = np.empty((k, d))  # the part orthogonal to that span, divided by the gap
    useful = np.zeros(k, dtype=np.bool_)
    basis, dimensions = np.empty((d, d)), 0
    for i in range(k):
        if gaps[i] > 0.0:
            useful[i] = outside(best, rank, features[i], y[i])
            for p in range(d):
                y[i, p] /= gaps[i]
            if useful[i] and playable[i]:
                dimensions = extend(basis, dimensions, y[i])
    rest = np.empty(d)
    for j in range(k):
        if bounded[j] and useful[j] and outside(basis, dimensions, y[j], rest):
            for i in range(k):
                w[i] = math.nan
            return w
    group, constraints = _equivalent(y, gaps, playable, useful), _firsts(_equivalent(y, gaps, bounded, useful))
    if len(constraints) == 0:
        return w
    variables, members = _firsts(group), np.zeros(k)
    for i in range(k):
        if group[i] >= 0:
            members[group[i]] += 1
    cost, most = np.empty(len(variables)), 0.0
    for i in range(len(variables)):
        cost[i] = 1 / gaps[variables[i]]
        most = max(most, cost[i])
    for i in range(len(variables)):
        cost[i] /= most
    a = _coordinates(y, variables, basis, dimensions)
    b = _coordinates(y, constraints, basis, dimensions)
    solution = _sparse(a, b, cost)
    for i in range(len(variables)):
        v = variables[i]
        for j in range(k):
            if group[j] == v:
                w[j] = solution[i] / gaps[v] ** 2 / members[v]
    return w


@jit
def _equivalent(y: FloatArray, gaps: FloatArray, chosen: BoolArray, useful: BoolArray) -> IntArray:
    """Find, for each useful chosen arm, the first arm with the same gap and y; -1 for the other arms.

    The sign of y does not matter.
    """
    first = np.empty(len(y), dtype=np.int64)
    for i in range(len(y)):
        first[i] = -1
        if not (chosen[i] and useful[i]):
            continue
        first[i] = i
        room = _SAME * math.sqrt(_dot(y[i], y[i]))
        for j in range(i):
            if first[j] == j and abs(gaps[i] - gaps[j]) <= _SAME * gaps[i]:
                apart, opposed = 0.0, 0.0
                for p in range(y.shape[1]):
                    apart = max(apart, abs(y[i, p] - y[j, p]))
                    opposed = max(opposed, abs(y[i, p] + y[j, p]))
                if min(apart, opposed) <= room:
                    first[i] = j
                    break
    return first


@jit
def _firsts(group: IntArray) -> IntArray:
    """Return the arms that come first in their groups."""
    found, size = np.empty(len(group), dtype=np.int64), 0
    for i in range(len(group)):
        if group[i] == i:
            found[size] = i
            size += 1
    return found[:size]


@kernel
def _dot(x: FloatArray, y: FloatArray) -> float:
    total = 0.0
    for p in range(len(x)):
        total += x[p] * y[p]
    return total


@jit
def extend(basis: FloatArray, rank: int, x: FloatArray) -> int:
    """Extend the orthonormal rows ``basis[:rank]`` so that they span ``x``; return the new rank."""
    rest = np.empty(len(x))
    if not outside(basis, rank, x, rest):
        return rank
    length = math.sqrt(_dot(rest, rest))
    for p in range(len(x)):
        basis[rank, p] = rest[p] / length
    return rank + 1


@kernel
def outside(basis: FloatArray, rank: int, x: FloatArray, rest: FloatArray) -> bool:
    """Write the part of ``x`` orthogonal to ``basis[:rank]`` into ``rest``; return whether it is not negligible."""
    for p in range(len(x)):
        rest[p] = x[p]
    for _ in range(2):  # the second pass removes the rounding errors of the first
        for i in range(rank):
            share = _dot(basis[i], rest)
            for p in range(len(x)):
                rest[p] -= share * basis[i, p]
    return _dot(rest, rest) > _IN_SPAN**2 * _dot(x, x)


@jit
def inverse(matrix: FloatArray) -> FloatArray:
    """Return the inverse of a positive definite matrix."""
    a = matrix.copy()
    _invert(a)
    return a


@kernel
def _invert(a: FloatArray) -> None:
    """Replace a positive definite matrix by its inverse, by Gauss-Jordan elimination.

    The loops do not call BLAS, so the result is the same on every machine, to the last bit.
    """
    n = len(a)
    for p in range(n):
        pivot = 1 / a[p, p]
        a[p, p] = 1.0
        for j in range(n):
            a[p, j] *= pivot
        for i in range(n):
            if i != p:
                factor = a[i, p]
                a[i, p] = 0.0
                for j in range(n):
                    a[i, j] -= factor * a[p, j]


@jit
def _coordinates(y: FloatArray, rows: IntArray, basis: FloatArray, dimensions: int) -> FloatArray:
    coordinates = np.empty((len(rows), dimensions))
    for i in range(len(rows)):
        for r in range(dimensions):
            coordinates[i, r] = _dot(y[rows[i]], basis[r])
    return coordinates


@kernel
def _covariance(v: FloatArray, a: FloatArray, h: FloatArray) -> None:
    """Write the inverse of H = sum_i v_i a_i a_i' into ``h``, shape (r, r)."""
    r = a.shape[1]
    for p in range(r):
        for s in range(r):
            h[p, s] = 0.0
    for i in range(len(a)):
        for p in range(r):
            for s in range(r):
                h[p, s] += v[i] * (a[i, p] * a[i, s])
    _invert(h)


@kernel
def _product(h: FloatArray, x: FloatArray, y: FloatArray) -> float:
    """Return the bilinear form x' h y."""
    total = 0.0
    for p in range(len(x)):
        for s in range(len(y)):
            total += x[p] * h[p, s] * y[s]
    return total


@jit
def largest_q(v: FloatArray, a: FloatArray, b: FloatArray) -> float:
    """Return the largest q_j = b_j' H^-1 b_j with H = sum_i v_i a_i a_i'."""
    r, q = a.shape[1], 0.0
    h = np.empty((r, r))
    _covariance(v, a, h)
    for j in range(len(b)):
        q = max(q, _product(h, b[j], b[j]))
    return q


@jit
def minimise(a: FloatArray, b: FloatArray, cost: FloatArray) -> FloatArray:
    """Minimise cost'v subject to q <= 1, v >= 0, with all v above zero, to a relative accuracy of 1e-9.

    Parameters
    ----------
    a : float64 array, shape (n, r)
        y_i of the arms that may be played; they span all r dimensions.
    b : float64 array, shape (m, r)
        y_j of the arms with a bound on q_j.
    cost : float64 array, shape (n,)
        > 0.

    Returns
    -------
    float64 array, shape (n,)
        v.
    """
    n, m = len(a), len(b)
    v = np.ones(n)
    enough = 2 * largest_q(v, a, b)  # q <= 1/2: q of s v is q of v divided by s
    for i in range(n):
        v[i] *= enough
    tau = (n + m) / _dot(cost, v)
    while True:
        _centre(v, a, b, cost, tau)
        if (n + m) / tau <= _BARRIER_GAP * _dot(cost, v):
            return v
        tau *= 16.0


@jit
def _centre(v: FloatArray, a: FloatArray, b: FloatArray, cost: FloatArray, tau: float) -> None:
    """Move ``v`` to the minimum of tau cost'v - sum log v - sum log(1 - q), by Newton steps relative to v."""
    (n, r), m = a.shape, len(b)
    h, mixed, own, slack = np.empty((r, r)), np.empty((n, m)), np.empty((n, n)), np.empty(m)
    gradient, hessian, step, moved = np.empty(n), np.empty((n, n)), np.empty(n), np.empty(n)
    value = _barrier(v, a, b, cost, tau, h)
    for _ in range(50):
        for i in range(n):
            for j in range(m):
                mixed[i, j] = _product(h, a[i], b[j])
            for s in range(n):
                own[i, s] = _product(h, a[i], a[s])
        for j in range(m):
            slack[j] = 1 / (1 - _product(h, b[j], b[j]))
        for i in range(n):
            slope = tau * cost[i]
            for j in range(m):
                slope -= mixed[i, j] ** 2 * slack[j]
            gradient[i] = v[i] * slope - 1
            for s in range(n):
                bend = 0.0
                for j in range(m):
                    both = mixed[i, j] * mixed[s, j] * slack[j]
                    bend += both * both + 2 * both * own[i, s]
                hessian[i, s] = v[i] * v[s] * bend
            hessian[i, i] += 1.0
        _invert(hessian)
        for i in range(n):
            step[i] = 0.0
            for s in range(n):
                step[i] -= hessian[i, s] * gradient[s]
        decrement = -_dot(step, gradient)
        last = not decrement > 1e-5  # the next full step is the last that matters; rounding hides its gain
        length = 1.0
        while True:  # halve the step until it stays inside the domain and descends enough
            for i in range(n):
                moved[i] = v[i] * (1 + length * step[i])
            new = _barrier(moved, a, b, cost, tau, h)
            if new < math.inf if last else new <= value - 0.1 * length * decrement:
                break
            length *= 0.5
            if last or length < 1e-12:
                return  # as far as rounding allows
        for i in range(n):
            v[i] = moved[i]
        if last:
            return
        value = new


@kernel
def _barrier(v: FloatArray, a: FloatArray, b: FloatArray, cost: FloatArray, tau: float, h: FloatArray) -> float:
    """Return the value of the function that `_centre` minimises; infinite outside its domain.

    Inside it, H^-1 is written into ``h``, shape (r, r).
    """
    value = 0.0
    for i in range(len(v)):
        if v[i] <= 0:
            return math.inf
        value += tau * cost[i] * v[i] - math.log(v[i])
    _covariance(v, a, h)
    for j in range(len(b)):
        q = _product(h, b[j], b[j])
        if not 0 <= q < 1:
            return math.inf
        value -= math.log(1 - q)
    return value


@jit
def _sparse(a: FloatArray, b: FloatArray, cost: FloatArray) -> FloatArray:
    """Return a minimiser that leaves out the arms that are not needed.

    Barriers keep every v above zero; so arms with small v are left out if the rest costs no more.
    """
    v, (n, d) = minimise(a, b, cost), a.shape
    total = _dot(cost, v)
    basis, kept_a, kept_cost = np.empty((d, d)), np.empty((n, d)), np.empty(n)
    for share in (1e-3, 1e-5, 1e-7):
        rank, size = 0, 0
        for i in range(n):
            if cost[i] * v[i] >= share * total:
                rank = extend(basis, rank, a[i])
                kept_cost[size] = cost[i]
                for p in range(d):
                    kept_a[size, p] = a[i, p]
                size += 1
        if rank == d and size < n:
            fewer = minimise(kept_a[:size], b, kept_cost[:size])
            if _dot(fewer, kept_cost) <= total * (1 + 0.5 * TOLERANCE):
                position = 0
                for i in range(n):
                    left = cost[i] * v[i] >= share * total
                    v[i] = fewer[position] if left else 0.0
                    position += left
                break
    binding = largest_q(v, a, b)  # scale so that the binding constraint holds to the last digit
    for i in range(n):
        v[i] *= binding
    return v
