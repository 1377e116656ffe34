"""The exact model of huang2024's Table 2, typed a second time, and what the stages make of it."""

import numpy as np
import pytest
from made_huang2024 import exact_files, rng

from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM
from experiments.files import write
from replication.papers.huang2024.stages import offline_samples


def coin(one):
    return np.stack([1 - np.asarray(one, dtype=float), one], axis=-1)


@pytest.fixture(scope="module")
def scm():
    """Table 2."""
    bit = np.arange(2)
    graph = ADMG(
        [("U1", "X1"), ("U2", "X2"), ("X1", "I1"), ("I1", "Y"), ("U1", "Y"), ("X2", "Y"), ("I1", "S")], [("I1", "Y")]
    )
    return DiscreteSCM(
        graph,
        {
            "U1": ((), coin(0.4)),
            "U2": ((), coin(0.6)),
            "C1": ((), coin(0.5)),
            "X1": (("U1",), coin((bit + 0.5) / 2)),
            "X2": (("U2",), coin((bit + 0.3) / 2)),
            "I1": (("X1", "C1"), coin((bit[:, None] + bit) / 4 + 0.3)),
            "Y": (("C1", "U1", "X2", "I1"), coin(sum(np.indices((2,) * 4)) / 6 + 0.1)),
            "S": (("I1",), coin([0.1, 0.8])),
        },
    )


@pytest.fixture(scope="session")
def exact(tmp_path_factory):
    return exact_files(tmp_path_factory.mktemp("exact"))


@pytest.fixture(scope="session")
def offline(tmp_path_factory):
    path = tmp_path_factory.mktemp("offline") / "offline.parquet"
    write(offline_samples(range(30), rng, 30_000), path)
    return str(path)
