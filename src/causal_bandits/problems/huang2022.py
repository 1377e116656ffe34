"""Build the bandits of huang2022: the email campaign (Appendix E.1) and Adult-Video (Appendix E.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.measures.fair_regret import FairRegret
from causal_bandits.play.measures.measure import Measure
from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.measures.unfair import Unfair
from causal_bandits.problems.construction import inputs
from causal_bandits.problems.construction.huang2022.constants import (
    EMAIL_STATES,
    NOISE,
    SUBJECT_LENGTH,
    THRESHOLDS,
    USER,
    VIDEO,
    WEIGHTS,
)
from causal_bandits.problems.construction.huang2022.constructed import rare, straddling, unconstrained
from causal_bandits.seeding import stable_hash

#: Descriptions of the tables of `adult_video`, for the error message if one is missing.
COUNTS = "joint counts of Adult: replication.papers.huang2022.stages.adult"
RECORDS = "each seed's users, drawn from Adult: replication.papers.huang2022.stages.records"

#: Fig. 2a, read from the equations of Appendix E.1.
EMAIL_GRAPH = ADMG(
    directed=[
        *((x, "I4") for x in ("X1", "X2", "X3")),
        *((v, "I2") for v in ("A1", "A2", "I4")),
        *((v, "I1") for v in ("A1", "A2", "I2")),
        ("I2", "I3"),
    ],
    nodes=EMAIL_STATES,
)


def email(thresholds: Sequence[float] = THRESHOLDS) -> FairBandit:
    """Build the email campaign: 8 users by gender, age and occupation; 36 emails (Tables 4 and 5).

    States count from 0, the paper's values from 1. Users' features are uniform and independent (ledger L45); X1 is the
    sensitive one.
    """

    def two_values(parents: tuple[str, ...], probability_of_one: Callable[[NDArray[np.int64]], object]) -> CPT:
        values = np.indices([EMAIL_STATES[p] for p in parents]) + 1
        one = np.asarray(probability_of_one(values), dtype=np.float64)
        return CPT(parents, np.stack([one, 1 - one], axis=-1))

    cpts = {v: CPT((), np.full(EMAIL_STATES[v], 1 / EMAIL_STATES[v])) for v in EMAIL_STATES if v[0] in "XA"}
    cpts["I4"] = CPT(("X1", "X2", "X3"), np.reshape(SUBJECT_LENGTH, (2, 2, 2, 4)))
    cpts["I2"] = two_values(("A1", "A2", "I4"), lambda v: v.sum(axis=0) / 12)
    cpts["I1"] = two_values(("A1", "A2", "I2"), lambda v: v.sum(axis=0) / 10)
    cpts["I3"] = two_values(("I2",), lambda v: np.where(v[0] == 1, 0.4, 0.6))
    return FairBandit(
        scm=DiscreteSCM(EMAIL_GRAPH, cpts),
        context=("X1", "X2", "X3"),
        manipulable=("A1", "A2", "A3"),
        weights=dict.fromkeys(("I1", "I2", "I3", "A3"), 1 / 12),
        intercept=4 / 12,
        sd=0.1,
        sensitive="X1",
        thresholds=tuple(thresholds),
    )


def email_users(draw: int, rounds: int) -> FairBandit:
    """Build the email campaign with a distribution of users drawn uniformly among all distributions (L45).

    Parameters
    ----------
    draw : int
        The number of the draw, at least 0.
    rounds : int
        The number of users.
    """
    rng = np.random.default_rng([stable_hash("huang2022/email_users"), draw])
    campaign = _campaign()
    shares = rng.dirichlet(np.ones(len(campaign.contexts)))
    return campaign.with_users(rng.choice(len(shares), size=rounds, p=shares))


@cache
def _campaign() -> FairBandit:  # seeds differ only in their users
    return email()


def adult_video_bandit(
    user_counts: NDArray[np.int64],
    users: NDArray[np.int64] | None = None,
    income_descends_from_sex: bool = False,
    thresholds: Sequence[float] = THRESHOLDS,
) -> FairBandit:
    """Build Adult-Video: 16 users by age, sex, race and income; 16 videos by their features.

    The users' model is a chain: race; age given race; sex given race and age; income given these, or given race and age
    alone. All its tables are the shares in ``user_counts``.

    Parameters
    ----------
    user_counts : int array, shape (2, 2, 2, 2)
        Users by (age, sex, race, income).
    users : int64 array, shape (n,), optional
        The users of successive rounds, as flat indices into ``user_counts``. Default: drawn from the chain.
    income_descends_from_sex : bool
        Whether there is an edge sex -> income. With it, the counterfactual reward is not identifiable (Theorem 2).
    thresholds : sequence of float

    Raises
    ------
    ValueError
        If the shape is wrong, a count is negative, or a group on which a table conditions has no users.
    """
    counts = np.ascontiguousarray(user_counts, dtype=np.int64)
    if counts.shape != (2, 2, 2, 2) or (counts < 0).any():
        raise ValueError(f"user_counts: shape {counts.shape}; expected counts of shape (2, 2, 2, 2)")
    bandit = _adult_video(counts.tobytes(), income_descends_from_sex, tuple(thresholds))
    return bandit if users is None else bandit.with_users(users)


@lru_cache(maxsize=8)  # seeds differ only in their users
def _adult_video(user_counts: bytes, income_descends_from_sex: bool, thresholds: tuple[float, ...]) -> FairBandit:
    counts = np.frombuffer(user_counts, dtype=np.int64).reshape(2, 2, 2, 2)

    def share(*names: str) -> CPT:
        """Return P(last name | other names)."""
        axes = [USER.index(v) for v in names]
        rest = tuple(i for i in range(4) if i not in axes)
        table = counts.sum(axis=rest).transpose(np.argsort(np.argsort(axes)))
        total = table.sum(axis=-1, keepdims=True)
        if (total == 0).any():
            raise ValueError(f"user_counts: no users in one of the groups by {', '.join(names[:-1])}")
        return CPT(names[:-1], table / total)

    causes = ("race", "age", "sex") if income_descends_from_sex else ("race", "age")
    cpts = {
        "race": share("race"),
        "age": share("race", "age"),
        "sex": share("race", "age", "sex"),
        "income": share(*causes, "income"),
        **dict.fromkeys(VIDEO, CPT((), [0.5, 0.5])),
    }
    graph = ADMG([(p, v) for v, cpt in cpts.items() for p in cpt.parents], nodes=cpts)
    return FairBandit(
        scm=DiscreteSCM(graph, cpts),
        context=USER,
        manipulable=VIDEO,
        weights=WEIGHTS,
        sd=NOISE,
        sensitive="sex",
        thresholds=thresholds,
    )


def adult_video(
    adult: str | Path,
    records: str | Path,
    draw: int,
    income_descends_from_sex: bool = False,
    thresholds: Sequence[float] = THRESHOLDS,
) -> FairBandit:
    """Build Adult-Video with the users of one seed; `adult_video_bandit` needs no files.

    It needs pyarrow and two tables that the study makes from the data sets Adult and YouTube.

    Parameters
    ----------
    adult : path
        Table of `replication.papers.huang2022.stages.adult`: the population that the users' model is built from.
    records : path
        Table of `replication.papers.huang2022.stages.records`; the online rows of seed ``draw`` are the users of
        successive rounds.
    draw : int

    Raises
    ------
    FileNotFoundError, ImportError
        See `causal_bandits.problems.construction.inputs.read`.
    ValueError
        If the records have no such seed.
    """
    counts = _population(str(adult), inputs.edited(adult, COUNTS))
    users = _users(str(records), inputs.edited(records, RECORDS)).get(draw)
    if users is None:
        raise ValueError(f"{records}: no records of seed {draw}")
    return adult_video_bandit(counts, users, income_descends_from_sex, thresholds)


@lru_cache(maxsize=2)
def _population(path: str, modified: int) -> NDArray[np.int64]:
    return user_counts(path)


def user_counts(adult: str | Path) -> NDArray[np.int64]:
    """Read the users by (age, sex, race, income), shape (2, 2, 2, 2), from joint counts of Adult."""
    table = inputs.read(adult, COUNTS)
    counts = np.zeros((2,) * len(USER), dtype=np.int64)
    np.add.at(counts, tuple(table[v].to_numpy() for v in USER), table["count"].to_numpy())
    return counts


@lru_cache(maxsize=2)
def _users(path: str, modified: int) -> dict[int, NDArray[np.int64]]:
    """Read each seed's online users as flat indices, in the order of their rounds."""
    table = inputs.read(path, RECORDS, ["seed", "online", "t", *USER])
    table = table.filter(table["online"])
    table = table.sort_by([("seed", "ascending"), ("t", "ascending")])
    flat = np.ravel_multi_index(tuple(table[v].to_numpy().astype(np.int64) for v in USER), (2,) * len(USER))
    seeds = table["seed"].to_numpy()
    return {int(seed): flat[seeds == seed] for seed in np.unique(seeds)}


#: The problems by name.
PROBLEMS: dict[str, Callable[..., FairBandit]] = {
    "email": email,
    "email_users": email_users,
    "adult_video": adult_video,
    "straddling": straddling,
    "unconstrained": unconstrained,
    "rare": rare,
}

MEASURES: tuple[type[Measure], ...] = (RuledOut, Unfair, FairRegret)
