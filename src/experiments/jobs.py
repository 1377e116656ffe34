"""Descriptions of the workflow's jobs as plain data, each with its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PolicyJob:
    """One policy of an experiment.

    Attributes
    ----------
    label : str
    algorithm : str
        Its name in the configuration: a registered name or an import path.
    path : str
        The import path ``module:Class`` of the algorithm.
    parameters : mapping
        Hyper-parameters that differ from the algorithm's defaults.
    arms : str or None
        An arm strategy.
    options : mapping
        Keyword arguments of the problem's builder.
    key : str
        Key of the policy's runs, which does not depend on the number of seeds.
    """

    label: str
    algorithm: str
    path: str
    parameters: Mapping[str, Any]
    arms: str | None
    options: Mapping[str, Any]
    key: str = ""


@dataclass(frozen=True)
class ExperimentJob:
    """One experiment: a problem, the policies that play it, and for how long.

    Attributes
    ----------
    name : str
        Full name, for instance ``lee2019/frontdoor``; the random streams depend on it.
    problem : str
        A name in `causal_bandits.problems`, or an import path ``module:function``.
    horizon, checkpoints, replicates : int
        Maximum number of rounds of a run; number of rounds at which values are recorded; number of seeds, which are 0
        to ``replicates - 1``.
    root_seed : int
    policies : tuple of PolicyJob
        Policies that are played.
    left_out : tuple of PolicyJob
        Policies that the paper's file declares but this configuration leaves out.
    key : str
        Key of the tidy tables.
    seeds_per_draw : int or None
        Number of consecutive seeds that share one random problem; if None, all seeds share one.
    milestones : tuple of int
        Rounds before the last whose cumulative values are also written to the table of final values.
    inputs : mapping
        Keys of the inputs that other jobs make, by argument name.
    """

    name: str
    problem: str
    horizon: int
    checkpoints: int
    replicates: int
    root_seed: int
    policies: tuple[PolicyJob, ...]
    left_out: tuple[PolicyJob, ...] = ()
    key: str = ""
    seeds_per_draw: int | None = None
    milestones: tuple[int, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StageJob:
    """One table that is computed before the experiments.

    Attributes
    ----------
    name : str
        Full name, for instance ``huang2024/data/offline``; the random streams depend on it.
    builders, builder : str
        Import path of a dictionary of builders (`stages.Builder`), and the key in it.
    options : mapping
        Keyword arguments of the builder.
    replicates : int
        Seeds are 0 to ``replicates - 1``.
    root_seed : int
    key : str
        Key of the table.
    inputs : mapping
        Keys of the inputs that other jobs make, by argument name.
    seed_key : str
        Key of what the table says of each seed, which does not depend on the number of seeds.
    """

    name: str
    builders: str
    builder: str
    options: Mapping[str, Any]
    replicates: int
    root_seed: int
    key: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    seed_key: str = ""


@dataclass(frozen=True, kw_only=True)
class ReaderJob:
    """A job that reads tidy tables.

    Attributes
    ----------
    experiments : tuple of str
        Experiments whose tidy tables it reads.
    tidy : mapping
        Key of each experiment's tidy tables.
    inputs : mapping
        Keys of the other inputs that jobs make, by name.
    key : str
    """

    experiments: tuple[str, ...] = ()
    tidy: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class ItemJob(ReaderJob):
    """One figure or table: the import path of a dictionary of functions, and the key in it."""

    items: str
    item: str
