"""Read the inputs of figures, tables and claims: tidy tables, published numbers, other files by name.

Policies are selected by their settings, the columns of the tidy tables: ``results.final("email", algorithm="f_ucb",
tau=0.3)``. They must match one policy only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow.parquet as pq

from experiments import key
from experiments.aggregate import Settings
from experiments.files import read
from experiments.settings import Setting, as_setting, compact, differing, same

if TYPE_CHECKING:
    from experiments.study import ReaderJob


class NotRunError(LookupError):
    """A policy, experiment or file that this configuration leaves out, so readers must do without it.

    Attributes
    ----------
    what : str
        What the configuration leaves out.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"not in this configuration: {what}")
        self.what = what


@dataclass(frozen=True)
class Plan:
    """An experiment's configuration, as its tidy tables record it."""

    horizon: int
    settings: Settings
    left_out: Settings = field(default_factory=dict)
    defaults: Settings = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """Read the plan from the metadata of a table that `aggregate` wrote."""
        metadata = pq.read_schema(path).metadata
        return cls(**{key: json.loads(metadata[key.encode()]) for key in cls.__dataclass_fields__})

    def matching(self, named: Mapping[str, Setting]) -> list[str]:
        """Return the labels of all declared policies, left out or not, that have the settings ``named``."""
        declared = {**self.settings, **self.left_out}
        asked = {name: value for name, value in named.items() if name != "policy"}
        return [
            label
            for label, settings in declared.items()
            if named.get("policy", label) == label
            and all(name in settings and same(settings[name], value) for name, value in asked.items())
        ]

    def only(self, named: Mapping[str, Setting], place: str) -> str:
        """Find the one policy with the settings ``named``.

        Policies that this configuration leaves out count too, so a selection means the same policy at every scale.

        Raises
        ------
        NotRunError
            If there is none, or if this configuration leaves it out.
        ValueError
            If there are several.
        """
        found = self.matching(named)
        asked = ", ".join(f"{name}={compact(value)}" for name, value in named.items()) or "any policy"
        if len(found) > 1:
            declared = {**self.settings, **self.left_out}
            apart = ", ".join(differing(declared[label] for label in found))
            raise ValueError(
                f"{place}: {asked} matches {len(found)} policies ({'; '.join(found)}), which differ in: "
                f"{apart or 'policy=<label> alone'}"
            )
        if not found or found[0] not in self.settings:
            raise NotRunError(f"{asked} in {place}; available: {self._values_of(named)}")
        return found[0]

    def _values_of(self, names: Iterable[str]) -> str:
        """Return the values of some settings among the policies that are played."""
        played = [{"policy": label, **settings} for label, settings in self.settings.items()]
        values = {n: dict.fromkeys(compact(policy[n]) for policy in played if n in policy) for n in names}
        return "; ".join(f"{name}={', '.join(found) or 'nothing'}" for name, found in values.items())


@dataclass(frozen=True)
class Results:
    """The inputs of figures, tables and claims.

    Its tables must not be changed, because `final` caches values from them.

    Attributes
    ----------
    curves, finals : dict from experiment to DataFrame
        As written by `aggregate`.
    published : DataFrame, indexed by id
        What the paper prints (all strings); empty if it has no claims.
    files : dict from name to path
        Further inputs that the configuration names.
    plans : dict from experiment to Plan
        The configuration of each experiment.
    """

    curves: dict[str, pd.DataFrame]
    finals: dict[str, pd.DataFrame]
    published: pd.DataFrame
    files: dict[str, str]
    plans: dict[str, Plan]

    @classmethod
    def load(cls, job: ReaderJob, inputs: Mapping[str, Any]) -> Results:
        """Read the inputs of a job: ``curves`` and ``finals`` are in the order of its experiments.

        Raises
        ------
        OSError
            If a table is damaged.
        StaleError
            If a table's key differs from the one that this checkout would give it.
        """
        named = dict(inputs)

        def paths(kind: str) -> dict[str, str]:
            found = named.pop(kind, [])
            return dict(zip(job.experiments, [found] if isinstance(found, str) else found, strict=True))

        curves, finals = paths("curves"), paths("finals")
        for tables in (curves, finals):
            key.expect_all(tables, job.tidy)
        key.expect_all(named, job.inputs)
        published = pd.DataFrame()
        if "published" in named:
            published = pd.read_csv(named.pop("published"), dtype=str, keep_default_na=False, index_col="id")
        return cls(
            {e: read(path).to_pandas() for e, path in curves.items()},
            {e: read(path).to_pandas() for e, path in finals.items()},
            published,
            {name: str(path) for name, path in named.items()},
            {e: Plan.read(path) for e, path in finals.items()},
        )

    def file(self, name: str) -> str:
        """Return the path of a further input.

        Raises
        ------
        NotRunError
            If the configuration has no such file.
        """
        if name not in self.files:
            raise NotRunError(f"{name}")
        return self.files[name]

    def value(self, claim_id: str) -> float:
        """Return the published number of a claim."""
        return float(str(self.published.at[claim_id, "value"]))

    def published_where(self, **cells: str) -> pd.DataFrame:
        """Return the published rows with the given ``cells``, in the order of the table.

        Raises
        ------
        ValueError
            If the table has no such column.
        """
        rows = self.published
        for name, cell in cells.items():
            if name not in rows:
                raise ValueError(f"column {name!r} is unknown; expected one of: {', '.join(map(str, rows.columns))}")
            rows = rows[rows[name] == cell]
        return rows

    def experiments(self, **settings: object) -> list[str]:
        """List the experiments in which some policy has ``settings``, such as ``problem="frontdoor"``."""
        return [experiment for experiment in self.plans if self.policies(experiment, **settings)]

    def policies(self, experiment: str, **settings: object) -> list[str]:
        """List the policies that are played and have ``settings``, in the order of the configuration.

        Raises
        ------
        NotRunError
            If there is no such experiment.
        """
        plan = self._plan(experiment)
        return [label for label in plan.matching(_named(settings)) if label in plan.settings]

    def settings(self, experiment: str, policy: str) -> dict[str, Setting]:
        """Return all settings of a policy: algorithm, arms, hyper-parameters, problem and its options.

        Raises
        ------
        NotRunError
            If there is no such experiment, or no such policy in it.
        """
        plan = self._plan(experiment)
        if policy not in plan.settings:
            raise NotRunError(f"policy={policy} in {experiment}")
        return dict(plan.settings[policy])

    def horizon(self, experiment: str) -> int:
        """Return the maximum number of rounds of an experiment, the largest if its grid has several.

        Raises
        ------
        NotRunError
            If there is no such experiment.
        """
        return self._plan(experiment).horizon

    def final(
        self, experiment: str, metric: str = "cumulative_regret", by: str = "seed", **settings: object
    ) -> pd.Series:
        """Return the final value of every seed of one policy, indexed by seed.

        Parameters
        ----------
        experiment, metric : str
        by : str
            ``seed``, or ``draw`` for the mean over the seeds of each random problem, null if one of their values is.
        **settings
            Select the policy: ``policy=<label>`` or any of its settings.

        Raises
        ------
        NotRunError
            If the configuration has no such experiment, or no such policy in it.
        ValueError
            If several policies match, or the metric is unknown, or the policy has no rows.
        """
        key = (experiment, self.label(experiment, settings), metric, by)
        if key not in self._finals:
            rows = self._rows("finals", experiment, settings)
            if metric not in rows:
                raise ValueError(
                    f"{experiment}: metric {metric!r} is unknown; expected one of: {', '.join(map(str, rows.columns))}"
                )
            self._finals[key] = rows.groupby(by)[metric].mean(skipna=False)
        return self._finals[key].copy()

    @cached_property
    def _finals(self) -> dict[tuple[str, str, str, str], pd.Series]:
        """The cache of `final`: a claim is judged under many readings that share policies."""
        return {}

    @cached_property
    def _by_policy(self) -> dict[tuple[str, str], dict[Any, pd.DataFrame]]:
        """The rows of each policy, by kind of table and experiment: a table is divided once, not at every call."""
        return {}

    def curve(self, experiment: str, metric: str = "cumulative_regret", **settings: object) -> pd.DataFrame:
        """Return one policy's rows of the curves, by checkpoint ``t``; see `final`."""
        rows = self._rows("curves", experiment, settings)
        chosen = rows[rows["metric"] == metric]
        if chosen.empty:
            known = ", ".join(sorted(rows["metric"].unique()))
            raise ValueError(f"{experiment}: metric {metric!r} is unknown; expected one of: {known}")
        return chosen

    def label(self, experiment: str, settings: Mapping[str, object]) -> str:
        """Find the label of the one policy of an experiment that has ``settings``; see `Plan.only`.

        Raises
        ------
        NotRunError
            If the configuration has no such experiment, or no such policy in it.
        ValueError
            If several policies match.
        """
        return self._plan(experiment).only(_named(settings), experiment)

    def _plan(self, experiment: str) -> Plan:
        if experiment not in self.plans:
            raise NotRunError(f"experiment {experiment}")
        return self.plans[experiment]

    def _rows(self, kind: str, experiment: str, settings: Mapping[str, object]) -> pd.DataFrame:
        """Return the rows of one policy in the ``curves`` or the ``finals``."""
        label = self.label(experiment, settings)
        if (kind, experiment) not in self._by_policy:
            table: pd.DataFrame = getattr(self, kind)[experiment]
            self._by_policy[kind, experiment] = dict(iter(table.groupby("policy", sort=False)))
        rows = self._by_policy[kind, experiment].get(label)
        if rows is None:
            raise ValueError(f"{experiment}: the policy {label!r} is in the configuration but has no rows")
        return rows


def _named(settings: Mapping[str, object]) -> dict[str, Setting]:
    return {name: as_setting(value) for name, value in settings.items()}
