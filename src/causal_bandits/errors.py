"""The root of the library's own errors."""


class CausalBanditsError(ValueError):
    """The base of every error that the library defines; each is also a ValueError.

    Wrong arguments raise plain ValueErrors and TypeErrors. A separate class is raised if a caller may want to continue:
    the effect is not identifiable, the data contradict the graph, a search would take too long.
    """
