"""The bandits of the five papers and of the arena, by name: ``make("lee2019/sixvar")``.

Each module of this package belongs to a paper, after whose slug it is named, or to the arena. Its dictionary
``PROBLEMS`` has one function per problem, whose docstring says what the problem is and where its parameters come from;
its arguments are the problem's options. ``MEASURES`` lists the measures of a run besides regret, if there are any. So a
new problem is a function and an entry in that dictionary, and a new paper is a module; nothing else has to be changed.
The package `construction` holds what the problems are built from.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causal_bandits.models.protocol import Bandit

__all__ = ["load", "make", "module_of", "names"]


def make(name: str, **options: Any) -> Bandit[Any]:
    """Build the bandit of this name.

    Parameters
    ----------
    name : str
        One of `names`: a paper's slug, a slash, and the problem, for instance ``"lee2019/sixvar"``; or the import path
        ``package.module:function`` of your own problem.
    **options
        Options of the problem's function; see its docstring: ``help(causal_bandits.problems.load("lee2019/sixvar"))``.

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
    bandit: Bandit[Any] = load(name)(**options)
    return bandit


def names() -> tuple[str, ...]:
    """List the names of all problems, sorted.

    Examples
    --------
    >>> [name for name in names() if name.startswith("lee2019/")]
    ['lee2019/fourvar', 'lee2019/frontdoor', 'lee2019/sixvar']
    """
    return tuple(sorted(f"{paper}/{problem}" for paper in _papers() for problem in _problems(paper)))


def load(name: str) -> Callable[..., Any]:
    """Return the function that builds the problem of this name; see `make`.

    Raises
    ------
    ValueError
        If there is no such problem.
    ImportError, AttributeError
        If an import path does not name a function.
    """
    module, colon, function = name.partition(":")
    if colon:
        own: Callable[..., Any] = getattr(import_module(module), function)
        return own
    paper, _, problem = name.partition("/")
    found = _problems(paper).get(problem) if paper in _papers() else None
    if found is None:
        raise ValueError(f"no problem {name!r}; expected one of: {', '.join(names())}")
    return found


def module_of(name: str) -> str:
    """Return the module that builds the problem of this name, without importing it."""
    module, colon, _ = name.partition(":")
    return module if colon else f"{__name__}.{name.partition('/')[0]}"


def _papers() -> list[str]:
    return [module.name for module in iter_modules(__path__) if not module.ispkg]


def _problems(paper: str) -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = import_module(f"{__name__}.{paper}").PROBLEMS
    return found
