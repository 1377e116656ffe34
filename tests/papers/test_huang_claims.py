"""The judging of huang2022 and huang2024 on made-up results whose verdicts are known."""

import numpy as np
import pandas as pd
import pytest

from causal_bandits.evaluation.results import NotRunError, Plan, Results
from causal_bandits.evaluation.verdicts import (
    CONTRADICTED,
    DIRECTION_ONLY,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    judge_bound,
)
from causal_bandits.papers.huang2022 import claims as claims22
from causal_bandits.papers.huang2024 import claims as claims24

SEEDS = 60


def finals(horizon, **policies):
    """One row per policy and seed; each policy is a dict of metrics: a mean with small noise, or a constant int."""
    rng = np.random.default_rng(0)
    frames = []
    for policy, metrics in policies.items():
        frame = pd.DataFrame({"policy": policy, "seed": range(SEEDS), "t": horizon})
        for metric, value in metrics.items():
            noise = 0.0 if isinstance(value, int) else rng.normal(0, 1, SEEDS)
            frame[metric] = value + noise
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def results(published, files=None, **experiments):
    table = pd.DataFrame({"value": list(published.values())}, index=list(published))
    plans = {
        name: Plan(int(frame["t"].max()), {policy: {"algorithm": policy} for policy in frame["policy"].unique()})
        for name, frame in experiments.items()
    }
    return Results({}, experiments, table, files or {}, plans)


def judge(module, claim, value, found):
    return module.judge_claim(claim, pd.Series({"value": value}), found)


def email(**policies):
    return results({}, email=finals(5000, **policies))


def audit(exact):
    """Every definition's count at tau = 0.1 and 0.2; the exact one as given."""
    definitions = [d for d in claims22.DEFINITIONS if d != "exact"]
    return {f"unfair_{d}_{tau}": 100 for d in definitions for tau in ("0.1", "0.2")} | {
        f"unfair_exact_{tau}": exact for tau in ("0.1", "0.2")
    }


def test_a_count_that_the_model_rules_out_contradicts_the_paper():
    found = email(ucb=audit(0))
    assert judge(claims22, "huang2022.table1.unfair.ucb.01", "3030", found).verdict == CONTRADICTED
    assert judge(claims22, "huang2022.table1.unfair.ucb.01", "0", found).verdict == REPRODUCED
    assert judge(claims22, "huang2022.contrast.email.ucb.ucb.01", ">", found).verdict == CONTRADICTED
    assert judge(claims22, "huang2022.falls.email.ucb.01.02", ">", found).verdict == CONTRADICTED


def test_a_count_that_is_possible_is_only_not_reproduced():
    """On Adult-Video a discrepancy may exceed 0.1."""
    tables = {name: finals(5000, f_ucb_01=audit(900), fair_lin_ucb=audit(1000)) for name in ("adult", "adult_bounds")}
    found = results({}, **tables)
    assert judge(claims22, "huang2022.table2.unfair.f_ucb.01", "0", found).verdict == NOT_REPRODUCED
    assert judge(claims22, "huang2022.contrast.adult.fair_lin_ucb.f_ucb.01", ">", found).verdict == REPRODUCED


def test_orderings_of_regret_and_what_stands_beside_them():
    regret = {"cumulative_regret": 300.0}
    found = email(
        ucb={"cumulative_regret": 500.0}, d_ucb=regret, f_ucb_03={"cumulative_regret": 700.0},
        f_ucb_best_03={"cumulative_regret": 310.0},
    )  # fmt: skip
    assert judge(claims22, "huang2022.order.email.ucb.d_ucb", ">", found).verdict == REPRODUCED
    judged = judge(claims22, "huang2022.order.email.ucb.f_ucb_03", ">", found)
    assert judged.verdict == NOT_REPRODUCED
    assert "best arm, scale 1: difference 190" in judged.why
    tables = finals(5000, f_ucb_01={"cumulative_regret": 900.0}, fair_lin_ucb={"cumulative_regret": 20.0})
    slightly = judge(claims22, "huang2022.order.adult.f_ucb_01.fair_lin_ucb", ">", results({}, adult_bounds=tables))
    assert slightly.verdict == DIRECTION_ONLY


def test_a_shorter_run_is_not_judged():
    with pytest.raises(NotRunError, match="5000 rounds"):
        judge(claims22, "huang2022.order.email.ucb.d_ucb", ">", results({}, email=finals(100, ucb={}, d_ucb={})))


def linear(default, others):
    """LinUCB above LinUCB-PCB by ``default`` at the default settings and by ``others`` at all others."""
    endings = {"alpha": ["_025", "_05", "_2"], "variants": ["_shared"]}
    tables = {"linear": finals(15_000, lin_ucb={"cumulative_regret": 100.0 + default},
                               lin_ucb_pcb={"cumulative_regret": 100.0})}  # fmt: skip
    for experiment, names in endings.items():
        policies = {f"lin_ucb{e}": {"cumulative_regret": 100.0 + others} for e in names}
        policies |= {f"lin_ucb_pcb{e}": {"cumulative_regret": 100.0} for e in names}
        tables[experiment] = finals(15_000, **policies)
    return results({}, **tables)


@pytest.mark.parametrize(
    ("default", "others", "verdict"),
    [(9.0, 9.0, REPRODUCED), (9.0, -9.0, DIRECTION_ONLY), (9.0, 0.0, DIRECTION_ONLY), (-9.0, 9.0, NOT_REPRODUCED)],
)
def test_an_ordering_must_hold_at_every_setting_that_is_open(default, others, verdict):
    judged = judge(claims24, "huang2024.order.linear.lin_ucb.lin_ucb_pcb", ">", linear(default, others))
    assert judged.verdict == verdict
    assert judged.why.count("alpha = ") == 3


def test_a_column_that_no_sample_shows_takes_its_cells_with_it(tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        {"seed": s, "context": c, "arm": a, "cp": 0.5 + rng.normal(0, 0.01)}
        for s in range(1500)
        for c in range(4)
        for a in range(4)
    ]
    path = tmp_path / "bounds.parquet"
    pd.DataFrame(rows).to_parquet(path)
    for shift, verdict in ((0.0, REPRODUCED), (0.05, NOT_REPRODUCED)):
        published = {f"huang2024.table1.{r}.cp": 0.5 + shift * (r > 1) for r in range(1, 17)}
        found = results(published, {"bounds_contextual": str(path)})
        assert judge(claims24, "huang2024.table1.1.cp", "0.5", found).verdict == verdict


def test_a_bound_that_nothing_can_break_tests_nothing():
    regret = pd.Series([10.0, 20.0])
    assert judge_bound(50, regret, worst=40).verdict == NOT_TESTABLE
    assert judge_bound(30, regret, worst=40).verdict == REPRODUCED
    assert judge_bound(15, regret, worst=40).verdict == NOT_REPRODUCED
