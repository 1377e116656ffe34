"""Causal models, and the bandits whose arms intervene on them.

=====================================  ============================================================================
`DiscreteSCM`                          probability tables; `read_bif` reads it from a file
`BinaryGLM`                            binary generalised linear models
`SCMBandit`, `WideSCMBandit`           arms intervene on a `DiscreteSCM`; the second has many variables
`ContextualBandit`, `FairBandit`       a context is seen first; the second has a sensitive attribute
`SingleNodeBandit`                     arms set single nodes of a large sparse graph
`GLMBandit`                            arms intervene on a `BinaryGLM`
=====================================  ============================================================================
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
