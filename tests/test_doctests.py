"""What the docstrings show is what comes out."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import causal_bandits
import replication
from experiments.provenance import SOURCE

IN_MODULES = sorted(
    module.name
    for package in (causal_bandits, replication)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.ispkg and ">>>" in SOURCE.joinpath(*module.name.split(".")).with_suffix(".py").read_text()
)


@pytest.mark.parametrize("module", ["causal_bandits", "causal_bandits.play", *IN_MODULES])
def test_examples_in_docstrings_come_out(module):
    failed, tried = doctest.testmod(import_module(module))
    assert tried > 0
    assert failed == 0
