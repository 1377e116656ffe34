"""huang2022: Achieving Counterfactual Fairness for Causal Bandit (Huang, Zhang & Wu, AAAI 2022)."""
