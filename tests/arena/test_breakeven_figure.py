"""Figures of wrong edges, read back as somebody who looks at them does, on made-up results."""

import math
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from described import alt_text, collisions, complaints
from matplotlib.text import Annotation
from whole_arena import TABLES

from arena import dose_curves, style
from arena.breakeven_figure import bars, breakeven_figure
from arena.dose_curves import LEARNERS, break_even, curves, points
from arena.dose_figure import KINDS, dose
from causal_bandits.problems.construction.arena.doses import MIXED
from experiments.drawing import plotting
from experiments.results import Plan, Results

SURE = "sample_complexity"
ROUNDS = {"dose_short": 1000, "dose": 10_000, "dose_kinds": 10_000, "dose_long": 100_000}
#: Regret with every error more, by the kind of errors: some break even early, some late, some never.
PER_ERROR = {MIXED: 2.4, "cause_lost": 15.0, "overlooked": 5.0, "invented": 0.1}


def results_of(learners):
    """Regret 10 without a graph; with one 2 and more with every error, the more the more rounds and fewer variables."""
    rng, plans, finals = np.random.default_rng(7), {}, {}

    def add(experiment, options, loss):
        label = ",".join(f"{k}={v}" for k, v in options.items())
        if label in plans.setdefault(experiment, {}):
            return
        plans[experiment][label] = options
        finals.setdefault(experiment, []).extend(
            {"policy": label, "draw": d, "cumulative_regret": max(loss + noise, 0.1), "lost_for_good": float(loss > 9)}
            | {"correct": float(noise + 10 > loss), "sample_complexity": 100.0 + loss}
            for d, noise in enumerate(rng.normal(scale=3, size=40))
        )

    for number, learner in enumerate(learners):
        only = learner.experiment == "dose_kinds"
        sizes = (3, 5, 7) if learner.algorithm == {"algorithm": "thompson"} else (5,) if learner.on_diagrams else (10,)
        for nodes in sizes:
            situation = {"nodes": nodes} | ({"confounders": 2} if learner.on_diagrams else {})
            for kind in sorted(set(PER_ERROR) - {MIXED}) if only else (MIXED,):
                for wrong in (1, 2, 4, 8) if only else (0, 1, 2, 4, 8):
                    own = {"kind": kind} if learner.experiment not in ("dose_tree", "dose_answers", "dose_sure") else {}
                    power = ROUNDS.get(learner.experiment, 10_000) / 10_000
                    loss = 2 + PER_ERROR[kind] * wrong * power**0.6 * 3 / nodes + 0.3 * number * (kind == MIXED)
                    add(learner.experiment, {**learner.algorithm, **situation, **own, "wrong": wrong}, loss)
            for _, experiment, selected in learner.without:
                add(experiment, {**selected, **situation} | ({"wrong": 0} if experiment.startswith("dose") else {}), 10)
    frames = {name: pd.DataFrame(rows) for name, rows in finals.items()}
    plan = {name: Plan(ROUNDS.get(name, 200_000), settings) for name, settings in plans.items()}
    return Results({}, frames, pd.DataFrame(), {}, plan)


#: Algorithms that somebody may add: one name in two sizes of a run, and more than there are colours.
MORE = (
    *LEARNERS,
    *(
        replace(LEARNERS[0], name=f"new {i}", experiment="dose_new", algorithm={"algorithm": f"new_{i}"})
        for i in range(9)
    ),
)


@pytest.fixture(scope="module", params=[LEARNERS, MORE], ids=["as it is", "with more algorithms"])
def made(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dose_curves, "RESAMPLES", 300)
        patch.setattr(dose_curves, "LEARNERS", request.param)
        yield results_of(request.param)


def said(value, largest):
    return f"> {largest}" if math.isinf(value) else "< 0.1" if 0 < value < 0.05 else f"{value:.1f}"


def expected(results):
    """By heading, row and number of variables: the break-even number with its interval, and the largest tried."""
    found = {}
    for curve in curves(results):
        if curve.learner.ends and curve.learner.metric == "correct":
            continue
        rounds = f"{results.horizon(curve.learner.experiment):,} rounds"
        if curve.learner.metric == SURE:
            row = f"{curve.learner.name}, against {curve.against}"
            place = ("Rounds until sure of the best arm, errors of all kinds", row)
        elif curve.learner.name != "TS":
            what = "wrong answers" if curve.learner.metric == "correct" else rounds
            place = ("Other algorithms, errors of all kinds", f"{curve.learner.name}, {what}")
        elif curve.kind == MIXED:
            place = ("Thompson sampling, errors of all kinds", rounds)
        else:
            place = (f"Thompson sampling, one kind of error alone, {rounds}", KINDS[curve.kind][0])
        key = (*place, str(curve.situation["nodes"]))
        assert key not in found
        found[key] = (*break_even(curve), max(curve.doses))
    return found


def test_every_bar_stands_in_its_row_and_ends_at_its_number(made):
    with plotting.style():
        figure = breakeven_figure(made)
        figure.canvas.draw()
    (axes,) = figure.axes
    headings = {text.get_position()[1]: text.get_text().strip() for text in axes.texts if text.get_weight() == "bold"}
    rows = dict(zip(axes.get_yticks(), (" ".join(t.get_text().split()) for t in axes.get_yticklabels()), strict=True))
    sizes = {
        round(at, 6): label.get_text()
        for at, label in zip(axes.get_yticks(minor=True), axes.get_yticklabels(minor=True), strict=True)
    }
    texts = {
        round(t.xy[1], 6): t.get_text()
        for t in axes.texts
        if isinstance(t, Annotation) and t.get_text()[0] in "0123456789<>"
    }
    read = {}
    for patch in axes.patches:
        at = round(patch.get_y() + patch.get_height() / 2, 6)
        heading = headings[max(y for y in headings if y < at)]
        row = rows[min(rows, key=lambda y: abs(y - at))]
        here = [line for line in axes.lines if round(float(line.get_ydata()[0]), 6) == at]
        (interval,) = [line.get_xdata() for line in here if len(line.get_xdata()) == 2]
        (mark,) = [line for line in here if len(line.get_xdata()) == 1]
        assert patch.get_x() == 0
        assert mark.get_xdata()[0] == patch.get_width()
        read[heading, row, sizes[at]] = (patch.get_width(), *interval, mark.get_marker(), texts[at])
    wanted = expected(made)
    assert read.keys() == wanted.keys()
    assert {"o", ">"} == {mark for *_, mark, _ in read.values()}
    for key, (value, low, high, largest) in wanted.items():
        text = said(value, largest) + (f" ({said(low, largest)} to {said(high, largest)})" if low < high else "")
        drawn = read[key]
        assert drawn[:3] == pytest.approx((min(value, largest), min(low, largest), min(high, largest)))
        assert drawn[3] == (">" if math.isinf(value) else "o")
        assert drawn[4] == (text if high else "0: a right graph costs, too")
    assert complaints(figure, alt_text("arena", "breakeven")) == []
    assert collisions(figure) == []
    plt.close(figure)


def test_rows_stand_in_the_order_of_rounds_and_of_kinds(made):
    found = bars(made)
    assert list(dict.fromkeys(bar.group for bar in found)) == [
        "Thompson sampling, errors of all kinds",
        "Thompson sampling, one kind of error alone, 10,000 rounds",
        "Other algorithms, errors of all kinds",
        "Rounds until sure of the best arm, errors of all kinds",
    ]
    rows = list(dict.fromkeys(bar.row for bar in found))
    assert rows[:4] == ["1,000 rounds", "10,000 rounds", "100,000 rounds", "a cause of the reward left out"]
    assert [bar.nodes for bar in found[:9]] == [3, 5, 7] * 3


def test_a_graph_that_costs_when_right_says_so(monkeypatch):
    worse = replace(LEARNERS[4], without=(("TS", "dose_best", {"algorithm": "thompson"}),))
    monkeypatch.setattr(dose_curves, "LEARNERS", (worse,))
    results = results_of([replace(worse, without=())])
    label = "best"
    frame = (
        results.finals["dose_solvers"].query("policy == policy.iloc[0]").assign(policy=label, cumulative_regret=0.01)
    )
    results.finals["dose_best"] = frame
    results.plans["dose_best"] = Plan(10_000, {label: {"algorithm": "thompson", "nodes": 5, "confounders": 2}})
    figure = breakeven_figure(results)
    (axes,) = figure.axes
    assert "0: a right graph costs, too" in [text.get_text() for text in axes.texts]
    assert [patch.get_width() for patch in axes.patches] == [0]
    plt.close(figure)


def test_the_explaining_figure_has_a_line_for_every_curve_and_legends_beside_them(made):
    with plotting.style():
        figure = dose(made)
        figure.canvas.draw()
    panels = {axes.get_title(loc="left"): axes for axes in figure.axes}
    found = [c for c in curves(made) if c.learner.name != "TS" and c.learner.metric != "correct"]
    names = {
        id(c): f"{c.learner.name}, over {c.against}"
        if c.learner.metric == SURE
        else f"{c.learner.name}, {made.horizon(c.learner.experiment):,} rounds, {c.situation['nodes']} variables"
        for c in found
    }
    (sure,) = (axes for title, axes in panels.items() if title.startswith("Until sure"))
    for axes, here in (
        (panels["Other algorithms"], [c for c in found if c.learner.metric != SURE]),
        (sure, [c for c in found if c.learner.metric == SURE]),
    ):
        lines = {line.get_label(): line for line in axes.lines if line.get_marker() == "o"}
        assert len(lines) == len(here) == len({(line.get_color(), line.get_linestyle()) for line in lines.values()})
        for curve in here:
            line = lines[names[id(curve)]]
            assert line.get_ydata().tolist() == points(curve)["ratio"].tolist()
            assert line.get_xdata().tolist() == list(curve.doses)
    assert len(panels) == len(figure.axes) == 7
    renderer = figure.canvas.get_renderer()
    for axes in figure.axes:
        legend = axes.get_legend()
        assert legend is None or not legend.get_window_extent(renderer).overlaps(axes.get_window_extent(renderer))
    plt.close(figure)


def test_things_have_looks_of_their_own():
    names = [f"name {i}" for i in range(20)]
    assert len(set(style.hues(names).values())) == 20
    assert style.hues(["a", "b", "a"]).keys() == {"a", "b"}
    with pytest.raises(ValueError, match="25 names: expected at most 24"):
        style.hues(range(25))
    assert list(style.shades([3, 5, 3])) == [3, 5]
    with pytest.raises(ValueError, match="4 values \\(1, 2, 3, 4\\): expected at most 3"):
        style.shades([1, 2, 3, 4])


def test_the_caption_and_the_page_are_right_about_the_wall_figure():
    table = pd.read_csv(TABLES / "breakeven.csv").query("algorithm == 'TS'")
    ends = table["95 %"].str.extract(r"^(?P<low>[a-z ]*[0-9.]+) to (?P<high>[a-z ]*[0-9.]+)$")
    number = ends.map(lambda text: math.inf if text.startswith("more") else float(text))
    alone = table["errors"] != MIXED
    assert set(table["rounds"][alone]) == {10_000}
    lost = table["errors"] == "cause_lost"
    assert set(table["variables"][lost]) == {3, 5, 7}
    assert (number["high"][lost] < 1).all()
    assert (number["low"][alone & ~lost] > 1).all()
    value = table.set_index(["variables", "rounds", "errors"])["wrong edges at which the means are equal"]
    mixed = value.xs(MIXED, level="errors").map(lambda text: math.inf if text.startswith("more") else float(text))
    for nodes, rounds in mixed.index:
        assert mixed.get((nodes, 10 * rounds), -1) < mixed[nodes, rounds]
        assert mixed.get((nodes - 2, rounds), -1) < mixed[nodes, rounds]
