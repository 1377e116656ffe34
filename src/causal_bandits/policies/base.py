"""What a policy is: hyper-parameters and one method that plays a run, in rounds that it is given."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.protocol import Bandit

W = TypeVar("W")
W_co = TypeVar("W_co", covariant=True)
W_contra = TypeVar("W_contra", contravariant=True)
B_contra = TypeVar("B_contra", contravariant=True)

#: Scalars of one run that a policy declares at its end, for instance ``answer``, ``correct`` or ``sample_complexity``.
Outcome = Mapping[str, float]


class Rounds(Protocol[W_co]):
    """The rounds of one run, handed to a policy some at a time; a world is made once, by whoever hands it out.

    A policy that plays to the horizon says ``for world in rounds: rounds.record(...)``. One with stages takes as many
    rounds as a stage has. One that ends itself records the rounds it has played of the last world, and returns.
    """

    @property
    def horizon(self) -> int:
        """The most rounds that a run may have."""
        ...

    @property
    def left(self) -> int:
        """How many rounds may still be taken."""
        ...

    @property
    def size(self) -> int:
        """How many rounds the world taken last has."""
        ...

    def take(self, most: int) -> W_co:
        """The worlds of the next rounds: at least one and at most ``most`` of them.

        Raises
        ------
        ValueError
            If ``most`` is below 1, none are left, or the rounds taken before are not all recorded.
        """
        ...

    def __iter__(self) -> Iterator[W_co]:
        """The worlds of all rounds that are left, block by block."""
        ...

    def record(
        self,
        arms: IntArray,
        rewards: FloatArray,
        *,
        answers: IntArray | None = None,
        **extras: ArrayLike,
    ) -> None:
        """Hand in what was played: all rounds of the world taken last, or the first of them if the run ends there.

        Parameters
        ----------
        arms : int64 array, shape (rounds,)
        rewards : float64 array, shape (rounds,)
        answers : int64 array, shape (rounds, others), optional
            The arms that the policy would have given, in the same state, to those of `policies.answers.asked_too`.
        **extras : arrays, shape (rounds,)
            What each round adds to further quantities; their names are the same throughout a run.

        Raises
        ------
        ValueError
            If lengths differ from each other or are more than were taken, or the names of extras change.
        """
        ...


class Policy(Protocol[B_contra, W_contra]):
    """The contract: a frozen dataclass of hyper-parameters whose ``run`` plays one seed.

    ``plays`` is the kind of bandit it is for (a class variable); the configuration is checked against it. So are claims
    against two that a policy has only if it needs them: ``extras``, the names that it records, and ``outcomes``, those
    of its `Outcome`. The worlds come from ``rounds``; every other draw comes from ``rng``. So all policies of an
    experiment face the same worlds.
    """

    plays: ClassVar[type]

    def run(self, bandit: B_contra, rounds: Rounds[W_contra], rng: np.random.Generator) -> Outcome:
        """Play ``bandit``, and say what came of it beside what was recorded."""
        ...


class StepwisePolicy(ABC):
    """Base for a policy written in plain Python, one round at a time: nothing to compile, only slower.

    Subclass it as a dataclass of hyper-parameters; set up state in `start`, choose in `select`, learn in `update`. One
    line in `registry.ALGORITHMS` then lets a config file name it.
    """

    #: Any problem; a subclass that needs one kind says which.
    plays: ClassVar[type] = object

    #: What `answer` says at the end of a run; claims can be about it.
    outcomes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def start(self, problem: Any, horizon: int) -> None:
        """Set up the state of one run; called once before the first round."""

    @abstractmethod
    def select(self, t: int, context: Any, rng: np.random.Generator) -> int:
        """The arm to play in round ``t`` (0 to horizon - 1), a number from 0 to ``len(problem.arms) - 1``.

        ``context`` maps the context's variables to their states, and is None where the problem has none; ``rng`` is
        the policy's own generator.
        """

    @abstractmethod
    def update(self, arm: int, outcome: Mapping[str, int], reward: float) -> None:
        """Learn from the observed variables' states and the reward after ``arm`` was played."""

    def answer(self) -> Outcome | None:
        """None to play on, asked before each round; to end the run early, its `Outcome`: numbers, at least one."""
        return None

    def run(self, bandit: Bandit[W], rounds: Rounds[W], rng: np.random.Generator) -> Outcome:
        """Play one run, round by round (see `Policy`)."""
        state = copy.deepcopy(self)  # a run leaves the policy as it was, whatever it holds
        state.start(bandit, rounds.horizon)
        t = 0
        for world in rounds:
            arms, rewards = np.empty(rounds.size, dtype=np.int64), np.empty(rounds.size)
            for i in range(rounds.size):
                outcome = state.answer()
                if outcome is not None:
                    rounds.record(arms[:i], rewards[:i])
                    return outcome
                arms[i] = state._selected(bandit, t, bandit.seen(world, i), rng)
                states, rewards[i] = bandit.play(world, i, int(arms[i]))
                state.update(int(arms[i]), states, float(rewards[i]))
                t += 1
            rounds.record(arms, rewards)
        return state.answer() or {}

    def _selected(self, bandit: Bandit[W], t: int, context: Mapping[str, int] | None, rng: np.random.Generator) -> int:
        arm: object = self.select(t, context, rng)
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < len(bandit.arms):
            raise ValueError(
                f"{type(self).__name__}.select returned {arm!r} in round {t}; "
                f"arms are the integers 0..{len(bandit.arms) - 1}"
            )
        return int(arm)
