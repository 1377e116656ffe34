"""Prepare huang2022's simulation: real users and videos, graphs learned from them (Fig. 3), and Theorem 2 (E08)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from causal_bandits.datasets import CountTable, DataError
from causal_bandits.datasets.tables import MISSING
from causal_bandits.discovery import edge_rows, learn, quantile_codes
from causal_bandits.graphs import ADMG
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.graphs.separators import reward_separator
from causal_bandits.models.counterfactual import UserModel, bounds, corrected_bounds, counterfactual_means
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.families import uniform_cpt
from causal_bandits.problems.construction.huang2022.constants import NOISE, USER, VIDEO, WEIGHTS
from experiments import files
from experiments.stages import Builder, Generators

# ------------------------------------------------------------------ real data

#: The rule for splitting a number; the paper does not say at which value (ledger L30).
RULE = "median_ge"

#: Columns of ``adult.data``, named as in ``adult.names``; ``income`` is the label.
ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
)
#: The first columns of a line of the crawl; up to 20 ids of related videos follow.
YOUTUBE_COLUMNS = ("id", "uploader", "age", "category", "length", "views", "rate", "ratings", "comments")
#: The six features of a video, in the paper's order. The arms are the four of the main text (ledger L32, E07); ``rate``
#: is a mean of stars, ``ratings`` counts them, and the reward's "ratings" is the latter (ledger L31).
FEATURES = ("age", "length", "views", "rate", "ratings", "comments")
#: The category of a video that the crawl could not read; its age is then 0 and means nothing.
UNAVAILABLE = "UNA"


def count_adult(raw: str | Path) -> CountTable:
    """Count the joint states of age, sex, race and income in UCI Adult: Male, White and >50K are 1 (Appendix E.2).

    Parameters
    ----------
    raw : path
        ``adult.data``, compressed or not.
    """
    frame = pd.read_csv(raw, header=None, names=ADULT_COLUMNS, skipinitialspace=True)
    return _counted(
        {
            "age": _split_at_median(frame["age"]),
            "sex": _indicator(frame["sex"], "Male", "Female"),
            "race": _indicator(frame["race"], "White", "other than White"),
            "income": _indicator(frame["income"], ">50K", "<=50K"),
        }
    )


def count_youtube(*depths: str | Path) -> CountTable:
    """Count the joint states of `FEATURES`; a missing value is a state, so the table counts every record.

    A line with only an id is a video that was gone. A negative number is not a count, and a video of category UNA has
    no age (L34).

    Parameters
    ----------
    depths : paths
        The crawl's files of the initial videos and of those related to them, ``0.txt`` and ``1.txt`` (ledger L33).
    """
    first = range(len(YOUTUBE_COLUMNS))
    lines = [
        pd.read_csv(path, sep="\t", header=None, names=YOUTUBE_COLUMNS, usecols=first, quoting=csv.QUOTE_NONE)
        for path in depths
    ]
    videos = pd.concat(lines).dropna(subset="category")
    numbers = videos[[*FEATURES]].where(videos[[*FEATURES]] >= 0)
    numbers["age"] = numbers["age"].where(videos["category"].str.strip() != UNAVAILABLE)
    return _counted({name: _split_at_median(numbers[name]) for name in FEATURES})


def _split_at_median(values: pd.Series) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """Return the meaning of states, and state 1 for numbers at or above the known ones' median, 2 for missing ones."""
    median = values.median()
    labels = (f"{values.name} < {median:.15g}", f"{values.name} >= {median:.15g}")
    states = np.where(values.notna(), values >= median, 2).astype(np.int8)
    return (*labels, MISSING) if values.hasnans else labels, states


def _indicator(values: pd.Series, one: str, others: str) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    return (others, one), (values == one).to_numpy().astype(np.int8)


def _counted(features: Mapping[str, tuple[tuple[str, ...], NDArray[np.int8]]]) -> CountTable:
    labels = {name: meanings for name, (meanings, _) in features.items()}
    counts = np.zeros(tuple(map(len, labels.values())), np.int64)
    np.add.at(counts, tuple(states for _, states in features.values()), 1)
    return CountTable(labels, counts)


def adult(seeds: Iterable[int], generators: Generators, raw: str) -> pa.Table:
    """Tabulate the joint counts of Adult's users, one row per joint state; nothing is drawn.

    Parameters
    ----------
    raw : path
        See `count_adult`.
    """
    return _tabulated(count_adult(raw))


def youtube(
    seeds: Iterable[int], generators: Generators, counts: str, depth_0: str | None = None, depth_1: str | None = None
) -> pa.Table:
    """Tabulate the joint counts of YouTube's videos, one row per joint state; nothing is drawn.

    Parameters
    ----------
    counts : path
        The shipped table of counts.
    depth_0, depth_1 : path, optional
        The crawl's files, from which the same counts must come (`count_youtube`).

    Raises
    ------
    DataError
        If other counts come from the crawl.
    """
    shipped = CountTable.read(counts)
    if depth_0 is not None and depth_1 is not None:
        found = count_youtube(depth_0, depth_1)
        if found.states != shipped.states or not np.array_equal(found.counts, shipped.counts):
            raise DataError(f"{depth_0}, {depth_1}: counts differ from those of {counts}, expected the same crawl")
    return _tabulated(shipped)


def _tabulated(table: CountTable) -> pa.Table:
    columns = {variable: table.cells[:, i] for i, variable in enumerate(table.variables)}
    rules = pa.array([RULE] * len(table.cells)).dictionary_encode()
    return pa.table({**columns, "count": table.counts.ravel(), "rule": rules})


# ------------------------------------------------------------------ records


def records(seeds: Iterable[int], generators: Generators, adult: str, youtube: str, rows: int = 10_000) -> pa.Table:
    """Draw each seed's records, half of them offline and half online.

    Of ``rows`` users, half are offline. Each of these has a video and a reward.

    Parameters
    ----------
    adult, youtube : path
        Tables from `adult` and `youtube`.
    rows : int
        Users drawn without replacement from Adult (ledger L35); even.

    Returns
    -------
    table
        Columns ``seed``, ``online`` (bool), ``t`` (0, 1, ... in each half), the user's variables, and the video's
        variables and ``reward``, which are null online. Offline videos are drawn from the pool in proportion to how
        often their type occurs there (ledger L62).
    """
    users, videos = _read(adult, USER), _read(youtube, VIDEO)
    pool = videos.known(VIDEO)
    parts = []
    for seed in seeds:
        rng = generators(seed)
        drawn, online = split(users, rng, rows)
        offline = np.repeat(drawn.cells, drawn.counts.ravel(), axis=0)
        kinds = rng.choice(len(pool.cells), size=len(offline), p=pool.counts.ravel() / pool.total)
        shown = pool.cells[kinds]
        states = {**dict(zip(USER, offline.T, strict=True)), **dict(zip(VIDEO, shown.T, strict=True))}
        mean = sum((weight * states[v] for v, weight in WEIGHTS.items()), np.zeros(len(offline)))
        reward = mean + NOISE * rng.standard_normal(len(offline))
        parts.append(_rows(seed, False, offline, shown, reward))
        parts.append(_rows(seed, True, online, None, None))
    return pa.concat_tables(parts)


def split(table: CountTable, rng: np.random.Generator, n: int = 10_000) -> tuple[CountTable, NDArray[np.int8]]:
    """Draw ``n`` records without replacement: half are offline data, half are users, in random order.

    The table's records have no order, so drawing counts (multivariate hypergeometric) has the same distribution as
    drawing the records themselves. See huang2022, Experiments and Appendix E.2 (ledger L35).

    Parameters
    ----------
    table : CountTable
    rng : Generator
        Equal generators give equal draws.
    n : int
        Even, 2 to ``table.total``.

    Returns
    -------
    offline : CountTable
        ``n / 2`` records; ``provenance`` is the table's, plus ``drawn``.
    online : ndarray of int8, shape (n / 2, variables)
        The users' states, one row per round.

    Raises
    ------
    ValueError
        If ``n`` is odd, less than 2, or more than the table's number of records.
    """
    if n < 2 or n % 2 or n > table.total:
        raise ValueError(f"n is {n}, expected an even number from 2 to the {table.total} records of the table")
    drawn = rng.multivariate_hypergeometric(table.counts.ravel(), n)
    offline = rng.multivariate_hypergeometric(drawn, n // 2)
    online = rng.permutation(np.repeat(table.cells, drawn - offline, axis=0))
    provenance = {**table.provenance, "drawn": f"{n // 2} of {table.total} records without replacement"}
    return CountTable(table.states, offline.reshape(table.counts.shape), provenance), online


def _rows(
    seed: int,
    online: bool,
    users: NDArray[np.int8],
    videos: NDArray[np.int8] | None,
    reward: NDArray[np.float64] | None,
) -> pa.Table:
    n = len(users)
    columns: dict[str, pa.Array] = {
        "seed": pa.array(np.full(n, seed, np.int32)),
        "online": pa.array(np.full(n, online)),
        "t": pa.array(np.arange(n, dtype=np.int32)),
    }
    columns |= {v: pa.array(users[:, i]) for i, v in enumerate(USER)}
    columns |= {v: pa.nulls(n, pa.int8()) if videos is None else pa.array(videos[:, i]) for i, v in enumerate(VIDEO)}
    columns["reward"] = pa.nulls(n, pa.float64()) if reward is None else pa.array(reward)
    return pa.table(columns)


def _read(path: str, variables: tuple[str, ...]) -> CountTable:
    """Read the counts of some variables from a table of `adult` or `youtube`; a third state means a missing value."""
    table = files.read(path)
    names = [name for name in table.column_names if name not in ("count", "rule")]
    states = {name: table[name].to_numpy() for name in names}
    shape = tuple(int(values.max()) + 1 for values in states.values())
    labels = {n: ("0", "1", MISSING)[:size] for n, size in zip(names, shape, strict=True)}
    counts = table["count"].to_numpy().reshape(shape)
    return CountTable(labels, counts).marginal(variables)


# ------------------------------------------------------------------ learned graphs

#: No variable causes one in an earlier tier (ledger L37). The tiers ``in_time`` are what a user is born with, income,
#: the video shown, and the reward.
TIERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "in_time": (("age", "race", "sex"), ("income",), VIDEO, ("reward",)),
    "reward_last": ((*USER, *VIDEO), ("reward",)),
    "none": ((*USER, *VIDEO, "reward"),),
}
NODES = tuple(v for tier in TIERS["in_time"] for v in tier)

_SCHEMA = pa.schema(
    [
        ("learner", pa.string()),
        ("seed", pa.int32()),
        ("source", pa.string()),
        ("target", pa.string()),
        ("kind", pa.string()),
    ]
)


def learn_graph(
    seeds: Iterable[int],
    generators: Generators,
    records: str,
    learner: str,
    significance: float = 0.01,
    reward_bins: int = 6,
    tiers: str = "in_time",
) -> pa.Table:
    """Learn each seed's graph over users, videos and reward from its offline records.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; no random numbers are drawn here.
    records : path
        A table from `records`.
    learner : {"pc", "ges"}
    significance : float
        Level of PC's tests; GES has none (ledger L39).
    reward_bins : int
        Number of quantile bins that make the reward discrete (ledger L38).
    tiers : str
        A key of `TIERS`.

    Returns
    -------
    table
        Columns ``learner, seed, source, target, kind``: one edge per row, with ``kind`` "directed" or "undirected"; a
        graph without edges is one row of kind "none" with null ends.

    Raises
    ------
    ValueError
        If a seed has no offline records, if ``tiers`` is unknown, or for a reason given in `discovery.learn`.
    """
    if tiers not in TIERS:
        raise ValueError(f"tiers={tiers!r}: expected one of {', '.join(TIERS)}")
    table = files.read(records, ["online", "seed", *USER, *VIDEO, "reward"]).filter(~pc.field("online")).drop("online")
    offline = table.to_pandas()
    rows: list[dict[str, str | int]] = []
    for seed in seeds:
        data = offline[offline["seed"] == seed].drop(columns="seed")
        if data.empty:
            raise ValueError(f"{records}: no offline records for seed {seed}")
        data["reward"] = quantile_codes(data["reward"], reward_bins)
        counted = data.value_counts(sort=False).reset_index(name="number")
        graph = learn(
            counted.drop(columns="number"),
            learner,  # type: ignore[arg-type]  # `learn` checks it
            TIERS[tiers],
            counts=counted["number"],
            significance=significance,
        )
        rows.extend(edge_rows(graph, learner, seed) or [{"learner": learner, "seed": seed, "kind": "none"}])
    return pa.Table.from_pylist(rows, _SCHEMA)


def learned_graphs(path: str | Path) -> list[PartiallyDirectedGraph]:
    """Read the graphs from a table written by `learn_graph`, one per seed."""
    frame: pd.DataFrame = files.read(path).to_pandas()
    graphs = []
    for _, edges in frame.groupby("seed"):
        pairs = {
            kind: [(str(a), str(b)) for a, b in zip(part["source"], part["target"], strict=True)]
            for kind, part in edges.groupby("kind")
        }
        graphs.append(PartiallyDirectedGraph(NODES, pairs.get("directed", ()), pairs.get("undirected", ())))
    return graphs


def learned_separator(graph: PartiallyDirectedGraph) -> frozenset[str]:
    """Find the minimal d-separation set W of a learnt graph (Algorithm 1, line 2); all DAGs of the graph share it.

    Raises
    ------
    ValueError
        If no DAG has the graph's edges.
    """
    return reward_separator(
        graph.to_admg(), outcome="reward", arms=VIDEO, context=USER, sizes=dict.fromkeys(graph.nodes, 2)
    )


# ------------------------------------------------------------------ Theorem 2 on random models

#: The user's features, with the sensitive one first; B descends from it.
CONTEXT = ("S", "B")
#: Possible members of Z, the reward's parents outside context and arm.
INTERMEDIATE = ("I1", "I2", "I3")
#: A single arm, which sets nothing.
ARMS: list[dict[str, int]] = [{}]


def random_model(rng: np.random.Generator) -> tuple[DiscreteSCM, dict[str, float]]:
    """Draw a random Markovian model of binary variables, and the reward's weights.

    S causes B, and both are context; every other edge along the order S, B, I1, I2, I3 is present with probability
    1/2, and every conditional probability is uniform on [0, 1]. Each variable but S is a parent of the reward with
    probability 1/2, with a weight uniform on [-1, 1].
    """
    order = [*CONTEXT, *INTERMEDIATE]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    edges = [pair for pair in pairs if pair == CONTEXT or rng.random() < 0.5]
    weights = {v: float(rng.uniform(-1, 1)) for v in order[1:] if rng.random() < 0.5}
    return uniform_cpt(ADMG(edges, nodes=order), rng), weights


def theorem_2(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Measure how far the exact E[R | s* = 1, x] lies outside Theorem 2's interval, on random models.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`.

    Returns
    -------
    table
        Columns ``seed``; ``descends``, whether a member of Z descends from S; and, maximised over users, ``printed``
        and ``corrected``: how far the mean lies outside the interval as printed, and outside that with Z's weights
        inside the extremes; negative if inside.
    """
    rows = []
    for seed in seeds:
        scm, weights = random_model(generators(seed))
        model = UserModel(scm, CONTEXT, "S", ARMS, weights, 0.0)
        exact = counterfactual_means(model, 1)
        row: dict[str, int | bool | float] = {"seed": seed}
        row["descends"] = bool(scm.graph.descendants("S") & weights.keys() & set(INTERMEDIATE))
        for name, (lower, upper) in (("printed", bounds(model, 1)), ("corrected", corrected_bounds(model, 1))):
            row[name] = float(np.maximum(lower - exact, exact - upper).max())
        rows.append(row)
    return pa.Table.from_pylist(rows)


STAGES: dict[str, Builder] = {
    "adult": adult,
    "youtube": youtube,
    "records": records,
    "learn_graph": learn_graph,
    "theorem_2": theorem_2,
}
