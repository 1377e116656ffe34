"""Huang & Wu (2024) on bandits with confounded and selection biased offline data.

The title is "Robustly Improving Bandit Algorithms with Confounded and Selection Biased Offline Data".
"""
