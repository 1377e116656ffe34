"""Measures of a run beside regret, one file each; `measure` says what a measure is."""
