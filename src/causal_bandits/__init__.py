"""Causal bandits: graphs, identification, bandit models and the algorithms that play them.

The names here are the usual entry points. Each is imported when it is first used.

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
`ContextualBandit`                    a bandit that shows a context before each choice
`generators`                          the random numbers of one run
`load`                                an algorithm by its name in `causal_bandits.policies.registry`
`StepwisePolicy`                      the base of algorithms in plain Python
`IncrementalPolicy`                   the base of algorithms without context or horizon, also for `OnlineBandit`

in production
`OnlineBandit`                        an algorithm that acts and updates, and saves its state
====================================  ============================================================================

``causal_bandits.play.play`` plays one run of an algorithm; ``causal_bandits.policies`` has the algorithms,
``causal_bandits.problems`` the bandits of papers by name, ``causal_bandits.datasets`` two data sets,
``causal_bandits.discovery`` learners of graphs, and ``causal_bandits.gym`` Gymnasium environments.

>>> from causal_bandits import as_admg, possibly_optimal_intervention_sets
>>> graph = as_admg("dag { X -> Z -> Y ; X <-> Y }")
>>> sorted(map(sorted, possibly_optimal_intervention_sets(graph, "Y")))
[[], ['Z']]
"""

from typing import TYPE_CHECKING

from causal_bandits.lazy import lazily

if TYPE_CHECKING:
    from causal_bandits.errors import CausalBanditsError
    from causal_bandits.graphs.admg import ADMG
    from causal_bandits.graphs.exchange.reading import as_admg
    from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
    from causal_bandits.identification.c_factors import NotIdentifiable
    from causal_bandits.identification.identify import identify
    from causal_bandits.identification.z2id import z2id
    from causal_bandits.logs import Logs
    from causal_bandits.models.bandit import SCMBandit
    from causal_bandits.models.contextual import ContextualBandit
    from causal_bandits.models.discrete_scm import DiscreteSCM
    from causal_bandits.online import OnlineBandit
    from causal_bandits.policies.base import IncrementalPolicy, StepwisePolicy
    from causal_bandits.policies.registry import load
    from causal_bandits.seeding import generators

__version__ = "0.1.0"

__all__ = [
    "ADMG",
    "CausalBanditsError",
    "ContextualBandit",
    "DiscreteSCM",
    "IncrementalPolicy",
    "Logs",
    "NotIdentifiable",
    "OnlineBandit",
    "SCMBandit",
    "StepwisePolicy",
    "__version__",
    "as_admg",
    "generators",
    "identify",
    "load",
    "possibly_optimal_intervention_sets",
    "z2id",
]

if not TYPE_CHECKING:  # else any misspelt name would pass
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "ADMG": "causal_bandits.graphs.admg",
            "CausalBanditsError": "causal_bandits.errors",
            "ContextualBandit": "causal_bandits.models.contextual",
            "DiscreteSCM": "causal_bandits.models.discrete_scm",
            "IncrementalPolicy": "causal_bandits.policies.base",
            "Logs": "causal_bandits.logs",
            "NotIdentifiable": "causal_bandits.identification.c_factors",
            "OnlineBandit": "causal_bandits.online",
            "SCMBandit": "causal_bandits.models.bandit",
            "StepwisePolicy": "causal_bandits.policies.base",
            "as_admg": "causal_bandits.graphs.exchange.reading",
            "generators": "causal_bandits.seeding",
            "identify": "causal_bandits.identification.identify",
            "load": "causal_bandits.policies.registry",
            "possibly_optimal_intervention_sets": "causal_bandits.graphs.intervention_sets",
            "z2id": "causal_bandits.identification.z2id",
        },
    )
