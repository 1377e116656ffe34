"""Code digests: a job depends on exactly the modules that its problem and policy import."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from pkgutil import iter_modules

import pytest

from causal_bandits import problems
from causal_bandits.policies.registry import ALGORITHMS
from experiments import provenance
from experiments.provenance import code_digest, config_digest, imported_modules

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def package(tmp_path):
    """A small package of the same name, so that digests can be taken of edited code."""
    files = {
        "__init__.py": "",
        "a.py": "from causal_bandits.kit import tool\nfrom . import b\n",
        "b.py": "import numpy\ndef late():\n    from causal_bandits.c import something\n",
        "c.py": "something = 1\n",
        "kit/__init__.py": '"""Tools."""\n'
        "from causal_bandits.kit.tools import tool\nfrom causal_bandits.kit.other import thing\n",
        "d.py": "",
        "kit/tools.py": "from ..d import *\nfrom . import near\ndef tool(): ...\n",
        "kit/near.py": "",
        "kit/other.py": "def thing(): ...\n",
    }
    for name, text in files.items():
        path = tmp_path / "causal_bandits" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_imports_are_followed_through_packages_relative_and_late_imports(package):
    expected = {"a", "b", "c", "d", "kit.tools", "kit.near"}
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


PROBLEMS = [f"causal_bandits.problems.{module.name}" for module in iter_modules(problems.__path__) if not module.ispkg]
POLICIES = {path.partition(":")[0] for path in ALGORITHMS.values()}


ROOTS = sorted({"experiments.simulate", *PROBLEMS, *POLICIES})
#: Of every root, what it loads where nothing of this package is there but bare packages (no re-exports).
LOAD = """
import importlib, json, sys, types
roots, packages = json.load(sys.stdin)
ours, loaded = {name.partition(".")[0] for name in packages}, {}
for root in roots:
    for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
        del sys.modules[name]
    for name, folder in packages.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [folder]
    importlib.import_module(root)
    loaded[root] = [name for name in sys.modules if "." in name and name.partition(".")[0] in ours]
print(json.dumps(loaded))
"""
PACKAGES = {
    ".".join(path.parent.relative_to(SOURCE).parts): str(path.parent)
    for package in ("causal_bandits", "experiments", "replication")
    for path in (SOURCE / package).rglob("__init__.py")
}


@pytest.fixture(scope="module")
def loaded():
    """One process loads all roots, each anew: libraries, which are not looked at, stay."""
    command, given = [sys.executable, "-c", LOAD], json.dumps([ROOTS, PACKAGES])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}  # imports alone are looked at
    return json.loads(
        subprocess.run(command, input=given, capture_output=True, text=True, check=True, env=environment).stdout
    )


@pytest.mark.parametrize("root", ROOTS)
def test_the_static_imports_are_what_is_really_loaded(root, loaded):
    """Twin: load a part of a job afresh, and look at sys.modules."""
    static = set(imported_modules([root], packages=["experiments"]))
    assert set(loaded[root]) - set(PACKAGES) == static - set(PACKAGES)
    shown = (m for m in static if ".estimation." not in m)  # whose count_tables is none of a paper's tables
    assert not any(word in m for m in shown for word in ("figures", "tables", "plotting", "registry", "verdicts"))


def test_config_digest_ignores_the_order_of_keys():
    assert config_digest({"a": 1, "b": [1, 2]}) == config_digest({"b": [1, 2], "a": 1})
    assert config_digest({"a": 1}) != config_digest({"a": 2})


def test_digests_are_16_hexadecimal_digits():
    for digest in (code_digest(["causal_bandits.seeding"]), config_digest({"a": 1})):
        assert re.fullmatch("[0-9a-f]{16}", digest)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit_says_whether_tracked_files_were_edited(tmp_path, monkeypatch):
    def git(*arguments):
        command = ["git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@b.c", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr(provenance, "SOURCE", tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert provenance.git_commit() == "unknown"  # no checkout
    git("init", "-q")
    (tmp_path / "tracked").write_text("1")
    git("add", "tracked")
    git("commit", "-q", "-m", "a")
    (tmp_path / "new").write_text("1")
    assert provenance.git_commit() == git("rev-parse", "HEAD")
    (tmp_path / "tracked").write_text("2")
    assert provenance.git_commit() == git("rev-parse", "HEAD") + "+edits"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert provenance.git_commit() == "unknown"  # no git


#: What an ``__init__`` may assign: names, and what its stub lists.
NAMING = {"__all__", "__version__", "(__getattr__, __dir__, __all__)"}


def test_package_init_files_only_re_export():
    """Digests leave them out, so they must hold nothing that could change a result."""
    packages = [package for package in PACKAGES if package != "causal_bandits.problems"]  # it looks up what others make
    for path in [SOURCE / f"{package.replace('.', '/')}/__init__.py" for package in packages]:
        for node in ast.parse(path.read_text()).body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            naming = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in NAMING
            imported = isinstance(node, ast.ImportFrom) or ast.unparse(node) == "import lazy_loader"
            assert docstring or naming or imported, f"{path}: {ast.unparse(node)}"


def test_a_name_of_a_stub_counts_as_the_module_that_defines_it(tmp_path):
    """The digest of what takes a name from a lazy package moves with that module, and with no other of the package."""
    shutil.copytree(
        SOURCE / "causal_bandits", tmp_path / "causal_bandits", ignore=shutil.ignore_patterns("*.nbi", "*.nbc")
    )
    (tmp_path / "causal_bandits/mine.py").write_text("from causal_bandits.policies import Thompson\n")
    found = provenance.imported_modules(["causal_bandits.mine"], tmp_path)
    assert "causal_bandits.policies.classical.thompson" in found
    assert "causal_bandits.policies.classical.kl_ucb" not in found
    (tmp_path / "causal_bandits/whole.py").write_text("import causal_bandits.policies\n")
    assert set(found) - {"causal_bandits.mine"} < set(provenance.imported_modules(["causal_bandits.whole"], tmp_path))
    before = provenance.code_digest(["causal_bandits.mine"], tmp_path)
    with (tmp_path / "causal_bandits/policies/classical/thompson.py").open("a") as file:
        file.write("ANOTHER = 1\n")
    assert provenance.code_digest(["causal_bandits.mine"], tmp_path) != before
