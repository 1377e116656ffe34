"""Causal bandits: graphs, identification, bandit models and the algorithms that play them."""
