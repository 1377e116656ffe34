"""Huang & Wu (2024), Robustly Improving Bandit Algorithms with Confounded and Selection Biased Offline Data."""
