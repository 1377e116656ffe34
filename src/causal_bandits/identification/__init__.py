"""Identify causal effects: derive the formula that computes an effect from given distributions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
