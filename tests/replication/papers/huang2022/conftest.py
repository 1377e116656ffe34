"""The records of two seeds, for tests of the data and of the bandits on it."""

import pytest

from causal_bandits.seeding import generators
from experiments.files import write
from replication.papers.huang2022 import stages


@pytest.fixture(scope="session")
def records_of_two_seeds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    paths = {name: str(folder / f"{name}.parquet") for name in ("adult", "youtube", "records")}

    def rng(seed):
        return generators(1, "test/huang2022", seed)[0]

    write(stages.adult([], rng, "data/raw/adult.data.gz"), paths["adult"])
    write(stages.youtube([], rng, "data/raw/youtube.csv"), paths["youtube"])
    write(stages.records([0, 1], rng, paths["adult"], paths["youtube"]), paths["records"])
    return paths
