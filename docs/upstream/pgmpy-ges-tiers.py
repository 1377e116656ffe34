"""GES cannot be told a temporal order. Prints what is wrong, or that it is mended."""

import inspect

from pgmpy.causal_discovery import GES, PC


def defect() -> str | None:
    """PC takes expert knowledge, GES has no such argument."""
    taken = {learner: "expert_knowledge" in inspect.signature(learner.__init__).parameters for learner in (PC, GES)}
    return "GES takes no expert_knowledge; PC does" if taken[PC] and not taken[GES] else None


if __name__ == "__main__":
    print(defect() or "mended")
