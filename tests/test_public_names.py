"""The way in: public names, what it costs to import them, and that help reads well."""

import inspect
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import causal_bandits
from causal_bandits.policies.registry import ALGORITHMS, load

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(causal_bandits.__path__, "causal_bandits.")
    if module.ispkg or module.name.count(".") == 1
)
PACKAGES = ["causal_bandits", *(name for name in MODULES if (ROOT / "src" / name.replace(".", "/")).is_dir())]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_says_what_is_public_and_has_it(name):
    package = import_module(name)
    if not hasattr(package, "__all__"):  # a folder of modules, and no more
        given = {public for public, value in vars(package).items() if not inspect.ismodule(value)}
        assert all(public.startswith("_") for public in given)
        return
    assert len(package.__all__) == len(set(package.__all__))
    assert set(package.__all__) <= set(dir(package))
    for public in package.__all__:
        found = getattr(package, public)
        assert vars(package)[public] is found  # kept after the first use
        if not isinstance(found, (tuple, dict)):
            assert inspect.getdoc(found), public
    with pytest.raises(AttributeError, match="nonsense"):
        _ = package.nonsense
    assert package.__doc__.partition("\n")[0].endswith((".", ":"))


@pytest.mark.parametrize("name", PACKAGES)
def test_no_module_has_the_name_of_a_public_name(name):
    """But for the one that defines it: otherwise the module would take the name's place once it is imported."""
    package = import_module(name)
    for module in {module.name for module in pkgutil.iter_modules(package.__path__)} & set(
        getattr(package, "__all__", ())
    ):
        import_module(f"{name}.{module}")
        assert getattr(package, module).__module__ == f"{name}.{module}"


def test_every_algorithm_that_is_documented_is_public():
    """One that somebody has added need not be."""
    policies = import_module("causal_bandits.policies")
    index = (ROOT / "docs/algorithms/index.md").read_text(encoding="utf-8")
    listed = [load(name) for name in ALGORITHMS if f"- [{load(name).__name__}](" in index]
    assert len(listed) > 25
    for algorithm in listed:
        assert getattr(policies, algorithm.__name__) is algorithm


def test_the_top_level_has_at_most_15_names():
    assert len(causal_bandits.__all__) <= 15


@pytest.mark.parametrize(
    ("code", "most"),
    [
        ("import causal_bandits; causal_bandits.__version__", 0.05),
        ("import causal_bandits.graphs", 0.1),
        ("from causal_bandits import possibly_optimal_intervention_sets", 0.1),
    ],
)
def test_an_import_costs_little(code, most):
    """Processor time, the least of five: a busy machine is no slow import."""
    timed = (
        f"import sys, time; start = time.process_time(); {code}; print(time.process_time() - start, "
        "*sorted({'networkx', 'numpy', 'scipy', 'pandas', 'numba'} & set(sys.modules)))"
    )
    command, env = [sys.executable, "-c", timed], os.environ | {"PYTHONPATH": str(ROOT / "src")}
    runs = [
        subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split() for _ in range(5)
    ]
    assert min(float(seconds) for seconds, *_ in runs) < most
    assert [loaded for _, *loaded in runs] == [[]] * 5


def test_every_model_that_a_policy_plays_is_public():
    models = import_module("causal_bandits.models")
    for algorithm in ALGORITHMS:
        kind = load(algorithm).plays
        assert getattr(models, kind.__name__) is kind
        assert kind.__name__ in models.__all__
