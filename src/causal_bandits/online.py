"""Bandits in production: act, learn when the reward comes, save the state and resume.

===============  ====================================================================================
`OnlineBandit`   an algorithm that acts and updates; its state is saved as JSON, and resumes to the bit
`MAB`            the same with ``fit``, ``partial_fit`` and ``predict``, as users of MABWiser know it
===============  ====================================================================================

There is no model and no horizon here, so only algorithms that need neither can be used. Given the same rewards and
random numbers they choose the same arms as in `causal_bandits.play.play` (LinUCB up to rounding errors: here it keeps a
Cholesky factor, which bears features of any scale).

====================  ===============================================================================
`Thompson`            rewards of 0 and 1
`KLUCB`               rewards in [0, 1]
`NormalThompson`      rewards from -1e100 to 1e100, best if they are nearly normal
`DiscountedThompson`  rewards in [0, 1] whose means change
`DiscountedUCB`       the same
`SlidingWindowUCB`    the same, with abrupt changes
`UCB`                 any rewards, a mean per context; `UCBPCB` clips by prior bounds
`LinUCB`              any rewards, linear in a context; `LinUCBPCB` clips by prior bounds
`IncrementalPolicy`   the base of your own algorithms without contexts
====================  ===============================================================================

>>> from causal_bandits.policies import Thompson
>>> bandit = OnlineBandit(Thompson(), arms=["red", "green"], seed=1)
>>> for _ in range(200):
...     arm = bandit.act()
...     bandit.update(arm, reward=float(bandit.arms[arm] == "green"))
>>> resumed = OnlineBandit.from_json(bandit.to_json())
>>> resumed.act() == bandit.act()
True
"""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import jit
from causal_bandits.estimation import factored_ridge
from causal_bandits.models.arms import Assignment
from causal_bandits.policies.base import IncrementalPolicy, StepwisePolicy, checked_arm
from causal_bandits.policies.classical.discounted_thompson import DiscountedThompson
from causal_bandits.policies.classical.discounted_ucb import DiscountedUCB
from causal_bandits.policies.classical.kl_ucb import KLUCB, Indices, exploration, largest_index, negative_entropy
from causal_bandits.policies.classical.normal_thompson import NormalThompson
from causal_bandits.policies.classical.sliding_window_ucb import SlidingWindowUCB
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.contextual.ucb import UCB, UNPLAYED
from causal_bandits.policies.contextual.ucb_pcb import UCBPCB
from causal_bandits.policies.helpers.choice import pick_largest

#: An arm: the states that it sets, or any name, which may be a number.
Arm: TypeAlias = Assignment | str | float
#: What is seen before an arm is chosen: the states of variables, or a vector of numbers.
Context: TypeAlias = Assignment | Sequence[float] | FloatArray

#: Names of arms that JSON keeps as they are.
_NAMES = (str, int, float)

#: The format of saved states.
FORMAT = 2


class _Learner(ABC):
    """What an algorithm has learnt, and how it chooses; arrays by name in ``arrays`` are all its state."""

    arrays: dict[str, np.ndarray[Any, Any]]

    @abstractmethod
    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        """Choose an arm."""

    @abstractmethod
    def update(self, arm: int, reward: float, context: Context | None) -> None:
        """Learn from one reward."""

    @abstractmethod
    def check(self) -> None:
        """Raise a ValueError if ``arrays``, which were read, are no state that rewards lead to."""

    @abstractmethod
    def expectations(self, context: Context | None) -> FloatArray:
        """Estimate each arm's mean reward, shape (arms,); NaN where nothing is known."""


class _WithoutContext(_Learner):
    def __init__(self, problem: _Problem) -> None:
        if problem.contexts is not None or problem.features is not None:
            raise ValueError(f"{type(problem.policy).__name__} does not use contexts; take LinUCB")

    @staticmethod
    def _check(context: Context | None) -> None:
        if context is not None:
            raise ValueError("context: this bandit was made without contexts")


class _Betas(_WithoutContext):
    """The state of `Thompson`."""

    def __init__(self, problem: _Problem) -> None:
        super().__init__(problem)
        self.prior = float(problem.policy.prior_ones), float(problem.policy.prior_zeros)
        self.arrays = {
            name: np.full(len(problem.arms), prior) for name, prior in zip(("ones", "zeros"), self.prior, strict=True)
        }

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        self._check(context)
        return int(np.argmax(rng.beta(self.arrays["ones"], self.arrays["zeros"])))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        self._check(context)
        if reward not in (0.0, 1.0):
            raise ValueError(f"reward={reward}: Thompson learns from 0 and 1 only")
        self.arrays["ones" if reward else "zeros"][arm] += 1

    def check(self) -> None:
        if any((array < prior).any() for array, prior in zip(self.arrays.values(), self.prior, strict=True)):
            raise ValueError(f"learnt: expected ones and zeros of at least {self.prior}, the prior")

    def expectations(self, context: Context | None) -> FloatArray:
        self._check(context)
        return np.asarray(self.arrays["ones"] / (self.arrays["ones"] + self.arrays["zeros"]))


@jit  # Python may not call a kernel with a generator
def _largest_index(f: float, indices: Indices, rng: np.random.Generator) -> int:
    return largest_index(f, indices, rng)


class _KLIndices(_WithoutContext):
    """The state of `KLUCB`."""

    def __init__(self, problem: _Problem) -> None:
        super().__init__(problem)
        self.c = float(problem.policy.c)
        self.arrays = {"ones": np.zeros(len(problem.arms)), **Indices.unknown(len(problem.arms))._asdict()}

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        self._check(context)
        pulls = self.arrays["pulls"]
        if (pulls == 0).any():
            return int((pulls == 0).argmax())
        indices = Indices(**{name: self.arrays[name] for name in Indices._fields})
        return int(_largest_index(exploration(float(pulls.sum()), self.c), indices, rng))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        self._check(context)
        if not 0 <= reward <= 1:
            raise ValueError(f"reward={reward}: kl-UCB learns from rewards in [0, 1]")
        state = self.arrays
        state["ones"][arm] += reward
        state["pulls"][arm] += 1
        state["rate"][arm] = state["ones"][arm] / state["pulls"][arm]
        state["entropy"][arm] = negative_entropy(state["rate"][arm])
        state["last"][0] = arm

    def check(self) -> None:
        ones, pulls, last = (self.arrays[name] for name in ("ones", "pulls", "last"))
        if not ((ones >= 0) & (ones <= pulls) & (pulls == np.floor(pulls))).all() or not 0 <= last[0] < len(pulls):
            raise ValueError("learnt: expected 0 <= ones <= pulls, whole numbers of pulls, and last to be an arm")

    def expectations(self, context: Context | None) -> FloatArray:
        self._check(context)
        return np.where(self.arrays["pulls"] > 0, self.arrays["rate"], np.nan)


class _Cells(_Learner):
    """The state of `UCB` and `UCBPCB`: one mean per context and arm."""

    def __init__(self, problem: _Problem) -> None:
        self.policy, self.problem = problem.policy, problem
        name = type(self.policy).__name__
        if self.policy.confidence != "anytime":
            raise ValueError(f"{name}(confidence={self.policy.confidence!r}): there is no horizon; take 'anytime'")
        if problem.features is not None:
            raise ValueError(f"{name} learns a mean per context: needs contexts=..., all that there are, or none")
        rows = 1 if self.policy.context_free or problem.contexts is None else len(problem.contexts)
        shape = (rows, len(problem.arms))
        self.arrays = {"visits": np.zeros(shape, dtype=np.int64), "mean": np.zeros(shape)}
        self.prior: dict[str, FloatArray] = {}
        if isinstance(self.policy, UCBPCB):
            self.prior = {bound: problem.knowledge(bound) for bound in ("lower", "upper")}
            for bound, array in self.prior.items():
                if np.isnan(array).any():
                    raise ValueError(f"prior {bound!r}: an entry is not a number; expected 0 or 1 if nothing is known")

    def _row(self, context: Context | None) -> tuple[int, int]:
        """The numbers of a context: among all, and among the rows of what was learnt."""
        if self.problem.contexts is None:
            if context is not None:
                raise ValueError("context: this bandit was made without contexts")
            return 0, 0
        number = self.problem.number(context)
        return number, 0 if self.policy.context_free else number

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        number, row = self._row(context)
        visits, mean = self.arrays["visits"], self.arrays["mean"][row]
        scale = np.sqrt(4 * np.log(visits.sum() + 1))  # as `cell_ucb` has it
        index = mean + scale * (1.0 / np.sqrt(np.maximum(visits[row], 1)))
        index[visits[row] == 0] += UNPLAYED[self.policy.unplayed]
        if self.prior:
            index = np.maximum(np.minimum(index, self.prior["upper"][number]), self.prior["lower"][number])
        return int(pick_largest(index, rng))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        place = self._row(context)[1], arm
        self.arrays["visits"][place] += 1
        n, mean = self.arrays["visits"][place], self.arrays["mean"]
        mean[place] = reward if n == 1 else mean[place] + (reward - mean[place]) / n

    def check(self) -> None:
        if (self.arrays["visits"] < 0).any():
            raise ValueError("learnt.visits: expected numbers >= 0")

    def expectations(self, context: Context | None) -> FloatArray:
        row = self._row(context)[1]
        return np.where(self.arrays["visits"][row] > 0, self.arrays["mean"][row], np.nan)


class _OfArrays(_WithoutContext):
    """The state of an `IncrementalPolicy`."""

    def __init__(self, problem: _Problem) -> None:
        super().__init__(problem)
        self.policy: IncrementalPolicy = problem.policy
        self.arms = len(problem.arms)
        self.state = self.policy.start(self.arms)
        arrays: dict[str, Any] = getattr(self.state, "_asdict", dict)()
        if not arrays or not all(isinstance(a, np.ndarray) and a.dtype.kind in "fiu" for a in arrays.values()):
            raise TypeError(
                f"{type(self.policy).__name__}.start returned {self.state!r}; expected a named tuple of arrays "
                "of numbers"
            )
        self.arrays = arrays

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        self._check(context)
        name = f"{type(self.policy).__name__}.choose"
        return checked_arm(name, self.policy.choose(self.state, rng), self.arms)

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        self._check(context)
        low, high = self.policy.rewards
        if not low <= reward <= high:
            raise ValueError(
                f"reward={reward}: {type(self.policy).__name__} learns from rewards in [{low:g}, {high:g}]"
            )
        self.policy.learn(self.state, arm, reward)

    def expectations(self, context: Context | None) -> FloatArray:
        self._check(context)
        return self.policy.expectations(self.state)

    def check(self) -> None:
        self.policy.check(self.state)


class _Linear(_Learner):
    """The state of `LinUCB` and `LinUCBPCB`."""

    def __init__(self, problem: _Problem) -> None:
        self.policy, self.problem = problem.policy, problem
        if problem.contexts is None and problem.features is None:
            raise ValueError("LinUCB needs contexts=..., or features=..., the length of the vectors that it will see")
        self.vectors = problem.features
        if self.vectors is not None:
            needs = [name for name in ("shared", "cells", "warm_start") if getattr(self.policy, name)]
            needs += ["upper"] if isinstance(self.policy, LinUCBPCB) else []
            if needs:
                raise ValueError(f"LinUCB with {', '.join(needs)}: needs contexts=..., all that there are")
            self.table: FloatArray | None = None
            size = self.vectors + self.policy.intercept
        else:
            self.table = self._features()
            size = self.table.shape[-1]
        models = 1 if self.policy.shared else len(problem.arms)
        self.state = factored_ridge.start(models, size, float(self.policy.penalty))
        self.arrays = self.state._asdict()
        self.upper: FloatArray | None = None
        if isinstance(self.policy, LinUCBPCB):
            self.upper = problem.knowledge(self.policy.upper)
            if np.isnan(self.upper).any():
                raise ValueError(
                    f"prior {self.policy.upper!r}: an entry is not a number; expected 1 if nothing is known"
                )
        if self.policy.warm_start is not None and self.table is not None and not problem.resumed:
            self._start_warm(self.table)

    def _start_warm(self, table: FloatArray) -> None:
        """Learn the offline estimates, as `LinUCB` does before the first round."""
        name, weight = self.policy.warm_start, self.policy.warm_weight
        if self.problem.prior is None:
            raise ValueError(f"warm_start={name!r}: needs prior=..., for instance Logs.prior()")
        estimates = self.problem.knowledge(name)
        weights = self.problem.knowledge("count") if weight == "count" else np.full_like(estimates, weight)
        if wrong := [w for w in weights.ravel().tolist() if not 0 <= w < math.inf]:
            raise ValueError(f"prior 'count': {wrong[0]}; expected finite numbers >= 0")
        for c, a in np.argwhere((weights > 0) & ~np.isnan(estimates)):
            model = 0 if self.policy.shared else a
            factored_ridge.learn(self.state, model, table[c, a], float(estimates[c, a]), float(weights[c, a]))

    def _features(self) -> FloatArray:
        """[context, arm, 1] of each pair, as `LinUCB` has it; shape (contexts, arms, d)."""
        contexts, arms = self.problem.contexts or (), self.problem.arms
        if self.policy.cells:
            return np.ascontiguousarray(np.repeat(np.eye(len(contexts))[:, None], len(arms), axis=1))
        of_contexts, of_arms = _states("contexts", contexts), _states("arms", arms)
        if self.policy.shared and of_arms.shape[1] == 0:
            raise ValueError("shared: arms are told apart by the states that they set; expected mappings, not names")
        one = np.ones((len(contexts), len(arms), int(self.policy.intercept)))
        parts = [np.repeat(of_contexts[:, None], len(arms), axis=1), np.tile(of_arms, (len(contexts), 1, 1)), one]
        return np.ascontiguousarray(np.concatenate(parts, axis=-1))

    def _seen(self, context: Context | None) -> tuple[FloatArray, FloatArray | None]:
        """The features in a context, shape (arms, d) or one row for all arms, and the arms' upper bounds."""
        if self.table is None:
            x = np.asarray(context, dtype=np.float64)
            if x.shape != (self.vectors,) or not (np.abs(x) <= factored_ridge.LARGEST).all():
                raise ValueError(
                    f"context {context!r}: expected a vector of {self.vectors} finite numbers, at most "
                    f"{factored_ridge.LARGEST:g} in size"
                )
            x = np.append(x, 1.0) if self.policy.intercept else x
            return x[None], None
        number = self.problem.number(context)
        return self.table[number], None if self.upper is None else self.upper[number]

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        features, upper = self._seen(context)
        value = factored_ridge.indices(self.state, features, len(self.problem.arms), float(self.policy.alpha))
        return int(pick_largest(value if upper is None else np.minimum(value, upper), rng))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        features, _ = self._seen(context)
        x = features[arm if len(features) > 1 else 0]
        factored_ridge.learn(self.state, 0 if self.policy.shared else arm, x, reward)

    def check(self) -> None:
        factor = self.state.factor
        if np.triu(factor, 1).any() or not (np.diagonal(factor, axis1=1, axis2=2) > 0).all():
            raise ValueError("learnt.factor: expected lower triangular matrices with diagonals > 0")

    def expectations(self, context: Context | None) -> FloatArray:
        features, _ = self._seen(context)
        return factored_ridge.indices(self.state, features, len(self.problem.arms), 0.0)


def _states(name: str, given: Sequence[Context | Arm]) -> FloatArray:
    """The states of contexts or arms, shape (given, variables), in the order of the first one's variables.

    Names of arms have none.
    """
    variables = list(given[0]) if isinstance(given[0], Mapping) else []
    for each in given:
        if (set(each) if isinstance(each, Mapping) else set()) != set(variables):
            raise ValueError(
                f"{name}: {each!r}; expected states of {', '.join(variables) or 'no variable'}, as the first has"
            )
    rows = [[float(each[v]) for v in variables] for each in given if isinstance(each, Mapping)]
    states = np.array(rows, dtype=np.float64).reshape(len(given), len(variables))
    if not (np.abs(states) <= factored_ridge.LARGEST).all():
        raise ValueError(f"{name}: a state is no finite number of at most {factored_ridge.LARGEST:g} in size")
    return states


@dataclasses.dataclass(frozen=True)
class _Problem:
    """What a learner is made for."""

    policy: Any
    arms: tuple[Arm, ...]
    contexts: tuple[Assignment, ...] | None
    features: int | None
    prior: Mapping[str, ArrayLike] | None
    resumed: bool = False

    def knowledge(self, name: str) -> FloatArray:
        """Return one array of the prior, shape (contexts, arms)."""
        if self.prior is None or name not in self.prior:
            raise ValueError(f"no prior {name!r}; it has {', '.join(sorted(self.prior or ())) or 'nothing'}")
        array = np.ascontiguousarray(self.prior[name], dtype=np.float64)
        shape = (1 if self.contexts is None else len(self.contexts), len(self.arms))
        if array.shape != shape:
            raise ValueError(f"prior {name!r}: shape {array.shape}, expected (contexts, arms) = {shape}")
        return array

    def number(self, context: Context | None) -> int:
        for i, known in enumerate(self.contexts or ()):
            if isinstance(context, Mapping) and dict(context) == dict(known):
                return i
        raise ValueError(f"context {context!r}: not among the {len(self.contexts or ())} contexts of this bandit")


_LEARNERS: Mapping[type, Callable[[_Problem], _Learner]] = {
    Thompson: _Betas,
    KLUCB: _KLIndices,
    UCB: _Cells,
    UCBPCB: _Cells,
    LinUCB: _Linear,
    LinUCBPCB: _Linear,
    DiscountedThompson: _OfArrays,
    DiscountedUCB: _OfArrays,
    NormalThompson: _OfArrays,
    SlidingWindowUCB: _OfArrays,
}


def _learner_of(policy: object) -> Callable[[_Problem], _Learner]:
    """Return what learns for an algorithm; raise a TypeError if none does."""
    if (learner := _LEARNERS.get(type(policy))) is not None:
        return learner
    if isinstance(policy, IncrementalPolicy):
        if dataclasses.is_dataclass(policy):
            return _OfArrays
        why = " is no dataclass, whose fields are saved"
    elif isinstance(policy, StepwisePolicy):
        why = " keeps its state where it cannot be saved, and asks for a problem and a horizon"
    else:
        why = "" if isinstance(policy, str | type) else " needs a model or a horizon"
    known = ", ".join(f"{kind.__name__}()" for kind in _LEARNERS)
    raise TypeError(
        f"policy: {policy!r}{why}; expected an instance, one of {known}, or of a dataclass of your own that extends "
        "IncrementalPolicy"
    )


def _listed(arms: Iterable[Arm]) -> tuple[Arm, ...]:
    given: object = arms  # whatever the types say
    if isinstance(given, str | Set) or not isinstance(given, Iterable):
        raise TypeError(f"arms: {arms!r}; expected a sequence of them, in their order")
    return tuple(_kept("arm", arm, _NAMES) for arm in arms)


def _repeated(given: Sequence[Arm]) -> bool:
    """Tell whether two arms or contexts are equal; the order of a mapping does not matter."""
    return len({frozenset(each.items()) if isinstance(each, Mapping) else each for each in given}) < len(given)


class OnlineBandit:
    """An algorithm that acts and updates, one decision at a time.

    Rewards may come late and in any order: an update says which arm it is for.

    Parameters
    ----------
    policy : Thompson, KLUCB, UCB, UCBPCB, LinUCB, LinUCBPCB or IncrementalPolicy
        The algorithm with its hyper-parameters; those that can be used are listed above.
    arms : sequence of str, int, float or mapping from str to int
        Names, or the states that each arm sets (as `Logs.arms`). NumPy's numbers become Python's, so that JSON holds
        them.
    contexts : sequence of mapping from str to int, optional
        For UCB and LinUCB: all contexts that can be seen (as `Logs.contexts`), each with states of the same variables;
        UCB needs none. LinUCB's features are the context's states, the arm's states and a constant, as in `LinUCB`.
    features : int, optional
        For LinUCB instead of ``contexts``: the length of the vectors of numbers that contexts are.
    prior : mapping from str to array, shape (contexts, arms), optional
        Knowledge before the first decision (as `Logs.prior`), for a warm start or bounds.
    seed : int or numpy.random.Generator
        For draws and ties; a generator must be a PCG64, whose state can be saved.

    Attributes
    ----------
    arms : tuple
    updates : int
        How many rewards were learnt from.

    Raises
    ------
    TypeError
        If the algorithm is another, or an arm, a context or a hyper-parameter is none that JSON can hold.
    ValueError
        If there are no arms or contexts, one is given twice, or they have states of different variables; if one theta
        is shared by arms that are names; or if the algorithm lacks contexts or prior knowledge.
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
        learner = _learner_of(policy)
        self.policy, self.arms = policy, _listed(arms)
        for name, value in dataclasses.asdict(cast(Any, policy)).items():
            if not isinstance(value, np.generic | bool | None | str | int | float):
                raise TypeError(f"{name}={value!r} of {type(policy).__name__} cannot be saved as JSON")
        if not self.arms or _repeated(self.arms):
            raise ValueError(f"arms: {list(self.arms)}; expected at least one, and no arm twice")
        if contexts is not None and features is not None:
            raise ValueError("contexts and features: expected one of them")
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
            raise ValueError(f"seed: a generator of {type(self._rng.bit_generator).__name__}; expected one of PCG64")
        problem = _Problem(policy, self.arms, self.contexts, self.features, prior, _resumed)
        self._learner = learner(problem)

    def __repr__(self) -> str:
        return f"OnlineBandit({self.policy!r}, {len(self.arms)} arms, {self.updates} updates)"

    def act(self, context: Context | None = None) -> int:
        """Choose an arm; return its number in `arms`.

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
            The number of the arm that was played.
        reward : float
            0 or 1 for `Thompson`; finite for UCB; at most 1e100 in size for LinUCB and `NormalThompson`; within
            ``rewards`` for an algorithm of your own; in [0, 1] for the others.
        context : mapping from str to int, or array of float, optional
            What was seen when it was played.

        Raises
        ------
        ValueError
            If there is no such arm, the reward is out of range or the context unknown; or for LinUCB, if features are
            so large or so nearly dependent that double precision would lose the regression. Then nothing is learnt.
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
            Thompson sampling's posterior means, the mean rewards of UCB and of `NormalThompson` (NaN before an arm's
            first), and LinUCB's regressions at the context. Discounted or in the window where the algorithm forgets.

        Raises
        ------
        ValueError
            If the context is none of the bandit's.
        """
        return self._learner.expectations(context)

    def add_arms(self, arms: Sequence[Arm]) -> None:
        """Add arms after the others, of which nothing is known yet. What was learnt stays.

        Raises
        ------
        TypeError
            If an arm is none that JSON can hold.
        ValueError
            If an arm is there already or given twice or sets other variables than the others, or if the algorithm clips
            by prior bounds, which new arms lack. Then no arm is added.
        """
        new = _listed(arms)
        every = (*self.arms, *new)
        if _repeated(every):
            raise ValueError(f"arms: {list(new)}; expected new arms, and no arm twice")
        if isinstance(self.policy, LinUCBPCB | UCBPCB):
            name = type(self.policy).__name__
            raise ValueError(f"{name}: no prior bounds of new arms; make a new bandit with prior=... of all arms")
        problem = _Problem(self.policy, every, self.contexts, self.features, None, resumed=True)
        grown = _learner_of(self.policy)(problem)
        for name, array in self._learner.arrays.items():
            grown.arrays[name][tuple(map(slice, array.shape))] = array
        self._learner, self.arms = grown, every

    # ------------------------------------------------------------------ saved and resumed

    def to_json(self) -> str:
        """Return all of the bandit as JSON; floats are written so that they are read as the same bits."""
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
            # Numbers of 128 bits, which not every reader of JSON has.
            "generator": {
                **{name: str(value) for name, value in generator["state"].items()},
                "has_uint32": generator["has_uint32"],
                "uinteger": generator["uinteger"],
            },
        }
        return json.dumps(state, allow_nan=False, default=np.generic.item)

    def _kept_prior(self) -> Mapping[str, FloatArray]:
        """The prior knowledge that is needed after the first decision: bounds."""
        if isinstance(self._learner, _Cells):
            return self._learner.prior
        upper = getattr(self._learner, "upper", None)
        return {} if upper is None else {self.policy.upper: upper}  # type: ignore[union-attr]

    @classmethod
    def from_json(cls, text: str, own: Iterable[type[IncrementalPolicy]] = ()) -> OnlineBandit:
        """Resume from a result of `to_json`: it then acts and learns as the saved bandit would have.

        Parameters
        ----------
        text : str
        own : iterable of type
            The classes of algorithms of your own, one of which may have been saved.

        Raises
        ------
        ValueError
            If the text is no such result, or of another format, or its algorithm is not known.
        """
        try:
            state = json.loads(text)
            if state["format"] != FORMAT:
                raise ValueError(f"format {state['format']!r}: expected {FORMAT}")
            kinds = {kind.__name__: kind for kind in (*_LEARNERS, *own)}
            if (name := state["policy"]["name"]) not in kinds:
                raise ValueError(
                    f"policy {name!r}: expected one of {', '.join(kinds)}; `own` takes classes of your own"
                )
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
            raise ValueError(f"no saved state of an OnlineBandit: {type(error).__name__}: {error}") from error
        return bandit

    def save(self, path: str | Path) -> None:
        """Write `to_json` to a file, which is replaced whole or not at all."""
        path = Path(path)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(self.to_json(), encoding="utf-8")
        part.replace(path)

    @classmethod
    def load(cls, path: str | Path, own: Iterable[type[IncrementalPolicy]] = ()) -> OnlineBandit:
        """Resume from a file that `save` wrote; see `from_json`."""
        return cls.from_json(Path(path).read_text(encoding="utf-8"), own)


def _kept(what: str, value: Any, names: tuple[type, ...]) -> Any:
    """Return an arm or a context as Python has it; refuse what JSON would not give back."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, names) and not (isinstance(value, float) and not math.isfinite(value)):
        return value
    if isinstance(value, Mapping) and all(isinstance(v, str) for v in value):
        states = {v: state.item() if isinstance(state, np.generic) else state for v, state in value.items()}
        if all(isinstance(state, int) for state in states.values()):
            return states
    expected = "a name (text or a finite number) or " * bool(names) + "a mapping from names to integers"
    raise TypeError(f"{what} {value!r}: expected {expected}")


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name}: {value!r}; expected a whole number >= 0")
    return value


def _learnt(name: str, saved: Mapping[str, Any], array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what was learnt, checked against the array that it is for."""
    if saved["type"] != str(array.dtype):
        raise ValueError(f"learnt.{name}: type {saved['type']!r}; expected {array.dtype}")
    values = np.array(saved["values"], dtype=array.dtype)
    if values.shape != array.shape or not np.isfinite(values).all():
        raise ValueError(f"learnt.{name}: {saved['values']!r}; expected finite numbers of the shape {array.shape}")
    return values


class MAB:
    """A bandit with ``fit``, ``partial_fit`` and ``predict``, as users of MABWiser know it.

    Parameters
    ----------
    arms : sequence of str, int or float
    policy : Thompson, KLUCB, UCB, LinUCB or IncrementalPolicy
        As for `OnlineBandit`. LinUCB learns from contexts, rows of numbers.
    seed : int

    Attributes
    ----------
    bandit : OnlineBandit or None
        What acts and learns, from the first fit on; save it by ``mab.bandit.save(path)``.

    Examples
    --------
    >>> mab = MAB(["red", "green"], Thompson(), seed=1)
    >>> mab.fit(decisions=["red"] * 50 + ["green"] * 50, rewards=[0] * 45 + [1] * 45 + [0] * 10).predict()
    'green'
    """

    def __init__(
        self,
        arms: Sequence[str | float],
        policy: Thompson | KLUCB | UCB | LinUCB | IncrementalPolicy,
        seed: int = 123456,
    ) -> None:
        # Made for one feature if there are any, to refuse wrong arguments at once.
        bandit = OnlineBandit(policy, arms, features=1 if isinstance(policy, LinUCB) else None, seed=seed)
        self.arms, self.policy, self.seed = cast(list[str | float], list(bandit.arms)), policy, seed
        self.bandit: OnlineBandit | None = None if isinstance(policy, LinUCB) else bandit

    def __repr__(self) -> str:
        return f"MAB({self.arms}, {self.policy!r}, {0 if self.bandit is None else self.bandit.updates} updates)"

    def fit(self, decisions: Sequence[str | float], rewards: ArrayLike, contexts: ArrayLike | None = None) -> MAB:
        """Forget everything, and learn from logged decisions; see `partial_fit`.

        A refused fit forgets nothing.
        """
        rows = self._rows(contexts, len(decisions))
        features = None if rows is None else rows.shape[1]
        fresh = OnlineBandit(self.policy, self.arms, features=features, seed=self.seed)
        self.bandit = self._learnt(fresh, decisions, rewards, rows)
        return self

    def partial_fit(
        self, decisions: Sequence[str | float], rewards: ArrayLike, contexts: ArrayLike | None = None
    ) -> MAB:
        """Learn from further decisions.

        Parameters
        ----------
        decisions : sequence of str, int or float, length n
            The arms that were played.
        rewards : array of float, shape (n,)
        contexts : array of float, shape (n, features), optional

        Returns
        -------
        MAB
            Itself.

        Raises
        ------
        ValueError
            If lengths differ, an arm is unknown or a reward out of range. Then nothing is learnt.
        """
        if self.bandit is None:
            return self.fit(decisions, rewards, contexts)
        rows = self._rows(contexts, len(decisions))
        self.bandit = self._learnt(copy.deepcopy(self.bandit), decisions, rewards, rows)
        return self

    def _learnt(
        self, bandit: OnlineBandit, decisions: Sequence[str | float], rewards: ArrayLike, rows: FloatArray | None
    ) -> OnlineBandit:
        """Return the bandit after it has learnt from all decisions."""
        values = np.asarray(rewards, dtype=np.float64)
        if values.shape != (len(decisions),):
            raise ValueError(f"{len(decisions)} decisions, rewards of the shape {values.shape}; expected one for each")
        if unknown := [arm for arm in decisions if arm not in self.arms]:
            raise ValueError(f"decision {unknown[0]!r}: not among the arms {self.arms}")
        for i, (arm, reward) in enumerate(zip(decisions, values, strict=True)):
            bandit.update(self.arms.index(arm), float(reward), None if rows is None else rows[i])
        return bandit

    def predict(self, contexts: ArrayLike | None = None) -> str | float | list[str | float]:
        """Choose an arm, or one for each context.

        Parameters
        ----------
        contexts : array of float, shape (n, features), optional

        Returns
        -------
        str, int, float or list of them
            An arm; a list if there are several contexts.

        Raises
        ------
        ValueError
            If nothing was fitted yet and the policy needs contexts.
        """
        if self.bandit is None:
            raise ValueError("nothing fitted yet: the number of features is not known")
        rows = self._rows(contexts, None)
        chosen = [self.bandit.act()] if rows is None else [self.bandit.act(row) for row in rows]
        labels = [self.arms[arm] for arm in chosen]
        return labels if len(labels) > 1 else labels[0]

    @staticmethod
    def _rows(contexts: ArrayLike | None, n: int | None) -> FloatArray | None:
        if contexts is None:
            return None
        rows = np.asarray(contexts, dtype=np.float64)
        if rows.ndim != 2 or len(rows) == 0 or (n is not None and len(rows) != n):
            raise ValueError(
                f"contexts of the shape {rows.shape}; expected one row for each of {n or 'some'} decisions"
            )
        return rows
