"""A finished study, for the tests of this folder; those that edit it work on copies."""

import shutil

import pytest
from checkout import Checkout, but_bytecode, link_kernels


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The toy study, run whole."""
    study = Checkout(tmp_path_factory.mktemp("finished") / "study", toy=True)
    study.snakemake()
    return study


@pytest.fixture(scope="session")
def copy(finished, tmp_path_factory):
    """Give a copy of the finished study."""

    def make(name="study"):
        study = Checkout.__new__(Checkout)
        study.folder = tmp_path_factory.mktemp("copy") / name
        shutil.copytree(finished.folder, study.folder, ignore=but_bytecode)
        kernels = link_kernels(study.folder)
        study.environment = finished.environment | {"NUMBA_CACHE_DIR": kernels, "HOME": str(study.folder)}
        return study

    return make
