"""Read discrete Bayesian networks from the Bayesian Interchange Format (BIF).

Network repositories distribute networks in this format. Source: Cozman (1998), "The Interchange Format for Bayesian
Networks", version 0.15.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import prod

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, TOLERANCE, DiscreteSCM, divided, numbered

#: A name in quotation marks, which protect everything between them.
_QUOTED = r'"[^"]*"'
_COMMENT = re.compile(rf"({_QUOTED})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEAD = re.compile(rf"\s*(network|variable|probability)\b((?:{_QUOTED}|[^\"{{}}])*)\{{")
_BODY = re.compile(rf"((?:{_QUOTED}|[^\"{{}}]|\{{(?:{_QUOTED}|[^\"{{}}])*\}})*)\}}\s*")
_STATEMENT = re.compile(rf"((?:{_QUOTED}|[^\";])*);")
_STATES = re.compile(r"type\s+discrete\s*\[\s*(\d+)\s*\]\s*\{(.*)\}", re.DOTALL)
#: A row: the parents' states in parentheses, or a keyword; then numbers.
_ROW = re.compile(r"(?:\((.*)\)|(table|default)\b)([^)]*)", re.DOTALL)


def read_bif(
    text: str, ones: Mapping[str, str] | None = None, *, keep_order: bool = False, tolerance: float = TOLERANCE
) -> DiscreteSCM:
    """Read a network in the Bayesian Interchange Format.

    States are numbered as `DiscreteSCM.from_pgmpy` numbers them: in the order of the file, except that if one of two
    states means yes, it is state 1.

    Parameters
    ----------
    text : str
        The file's text: ``network``, ``variable`` and ``probability`` blocks with discrete variables. Probabilities are
        given in one row per combination of the parents' states, with ``default`` for the rows that are missing; or in a
        ``table``, in which the parents' states change faster than the variable's own, and the last parent's fastest.
        Names may be quoted; properties and comments are ignored.
    ones, keep_order, tolerance
        As in `DiscreteSCM.from_pgmpy`.

    Returns
    -------
    DiscreteSCM
        `DiscreteSCM.states` has the names of the states.

    Raises
    ------
    TypeError
        If ``text`` is not a string but, for instance, a path.
    ValueError
        If the text is not of this form or has no variable, a variable or state is unknown, a row is missing or occurs
        twice, or the sum of a row differs from one by more than ``tolerance``; or as for `DiscreteSCM.from_pgmpy`.

    Examples
    --------
    >>> scm = read_bif('''network unknown { }
    ... variable rain { type discrete [ 2 ] { yes, no }; }
    ... variable wet { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.25, 0.75; }
    ... probability ( wet | rain ) { (yes) 0.0, 1.0; (no) 0.8, 0.2; }''')
    >>> scm.states["rain"], float(scm.expectation("wet", do={"rain": 1}))
    (('no', 'yes'), 1.0)
    """
    given: object = text  # whatever the types say
    if not isinstance(given, str):
        raise TypeError(f"text: {given!r}; expected the text of a BIF file, for instance Path('asia.bif').read_text()")
    states: dict[str, tuple[str, ...]] = {}
    heads: list[tuple[str, str]] = []
    for kind, head, body in _blocks(_COMMENT.sub(lambda comment: comment[1] or " ", text.removeprefix("\ufeff"))):
        if kind == "variable":
            name = _unquoted(head)
            if name in states:
                raise ValueError(f"variable {name!r} is listed twice")
            states[name] = _states(name, body)
        elif kind == "probability":
            heads.append((head.strip().removeprefix("(").removesuffix(")"), body))
    if not states:
        raise ValueError("no block 'variable name { ... }'; expected the text of a BIF file, not its name")
    tables: dict[str, tuple[list[str], str]] = {}
    for head, body in heads:
        variable, *parents = _names(head.replace("|", ",", 1), None, states)
        if variable in tables:
            raise ValueError(f"probability of {variable!r} is listed twice")
        tables[variable] = (parents, body)
    if unknown := {v for name, (parents, _) in tables.items() for v in (name, *parents)}.difference(states):
        raise ValueError(f"probability: no variable {', '.join(sorted(unknown))} (there are {', '.join(states)})")
    if missing := set(states).difference(tables):
        raise ValueError(f"no probability block for {', '.join(sorted(missing))}")
    order = numbered(states, ones, keep_order)
    cpts = {}
    for v, (parents, body) in tables.items():
        table = divided(_table(v, parents, body, states), tolerance)
        short = np.abs(table.sum(axis=-1) - 1) > 1e-9
        if short.any():
            place = tuple(np.argwhere(short)[0])
            row = ", ".join(states[p][i] for p, i in zip(parents, place, strict=True))
            raise ValueError(
                f"probability of {v!r}: row ({row}) is {table[place].tolist()}; expected numbers that sum to one "
                f"(tolerance={tolerance:g})"
            )
        cpts[v] = CPT(parents, table[np.ix_(*(order[p] for p in (*parents, v)))])
    labels = {v: [states[v][i] for i in places] for v, places in order.items()}
    return DiscreteSCM(ADMG([(p, v) for v, cpt in cpts.items() for p in cpt.parents], (), cpts), cpts, states=labels)


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    end = 0
    while end < len(text.rstrip()):
        head = _HEAD.match(text, end)
        body = _BODY.match(text, head.end()) if head else None
        if head is None or body is None:
            near = " ".join(text[end:].split())[:60]
            raise ValueError(f"expected a network, variable or probability block, found: {near}")
        yield head[1], head[2], body[1]
        end = body.end()


def _statements(what: str, body: str) -> Iterator[str]:
    """Yield the statements of a block, without properties."""
    end = 0
    while end < len(body.rstrip()):
        found = _STATEMENT.match(body, end)
        if found is None:
            raise ValueError(f"{what}: no semicolon after: {' '.join(body[end:].split())[:60]}")
        statement = found[1].strip()
        if statement and not re.match(r"property\b", statement):
            yield statement
        end = found.end()


def _unquoted(name: str) -> str:
    name = name.strip()
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def _names(text: str, number: int | None, known: Collection[str] | None) -> list[str]:
    """Split a list in the first of `_ways` that gives ``number`` names, all in ``known``; None allows any."""
    for names in _ways(text):
        if (number is None or len(names) == number) and (known is None or set(names) <= set(known)):
            return names
    return next(_ways(text))


def _ways(text: str) -> Iterator[list[str]]:
    """Split a list in turn at commas outside brackets (as in ``(0,5]``), at all commas, and at commas and spaces."""
    if not any(sign in text for sign in '"(['):
        yield [part for part in map(str.strip, text.split(",")) if part]
    else:
        yield _split(text, ",", brackets=True)
        yield _split(text, ",", brackets=False)
    yield _split(text, ", \t\n", brackets=False)


def _split(text: str, separators: str, brackets: bool) -> list[str]:
    parts, quoted, depth = [""], False, 0
    for sign in text:
        quoted ^= sign == '"'
        depth += 0 if quoted or not brackets else (sign in "([") - (sign in ")]")
        if not quoted and depth == 0 and sign in separators:
            parts.append("")
        else:
            parts[-1] += sign
    return [_unquoted(part) for part in parts if part.strip()]


def _states(variable: str, body: str) -> tuple[str, ...]:
    found = [match for statement in _statements(f"variable {variable!r}", body) if (match := _STATES.match(statement))]
    if len(found) != 1:
        raise ValueError(
            f"variable {variable!r}: expected one statement 'type discrete [ n ] {{ ... }};', found: {body.strip()}"
        )
    names = _names(found[0][2], int(found[0][1]), None)
    if len(names) != int(found[0][1]):
        raise ValueError(f"variable {variable!r}: {len(names)} states, but the block declares [ {found[0][1]} ]")
    return tuple(names)


def _table(variable: str, parents: Sequence[str], body: str, states: Mapping[str, tuple[str, ...]]) -> FloatArray:
    """Read the rows of a probability block into a table; states are in the order of the file."""
    what = f"probability of {variable!r}"
    shape = tuple(len(states[p]) for p in parents)
    size = len(states[variable])
    table, default = np.full((*shape, size), np.nan), None
    for statement in _statements(what, body):
        row = _ROW.fullmatch(statement)
        if row is None:
            raise ValueError(f"{what}: expected rows, 'table' or 'default', found: {' '.join(statement.split())[:60]}")
        if row[2] == "table":
            if not np.isnan(table).all():
                raise ValueError(f"{what}: expected a table or rows, not both")
            values = _numbers(f"{what}: table", row[3], size * prod(shape))
            table = np.moveaxis(values.reshape(size, *shape), 0, -1).copy()
        elif row[2] == "default":
            if default is not None:
                raise ValueError(f"{what}: default is listed twice")
            default = _numbers(f"{what}: default", row[3], size)
        else:
            names = _row_states(row[1], parents, states)
            if names is None:
                raise ValueError(f"{what}: row ({row[1].strip()}) does not list states of its parents")
            place = tuple(states[p].index(n) for n, p in zip(names, parents, strict=True))
            if not np.isnan(table[place]).all():
                raise ValueError(f"{what}: row ({row[1].strip()}) is listed twice")
            table[place] = _numbers(f"{what}: row ({row[1].strip()})", row[3], size)
    missing = np.isnan(table[..., 0])
    if missing.any():
        if default is None:
            raise ValueError(f"{what}: {int(missing.sum())} rows are missing")
        table[missing] = default
    return table


def _row_states(text: str, parents: Sequence[str], states: Mapping[str, tuple[str, ...]]) -> list[str] | None:
    """Return the parents' states that a row is for, one per parent; None if the text does not list such states."""
    for names in _ways(text):
        if len(names) == len(parents) and all(n in states[p] for n, p in zip(names, parents, strict=True)):
            return names
    return None


def _numbers(what: str, text: str, expected: int) -> FloatArray:
    words = text.replace(",", " ").split()
    try:
        values = np.array([float(word) for word in words])
    except ValueError:
        values = np.array([np.nan])
    if len(words) != expected or not (values >= 0).all():
        raise ValueError(f"{what} is {', '.join(words)[:60]}; expected {expected} numbers >= 0")
    return values
