"""The way in: public names, what it costs to import them, and that help reads well."""

import ast
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
#: `gym` needs an extra; the others are there wherever the library is.
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
        if public != "__version__" and not isinstance(found, (tuple, dict)):
            assert inspect.getdoc(found), public
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense
    assert package.__doc__.partition("\n")[0].endswith((".", ":"))


@pytest.mark.parametrize("name", PACKAGES)
def test_names_for_type_checkers_are_those_for_python(name):
    """What a package imports for type checkers only is what it gives lazily, from the same modules."""
    package = import_module(name)
    if not hasattr(package, "__getattr__"):
        return  # it gives nothing lazily
    tree = ast.parse(Path(package.__file__).read_text())
    (public,) = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"]
    assert ast.literal_eval(public) == package.__all__  # a list that is computed is none to a type checker
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    ]
    for block in blocks:
        typed = {alias.name: node.module for node in block.body for alias in node.names}
        assert set(typed) | {"__version__", "ALGORITHMS", "load"} >= set(package.__all__)
        assert set(typed) <= set(package.__all__)
        assert set(typed) <= set(dir(package))
        modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
        assert not modules & set(typed)  # else the module takes the name's place once it is imported
        for public, home in typed.items():
            assert getattr(import_module(home), public) is getattr(package, public)


def test_every_algorithm_of_the_registry_is_public():
    policies = import_module("causal_bandits.policies")
    for algorithm in ALGORITHMS:
        assert getattr(policies, load(algorithm).__name__) is load(algorithm)


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
