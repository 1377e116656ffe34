"""What is planned: of a wrong configuration nothing, with one line and no traceback; of a right one, all of it."""

import re
from pathlib import Path

import pytest
from checkout import Checkout

pytestmark = pytest.mark.workflow

WRONG = {
    "config/papers/lee2019.yaml": (
        "\n    horizon: 10000\n",
        "\n    horizon: -5\n",
        r"experiments\.\w+\.horizon: -5 is less than the minimum of 1",
    ),
    "data/published/huang2022.csv": (",above,", ",abvoe,", "^data/published/huang2022.csv:[0-9]+: .*judge.*'abvoe'"),
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Checkout(tmp_path_factory.mktemp("errors") / "study")


@pytest.mark.parametrize("path", WRONG)
def test_a_wrong_file_is_refused(study, path):
    old, new, message = WRONG[path]
    before = (study.folder / path).read_text()
    assert old in before
    (study.folder / path).write_text(before.replace(old, new, 1))
    try:
        done = study.snakemake("--dry-run", *study.overlay(papers=[Path(path).stem]), check=False)
    finally:
        (study.folder / path).write_text(before)
    text = done.stdout + done.stderr
    assert done.returncode != 0
    lines = [line for line in text.splitlines() if line.startswith(("config/", "data/"))]
    assert len(lines) == 1, text
    assert re.search(message, lines[0]), lines[0]
    assert "Traceback" not in text
    assert not (study.folder / "results").exists()


def test_an_overlay_that_says_two_things_is_refused(study):
    (study.folder / "overlay.yaml").write_text("seed: 1\nseed: 2\n")
    done = study.snakemake("--dry-run", "--configfile", "overlay.yaml", check=False)
    assert done.returncode != 0
    assert re.search("overlay.yaml: not valid YAML: the key 'seed' stands twice", done.stdout + done.stderr)


def test_the_study_makes_every_figure_and_table_that_is_wanted(study):
    """Of a figure and a table of one name, both; few seeds, for which fewer files of runs are planned."""
    small = {"papers": ["lee2019", "huang2024"], "scale": {"replicates": 5}}
    wanted, (jobs, _) = study.study(**small), study.planned(*study.overlay(**small))
    assert any(set(one.get("figures", {})) & set(one.get("tables", {})) for one in wanted.papers.values())
    for kind in ("figure", "table"):
        assert jobs[kind] == sum(len(wanted.wanted(paper, f"{kind}s")) for paper in wanted.papers)
