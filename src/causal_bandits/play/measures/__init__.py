"""Measures of a run besides regret, one file each; `measure` defines what a measure is."""

from causal_bandits.play.measures.measure import Measure, Played

__all__ = ["Measure", "Played"]
