"""The replication: five causal-bandit papers, regenerated and judged with the library `causal_bandits`."""
