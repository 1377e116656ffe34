"""The words that stand for a figure say as many panels as it has, and name what its legends name."""

from dataclasses import replace
from pathlib import Path

import made_huang2024
import made_lu2021
import matplotlib.pyplot as plt
import numpy as np
import pytest
import yaml
from described import alt_text, collisions, complaints, illegible, panels, series
from lee2019_results import made_up, study
from PIL import Image

from experiments.drawing.plotting import WIDTH, style
from replication.papers.huang2024 import figures as huang2024
from replication.papers.lee2019 import figures as lee2019
from replication.papers.lu2021 import figures as lu2021
from replication.papers.lu2021.figures import GRAPHS

ROOT = Path(__file__).parents[3]
FIGURES_OF_LU2021 = yaml.safe_load((ROOT / "config/papers/lu2021.yaml").read_text())["figures"]


@pytest.fixture(autouse=True)
def _closed():
    with style():
        yield
    plt.close("all")


def two_panels():
    figure, (left, right, empty) = plt.subplots(1, 3, figsize=(5, 3))
    left.plot([1, 2], label="UCB on $X_R$")
    right.axhline(1, label="never the good arm")
    left.legend()
    figure.legend(handles=right.get_lines())
    empty.set_axis_off()
    return figure


def test_panels_and_series_are_those_that_are_drawn():
    figure = two_panels()
    assert len(panels(figure)) == 2
    assert series(figure) == ["never the good arm", "UCB on $X_R$"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two panels: UCB, and the line of never the good arm.", 0),
        ("Three panels: UCB, and the line of never the good arm.", 1),
        ("UCB, and the line of never the good arm.", 1),
        ("Two panels: TS, and the line of never the good arm.", 1),
        ("Two panels: UCB.", 1),
    ],
)
def test_what_is_wrong_is_told(text, expected):
    assert len(complaints(two_panels(), text)) == expected


@pytest.mark.parametrize(("partial", "expected"), [(True, 0), (False, 1)])
def test_a_small_study_may_draw_fewer_panels(partial, expected):
    text = "Three panels: UCB, never the good arm."
    assert len(complaints(two_panels(), text, partial=partial)) == expected


def test_texts_that_overlap_are_told():
    figure = two_panels()
    assert collisions(figure) == []
    figure.axes[0].text(1, 1, "here")
    figure.axes[0].text(1, 1, "and here")
    assert collisions(figure) == [("here", "and here")]


def test_small_texts_and_wide_figures_are_told():
    figure = two_panels()
    assert illegible(figure) == []
    figure.axes[0].text(1, 1, "here", fontsize=8)
    figure.text(1.5, 0.5, "far away")
    assert illegible(figure)[0] == "here"
    assert illegible(figure)[1].endswith("inches wide")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "figures").glob("*/*.png")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_committed_figures_fit_a_page(path):
    with Image.open(path) as picture:
        assert picture.width <= WIDTH * picture.info["dpi"][0] + 1


@pytest.mark.parametrize("name", ["fig1", "fig2", "fig3", "fig4", "fig5", "fig5d", "robustness"])
def test_of_lee2019(name):
    experiments = study().papers["lee2019"]["figures"][name].get("experiments")
    figure = lee2019.FIGURES[name](made_up(replicates=30, experiments=experiments))
    assert complaints(figure, alt_text("lee2019", name)) == []
    assert collisions(figure) == []
    assert illegible(figure) == []


@pytest.mark.parametrize("name", ["fig1", "fig2", "fig4", "pairs", "alpha"])
def test_of_huang2024(name):
    figure = huang2024.FIGURES[name](made_huang2024.made())
    assert complaints(figure, alt_text("huang2024", name)) == []
    assert collisions(figure) == []
    assert illegible(figure) == []


@pytest.mark.parametrize("name", sorted(lu2021.FIGURES))
def test_of_lu2021(name, tmp_path):
    def values(_, settings, metric):
        return 50.0 * np.log(float(settings.get("nodes", 10))) if metric == "cumulative_regret" else None

    files = {"trace": made_lu2021.trace_file(tmp_path)} if name == "fig1" else {}
    results = made_lu2021.made(values, files=files)
    played = FIGURES_OF_LU2021[name].get("experiments", [])
    results = replace(results, plans={experiment: results.plans[experiment] for experiment in played})
    figure = lu2021.FIGURES[name](results)
    assert complaints(figure, alt_text("lu2021", name), known=[*results.experiments(), *GRAPHS.values()]) == []
    assert collisions(figure) == []
    assert illegible(figure) == []
