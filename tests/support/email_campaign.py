"""Changes of the settings of huang2022, most of them of its experiment `email`."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SCALE = {"horizon": 100, "replicates": 4, "when": "whole"}


def email(settings):
    return settings["experiments"]["email"]


def set_policy(label, **entry):
    return lambda settings: email(settings)["policies"].update({label: entry})


def set_grid(grid, **more):
    return set_policy("f", algorithm="f_ucb", grid=grid, **more)
