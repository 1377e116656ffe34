"""What a check of an entry's file finds, and the entry's regret beside ours."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_entry import SIZES

from experiments.files import read
from replication.tools.entry import columns
from replication.tools.entry.check import COMMITTED, beside, check

ROOT = Path(__file__).parents[4]


@pytest.fixture
def faults(tmp_path):
    """The faults that a check finds in a data frame written as Parquet, by whatever program."""

    def found(rows):
        rows.to_parquet(tmp_path / "entry.parquet", index=False)
        return check(tmp_path / "entry.parquet").faults

    return found


def test_a_file_without_fault_passes_in_whatever_order_and_width(frame, faults):
    assert faults(frame) == []
    assert faults(frame.sample(frac=1, random_state=0).astype({"seed": "int32", "draw": "int16"})) == []
    assert faults(frame.astype({"policy": "category", "problem": "category"})) == []


def at(column, value, row=0):
    def change(frame):
        frame.loc[row, column] = value
        return frame

    return change


def everywhere(**values):
    return lambda frame: frame.assign(**values)


WRONG = {
    "no column": (lambda f: f.drop(columns="t"), "column 't': is missing; expected it, integers"),
    "another column": (everywhere(note="x"), "column 'note': is unknown; expected these: package, version, problem"),
    "texts for numbers": (lambda f: f.astype({"seed": str}), "column 'seed': .*string; expected integers"),
    "reals for rounds": (lambda f: f.astype({"t": float}), "column 't': double; expected integers"),
    "a null": (at("policy", None), "column 'policy': 1 values are null; expected a value in every row"),
    "no rows": (lambda f: f.iloc[:0].astype({"draw": "int64"}), "no rows; expected at least one run"),
    "two versions": (at("version", "0.2"), "version: '0.1.0', '0.2'; expected one, the same in all rows"),
    "no package": (everywhere(package=" "), "package: ' '; expected one"),
    "unknown problem": (
        everywhere(problem="diagrams"),
        "problem 'diagrams', .*: unknown; expected one of: benign, budg",
    ),
    "no JSON": (everywhere(options="nodes=3"), "options nodes=3: no JSON .*; expected the keyword arguments"),
    "a JSON list": (everywhere(options="[3]"), r"options \[3\]: expected a JSON object"),
    "a draw as option": (everywhere(options='{"draw": 0}'), "without 'draw', which is a column"),
    "not sorted": (
        everywhere(options='{"nodes": 3, "confounders": 2}'),
        'expected them as {"confounders": 2, "nodes": 3',
    ),
    "unknown option": (everywhere(options='{"node": 3}'), "cannot be built .*'node'.*; expected options that it takes"),
    "wrong option": (
        everywhere(options=json.dumps(SIZES | {"told": "all"}, sort_keys=True)),
        "cannot be built .told 'all': expected nothing, single",
    ),
    "no draws": (everywhere(draw=None), "column 'draw'; expected a number in every row: each is a random problem"),
    "draws of a fixed problem": (
        everywhere(problem="worst", options="{}"),
        "column 'draw'; expected null: the problem is not random",
    ),
    "a draw too late": (
        lambda f: f.assign(draw=f["draw"].where(f["seed"] < 3, 2)),
        "seed 3: draw 2; expected draw 1: 2 successive seeds a draw",
    ),
    "negative draw": (lambda f: f.assign(draw=f["draw"] - 1), "draw -1; expected numbers from 0"),
    "a seed missing": (lambda f: f[f["seed"] != 1], "policy 'mine': no seed 1; expected all seeds from 0 to 3"),
    "negative seed": (lambda f: f.assign(seed=f["seed"] - 1), "policy 'mine': seed -1; expected seeds from 0"),
    "round 0": (lambda f: f.assign(t=f["t"] - 10), "seed 0: t=0; expected rounds from 1, each once"),
    "a round twice": (lambda f: pd.concat([f, f.iloc[:1]]), "seed 0: t=10; expected rounds from 1, each once"),
    "a round missing": (
        lambda f: f.drop(index=4),
        "seed 1: 2 rows up to t=50; expected those of seed 0, 3 rows up to t=50",
    ),
    "no number": (at("cumulative_regret", np.inf), "seed 0: the regret at t=10 is no number; expected finite"),
    "falling": (at("cumulative_regret", 0.2, 2), "seed 0: the regret falls to 0.2 at t=50; expected pseudo-regret"),
    "negative": (at("cumulative_regret", -0.2), "seed 0: the regret falls to -0.2 at t=10; expected pseudo-regret"),
    "too much": (at("cumulative_regret", 60.0, 2), "seed 0: regret 60 at t=50; expected at most .*, that of the worst"),
    "no kind": (everywhere(kind="mean"), "kind mean; expected pseudo or realised"),
    "two kinds": (at("kind", "realised"), "kind pseudo, realised; expected pseudo or realised in all its rows"),
    "no name": (everywhere(policy=""), "policy '': expected a name"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_fault_is_one_line(frame, faults, case):
    change, message = WRONG[case]
    found = faults(change(frame))
    assert any(pd.Series(found).str.contains(message, regex=True)), found
    assert not any("\n" in fault for fault in found)


def test_realised_regret_may_fall(frame, faults):
    assert faults(at("cumulative_regret", -0.2)(frame).assign(kind="realised")) == []


def test_regret_up_to_that_of_the_worst_arm_passes(frame, faults, tmp_path):
    """The bound is exact: on a fixed problem too, whose gap is known by hand."""
    from replication.papers.arena.problems import PROBLEMS

    bandit = PROBLEMS["worst"]()
    gap = bandit.optimal_mean - bandit.means.min()
    whole = frame.assign(problem="worst", options="{}", draw=pd.array([None] * len(frame), "Int64"))
    assert faults(whole.assign(cumulative_regret=whole["t"] * gap)) == []
    assert len(faults(whole.assign(cumulative_regret=whole["t"] * gap * 1.001))) == 1


def test_packed_runs_pass_the_check_and_stand_beside_ours(results, tmp_path):
    file = tmp_path / "mine.parquet"
    assert columns.pack(results, "duel", {"mine": ("my-entry", "0.1.0")}, file) == 3
    table = read(file)
    assert table.schema.equals(columns.SCHEMA, check_metadata=False)
    found = check(file)
    assert found.faults == []
    assert set(found.rows["policy"]) == {"mine"}
    assert found.rows["options"].unique().tolist() == [columns.as_text(SIZES | {"told": "diagram"})]
    told = beside(found.rows, tmp_path)
    assert told[0] == 'diagram {"confounders": 2, "nodes": 3, "told": "diagram"}, 50 rounds'
    half = 4.303  # Student's t with 2 degrees of freedom, times the deviation 1 over the root of 3
    assert told[2].split() == ["mine", "2.00", "±", f"{half / 3**0.5:.2f}", "3", "my-entry", "0.1.0"]
    assert told[3].split()[0] == "mine"  # of the results at hand: here nobody registers it
    assert told[4].split()[0] == "thompson"
    assert f"6.00 ± {3 * half / 3**0.5:.2f}" in told[4]
    assert f"4.00 ± {2 * half / 3**0.5:.2f} on 3" in told[4]
    assert len(told) == 5


def test_the_committed_table_stands_beside_an_entry_of_its_size(frame):
    long = frame.assign(t=frame["t"] * 200)  # 10,000 rounds
    told = "\n".join(beside(long, ROOT))
    regrets = pd.read_csv(ROOT / COMMITTED, dtype=str)
    ours = regrets[(regrets["problem"] == "diagram") & (regrets["situation"] == "confounders 2, nodes 3")]
    assert len(ours) > 3
    for row in ours.to_dict("records"):
        assert f"{row['regret']} ({row['95 %']})" in told
    assert "no results of ours with these options and rounds are at hand" in "\n".join(beside(frame, ROOT / "src"))


def test_a_damaged_page_is_found(frame, tmp_path):
    file = tmp_path / "entry.parquet"
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), file)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(OSError, match="damaged"):
        check(file)
