"""Estimation from counts: compiled expressions and their minimum-variance averages."""
