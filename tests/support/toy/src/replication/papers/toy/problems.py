"""Two bandits with one intervened variable."""

import json
from pathlib import Path

import numpy as np

from causal_bandits.graphs import ADMG
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.families import from_ones
from experiments import files

GRAPH = ADMG([("X", "Y")])


def given(path: str) -> SCMBandit:
    """The bandit of a file."""
    return _bandit(json.loads(Path(path).read_text()))


def learnt(shares: str, draw: int) -> SCMBandit:
    """The bandit that a sample shows."""
    row = files.read(shares).to_pylist()[draw]
    return _bandit({"X": row["x"], "Y": [row["y_0"], row["y_1"]]})


def _bandit(ones: dict) -> SCMBandit:
    return SCMBandit(from_ones(GRAPH, {name: np.array(table) for name, table in ones.items()}), "Y")
