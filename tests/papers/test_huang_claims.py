"""The judging of huang2024 on made-up results whose verdicts are known."""

import numpy as np
import pandas as pd
import pytest

from causal_bandits.evaluation.results import Plan, Results
from causal_bandits.evaluation.verdicts import (
    DIRECTION_ONLY,
    NOT_REPRODUCED,
    REPRODUCED,
)
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
