"""The arena publishes nothing, so nothing is judged."""

from __future__ import annotations

from causal_bandits.evaluation.claims import Judge

JUDGES: dict[str, Judge] = {}
