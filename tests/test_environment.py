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


def test_conda_environment_has_the_direct_dependencies_at_the_locked_versions():
    versions = locked(conda_python())
    names = {canonicalize_name(requirement.name) for requirement in direct_requirements()}
    assert conda_versions() == {name: versions[name] for name in names}


def test_running_environment_has_the_locked_versions():
    assert {name: metadata.version(name) for name in locked()} == locked(), "run `make env`"


def test_package_itself_is_installed_from_this_folder():
    assert metadata.version(PYPROJECT["project"]["name"]) == PYPROJECT["project"]["version"]
    paths = metadata.distribution(PYPROJECT["project"]["name"]).read_text("direct_url.json")
    assert paths is not None
    assert ROOT.as_uri() in paths


# The script that makes the environment, in a folder of its own.


@pytest.fixture
def sandbox(tmp_path):
    """Return a folder with what the script reads, and a `bin` before everything else on PATH."""
    folder = tmp_path / "study"
    (folder / "workflow").mkdir(parents=True)
    (folder / "bin").mkdir()
    for name in ("workflow/bootstrap.sh", "workflow/uv.lock", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def command(folder: Path, name: str, script: str) -> Path:
    """Put a shell script on the sandbox's PATH."""
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def fake_python(folder: Path, version: str, name: str = "python") -> Path:
    """Put an interpreter there that claims a version and can do nothing else."""
    major, minor, _ = version.split(".")
    answer = f"{minor if major == '3' else 0} {version} {folder / 'bin' / name}"
    return command(folder, name, f"test \"$1\" = -c && echo '{answer}'")


def bootstrap(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", str(folder / "workflow/bootstrap.sh")],
        env={**os.environ, "PATH": path, "PYTHON": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_bootstrap_fetches_the_uv_whose_hashes_are_committed(sandbox):
    """A fake pip notes how it is asked; nothing is fetched."""
    log = sandbox / "asked"
    pip = f'#!/bin/sh\\necho "$@" >>"{log}"\\nexit 1'
    make = f'mkdir -p "$4/bin" && printf \'{pip}\' >"$4/bin/python" && chmod +x "$4/bin/python"'
    chosen = command(sandbox, "python", f"case $1 in -c) echo '12 3.12.1 {sandbox / 'bin/python'}';; -m) {make};; esac")
    for name in ("sh", "dirname", "cat", "grep", "mkdir", "chmod", "rm", "ls"):
        (sandbox / "bin" / name).symlink_to(shutil.which(name))
    bootstrap(sandbox, PATH=str(sandbox / "bin"), PYTHON=str(chosen))
    asked = log.read_text().splitlines()[0]
    assert "--require-hashes --requirement workflow/uv.lock" in asked
    version, *hashes = (sandbox / "workflow/uv.lock").read_text().replace("\\\n", "").split("--hash=sha256:")
    assert re.fullmatch(r"uv==\d+\.\d+\.\d+", version.splitlines()[-1].strip())
    assert all(re.fullmatch(r"[0-9a-f]{64}\s*", digest) for digest in hashes)
    assert hashes


@pytest.mark.parametrize("version", ["2.7.18", "3.10.13", "3.15.0", "4.11.0"])
def test_bootstrap_names_an_unsuitable_python_and_the_way_out(sandbox, version):
    python = fake_python(sandbox, version)
    run = bootstrap(sandbox, PYTHON=str(python))
    assert run.returncode != 0
    assert f"{python} is {version}" in run.stderr
    assert "make env PYTHON=" in run.stderr
    assert not (sandbox / ".venv").exists()


@pytest.mark.parametrize("python", SUPPORTED_PYTHONS)
def test_bootstrap_takes_every_python_that_pyproject_admits(sandbox, python):
    log = sandbox / "asked"
    command(sandbox, "uv", f'echo "$@" >>"{log}"; exit 1')
    chosen = fake_python(sandbox, f"{python}.1")
    bootstrap(sandbox, PYTHON=str(chosen))
    assert f"--python {chosen} " in log.read_text()


def test_bootstrap_lets_uv_provide_a_python_where_all_are_too_new(sandbox):
    log = sandbox / "asked"
    command(sandbox, "uv", f'echo "$@" >>"{log}"; exit 1')
    for name in ("python", "python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        fake_python(sandbox, "3.15.0", name)
    assert "python3 is 3.15.0" in bootstrap(sandbox).stdout
    assert "--python 3.13 " in log.read_text()


def test_bootstrap_takes_no_unfinished_environment_for_a_whole_one(sandbox):
    """First uv fails and then pip: nothing marks the environment as whole, and the next run starts again."""
    command(sandbox, "uv", 'test "$1" = venv')
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
    run = bootstrap(sandbox, PYTHON=sys.executable, **offline)
    assert run.returncode != 0
    assert "continuing with venv and pip" in run.stdout
    assert (sandbox / ".venv/pyvenv.cfg").exists()
    assert not (sandbox / ".venv/.made-from").exists()
    command(sandbox, "uv", "")
    again = bootstrap(sandbox, PYTHON=sys.executable, **offline)
    assert again.returncode == 0
    assert "uv installs" in again.stdout


def test_bootstrap_installs_again_only_where_contents_changed(sandbox):
    """A fake uv counts its installs: none for file times or settings of tools, one for all that matters."""
    log = sandbox.parent / "installs"
    venv = f'"{sys.executable}" -m venv --clear --without-pip .venv'
    command(sandbox, "uv", f'case $1 in venv) {venv};; *) echo "$@" >>"{log}";; esac')

    def installs(folder: Path) -> int:
        log.write_text("")
        run = bootstrap(folder)
        assert run.returncode == 0, run.stderr
        return log.read_text().count("--require-hashes")

    assert installs(sandbox) == 1
    assert installs(sandbox) == 0
    for name in ("requirements.lock", "pyproject.toml"):
        os.utime(sandbox / name, (0, 0))
    assert installs(sandbox) == 0
    with (sandbox / "pyproject.toml").open("a") as settings:
        settings.write("[tool.another]\nsetting = 1\n")
    assert installs(sandbox) == 0
    with (sandbox / "requirements.lock").open("a") as lock:
        lock.write("# another\n")
    assert installs(sandbox) == 1
    pyproject = (sandbox / "pyproject.toml").read_text()
    (sandbox / "pyproject.toml").write_text(pyproject.replace('readme = "README.md"', 'readme = "ABOUT.md"'))
    assert installs(sandbox) == 1
    moved = sandbox.rename(sandbox.parent / "a folder with spaces")
    assert installs(moved) == 1
    assert installs(moved) == 0


def test_bootstrap_leaves_a_folder_that_is_no_environment_alone(sandbox):
    (sandbox / ".venv").mkdir()
    (sandbox / ".venv/thesis.txt").write_text("precious")
    run = bootstrap(sandbox, PYTHON=sys.executable)
    assert run.returncode != 0
    assert "not a virtual environment" in run.stderr
    assert (sandbox / ".venv/thesis.txt").read_text() == "precious"
