"""What a report's curves are drawn from: the numbers, whose line they are, and what a reader can point at."""

import csv
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checkout import ROOT

from experiments.aggregate import described
from experiments.config import read_yaml
from experiments.drawing.looks import Look
from experiments.results import Plan
from experiments.study import Study
from replication.tools.explain import CONFIG
from replication.tools.report.contents import looks_of
from replication.tools.report.curves import COLUMNS, specification


def written(path, policies, rounds):
    """Curves as `aggregate` writes them, of two metrics."""
    rows = [
        {"metric": metric, "policy": policy, "t": t, "mean": 1234.5678 * t, "ci_low": t / 3, "ci_high": 2.0 * t, "n": 7}
        for metric in ("cumulative_regret", "correct")
        for policy in policies
        for t in rounds
    ]
    settings = {policy: {"algorithm": policy.partition(",")[0], "tau": 11 - i} for i, policy in enumerate(policies)}
    plan = {"horizon": 10, "settings": settings, "left_out": {}, "defaults": {}}
    table = pa.Table.from_pandas(pd.DataFrame(rows))
    pq.write_table(table.replace_schema_metadata({key: json.dumps(value) for key, value in plan.items()}), path)
    return path


def test_regret_is_drawn_as_a_band_a_line_and_points_to_hover_over(tmp_path):
    drawn = specification(written(tmp_path / "curves.parquet", ["z, 2", "a"], [1, 10]), {})
    (text,) = drawn["datasets"].values()
    header, *rows = csv.reader(text.splitlines())
    assert (tuple(header), drawn["data"]["format"]["type"]) == (COLUMNS, "csv")
    assert [(row[0], row[1]) for row in rows] == [("z, 2", "1"), ("z, 2", "10"), ("a", "1"), ("a", "10")]
    assert rows[0] == ["z, 2", "1", "1234.6", "0.33333", "2", "7"]  # five digits
    assert drawn["data"]["format"]["parse"] == dict.fromkeys(COLUMNS, "number") | {"policy": "string"}
    band, line, points = drawn["layer"]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("ci_low", "ci_high")
    for layer in (line, points):
        assert (layer["encoding"]["x"]["field"], layer["encoding"]["y"]["field"]) == ("t", "mean")
    types = {field["field"]: field["type"] for field in points["encoding"]["tooltip"]}
    assert types == dict.fromkeys(COLUMNS, "quantitative") | {"policy": "nominal"}
    assert points["mark"]["filled"]  # a pointer meets their inside too


def test_a_policy_can_be_switched_off_and_keeps_its_line(tmp_path):
    names = [f"policy {i}" for i in range(20)]
    drawn = specification(written(tmp_path / "curves.parquet", names, [1, 10]), {})
    assert {"name": "hidden", "value": []} in drawn["params"]
    assert {layer["transform"][0]["filter"] for layer in drawn["layer"]} == {"indexof(hidden, datum.policy) < 0"}
    legend = drawn["usermeta"]["policies"]
    assert [line["name"] for line in legend] == names  # as in the configuration
    assert len({(line["colour"], tuple(line["dash"])) for line in legend}) == len(names)  # told apart
    scales = [drawn["layer"][1]["encoding"][name]["scale"] for name in ("color", "strokeDash")]
    assert [scale["domain"] for scale in scales] == [names, names]  # no line changes its look when another goes
    assert [scale["range"] for scale in scales] == [[line[name] for line in legend] for name in ("colour", "dash")]


def test_policies_are_called_and_coloured_as_figures_do_and_no_two_look_alike(tmp_path):
    looks = {
        "F": Look({"algorithm": "f"}, "red", "-"),
        "F, last": Look({"algorithm": "f", "tau": 9}, "grey", "--"),
        "on $X_R$, $\\delta$": Look({"algorithm": "g"}, "green", (0, (4, 2))),
        "nobody": Look({"algorithm": "h"}, "red", ":"),
    }
    labels = ["other,x=1", "f,tau=10", "f,tau=9", "f,tau=8", "g"]
    drawn = specification(written(tmp_path / "curves.parquet", labels, [1, 10]), looks)
    assert [(line["name"], line["colour"], line["dash"]) for line in drawn["usermeta"]["policies"]] == [
        ("F, tau 8", "red", [1, 0]),
        ("F, tau 10", "red", [6, 3]),
        ("F, last", "grey", [6, 3]),
        ("on X_R, δ", "green", [4, 2]),
        ("other, x=1", "#0072B2", [1, 0]),
    ]
    (text,) = drawn["datasets"].values()
    assert {row["policy"] for row in csv.DictReader(text.splitlines())} == {
        line["name"] for line in drawn["usermeta"]["policies"]
    }


@pytest.mark.parametrize("slug", ["huang2022", "huang2024", "lee2019", "lu2021", "xiong2023"])
def test_looks_select_policies_that_the_study_plays(slug):
    study = Study(read_yaml(ROOT / CONFIG, CONFIG), ROOT)
    plans = [Plan(**described(study.experiment_job(slug, name))) for name in study.papers[slug]["experiments"]]
    for name, (chosen, _, _) in looks_of(slug).items():
        assert any(plan.matching(chosen) for plan in plans), name


def test_nothing_is_drawn_of_a_single_round_or_another_metric(tmp_path):
    path = tmp_path / "curves.parquet"
    assert specification(written(path, ["a", "b"], [10]), {}) is None
    pd.read_parquet(written(path, ["a"], [1, 10])).query("metric == 'correct'").to_parquet(path)
    assert specification(path, {}) is None


def test_of_many_rounds_some_are_shown_the_last_among_them(tmp_path):
    drawn = specification(written(tmp_path / "curves.parquet", ["a"], range(1, 101)), {})
    (text,) = drawn["datasets"].values()
    shown = [int(row["t"]) for row in csv.DictReader(text.splitlines())]
    assert shown == list(range(2, 101, 2))
