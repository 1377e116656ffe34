"""Causal bandits: the algorithms of five papers and the study that replicates them."""
