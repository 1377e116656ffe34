"""One run of one policy: rounds are drawn in blocks, played and measured."""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import loop
from causal_bandits.models.protocol import Bandit
from causal_bandits.play.measures.measure import Measure, Played
from causal_bandits.policies.base import Outcome, Policy, Queries
from causal_bandits.seeding import Streams

W = TypeVar("W")
B = TypeVar("B", bound=Bandit[Any])

#: The largest finite number.
FINITE = sys.float_info.max

#: The largest number of rounds in a block, and of uniform numbers that its worlds are drawn from: worlds then take
#: megabytes, for any horizon and any number of variables.
BLOCK_ROUNDS = 10_000
BLOCK_UNIFORMS = 1_000_000


@dataclass(frozen=True)
class Run:
    """The result of one run.

    Attributes
    ----------
    arms : int64 array, shape (rounds,)
        The arm played in each round. There are fewer rounds than the horizon if the policy ended the run.
    rewards : float64 array, shape (rounds,)
        The reward drawn in each round.
    regrets : float64 array, shape (rounds,)
        The pseudo-regret of each round: the optimal expected reward minus the expected reward of the arm played.
    extras : mapping from str to float64 array, shape (rounds,)
        Further quantities, summed up to each round: the extras of the policy and those of the measures. Those of a
        measure that does not sum (`Measure.sums`) are its values after each round.
    outcome : mapping from str to float
        Scalars that the policy returned at the end.
    """

    arms: IntArray
    rewards: FloatArray
    regrets: FloatArray
    extras: Mapping[str, FloatArray]
    outcome: Outcome


@dataclass(frozen=True)
class Sums:
    """The sums of a run after some of its rounds.

    Attributes
    ----------
    rounds : int64 array, shape (checkpoints,)
        The number of rounds played by each checkpoint, ascending; the last is the end of the run.
    rewards, regrets : float64 arrays, shape (checkpoints,)
        The sums of the rewards and of the pseudo-regrets of `Run`, added round by round.
    extras : mapping from str to float64 array, shape (checkpoints,)
        As in `Run`.
    outcome : mapping from str to float
        As in `Run`.
    """

    rounds: IntArray
    rewards: FloatArray
    regrets: FloatArray
    extras: Mapping[str, FloatArray]
    outcome: Outcome


def play(
    policy: Policy[B, Any],
    bandit: B,
    horizon: int,
    streams: Streams,
    measures: Sequence[type[Measure]] = (),
    block: int = BLOCK_ROUNDS,
) -> Run:
    """Play one run of ``policy``, and keep every round.

    A round takes 24 bytes of memory in the result, and 48 while its parts are joined: 4.8 GB for 10^8 rounds.
    `play_sums` keeps only sums, so its memory does not grow with the horizon.

    Parameters
    ----------
    policy : Policy
    bandit : Bandit
        A bandit of the kind that the policy plays, ``policy.plays``. mypy also rejects other bandits.
    horizon : int
        >= 1; the policy may end the run earlier.
    streams : Streams
    measures : sequence of Measure
        The measures besides regret; each must apply to the bandit.
    block : int
        >= 1, the largest number of rounds drawn at once. Only time and memory depend on it.

    Raises
    ------
    TypeError
        If the policy does not play such bandits, or an argument has the wrong type.
    ValueError
        If the horizon is below 1; or if the policy records no round, or breaks the rules of
        `causal_bandits.policies.base.Rounds`.

    Notes
    -----
    An error in a run, whatever its type, has a note that names the policy, the seed and the rounds taken.
    """
    _expect_kind(policy, bandit)
    rounds: _EveryRound[Any] = _EveryRound(bandit, horizon, streams, measures, block)
    outcome = _played(policy, bandit, rounds, streams)
    return rounds.run(outcome)


def play_sums(
    policy: Policy[B, Any],
    bandit: B,
    horizon: int,
    streams: Streams,
    checkpoints: IntArray,
    measures: Sequence[type[Measure]] = (),
    block: int = BLOCK_ROUNDS,
) -> Sums:
    """Play one run as `play` does, but keep only the sums at checkpoints, not the rounds.

    For long runs: memory does not grow with the horizon, and no time is spent on allocating it.

    Parameters
    ----------
    policy : Policy
    bandit : Bandit
    horizon : int
    streams : Streams
    checkpoints : int64 array
        Numbers of rounds, strictly ascending, each from 1 to ``horizon``. Those after the end of the run are left out;
        its end is added.
    measures, block
        As for `play`.

    Raises
    ------
    TypeError
        As for `play`.
    ValueError
        As for `play`; or if the checkpoints are not ascending numbers of rounds.
    """
    if checkpoints.ndim != 1 or (np.diff(checkpoints, prepend=0) < 1).any():
        raise ValueError(f"checkpoints {checkpoints.tolist()}: expected ascending numbers of rounds, each at least 1")
    _expect_kind(policy, bandit)
    rounds: _Checkpoints[Any] = _Checkpoints(checkpoints, bandit, horizon, streams, measures, block)
    outcome = _played(policy, bandit, rounds, streams)
    return rounds.sums(outcome)


def _expect_kind(policy: object, bandit: object) -> None:
    """Raise a TypeError unless the policy plays bandits of this kind."""
    if isinstance(policy, str | type) or not hasattr(policy, "run"):
        name = policy.__name__ if isinstance(policy, type) else "load('thompson')"
        raise TypeError(f"policy: {policy!r}; expected an instance of an algorithm, for instance {name}()")
    kind = getattr(type(policy), "plays", object)
    if not isinstance(bandit, kind):
        raise TypeError(
            f"{type(policy).__name__} plays a {kind.__name__}, not a {type(bandit).__name__}; "
            f"expected a {kind.__module__}.{kind.__qualname__}"
        )


def _played(policy: Policy[B, Any], bandit: B, rounds: _Rounds[Any], streams: Streams) -> Outcome:
    """Play one run and return its outcome (see `play`)."""
    try:
        return rounds.ended(policy.run(bandit, rounds, streams.policy))
    except Exception as error:
        taken = rounds.horizon - rounds.left
        error.add_note(f"in a run of {policy!r}, {_seed(streams)}; {taken} of {rounds.horizon} rounds taken")
        raise


def _seed(streams: Streams) -> str:
    """Describe the seed that the streams belong to (see `causal_bandits.seeding.generators`)."""
    sequence = getattr(streams.policy.bit_generator, "seed_seq", None)
    key: tuple[int, ...] = getattr(sequence, "spawn_key", ())
    return f"seed {key[1]}" if len(key) == len(Streams._fields) else "with generators of unknown seed"


class _Rounds(ABC, Generic[W]):
    """An implementation of `causal_bandits.policies.base.Rounds` that measures and checks what is recorded."""

    def __init__(
        self, bandit: Bandit[W], horizon: int, streams: Streams, measures: Sequence[type[Measure]], block: int
    ) -> None:
        if isinstance(horizon, bool) or not isinstance(horizon, int | np.integer):
            raise TypeError(f"horizon: {horizon!r}; expected a whole number of rounds")
        if horizon < 1:
            raise ValueError(f"horizon={horizon}: expected at least 1")
        if not isinstance(streams, Streams):
            raise TypeError(f"streams: {streams!r}; expected generators(root, experiment, seed)")
        horizon = int(horizon)
        self.horizon, self.size, self.left = horizon, 0, horizon
        self._bandit, self._rng = bandit, streams.environment
        self._block = max(1, min(block, BLOCK_UNIFORMS // bandit.uniforms))
        self._ranges: dict[str, Sequence[float]] = {
            "arms": (0, len(bandit.arms) - 1),
            "queried_arms": (0, len(bandit.arms) - 1),
            "rewards": np.clip(bandit.reward_range, -FINITE, FINITE).tolist(),
            "regrets": (0.0, FINITE),
        }
        self._measures = [measure(bandit, streams.measures) for measure in measures]
        self._values = {name for measure in self._measures if not measure.sums for name in measure.names}
        self._answered: dict[str, float] = {}
        self.queries = Queries(_queried_contexts(self._measures), streams.policy.spawn(1)[0])
        self._world: W | None = None
        self._names: list[str] = []
        self._recorded = 0

    def take(self, most: int) -> W:
        if self._world is not None:
            raise ValueError("not all rounds taken before were recorded: a run must end after that")
        if most < 1 or self.left < 1:
            raise ValueError(f"{most} rounds requested, {self.left} left; expected at least one of each")
        self.size = min(most, self.left, self._block)
        self._world = self._bandit.worlds(self.horizon - self.left, self.size, self._rng)
        self.left -= self.size
        return self._world

    def __iter__(self) -> Iterator[W]:
        while self.left:
            yield self.take(self.left)

    def record(
        self, arms: IntArray, rewards: FloatArray, *, queried_arms: IntArray | None = None, **extras: ArrayLike
    ) -> None:
        if self._world is None or len(arms) > self.size:
            raise ValueError(f"{len(arms)} rounds recorded, {0 if self._world is None else self.size} taken")
        self._expect_arms("arms", arms, len(arms))  # before regrets are looked up: -1 would be the last arm
        if queried_arms is not None:
            for query in range(queried_arms.shape[1]):
                self._expect_arms("queried_arms", queried_arms[:, query], len(arms))
        found: dict[str, NDArray[Any]] = {"arms": arms, "rewards": rewards}
        found["regrets"] = self._bandit.regrets(self._world, arms)
        found |= {name: np.asarray(values) for name, values in extras.items()}
        played = Played(self._world, arms, rewards, queried_arms)
        for measure in self._measures:
            found |= measure.update(played)
        self._names = self._names or list(found)
        if found.keys() != set(self._names):
            raise ValueError(f"recorded {', '.join(found)}; before: {', '.join(self._names)}")
        for name, values in found.items():
            if values is not arms:  # checked already
                self._expect(name, values, len(arms), *self._ranges.get(name, (-FINITE, FINITE)))
        self._keep(found)
        self._recorded += len(arms)
        if len(arms) == self.size:
            self._world = None

    @abstractmethod
    def _keep(self, found: dict[str, NDArray[Any]]) -> None:
        """Keep what a run needs from some rounds: their arms, rewards, regrets and extras."""

    def _expect_arms(self, name: str, arms: NDArray[Any], rounds: int) -> None:
        """Check that there is one arm per round, and that all are arms of the bandit."""
        if arms.dtype.kind not in "iu":
            raise ValueError(f"{name}: numbers of type {arms.dtype}; expected integers")
        self._expect(name, arms, rounds, *self._ranges[name])

    def _expect(self, name: str, values: NDArray[Any], rounds: int, low: float, high: float) -> None:
        """Check that there is one finite number per round, from ``low`` to ``high``."""
        if values.shape != (rounds,):
            raise ValueError(f"{name}: recorded with shape {values.shape}; expected ({rounds},), one per round")
        # A value that is not finite is outside any bounds or, if it is NaN, makes both comparisons false.
        if rounds and not (np.minimum.reduce(values) >= low and np.maximum.reduce(values) <= high):
            first = int(np.argmin((values >= low) & (values <= high)))
            bounds = f", at least {low:g}" * (low > -FINITE) + f", at most {high:g}" * (high < FINITE)
            raise ValueError(
                f"{name} of round {self._recorded + first + 1}: {values[first]}; expected a finite number{bounds}"
            )

    def ended(self, outcome: Outcome) -> Outcome:
        """Check the end of a run, and return its outcome."""
        if not self._recorded:
            raise ValueError("the policy recorded no round")
        for name, value in outcome.items():
            if math.isnan(value):  # a reader of the run would take it for a missing outcome
                raise ValueError(f"outcome {name}: nan at round {self._recorded}; expected a number")
        if "answer" in outcome:
            for measure in self._measures:
                self._answered |= measure.answered(int(outcome["answer"]))
        return dict(outcome)


class _EveryRound(_Rounds[W]):
    """The rounds of a run, all of which are kept."""

    def __init__(self, *of: Any) -> None:
        super().__init__(*of)
        self._blocks: list[dict[str, NDArray[Any]]] = []

    def _keep(self, found: dict[str, NDArray[Any]]) -> None:
        self._blocks.append(found)

    def run(self, outcome: Outcome) -> Run:
        """Join what was recorded into the result of the run."""
        joined = {name: np.concatenate([found[name] for found in self._blocks]) for name in self._names}
        arms, rewards, regrets = (joined.pop(name) for name in ("arms", "rewards", "regrets"))
        extras = {
            name: values if name in self._values else np.cumsum(values, dtype=np.float64)
            for name, values in joined.items()
        }
        for name, value in self._answered.items():
            extras[name][-1] = value
        return Run(arms, rewards, regrets, extras, outcome)


class _Checkpoints(_Rounds[W]):
    """The rounds of a run, of which only the sums at checkpoints are kept."""

    def __init__(self, checkpoints: IntArray, *of: Any) -> None:
        super().__init__(*of)
        self._checkpoints = checkpoints
        self._waiting: list[dict[str, NDArray[Any]]] = []
        self._waited = self._added = 0  # rounds recorded and not yet added, and rounds added
        self._total: dict[str, float] = {}
        self._kept: dict[str, list[FloatArray]] = {}

    def _keep(self, found: dict[str, NDArray[Any]]) -> None:
        self._waiting.append(found)
        self._waited += len(found["arms"])
        if self._waited >= BLOCK_ROUNDS:  # policies may record only a few rounds at a time, which are added up together
            self._add()

    def _add(self) -> None:
        """Add the waiting rounds to the sums."""
        first, last = np.searchsorted(self._checkpoints, [self._added, self._added + self._waited], side="right")
        ends = self._checkpoints[first:last] - self._added
        for name in self._names:
            if name != "arms":
                values, sums = np.concatenate([found[name] for found in self._waiting]), np.empty(len(ends))
                if name in self._values:
                    self._total[name] = float(values[-1])
                    self._kept.setdefault(name, []).append(values[ends - 1])
                    continue
                # Adding minus zero leaves every number as it is, including minus zero.
                self._total[name] = _sum_up(
                    values.astype(np.float64, copy=False), self._total.get(name, -0.0), ends, sums
                )
                self._kept.setdefault(name, []).append(sums)
        self._added += self._waited
        self._waiting, self._waited = [], 0

    def sums(self, outcome: Outcome) -> Sums:
        """Join the sums into the result of the run."""
        if self._waiting:
            self._add()
        rounds = np.append(self._checkpoints[self._checkpoints < self._added], self._added)
        kept = {name: np.concatenate(found) for name, found in self._kept.items()}
        if len(rounds) > len(kept["rewards"]):  # the run ended between two checkpoints
            kept = {name: np.append(found, self._total[name]) for name, found in kept.items()}
        for name, value in self._answered.items():
            kept[name][-1] = value
        rewards, regrets = kept.pop("rewards"), kept.pop("regrets")
        return Sums(rounds, rewards, regrets, kept, outcome)


@loop
def _sum_up(values: FloatArray, total: float, ends: IntArray, sums: FloatArray) -> float:
    """Add up ``values``, starting from ``total``; ``sums[e]`` is the total after ``ends[e]`` of them."""
    i = 0
    for e in range(len(ends)):
        while i < ends[e]:
            total += values[i]
            i += 1
        sums[e] = total
    while i < len(values):
        total += values[i]
        i += 1
    return total


def _queried_contexts(measures: Sequence[Measure]) -> IntArray:
    """Return the contexts that the measures query; if several measures do, they must query the same ones."""
    wanted = [measure.queries for measure in measures if measure.queries is not None]
    if not wanted:
        return np.empty((0, 0), dtype=np.int64)
    if not all(np.array_equal(wanted[0], other) for other in wanted[1:]):
        raise ValueError("two measures query different contexts: expected the same ones")
    return wanted[0]
