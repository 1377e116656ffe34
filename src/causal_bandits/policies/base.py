"""The policy interface: hyper-parameters, and one method that plays a run."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.arms import Assignment
from causal_bandits.models.protocol import Bandit

W = TypeVar("W")
W_co = TypeVar("W_co", covariant=True)
W_contra = TypeVar("W_contra", contravariant=True)
B_contra = TypeVar("B_contra", contravariant=True)

#: Scalars that a policy returns at the end of a run, for instance ``answer``, ``correct`` or ``sample_complexity``.
Outcome = Mapping[str, float]


class Queries(NamedTuple):
    """Counterfactual contexts in which a policy is also asked what it would play.

    Some measures need the answers, for instance one of fairness (huang2022, Definition 3). The policy answers from its
    state before the round. A query changes neither what the policy learns nor what it plays: ties among queried arms
    are broken by a separate generator.

    Attributes
    ----------
    contexts : int64 array, shape (contexts, queries)
        Row c holds the contexts queried in a round with context c; there are no columns if nothing is queried.
    rng : numpy.random.Generator
        Breaks ties among the queried arms.
    """

    contexts: IntArray
    rng: np.random.Generator

    def blank(self, size: int) -> IntArray:
        """Allocate an array for the queried arms of ``size`` rounds, to be filled by a loop."""
        return np.empty((size, self.contexts.shape[1]), dtype=np.int64)


class Rounds(Protocol[W_co]):
    """The rounds of one run: a policy takes some, plays them and records what it played.

    A policy that plays to the horizon writes ``for world in rounds: rounds.record(...)``. A policy with stages takes as
    many rounds as each stage needs. A policy that ends the run early records, of the last world's rounds, only those
    that it has played, and returns.
    """

    @property
    def horizon(self) -> int:
        """The maximum number of rounds in the run."""
        ...

    @property
    def left(self) -> int:
        """The number of rounds that can still be taken."""
        ...

    @property
    def size(self) -> int:
        """The number of rounds in the last world taken."""
        ...

    @property
    def queries(self) -> Queries:
        """The counterfactual contexts to query; a policy that cannot answer ignores them."""
        ...

    def take(self, most: int) -> W_co:
        """Return a world that holds the next rounds, at least one and at most ``most``.

        Raises
        ------
        ValueError
            If ``most`` is below 1, no round is left, or rounds taken earlier have not been recorded.
        """
        ...

    def __iter__(self) -> Iterator[W_co]:
        """Take all remaining rounds, block by block."""
        ...

    def record(
        self, arms: IntArray, rewards: FloatArray, *, queried_arms: IntArray | None = None, **extras: ArrayLike
    ) -> None:
        """Record what was played in the last world taken: all its rounds, or the first few if the run ends.

        Parameters
        ----------
        arms : int64 array, shape (rounds,)
        rewards : float64 array, shape (rounds,)
        queried_arms : int64 array, shape (rounds, queries), optional
            The arm that the policy would play in each context that `queries` lists for the round.
        **extras : arrays, shape (rounds,)
            What each round adds to further quantities. Every call in a run must use the same names.

        Raises
        ------
        ValueError
            If the lengths differ or exceed the number of rounds taken, or the names of the extras change. Also if an
            arm or a reward is impossible for the bandit, or a number is not finite; the message gives the round and the
            value.
        """
        ...


def blank(size: int) -> tuple[IntArray, FloatArray]:
    """Allocate arrays for the arms and the rewards of ``size`` rounds, to be filled by a loop."""
    return np.empty(size, dtype=np.int64), np.empty(size)


class Policy(Protocol[B_contra, W_contra]):
    """The policy interface: a frozen dataclass of hyper-parameters whose ``run`` plays one seed.

    The class variable ``plays`` is the kind of bandit that the policy plays; the configuration is checked against it.
    Two more class variables are optional: ``extras`` names what the policy records, ``outcomes`` the entries of its
    `Outcome`, where ``pulls_*`` stands for one entry per arm, ``pulls_0``, ``pulls_1``, ...; claims are checked against
    both. The outcome ``answer`` is the arm that the policy recommends. The worlds come from ``rounds``, and all other
    random draws from ``rng``; all policies of an experiment therefore face the same worlds.
    """

    plays: ClassVar[type]

    def run(self, bandit: B_contra, rounds: Rounds[W_contra], rng: np.random.Generator) -> Outcome:
        """Play ``bandit`` and return the run's outcome, which may be empty."""
        ...


class StepwisePolicy(ABC):
    """Base class for policies in plain Python that play one round at a time: slower, but nothing to compile.

    Subclass it as a dataclass of hyper-parameters: create the state of a run in `start`, choose an arm in `select` and
    learn in `update`. To make the policy available to config files, put its file in the folder for its kind
    (`registry`).
    """

    #: The kind of bandit that the policy plays; a subclass may narrow it.
    plays: ClassVar[type] = object

    #: The entries of the outcome that `answer` returns at the end of a run; claims are checked against them.
    outcomes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def start(self, problem: Any, horizon: int) -> None:
        """Create the state of one run; called once, before the first round."""

    @abstractmethod
    def select(self, t: int, context: Any, rng: np.random.Generator) -> int:
        """Choose the arm of round ``t``.

        Parameters
        ----------
        t : int
            0 to horizon - 1.
        context : mapping from str to int, or None
            The states of the context's variables; None if the problem has no context.
        rng : numpy.random.Generator
            The policy's own generator.

        Returns
        -------
        int
            From 0 to ``len(problem.arms) - 1``.
        """

    @abstractmethod
    def update(self, arm: int, states: Assignment, reward: float) -> None:
        """Learn from one round: the arm played, the states of the observed variables, and the reward."""

    def answer(self, rng: np.random.Generator) -> Outcome | None:
        """Return None to continue, or the outcome to end the run; called before every round.

        An outcome must have at least one entry. Ties between arms are broken with ``rng``, the policy's own generator:
        `causal_bandits.policies.helpers.choice.pick_largest` does so. An answer by position would favour arms that are
        listed early.
        """
        return None

    def run(self, bandit: Bandit[W], rounds: Rounds[W], rng: np.random.Generator) -> Outcome:
        """Play one run, round by round (see `Policy`)."""
        state = copy.deepcopy(self)  # a run leaves the policy unchanged, whatever it holds
        state.start(bandit, rounds.horizon)
        t = 0
        for world in rounds:
            arms, rewards = blank(rounds.size)
            for i in range(rounds.size):
                outcome = state.answer(rng)
                if outcome is not None:
                    rounds.record(arms[:i], rewards[:i])
                    return outcome
                chosen = state.select(t, bandit.seen(world, i), rng)
                arms[i] = checked_arm(f"{type(self).__name__}.select", chosen, len(bandit.arms), f" in round {t}")
                states, rewards[i] = bandit.play(world, i, int(arms[i]))
                state.update(int(arms[i]), states, float(rewards[i]))
                t += 1
            rounds.record(arms, rewards)
        return state.answer(rng) or {}


def checked_arm(who: str, arm: object, arms: int, when: str = "") -> int:
    """Return the arm that ``who`` chose; raise a ValueError unless it is an integer from 0 to ``arms - 1``."""
    if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < arms:
        raise ValueError(f"{who} returned {arm!r}{when}; arms are the integers 0..{arms - 1}")
    return int(arm)
