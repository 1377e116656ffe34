"""The three tasks of Wei et al. 2023: binary models with hidden causes whose diagram is known.

Source: Wei, Elahi, Ghasemi & Kocaoglu 2023, "Approximate Allocation Matching for Structural Causal Bandits with
Unobserved Confounders"; the equations are those of the authors' program. Every hidden cause is a coin with P(u = 1)
given, and every observed variable with causes is a Boolean function of them, noise of its own included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM


class Gate(NamedTuple):
    """A variable that is a Boolean function of its causes, hidden ones too, in the order of the arguments."""

    causes: Sequence[str]
    function: Callable[..., int]


class Task(NamedTuple):
    """A diagram, P(u = 1) of all coins, and the other variables. A coin in the diagram is observed."""

    graph: ADMG
    coins: Mapping[str, float]
    gates: Mapping[str, Gate]

    def bandit(self) -> SCMBandit:
        """Make the bandit whose arms are all values of the possibly optimal sets."""
        cpts = {u: CPT((), [1 - p, p]) for u, p in self.coins.items()}
        for v, (causes, function) in self.gates.items():
            table = np.zeros((2,) * (len(causes) + 1))
            for values in product((0, 1), repeat=len(causes)):
                table[(*values, function(*values))] = 1.0
            cpts[v] = CPT(tuple(causes), table)
        return SCMBandit(DiscreteSCM(self.graph, cpts), "Y", arm_strategy="possibly_optimal")


TASKS = {
    1: Task(
        ADMG([("Z", "X"), ("X", "Y")], [("X", "Y")]),
        {"Z": 0.6, "U_x": 0.11, "U_xy": 0.51, "U_y": 0.15},
        {
            "X": Gate(("Z", "U_x", "U_xy"), lambda z, u, w: z ^ u ^ w),
            "Y": Gate(("X", "U_y", "U_xy"), lambda x, u, w: 1 ^ x ^ u ^ w),
        },
    ),
    2: Task(
        ADMG([("V1", "V3"), ("V3", "Y"), ("V2", "V4"), ("V4", "Y")], [("V3", "V4"), ("V2", "Y")]),
        {"V1": 0.45, "U_2": 0.05, "U_2y": 0.54, "U_3": 0.07, "U_34": 0.51, "U_4": 0.06, "U_y": 0.06},
        {
            "V2": Gate(("U_2", "U_2y"), lambda u, w: u ^ w),
            "V3": Gate(("V1", "U_3", "U_34"), lambda v, u, w: v ^ u ^ w),
            "V4": Gate(("V2", "U_4", "U_34"), lambda v, u, w: 1 ^ v ^ u ^ w),
            "Y": Gate(("V3", "V4", "U_y", "U_2y"), lambda a, b, u, w: a ^ b ^ u ^ w),
        },
    ),
    3: Task(
        ADMG(
            [("V1", "V3"), ("V3", "V5"), ("V5", "Y"), ("V2", "V4"), ("V4", "V5"), ("V4", "V6"), ("V6", "Y")],
            [("V3", "Y")],
        ),
        {"V1": 0.49, "V2": 0.85, "U_3": 0.77, "U_3y": 0.71, "U_4": 0.86, "U_5": 0.90, "U_6": 0.76, "U_y": 0.86},
        {
            "V3": Gate(("V1", "U_3", "U_3y"), lambda v, u, w: (v | u) ^ w),
            "V4": Gate(("V2", "U_4"), lambda v, u: v & u),
            "V5": Gate(("V3", "V4", "U_5"), lambda a, b, u: (u ^ a) | b),
            "V6": Gate(("V4", "U_6"), lambda v, u: v | u),
            "Y": Gate(("V5", "V6", "U_3y", "U_y"), lambda a, b, w, u: ((a ^ b ^ w) & u) ^ b),
        },
    ),
}


def matching(task: int) -> SCMBandit:
    """Make one of the three tasks; arms are all values of the possibly optimal sets.

    Parameters
    ----------
    task : int
        1, 2 or 3.

    Raises
    ------
    ValueError
        If there is no such task.
    """
    if task not in TASKS:
        raise ValueError(f"task={task}: expected one of {', '.join(map(str, TASKS))}")
    return TASKS[task].bandit()
