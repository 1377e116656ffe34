"""The three bandits of Lee & Bareinboim (2019), Fig. 5 and Table 1, with their report's parameters.

The paper, *Structural Causal Bandits with Non-Manipulable Variables* (AAAI-19), draws the causal diagrams and leaves
the parameters to its technical report R-40 (Purdue AI Lab, 2019). They are as public code restates them:
github.com/iasonsky/SCMMAB-NIPS2018, commit f49ef40, ``npsem/NIPS2018POMIS_exp/scm_examples.py``. Published curves
confirm them: under each of these best means 1,000 times a curve's regret is a whole number short of 1,000 mu* t
(ledger L194).

All variables are binary. ``U_V`` is the noise of the variable V, ``U_VW`` the hidden common cause of V and W; all are
independent, and 1 with the probabilities given. ``^`` is the exclusive or.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_bandits.graphs.admg import ADMG, hidden_name

if TYPE_CHECKING:
    from causal_bandits.models.bandit import SCMBandit

#: Fig. 1, Fig. 2a and Fig. 5d. The text names no edges; ledger L06 says where these come from and how they are checked.
GRAPHS: dict[str, ADMG] = {
    "frontdoor": ADMG(
        directed=[("X", "Z"), ("Z", "Y")],
        bidirected=[("X", "Y")],
    ),
    "fourvar": ADMG(
        directed=[("A", "C"), ("A", "Y"), ("B", "C"), ("C", "Y")],
        bidirected=[("A", "B"), ("B", "Y")],
    ),
    "sixvar": ADMG(
        directed=[("A", "E"), ("B", "C"), ("C", "D"), ("C", "E"), ("D", "Y"), ("E", "Y")],
        bidirected=[("A", "Y"), ("B", "Y")],
    ),
}

#: The non-manipulable variables N of Fig. 5a, 5b and 5c.
NON_MANIPULABLE: dict[str, frozenset[str]] = {
    "frontdoor": frozenset({"Z"}),
    "fourvar": frozenset({"A"}),
    "sixvar": frozenset({"A", "C"}),
}

#: The value of a variable by its noise ``u`` and, by name, its parents and hidden causes.
Mechanism = Callable[..., Any]


def frontdoor(noise: Mapping[str, float] | None = None) -> SCMBandit:
    """Build the front-door bandit of Fig. 5a, in which Z cannot be set; mu* = 0.56.

    X = U_X ^ U_XY, Z = U_Z ^ X, Y = (U_Y and U_XY) ^ Z.

    Parameters
    ----------
    noise : mapping from str to float, optional
        Probabilities of one that replace those of the report: X 0.5, Y 0.4, Z 0.4, XY 0.5.
    """
    probabilities = {"X": 0.5, "Y": 0.4, "Z": 0.4, "XY": 0.5}
    mechanisms: dict[str, Mechanism] = {
        "X": lambda u, U_XY: u ^ U_XY,
        "Z": lambda u, X: u ^ X,
        "Y": lambda u, U_XY, Z: (u & U_XY) ^ Z,
    }
    return _bandit("frontdoor", probabilities, mechanisms, noise)


def fourvar(noise: Mapping[str, float] | None = None) -> SCMBandit:
    """Build the four-variable bandit of Fig. 5b, in which A cannot be set; mu* = 0.5625.

    A = U_AB, B = U_B ^ U_AB ^ U_BY, C = U_C ^ A ^ B, Y = 1 ^ U_Y ^ U_BY ^ A ^ C.

    Parameters
    ----------
    noise : mapping from str to float, optional
        Probabilities of one that replace those of the report: B 0.5, C 0.25, Y 0.25, BY 0.25, AB 0.4.
    """
    probabilities = {"B": 0.5, "C": 0.25, "Y": 0.25, "BY": 0.25, "AB": 0.4}
    mechanisms: dict[str, Mechanism] = {
        "A": lambda u, U_AB: U_AB,
        "B": lambda u, U_AB, U_BY: u ^ U_AB ^ U_BY,
        "C": lambda u, A, B: u ^ A ^ B,
        "Y": lambda u, U_BY, A, C: 1 ^ u ^ U_BY ^ A ^ C,
    }
    return _bandit("fourvar", probabilities, mechanisms, noise)


def sixvar(noise: Mapping[str, float] | None = None) -> SCMBandit:
    """Build the six-variable bandit of Fig. 5c, in which A and C cannot be set; mu* = 0.6332843008.

    A = U_A ^ U_AY, B = U_B ^ U_BY, C = U_C ^ B, D = U_D ^ C, E = U_E ^ A ^ C, Y = 1 ^ U_Y ^ U_AY ^ U_BY ^ D ^ E.

    Parameters
    ----------
    noise : mapping from str to float, optional
        Probabilities of one that replace those of the report: A 0.22, B 0.2, C 0.12, D 0.2, E 0.04, Y 0.87, BY 0.04,
        AY 0.45.
    """
    probabilities = {"A": 0.22, "B": 0.2, "C": 0.12, "D": 0.2, "E": 0.04, "Y": 0.87, "BY": 0.04, "AY": 0.45}
    mechanisms: dict[str, Mechanism] = {
        "A": lambda u, U_AY: u ^ U_AY,
        "B": lambda u, U_BY: u ^ U_BY,
        "C": lambda u, B: u ^ B,
        "D": lambda u, C: u ^ C,
        "E": lambda u, A, C: u ^ A ^ C,
        "Y": lambda u, U_AY, U_BY, D, E: 1 ^ u ^ U_AY ^ U_BY ^ D ^ E,
    }
    return _bandit("sixvar", probabilities, mechanisms, noise)


def _bandit(
    task: str,
    probabilities: Mapping[str, float],
    mechanisms: Mapping[str, Mechanism],
    noise: Mapping[str, float] | None,
) -> SCMBandit:
    """Build the bandit whose variables follow from these mechanisms, all arms on what can be set."""
    from causal_bandits.models.bandit import SCMBandit  # loads numba, which the diagrams do without
    from causal_bandits.models.families import from_ones, inputs_of

    graph, chosen = GRAPHS[task], dict(noise or {})
    for name, value in chosen.items():
        if name not in probabilities or not 0 <= value <= 1:
            known = ", ".join(probabilities)
            raise ValueError(f"lee2019/{task}: noise {name}={value}; expected a probability of one of: {known}")
    p = {**probabilities, **chosen}
    ones = {hidden_name(*edge): np.asarray(p["".join(sorted(edge))]) for edge in graph.bidirected}
    for variable, mechanism in mechanisms.items():
        names = inputs_of(graph, variable)
        inputs = dict(zip(names, np.indices((2,) * len(names)), strict=True))
        flipped = p.get(variable, 0.0)
        ones[variable] = (1 - flipped) * mechanism(0, **inputs) + flipped * mechanism(1, **inputs)
    return SCMBandit(from_ones(graph, ones), "Y", NON_MANIPULABLE[task])


PROBLEMS: dict[str, Callable[..., SCMBandit]] = {"frontdoor": frontdoor, "fourvar": fourvar, "sixvar": sixvar}
