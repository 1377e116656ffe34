"""Read a causal diagram in whatever form it is given.

Texts are in the language of dagitty, in DOT or in GML; objects are an ADMG, a networkx DiGraph, a pgmpy DAG, which is a
DiGraph too, or a learned graph whose every edge is directed. Importing this module imports none of these libraries.

Source of the language: Textor, van der Zander, Gilthorpe, Liskiewicz & Ellison (2016), "Robust causal inference using
directed acyclic graphs: the R package 'dagitty'".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

if TYPE_CHECKING:
    import networkx as nx

#: Every form in which public functions accept a causal diagram.
GraphLike: TypeAlias = "ADMG | str | nx.DiGraph[str] | PartiallyDirectedGraph"

#: How a string in the Graph Modelling Language begins.
_GML = re.compile(r"\s*graph\s*\[")
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
#: Attributes of a node that say whether it was measured, and whether a true value means that it was not.
_HIDING = {"hidden": True, "latent": True, "unobserved": True, "observed": False, "measured": False}
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def as_admg(graph: GraphLike) -> ADMG:
    """Read a causal diagram: an ADMG, a text, or a networkx DiGraph.

    A hidden node is projected out (`ADMG.latent_projection`): with two children and no parents it becomes a bidirected
    edge.

    Parameters
    ----------
    graph : ADMG, str, networkx.DiGraph or PartiallyDirectedGraph
        - A text of dagitty: ``dag { ... }`` with edges ``->``, ``<-`` and ``<->``, chains of them, groups in braces as
          ends, quoted names, and options in brackets; ``latent`` (or ``l``, ``unobserved``, ``u``) hides a node. The
          graph may have a name; without braces the text is read as that of a ``dag``.
        - A text of DOT, ``digraph { ... }``, or of GML, as DoWhy writes it.
        - A PartiallyDirectedGraph without undirected edges, as `discovery.learn` may return.
        - A DiGraph whose nodes are names. Two arcs between two nodes are no hidden cause: that is a hidden node.

        In every form but an ADMG a node is hidden if an attribute says so: ``hidden``, ``latent`` or ``unobserved`` is
        true, or ``observed`` or ``measured`` is false. The nodes in ``latents`` of a pgmpy DAG are hidden too.

    Raises
    ------
    TypeError
        If ``graph`` is none of these.
    ValueError
        If the text cannot be read or is a ``mag`` or ``pag`` (whose edges have a different meaning), a node is not a
        name or its attributes cannot be read, a node of a text is ``selected``, or the graph has a cycle or an edge
        that a causal diagram does not have; the message names it.

    Examples
    --------
    >>> as_admg("dag { X -> Y ; X <-> Y }")
    ADMG(directed=[('X', 'Y')], bidirected=[('X', 'Y')], nodes=['X', 'Y'])
    >>> as_admg("dag { X -> {Z W} -> Y ; U [latent] ; U -> X ; U -> Y }").bidirected
    frozenset({('X', 'Y')})
    """
    if isinstance(graph, ADMG):
        return graph
    if isinstance(graph, PartiallyDirectedGraph):
        for a, b in sorted(graph.undirected):
            raise ValueError(
                f"{a} -- {b}: a causal diagram has no undirected edge; choose a direction, for instance with required= "
                "or tiers= of discovery.learn"
            )
        return ADMG(graph.directed, nodes=graph.nodes)
    if isinstance(graph, str):
        return _from_networkx(_from_gml(graph)) if _GML.match(graph) else _from_dagitty(graph)
    if hasattr(graph, "is_directed") and hasattr(graph, "nodes"):
        return _from_networkx(graph)
    raise TypeError(f"graph: a {type(graph).__name__}; expected an ADMG, a dagitty string or a networkx DiGraph")


def _admg(
    nodes: Iterable[str], directed: Iterable[Edge], hidden: Iterable[str], bidirected: Iterable[Edge] = ()
) -> ADMG:
    """Build an ADMG and project its hidden nodes out."""
    names = dict.fromkeys(nodes)
    for node in names:
        if not isinstance(node, str):
            raise ValueError(f"node {node!r}: expected a name (a str)")
    graph, latent = ADMG(directed, bidirected, names), set(hidden)
    return graph.latent_projection(v for v in names if v not in latent) if latent else graph


def _from_networkx(graph: nx.DiGraph[str]) -> ADMG:
    if not graph.is_directed() or graph.is_multigraph():
        raise ValueError(f"expected a networkx.DiGraph, got a {type(graph).__name__}")
    for a, b in graph.edges:
        if a != b and graph.has_edge(b, a):
            raise ValueError(
                f"{a} -- {b} ({a} -> {b} and {b} -> {a}): an ADMG has neither cycles nor undirected edges; an "
                "unmeasured common cause is a node with the attribute hidden=True"
            )
    latents = getattr(graph, "latents", ())  # of a pgmpy DAG
    hidden = [v for v, attributes in graph.nodes(data=True) if v in latents or _is_hidden(v, attributes)]
    return _admg(graph.nodes, graph.edges, hidden)


def _from_gml(text: str) -> nx.DiGraph[str]:
    import networkx as nx

    try:
        graph = nx.parse_gml(text)
    except nx.NetworkXError as error:
        raise ValueError(f"GML: {error}") from None
    if not graph.is_directed() or graph.is_multigraph():
        raise ValueError(f"GML: a {type(graph).__name__}; expected 'directed 1' and no multigraph")
    return nx.DiGraph(graph)


def _from_dagitty(text: str) -> ADMG:
    text = text.removeprefix("\ufeff")
    header = _HEADER.match(text)
    if header is None and re.search(r"->|<-|--", text):
        text = f"dag {{ {text} }}"
        header = _HEADER.match(text)
    if header is None or (header[1] or "dag").lower() not in ("dag", "pdag", "digraph"):
        found = header[1] if header else text.strip().partition("{")[0].strip()
        raise ValueError(f"dagitty: a graph of type {found!r}; expected dag {{ ... }}")
    nodes: list[str] = []
    hidden: list[str] = []
    edges: dict[str, list[Edge]] = {"->": [], "<->": []}
    before: list[str] = []
    sign = ""
    for part in _tokens(text, header.end(), hidden, dot=(header[1] or "").lower() == "digraph"):
        if isinstance(part, str):
            if sign or not before:
                raise ValueError(f"dagitty: {part!r} after {sign or 'nothing'}; expected a node")
            sign = part
            continue
        nodes += part
        for a, b in product(before, part) if sign else ():
            if "@" in sign or sign == "--":
                what = "edges with an open end" if "@" in sign else "undirected edge"
                raise ValueError(f"{a} {sign} {b}: an ADMG has no {what}")
            edges["->" if sign == "<-" else sign].append((b, a) if sign == "<-" else (a, b))
        before, sign = part, ""
    if sign:
        raise ValueError(f"dagitty: no node after {', '.join(before)} {sign}")
    return _admg(nodes, edges["->"], hidden, edges["<->"])


def _tokens(text: str, start: int, hidden: list[str], dot: bool) -> Iterator[list[str] | str]:
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
    if options.get("selected", False) is True:
        raise ValueError(
            f"dagitty: {node} [selected]; the graph cannot say that the data are selected: leave [selected] out and, "
            "where a function has selection=, name the node there"
        )
    if _is_hidden(node, options):
        if not node:
            raise ValueError(f"dagitty: {text} after an edge or a group; expected it after a single node")
        hidden.append(node)
    if not node and options.get("dir", "forward") != "forward":
        raise ValueError(f"dagitty: {text} after an edge; expected its direction as ->, <-, <-> or --")


def _is_hidden(node: object, attributes: Mapping[str, object]) -> bool:
    """Check whether a node's attributes say that it was not measured.

    ``hidden``, ``latent`` and ``unobserved`` say so if they are true, ``observed`` and ``measured`` if they are false.
    Values are Booleans, 0 and 1, or the words true, false, yes and no; None is ignored.

    Raises
    ------
    ValueError
        If such an attribute has any other value, or two of them contradict each other.
    """
    found = set()
    for name, hides in _HIDING.items():
        value = attributes.get(name)
        if value is not None:
            word = str(value).strip().lower()
            if word not in _TRUTHS:
                raise ValueError(f"node {node!r}: {name}={value!r}; expected true or false, yes or no, 1 or 0")
            found.add(_TRUTHS[word] == hides)
    if len(found) > 1:
        given = ", ".join(f"{name}={attributes[name]!r}" for name in _HIDING if attributes.get(name) is not None)
        raise ValueError(f"node {node!r}: {given}; expected attributes that do not contradict each other")
    return True in found
