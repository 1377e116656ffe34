"""Play one run of one policy on one bandit, and measure what happens in it."""
