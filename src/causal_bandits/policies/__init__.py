"""Bandit algorithms by kind of bandit, one file each; `registry` names them for config files.

An algorithm is a dataclass of its hyper-parameters; `causal_bandits.play.play` plays one run of it. `StepwisePolicy` is
the base class for algorithms in plain Python. Each name is imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
