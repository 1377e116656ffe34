"""What a report's curves are drawn from: the numbers, whose line they are, and what a reader can point at."""

import pandas as pd

from replication.tools.report.curves import COLUMNS, specification


def written(path, policies, rounds):
    """Curves as `aggregate` writes them, of two metrics."""
    rows = [
        {"metric": metric, "policy": policy, "t": t, "mean": 1234.5678 * t, "ci_low": t / 3, "ci_high": 2.0 * t}
        for metric in ("cumulative_regret", "correct")
        for policy in policies
        for t in rounds
    ]
    pd.DataFrame(rows).to_parquet(path)
    return path


def test_regret_is_drawn_as_a_band_a_line_and_points_to_hover_over(tmp_path):
    drawn = specification(written(tmp_path / "curves.parquet", ["z", "a"], [1, 10]))
    (rows,) = drawn["datasets"].values()
    assert [(row["policy"], row["t"]) for row in rows] == [("z", 1), ("z", 10), ("a", 1), ("a", 10)]
    assert rows[0] == {"policy": "z", "t": 1, "mean": 1234.6, "ci_low": 0.33333, "ci_high": 2.0}  # five digits
    band, line, points = drawn["layer"]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("ci_low", "ci_high")
    for layer in (line, points):
        assert (layer["encoding"]["x"]["field"], layer["encoding"]["y"]["field"]) == ("t", "mean")
    assert line["encoding"]["color"]["sort"] == ["z", "a"]  # as in the configuration
    types = {field["field"]: field["type"] for field in points["encoding"]["tooltip"]}
    assert types == dict.fromkeys(COLUMNS, "quantitative") | {"policy": "nominal"}


def test_a_policy_that_is_not_shown_fades(tmp_path):
    """Those that are shown stand out; points are there for the pointer only."""
    band, line, points = specification(written(tmp_path / "curves.parquet", ["a"], [1, 10]))["layer"]
    for layer in (band, line):
        opacity = layer["encoding"]["opacity"]
        assert 0 < opacity["value"] < 0.1 < opacity["condition"]["value"] <= 1
        assert opacity["condition"]["param"] == "shown"
    assert points["mark"]["filled"]  # a pointer meets their inside too
    assert 0 < points["encoding"]["opacity"]["value"] < 0.01


def test_nothing_is_drawn_of_a_single_round_or_another_metric(tmp_path):
    path = tmp_path / "curves.parquet"
    assert specification(written(path, ["a", "b"], [10])) is None
    pd.read_parquet(written(path, ["a"], [1, 10])).query("metric == 'correct'").to_parquet(path)
    assert specification(path) is None
