"""Results for a whole report without a study: every published claim with a verdict and readings, and curves."""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from replication.judging import verdict_tables
from replication.judging.claims import claims_of, read
from replication.judging.judges import Outcome, Why

ROOT = Path(__file__).parents[2]
REASON = "the 95 % interval is below the boundary; nothing here was simulated, the numbers are made up"


def made_results(folder, papers=(), experiment="lee2019/frontdoor", policies=10):
    """Verdicts on all claims (or on some papers' alone), outcomes in turn, and curves of one experiment."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, readings, outcomes = [], [], cycle(Outcome)
    for paper in papers or sorted(path.stem for path in (ROOT / "data/published").glob("*.csv")):
        tests = claims_of(paper)
        for id_, claim in read(ROOT / f"data/published/{paper}.csv").items():
            outcome, test = next(outcomes), tests[id_]
            why = {Outcome.OPEN: next(iter(Why)), Outcome.FAILS: test.fault or ""}.get(outcome, "")
            found = {"replicated": "12.34", "ci_low": 11.5, "ci_high": 13.25, "n": "100", "outcome": outcome}
            found |= {"why": why, "reason": REASON}
            printed = {name: getattr(claim, name) for name in ("place", "row", "column", "kind", "statement")}
            rows.append(found | printed | {"claim_id": id_, "paper": paper, "published": claim.value})
            rows[-1] |= {name: getattr(test, name) for name in ("shown", "ledger", "in_view")}
            rows[-1]["headline"] = verdict_tables.HEADLINE if test.headline else ""
            for i, name in enumerate([each.name for each in test.tests] if len(test.tests) > 1 else ()):
                readings.append(
                    found
                    | {"why": "" if outcome == Outcome.FAILS else why}
                    | {"claim_id": id_, "reading": name, "default": "" if i else "yes"}
                )
    verdict_tables.write(rows, folder / "verdicts.csv")
    verdict_tables.write(readings, folder / "verdict_readings.csv", verdict_tables.READING_COLUMNS)
    (folder / experiment).mkdir(parents=True)
    t = np.arange(1, 101) * 100
    names = ["a_policy,epsilon=0.01,with=settings,and=no_space", *(f"policy {i}" for i in range(1, policies))]
    curves = [
        pd.DataFrame({"metric": "cumulative_regret", "policy": name, "t": t, "mean": (i + 1) * np.sqrt(t), "n": 100})
        for i, name in enumerate(names)
    ]
    made = pd.concat(curves).assign(ci_low=lambda table: 0.9 * table["mean"], ci_high=lambda table: 1.1 * table["mean"])
    settings = {name: {"algorithm": name} for name in names}
    plan = {"horizon": 10_000, "settings": settings, "left_out": {}, "defaults": {}}
    metadata = {key: json.dumps(value) for key, value in plan.items()}
    pq.write_table(pa.Table.from_pandas(made).replace_schema_metadata(metadata), folder / experiment / "curves.parquet")
    return rows
