"""The mean reward of a policy that nobody has played yet, from records of other policies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits import checks
from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.confident_bounds import share_limits
from causal_bandits.logs.answers import Method, PolicyValue
from causal_bandits.logs.bounding import bounds
from causal_bandits.logs.records import Records


def value(
    records: Records,
    policy: ArrayLike,
    method: Method | None,
    confidence: float | None,
    context_probabilities: ArrayLike | None,
) -> PolicyValue:
    """Bound the mean reward of a policy; see `causal_bandits.logs.Logs.value`."""
    checks.check("confidence", confidence, (None, checks.CONFIDENCE))
    chances = _checked_policy(records, policy)
    effect_confidence, share = confidence, None
    if context_probabilities is not None:
        share = _checked_shares(context_probabilities, (len(records.contexts),), "context_probabilities")
    elif records.selection is not None and not records.graph.is_d_separated(records.context, records.selection):
        raise ValueError(
            f"selection: {records.selection} depends on the context, so the logs do not show how often each context "
            "occurs; give context_probabilities"
        )
    elif confidence is not None and len(records.contexts) > 1:
        effect_confidence = (1 + confidence) / 2  # half of the error is for the contexts' frequencies
    effects = bounds(records, method, effect_confidence)
    ends = [(chances * end).sum(axis=1) for end in (effects.lower, effects.upper)]
    notes = list(effects.notes)
    if share is not None:
        low, high = share, share
    else:
        units = records.units.sum(axis=1)
        low = high = units / units.sum() if units.sum() else np.full(len(units), 1 / len(units))
        if effect_confidence != confidence:
            low, high = share_limits(units, units.sum() - units, (1 - float(confidence or 0)) / (4 * len(units)))
    if (effects.lower < effects.upper).any():
        notes.append(
            "The effects are only bounded, and their bounds were averaged; for a policy that mixes arms this may be "
            "too wide."
        )
    where = "as in the logs" if share is None else "as given"
    return PolicyValue(
        -_greatest(-ends[0], low, high) + 0.0,  # no -0.0
        _greatest(ends[1], low, high),
        effects,
        confidence,
        (*effects.assumptions, f"Contexts occur {where}, and the policy sees nothing else."),
        tuple(notes),
    )


def _checked_policy(records: Records, policy: ArrayLike) -> FloatArray:
    given = np.asarray(policy)
    if given.dtype.kind not in "biuf":
        raise ValueError(
            f"policy: {policy!r}; expected an arm's index for each context, or each arm's probability in each "
            "context, as numbers in the order of contexts and arms"
        )
    contexts, arms = len(records.contexts), len(records.arms)
    if given.shape == (contexts,) and np.issubdtype(given.dtype, np.integer):
        if ((given < 0) | (given >= arms)).any():
            raise ValueError(f"policy: arms are the integers 0..{arms - 1}, got {given.tolist()}")
        return np.asarray(np.eye(arms)[given])
    return _checked_shares(given, (contexts, arms), "policy")


def _checked_shares(given: ArrayLike, shape: tuple[int, ...], name: str) -> FloatArray:
    shares = np.asarray(given, dtype=np.float64)
    if shares.shape != shape or (shares < 0).any() or not np.allclose(shares.sum(axis=-1), 1, atol=1e-9):
        raise ValueError(f"{name}: expected probabilities of shape {shape} that sum to one, or indices of arms")
    return shares


def _greatest(values: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Return the largest mean of ``values`` under probabilities between ``low`` and ``high``."""
    shares, left = low.copy(), 1 - low.sum()
    for i in np.argsort(-values):
        more = min(high[i] - low[i], left)
        shares[i] += more
        left -= more
    return float(values @ shares)
