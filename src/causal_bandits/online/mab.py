"""A bandit with the methods that users of MABWiser know."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.online.bandit import OnlineBandit
from causal_bandits.policies.base import IncrementalPolicy
from causal_bandits.policies.classical.kl_ucb import KLUCB
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.ucb import UCB


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
