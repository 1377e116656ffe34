"""The meaning of a verdict's words, in a sentence each.

Each outcome also has a mark that stands beside its colour.
"""

from __future__ import annotations

from replication.judging.claims import ERROR, MISPRINT, SLIP
from replication.judging.judges import Basis, Because, Outcome
from replication.judging.verdict_tables import FITTED

OUTCOMES = {
    Outcome.HOLDS: "The claim holds under every reading of the paper that counts.",
    Outcome.DEPENDS: "It holds under some readings of the paper and fails under others.",
    Outcome.FAILS: "It fails under every reading that counts. A number fails if it is further from ours than sampling "
    "error explains.",
    Outcome.OPEN: "It is not decided; the word next to it says why.",
    FITTED: "The number was used to fill in what the paper omits, so it is no evidence either way.",
}

#: One character each, so that no outcome is told by its colour alone.
MARKS = {
    Outcome.HOLDS: "✓",
    Outcome.DEPENDS: "±",
    Outcome.FAILS: "✗",
    Outcome.OPEN: "?",
    FITTED: "=",
}

BECAUSE = {
    Because.OMITTED: "The paper omits what decides it.",
    Because.UNTESTABLE: "No result could contradict the claim, or the paper has too few trials to confirm its number.",
    Because.NOT_RUN: "This configuration of the study leaves it out.",
    Because.SEEDS: "More seeds would decide, or the difference is too near the border; the reason says which.",
}

#: What is wrong in the paper itself, of a claim that fails by exact computation.
FAULTS = {
    ERROR: "A statement, an algorithm or a number of the paper is wrong in a way that matters.",
    SLIP: "Pseudo-code or a formula contains a mistake, but the intended version is clear and works.",
    MISPRINT: "A letter, a name or a number is printed wrongly; nothing else depends on it.",
}

BASES = {
    Basis.EXACT: "Computed; nothing was sampled.",
    Basis.SIMULATED: "Tested on runs with random seeds.",
    Basis.IDENTITY: "True by construction; no other result was possible.",
    Basis.FITTED: "The number was used to fill in what the paper omits.",
}
