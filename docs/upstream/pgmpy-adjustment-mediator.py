"""pgmpy adjusts for mediators, overlooks valid sets and second treatments. Prints where, or "mended"."""

import warnings

from pgmpy.base import DAG
from pgmpy.identification import Adjustment
from pgmpy.inference import CausalInference


def defect() -> str | None:
    """Four answers that the adjustment criterion contradicts."""
    warnings.simplefilter("ignore", FutureWarning)  # CausalInference is deprecated
    wrong = []

    # X -> M -> Y, and X and M share the hidden cause C: no set is valid, {M} cuts the effect off.
    edges = [("X", "M"), ("M", "Y"), ("C", "X"), ("C", "M")]
    hidden = DAG(edges, latents={"C"}, roles={"exposures": "X", "outcomes": "Y"})
    found, there_is_one = Adjustment(variant="minimal").identify(hidden)
    if there_is_one:
        wrong.append(f"the mediator as the smallest set: {found.get_role('adjustment')}")

    # X <- B <- A <- U -> Y, and B and X share the hidden cause V: {A} is valid.
    edges = [("A", "B"), ("B", "X"), ("U", "A"), ("U", "Y"), ("V", "B"), ("V", "X")]
    open_path = DAG(edges, latents={"U", "V"}, roles={"exposures": "X", "outcomes": "Y"})
    if not Adjustment(variant="minimal").identify(open_path)[1]:
        wrong.append("no set where {A} is valid")

    # X -> Y -> Z: to condition on Z, an effect of the outcome, biases the effect of X.
    if CausalInference(DAG([("X", "Y"), ("Y", "Z")])).is_valid_adjustment_set("X", "Y", ["Z"]):
        wrong.append("an effect of the outcome is valid")

    # C confounds the second treatment with the outcome: the empty set is not valid.
    two = CausalInference(DAG([("X1", "Y"), ("X2", "Y"), ("C", "X2"), ("C", "Y")]))
    if two.is_valid_adjustment_set(["X1", "X2"], ["Y"], []):
        wrong.append("of two treatments only the first is looked at")
    return "; ".join(wrong) or None


if __name__ == "__main__":
    print(defect() or "mended")
