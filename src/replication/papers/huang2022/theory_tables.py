"""Make tables about the theorems: bounds beside regret, the proofs' constants, where theorems fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causal_bandits.play.unfairness import MISSED, fair_regret, unfair
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.drawing.tabulate import plus_minus
from experiments.files import read
from experiments.results import Results

if TYPE_CHECKING:
    from replication.papers.huang2022.theory import RegretBound

#: How many rounds can be missed at most in expectation if UCB_Delta bounds the discrepancy with probability 1 - delta,
#: delta = 1/t^2, on both sides for both groups: the sum of 4/t^2.
MISSED_AT_MOST = 4 * np.pi**2 / 6

#: Differences below this are rounding.
ROUNDING = 1e-9

#: Which radius of the discrepancy goes with Theorem 3's scale, by alpha_c (ledger L49).
RADII = {0.5: "Appendix D's radius", 1.0: "Eq. 12's radius"}


def theory(results: Results) -> pd.DataFrame:
    """Compare the regret bounds of Theorems 1 and 3, as stated and as proved, with the regret measured."""
    from replication.papers.huang2022.bandits import campaign  # both load Numba, which other tables do not need
    from replication.papers.huang2022.theory import theorem_1, theorem_3

    problem, rounds = campaign(), results.horizon("email")
    regret = results.final("email", algorithm="d_ucb")
    stated, proved = (theorem_1(problem, rounds, of_proof) for of_proof in (False, True))
    rows = [_theorem("Theorem 1", "D-UCB", stated, proved, regret)]
    for tau in THRESHOLDS:
        stated, proved = (theorem_3(problem, rounds, tau, of_proof) for of_proof in (False, True))
        for alpha_c, radius in RADII.items():
            at: dict[str, Any] = {"algorithm": "f_ucb", "tau": tau, "fallback": "best", "alpha_c": alpha_c}
            regret = results.final("email", **at, alpha_r="theorem_3")
            policy = f"F-UCB, best arm, Theorem 3's scale, {radius}"
            rows.append(_theorem(f"Theorem 3, tau = {tau:g}", policy, stated, proved, regret))
    return pd.DataFrame(rows).assign(rounds=rounds)


def _theorem(
    statement: str, policy: str, stated: RegretBound, proved: RegretBound, regret: pd.Series
) -> dict[str, str]:
    return {
        "statement": statement,
        "policy": policy,
        "bound on regret": f"{stated.regret:.0f}",
        "holds with probability at least": f"{stated.probability:.4f}",
        "bound by the proof": f"{proved.regret:.0f}",
        "its probability": f"{proved.probability:.4f}",
        "regret measured": plus_minus(regret),
    }


def conditions(results: Results) -> pd.DataFrame:
    """Compare what the proof of Theorem 3 asks of alpha_r and alpha_c with what the theorem sets."""
    from replication.papers.huang2022.bandits import campaign  # both load Numba, which other tables do not need
    from replication.papers.huang2022.theory import condition_of_proof, named_condition, safest_discrepancy

    safe, alpha_c = safest_discrepancy(campaign()), 1.0
    rows = []
    for tau in THRESHOLDS:
        alpha_r = 2 / (tau - safe)
        first, second = (tau - safe) * (alpha_r - 1), tau * (alpha_r - 1)
        rows.append(
            {
                "tau": f"{tau:g}",
                "alpha_r": f"{alpha_r:.2f}",
                "(tau - Delta_0)(alpha_r - 1)": f"{first:.3f}",
                "at least 1 + alpha_c": "yes" if condition_of_proof(tau, safe, alpha_r, alpha_c) else "no",
                "tau (alpha_r - 1)": f"{second:.3f}",
                "at least alpha_c": "yes" if named_condition(tau, alpha_r, alpha_c) else "no",
            }
        )
    return pd.DataFrame(rows)


def unconstrained(results: Results) -> pd.DataFrame:
    """Compare Theorem 3's bound with F-UCB's regret where fair play loses half a reward per round (E25)."""
    from causal_bandits.problems.construction.huang2022.constructed import unconstrained as build
    from replication.papers.huang2022.theory import fair_value, theorem_3

    problem, rounds = build(), results.horizon("unconstrained")
    (tau,) = problem.thresholds
    bound = theorem_3(problem, rounds, tau)
    lost = rounds * (fair_value(problem, np.inf) - fair_value(problem, tau))
    rows = [
        ("rounds", f"{rounds}"),
        ("tau", f"{tau:g}"),
        ("Theorem 3's bound", f"{bound.regret:.0f}"),
        ("holds with probability at least", f"{bound.probability:.4f}"),
        ("expected regret of the best fair policy, exact", f"{lost:.0f}"),
    ]
    for alpha_c, radius in RADII.items():

        def final(metric: str = "cumulative_regret", alpha_c: float = alpha_c) -> pd.Series:
            return results.final("unconstrained", metric, algorithm="f_ucb", alpha_c=alpha_c)

        rows += [
            (f"regret of F-UCB with Theorem 3's scale, {radius}, least of all seeds", f"{final().min():.0f}"),
            ("seeds above the bound", f"{int((final() > bound.regret).sum())} of {len(final())}"),
            ("its regret against the best fair policy", plus_minus(final(fair_regret(tau)))),
            ("its unfair rounds", f"{final(unfair('exact', tau)).mean():.1f}"),
        ]
    return pd.DataFrame(rows, columns=["quantity", "value"])


def eq_12(results: Results) -> pd.DataFrame:
    """Count how often the arm's exact discrepancy lies above UCB_Delta where one group is rare (E26).

    As printed, with the widths of the cells that the user meets; and with those of both groups, each once.
    """
    rows = []
    for policy in results.policies("rare"):
        settings = results.settings("rare", policy)
        empty = results.final("rare", "empty_set", policy=policy)
        rounds = results.horizon("rare")
        for bound, metric in zip(("Eq. 12, as printed", "the widths of both groups"), MISSED, strict=True):
            missed = results.final("rare", metric, policy=policy)
            rows.append(
                {
                    "F-UCB's fallback": f"{settings['fallback']} arm",
                    "upper bound": bound,
                    "runs": f"{len(missed)}",
                    f"of {rounds} rounds missed, mean": f"{missed.mean():.1f}",
                    "allowed in expectation": f"{MISSED_AT_MOST:.1f}",
                    "runs with more missed": f"{int((missed > MISSED_AT_MOST).sum())}",
                    "rounds with an arm called fair (none is), mean": f"{(rounds - empty).mean():.1f}",
                }
            )
    return pd.DataFrame(rows)


def theorem_2(results: Results) -> pd.DataFrame:
    """Compare Theorem 2 as printed with its correction, where members of Z descend from S and where not.

    A model is missed if for some user the exact E[R | s* = 1, x] lies outside the interval.
    """
    models = read(results.files["bounds_theorem_2"]).to_pandas()
    rows = []
    for descends, said in ((True, "a member of Z descends from S"), (False, "none does")):
        part = models[models["descends"] == descends]
        rows.append(
            {
                "random models in which": said,
                "models": len(part),
                "missed by Theorem 2": int((part["printed"] > ROUNDING).sum()),
                "by at most": f"{max(part['printed'].max(), 0):.3f}",
                "missed by the corrected bounds": int((part["corrected"] > ROUNDING).sum()),
            }
        )
    return pd.DataFrame(rows)
