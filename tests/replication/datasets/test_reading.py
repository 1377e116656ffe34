"""Raw text as lines with numbers and a hash; what is left out, missing or another file than expected."""

import hashlib

import pytest

from causal_bandits.datasets import DataError
from replication.datasets import reading

UNIX = b"one\ntwo\n\nfour\n"


@pytest.fixture
def text(tmp_path):
    """A function that writes bytes and reads them as a file."""

    def read(content):
        (tmp_path / "raw.txt").write_bytes(content)
        return reading.read_text(tmp_path / "raw.txt")

    return read


def test_lines_have_no_ends_and_a_hash_that_does_not_depend_on_the_system(text):
    for content in (UNIX, UNIX.replace(b"\n", b"\r\n")):
        file = text(content)
        assert file.lines == ["one", "two", "", "four"]
        assert file.sha256 == hashlib.sha256(UNIX).hexdigest()
        assert file.ends_cleanly


@pytest.mark.parametrize(
    ("content", "lines", "clean"),
    [(b"", [], True), (b"\n", [""], True), (b"a", ["a"], False), (b"a\nb", ["a", "b"], False)],
)
def test_only_a_last_line_without_end_may_be_cut(text, content, lines, clean):
    file = text(content)
    assert (file.lines, file.ends_cleanly) == (lines, clean)
    cut = [reading.is_cut(file, number) for number in range(1, len(lines) + 1)]
    assert cut == [False] * (len(lines) - 1) + [not clean] * bool(lines)


def test_bytes_that_are_no_text_stay_in_their_line(text):
    assert text(b"a\n\xff,b\n").lines == ["a", "\ufffd,b"]


def test_a_file_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "absent.txt", tmp_path):
        with pytest.raises(FileNotFoundError, match=path.name):
            reading.read_text(path)


def test_a_bad_line_is_counted_by_reason_or_ends_the_reading(text):
    file, report = text(b"a\nb\nc"), reading.LoadReport()
    for line, reason in ((1, "short"), (3, "short"), (2, "long")):
        reading.leave_out(report, file, line, reason, "detail", "count")
    reading.note_missing(report, file, 2, "age")
    assert report.left_out == {
        "short": reading.Tally(2, ["raw.txt:1", "raw.txt:3"]),
        "long": reading.Tally(1, ["raw.txt:2"]),
    }
    assert report.missing == {"age": reading.Tally(1, ["raw.txt:2"])}
    for line, cut in ((2, False), (3, True)):
        with pytest.raises(DataError, match=f"raw.txt, line {line}: 5 columns") as stopped:
            reading.leave_out(report, file, line, "short", "5 columns", "raise")
        assert ("cut off" in str(stopped.value)) is cut
    assert report.left_out["short"].count == 2


def test_a_report_tells_every_count_and_the_first_places():
    report = reading.LoadReport({"raw.txt": "0"}, lines=20, rows=9, blank=3, comments=1)
    for line in range(1, 8):
        report.left_out.setdefault("short", reading.Tally()).add(f"raw.txt:{line}")
    places = [f"raw.txt:{line}" for line in range(1, reading.PLACES_SHOWN + 1)]
    assert report.as_dict() == {
        "lines": 20,
        "rows": 9,
        "blank": 3,
        "comments": 1,
        "left_out": {"short": {"count": 7, "first": places}},
        "missing": {},
    }
    first, second = str(report).splitlines()
    assert [int(word) for word in first.replace(":", "").split() if word.isdigit()] == [20, 9, 3, 1]
    assert all(place in second for place in places)
    assert "raw.txt:6" not in second
    assert "..." in second


def test_a_file_of_another_content_is_refused_with_both_hashes(text):
    file = text(UNIX)
    reading.verify_hash(file, hashlib.sha256(UNIX).hexdigest())
    with pytest.raises(DataError, match=rf"raw\.txt.*{file.sha256}.*{'0' * 64}"):
        reading.verify_hash(file, "0" * 64)


def test_files_that_are_not_the_originals_are_called_so():
    report = reading.LoadReport({"a": "1", "b": "2"})
    source = {"data": "A crawl", "url": "https://example.org"}
    known, other = (reading.provenance(source, report, originals, "median_ge") for originals in ("123", "13"))
    assert known["data"] == source["data"]
    assert other["data"] != source["data"]
    assert source["data"] in other["data"]
    for found in (known, other):
        assert (found["url"], found["sha256"], found["rule"]) == (source["url"], report.sha256, "median_ge")
        assert found["report"] == report.as_dict()
