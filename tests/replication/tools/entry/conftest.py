"""An entry's rows, and results of an experiment in which an entry and an algorithm of ours play."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from made_entry import SIZES

from experiments.aggregate import aggregate
from experiments.files import write
from replication.tools.entry import columns


@pytest.fixture
def frame():
    """An entry with two policies on one random problem: 4 seeds, 2 a draw, 3 rounds kept."""
    rows = []
    for policy in ("mine", "mine,width=2"):
        for seed in range(4):
            for k, t in enumerate((10, 20, 50)):
                rows.append([policy, seed, seed // 2, t, 0.5 * k + 0.1 * seed])
    found = pd.DataFrame(rows, columns=["policy", "seed", "draw", "t", "cumulative_regret"])
    fixed = {"package": "my-entry", "version": "0.1.0", "problem": "diagram", "kind": "pseudo"}
    return found.assign(options=columns.as_text(SIZES | {"told": "diagram"}), **fixed)


@pytest.fixture
def results(tmp_path):
    """Results of an experiment in which ``mine`` and our ``thompson`` play; regret is 1 and 3 more with every draw."""
    folder = tmp_path / "results/arena/duel"
    tables = []
    for label, slope in (("mine,told=diagram", 1.0), ("thompson,told=diagram", 3.0)):
        rows = [(seed, t, slope * (seed + 1) * t / 50) for seed in range(3) for t in (25, 50)]
        seeds, t, regret = (np.array(column) for column in zip(*rows, strict=True))
        words = [pa.repeat(pa.scalar(word, pa.string()), len(t)).dictionary_encode() for word in ("arena/duel", label)]
        made = [*words, pa.array(seeds.astype(np.int32)), pa.array(t.astype(np.int32)), pa.array(regret)]
        names = ["experiment", "policy", "seed", "t", "cumulative_regret", "cumulative_reward", "draw"]
        table = pa.Table.from_arrays([*made, pa.array(regret), pa.array(seeds.astype(np.int32))], names=names)
        write(table, make(folder / "runs" / label / "0-2.parquet"))
        tables.append(table)
    settings = {
        f"{name},told=diagram": {"algorithm": name, "width": 1.0, "problem": "diagram", **SIZES, "told": "diagram"}
        for name in ("mine", "thompson")
    }
    job = {"horizon": 50, "settings": settings, "left_out": {}, "code": "none"}
    job["defaults"] = {"mine": {"width": 1.0}, "thompson": {"width": 1.0}}
    unified = pa.concat_tables(tables).unify_dictionaries()
    aggregate(unified, job, make(folder / "curves.parquet"), folder / "finals.parquet")
    return tmp_path / "results"


def make(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
