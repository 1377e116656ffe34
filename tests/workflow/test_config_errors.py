"""A wrong configuration or claim stops the study before any job starts, with one line and no traceback."""

import re

import pytest
import yaml
from checkout import Checkout

pytestmark = pytest.mark.workflow


def assert_refused(study, done, message):
    text = done.stdout + done.stderr
    assert done.returncode != 0
    lines = [line for line in text.splitlines() if line.startswith(("config/", "data/"))]
    assert len(lines) == 1, text
    assert re.search(message, lines[0]), lines[0]
    assert "Traceback" not in text
    assert not (study.folder / "results").exists()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Checkout(tmp_path_factory.mktemp("errors") / "study")


def test_a_wrong_paper_file_is_refused(study):
    path = study.folder / "config/papers/lee2019.yaml"
    before = path.read_text()
    study.change_paper(lambda settings: settings["experiments"]["frontdoor"].update(horizon=-5))
    try:
        done = study.snakemake("--dry-run", check=False)
        assert_refused(study, done, "experiments.frontdoor.horizon: -5 is less than the minimum of 1")
    finally:
        path.write_text(before)


def test_a_wrong_overlay_is_refused(study):
    (study.folder / "overlay.yaml").write_text(yaml.safe_dump({"seed": -1}))
    done = study.snakemake("--dry-run", "--configfile", "overlay.yaml", check=False)
    assert_refused(study, done, "seed: -1 is less than the minimum of 0")


def test_an_overlay_that_says_two_things_is_refused(study):
    (study.folder / "overlay.yaml").write_text("seed: 1\nseed: 2\n")
    done = study.snakemake("--dry-run", "--configfile", "overlay.yaml", check=False)
    assert done.returncode != 0
    assert re.search("overlay.yaml: not valid YAML: the key 'seed' stands twice", done.stdout + done.stderr)


def test_a_wrong_claim_is_refused(study):
    path = study.folder / "data/published/huang2022.csv"
    before = path.read_text()
    path.write_text(before.replace(",above,", ",abvoe,", 1))
    try:
        done = study.snakemake("--dry-run", check=False)
        assert_refused(study, done, "^data/published/huang2022.csv:[0-9]+: .*judge.*'abvoe'")
    finally:
        path.write_text(before)


def test_a_policy_that_cannot_be_loaded_is_named(study):
    module = study.folder / "src/causal_bandits/policies/broken.py"
    registry = study.folder / "src/causal_bandits/policies/registry.py"
    before = registry.read_text()
    registry.write_text(before.replace("] = {\n", '] = {\n    "broken": "causal_bandits.policies.broken:Broken",\n'))
    study.change_paper(lambda s: s["experiments"]["frontdoor"]["policies"].update(broken={"algorithm": "broken"}))
    try:
        for source, message in (
            ("class Broken: ...", "is not a dataclass"),
            ("def (", "cannot be loaded"),
            ("", "cannot"),
        ):
            module.write_text(source)
            done = study.snakemake("--dry-run", check=False)
            assert done.returncode != 0
            assert re.search(f"policies/registry.py: broken: .*{message}", done.stdout + done.stderr)
    finally:
        module.unlink()
        registry.write_text(before)
        study.change_paper(lambda s: s["experiments"]["frontdoor"]["policies"].pop("broken"))
