"""Xiong & Chen (ICLR 2023), Combinatorial Pure Exploration of Causal Bandits."""
