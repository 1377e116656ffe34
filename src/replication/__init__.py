"""The replication of five causal-bandit papers.

They are regenerated and judged with the library `causal_bandits`.
"""
