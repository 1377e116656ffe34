"""ADMG.get_ancestors leaves out a node that has no directed edge. Prints what is wrong, or that it is mended."""

from pgmpy.base import ADMG


def defect() -> str | None:
    """The documentation: "Set of ancestor nodes including the input nodes"; the same of descendants."""
    graph = ADMG(directed_ebunch=[("X", "Y")], bidirected_ebunch=[("Y", "Z")])
    found = {"ancestors": graph.get_ancestors("Z"), "descendants": graph.get_descendants("Z")}
    wrong = {name: nodes for name, nodes in found.items() if nodes != {"Z"}}
    return f"of Z: {wrong}; expected {{'Z'}}" if wrong else None


if __name__ == "__main__":
    print(defect() or "mended")
