"""Causal graphs, and everything that can be computed from a graph without data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
