"""What the words of a verdict mean, in a sentence each.

Each outcome also has a mark that stands beside its colour.
"""

from __future__ import annotations

from replication.judging.claims import ERROR, MISPRINT, SLIP
from replication.judging.judges import Basis, Because, Outcome
from replication.judging.verdict_tables import FITTED

OUTCOMES = {
    Outcome.HOLDS: "The claim holds under every reading of the paper that counts.",
    Outcome.DEPENDS: "It holds under some readings of what the paper leaves open and fails under others.",
    Outcome.FAILS: "It fails under every reading that counts. A number fails if the paper's own trials cannot explain "
    "how far ours lies from it.",
    Outcome.OPEN: "It cannot be told; the word beside it says why.",
    FITTED: "The number was used to fix what the paper omits, so it is no evidence either way.",
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
    Because.UNTESTABLE: "No outcome could contradict the claim, or the paper has too few trials to confirm its number.",
    Because.NOT_RUN: "Another configuration of the study plays it.",
    Because.SEEDS: "More seeds would decide, or the difference is too near the border; the reason says which.",
}

#: What is wrong in the paper itself, of a claim that fails by exact computation.
FAULTS = {
    ERROR: "A statement or an algorithm of the paper is wrong.",
    SLIP: "The pseudo-code does not do what the text says; a repair is plain.",
    MISPRINT: "A letter or a number is printed wrongly; nothing rests on it.",
}

BASES = {
    Basis.EXACT: "Computed; nothing was sampled.",
    Basis.SIMULATED: "Simulated over random seeds.",
    Basis.IDENTITY: "It could not have come out otherwise.",
    Basis.FITTED: "Rests on numbers that were fitted to the published ones.",
}
