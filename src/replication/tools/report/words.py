"""What the words of a verdict mean, in a sentence each.

Each outcome also has a mark that stands beside its colour.
"""

from __future__ import annotations

from replication.judging.judges import Basis, Because, Outcome

OUTCOMES = {
    Outcome.HOLDS: "The claim holds under every reading of the paper that counts.",
    Outcome.DEPENDS: "It holds under some readings of what the paper leaves open and fails under others.",
    Outcome.FAILS: "It fails under every reading that counts. A number fails if the paper's own trials cannot explain "
    "how far ours lies from it.",
    Outcome.WRONG: "The paper's own stated parameters imply another value under every reading, computed exactly.",
    Outcome.OPEN: "It cannot be told; the word beside it says why.",
    Outcome.FITTED: "The number was used to fix what the paper omits, so it is no evidence either way.",
}

#: One character each, so that no outcome is told by its colour alone.
MARKS = {
    Outcome.HOLDS: "✓",
    Outcome.DEPENDS: "±",
    Outcome.FAILS: "✗",
    Outcome.WRONG: "!",
    Outcome.OPEN: "?",
    Outcome.FITTED: "=",
}

BECAUSE = {
    Because.OMITTED: "The paper omits what decides it.",
    Because.UNTESTABLE: "No outcome could contradict the claim.",
    Because.TRIALS: "The paper's own trials are too few to confirm or refute the number.",
    Because.CLOSE: "The difference is too near the border of the test.",
    Because.NOT_RUN: "Another configuration of the study plays it.",
    Because.SEEDS: "More seeds would decide; the reason says how many.",
}

BASES = {
    Basis.EXACT: "Computed; nothing was sampled.",
    Basis.SIMULATED: "Simulated over random seeds.",
    Basis.IDENTITY: "It could not have come out otherwise.",
    Basis.FITTED: "Rests on numbers that were fitted to the published ones.",
}
