"""Lu, Meisami & Tewari (2021), Causal Bandits with Unknown Graph Structure (NeurIPS 2021)."""
