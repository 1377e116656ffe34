"""The three causal diagrams of lee2019 and their non-manipulable variables."""

from __future__ import annotations

from causal_bandits.graphs.admg import ADMG

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
