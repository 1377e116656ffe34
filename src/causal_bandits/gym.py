"""Bandits as Gymnasium environments, and agents that play them (the extra ``gym``).

===============  =================================================================================
`BanditEnv`      a bandit as a ``gymnasium.Env``: an episode is a run, a step a round
`play`           plays an `Agent`, anything with ``act`` and ``observe``, for one episode
`StepwiseAgent`  a `StepwisePolicy` as such an agent
===============  =================================================================================

A seed of an environment has the same worlds as that seed of an experiment (`causal_bandits.seeding`), and a stepwise
policy makes the same choices in both. A compiled policy takes rounds in blocks, so it cannot play an environment; play
it with `causal_bandits.play.run`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Generic, Protocol, SupportsFloat, TypeVar

import numpy as np

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise ModuleNotFoundError(
        "causal_bandits.gym needs gymnasium, which the extra gym of the wheel or checkout installs: "
        "pip install 'gymnasium>=1.1'",
        name=error.name,
    ) from None

from causal_bandits.arrays import IntArray
from causal_bandits.models.arms import Assignment
from causal_bandits.models.protocol import Bandit
from causal_bandits.play.run import Run
from causal_bandits.policies.base import Outcome, StepwisePolicy
from causal_bandits.seeding import Streams, generators

W = TypeVar("W")
#: Integer arrays, see `BanditEnv`.
_Observation = dict[str, IntArray]
Information = dict[str, Any]


class BanditEnv(gymnasium.Env[_Observation, Any], Generic[W]):
    """A bandit as a Gymnasium environment.

    The action is the index of an arm. The observation holds integer arrays: ``states``, the observed variables' states
    in the round just played, -1 before the first round; and, in a bandit with contexts, ``context``, what is seen
    before the next arm is chosen (after the last round, what was seen in that round). An episode never terminates: it
    is truncated at the horizon. The information holds the same data by variable: ``context`` (None without contexts and
    after the last round) and ``states``. It also holds the ``regret`` of the round just played, which is for judging an
    agent and must not be shown to it.

    Parameters
    ----------
    bandit : Bandit
    horizon : int
        >= 1.
    experiment : str
        The name that the random streams are derived from, for instance ``lee2019/frontdoor``.
    root_seed : int
        >= 0.
    states : mapping from str to int, optional
        The number of states of each observed variable; default: those of the bandit's ``scm`` or ``glm``.

    Attributes
    ----------
    variables, context : tuple of str
        The variables whose states the two arrays of an observation hold.

    Raises
    ------
    ValueError
        If the horizon is not a whole number >= 1, or no states are given and the bandit has neither an ``scm`` nor a
        ``glm``.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's way)

    def __init__(
        self,
        bandit: Bandit[W],
        horizon: int,
        experiment: str = "gym",
        root_seed: int = 0,
        states: Mapping[str, int] | None = None,
    ) -> None:
        length: object = horizon
        if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 1:
            raise ValueError(f"horizon={horizon!r}: expected a whole number of rounds, at least 1")
        self.bandit, self.horizon, self.experiment, self.root_seed = bandit, horizon, experiment, root_seed
        self._t = -1  # no episode yet
        world = bandit.worlds(0, 1, np.random.default_rng(0))
        self.context = tuple(bandit.seen(world, 0) or ())
        self.variables = tuple(bandit.play(world, 0, 0)[0])
        states = _states(bandit, self.variables) if states is None else states
        self.action_space = spaces.Discrete(len(bandit.arms))
        sizes = np.array([states[v] for v in self.variables], dtype=np.int64)
        parts: dict[str, spaces.Space[Any]] = {"states": spaces.MultiDiscrete(sizes + 1, start=np.full(len(sizes), -1))}
        if self.context:
            parts["context"] = spaces.MultiDiscrete([states[v] for v in self.context])
        self.observation_space: spaces.Space[Any] = spaces.Dict(parts)

    def streams(self, seed: int) -> Streams:
        """Return the random streams of an episode; its worlds are drawn from ``environment``."""
        return generators(self.root_seed, self.experiment, seed)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, Information]:
        """Start an episode.

        Parameters
        ----------
        seed : int, optional
            >= 0; default: drawn from ``np_random``.
        options : None
        """
        super().reset(seed=seed)
        self._rng = self.streams(int(self.np_random.integers(2**32)) if seed is None else seed).environment
        self._t = 0
        self._world = self.bandit.worlds(0, 1, self._rng)
        return self._observation({}), {"context": self._seen()}

    def step(self, action: np.int64 | int) -> tuple[_Observation, SupportsFloat, bool, bool, Information]:
        """Play an arm.

        Returns
        -------
        observation, reward, terminated, truncated, information

        Raises
        ------
        ValueError
            If there is no arm with this index, the environment was not reset, or the episode is over.
        """
        if self._t < 0:
            raise ValueError("no episode has begun: call reset first")
        if isinstance(action, bool) or not self.action_space.contains(action):
            raise ValueError(f"action {action!r}: arms are the integers 0..{len(self.bandit.arms) - 1}")
        if self._t == self.horizon:
            raise ValueError(f"the episode is over: its horizon is {self.horizon}")
        states, reward = self.bandit.play(self._world, 0, int(action))
        regret = float(self.bandit.regrets(self._world, np.array([action], dtype=np.int64))[0])
        self._t += 1
        over = self._t == self.horizon
        if not over:
            self._world = self.bandit.worlds(self._t, 1, self._rng)
        seen = None if over else self._seen()
        return self._observation(states), reward, False, over, {"context": seen, "states": states, "regret": regret}

    def _seen(self) -> Assignment | None:
        """Return a copy of the context seen: bandits return the same mapping again and again."""
        seen = self.bandit.seen(self._world, 0)
        return None if seen is None else dict(seen)

    def _observation(self, states: Assignment) -> _Observation:
        found = {"states": np.array([states.get(v, -1) for v in self.variables], dtype=np.int64)}
        if self.context:
            seen = self._seen() or {}
            found["context"] = np.array([seen[v] for v in self.context], dtype=np.int64)
        return found


def _states(bandit: Any, variables: tuple[str, ...]) -> Mapping[str, int]:
    if hasattr(bandit, "scm"):
        return {v: bandit.scm.cardinality(v) for v in variables}
    if hasattr(bandit, "glm"):
        return dict.fromkeys(variables, 2)
    raise ValueError(f"a {type(bandit).__name__} does not say how many states its variables have: give states=...")


class Agent(Protocol):
    """The interface of agents for `play`.

    It may also have a method ``answer``, called before each round: it returns None to play on, or an `Outcome` to end
    the run.
    """

    def act(self, context: Assignment | None) -> int:
        """Return the index of the arm to play; ``context`` is None in a bandit without contexts."""
        ...

    def observe(self, arm: int, states: Assignment, reward: float) -> None:
        """Learn from a round in which ``arm`` was played, given the observed variables' states and the reward."""
        ...


class StepwiseAgent:
    """A stepwise policy as an agent for one seed of an environment.

    Its random numbers are those that the policy gets in a run with the same seed.

    Parameters
    ----------
    policy : StepwisePolicy
        It is not changed.
    env : BanditEnv
    seed : int
    """

    def __init__(self, policy: StepwisePolicy, env: BanditEnv[Any], seed: int) -> None:
        self._state, self._t = copy.deepcopy(policy), 0
        self._rng = env.streams(seed).policy
        self._state.start(env.bandit, env.horizon)

    def act(self, context: Assignment | None) -> int:
        """Call the policy's ``select``."""
        return self._state.select(self._t, context, self._rng)

    def observe(self, arm: int, states: Assignment, reward: float) -> None:
        """Call the policy's ``update``."""
        self._t += 1
        self._state.update(arm, states, reward)

    def answer(self) -> Outcome | None:
        """Call the policy's ``answer``."""
        return self._state.answer()


def play(agent: Agent, env: BanditEnv[Any], seed: int) -> Run:
    """Play one episode.

    Parameters
    ----------
    agent : Agent
        At the start of its run.
    env : BanditEnv
    seed : int
        >= 0.

    Returns
    -------
    Run
        The run as `causal_bandits.play.run.play` returns it, without extras.

    Raises
    ------
    ValueError
        If the agent plays a number that is not the index of an arm, or ends the run before the first round.
    """
    rounds: list[tuple[int, float, float]] = []
    _, information = env.reset(seed=seed)
    answer = getattr(agent, "answer", lambda: None)
    outcome, over = answer(), False
    while outcome is None and not over:
        arm = agent.act(information["context"])
        _, reward, _, over, information = env.step(arm)
        agent.observe(int(arm), information["states"], float(reward))
        rounds.append((int(arm), float(reward), information["regret"]))
        outcome = answer()
    if not rounds:
        raise ValueError("the agent played no round")
    arms, rewards, regrets = zip(*rounds, strict=True)
    return Run(np.array(arms, dtype=np.int64), np.array(rewards), np.array(regrets), {}, dict(outcome or {}))
