"""What a policy is: hyper-parameters and one method that plays a whole horizon for one seed."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Run:
    """What happened over one horizon.

    Attributes
    ----------
    arms : int64 array, shape (horizon,)
        The arm played in each round.
    rewards : float64 array, shape (horizon,)
        The reward drawn in each round.
    regrets : float64 array, shape (horizon,)
        The pseudo-regret of each round: the optimal expected reward minus the expected reward of the arm played.
    extras : mapping from str to float64 array, shape (horizon,)
        Further cumulative quantities that the policy declares.
    """

    arms: NDArray[np.int64]
    rewards: NDArray[np.float64]
    regrets: NDArray[np.float64]
    extras: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


class Policy(Protocol):
    """The contract: a frozen dataclass of hyper-parameters whose ``run`` plays one seed.

    ``plays`` is the kind of problem it is for (a class variable); the configuration is checked against it.
    ``environment_rng`` draws the world of each round before the arm is chosen (one uniform per variable), and nothing
    else; every other draw comes from ``policy_rng``. So all policies of an experiment face the same worlds.
    """

    plays: ClassVar[type]

    def run(
        self,
        problem: Any,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds of ``problem``."""
        ...


class StepwisePolicy(ABC):
    """Base for a policy written in plain Python, one round at a time: nothing to compile, only slower.

    Subclass it as a dataclass of hyper-parameters; set up state in `start`, choose in `select`, learn in `update`. One
    line in `registry.ALGORITHMS` then lets a config file name it.
    """

    #: Any problem; a subclass that needs one kind says which.
    plays: ClassVar[type] = object

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

    def run(
        self,
        problem: Any,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds of ``problem`` (see `Policy`)."""
        state = copy.deepcopy(self)  # a run leaves the policy as it was, whatever it holds
        state.start(problem, horizon)
        arms = np.empty(horizon, dtype=np.int64)
        rewards = np.empty(horizon)
        worlds = problem.worlds(horizon, environment_rng)
        for t in range(horizon):
            arm: object = state.select(t, worlds.context(t), policy_rng)
            if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < len(problem.arms):
                raise ValueError(
                    f"{type(self).__name__}.select returned {arm!r} in round {t}; "
                    f"arms are the integers 0..{len(problem.arms) - 1}"
                )
            arms[t] = arm
            outcome, rewards[t] = worlds.play(t, int(arm))
            state.update(int(arm), outcome, float(rewards[t]))
        return Run(arms, rewards, worlds.regrets(arms))
