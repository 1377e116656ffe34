"""What is measured of a run beside regret: one file per measure, and what a measure is."""
