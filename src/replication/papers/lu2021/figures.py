"""Draw the figures of lu2021: Fig. 1 from a run's own steps, and experiments on the theorems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.essential import essential_graph
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.problems.lu2021 import FIGURE1
from experiments.aggregate import half_width
from experiments.drawing.diagrams import Positions, draw_diagram
from experiments.drawing.plotting import COLOURS, canvas, draw_curve, ink, name_ends, plain, thousands
from experiments.files import read
from experiments.results import Results
from replication.papers.lu2021.policies import POLICIES
from replication.papers.lu2021.theory import lemma_1, minimax, regret_at_the_ends

#: The kind of graph that an experiment uses; an experiment that is not listed is shown by its name.
GRAPHS = {
    **dict.fromkeys(("nodes", "states", "degrees", "gaps", "effects", "shapes"), "trees"),
    **dict.fromkeys(("forests", "forests_nodes"), "forests"),
    **dict.fromkeys(("cliques_nodes", "cliques_width"), "cliques"),
    "theorem3": "chordal graphs, Theorem 3",
    "chordal": "several chain components",
}


# Elements that several figures of lu2021 share.


class Mean(NamedTuple):
    """A mean over seeds with its 95 % interval, which is NaN for a single seed."""

    value: float
    low: float
    high: float


def mean_of(values: np.ndarray) -> Mean:
    """Compute a mean with Student's t interval, the kind of interval that all figures show (L17)."""
    mean = float(values.mean())
    spread = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    half = float(half_width(np.array([spread]), np.array([len(values)]))[0])
    return Mean(mean, mean - half, mean + half)


def points(axes: Axes, x: np.ndarray, finals: Sequence[np.ndarray] | np.ndarray, **look: Any) -> None:
    """Draw means with 95 % intervals over seeds."""
    at = [mean_of(values) for values in finals]
    means = np.array([estimate.value for estimate in at])
    low, high = np.array([e.low for e in at]), np.array([e.high for e in at])
    axes.errorbar(x, means, yerr=[means - low, high - means], fmt="o", ms=4, capsize=2, **look)


POSITIONS: Positions = {
    "X1": (2, 3),
    "X2": (1, 2),
    "X3": (3, 2),
    "X4": (0.5, 1),
    "X5": (1.5, 1),
    "X6": (2.5, 1),
    "X7": (3.5, 1),
    "X8": (0.5, 0),
    "X9": (1.5, 0),
}

#: Growth laws that are fitted: f, its name, and its line style.
LAWS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str, str]] = {
    "log": (np.log, "log n", "-"),
    "log_squared": (lambda n: np.log(n) ** 2, "(log n)$^2$", "-."),
    "sqrt": (np.sqrt, "√n", "--"),
}


#: Ticks of axes that show the number of nodes.
TENS = (10, 100, 1_000, 10_000, 100_000)


def _oriented(tree: ADMG, known: Collection[tuple[str, str]]) -> PartiallyDirectedGraph:
    """Orient only the known edges: learned ones, and those that follow because no node has two parents."""
    found = set(known)
    pending = [effect for _, effect in found]
    while pending:
        node = pending.pop()
        new = {(a, b) for a, b in tree.directed if a == node} - found
        found |= new
        pending += [effect for _, effect in new]
    return PartiallyDirectedGraph(tree.nodes, sorted(found), sorted(tree.directed - found))


def _learned_edges(tree: ADMG, step: dict[str, Any]) -> set[tuple[str, str]]:
    """Read from a step of stage 1 which neighbours of the centre are its effects, and which is its cause."""
    (centre,) = step["centre"]
    above = {(other, centre) for other in tree.parents(centre) if other not in step["effects"]}
    return {(centre, other) for other in step["effects"]} | above


def figure1(results: Results) -> Figure:
    """Draw Fig. 1 (a)-(j), with every panel after (b) from the steps of the first run of stage ``trace``."""
    tree = ADMG(FIGURE1)
    steps = [row for row in read(results.file("trace")).to_pylist() if row["seed"] == 0]
    known: set[tuple[str, str]] = set()
    panels: list[tuple[str, Any, dict[str, str], Sequence[str]]] = [
        ("true causal tree", tree, {"X7": COLOURS["green"]}, ()),
        ("input: tree skeleton", essential_graph(tree), {}, ()),
    ]
    red, blue = COLOURS["red"], COLOURS["blue"]
    left: set[str] = set(tree.nodes)
    for stage in (1, 2):
        own = [step for step in steps if step["stage"] == stage]
        for t, step in enumerate(own):
            out: Sequence[str] = sorted(set(tree.nodes) - left)
            centre = dict.fromkeys(step["centre"], red)
            shown = _oriented(tree, known)
            panels.append((f"stage {stage}, t={t}: do({', '.join(step['centre'])})", shown, centre, out))
            others = [v for v in step["tested"] if v not in step["centre"]]
            if others:
                marked = dict.fromkeys(others, blue)
                panels.append((f"stage {stage}, t={t}: do({', '.join(others)})", shown, marked, out))
            left = set(step["left"])
            if stage == 1:
                known |= _learned_edges(tree, step)
                gone = sorted(set(tree.nodes) - left)
                panels.append((f"stage 1, t={t}: result", _oriented(tree, known), centre, gone))
        word = "directed subtree" if stage == 1 else f"{', '.join(sorted(left))} remains"
        green, gone = dict.fromkeys(left, COLOURS["green"]), sorted(set(tree.nodes) - left)
        panels.append((f"stage {stage}: {word}", _oriented(tree, known), green, gone))
    figure, grid = canvas(-(-len(panels) // 4), 4, height=5.4)
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, letter, (title, graph, colours, out) in zip(grid.flat, "abcdefghijklmnop", panels, strict=False):
        name = f"({letter}) {title}".replace(": ", ":\n")
        draw_diagram(axes, graph, POSITIONS, node_colours=colours, shaded=out, title=name, radius=0.36)
    kinds = {"central node": red, "its children": blue, "left by the stage": COLOURS["green"]}
    handles = [Line2D([], [], ls="", marker="o", ms=11, mfc="white", mec=c, mew=2, label=n) for n, c in kinds.items()]
    handles.append(Line2D([], [], ls="", marker="o", ms=11, mfc="#D9D9D9", mec=COLOURS["black"], label="ruled out"))
    grid.flat[-1].legend(handles=handles, loc="center", labelspacing=1)
    return figure


def rounds(results: Results) -> Figure:
    """Draw mean cumulative regret over the rounds, with 95 % bands, for two numbers of nodes.

    The round T_1 is marked.
    """
    figure, panels = canvas(2, 1, height=5.6, sharex=True)
    ends: list[list[tuple[str, float, str]]] = []
    for axes, nodes in zip(panels[:, 0], (100, 1000), strict=True):
        ends.append([])
        for name, (settings, colour, line) in POLICIES.items():
            for experiment in ("far", "far_thompson"):
                if results.policies(experiment, nodes=nodes, **settings):
                    curve = results.curve(experiment, nodes=nodes, **settings)
                    draw_curve(axes, curve, color=colour, linestyle=line, label=name)
                    ends[-1].append((name, float(curve["mean"].iloc[-1]), colour))
                    break
        (label,) = results.policies("far", nodes=nodes, **POLICIES["CN-UCB"].settings)
        allowed = _outcomes(results, "far", "bound", label).max()
        axes.axvline(allowed, color=COLOURS["black"], lw=1, ls=":")
        axes.annotate(
            "$T_1$", (allowed, 1), xycoords=axes.get_xaxis_transform(), xytext=(3, -9), textcoords="offset points"
        )
        horizon = results.horizon("far")
        axes.set(ylabel="cumulative regret", xlim=(0, horizon), ylim=(0, None), title=f"n = {nodes:,}")
        plain(axes.xaxis, (0, horizon / 2, horizon))
        thousands(axes.yaxis)
    panels[-1, 0].set_xlabel("rounds $t$")
    for axes, names in zip(panels[:, 0], ends, strict=True):
        name_ends(axes, names)
    return figure


def _over(
    results: Results, experiment: str, option: str, metric: str, **settings: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Collect the values of an option, shape (points,), and the final values at each, shape (points, seeds)."""
    labels = results.policies(experiment, **settings)
    points = sorted((float(str(results.settings(experiment, label)[option])), label) for label in labels)
    finals = [results.final(experiment, metric, policy=label).to_numpy() for _, label in points]
    return np.array([x for x, _ in points]), np.array(finals)


def _outcomes(results: Results, experiment: str, metric: str, policy: str) -> np.ndarray:
    """Collect an outcome of those runs of a policy that the horizon did not cut off; there may be none."""
    return results.final(experiment, metric, policy=policy).dropna().to_numpy()


def _fit(axes: Axes, x: np.ndarray, finals: np.ndarray, law: str, **look: Any) -> tuple[str, float, str]:
    """Draw the least-squares fit a + b f(n) and its 95 % band over seeds.

    Return the fit's label (with the share of variance that it explains), its last value and its colour.
    """
    f, name, line = LAWS[law]
    fine = np.geomspace(x[0], x[-1], 60)
    design = np.column_stack([np.ones_like(x), f(x)])
    coefficients = np.linalg.lstsq(design, finals, rcond=None)[0]  # one fit per seed; their mean is the fit of the mean
    curves = np.column_stack([np.ones_like(fine), f(fine)]) @ coefficients
    at = [mean_of(values) for values in curves]
    mean = finals.mean(axis=1)
    explained = 1 - ((mean - (design @ coefficients).mean(axis=1)) ** 2).sum() / ((mean - mean.mean()) ** 2).sum()
    drawn = curves.mean(axis=1)
    axes.plot(fine, drawn, ls=line, lw=1.2, **look)
    axes.fill_between(fine, [e.low for e in at], [e.high for e in at], alpha=0.15, lw=0, **look)
    return f"$a + b\\,${name}: {100 * explained:.1f} %", float(drawn[-1]), look["color"]


def nodes(results: Results) -> Figure:
    """Draw final regret against n, for all policies with horizons far above and below T_1, and for CN-UCB with fits."""
    figure, panels = canvas(3, 1, height=7.6)
    *upper, alone = panels[:, 0]
    ends: list[tuple[Axes, list[tuple[str, float, str]]]] = []
    ticks = []
    for axes, horizon in zip(upper, ("far", "below"), strict=True):
        ends.append((axes, []))
        ticks.append(_over(results, horizon, "nodes", "cumulative_regret", **POLICIES["CN-UCB"].settings)[0])
        least = ticks[-1][0]
        for name, (settings, colour, line) in POLICIES.items():
            experiment = f"{horizon}_thompson" if name == "TS" else horizon
            if settings.get("arms") == "reward" or not results.policies(experiment, **settings):
                continue
            x, finals = _over(results, experiment, "nodes", "cumulative_regret", **settings)
            points(axes, x, finals, color=colour)
            axes.plot(x, finals.mean(axis=1), color=colour, lw=1, ls=line)
            first = "" if x[0] == least else f", n ≥ {x[0]:g}"
            ends[-1][1].append((name + first, float(finals[-1].mean()), colour))
        axes.set(title=f"T = {results.horizon(horizon):,}")
    x, finals = _over(results, "nodes", "nodes", "cumulative_regret", **POLICIES["CN-UCB"].settings)
    points(alone, x, finals, color=POLICIES["CN-UCB"].colour)
    fits = [
        _fit(alone, x, finals, law, color=COLOURS[colour])
        for law, colour in (("log_squared", "red"), ("log", "black"), ("sqrt", "grey"))
    ]
    title = f"CN-UCB, T = {results.horizon('nodes'):,}; variance explained"
    alone.set(title=title, xlabel="nodes $n$")
    for axes, places in zip((*upper, alone), (*ticks, x), strict=True):
        axes.set(xscale="log", ylabel="cumulative regret", ylim=(0, None))
        plain(axes.xaxis, places)
        thousands(axes.yaxis)
    for axes, names in (*ends, (alone, fits)):
        name_ends(axes, names)
    return figure


def interventions(results: Results) -> Figure:
    """Draw what stages 1 and 2 need as a share of what the paper allows, for every run, a row per kind of graph.

    The first row shows the variables intervened on, against Lemma 1, the others the rounds before stage 3, against T_1.
    """
    shares = {
        "variables, trees": np.concatenate([tested / lemma_1(n, d) for n, d, tested in _tested(results, "nodes")])
    }
    for experiment in results.experiments(algorithm="cn_ucb"):
        finals = results.finals[experiment]
        ours = finals[finals["policy"].isin(results.policies(experiment, algorithm="cn_ucb"))]
        kind = f"rounds, {GRAPHS.get(experiment, experiment)}"
        share = (ours["sample_complexity"] / ours["bound"]).dropna().to_numpy()
        shares[kind] = np.concatenate([shares.get(kind, np.empty(0)), share])
    figure, ((axes,),) = canvas(height=0.4 * len(shares) + 1)
    for place, values in enumerate(shares.values()):
        # spread so that equal shares stay visible, in the order of the runs
        spread = place + 0.3 * np.sin(np.arange(len(values)))
        axes.plot(values, spread, "o", ms=2.5, mew=0, color=POLICIES["CN-UCB"].colour, alpha=0.4)
        axes.plot(values.mean(), place, "|", ms=20, mew=2, color=COLOURS["black"])
    axes.axvline(1, color=COLOURS["black"], lw=1, ls="--")
    axes.set(xscale="log", ylim=(len(shares) - 0.5, -0.5), xlabel="share of what the theorems allow; bars: means")
    plain(axes.xaxis, (0.01, 0.1, 1))
    axes.set_yticks(range(len(shares)), list(shares))
    return figure


def _tested(results: Results, experiment: str) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield the number of nodes, the degree, and how many variables every run on these graphs intervened on."""
    labels = results.policies(experiment, algorithm="cn_ucb")
    for n, label in sorted((int(str(results.settings(experiment, label)["nodes"])), label) for label in labels):
        states, degree = (int(str(results.settings(experiment, label)[name])) for name in ("states", "degree"))
        stages = sum(_outcomes(results, experiment, f"rounds_stage_{stage}", label) for stage in (1, 2))
        yield n, degree, np.asarray(stages / (states * _outcomes(results, experiment, "rounds_observing", label)))


def scale(results: Results) -> Figure:
    """Draw how many variables stages 1 and 2 intervene on, for up to 100,000 nodes, and what Lemma 1 allows."""
    figure, ((axes,),) = canvas(height=3.6)
    found = list(_tested(results, "scale"))
    colour = POLICIES["CN-UCB"].colour
    for n, _, tested in found:
        axes.plot(np.full(len(tested), n), tested, "o", ms=2.5, mew=0, color=colour, alpha=0.5)
    x = [n for n, _, _ in found]
    axes.plot(x, [tested.mean() for _, _, tested in found], color=colour, lw=1, label="CN-UCB, mean")
    allowed = [lemma_1(n, degree) for n, degree, _ in found]
    axes.plot(x, allowed, color=COLOURS["black"], lw=0.8, label=r"$(2 + d)\,\log_2 n$ (Lemma 1)")
    axes.set(xscale="log", xlabel="nodes $n$", ylabel="variables intervened on", ylim=(0, None))
    plain(axes.xaxis, [n for n in TENS if x[0] <= n <= x[-1]])
    axes.legend()
    return figure


def necessity(results: Results) -> Figure:
    """Draw regret on the instances of Theorems 4 (filled) and 5 (hollow), as a share of sqrt(nKT), with Eq. 4."""
    figure, ((axes,),) = canvas(height=3.6)
    colour = COLOURS["green"]
    ends: list[tuple[str, float, str]] = []
    for experiment, explorers, face in (("theorem4", "ends4", None), ("theorem5", "ends5", "white")):
        # shifted sideways so that equal regrets stay visible
        aside = 0.95 if face is None else 1.05
        for name, further in (("CN-UCB", 0.9), ("UCB", 1.1)):
            x, finals = _over(results, experiment, "nodes", "cumulative_regret", **POLICIES[name].settings)
            unit = np.array([8 * minimax(n, _states(results, experiment), results.horizon(experiment)) for n in x])
            look = {"color": POLICIES[name].colour, "mfc": face or POLICIES[name].colour}
            points(axes, x * aside * further, finals / unit[:, np.newaxis], **look)
            if face is None:
                above = 0.23 if name == "CN-UCB" else 0.214
                axes.annotate(name, (x[-1], above), color=ink(POLICIES[name].colour), ha="center")
        (explorer,) = results.policies(explorers)
        own, horizon = results.settings(explorers, explorer), results.horizon(explorers)
        most, states, explored = int(str(own["nodes"])), int(str(own["states"])), float(str(own["explored"]))
        played = results.final(explorers).to_numpy() / (8 * minimax(most, states, horizon))
        points(axes, np.array([most * aside]), [played], color=colour, mfc=face or colour)
    fine = np.unique(np.geomspace(x[0], most, 50).round()).astype(int)
    exact = [regret_at_the_ends(int(n), states, horizon, explored) / (8 * minimax(n, states, horizon)) for n in fine]
    axes.plot(fine, exact, color=colour, lw=1, ls="--")
    ends.append(("exploring the ends", exact[-1], colour))
    axes.annotate("filled: Theorem 4\nhollow: Theorem 5", (0.03, 0.03), xycoords="axes fraction")
    for value, name in ((1 / 4, "never the good arm"), (1 / 8, "Eq. 4")):
        axes.axhline(value, color=COLOURS["black"], lw=1)
        ends.append((name, value, COLOURS["black"]))
    axes.set(xscale="log", xlabel="nodes $n$", ylabel=r"regret / $\sqrt{nKT}$", ylim=(0, None))
    plain(axes.xaxis, [n for n in TENS if x[0] <= n <= most])
    name_ends(axes, ends)
    return figure


def _states(results: Results, experiment: str) -> int:
    """Return K of an experiment whose policies all have the same K."""
    label, *_ = results.policies(experiment)
    return int(str(results.settings(experiment, label)["states"]))


def practitioner(results: Results) -> Figure:
    """Draw the regret of a learner who has only data, with a graph learned from them or without a graph."""
    figure, ((axes,),) = canvas(height=3.6)
    labels = {int(str(results.settings("learned", p)["samples"])): p for p in results.policies("learned")}
    finals = {n: results.final("learned", policy=labels[n]).dropna().to_numpy() for n in sorted(labels)}
    finals = {n: values for n, values in finals.items() if len(values)}
    axes.set_xscale("log")
    colour = POLICIES["CN-UCB"].colour
    points(axes, np.array(list(finals)), list(finals.values()), color=colour)
    first = next(iter(finals))
    top = (first, mean_of(finals[first]).high)
    axes.annotate("CN-UCB, learned graph", top, (6, -6), textcoords="offset points", color=ink(colour))
    ends = []
    for name, label, line in (
        ("CN-UCB", "CN-UCB, true graph", "--"),
        ("UCB", "UCB", "-"),
        ("TS", "TS", "-"),
        ("RAPS", "RAPS", "-"),
    ):
        at = mean_of(results.final("told", **POLICIES[name].settings).to_numpy())
        colour = POLICIES[name].colour
        axes.axhline(at.value, color=colour, ls=line)
        axes.axhspan(at.low, at.high, color=colour, alpha=0.15, lw=0)
        ends.append((label, at.value, colour))
    axes.set(xlabel="observations", ylabel=f"regret after {results.horizon('told'):,} rounds", ylim=(0, None))
    plain(axes.xaxis, list(finals))
    thousands(axes.yaxis)
    name_ends(axes, ends)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "rounds": rounds,
    "nodes": nodes,
    "interventions": interventions,
    "scale": scale,
    "necessity": necessity,
    "practitioner": practitioner,
}
