"""A graph, and curves."""

import matplotlib.pyplot as plt
from replication.papers.toy.problems import GRAPH

from experiments.drawing.diagrams import draw_diagram
from experiments.drawing.plotting import COLOURS, draw_curve


def graph(results):
    """Draw the graph."""
    figure, axes = plt.subplots(figsize=(2, 1))
    draw_diagram(axes, GRAPH, {"X": (0, 0), "Y": (1, 0)})
    return figure


def regret(results):
    """Draw a curve of every policy."""
    figure, axes = plt.subplots(figsize=(3, 2))
    for experiment in results.experiments():
        for label in results.policies(experiment):
            look = {"color": COLOURS["blue" if experiment == "given" else "red"], "label": f"{experiment}: {label}"}
            draw_curve(axes, results.curve(experiment, policy=label), **look)
    return figure


FIGURES: dict[str, object] = {"graph": graph, "regret": regret}
