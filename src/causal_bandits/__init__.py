"""Causal bandits: graphs, identification, bandit models and the algorithms that play them.

The names here are the usual entry points, listed in ``__init__.pyi``. Each is imported when it is first used.

====================================  ============================================================================
what to try
`ADMG`                                a causal graph: arrows, and edges with two heads for hidden common causes
`as_admg`                             a graph from a dagitty string or from networkx
`possibly_optimal_intervention_sets`  which variables to intervene on: the sets that can be best (POMIS)

what an effect is
`identify`                            the formula of an effect in terms of observational data (ID)
`z2id`                                the formula in terms of experiments on other variables
`Logs`                                logged decisions as a data frame: effects, bounds, tests of the graph
`NotIdentifiable`                     raised if no formula gives the effect
`CausalBanditsError`                  the base of all the library's errors

what to play
`DiscreteSCM`                         a causal model with probability tables
`SCMBandit`                           a bandit whose arms intervene on such a model
`generators`                          the random numbers of one run
`StepwisePolicy`                      the base of algorithms in plain Python

in use
`CausalBandit`                        arms from a graph, samples shared between them, and a prior from logs
`ContextualCausalBandit`              the same verbs after a context was seen
====================================  ============================================================================

``causal_bandits.play.play`` plays one run of an algorithm; ``causal_bandits.policies`` has the algorithms,
``causal_bandits.problems`` the bandits of papers by name, ``causal_bandits.models`` further bandits,
``causal_bandits.datasets`` counts of records, and ``causal_bandits.discovery`` learners of graphs.

>>> from causal_bandits import as_admg, possibly_optimal_intervention_sets
>>> graph = as_admg("dag { X -> Z -> Y ; X <-> Y }")
>>> sorted(map(sorted, possibly_optimal_intervention_sets(graph, outcome="Y")))
[[], ['Z']]
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
