"""A small study that has run whole, for the tests of this folder."""

from pathlib import Path

import pytest
from checkout import Checkout

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Keep the tests of a file in one process, where several share the suite: each file runs a study of its own."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


TASKS = ("frontdoor", "fourvar", "sixvar")


def only_the_three_tasks(settings):
    """Fig. 5 and Table 1 without the comparisons beside them: claims that need those become not testable."""
    settings["experiments"] = {name: settings["experiments"][name] for name in TASKS}
    for experiment in settings["experiments"].values():
        experiment["policies"] = {k: v for k, v in experiment["policies"].items() if not k.endswith("_delta")}
    for kind in ("figures", "tables"):
        settings[kind] = {k: v for k, v in settings[kind].items() if set(v.get("experiments", ())) <= set(TASKS)}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A small study that has run whole; tests restore what they edit."""
    study = Checkout(tmp_path_factory.mktemp("finished") / "study")
    study.change_paper(only_the_three_tasks)
    scale = {"horizon": 200, "replicates": 6, "candidates": 40, "survivors": 4}
    study.small = study.overlay(papers=["lee2019"], scale=scale)
    study.first_run = study.snakemake(*study.small)
    return study
