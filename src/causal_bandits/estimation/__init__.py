"""Estimation from counts: effects, bounds, tests of a graph, and averages of several estimators.

=======================  ======================================================================================
`natural_bounds`         bounds under any hidden confounding
`LinearProgramBounds`    sharp bounds if the graph is known, by linear programs over response functions
`BCE`                    bounds under confounding and selection (huang2024)
`independence_tests`     tests of the independences that a graph implies
=======================  ======================================================================================

`causal_bandits.estimation.confident_bounds` computes BCE's bounds from a finite sample. Each name is imported when it
is first used.
"""

from typing import TYPE_CHECKING

from causal_bandits.lazy import lazily

if TYPE_CHECKING:
    from causal_bandits.estimation.biased import adjusted, conditional_probability
    from causal_bandits.estimation.bounds import BCE, find_conditional_substitutes, find_rsi
    from causal_bandits.estimation.independences import IndependenceTest, implied_independences, independence_tests
    from causal_bandits.estimation.linear_programs import ContradictedGraph, LinearProgramBounds, NotLinear
    from causal_bandits.estimation.natural import natural_bounds

__all__ = [
    "BCE",
    "ContradictedGraph",
    "IndependenceTest",
    "LinearProgramBounds",
    "NotLinear",
    "adjusted",
    "conditional_probability",
    "find_conditional_substitutes",
    "find_rsi",
    "implied_independences",
    "independence_tests",
    "natural_bounds",
]

if not TYPE_CHECKING:  # otherwise any misspelt name would pass
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "BCE": "causal_bandits.estimation.bounds",
            "ContradictedGraph": "causal_bandits.estimation.linear_programs",
            "IndependenceTest": "causal_bandits.estimation.independences",
            "LinearProgramBounds": "causal_bandits.estimation.linear_programs",
            "NotLinear": "causal_bandits.estimation.linear_programs",
            "adjusted": "causal_bandits.estimation.biased",
            "conditional_probability": "causal_bandits.estimation.biased",
            "find_conditional_substitutes": "causal_bandits.estimation.bounds",
            "find_rsi": "causal_bandits.estimation.bounds",
            "implied_independences": "causal_bandits.estimation.independences",
            "independence_tests": "causal_bandits.estimation.independences",
            "natural_bounds": "causal_bandits.estimation.natural",
        },
    )
