"""Meek's third rule directs an edge that both directions fit. Prints what is wrong, or that it is mended."""

from pgmpy.base import PDAG


def defect() -> str | None:
    """Y -> W and Z -> W are known, all other pairs of W, X, Y, Z are joined without a direction, Y and Z too.

    Every order of the four in which W comes after Y and Z fits: no two causes of a node are not adjacent. In the order
    Y, Z, W, X the edge X - W is W -> X, in X, Y, Z, W it is X -> W.
    """
    graph = PDAG([("Y", "W"), ("Z", "W")], [("X", "W"), ("X", "Y"), ("X", "Z"), ("Y", "Z")])
    added = sorted(graph.apply_meeks_rules(apply_r4=True).directed_edges - {("Y", "W"), ("Z", "W")})
    return f"directed {added}; nothing follows" if added else None


if __name__ == "__main__":
    print(defect() or "mended")
