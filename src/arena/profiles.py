"""Players that share their problems, compared over all of these.

They are compared by performance profiles, interquartile means and ranks.

A score is the regret over that of playing one of all interventions at random in every round: 0 is the least possible, 1
what needs no learning. It makes problems with large and with small gaps count alike. Only players of one family are
compared, since only they play the same problems for the same number of rounds (ledger L251).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator

from arena.players import PLAYERS, Knowledge, Player, situations
from arena.summaries import (
    Estimate,
    Scores,
    improvements,
    interquartile_means,
    mean_ranks,
    profiles,
    ranks,
)
from arena.wording import ratio_text
from causal_bandits.arrays import FloatArray
from causal_bandits.problems import arena as problems
from causal_bandits.problems.construction.arena.dosed import EVERYTHING
from experiments.drawing.plotting import COLOURS
from experiments.results import Results

#: The colours of players by what they know, in order, and the style of their lines.
LINES: dict[Knowledge, tuple[tuple[str, ...], Literal["--", "-", ":"], str]] = {
    "none": ((COLOURS["black"], COLOURS["grey"]), "--", "no knowledge"),
    "right": (
        (*(COLOURS[name] for name in ("blue", "green", "sky", "purple", "orange", "red")), "#7F4F24"),
        "-",
        "right knowledge",
    ),
    "wrong": ((*(COLOURS[name] for name in ("red", "orange", "purple")), "#7F4F24"), ":", "wrong knowledge"),
}
#: So many levels has a profile, from the score that this share of problems stays below, or from the floor.
LEVELS, LEAST, FLOOR = 80, 0.01, 1e-4


@dataclass(frozen=True)
class Family:
    """Players that play the same random problems for the same number of rounds.

    Parameters
    ----------
    name : str
    kind : str
        The experiment whose policies tell which situations there are; a key of `players.SITUATIONS`.
    players : tuple of Player
    related : bool
        Whether draw d of all situations comes from the same random numbers, so that situations are no strata.
    """

    name: str
    kind: str
    players: tuple[Player, ...]
    related: bool = False


def _solvers() -> tuple[Player, ...]:
    """Return the players on diagrams with five variables who believe in nothing or in the right diagram."""
    told = {"the diagram, TS", "the diagram, z2-TS", "nothing: all interventions, TS"}
    thompson = [replace(p, experiment=p.experiment or "diagram") for p in PLAYERS["diagram"] if p.name in told]
    cells: dict[str, dict[str, Any]] = {
        "C-TS": {"algorithm": "c_ts", "pool": "checked"},
        "C-UCB": {"algorithm": "c_ucb_arms", "pool": "checked"},
        "HAC-UCB": {"algorithm": "hac_ucb"},
    }
    exact = [
        Player(f"the diagram and P(parents of Y | arm), {name}", "right", settings, experiment="parents")
        for name, settings in cells.items()
    ]
    return tuple(sorted((*thompson, *PLAYERS["kl_ucb"], *exact), key=lambda player: player.knowledge != "none"))


FAMILIES: tuple[Family, ...] = (
    Family("Random diagrams: what is believed", "diagram", tuple(PLAYERS["diagram"])),
    Family("Random diagrams of 5 variables: algorithms", "kl_ucb", _solvers()),
    Family("Trees in which the reward has one cause", "tree", tuple(PLAYERS["tree"]), related=True),
    Family("Offline data, confounded and selected", "offline", tuple(PLAYERS["offline"]), related=True),
)


@dataclass(frozen=True)
class Field:
    """A family's players who play in every situation, with their scores."""

    family: Family
    players: tuple[Player, ...]
    situations: int
    problems: int
    scores: Scores


def field(results: Results, family: Family) -> Field:
    """Read the scores of a family; players that are missing in a situation are left out."""
    where = situations(results, family.kind)
    players = tuple(
        player
        for player in family.players
        if all(results.policies(player.experiment or family.kind, **player.algorithm, **s) for s in where)
    )
    cells = [_scores(results, family, players, situation) for situation in where]
    if family.related:
        common = cells[0].index
        for cell in cells:
            common = common.intersection(cell.index)
        strata = [np.stack([cell.loc[common].to_numpy().T for cell in cells], axis=1)]
    else:
        strata = [cell.to_numpy().T[:, None, :] for cell in cells]
    scores = Scores(tuple(strata))
    return Field(family, players, len(where), scores.values.shape[1], scores)


def _scores(
    results: Results, family: Family, players: tuple[Player, ...], situation: Mapping[str, Any]
) -> pd.DataFrame:
    """Return a situation's scores: one row per draw that all have played, one column per player."""
    columns, kind = {}, family.kind
    for player in players:
        place = player.experiment or kind
        regret = results.final(place, by="draw", **player.algorithm, **situation)
        options = results.settings(place, results.label(place, {**player.algorithm, **situation}))
        at_random = [random_play(kind, tuple((n, options[n]) for n in _NEEDED[kind]), int(d)) for d in regret.index]
        columns[player.name] = regret / (np.array(at_random) * results.horizon(place))
    return pd.DataFrame(columns).dropna()


#: The options that the regret of playing at random depends on; an arm's means are the same at every bias.
_NEEDED: dict[str, tuple[str, ...]] = {
    "diagram": ("nodes", "confounders"),
    "kl_ucb": ("nodes", "confounders"),
    "tree": ("nodes", "states", "epsilon", "reward_gap"),
    "offline": (),
}


@cache
def random_play(kind: str, options: tuple[tuple[str, Any], ...], draw: int) -> float:
    """Compute the exact regret per round of playing one of all interventions at random."""
    if kind == "tree":
        tree = problems.tree(draw=draw, **dict(options))
        return float(tree.means.max() - tree.means.mean())
    if kind == "offline":
        bandit = problems.offline(0.0, 1, draw=draw)
        return float(bandit.context_probabilities @ (bandit.means.max(axis=1) - bandit.means.mean(axis=1)))
    told = problems.diagram(told=EVERYTHING, draw=draw, **dict(options))
    return float(told.optimal_mean - told.means.mean())


# ---------------------------------------------------------------------- tables


def ranks_table(results: Results) -> pd.DataFrame:
    """Make a row for each player of a family.

    It has the interquartile mean, the mean rank and the ranks that are possible.
    """
    rows = []
    for family in FAMILIES:
        here = field(results, family)
        middle, mean_rank, possible = interquartile_means(here.scores), mean_ranks(here.scores), ranks(here.scores)
        for i, player in enumerate(here.players):
            least, most = int(possible.least[i]), int(possible.most[i])
            rows.append(
                {
                    "problems of": family.name,
                    "knows, and plays": player.name,
                    "knowledge": player.knowledge,
                    "interquartile mean of regret over random play": _said(middle, i),
                    "mean rank": _said(mean_rank, i),
                    "ranks possible": f"{least}" if least == most else f"{least} to {most}",
                    "of": len(here.players),
                    "rounds": results.horizon(player.experiment or family.kind),
                    "situations": here.situations,
                    "problems": here.problems,
                }
            )
    return pd.DataFrame(rows)


def pairs_table(results: Results) -> pd.DataFrame:
    """Make a row for each two players of a family: on which share of problems the one has less regret."""
    rows = []
    for family in FAMILIES:
        here = field(results, family)
        found = improvements(here.scores)
        for i, one in enumerate(here.players):
            for j, other in enumerate(here.players):
                if i < j:
                    rows.append(
                        {
                            "problems of": family.name,
                            "the one": one.name,
                            "the other": other.name,
                            "the one has less regret, share": f"{found.value[i, j]:.2f}",
                            "95 %": f"{found.low[i, j]:.2f} to {found.high[i, j]:.2f}",
                            "problems": here.problems,
                        }
                    )
    return pd.DataFrame(rows)


def _said(estimate: Estimate, i: int) -> str:
    return ratio_text(*(float(part[i]) for part in estimate))


# ---------------------------------------------------------------------- figure


def profiles_figure(results: Results) -> Figure:
    """Draw for each family its profiles, and beside them interquartile means and mean ranks."""
    figure = plt.figure(figsize=(19, 10.5), layout="constrained")
    parts = np.asarray(figure.subfigures(2, 2, wspace=0.02, hspace=0.03)).ravel()
    for part, family in zip(parts, FAMILIES, strict=True):
        _draw(part, field(results, family))
    handles = [Line2D([], [], color="0.3", linestyle=style, label=name) for _, style, name in LINES.values()]
    handles.append(Line2D([], [], color="0.3", marker="o", label="interquartile mean, 95 % interval"))
    handles.append(Line2D([], [], color="0.6", linewidth=0.9, linestyle="-.", label="as much regret as random play"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _draw(part: SubFigure, here: Field) -> None:
    curves, dots = part.subplots(1, 2, sharex=True, width_ratios=(1.25, 1))
    levels, colours = _levels(here.scores.values), _colours(here.players)
    shares, middle, mean_rank = profiles(here.scores, levels), interquartile_means(here.scores), mean_ranks(here.scores)
    for i, player in enumerate(here.players):
        style = LINES[player.knowledge][1]
        curves.plot(levels, shares.value[i], color=colours[i], linestyle=style, linewidth=1.6)
        curves.fill_between(levels, shares.low[i], shares.high[i], color=colours[i], alpha=0.12, linewidth=0)
        dots.plot([middle.low[i], middle.high[i]], [i, i], color=colours[i], linewidth=2)
        dots.plot(middle.value[i], i, "o", color=colours[i], ms=5)
    for axes in (curves, dots):
        axes.axvline(1, color="0.6", linewidth=0.9, linestyle="-.", zorder=0)
        axes.set_xscale("log")
        axes.set_xlim(levels[0], levels[-1])
        axes.xaxis.set_major_locator(LogLocator(numticks=5))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.set_xlabel("regret over that of random play")
    curves.set_ylim(0, 1)
    curves.set_ylabel("share of problems with at most so much regret")
    part.suptitle(f"{here.family.name} ({here.problems} problems)")
    _rows(dots, [player.name for player in here.players], colours)
    beside = dots.secondary_yaxis("right")
    said = [f"{v:.1f} ({a:.1f} to {b:.1f})" for v, a, b in zip(*mean_rank, strict=True)]
    beside.set_yticks(range(len(said)), said)
    beside.tick_params(length=0)
    dots.set_title("mean rank", loc="right", fontsize=9)


def _rows(axes: Axes, names: list[str], colours: list[str]) -> None:
    """Name the rows, the first on top, in the colours of the players' lines."""
    axes.set_yticks(range(len(names)), names)
    for label, colour in zip(axes.get_yticklabels(), colours, strict=True):
        label.set_color(colour)
    axes.set_ylim(len(names) - 0.4, -0.6)


def _colours(players: tuple[Player, ...]) -> list[str]:
    """Give every player a colour of its own."""
    left = {knowledge: list(colours) for knowledge, (colours, _, _) in LINES.items()}
    return [left[player.knowledge].pop(0) for player in players]


def _levels(values: FloatArray) -> FloatArray:
    """Return the levels of a profile, which have equal ratios.

    They go from a score that few stay below to the largest, at least 1.
    """
    least = max(float(np.quantile(values, LEAST)), FLOOR)
    return np.geomspace(least, max(float(values.max()), 1.0) * 1.05, LEVELS)
