"""The look of figures, their files, and curves with bands."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from described import collisions
from hypothesis import given
from hypothesis import strategies as st
from loaded import loaded_by
from PIL import Image
from scipy.optimize import minimize

from experiments.drawing import plotting
from experiments.study import ItemJob

CURVE = pd.DataFrame({"t": [1, 2, 4], "mean": [1.0, 2.0, 3.0], "ci_low": [0.5, 1.0, 2.0], "ci_high": [2.0, 3.0, 5.0]})


@pytest.mark.parametrize("band", [True, False])
def test_a_curve_has_its_mean_and_unless_told_otherwise_its_band(band):
    with plotting.style():
        figure, axes = plt.subplots()
        plotting.draw_curve(axes, CURVE, **({} if band else {"band": False}), color="#0072B2", linewidth=3)
    (line,) = axes.lines
    assert line.get_xydata().tolist() == [[1, 1], [2, 2], [4, 3]]
    assert line.get_linewidth() == 3
    assert len(axes.collections) == band
    if band:
        (path,) = axes.collections[0].get_paths()
        corners = {(1, 0.5), (2, 1), (4, 2), (1, 2), (2, 3), (4, 5)}
        assert set(map(tuple, path.vertices.tolist())) == corners
    plt.close(figure)


def test_the_look_is_quiet_and_ends_with_the_block():
    before = mpl.rcParams.copy()
    with plotting.style():
        figure, axes = plt.subplots()
        assert mpl.rcParams["axes.axisbelow"] is True  # grids stay behind what is drawn
        shown = {side for side, spine in axes.spines.items() if spine.get_visible()}
        assert shown == {"left", "bottom"}
        assert not axes.legend(["a"]).get_frame_on()
    plt.close(figure)
    assert mpl.rcParams == before


def test_a_user_s_settings_have_no_say():
    with mpl.rc_context({"lines.linewidth": 9, "axes.grid": True, "font.size": 30}), plotting.style():
        chosen = {name: mpl.rcParams[name] for name in ("lines.linewidth", "axes.grid", "font.size")}
    assert chosen == {"lines.linewidth": 1.5, "axes.grid": False, "font.size": 9}


def test_a_figure_is_the_same_file_whenever_it_is_drawn(tmp_path, monkeypatch):
    """Of each format, 150 dots an inch where there are dots; no figure stays open."""

    def drawn(results):
        figure = plt.figure(figsize=(2, 1))
        figure.add_axes((0, 0, 1, 1)).plot([0, 1], label="a")
        return figure

    monkeypatch.setattr(plotting, "resolve_name", lambda items: {"fig": drawn})
    monkeypatch.setattr(plotting.Results, "load", lambda job, inputs: None)
    plt.close("all")
    job = ItemJob(items="m:FIGURES", item="fig")
    contents = []
    for epoch in ("0", "1000000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        outputs = [tmp_path / f"{epoch}{suffix}" for suffix in (".png", ".pdf", ".svg")]
        plotting.draw(job, {}, outputs)
        contents.append([output.read_bytes() for output in outputs])
    assert contents[0] == contents[1]
    assert [content[:5] for content in contents[0]] == [b"\x89PNG\r", b"%PDF-", b"<?xml"]
    assert Image.open(outputs[0]).info["dpi"] == pytest.approx((150, 150), abs=0.1)
    assert plt.get_fignums() == []


def test_a_figure_is_no_wider_than_a_page():
    figure, panels = plotting.canvas(2, 3, height=3)
    assert panels.shape == (2, 3)
    assert figure.get_figwidth() + 2 * plotting._STYLE["savefig.pad_inches"] == pytest.approx(plotting.WIDTH)
    with pytest.raises(ValueError, match=r"6.5 inches: expected at most 5\.5"):
        plotting.canvas(height=3, width=6.5)
    plt.close(figure)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_names_stand_beside_the_ends_of_their_curves_and_apart(scale):
    with plotting.style():
        figure, ((axes,),) = plotting.canvas(height=3, width=4)
        axes.set(xlim=(0, 1), ylim=(1, 100), yscale=scale)
        plotting.name_ends(axes, [("b", 50.0, "red"), ("c", 51.0, "blue"), ("a", 3.0, "green")])
        assert collisions(figure) == []
    texts = {text.get_text(): text for text in axes.texts}
    assert [texts[name].get_color() for name in "abc"] == [plotting.ink(c) for c in ("green", "red", "blue")]
    assert texts["a"].xyann == (4, pytest.approx(0))
    assert texts["b"].xyann[1] == pytest.approx(-texts["c"].xyann[1], abs=6)
    low, high = (texts[name].get_window_extent().y0 for name in "bc")
    assert low < high
    plt.close(figure)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=6), st.floats(0.1, 30), st.floats(-150, 100))
def test_places_are_moved_apart_with_the_least_sum_of_squares(places, least, lowest):
    """A quadratic programme by a general solver."""
    own = np.sort(places)
    moved = plotting.apart(own, least, lowest)
    assert (np.diff(moved) >= least - 1e-9).all()
    assert moved[0] >= lowest
    rule = {"type": "ineq", "fun": lambda z: np.diff(z, prepend=lowest - least) - least}
    start = max(own[0], lowest) + least * np.arange(len(own)) + np.arange(len(own)) * np.ptp(own)
    best = minimize(lambda z: ((z - own) ** 2).sum(), start, constraints=[rule])
    assert ((moved - own) ** 2).sum() <= best.fun + 1e-4 * (1 + best.fun)


def test_ticks_are_plain_numbers():
    figure, axes = plt.subplots()
    axes.set_xscale("log")
    plotting.plain(axes.xaxis, [0.25, 15000])
    plotting.thousands(axes.yaxis)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.25", "15,000"]
    assert len(axes.get_xticklabels(minor=True)) == 0
    assert axes.yaxis.get_major_formatter()(300000.0) == "300,000"
    plt.close(figure)


def test_names_are_written_in_colours_that_are_dark_enough_and_others_keep_theirs():
    def luminance(colour):
        parts = np.array(mpl.colors.to_rgb(colour))
        return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]

    inks = {name: plotting.ink(colour) for name, colour in plotting.COLOURS.items()}
    assert min(1.05 / (luminance(ink) + 0.05) for ink in inks.values()) > 4.4
    kept = {name for name, ink in inks.items() if ink.upper() == plotting.COLOURS[name].upper()}
    assert kept == {"blue", "red", "black"}


def test_what_only_some_figures_need_is_loaded_by_them():
    assert {"seaborn", "scipy", "numba"}.isdisjoint(loaded_by("experiments.drawing.plotting"))
