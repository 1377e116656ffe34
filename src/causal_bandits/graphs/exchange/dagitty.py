"""Read and write graphs in the language of dagitty.

Source: Textor, van der Zander, Gilthorpe, Liskiewicz & Ellison (2016), "Robust causal inference using directed acyclic
graphs: the R package 'dagitty'".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.exchange.parts import Graph, Parts, graph_of, parts_of
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

#: Names that dagitty reads without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9_.]+")
_TOKEN = re.compile(
    r"\s*(?:(?P<edge>@->|<-@|@-@|--@|@--|<->|->|<-|--)|(?P<setting>\w+\s*=\s*\"[^\"]*\")|\"(?P<quoted>[^\"]*)\""
    r"|(?P<plain>[A-Za-z0-9_.]+)|(?P<options>\[[^\]]*\])|(?P<sign>[{};]))"
)


def to_dagitty(graph: ADMG | PartiallyDirectedGraph) -> str:
    """Write a graph in the language of dagitty: ``dag { ... }`` or ``pdag { ... }``.

    Raises
    ------
    ValueError
        If a name is empty or contains a quotation mark or a line end, which dagitty cannot read.

    Examples
    --------
    >>> print(to_dagitty(ADMG([("X", "Y")], [("X", "Y")])))
    dag {
    X
    Y
    X -> Y
    X <-> Y
    }
    """
    parts = parts_of(graph)
    edges = ((parts.directed, "->"), (parts.bidirected, "<->"), (parts.undirected, "--"))
    lines = [_quoted(v) for v in parts.nodes]
    lines += [f"{_quoted(a)} {sign} {_quoted(b)}" for pairs, sign in edges for a, b in pairs]
    return "\n".join(["dag {" if isinstance(graph, ADMG) else "pdag {", *lines, "}"])


def _quoted(name: str) -> str:
    if '"' in name or "\n" in name or not name:
        raise ValueError(f"node {name!r}: dagitty has no such name")
    return name if _PLAIN.fullmatch(name) and name not in ("dag", "pdag") else f'"{name}"'


def from_dagitty(text: str, kind: type[Graph]) -> Graph:
    """Read a graph from a text in the language of dagitty.

    Parameters
    ----------
    text : str
        ``dag { ... }`` or ``pdag { ... }`` with edges ``->``, ``<-``, ``<->`` and ``--``, chains of them, groups in
        braces as ends, quoted names, and options in brackets, of which ``latent`` is read.
    kind : ADMG or PartiallyDirectedGraph
        The class of the result.

    Raises
    ------
    ValueError
        If the text cannot be read, is a ``mag`` or ``pag`` (whose edges have another meaning), or has an edge that this
        ``kind`` of graph cannot have (the message names it).

    Examples
    --------
    >>> from_dagitty("dag { X -> {Z W} -> Y ; U [latent] ; U -> X ; U -> Y }", ADMG).bidirected
    frozenset({('X', 'Y')})
    """
    header = re.match(r"\s*(?:(\w+)\s*)?\{", text)
    if header is None or header[1] not in ("dag", "pdag", None):
        found = header[1] if header else text.strip().partition("{")[0].strip()
        raise ValueError(f"dagitty: a graph of the type {found!r}; expected dag {{ ... }} or pdag {{ ... }}")
    nodes: list[str] = []
    hidden: list[str] = []
    edges: dict[str, list[Edge]] = {"->": [], "<->": [], "--": []}
    before: list[str] = []
    sign = ""
    for part in _dagitty_parts(text, header.end(), hidden):
        if isinstance(part, str):
            if sign or not before:
                raise ValueError(f"dagitty: {part!r} after {sign or 'nothing'}; expected a node")
            sign = part
            continue
        nodes += part
        for a, b in product(before, part) if sign else ():
            if "@" in sign:
                raise ValueError(f"{a} {sign} {b}: {kind.__name__} has no edges with an open end")
            edges["->" if sign == "<-" else sign].append((b, a) if sign == "<-" else (a, b))
        before, sign = part, ""
    if sign:
        raise ValueError(f"dagitty: {', '.join(before)} {sign} and no node after it")
    return graph_of(Parts(nodes, edges["->"], edges["<->"], edges["--"], hidden), kind)


def _dagitty_parts(text: str, start: int, hidden: list[str]) -> Iterator[list[str] | str]:
    """Yield the names of nodes and the edge signs between them; append the latent nodes to ``hidden``."""
    group: list[str] | None = None  # the names read since an opening brace
    last: list[str] = []
    place = start
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"dagitty: cannot read {text[place:].strip().splitlines()[0]!r}")
        place = match.end()
        name = match["plain"] if match["quoted"] is None else match["quoted"]
        if match["edge"]:
            yield match["edge"]
        elif match["options"]:
            if re.search(r"\b(latent|unobserved)\b", match["options"]):
                hidden += last[-1:]
        elif name is not None:
            last = [name]
            if group is None:
                yield [name]
            else:
                group.append(name)
        elif match["sign"] == "{":
            group = []
        elif match["sign"] == "}" and group is not None:
            yield group
            group = None
        elif match["sign"] == "}":
            if text[place:].strip():
                raise ValueError(f"dagitty: {text[place:].strip()!r} after the last brace")
            return
    raise ValueError("dagitty: no brace closes the graph")
