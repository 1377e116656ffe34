"""What archives and catalogs read of the study agrees with the study."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from committed import REFERENCED

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
ZENODO = json.loads((ROOT / ".zenodo.json").read_text())


def test_citation_archive_and_package_say_the_same():
    assert CITATION["version"] == ZENODO["version"] == PROJECT["version"]
    assert CITATION["license"] == ZENODO["license"] == PROJECT["license"]
    assert CITATION["title"] == ZENODO["title"]
    assert CITATION["keywords"] == ZENODO["keywords"] == PROJECT["keywords"]
    names = [author["name"] for author in CITATION["authors"]]
    assert names == [creator["name"] for creator in ZENODO["creators"]] == [a["name"] for a in PROJECT["authors"]]
    assert f"## {PROJECT['version']} " in (ROOT / "CHANGELOG.md").read_text()


def test_every_paper_is_cited_with_a_place_to_find_it():
    assert len(CITATION["references"]) == len(REFERENCED)
    found = [reference.get("doi") or reference["url"] for reference in CITATION["references"]]
    assert found == [related["identifier"] for related in ZENODO["related_identifiers"]]
    for reference in CITATION["references"]:
        assert reference["authors"]
        assert reference["year"] > 0


def test_the_workflow_catalog_finds_what_it_asks_for():
    """Its rules for any workflow, and those of standardized usage that a study run in its checkout can keep."""
    readme = (ROOT / "README.md").read_text().lower()
    assert "snakemake" in readme
    assert "workflow" in readme
    assert (ROOT / "Snakefile").is_file()
    assert list((ROOT / "workflow/rules").glob("*.smk"))
    assert (ROOT / "config/README.md").is_file()
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert usage["software-stack-deployment"]["conda"] is (ROOT / "environment.yml").is_file()


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md", "Containerfile", "profiles/slurm/allocation.sh"])
def test_every_command_that_is_told_exists(path):
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    told = set(re.findall(r"(?:^|`|    |RUN )make ([a-z][a-z-]*)", (ROOT / path).read_text(), re.MULTILINE))
    assert told
    assert told <= targets


def test_the_container_has_what_the_readme_asks_for():
    steps = (ROOT / "Containerfile").read_text()
    assert re.search(r"^RUN make env$", steps, flags=re.MULTILINE)
    for program in ("git", "make", "python3", "python3-venv"):
        assert f" {program} " in steps
    ignored = (ROOT / ".containerignore").read_text().split()
    assert {".venv", "results", "logs"} <= set(ignored)


def test_both_profiles_go_by_contents():
    default, slurm = (
        yaml.safe_load((ROOT / f"profiles/{name}/profile.yaml").read_text()) for name in ("default", "slurm")
    )
    for key in ("rerun-triggers", "max-checksum-file-size", "rerun-incomplete"):
        assert default[key] == slurm[key]
    assert "code" not in default["rerun-triggers"]
    assert slurm["retries"] == 1
