"""From policies to verdicts: simulation, tidy tables, and the judging of published numbers."""
