"""pyproject.toml, requirements.lock, environment.yml and the running environment agree on every version."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
import snakemake.report
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())

# Where conda-forge's name is another: its `matplotlib` brings Qt too, for windows that nobody opens here.
CONDA_NAMES = {"matplotlib-base": "matplotlib"}


def lock_entries() -> list[tuple[Requirement, list[str]]]:
    """Return each requirement of the lock with its hashes."""
    text = (ROOT / "requirements.lock").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    parts = [line.split("--hash=") for line in lines]
    return [(Requirement(first), [value.strip() for value in hashes]) for first, *hashes in parts]


LOCK = lock_entries()


@cache
def locked(python: str | None = None) -> dict[str, str]:
    """Return name -> version of the lock entries that apply here, or would under another Python `X.Y`."""
    environment = {"python_version": python, "python_full_version": f"{python}.0"} if python else {}
    return {
        canonicalize_name(entry.name): exact_version(entry)
        for entry, _ in LOCK
        if entry.marker is None or entry.marker.evaluate(environment)
    }


def exact_version(requirement: Requirement) -> str:
    (specifier,) = requirement.specifier
    assert specifier.operator == "==", f"{requirement} is no exact pin"
    assert not specifier.version.endswith("*"), f"{requirement} is no exact pin"
    return specifier.version


def with_extras(requirement: Requirement) -> list[tuple[str, str]]:
    """Return the package alone and with each extra that is asked for: all of them bring requirements."""
    return [(canonicalize_name(requirement.name), extra) for extra in ("", *requirement.extras)]


def direct_requirements() -> list[Requirement]:
    """Return what pyproject.toml asks for, to run, for a cluster, and to develop."""
    project = PYPROJECT["project"]
    extras = [line for extra in project["optional-dependencies"].values() for line in extra]
    return [Requirement(line) for line in (*project["dependencies"], *extras, *PYPROJECT["dependency-groups"]["dev"])]


def conda_python() -> str:
    (python,) = [entry.split("=")[1] for entry in CONDA["dependencies"] if str(entry).startswith("python=")]
    return python


def conda_versions() -> dict[str, str]:
    """Return name -> version of environment.yml, names as on the package index, without python and pip."""
    versions: dict[str, str] = {}
    for entry in CONDA["dependencies"]:
        pins = [line.split("==") for line in entry["pip"]] if isinstance(entry, dict) else [entry.split("=")]
        for pin in pins:
            if pin == ["pip"] or pin[0] == "python":
                continue
            assert len(pin) == 2, f"environment.yml: {pin} is no exact pin"
            name = canonicalize_name(CONDA_NAMES.get(pin[0], pin[0]))
            assert name not in versions, f"environment.yml names {name} twice"
            versions[name] = pin[1]
    return versions


SUPPORTED_PYTHONS = [
    f"3.{minor}"
    for minor in range(11, 30)
    if SpecifierSet(PYPROJECT["project"]["requires-python"]).contains(f"3.{minor}.1")
]


@pytest.mark.parametrize("python", SUPPORTED_PYTHONS)
def test_lock_has_every_direct_dependency_at_an_admitted_version(python):
    for requirement in direct_requirements():
        version = locked(python).get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement} is not in requirements.lock: run `make lock`"
        assert requirement.specifier.contains(version, prereleases=True), f"pyproject.toml asks for {requirement}"


def closure(requirements: list[Requirement]) -> set[str]:
    """Walk the metadata of what is installed: return all packages that some of them need."""
    todo = [pair for requirement in requirements for pair in with_extras(requirement)]
    needed = set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) in needed:
            continue
        needed.add((name, extra))
        assert name in locked(), f"{name} is needed, but not in requirements.lock"
        for requirement in map(Requirement, metadata.requires(name) or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                todo += with_extras(requirement)
    return {name for name, _ in needed}


def test_lock_pins_the_whole_closure_of_the_direct_dependencies():
    """What a locked package needs is locked, and nothing else is."""
    assert set(locked()) == closure(direct_requirements()), "locked, but not needed"


def test_the_study_has_what_snakemake_report_imports():
    """Snakemake itself asks for pygments nowhere: the environment of development has it from elsewhere."""
    project = PYPROJECT["project"]
    study = closure([*map(Requirement, [*project["dependencies"], *project["optional-dependencies"]["study"]])])
    of_module = metadata.packages_distributions()
    imported = set()
    for path in Path(snakemake.report.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            absolute = isinstance(node, ast.ImportFrom) and not node.level
            names = [node.module] if absolute else [a.name for a in node.names] if isinstance(node, ast.Import) else []
            imported |= {name.partition(".")[0] for name in names}
    needed = {canonicalize_name(package) for module in imported for package in of_module.get(module, [])}
    assert "pygments" in needed
    assert needed <= study, needed - study


def test_lock_has_hashes_and_no_place_of_origin():
    for entry, hashes in LOCK:
        assert hashes, f"{entry} has no hash"
        assert all(value.startswith("sha256:") for value in hashes)
        assert entry.url is None
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    assert "make lock" in text.splitlines()[1]


def test_conda_environment_has_what_the_study_imports_at_the_locked_versions():
    versions, project = locked(conda_python()), PYPROJECT["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["study"]]
    names = {canonicalize_name(Requirement(line).name) for line in lines}
    assert conda_versions() == {name: versions[name] for name in names}


def test_running_environment_has_the_locked_versions():
    assert {name: metadata.version(name) for name in locked()} == locked(), "run `make env`"


def test_package_itself_is_installed_from_this_folder():
    assert metadata.version(PYPROJECT["project"]["name"]) == PYPROJECT["project"]["version"]
    paths = metadata.distribution(PYPROJECT["project"]["name"]).read_text("direct_url.json")
    assert paths is not None
    assert ROOT.as_uri() in paths


# The script that makes the environment, in a folder of its own; a fake uv notes how it is called.

UV = """\
echo "$*" >>{log}
case $1 in venv) "{python}" -m venv $(echo "$*" | grep -o -e --clear) --without-pip .venv;; esac
{more}"""


@pytest.fixture
def sandbox(tmp_path):
    """Return a folder with what the script reads, and a `bin` before everything else on PATH."""
    folder = tmp_path / "study"
    (folder / "workflow").mkdir(parents=True)
    (folder / "bin").mkdir()
    for name in ("workflow/bootstrap.sh", "workflow/uv.lock", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, folder / name)
    fake_uv(folder)
    return folder


def command(folder: Path, name: str, script: str) -> Path:
    """Put a shell script on the sandbox's PATH."""
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def fake_uv(folder: Path, more: str = "") -> None:
    command(folder, "uv", UV.format(log=folder.parent / "log", python=sys.executable, more=more))


def start(folder: Path, purpose: str = "study", **environment: str) -> subprocess.Popen[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen(
        ["sh", str(folder / "workflow/bootstrap.sh"), purpose],
        env={**os.environ, "PATH": path, "PYTHON": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def bootstrap(folder: Path, purpose: str = "study", **environment: str) -> tuple[int, str]:
    process = start(folder, purpose, **environment)
    _, errors = process.communicate()
    return process.returncode, errors


def calls(folder: Path) -> list[str]:
    """Return how uv was called since the last time that this was asked."""
    log = folder.parent / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return [line for line in lines if line != "--version"]


def test_bootstrap_fetches_the_uv_whose_hashes_are_committed(sandbox):
    """A fake pip notes how it is asked; nothing is fetched."""
    (sandbox / "bin/uv").unlink()
    log = sandbox / "asked"
    pip = f'#!/bin/sh\\necho "$@" >>"{log}"\\nexit 1'
    make = f"mkdir -p .uv/bin && printf '{pip}' >.uv/bin/python && chmod +x .uv/bin/python"
    command(sandbox, "python3", f"case $2 in venv) {make};; esac")
    for name in ("sh", "dirname", "cat", "sed", "cksum", "mkdir", "chmod"):
        (sandbox / "bin" / name).symlink_to(shutil.which(name))
    assert bootstrap(sandbox, PATH=str(sandbox / "bin"))[0] != 0
    assert "--require-hashes --requirement workflow/uv.lock" in log.read_text()
    version, *hashes = (sandbox / "workflow/uv.lock").read_text().replace("\\\n", "").split("--hash=sha256:")
    assert re.fullmatch(r"uv==\d+\.\d+\.\d+", version.splitlines()[-1].strip())
    assert all(re.fullmatch(r"[0-9a-f]{64}\s*", digest) for digest in hashes)
    assert hashes


@pytest.mark.parametrize("minor", [*(python.partition(".")[2] for python in SUPPORTED_PYTHONS), "10", "15"])
def test_bootstrap_takes_every_python_that_pyproject_admits_and_no_other(sandbox, minor):
    """The fake interpreter evaluates the script's test with another version."""
    run = f"import sys; sys.version_info = (3, {minor}, 1); exec(sys.argv[1])"
    chosen = command(sandbox, "python", f"test \"$1\" = -V && echo 3.{minor} || '{sys.executable}' -c '{run}' \"$2\"")
    code, errors = bootstrap(sandbox, PYTHON=str(chosen))
    if f"3.{minor}" in SUPPORTED_PYTHONS:
        assert code == 0, errors
        assert any(f"--python {chosen} " in call for call in calls(sandbox))
    else:
        assert code != 0
        assert "make env PYTHON=" in errors
        assert not (sandbox / ".venv").exists()


@pytest.mark.parametrize("replaced", [False, True])
def test_bootstrap_takes_no_unfinished_environment_for_a_whole_one(sandbox, replaced):
    """Nor, once the lock is as it was, for the one that it was to replace."""
    lock = sandbox / "requirements.lock"
    text = lock.read_text()
    if replaced:
        assert bootstrap(sandbox)[0] == 0
        lock.write_text(f"{text}# newer\n")
    fake_uv(sandbox, 'test "$1" != pip')  # installing fails
    assert bootstrap(sandbox)[0] != 0
    assert (sandbox / ".venv/pyvenv.cfg").exists()
    lock.write_text(text)
    fake_uv(sandbox)
    calls(sandbox)
    assert bootstrap(sandbox)[0] == 0
    assert [call.split()[0] for call in calls(sandbox)] == ["venv", "pip", "pip"]


def test_a_lock_that_changes_meanwhile_is_installed_the_next_time(sandbox):
    fake_uv(sandbox, f'case $2 in install) echo "# newer" >>"{sandbox}/requirements.lock";; esac')
    assert bootstrap(sandbox)[0] == 0
    fake_uv(sandbox)
    calls(sandbox)
    assert bootstrap(sandbox)[0] == 0
    assert [call.split()[0] for call in calls(sandbox)] == ["venv", "pip", "pip"]


def test_two_calls_at_a_time_make_one_environment(sandbox):
    fake_uv(sandbox, "sleep 0.2")
    processes = [start(sandbox, "dev") for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert [call.split()[0] for call in calls(sandbox)] == ["venv", "pip", "pip"]
    for process in processes:
        process.communicate()


def test_bootstrap_installs_again_only_where_contents_changed(sandbox):
    """Nothing for file times or settings of tools, everything for all that matters."""

    def made(folder: Path, purpose: str = "study") -> list[str]:
        code, errors = bootstrap(folder, purpose)
        assert code == 0, errors
        return [call.split()[0] for call in calls(folder)]

    new = ["venv", "pip", "pip"]
    assert made(sandbox) == new
    assert made(sandbox) == []
    for name in ("requirements.lock", "pyproject.toml"):
        os.utime(sandbox / name, (0, 0))
    assert made(sandbox) == []
    assert made(sandbox, "dev") == ["pip", "pip"]  # added to what is there
    assert made(sandbox) == []  # what is made for development serves the study too
    with (sandbox / "pyproject.toml").open("a") as settings:
        settings.write("[tool.another]\nsetting = 1\n")
    assert made(sandbox) == []
    with (sandbox / "requirements.lock").open("a") as lock:
        lock.write("# another\n")
    assert made(sandbox) == new
    pyproject = (sandbox / "pyproject.toml").read_text()
    (sandbox / "pyproject.toml").write_text(pyproject.replace('README.md"', 'ABOUT.md"'))
    assert made(sandbox) == new
    (sandbox / "bin/uv").unlink()
    moved = sandbox.rename(sandbox.parent / "a folder with spaces")
    fake_uv(moved)
    assert made(moved) == new


def test_bootstrap_follows_no_link(sandbox):
    (sandbox.parent / "other").mkdir()
    (sandbox / ".venv").symlink_to(sandbox.parent / "other")
    code, errors = bootstrap(sandbox)
    assert code != 0
    assert "is a link" in errors
    assert calls(sandbox) == []
