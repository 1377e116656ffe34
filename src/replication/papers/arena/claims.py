"""The arena publishes nothing, so nothing is judged."""

from __future__ import annotations

from replication.judging.claims import Judge

JUDGES: dict[str, Judge] = {}
