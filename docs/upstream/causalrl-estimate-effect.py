"""causalrl's estimate of an effect adds up to more than one. Prints by how much, or "mended"."""

import numpy as np
from causalrl.graphs import CausalGraph
from causalrl.identification.id_algorithm import estimate_effect


def defect() -> str | None:
    """A -> B -> Y: P(Y | do(B = 1)) is P(Y | B = 1), two numbers that add up to one."""
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=1000)
    b = (rng.random(1000) < 0.3 + 0.4 * a).astype(int)
    y = (rng.random(1000) < 0.2 + 0.5 * b).astype(int)
    graph = CausalGraph([("A", "B"), ("B", "Y")], [], ["A", "B", "Y"])
    found = estimate_effect(graph, ["B"], ["Y"], {"A": a, "B": b, "Y": y}, do={"B": 1})
    total = sum(found.values())
    if abs(total - 1) < 1e-9:
        return None
    right = y[b == 1].mean()
    return f"P(Y = 1 | do(B = 1)) = {found[1,]:.3f}, expected {right:.3f}; all values of Y add up to {total:.3f}"


if __name__ == "__main__":
    print(defect() or "mended")
