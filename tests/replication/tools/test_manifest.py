"""The list of outputs is what the study makes."""

from pathlib import Path

import pytest
import yaml

from replication.judging.verdict_tables import read
from replication.tools.manifest import MANIFEST, main, manifest, outputs

ROOT = Path(__file__).parents[3]


def test_the_committed_manifest_is_what_the_study_makes():
    text = (ROOT / "codecheck.yml").read_text()
    assert text == manifest(ROOT), "run `make reference`"
    files = [entry["file"] for entry in yaml.safe_load(text)["manifest"]]
    assert len(files) == len(set(files))
    for paper in {row["paper"] for row in read(ROOT / "data/reference/verdicts.csv").values()}:
        assert f"results/{paper}/verdicts.csv" in files


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with all that describes the study, and no results."""
    for name in ("CITATION.cff", "config", "data", "docs", "src", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_manifest_is_written_anew(checkout, capsys):
    (checkout / MANIFEST).write_text("old")
    assert main([]) == 0
    assert (checkout / MANIFEST).read_bytes() == (ROOT / MANIFEST).read_bytes()
    assert str(MANIFEST) in capsys.readouterr().out


class Small:
    """Two papers; of the figures of the first one is on request."""

    papers = {  # noqa: RUF012
        "a2000": {"figures": {"fig1": {"caption": "One\n  owl."}, "late": {}}, "tables": {"t1": {}}},
        "b2001": {"figures": {}, "tables": {}},
    }

    def wanted(self, paper, kind):
        return [name for name in self.papers[paper][kind] if name != "late"]


def test_every_file_that_is_wanted_is_listed_once_with_what_it_is():
    found = outputs(Small())
    assert {path: what for path, what in found.items() if path.startswith("figures/")} == {
        "figures/a2000/fig1.png": "a2000: One owl.",
        "figures/a2000/t1.csv": "a2000: t1",
    }
    verdicts = {
        f"results/{of}{name}.csv" for of in ("", "a2000/", "b2001/") for name in ("verdicts", "verdict_readings")
    }
    assert found.keys() - {"figures/a2000/fig1.png", "figures/a2000/t1.csv"} == verdicts | {"results/verdicts.md"}
    for path, what in found.items():
        assert what
        if "b2001" in path:
            assert "b2001" in what
