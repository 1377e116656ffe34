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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
