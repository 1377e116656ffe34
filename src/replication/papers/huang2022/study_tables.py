"""Build tables beyond the paper: readings, other users and parameters, the price of fairness, the theorems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from causal_bandits.discovery import parent_recovery
from causal_bandits.play.unfairness import MISSED, fair_regret, unfair
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, WEIGHTS
from causal_bandits.problems.construction.huang2022.constructed import (
    straddling,
)
from causal_bandits.problems.construction.huang2022.constructed import unconstrained as unconstrained_bandit
from experiments.drawing.tabulate import plus_minus
from experiments.files import read
from experiments.results import NotRunError, Results
from experiments.settings import compact
from replication.papers.huang2022.discovery import learned_graphs
from replication.papers.huang2022.policies import NAMES, printed_regret
from replication.papers.huang2022.theory import (
    RegretBound,
    campaign,
    condition_of_proof,
    fair_value,
    named_condition,
    safest_discrepancy,
    theorem_1,
    theorem_3,
)

#: Settings in which readings of F-UCB differ (ledger L48, L49).
OPEN = ("fallback", "alpha_r", "alpha_c")


def readings(results: Results) -> pd.DataFrame:
    """Tabulate F-UCB's regret and its rounds without a provably fair arm, by task, threshold and reading."""
    rows = []
    for experiment in ("email", "adult_bounds", "adult"):
        policies = results.policies(experiment, algorithm="f_ucb")
        settings = [results.settings(experiment, policy) for policy in policies]
        for reading in dict.fromkeys(tuple(each[name] for name in OPEN) for each in settings):
            chosen = dict(zip(OPEN, reading, strict=True))
            row = {"task": experiment, **{name: compact(value) for name, value in chosen.items()}}
            for tau in THRESHOLDS:
                at: dict[str, Any] = {"algorithm": "f_ucb", "tau": tau, **chosen}
                key = f"tau = {tau:g}"
                try:
                    row[key] = plus_minus(results.final(experiment, **at))
                    row[f"{key}, empty"] = f"{results.final(experiment, 'empty_set', **at).mean():.0f}"
                except NotRunError:  # no policy is safe at this threshold, so Theorem 3 has no scale
                    row[key] = row[f"{key}, empty"] = "no safe policy"
            rows.append(row)
        row = {"task": experiment, **dict.fromkeys(OPEN, "as published")}
        rows.append(row | {f"tau = {t:g}": printed_regret(results, experiment, t) for t in THRESHOLDS})
    return pd.DataFrame(rows).fillna("")


def users(results: Results) -> pd.DataFrame:
    """Compare regret on the email campaign under uniform and random distributions of users (L45)."""
    rows, regrets = [], {}
    for policy in results.policies("email_users"):
        settings = results.settings("email_users", policy)
        named: dict[str, Any] = {name: settings[name] for name in ("algorithm", "tau", "fallback") if name in settings}
        regrets[policy] = results.final("email_users", policy=policy)
        rows.append(
            {
                "what": policy,
                "uniform users": plus_minus(results.final("email", **named)),
                "users of any distribution": plus_minus(regrets[policy]),
                "least": f"{regrets[policy].min():.2f}",
                "largest": f"{regrets[policy].max():.2f}",
            }
        )
    for larger, smaller in (("ucb", "c_ucb"), ("c_ucb", "d_ucb"), ("f_ucb", "ucb"), ("d_ucb", "f_ucb_best")):
        above = regrets[larger] > regrets[smaller]
        share = f"{int(above.sum())} of {len(above)} distributions"
        rows.append({"what": f"{larger} above {smaller}", "users of any distribution": share})
    return pd.DataFrame(rows).fillna("")


def fair_lin_ucb(results: Results) -> pd.DataFrame:
    """Tabulate the regret of Fair-LinUCB on Adult-Video by the parameters that the paper omits (L51)."""
    rows = []
    for policy in results.policies("fair_lin_ucb"):
        settings = results.settings("fair_lin_ucb", policy)
        parameters = {name: compact(settings[name]) for name in ("alpha", "alpha_max", "gamma", "penalty")}
        rows.append({**parameters, "regret": plus_minus(results.final("fair_lin_ucb", policy=policy))})
    return pd.DataFrame(rows)


def bonus(results: Results) -> pd.DataFrame:
    """Tabulate regrets by the scale of the bonus, and the scale that comes closest to each printed regret.

    The last rows list the scales with the smallest mean error over all printed regrets of one table, and of both; an
    error is relative to the printed number.
    """
    rows, misses = [], []
    for task, item in (("email", "Table 1"), ("adult", "Table 2")):
        of_item = results.published_where(place=item, column="regret of F-UCB")
        for policy in ("d_ucb", "f_ucb"):
            for tau in THRESHOLDS:
                (row,) = of_item[of_item["row"] == f"tau = {tau:g}"].to_dict("records")
                published = float(row["value"])
                regrets = _by_scale(results, f"{task}_bonus", 0.0 if policy == "d_ucb" else tau)
                off = {scale: abs(regret / published - 1) for scale, regret in regrets.items()}
                nearest = min(off, key=lambda scale: off[scale])
                misses += [{"task": task, "policy": policy, "scale": s, "off": miss} for s, miss in off.items()]
                rows.append(
                    {"task": task, "policy": NAMES[policy], "tau": f"{tau:g}", "published": f"{published:.2f}"}
                    | {"nearest scale": f"{nearest:g}", "regret at it": f"{regrets[nearest]:.0f}"}
                    | {f"scale {scale:g}": f"{regret:.0f}" for scale, regret in regrets.items()}
                )
    missed = pd.DataFrame(misses)
    for policy, name in (("d_ucb", NAMES["d_ucb"]), ("f_ucb", NAMES["f_ucb"])):
        for task, chosen in (("email", ["email"]), ("adult", ["adult"]), ("both", ["email", "adult"])):
            of = missed[(missed["policy"] == policy) & missed["task"].isin(chosen)].groupby("scale")["off"].mean()
            scale = float(str(of.idxmin()))
            cells = {"task": task, "policy": name, "tau": "all", "nearest scale": f"{scale:g}"}
            rows.append(cells | {"mean miss at it": f"{100 * of[scale]:.0f} %"})
    return pd.DataFrame(rows).fillna("")


def _by_scale(results: Results, experiment: str, tau: float) -> dict[float, float]:
    """Compute the mean regret at a threshold by the scale of the bonus, in increasing order."""
    policies = results.policies(experiment, algorithm="f_ucb", tau=tau)
    scales = {float(str(results.settings(experiment, policy)["alpha_r"])): policy for policy in policies}
    return {scale: float(results.final(experiment, policy=scales[scale]).mean()) for scale in sorted(scales)}


def learning(results: Results) -> pd.DataFrame:
    """Tabulate what PC and GES find with other tiers (L37), reward bins (L38) and significance levels (L39)."""
    rows = []
    for name, path in results.files.items():
        graphs = learned_graphs(path)
        found = [parent_recovery(graph, "reward", WEIGHTS) for graph in graphs]
        exact = [not (each.missing or each.extra) for each in found]
        rows.append(
            {
                "what": name.replace("_", " "),
                "seeds": f"{len(graphs)}",
                "parents of the reward exactly as stated": f"{np.mean(exact):.2f}",
                "edge out of the reward": f"{np.mean([any(a == 'reward' for a, _ in g.directed) for g in graphs]):.2f}",
                "sex and income adjacent": f"{np.mean([('income', 'sex') in g.adjacent for g in graphs]):.2f}",
                "income descends from sex": f"{np.mean([g.descends('income', 'sex') == 'yes' for g in graphs]):.2f}",
            }
        )
    return pd.DataFrame(rows)


def price(results: Results) -> pd.DataFrame:
    """Tabulate what fairness costs if the best arms are the least fair (L85), exactly and for F-UCB."""
    problem, rounds = straddling(), results.horizon("straddling")
    best = rounds * fair_value(problem, np.inf)
    rows = [{"tau": "none", "policy": "D-UCB", "regret": plus_minus(results.final("straddling", algorithm="d_ucb"))}]
    for tau in THRESHOLDS:
        for mixed, shown in ((False, "best fair arm, exact"), (True, "best fair mix of arms, exact")):
            lost = best - rounds * fair_value(problem, tau, mixed)
            rows.append({"tau": f"{tau:g}", "policy": shown, "regret": f"{lost:.0f}"})
        for policy in results.policies("straddling", algorithm="f_ucb", tau=tau):
            settings = results.settings("straddling", policy)
            mixes = ", arms mixed" if settings["stochastic"] else ""

            def final(metric: str, policy: str = policy) -> pd.Series:
                return results.final("straddling", metric, policy=policy)

            rows.append(
                {
                    "tau": f"{tau:g}",
                    "policy": f"F-UCB, {settings['fallback']} arm{mixes}",
                    **{name: compact(settings[name]) for name in ("alpha_r", "alpha_c")},
                    "regret": plus_minus(final("cumulative_regret")),
                    "regret against the best fair arm": plus_minus(final(fair_regret(tau))),
                    "unfair rounds": f"{final(unfair('exact', tau)).mean():.0f}",
                    "rounds with an empty set": f"{final('empty_set').mean():.0f}",
                }
            )
    return pd.DataFrame(rows).fillna("").assign(rounds=rounds)


#: Largest expected number of rounds in which the discrepancy exceeds UCB_Delta, if UCB_Delta bounds it with probability
#: 1 - delta, where delta = 1/t^2, on both sides and for both groups: the sum of 4/t^2.
MISSED_AT_MOST = 4 * np.pi**2 / 6

#: Differences below this are rounding errors.
ROUNDING = 1e-9

#: Which radius of the discrepancy goes with Theorem 3's scale, by alpha_c (ledger L49).
RADII = {0.5: "Appendix D's radius", 1.0: "Eq. 12's radius"}


def theory(results: Results) -> pd.DataFrame:
    """Compare the regret bounds of Theorems 1 and 3, as stated and as proved, with the measured regret."""
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
    """Compare what the proof of Theorem 3 requires of alpha_r and alpha_c with the theorem's choice."""
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
    """Compare Theorem 3's bound with F-UCB's regret if fair play loses half a reward per round (E25)."""
    problem, rounds = unconstrained_bandit(), results.horizon("unconstrained")
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
    """Count how often the arm's exact discrepancy exceeds UCB_Delta if one group is rare (E26).

    UCB_Delta is computed in two ways: as printed, with the widths of the cells that the user meets, and with the widths
    of both groups' cells, each once.
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
    """Count the random models that Theorem 2 misses, as printed and corrected, with and without descendants of S in Z.

    A model is missed if, for some user, the exact E[R | s* = 1, x] lies outside the interval.
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
