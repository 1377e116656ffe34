"""From runs to verdicts."""
