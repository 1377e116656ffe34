"""How the paper calls problems, and how it writes sets and expressions."""

from __future__ import annotations

from collections.abc import Iterable

#: Problems, in the order of the panels of Fig. 5.
TASKS = {"frontdoor": "Fig. 5a", "fourvar": "Fig. 5b", "sixvar": "Fig. 5c"}


def written(sets: Iterable[Iterable[str]]) -> str:
    """Sets as the published table writes them: small ones first, ``{} {A} {A,C}``."""
    ordered = sorted((sorted(chosen) for chosen in sets), key=lambda names: (len(names), names))
    return " ".join("{" + ",".join(names) + "}" for names in ordered)


def compact(expression: str) -> str:
    """An expression's text without spaces and braces, so that printed and found ones can be compared."""
    return expression.translate(str.maketrans("", "", " {}"))
