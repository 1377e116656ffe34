"""The replication of five causal-bandit papers.

Their results are regenerated and judged with the library `causal_bandits`.
"""
