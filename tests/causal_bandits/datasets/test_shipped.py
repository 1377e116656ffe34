"""The shipped tables, against the files as plain text."""

import csv

import pytest

from causal_bandits.datasets import shipped


@pytest.mark.parametrize("name", shipped.DATASETS)
def test_a_table_holds_the_counts_of_its_file(name):
    lines = (shipped.SHIPPED / f"{name}.csv").read_text().splitlines()
    header, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    table = shipped.load_counts(name)
    assert list(table.variables) == header[:-1]
    for *states, count in rows:
        assert table.counts[tuple(map(int, states))] == int(count)
    assert table.total == sum(int(count) for *_, count in rows)


def test_every_file_is_a_data_set():
    assert sorted(path.stem for path in shipped.SHIPPED.glob("*.csv")) == sorted(shipped.DATASETS)


def test_an_unknown_name_is_told_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"'census'") as refused:
        shipped.load_counts("census")
    assert all(name in str(refused.value) for name in shipped.DATASETS)
