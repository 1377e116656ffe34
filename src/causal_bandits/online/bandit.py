"""A bandit that acts and updates, and whose state is saved as JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Real
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.models.arms import Assignment
from causal_bandits.online.cells import Cells
from causal_bandits.online.learners import LEARNERS, learner_of
from causal_bandits.online.problem import Arm, Context, Problem
from causal_bandits.policies.base import IncrementalPolicy
from causal_bandits.policies.classical.kl_ucb import KLUCB
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.policies.contextual.ucb_pcb import UCBPCB

#: Types of arms' names that JSON preserves.
_NAMES = (str, int, float)

#: The format of saved states.
FORMAT = 2


def _listed(arms: Iterable[Arm]) -> tuple[Arm, ...]:
    given: object = arms  # whatever the types say
    if isinstance(given, str | Set) or not isinstance(given, Iterable):
        raise TypeError(f"arms: {arms!r}; expected a sequence of arms, in order")
    return tuple(_kept("arm", arm, _NAMES) for arm in arms)


def _repeated(given: Sequence[Arm]) -> bool:
    """Return whether any two arms or contexts are equal; the order of a mapping does not matter."""
    return len({frozenset(each.items()) if isinstance(each, Mapping) else each for each in given}) < len(given)


class OnlineBandit:
    """An algorithm that acts and updates, one decision at a time.

    Rewards may come late and in any order: an update says which arm it is for.

    Parameters
    ----------
    policy : Thompson, KLUCB, UCB, UCBPCB, LinUCB, LinUCBPCB or IncrementalPolicy
        An algorithm of one of these types, with its hyper-parameters.
    arms : sequence of str, int, float or mapping from str to int
        Names, or the states that each arm sets (as in `Logs.arms`). NumPy numbers become Python numbers, which JSON can
        store.
    contexts : sequence of mapping from str to int, optional
        For UCB and LinUCB: all contexts that can be seen (as in `Logs.contexts`), each with states of the same
        variables; UCB needs none. LinUCB's features are the context's states, the arm's states and a constant, as in
        `LinUCB`.
    features : int, optional
        For LinUCB, instead of ``contexts``: the length of the vectors of numbers that serve as contexts.
    prior : mapping from str to array, shape (contexts, arms), optional
        Knowledge before the first decision, for instance from `Logs.prior`: estimates for a warm start, or bounds.
    seed : int or numpy.random.Generator
        For draws and ties; a generator must be a PCG64, whose state can be saved.

    Attributes
    ----------
    arms : tuple
    updates : int
        The number of rewards learnt from.

    Raises
    ------
    TypeError
        If the algorithm is not one of these, or JSON cannot store an arm, a context or a hyper-parameter.
    ValueError
        If there are no arms or contexts, one is given twice, or they have states of different variables; if one theta
        is shared by arms that are names; or if contexts or prior knowledge that the algorithm needs are missing.
    """

    def __init__(
        self,
        policy: Thompson | KLUCB | UCB | LinUCB | IncrementalPolicy,
        arms: Sequence[Arm],
        *,
        contexts: Sequence[Assignment] | None = None,
        features: int | None = None,
        prior: Mapping[str, ArrayLike] | None = None,
        seed: int | np.random.Generator = 0,
        _resumed: bool = False,
    ) -> None:
        learner = learner_of(policy)
        self.policy, self.arms = policy, _listed(arms)
        for name, value in dataclasses.asdict(cast(Any, policy)).items():
            infinite = isinstance(value, Real) and not math.isfinite(value)
            if infinite or not isinstance(value, np.generic | bool | None | str | int | float):
                raise TypeError(f"{name}={value!r} of {type(policy).__name__} cannot be saved as JSON")
        if not self.arms or _repeated(self.arms):
            raise ValueError(f"arms: {list(self.arms)}; expected at least one, and no arm twice")
        if contexts is not None and features is not None:
            raise ValueError("contexts and features: expected only one of them")
        self.contexts = None if contexts is None else tuple(_kept("context", context, ()) for context in contexts)
        if self.contexts is not None and (not self.contexts or _repeated(self.contexts)):
            raise ValueError(f"contexts: {list(self.contexts)}; expected at least one, and none twice")
        length: object = features  # whatever the types say
        if length is not None and (isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 1):
            raise ValueError(f"features={features!r}: expected a whole number >= 1, the length of the vectors")
        self.features = None if features is None else int(features)
        self.updates = 0
        self._rng = seed if isinstance(seed, np.random.Generator) else np.random.Generator(np.random.PCG64(seed))
        if not isinstance(self._rng.bit_generator, np.random.PCG64):
            raise ValueError(f"seed: a {type(self._rng.bit_generator).__name__} generator; expected a PCG64 generator")
        problem = Problem(policy, self.arms, self.contexts, self.features, prior, _resumed)
        self._learner = learner(problem)

    def __repr__(self) -> str:
        return f"OnlineBandit({self.policy!r}, {len(self.arms)} arms, {self.updates} updates)"

    def act(self, context: Context | None = None) -> int:
        """Choose an arm; return its index in `arms`.

        Parameters
        ----------
        context : mapping from str to int, or array of float, optional
            One of ``contexts``, or a vector of ``features`` numbers.

        Raises
        ------
        ValueError
            If the context is none of these.
        """
        return self._learner.act(context, self._rng)

    def update(self, arm: int, reward: float, context: Context | None = None) -> None:
        """Learn from one reward.

        Parameters
        ----------
        arm : int
            The index of the arm that was played.
        reward : float
            0 or 1 for `Thompson`; at most 1e100 in absolute value for UCB, LinUCB and `NormalThompson`; within
            ``rewards`` for your own algorithm; in [0, 1] for the others.
        context : mapping from str to int, or array of float, optional
            The context in which it was played.

        Raises
        ------
        ValueError
            If there is no such arm, the reward is out of range or the context unknown; or, for LinUCB, if features are
            so large or so nearly collinear that double precision is too coarse for the regression. Nothing is learnt
            then.
        """
        given: object = arm
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 0 <= given < len(self.arms):
            raise ValueError(f"arm {arm!r}: arms are the integers 0..{len(self.arms) - 1}")
        paid: object = reward
        if not isinstance(paid, Real | np.bool_) or not math.isfinite(paid):
            raise ValueError(f"reward={reward!r}: expected a finite number")
        self._learner.update(int(arm), float(reward), context)
        self.updates += 1

    def expectations(self, context: Context | None = None) -> FloatArray:
        """Estimate each arm's mean reward.

        Parameters
        ----------
        context : mapping from str to int, or array of float, optional
            As for `act`.

        Returns
        -------
        float64 array, shape (arms,)
            For `Thompson` the posterior means, for LinUCB the values of the regressions at the context, and for the
            other built-in algorithms the mean rewards (NaN before an arm's first reward).

        Raises
        ------
        ValueError
            If the context is not one of the bandit's.
        """
        return self._learner.expectations(context)

    def add_arms(self, arms: Sequence[Arm]) -> None:
        """Append arms about which nothing is known yet; what was learned about the others is kept.

        Raises
        ------
        TypeError
            If JSON cannot store an arm.
        ValueError
            If an arm exists already, is given twice or sets different variables from the others, or if the algorithm
            clips to prior bounds, which new arms lack. No arm is added then.
        """
        new = _listed(arms)
        every = (*self.arms, *new)
        if _repeated(every):
            raise ValueError(f"arms: {list(new)}; expected new arms, and no arm twice")
        if isinstance(self.policy, LinUCBPCB | UCBPCB):
            name = type(self.policy).__name__
            raise ValueError(f"{name}: no prior bounds for new arms; create a new bandit with prior=... for all arms")
        problem = Problem(self.policy, every, self.contexts, self.features, None, resumed=True)
        grown = learner_of(self.policy)(problem)
        for name, array in self._learner.arrays.items():
            grown.arrays[name][tuple(map(slice, array.shape))] = array
        self._learner, self.arms = grown, every

    # ------------------------------------------------------------------ saved and resumed

    def to_json(self) -> str:
        """Return the whole bandit as JSON; floats are written so that reading them restores the same bits.

        Raises
        ------
        ValueError
            If your own algorithm has learnt numbers that are not finite.
        """
        for name, array in self._learner.arrays.items():
            if not np.isfinite(array).all():
                raise ValueError(f"learnt.{name}: {array.tolist()}; expected finite numbers; others cannot be saved")
        generator = self._rng.bit_generator.state
        known = {name: np.asarray(array).tolist() for name, array in self._kept_prior().items()}
        state = {
            "format": FORMAT,
            "policy": {"name": type(self.policy).__name__, "parameters": dataclasses.asdict(cast(Any, self.policy))},
            "arms": [dict(arm) if isinstance(arm, Mapping) else arm for arm in self.arms],
            "contexts": None if self.contexts is None else [dict(context) for context in self.contexts],
            "features": self.features,
            "prior": known,
            "updates": self.updates,
            "learnt": {
                name: {"type": str(array.dtype), "values": array.tolist()}
                for name, array in self._learner.arrays.items()
            },
            # 128-bit numbers as text, because not every JSON reader supports them.
            "generator": {
                **{name: str(value) for name, value in generator["state"].items()},
                "has_uint32": generator["has_uint32"],
                "uinteger": generator["uinteger"],
            },
        }
        return json.dumps(state, allow_nan=False, default=np.generic.item)

    def _kept_prior(self) -> Mapping[str, FloatArray]:
        """The part of the prior that is still needed after the first decision: its bounds."""
        if isinstance(self._learner, Cells):
            return self._learner.prior
        upper = getattr(self._learner, "upper", None)
        return {} if upper is None else {self.policy.upper: upper}  # type: ignore[union-attr]

    @classmethod
    def from_json(cls, text: str, own: Iterable[type[IncrementalPolicy]] = ()) -> OnlineBandit:
        """Restore a bandit from a result of `to_json`; it then acts and learns as the saved one would have.

        Parameters
        ----------
        text : str
        own : iterable of type
            The classes of your own algorithms, one of which may have been saved.

        Raises
        ------
        ValueError
            If the text is not such a result, has a different format, or names an unknown algorithm.
        """
        try:
            state = json.loads(text)
            if state["format"] != FORMAT:
                raise ValueError(f"format {state['format']!r}: expected {FORMAT}")
            kinds = {kind.__name__: kind for kind in (*LEARNERS, *own)}
            if (name := state["policy"]["name"]) not in kinds:
                raise ValueError(f"policy {name!r}: expected one of {', '.join(kinds)}; pass your own classes as `own`")
            policy = kinds[name](**state["policy"]["parameters"])
            generator = state["generator"]
            bandit = cls(
                policy,
                state["arms"],
                contexts=state["contexts"],
                features=state["features"],
                prior=state["prior"],
                _resumed=True,
            )
            bandit.updates = _whole("updates", state["updates"])
            for name, array in bandit._learner.arrays.items():
                array[...] = _learnt(name, state["learnt"][name], array)
            bandit._learner.check()
            bandit._rng.bit_generator.state = {
                "bit_generator": "PCG64",
                "state": {"state": int(generator["state"]), "inc": int(generator["inc"])},
                "has_uint32": generator["has_uint32"],
                "uinteger": generator["uinteger"],
            }
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"not a saved state of an OnlineBandit: {type(error).__name__}: {error}") from error
        return bandit

    def save(self, path: str | Path) -> None:
        """Write the result of `to_json` to a file, which is replaced as a whole or not at all."""
        path = Path(path)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(self.to_json(), encoding="utf-8")
        part.replace(path)

    @classmethod
    def load(cls, path: str | Path, own: Iterable[type[IncrementalPolicy]] = ()) -> OnlineBandit:
        """Restore a bandit from a file that `save` wrote; see `from_json`."""
        return cls.from_json(Path(path).read_text(encoding="utf-8"), own)


def _kept(what: str, value: Any, names: tuple[type, ...]) -> Any:
    """Convert an arm or a context to Python's own types; raise a TypeError if JSON cannot restore it."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, names) and not (isinstance(value, float) and not math.isfinite(value)):
        return value
    if isinstance(value, Mapping) and all(isinstance(v, str) for v in value):
        states = {v: state.item() if isinstance(state, np.generic) else state for v, state in value.items()}
        if all(isinstance(state, int) for state in states.values()):
            return states
    expected = "a name (a string or a finite number) or " * bool(names) + "a mapping from names to integers"
    raise TypeError(f"{what} {value!r}: expected {expected}")


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name}: {value!r}; expected a whole number >= 0")
    return value


def _learnt(name: str, saved: Mapping[str, Any], array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a saved array; raise a ValueError unless it is finite and has the type and shape of ``array``."""
    if saved["type"] != str(array.dtype):
        raise ValueError(f"learnt.{name}: type {saved['type']!r}; expected {array.dtype}")
    values = np.array(saved["values"], dtype=array.dtype)
    if values.shape != array.shape or not np.isfinite(values).all():
        raise ValueError(f"learnt.{name}: {saved['values']!r}; expected finite numbers of shape {array.shape}")
    return values
