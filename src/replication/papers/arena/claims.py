"""The arena judges no published number."""

from __future__ import annotations

from replication.judging.claims import Judge

JUDGES: dict[str, Judge] = {}
