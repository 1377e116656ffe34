"""Measures of a run besides regret, one file each; `measure` defines what a measure is."""

from typing import TYPE_CHECKING

from causal_bandits.lazy import lazily

if TYPE_CHECKING:
    from causal_bandits.play.measures.measure import Measure, Played

__all__ = [
    "Measure",
    "Played",
]

if not TYPE_CHECKING:  # else any misspelt name would pass
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "Measure": "causal_bandits.play.measures.measure",
            "Played": "causal_bandits.play.measures.measure",
        },
    )
