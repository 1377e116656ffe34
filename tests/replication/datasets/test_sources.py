"""Where counts come from: the shipped tables and raw files; and what the shipped tables count."""

from pathlib import Path

import numpy as np
import pytest

from causal_bandits.datasets import DataError
from replication.datasets import DATASETS, read_counts

SHIPPED = Path(__file__).parents[3] / "src/causal_bandits/datasets/counts"


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_table_and_file_agree(raw_data, name):
    for rule in ("median_ge", "mean_gt"):
        counted = read_counts(name, "file", raw_data / DATASETS[name].raw, rule=rule)
        if rule == "median_ge":
            assert counted.text() == read_counts(name).text()
        assert counted.provenance["rule"] == rule
        assert counted.total == read_counts(name).total
        assert counted.variables == DATASETS[name].variables


def test_what_the_shipped_adult_table_counts():
    """huang2022, E.2: "31,561 instances: 21,790 males and 10,771 females"; the sum says 32,561."""
    table = read_counts("adult")
    assert table.total == 32_561
    np.testing.assert_array_equal(table.marginal(["sex"]).counts, [10_771, 21_790])
    assert table.states["sex"] == ("Female", "Male")
    assert table.provenance["thresholds"] == {"age": 37}
    assert all(len(labels) == 2 for labels in table.states.values())


def test_what_the_shipped_youtube_table_counts():
    table = read_counts("youtube")
    assert table.total == 1604
    assert set(table.provenance["thresholds"]) == set(table.variables)
    for features, known in (
        (("age",), 1574),
        (table.variables, 1572),
        (("length", "ratings", "views", "comments"), 1602),
        (("age", "length", "ratings", "comments"), 1572),
    ):
        types = table.known(features)
        assert types.counts.shape == (2,) * len(features)
        assert types.total == known
        assert len(features) > 4 or (types.counts > 0).all()


def test_wrong_names_and_missing_arguments_are_named(tmp_path):
    for arguments, message in (
        (("census",), "data set 'census' is not one of adult, youtube"),
        (("adult", "web"), "source 'web' is not one of table, file"),
        (("adult", "file"), "adult: source file needs a path"),
    ):
        with pytest.raises(ValueError, match=message):
            read_counts(*arguments)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv: no such file"):
        read_counts("adult", path=tmp_path / "nowhere.csv")


def test_a_table_serves_its_own_rule_and_data_set_only():
    with pytest.raises(DataError, match=r"adult\.csv: made by the rule 'median_ge', expected 'mean_ge'"):
        read_counts("adult", rule="mean_ge")
    with pytest.raises(DataError, match=r"adult\.csv: not a table of youtube; it lacks length, views"):
        read_counts("youtube", path=SHIPPED / "adult.csv")


def test_an_unknown_rule_is_named(small_raw):
    with pytest.raises(ValueError, match="rule 'mode' is not one of"):
        read_counts("adult", "file", small_raw / "adult/adult.data", rule="mode", verify=False)
