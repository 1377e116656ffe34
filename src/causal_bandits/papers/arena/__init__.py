"""The arena: algorithms of all papers on random problems, by what they know of the causal graph."""
