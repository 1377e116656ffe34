"""The three bandits of Lee & Bareinboim (2019), Fig. 5 and Table 1, with their report's parameters.

The paper, *Structural Causal Bandits with Non-Manipulable Variables* (AAAI-19), draws the causal diagrams and leaves
the parameters to its technical report R-40 (Purdue AI Lab, 2019). The values here are those in public code that
restates them: github.com/iasonsky/SCMMAB-NIPS2018, commit f49ef40, ``npsem/NIPS2018POMIS_exp/scm_examples.py``.
Published curves confirm them: with each of these best means, 1,000 times a curve's regret is 1,000 mu* t minus a whole
number (ledger L194).

All variables are binary. ``U_V`` is the noise of the variable V, ``U_VW`` the hidden common cause of V and W; all are
independent, and 1 with the probabilities given. ``^`` is the exclusive or.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from causal_bandits.graphs.admg import hidden_name
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.families import FAMILIES, from_ones, inputs_of
from causal_bandits.play.measures.drawn_regret import DrawnRegret
from causal_bandits.play.measures.measure import Measure
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from causal_bandits.seeding import stable_hash

#: The value of a variable in terms of its noise ``u`` and, by name, its parents and hidden causes.
Mechanism = Callable[..., Any]


def frontdoor(
    noise: Mapping[str, float] | None = None, family: str | None = None, draw: int | None = None
) -> SCMBandit:
    """Build the front-door bandit of Fig. 5a, in which Z cannot be set; mu* = 0.56.

    X = U_X ^ U_XY, Z = U_Z ^ X, Y = (U_Y and U_XY) ^ Z.

    Parameters
    ----------
    noise : mapping from str to float, optional
        Probabilities of one that replace those of the report: X 0.5, Y 0.4, Z 0.4, XY 0.5.
    family, draw : str and int, optional
        See `random_model`: parameters that are drawn instead.
    """
    probabilities = {"X": 0.5, "Y": 0.4, "Z": 0.4, "XY": 0.5}
    mechanisms: dict[str, Mechanism] = {
        "X": lambda u, U_XY: u ^ U_XY,
        "Z": lambda u, X: u ^ X,
        "Y": lambda u, U_XY, Z: (u & U_XY) ^ Z,
    }
    return _bandit("frontdoor", probabilities, mechanisms, noise, family, draw)


def fourvar(noise: Mapping[str, float] | None = None, family: str | None = None, draw: int | None = None) -> SCMBandit:
    """Build the four-variable bandit of Fig. 5b, in which A cannot be set; mu* = 0.5625.

    A = U_AB, B = U_B ^ U_AB ^ U_BY, C = U_C ^ A ^ B, Y = 1 ^ U_Y ^ U_BY ^ A ^ C.

    Parameters
    ----------
    noise : mapping from str to float, optional
        Probabilities of one that replace those of the report: B 0.5, C 0.25, Y 0.25, BY 0.25, AB 0.4.
    family, draw : str and int, optional
        See `random_model`: parameters that are drawn instead.
    """
    probabilities = {"B": 0.5, "C": 0.25, "Y": 0.25, "BY": 0.25, "AB": 0.4}
    mechanisms: dict[str, Mechanism] = {
        "A": lambda u, U_AB: U_AB,
        "B": lambda u, U_AB, U_BY: u ^ U_AB ^ U_BY,
        "C": lambda u, A, B: u ^ A ^ B,
        "Y": lambda u, U_BY, A, C: 1 ^ u ^ U_BY ^ A ^ C,
    }
    return _bandit("fourvar", probabilities, mechanisms, noise, family, draw)


def sixvar(noise: Mapping[str, float] | None = None, family: str | None = None, draw: int | None = None) -> SCMBandit:
    """Build the six-variable bandit of Fig. 5c, in which A and C cannot be set; mu* = 0.6332843008.

    A = U_A ^ U_AY, B = U_B ^ U_BY, C = U_C ^ B, D = U_D ^ C, E = U_E ^ A ^ C, Y = 1 ^ U_Y ^ U_AY ^ U_BY ^ D ^ E.

    Parameters
    ----------
    noise : mapping from str to float, optional
        Probabilities of one that replace those of the report: A 0.22, B 0.2, C 0.12, D 0.2, E 0.04, Y 0.87, BY 0.04,
        AY 0.45.
    family, draw : str and int, optional
        See `random_model`: parameters that are drawn instead.
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
    return _bandit("sixvar", probabilities, mechanisms, noise, family, draw)


def random_model(task: str, family: str, draw: int) -> SCMBandit:
    """Draw a bandit with the diagram and arms of one of the paper's three, and different parameters (ledger L70).

    Parameters
    ----------
    task : str
        A key of `GRAPHS`.
    family : str
        A key of `causal_bandits.models.families.FAMILIES`.
    draw : int
        >= 0: the number of the family's draw.

    Raises
    ------
    ValueError
        If there is no such family.
    """
    if family not in FAMILIES:
        raise ValueError(f"{task}: family {family!r} is not one of {', '.join(sorted(FAMILIES))}")
    rng = np.random.default_rng([stable_hash(f"lee2019/{task}/{family}"), draw])
    return SCMBandit(FAMILIES[family](GRAPHS[task], rng), "Y", NON_MANIPULABLE[task])


def _bandit(
    task: str,
    probabilities: Mapping[str, float],
    mechanisms: Mapping[str, Mechanism],
    noise: Mapping[str, float] | None,
    family: str | None = None,
    draw: int | None = None,
) -> SCMBandit:
    """Build the bandit whose variables follow from these mechanisms, or one that a family draws."""
    if (family is None) != (draw is None) or (family is not None and noise is not None):
        raise ValueError(f"{task}: give a family and a draw together, and noise only without them")
    if family is not None and draw is not None:
        return random_model(task, family, draw)
    graph, chosen = GRAPHS[task], dict(noise or {})
    for name, value in chosen.items():
        if name not in probabilities or not 0 <= value <= 1:
            known = ", ".join(probabilities)
            raise ValueError(f"lee2019/{task}: noise {name}={value}; expected a probability for one of: {known}")
    p = {**probabilities, **chosen}
    ones = {hidden_name(*edge): np.asarray(p["".join(sorted(edge))]) for edge in graph.bidirected}
    for variable, mechanism in mechanisms.items():
        names = inputs_of(graph, variable)
        inputs = dict(zip(names, np.indices((2,) * len(names)), strict=True))
        flipped = p.get(variable, 0.0)
        ones[variable] = (1 - flipped) * mechanism(0, **inputs) + flipped * mechanism(1, **inputs)
    return SCMBandit(from_ones(graph, ones), "Y", NON_MANIPULABLE[task])


def build(task: str, **options: Any) -> SCMBandit:
    """Build the bandit of this name; see `PROBLEMS`."""
    return PROBLEMS[task](**options)


#: The problems by name.
PROBLEMS: dict[str, Callable[..., SCMBandit]] = {"frontdoor": frontdoor, "fourvar": fourvar, "sixvar": sixvar}

#: The measures of a run besides regret.
MEASURES: tuple[type[Measure], ...] = (DrawnRegret,)
