"""The bandits that papers play, by name: ``make("lee2019/sixvar")``.

A module of this package is a paper, named after its slug. Its dictionary ``PROBLEMS`` has one function per problem,
whose docstring says what the problem is and where its parameters come from; its arguments are the problem's options. So
a new problem is a function and an entry of that dictionary, a new paper is a module; nothing else has to be changed.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causal_bandits.models.protocol import Bandit

__all__ = ["make", "names"]


def make(name: str, **options: Any) -> Bandit[Any]:
    """Build the bandit of this name.

    Parameters
    ----------
    name : str
        One of `names`: a paper's slug, a slash, and the problem, for instance ``"lee2019/sixvar"``.
    **options
        Of the problem's function, see its docstring: ``help(causal_bandits.problems.lee2019.sixvar)``.

    Raises
    ------
    ValueError
        If there is no such problem, or an option has an impossible value.

    Examples
    --------
    >>> bandit = make("lee2019/frontdoor")
    >>> bandit.means.round(2).tolist()
    [0.5, 0.44, 0.56]
    """
    paper, _, problem = name.partition("/")
    found = _problems(paper).get(problem) if paper in _papers() else None
    if found is None:
        raise ValueError(f"no problem {name!r}; expected one of: {', '.join(names())}")
    bandit: Bandit[Any] = found(**options)
    return bandit


def names() -> tuple[str, ...]:
    """List the names of all problems, sorted.

    Examples
    --------
    >>> names()
    ('lee2019/fourvar', 'lee2019/frontdoor', 'lee2019/sixvar')
    """
    return tuple(sorted(f"{paper}/{problem}" for paper in _papers() for problem in _problems(paper)))


def _papers() -> list[str]:
    return [module.name for module in iter_modules(__path__)]


def _problems(paper: str) -> dict[str, Any]:
    found: dict[str, Any] = import_module(f"{__name__}.{paper}").PROBLEMS
    return found
