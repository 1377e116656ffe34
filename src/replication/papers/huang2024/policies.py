"""Policies of huang2024 by the paper's names, and how figures draw them."""

from __future__ import annotations

from experiments.drawing.looks import COLOURS, Look

#: Fig. 4, in the order of its caption.
FIGURE_4 = {
    "LinUCB": Look({"algorithm": "lin_ucb", "warm_start": None}, COLOURS["blue"]),
    "LinUCB-PCB": Look({"algorithm": "lin_ucb_pcb", "warm_start": None}, COLOURS["red"]),
    "LinUCB_Biased": Look({"algorithm": "lin_ucb", "warm_start": "biased"}, COLOURS["orange"]),
    "LinUCB_CP": Look({"algorithm": "lin_ucb", "warm_start": "cp"}, COLOURS["green"]),
}
#: Pairs from the appendix, without and with prior causal bounds, by experiment.
PAIRS = {
    "oam": {
        "OAM": Look({"algorithm": "oam"}, COLOURS["blue"]),
        "OAM-PCB as printed": Look({"algorithm": "oam_pcb", "bounds_enter": "choices"}, COLOURS["red"], (0, (4, 4))),
        "OAM-PCB, arms left out": Look({"algorithm": "oam_pcb", "bounds_enter": "arms"}, COLOURS["red"]),
    },
    "non_contextual": {
        "UCB": Look({"algorithm": "ucb"}, COLOURS["blue"]),
        "UCB-PCB": Look({"algorithm": "ucb_pcb"}, COLOURS["red"]),
    },
}
#: How figures draw a policy, by its name.
POLICIES = {**FIGURE_4, **{name: look for pair in PAIRS.values() for name, look in pair.items()}}
