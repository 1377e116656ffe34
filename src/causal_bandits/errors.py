"""The root of the library's own errors."""


class CausalBanditsError(ValueError):
    """The base of every error that the library defines; each is also a ValueError.

    Wrong arguments raise plain ValueErrors and TypeErrors. Separate classes exist for cases in which a caller may want
    to continue: the effect is not identifiable, the data contradict the graph, or a search would take too long.
    """
