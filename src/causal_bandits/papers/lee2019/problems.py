from causal_bandits.graphs import ADMG
GRAPHS = {
    "frontdoor": ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("X", "Y")]),
    "fourvar": ADMG(directed=[("A", "C"), ("A", "Y"), ("B", "C"), ("C", "Y")], bidirected=[("A", "B"), ("B", "Y")]),
    "sixvar": ADMG(
        directed=[("A", "E"), ("B", "C"), ("C", "D"), ("C", "E"), ("D", "Y"), ("E", "Y")],
        bidirected=[("A", "Y"), ("B", "Y")],
    ),
}
