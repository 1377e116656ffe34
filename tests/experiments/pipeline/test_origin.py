"""Tables say what made them, and are held against this checkout."""

import pyarrow as pa
import pytest

from experiments import files, origin

OURS = {"config_digest": "1" * 16, "code_digest": "2" * 16}


@pytest.fixture
def table(tmp_path):
    def write(name="t.parquet", **metadata):
        path = tmp_path / name
        files.write(pa.table({"x": [1, 2]}, metadata={**OURS, **metadata}), path)
        return path

    return write


def test_the_origin_of_a_job_is_its_configuration_and_its_code():
    job = {"policy": "a", "horizon": 3, "code": "c0de", "versions": {"numpy": "1"}}
    own = origin.of_job(job)
    assert own["code_digest"] == "c0de"
    assert origin.of_job({**job, "versions": {}}) == own
    assert origin.of_job({**job, "horizon": 4})["config_digest"] != own["config_digest"]
    assert origin.of_job({**job, "code": "x"})["config_digest"] == own["config_digest"]


def test_tidy_tables_are_others_where_their_runs_are():
    job, runs = {"horizon": 3, "code": "c"}, {"origins": {"a": OURS}}
    own = origin.of_tidy_tables(job, runs)
    assert own["code_digest"] == "c"
    for key in OURS:
        other = {"origins": {"a": {**OURS, key: "3" * 16}}}
        assert origin.of_tidy_tables(job, other)["config_digest"] != own["config_digest"]


@pytest.mark.parametrize(("key", "what"), [("config_digest", "configuration"), ("code_digest", "code")])
def test_a_table_of_another_origin_is_named(table, key, what):
    path = table(**{key: "9" * 16})
    message = rf"t\.parquet: made by the {what} 9{{16}}; expected {OURS[key]}, .*delete the file and it is made again"
    with pytest.raises(ValueError, match=message):
        origin.expect_files({"bounds": path}, {"bounds": OURS})
    assert origin.is_other(path, OURS)


def test_a_table_that_says_nothing_is_refused(tmp_path):
    files.write(pa.table({"x": [1]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"made by the configuration none"):
        origin.expect_files({"bounds": tmp_path / "t.parquet"}, {"bounds": OURS})


def test_what_is_ours_passes_and_what_is_no_table_of_the_study_is_not_asked(table):
    origin.expect_files({"bounds": table(), "adult": "nowhere.csv"}, {"bounds": OURS})
    assert not origin.is_other(table(), OURS)
    assert not origin.is_other("nowhere.parquet", OURS)


def test_a_damaged_table_is_left_to_its_reader(table):
    path = table()
    path.write_bytes(path.read_bytes()[:-9])
    assert not origin.is_other(path, OURS)
    with pytest.raises(OSError, match=r"t\.parquet: damaged"):
        origin.expect_files({"bounds": path}, {"bounds": OURS})
