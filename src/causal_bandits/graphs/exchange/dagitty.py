"""Read and write graphs in the dagitty language.

Source: Textor, van der Zander, Gilthorpe, Liskiewicz & Ellison (2016), "Robust causal inference using directed acyclic
graphs: the R package 'dagitty'".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.exchange.parts import Graph, Parts, graph_of, is_hidden, parts_of
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

#: Names that dagitty reads without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9_.]+")
_TOKEN = re.compile(
    r"\s*(?:(?P<edge>@->|<-@|@-@|--@|@--|<->|->|<-|--)|(?P<remark>//[^\n]*|/\*.*?\*/)"
    r"|(?P<setting>\w+\s*=\s*(?:\"[^\"]*\"|[\w.+-]+))|\"(?P<quoted>[^\"]*)\"|'(?P<single>[^']*)'"
    r"|(?P<plain>[A-Za-z0-9_.]+)|(?P<options>\[(?:[^\]\"]|\"[^\"]*\")*\])|(?P<sign>[{};]))",
    re.DOTALL,
)
#: The type of a graph and its name, before the first brace.
_HEADER = re.compile(r"\s*(?:(?:strict\s+)?([A-Za-z]\w*))?(?:\s+(?:[\w.]+|\"[^\"]*\"))?\s*\{")
#: The options of a node or edge: names, some with a value.
_OPTION = re.compile(r"(?:\"([^\"]*)\"|([\w.]+))(?:\s*=\s*(?:\"([^\"]*)\"|([^\s,;]+)))?")
#: Full names of the options that dagitty abbreviates or that pgmpy writes differently.
_LATENT = {"l": "latent", "u": "unobserved", "latents": "latent"}


def to_dagitty(graph: ADMG | PartiallyDirectedGraph) -> str:
    """Write a graph in the dagitty language: ``dag { ... }`` or ``pdag { ... }``.

    Raises
    ------
    ValueError
        If a name is empty or contains a quotation mark or a line break, which dagitty cannot read.

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
        raise ValueError(f"node {name!r}: dagitty does not allow this name")
    return name if _PLAIN.fullmatch(name) and name not in ("dag", "pdag") else f'"{name}"'


def from_dagitty(text: str, kind: type[Graph]) -> Graph:
    """Read a graph from a string in the dagitty language.

    Parameters
    ----------
    text : str
        ``dag { ... }`` or ``pdag { ... }`` with edges ``->``, ``<-``, ``<->`` and ``--``, chains of them, groups in
        braces as ends, quoted names, and options in brackets. ``latent`` (or ``l``, ``unobserved``, ``u``) hides a
        node, as do the attributes that `from_networkx` reads. The graph may have a name; without braces the text is
        read as that of a ``dag``; ``digraph { ... }`` (DOT) is read like ``dag``.
    kind : ADMG or PartiallyDirectedGraph
        The class of the result.

    Raises
    ------
    ValueError
        If the text cannot be read, is a ``mag`` or ``pag`` (whose edges have a different meaning), or has an edge that
        this ``kind`` of graph cannot have (the message names it).

    Examples
    --------
    >>> from_dagitty("dag { X -> {Z W} -> Y ; U [latent] ; U -> X ; U -> Y }", ADMG).bidirected
    frozenset({('X', 'Y')})
    """
    text = text.removeprefix("\ufeff")
    header = _HEADER.match(text)
    if header is None and re.search(r"->|<-|--", text):
        text = f"dag {{ {text} }}"
        header = _HEADER.match(text)
    if header is None or (header[1] or "dag").lower() not in ("dag", "pdag", "digraph"):
        found = header[1] if header else text.strip().partition("{")[0].strip()
        raise ValueError(f"dagitty: a graph of type {found!r}; expected dag {{ ... }} or pdag {{ ... }}")
    nodes: list[str] = []
    hidden: list[str] = []
    edges: dict[str, list[Edge]] = {"->": [], "<->": [], "--": []}
    before: list[str] = []
    sign = ""
    for part in _dagitty_parts(text, header.end(), hidden, dot=(header[1] or "").lower() == "digraph"):
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
        raise ValueError(f"dagitty: no node after {', '.join(before)} {sign}")
    return graph_of(Parts(nodes, edges["->"], edges["<->"], edges["--"], hidden), kind)


def _dagitty_parts(text: str, start: int, hidden: list[str], dot: bool) -> Iterator[list[str] | str]:
    """Yield the names of nodes and the edge signs between them; append the latent nodes to ``hidden``."""
    group: list[str] | None = None  # the names read since an opening brace
    last = ""  # the node to which options belong; empty after an edge, to which they then belong
    after_edge = False
    place = start
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"dagitty: cannot read {text[place:].strip().splitlines()[0]!r}")
        place = match.end()
        name = next((match[kind] for kind in ("plain", "quoted", "single") if match[kind] is not None), None)
        if match["edge"]:
            after_edge = True
            yield match["edge"]
        elif match["options"]:
            _read_options(match["options"], last, hidden)
        elif dot and match["plain"] == "subgraph":
            raise ValueError("dagitty: a subgraph; expected one graph without subgraphs")
        elif dot and match["plain"] in ("node", "edge", "graph") and text[place:].lstrip().startswith("["):
            last = ""  # how nodes are drawn
        elif name is not None:
            last = "" if after_edge and group is None else name
            if group is None:
                after_edge = False
                yield [name]
            else:
                group.append(name)
        elif match["sign"] == "{":
            group = []
        elif match["sign"] == "}" and group is not None:
            yield group
            group, last, after_edge = None, "", False
        elif match["sign"] == "}":
            if text[place:].strip():
                raise ValueError(f"dagitty: {text[place:].strip()!r} after the last brace")
            return
    raise ValueError("dagitty: no brace closes the graph")


def _read_options(text: str, node: str, hidden: list[str]) -> None:
    """Append the node to ``hidden`` if options say that it is latent; without a node they belong to an edge."""
    if re.search(r"->|<-", re.sub(r'"[^"]*"', "", text)):
        raise ValueError(f"dagitty: edges in brackets, {text}; expected them in braces")
    options: dict[str, str | bool] = {}
    for match in _OPTION.finditer(text[1:-1]):
        name = match[1] if match[2] is None else match[2]
        value = match[4] if match[3] is None else match[3]
        options[_LATENT.get(name, name)] = True if value is None else value
    if is_hidden(node, options):
        if not node:
            raise ValueError(f"dagitty: {text} after an edge or a group; expected it after a single node")
        hidden.append(node)
    if not node and options.get("dir", "forward") != "forward":
        raise ValueError(f"dagitty: {text} after an edge; expected its direction as ->, <-, <-> or --")
