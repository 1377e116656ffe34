"""What the paper calls the policies and experiments of the study."""

from __future__ import annotations

from typing import Any

#: Fig. 4, in the order of its caption: what the paper calls a policy, and the settings that select it.
POLICIES: dict[str, dict[str, Any]] = {
    "LinUCB": {"algorithm": "lin_ucb", "warm_start": None},
    "LinUCB-PCB": {"algorithm": "lin_ucb_pcb", "warm_start": None},
    "LinUCB_Biased": {"algorithm": "lin_ucb", "warm_start": "biased"},
    "LinUCB_CP": {"algorithm": "lin_ucb", "warm_start": "cp"},
}
