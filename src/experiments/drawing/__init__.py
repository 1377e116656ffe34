"""Draw figures, causal diagrams and printed tables from the tidy tables."""
