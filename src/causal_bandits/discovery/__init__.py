"""Learn causal graphs from tables of discrete data, with tiers, and compare the learned graphs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
