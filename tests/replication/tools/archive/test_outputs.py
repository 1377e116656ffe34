"""The files that a study makes for a reader, by its configuration."""

from pathlib import Path

import pytest

from experiments.errors import ConfigError
from replication.tools.archive.outputs import CONFIG, outputs, read_study

ROOT = Path(__file__).parents[4]


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


def test_the_study_is_the_one_of_the_configuration(tmp_path):
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    (tmp_path / CONFIG).parent.mkdir(parents=True)
    (tmp_path / CONFIG).write_text("modules: replication.papers.{paper}\npapers: [a2000]\nseed: 1\nscale: {}\n")
    with pytest.raises(ConfigError, match="a2000"):
        read_study(tmp_path)
