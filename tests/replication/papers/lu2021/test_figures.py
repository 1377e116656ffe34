"""The figures of lu2021, on made-up results whose numbers are known."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_lu2021 import made, plans, trace_file

from causal_bandits.graphs.admg import ADMG
from causal_bandits.problems.lu2021 import FIGURE1
from replication.papers.lu2021 import figures, theory


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    return trace_file(tmp_path_factory.mktemp("trace"))


@pytest.fixture
def drawn():
    yield
    plt.close("all")


def growing(law):
    """Regret over n by a law; more rounds than T_1 nowhere."""

    def values(experiment, settings, metric):
        nodes = float(settings.get("nodes", 10))
        return 50.0 * law(nodes) if metric == "cumulative_regret" else None

    return values


@pytest.mark.usefixtures("drawn")
def test_fig_1_has_ten_panels_that_say_what_the_paper_says(trace):
    figure = figures.figure1(made(files={"trace": trace}))
    titles = [axes.get_title().replace("\n", " ") for axes in figure.axes if axes.get_title()]
    assert titles == [
        "(a) true causal tree",
        "(b) input: tree skeleton",
        "(c) stage 1, t=0: do(X2)",
        "(d) stage 1, t=0: result",
        "(e) stage 1, t=1: do(X3)",
        "(f) stage 1, t=1: result",
        "(g) stage 1: directed subtree",
        "(h) stage 2, t=0: do(X3)",
        "(i) stage 2, t=0: do(X6, X7)",
        "(j) stage 2: X7 remains",
    ]


def test_the_tree_of_fig_1_stands_in_levels_with_every_parent_amid_its_children():
    tree, at = ADMG(FIGURE1), figures.POSITIONS
    for parent in tree.nodes:
        if children := tree.children(parent):
            assert np.mean([at[child] for child in children], axis=0) == pytest.approx(
                (at[parent][0], at[parent][1] - 1)
            )
            assert len({at[child][1] for child in children}) == 1
    assert len(set(at.values())) == len(tree.nodes)


@pytest.mark.usefixtures("drawn")
def test_regret_over_the_rounds_is_drawn_from_zero_and_t_1_is_marked():
    def values(experiment, settings, metric):
        return np.full(100, 1234.0) if metric == "bound" else None

    for axes in figures.rounds(made(values)).axes:
        assert axes.get_ylim()[0] == 0
        assert [line.get_xdata()[0] for line in axes.lines if line.get_ls() == ":"] == [1234.0]


@pytest.mark.usefixtures("drawn")
def test_the_variables_intervened_on_are_rounds_over_k_b():
    """Three states, B = 10, and 60 and 90 rounds in the two stages: five variables."""
    rounds = {"rounds_observing": 10.0, "rounds_stage_1": 60.0, "rounds_stage_2": 90.0}
    results = made(lambda experiment, settings, metric: np.full(100, rounds[metric]) if metric in rounds else None)
    found = list(figures._tested(results, "nodes"))
    assert [n for n, _, _ in found] == sorted({s["nodes"] for s in plans()["nodes"].settings.values()})
    assert {value for _, _, tested in found for value in tested} == {5.0}
    (axes,) = figures.interventions(results).axes
    shares = axes.lines[0].get_xdata()
    np.testing.assert_allclose(shares, [5 / theory.lemma_1(n, d) for n, d, tested in found for _ in tested])


@pytest.mark.usefixtures("drawn")
def test_fig_1_has_arrows_on_what_the_steps_have_shown_alone():
    """do(X2) directs its own branches, do(X3) all that is left; what stage 2 does directs nothing."""
    tree = ADMG(FIGURE1)
    first = {"centre": ["X2"], "effects": ["X4", "X5"]}
    known = figures._learned_edges(tree, first)
    assert known == {("X2", "X4"), ("X2", "X5"), ("X1", "X2")}
    graph = figures._oriented(tree, known)
    assert set(graph.directed) == {("X1", "X2"), ("X2", "X4"), ("X2", "X5"), ("X4", "X8"), ("X5", "X9")}
    assert len(graph.undirected) == 3


@pytest.mark.usefixtures("drawn")
def test_the_fit_names_the_law_that_explains_the_points():
    figure = figures.nodes(made(growing(np.log)))
    fits = [text.get_text().split(": ") for text in figure.axes[-1].texts]
    shares = {law.split("$")[2]: float(share.removesuffix(" %")) for law, share in fits}
    assert shares["log n"] > 99 > max(shares["√n"], shares["(log n)"])


@pytest.mark.usefixtures("drawn")
def test_the_fit_of_a_squared_logarithm_is_that():
    figure = figures.nodes(made(growing(lambda n: np.log(n) ** 2)))
    (square,) = [text.get_text() for text in figure.axes[-1].texts if "(log n)$^2$" in text.get_text()]
    assert float(square.split(": ")[1].removesuffix(" %")) > 99.9


@pytest.mark.usefixtures("drawn")
def test_every_name_of_a_policy_selects_its_own():
    results = made(growing(np.log))
    for experiment in ("far", "below"):
        selected = [results.policies(experiment, **look.settings) for look in figures.POLICIES.values()]
        labelled = [label for found in selected for label in found]
        assert len(labelled) == len(set(labelled))
        assert sum(map(bool, selected)) >= 3


@pytest.mark.usefixtures("drawn")
def test_borders_and_values_stand_where_the_axes_say():
    results = made(growing(np.log))
    assert figures.FIGURES["practitioner"](results).axes[0].get_ylim()[0] == 0
    (axes,) = figures.necessity(results).axes
    drawn = [line.get_xdata() for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata()) > 1]
    assert len(drawn) == 4
    for x, experiment in zip(drawn, ("theorem4", "theorem4", "theorem5", "theorem5"), strict=True):
        nodes = sorted({settings["nodes"] for settings in plans()[experiment].settings.values()})
        np.testing.assert_allclose(x, nodes, rtol=0.17)
    assert (drawn[0] < drawn[1]).all()
    assert (drawn[2] < drawn[3]).all()
