"""Lee & Bareinboim (2019), Structural Causal Bandits with Non-Manipulable Variables (AAAI-19)."""
