"""Learner for `LinUCB` and `LinUCBPCB`: linear regressions on features of context and arm."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation import factored_ridge
from causal_bandits.online.problem import Arm, Context, Learner, Problem
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.helpers.choice import pick_largest


class Linear(Learner):
    """The state of `LinUCB` and `LinUCBPCB`."""

    def __init__(self, problem: Problem) -> None:
        self.policy, self.problem = problem.policy, problem
        if problem.contexts is None and problem.features is None:
            raise ValueError("LinUCB needs contexts=..., or features=..., the length of the vectors that it will see")
        self.vectors = problem.features
        if self.vectors is not None:
            needs = [name for name in ("shared", "cells", "warm_start") if getattr(self.policy, name)]
            needs += ["upper"] if isinstance(self.policy, LinUCBPCB) else []
            if needs:
                raise ValueError(f"LinUCB with {', '.join(needs)}: needs contexts=... with all contexts")
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
            if not np.isfinite(self.upper).all():
                raise ValueError(
                    f"prior {self.policy.upper!r}: an entry is not a finite number; expected 1 if nothing is known"
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
        """Return [context, arm, 1] for each pair, as in `LinUCB`; shape (contexts, arms, d)."""
        contexts, arms = self.problem.contexts or (), self.problem.arms
        if self.policy.cells:
            return np.ascontiguousarray(np.repeat(np.eye(len(contexts))[:, None], len(arms), axis=1))
        of_contexts, of_arms = _states("contexts", contexts), _states("arms", arms)
        if self.policy.shared and of_arms.shape[1] == 0:
            raise ValueError("shared: arms are distinguished by the states that they set; expected mappings, not names")
        one = np.ones((len(contexts), len(arms), int(self.policy.intercept)))
        parts = [np.repeat(of_contexts[:, None], len(arms), axis=1), np.tile(of_arms, (len(contexts), 1, 1)), one]
        return np.ascontiguousarray(np.concatenate(parts, axis=-1))

    def _seen(self, context: Context | None) -> tuple[FloatArray, FloatArray | None]:
        """Return the features in a context, shape (arms, d) or one row for all arms, and the arms' upper bounds."""
        if self.table is None:
            x = np.asarray(context, dtype=np.float64)
            if x.shape != (self.vectors,) or not (np.abs(x) <= factored_ridge.LARGEST).all():
                raise ValueError(
                    f"context {context!r}: expected a vector of {self.vectors} finite numbers, at most "
                    f"{factored_ridge.LARGEST:g} in absolute value"
                )
            x = np.append(x, 1.0) if self.policy.intercept else x
            return x[None], None
        number = self.problem.number(context)
        return self.table[number], None if self.upper is None else self.upper[number]

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        """Choose an arm."""
        features, upper = self._seen(context)
        value = factored_ridge.indices(self.state, features, len(self.problem.arms), float(self.policy.alpha))
        return int(pick_largest(value if upper is None else np.minimum(value, upper), rng))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        """Learn from one reward."""
        features, _ = self._seen(context)
        x = features[arm if len(features) > 1 else 0]
        factored_ridge.learn(self.state, 0 if self.policy.shared else arm, x, reward)

    def check(self) -> None:
        """Raise a ValueError unless the loaded ``arrays`` are a state that rewards can lead to."""
        factor = self.state.factor
        if np.triu(factor, 1).any() or not (np.diagonal(factor, axis1=1, axis2=2) > 0).all():
            raise ValueError("learnt.factor: expected lower triangular matrices with diagonals > 0")

    def expectations(self, context: Context | None) -> FloatArray:
        """Estimate each arm's mean reward, shape (arms,); NaN where nothing is known."""
        features, _ = self._seen(context)
        return factored_ridge.indices(self.state, features, len(self.problem.arms), 0.0)


def _states(name: str, given: Sequence[Context | Arm]) -> FloatArray:
    """Return the states of contexts or arms, shape (given, variables), with the variables in the order of the first.

    Arms that are names have no states.
    """
    variables = list(given[0]) if isinstance(given[0], Mapping) else []
    for each in given:
        if (set(each) if isinstance(each, Mapping) else set()) != set(variables):
            raise ValueError(
                f"{name}: {each!r}; expected states of {', '.join(variables) or 'no variable'}, like the first"
            )
    rows = [[float(each[v]) for v in variables] for each in given if isinstance(each, Mapping)]
    states = np.array(rows, dtype=np.float64).reshape(len(given), len(variables))
    if not (np.abs(states) <= factored_ridge.LARGEST).all():
        raise ValueError(
            f"{name}: a state is not a finite number of at most {factored_ridge.LARGEST:g} in absolute value"
        )
    return states
