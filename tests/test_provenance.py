"""Code digests: a job depends on exactly the modules that its problem and policy import."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from causal_bandits.compiled import cache_folder
from causal_bandits.policies.registry import ALGORITHMS
from causal_bandits.provenance import code_digest, config_digest, imported_modules

SOURCE = Path(__file__).parents[1] / "src"


@pytest.fixture
def package(tmp_path):
    """A small package of the same name, so that digests can be taken of edited code."""
    files = {
        "__init__.py": "",
        "a.py": "from causal_bandits.kit import tool\nfrom . import b\n",
        "b.py": "import numpy\ndef late():\n    from causal_bandits.c import something\n",
        "c.py": "something = 1\n",
        "kit/__init__.py": "from causal_bandits.kit.tools import tool\nfrom causal_bandits.kit.other import thing\n",
        "kit/tools.py": "def tool(): ...\n",
        "kit/other.py": "def thing(): ...\n",
    }
    for name, text in files.items():
        path = tmp_path / "causal_bandits" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_imports_are_followed_through_packages_relative_and_late_imports(package):
    expected = {"a", "b", "c", "kit.tools"}
    assert set(imported_modules(["causal_bandits.a"], package)) == {f"causal_bandits.{name}" for name in expected}


def test_the_digest_moves_with_what_is_imported_and_with_nothing_else(package):
    before = code_digest(["causal_bandits.a"], package)
    other = package / "causal_bandits/kit/other.py"
    other.write_text(other.read_text() + "# edited\n")
    assert code_digest(["causal_bandits.a"], package) == before
    used = package / "causal_bandits/c.py"
    used.write_text("something = 2\n")
    assert code_digest(["causal_bandits.a"], package) != before


def test_a_missing_module_is_named(package):
    with pytest.raises(ModuleNotFoundError, match=r"causal_bandits\.nowhere"):
        code_digest(["causal_bandits.nowhere"], package)


PROBLEMS = [f"causal_bandits.papers.{path.parent.name}.problems" for path in SOURCE.rglob("papers/*/problems.py")]
POLICIES = {path.partition(":")[0] for path in ALGORITHMS.values()}


@pytest.mark.parametrize("root", sorted({"causal_bandits.evaluation.simulate", *PROBLEMS, *POLICIES}))
def test_the_static_imports_are_what_is_really_loaded(root):
    """Twin: load a part of a job in a fresh process whose packages are bare (no re-exports), look at sys.modules."""
    packages = {
        ".".join(path.parent.relative_to(SOURCE).parts): str(path.parent)
        for path in (SOURCE / "causal_bandits").rglob("__init__.py")
    }
    program = (
        "import importlib, json, sys, types\n"
        f"for name, folder in {packages!r}.items():\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "    sys.modules[name].__path__ = [folder]\n"
        f"importlib.import_module({root!r})\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('causal_bandits.')]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded, static = set(json.loads(done.stdout)) - set(packages), set(imported_modules([root]))
    assert loaded == static - set(packages)
    shown = (m for m in static if ".estimation." not in m)  # whose count_tables is none of a paper's tables
    assert not any(word in m for m in shown for word in ("figures", "tables", "plotting", "registry", "verdicts"))


def test_config_digest_ignores_the_order_of_keys():
    assert config_digest({"a": 1, "b": [1, 2]}) == config_digest({"b": [1, 2], "a": 1})
    assert config_digest({"a": 1}) != config_digest({"a": 2})


def test_package_init_files_only_re_export():
    """Digests leave them out, so they must hold nothing that could change a result."""
    for path in (SOURCE / "causal_bandits").rglob("__init__.py"):
        for node in ast.parse(path.read_text()).body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            all_names = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            assert docstring or all_names or isinstance(node, ast.ImportFrom), f"{path}: {ast.unparse(node)}"


def test_kernels_move_with_every_constant_they_use(package):
    """Numba freezes imported constants; the cache folder must change with them, and only with what kernels use."""
    kernel, constant = package / "causal_bandits/a.py", package / "causal_bandits/c.py"
    kernel.write_text("from causal_bandits.compiled import jit\n" + kernel.read_text())
    (package / "causal_bandits/compiled.py").write_text("def jit(function): return function\n")
    before = cache_folder(package)
    constant.write_text("something = 2\n")
    after = cache_folder(package)
    (package / "causal_bandits/kit/other.py").write_text("def thing(): return 1\n")
    assert before != after == cache_folder(package)
