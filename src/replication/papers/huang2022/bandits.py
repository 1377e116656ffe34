"""Build the bandit that an experiment plays, with the users of all seeds, for judges and tables."""

from __future__ import annotations

from functools import cache

from causal_bandits.models.fair import FairBandit
from causal_bandits.problems.construction.huang2022.constructed import unconstrained
from causal_bandits.problems.huang2022 import adult_video_bandit, email, user_counts
from experiments.results import Results


def bandit_of(results: Results, experiment: str) -> FairBandit:
    """Build the bandit of one of the paper's two tasks, or that of E25.

    Raises
    ------
    ValueError
        If the experiment plays another problem.
    """
    label, *_ = results.policies(experiment)
    settings = results.settings(experiment, label)
    if settings["problem"] == "email":
        return campaign()
    if settings["problem"] == "adult_video":
        counts = user_counts(results.file("data_adult"))
        return adult_video_bandit(counts, income_descends_from_sex=bool(settings["income_descends_from_sex"]))
    if settings["problem"] == "unconstrained":
        return unconstrained()
    raise ValueError(f"{experiment} plays {settings['problem']}; expected email, adult_video or unconstrained")


@cache
def campaign() -> FairBandit:
    """Return the email campaign; it is built once."""
    return email()
