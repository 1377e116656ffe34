"""The root of the library's own errors."""


class CausalBanditsError(ValueError):
    """The base of every error that the library names; each is a ValueError as well.

    Wrong arguments raise plain ValueErrors and TypeErrors. A class of its own is raised where a caller may want to go
    on: the effect is not identifiable, the data contradict the graph, a search would take too long.
    """
