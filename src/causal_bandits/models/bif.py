"""Read discrete Bayesian networks from the Bayesian Interchange Format (BIF), and write them.

Repositories of networks ship them in this format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM

#: Rows whose sum is off by no more are divided by it: files have rounded numbers.
ROUNDED = 1e-6

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BLOCK = re.compile(r"\s*(network|variable|probability)\b([^{]*)\{((?:[^{}]|\{[^{}]*\})*)\}\s*")
_STATES = re.compile(r"type\s+discrete\s*\[\s*(\d+)\s*\]\s*\{([^{}]*)\}\s*;")
_ROW = re.compile(r"\s*(?:\(([^()]*)\)|(table|default))\s*([^;()]*);\s*")


def read_bif(text: str) -> DiscreteSCM:
    """Read a network in the Bayesian Interchange Format; states keep the order of the file.

    Parameters
    ----------
    text : str
        The file's text: ``network``, ``variable`` and ``probability`` blocks with discrete variables. A table without
        parents is a ``table``; else there is one row per combination of the parents' states.

    Returns
    -------
    DiscreteSCM
        `DiscreteSCM.states` has the names of states. State 0 is the one that the file names first, whatever its name:
        of ``{ yes, no }``, 1 is no.

    Raises
    ------
    ValueError
        If the text is not of this form, a variable or state is unknown, a row is missing or stands twice, or a row's
        sum differs from one by more than `ROUNDED`.

    Examples
    --------
    >>> scm = read_bif('''network unknown { }
    ... variable rain { type discrete [ 2 ] { yes, no }; }
    ... variable wet { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.25, 0.75; }
    ... probability ( wet | rain ) { (yes) 0.0, 1.0; (no) 0.8, 0.2; }''')
    >>> scm.states["rain"], float(scm.expectation("wet"))
    (('yes', 'no'), 0.4)
    """
    states: dict[str, tuple[str, ...]] = {}
    tables: dict[str, tuple[list[str], str]] = {}
    for kind, head, body in _blocks(_COMMENT.sub(" ", text)):
        if kind == "variable":
            states[head.strip()] = _states(head.strip(), body)
        elif kind == "probability":
            variable, _, parents = head.strip().removeprefix("(").removesuffix(")").partition("|")
            if variable.strip() in tables:
                raise ValueError(f"probability of {variable.strip()!r}: stands twice")
            tables[variable.strip()] = (_list(parents), body)
    if unknown := {v for name, (parents, _) in tables.items() for v in (name, *parents)}.difference(states):
        raise ValueError(f"probability: no variable {', '.join(sorted(unknown))} (there are {', '.join(states)})")
    if missing := set(states).difference(tables):
        raise ValueError(f"no probability of {', '.join(sorted(missing))}")
    cpts = {v: CPT(parents, _table(v, parents, body, states)) for v, (parents, body) in tables.items()}
    return DiscreteSCM(ADMG([(p, v) for v, cpt in cpts.items() for p in cpt.parents], (), cpts), cpts, states=states)


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    end = 0
    while end < len(text.rstrip()):
        block = _BLOCK.match(text, end)
        if block is None:
            near = " ".join(text[end:].split())[:60]
            raise ValueError(f"expected a block network, variable or probability, found: {near}")
        yield block[1], block[2], block[3]
        end = block.end()


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _states(variable: str, body: str) -> tuple[str, ...]:
    found = _STATES.search(body)
    if found is None:
        raise ValueError(f"variable {variable!r}: expected 'type discrete [ n ] {{ ... }};', found: {body.strip()}")
    names = _list(found[2])
    if len(names) != int(found[1]):
        raise ValueError(f"variable {variable!r}: {len(names)} states, but [ {found[1]} ]")
    return tuple(names)


def _table(variable: str, parents: Sequence[str], body: str, states: Mapping[str, tuple[str, ...]]) -> FloatArray:
    shape = [len(states[p]) for p in parents]
    table = np.full((*shape, len(states[variable])), np.nan)
    end = 0
    while end < len(body.rstrip()):
        row = _ROW.match(body, end)
        if row is None or row[2] == "default" or (row[2] == "table") != (not parents):
            near = " ".join(body[end:].split())[:60]
            raise ValueError(f"probability of {variable!r}: expected one row per states of the parents, found: {near}")
        names, values = _list(row[1] or ""), [float(number) for number in _list(row[3])]
        if len(names) != len(parents) or any(n not in states[p] for n, p in zip(names, parents, strict=True)):
            raise ValueError(f"probability of {variable!r}: row ({', '.join(names)}) has no states of its parents")
        place = tuple(states[p].index(n) for n, p in zip(names, parents, strict=True))
        if not np.isnan(table[place]).all():
            raise ValueError(f"probability of {variable!r}: row ({', '.join(names)}) stands twice")
        if len(values) != len(states[variable]) or not abs(sum(values) - 1) <= ROUNDED:
            raise ValueError(
                f"probability of {variable!r}: row ({', '.join(names)}) is {values}; "
                f"expected {len(states[variable])} numbers that sum to one"
            )
        table[place] = np.array(values) / sum(values)
        end = row.end()
    if np.isnan(table).any():
        raise ValueError(f"probability of {variable!r}: {int(np.isnan(table[..., 0]).sum())} rows are missing")
    return table


#: A name that needs no quotation marks.
_WORD = re.compile(r"(?!.*(?://|/\*))[^\s\",{}()\[\]|;]+")


def write_bif(scm: DiscreteSCM, name: str = "unknown") -> str:
    """Write a network in the Bayesian Interchange Format, as `read_bif` reads it.

    Parameters
    ----------
    scm : DiscreteSCM
        Without hidden variables, which the format does not have.
    name : str
        Of the network.

    Returns
    -------
    str
        Variables in topological order with the names of their states. Numbers have all their digits.

    Raises
    ------
    ValueError
        If there are hidden variables, or a name has a quotation mark.

    Examples
    --------
    >>> scm = DiscreteSCM(ADMG([("A", "B")]), {"A": ((), [0.25, 0.75]), "B": (("A",), [[1, 0], [0.5, 0.5]])})
    >>> float(read_bif(write_bif(scm)).expectation("B"))
    0.375
    """
    if scm.hidden:
        raise ValueError(f"hidden variables {', '.join(scm.hidden)}: the format has none")
    blocks = [f"network {_quoted(name)} {{\n}}"]
    for v in scm.variables:
        states = ", ".join(map(_quoted, scm.states[v]))
        blocks.append(f"variable {_quoted(v)} {{\n  type discrete [ {len(scm.states[v])} ] {{ {states} }};\n}}")
    for v in scm.variables:
        parents, given = scm.cpt(v)
        table = np.asarray(given)
        rows = []
        for place in np.ndindex(table.shape[:-1]):
            where = ", ".join(_quoted(scm.states[p][i]) for p, i in zip(parents, place, strict=True))
            rows.append(f"  {f'({where})' if parents else 'table'} {', '.join(map(repr, table[place].tolist()))};")
        head = f"{_quoted(v)} | {', '.join(map(_quoted, parents))}" if parents else _quoted(v)
        blocks.append("\n".join([f"probability ( {head} ) {{", *rows, "}"]))
    return "\n".join(blocks) + "\n"


def _quoted(name: str) -> str:
    if '"' in name:
        raise ValueError(f"{name!r}: the format has no names with a quotation mark")
    return name if _WORD.fullmatch(name) else f'"{name}"'
