"""Answers from logs: bounds on effects and on a policy's value, and the assumptions behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from causal_bandits.arrays import FloatArray

Method: TypeAlias = Literal["formula", "linear program", "natural", "bce"]


@dataclass(frozen=True, eq=False)
class EffectBounds:
    """Bounds on P(success | do(arm), context), with the assumptions behind them.

    Attributes
    ----------
    lower, upper : float64 arrays, shape (contexts, arms)
        In [0, 1]; equal where the effect is identified and its cells have records.
    contexts, arms : tuple of mapping from str to str
        The labels of each context's and each arm's states.
    success : str
        The outcome's state whose probability is bounded, for example ``well = 1``.
    method : {"formula", "linear program", "natural", "bce"}
        How the bounds were computed.
    confidence : float or None
        The probability with which all bounds hold at once; None if frequencies were treated as probabilities.
    assumptions : tuple of str
        Sentences; the bounds hold if all of them do.
    notes : tuple of str
        Sentences that say why this method was used, and what else to know.
    misfit : float
        How far the frequencies are from those of the nearest model of the graph (sum of absolute differences; from
        linear programs only, else 0). If it is above 0, the bounds are those of that model.
    """

    lower: FloatArray
    upper: FloatArray
    contexts: tuple[Mapping[str, str], ...]
    arms: tuple[Mapping[str, str], ...]
    success: str
    method: Method
    confidence: float | None
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    misfit: float = 0.0

    def rows(self) -> list[dict[str, Any]]:
        """List one row per context and arm, for instance for ``pandas.DataFrame``."""
        return [
            {**context, **arm, "lower": float(self.lower[c, a]), "upper": float(self.upper[c, a])}
            for c, context in enumerate(self.contexts)
            for a, arm in enumerate(self.arms)
        ]

    def table(self) -> str:
        """Return the bounds as a plain-text table."""
        heads = ["given", "do"] if len(self.contexts) > 1 else ["do"]
        rows = []
        for c, context in enumerate(self.contexts):
            for a, arm in enumerate(self.arms):
                names = [in_words(context), in_words(arm)][2 - len(heads) :]
                rows.append([*names, f"{self.lower[c, a]:z.3f}", f"{self.upper[c, a]:z.3f}"])
        every = [[*heads, "lower", "upper"], *rows]
        widths = [max(len(row[i]) for row in every) for i in range(len(every[0]))]
        first = len(heads)
        return "\n".join(
            "  ".join(
                [cell.ljust(width + 1) for cell, width in zip(row[:first], widths, strict=False)] + row[first:]
            ).rstrip()
            for row in every
        )

    def __str__(self) -> str:
        how = "frequencies treated as probabilities"
        if self.confidence is not None:
            how = f"all hold at once with probability {self.confidence:.0%}"
        parts = [f"P({self.success} | do(...)), by {_NAMES[self.method]}; {how}", self.table()]
        parts += ["This holds if:", *(f"- {sentence}" for sentence in self.assumptions)]
        parts += ["Notes:", *(f"- {sentence}" for sentence in self.notes)] if self.notes else []
        return "\n".join(parts)


@dataclass(frozen=True, eq=False)
class PolicyValue:
    """Bounds on the mean reward of a policy, with the assumptions behind them.

    Attributes
    ----------
    lower, upper : float
        In [0, 1]; equal if all effects that the policy needs are identified and no confidence was requested.
    effects : EffectBounds
        The bounds of each arm in each context.
    confidence : float or None
        The probability with which the interval holds.
    assumptions, notes : tuple of str
        Sentences, as in `EffectBounds`.
    """

    lower: float
    upper: float
    effects: EffectBounds
    confidence: float | None
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        how = "frequencies treated as probabilities"
        if self.confidence is not None:
            how = f"holds with probability {self.confidence:.0%}"
        parts = [f"P({self.effects.success}) under the policy: {self.lower:z.3f} to {self.upper:z.3f}; {how}"]
        parts += ["This holds if:", *(f"- {sentence}" for sentence in self.assumptions)]
        parts += ["Notes:", *(f"- {sentence}" for sentence in self.notes)] if self.notes else []
        return "\n".join(parts)


_NAMES: Mapping[Method, str] = {
    "formula": "a formula (the effect is identified)",
    "linear program": "linear programs (Balke and Pearl)",
    "natural": "natural bounds",
    "bce": "BCE (bounds under confounding and selection)",
}


def in_words(labels: Mapping[str, str]) -> str:
    """Write states as labels: ``drug = yes, age = old``."""
    return ", ".join(f"{v} = {label}" for v, label in labels.items()) or "always"
