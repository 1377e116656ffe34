"""Learner for `UCB` and `UCBPCB`: a mean for each context and arm."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.factored_ridge import LARGEST
from causal_bandits.online.problem import Context, Learner, Problem
from causal_bandits.policies.contextual.ucb import UNPLAYED
from causal_bandits.policies.contextual.ucb_pcb import UCBPCB
from causal_bandits.policies.helpers.choice import pick_largest


class Cells(Learner):
    """The state of `UCB` and `UCBPCB`: one mean per context and arm."""

    def __init__(self, problem: Problem) -> None:
        self.policy, self.problem = problem.policy, problem
        name = type(self.policy).__name__
        if self.policy.confidence != "anytime":
            raise ValueError(f"{name}(confidence={self.policy.confidence!r}): there is no horizon; use 'anytime'")
        if problem.features is not None:
            raise ValueError(
                f"{name} learns a mean per context; expected contexts=... with all contexts, or no contexts"
            )
        rows = 1 if self.policy.context_free or problem.contexts is None else len(problem.contexts)
        shape = (rows, len(problem.arms))
        self.arrays = {"visits": np.zeros(shape, dtype=np.int64), "mean": np.zeros(shape)}
        self.prior: dict[str, FloatArray] = {}
        if isinstance(self.policy, UCBPCB):
            self.prior = {bound: problem.knowledge(bound) for bound in ("lower", "upper")}
            for bound, array in self.prior.items():
                if not np.isfinite(array).all():
                    raise ValueError(
                        f"prior {bound!r}: an entry is not a finite number; expected 0 or 1 if nothing is known"
                    )

    def _row(self, context: Context | None) -> tuple[int, int]:
        """Return the index of a context among all contexts, and that of its row in the learnt arrays."""
        if self.problem.contexts is None:
            if context is not None:
                raise ValueError("context: this bandit was created without contexts")
            return 0, 0
        number = self.problem.number(context)
        return number, 0 if self.policy.context_free else number

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        """Choose an arm."""
        number, row = self._row(context)
        visits, mean = self.arrays["visits"], self.arrays["mean"][row]
        scale = np.sqrt(4 * np.log(visits.sum() + 1))  # as in `cell_ucb`
        index = mean + scale * (1.0 / np.sqrt(np.maximum(visits[row], 1)))
        index[visits[row] == 0] += UNPLAYED[self.policy.unplayed]
        if self.prior:
            index = np.maximum(np.minimum(index, self.prior["upper"][number]), self.prior["lower"][number])
        return int(pick_largest(index, rng))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        """Learn from one reward."""
        place = self._row(context)[1], arm
        if abs(reward) > LARGEST:  # the difference of two rewards could overflow
            raise ValueError(f"reward={reward}: expected a number of at most {LARGEST:g} in absolute value")
        self.arrays["visits"][place] += 1
        n, mean = self.arrays["visits"][place], self.arrays["mean"]
        mean[place] = reward if n == 1 else mean[place] + (reward - mean[place]) / n

    def check(self) -> None:
        """Raise a ValueError unless the loaded ``arrays`` are a state that rewards can lead to."""
        if (self.arrays["visits"] < 0).any():
            raise ValueError("learnt.visits: expected numbers >= 0")

    def expectations(self, context: Context | None) -> FloatArray:
        """Estimate each arm's mean reward, shape (arms,); NaN where nothing is known."""
        row = self._row(context)[1]
        return np.where(self.arrays["visits"][row] > 0, self.arrays["mean"][row], np.nan)
