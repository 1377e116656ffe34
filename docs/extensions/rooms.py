"""Draw the rooms of both packages and the imports between them as a Mermaid diagram in CONTRIBUTING.md (`make rooms`).

A room is a folder or module directly below a package. An arrow points from a room to one that it imports; arrows that
follow from others are left out.
"""

from __future__ import annotations

from pathlib import Path

import grimp
import networkx as nx

ROOT = Path(__file__).parents[2]
FILE = ROOT / "CONTRIBUTING.md"
PACKAGES = {"replication": "the study", "causal_bandits": "the library"}
BEGIN, END = "<!-- rooms: made by make rooms -->\n", "<!-- /rooms -->"


def arrows() -> nx.DiGraph:
    """Collect the imports between rooms, without those that follow from others."""
    imports = grimp.build_graph(*PACKAGES, cache_dir=None)
    graph = nx.DiGraph()
    for module in sorted(imports.modules):
        graph.add_node(_room(module))
        for imported in imports.find_modules_directly_imported_by(module):
            if _room(module) != _room(imported):
                graph.add_edge(_room(module), _room(imported))
    graph.remove_nodes_from(PACKAGES)
    return nx.transitive_reduction(graph)


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def diagram() -> str:
    """Return the diagram as Mermaid."""
    graph = arrows()
    lines = ["```mermaid", "flowchart TD"]
    for package, title in PACKAGES.items():
        lines.append(f'    subgraph {package}["{package}: {title}"]')
        rooms = sorted(room for room in graph if room.startswith(f"{package}."))
        lines += [f"        {room.replace('.', '_')}[{room.partition('.')[2]}]" for room in rooms]
        lines.append("    end")
    lines += [f"    {a.replace('.', '_')} --> {b.replace('.', '_')}" for a, b in sorted(graph.edges)]
    return "\n".join([*lines, "```"])


def filled(text: str) -> str:
    """Return ``text`` with the diagram between its two marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{FILE}: no lines {BEGIN.strip()!r} and {END!r}")
    return f"{before}{begin}\n{diagram()}\n\n{end}{after}"


if __name__ == "__main__":
    FILE.write_text(filled(FILE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(f"{FILE.relative_to(ROOT)}: the rooms and their imports")
