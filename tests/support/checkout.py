"""A private copy of the checkout, in which a test can edit files and run a study of its own."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import warm
import yaml
from numba.core.caching import UserProvidedCacheLocator
from snakemake.utils import update_config

from experiments.key import compiled_folder
from experiments.settings import DUMPER, LOADER
from experiments.study import Study

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "workflow", "profiles", "src", "config", "data", "docs", "environment.yml", "README.md")
#: A study of two bandits that has each part of the workflow once.
TOY = Path(__file__).parent / "toy"


def read_yaml(path):
    """What a YAML file holds, aliases as copies."""
    return json.loads(json.dumps(yaml.load(path.read_text(), LOADER)))


def change_yaml(path, change):
    """Rewrite a YAML file by a function of what it holds."""
    settings = read_yaml(path)
    change(settings)
    path.write_text(yaml.dump(settings, Dumper=DUMPER, sort_keys=False))


def but_bytecode(folder, names):
    """What copies leave out: compiled functions. Bytecode is checked against its source, so it stays."""
    return [name for name in names if Path(folder).name == "__pycache__" and not name.endswith((".pyc", ".imports"))]


def link_kernels(folder):
    """Let a copy of the checkout use the functions that were compiled for the original; returns NUMBA_CACHE_DIR.

    The folder is beside the copy, so the copy holds nothing that the original does not.
    """
    kernels = folder.with_name("kernels")
    _link(kernels / compiled_folder().name, folder / "src")
    return str(kernels)


def link_kernels_of_own(package):
    """Let a package outside the checkout, for which all would be compiled again, use what is compiled already."""
    _link(compiled_folder([package]), ROOT / "src")


def link_kernels_of_installed(site, own):
    """Let a library that is installed in ``site``, the same to the byte, use them, in ``own`` as NUMBA_CACHE_DIR."""
    for source in (ROOT / "src/causal_bandits").rglob("*.py"):
        installed = site / source.relative_to(ROOT / "src")
        assert installed.read_bytes() == source.read_bytes(), installed
    _link(own, site)


def _link(own, sources):
    """Link into ``own`` what is compiled of the library, now or later, for its sources in ``sources``.

    Numba names a folder of compiled functions after the folder of their sources.
    """
    kernels, subpath = compiled_folder(), UserProvidedCacheLocator.get_suitable_cache_subpath
    own.mkdir(parents=True, exist_ok=True)
    for package in (file.relative_to(ROOT / "src") for file in (ROOT / "src/causal_bandits").rglob("__init__.py")):
        compiled = kernels / subpath(ROOT / "src" / package)
        compiled.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            (own / subpath(sources / package)).symlink_to(compiled)


def jobs_of(done):
    """The jobs that a run, or a dry one, says it has: rule name to number."""
    table = re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, flags=re.MULTILINE)
    return Counter({rule: int(count) for rule, count in table if rule != "total"})


class Checkout:
    """A copy of what a run needs, and the commands to run it.

    ``toy``: its study is the one paper of `TOY`.
    """

    def __init__(self, folder, toy=False):
        self.folder = folder
        folder.mkdir(parents=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=but_bytecode)
            else:
                shutil.copy(source, folder / part)
        kernels = link_kernels(folder)
        self.environment = {"NUMBA_CACHE_DIR": kernels, "PATH": "/usr/bin:/bin", "HOME": str(folder)}
        if toy:
            shutil.copytree(TOY, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            for path in (folder / "data/published").glob("*.csv"):
                if path.stem != "toy":
                    path.unlink()
            change_yaml(folder / "config/config.yaml", lambda settings: settings.update(papers=["toy"], seed=20190127))

    def command(self, *arguments, cores=2):
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *map(str, arguments)]

    def snakemake(self, *arguments, cores=2, check=True, folder=None, **environment):
        """Run Snakemake in the checkout's folder, or in another, in a process of its own (see `warm`)."""
        arguments = self.command(*arguments, cores=cores)[3:]
        done = warm.snakemake(arguments, folder or self.folder, self._environment() | environment)
        return self._expect(done) if check else done

    def run(self, *arguments, check=True, **environment):
        """Run Python with some arguments in the checkout's folder."""
        command, environment = [sys.executable, *map(str, arguments)], self._environment() | environment
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return self._expect(done) if check else done

    def _environment(self):
        return self.environment | {"PYTHONPATH": str(self.folder / "src")}

    def _expect(self, done):
        assert not done.returncode, f"{done.args} failed:\n{done.stdout}\n{done.stderr}"
        return done

    def planned(self, *arguments, **environment):
        """Jobs that a run would start now: rule name to number, and the whole text."""
        done = self.snakemake("--dry-run", *arguments, **environment)
        return jobs_of(done), done.stdout + done.stderr

    @contextmanager
    def edited(self, path, change):
        """Change a text file (by a function of what it holds, or a line to append), and put it back."""
        file = self.folder / path
        before = file.read_bytes()
        text = before.decode()
        after = change(text) if callable(change) else f"{text}{change}\n"
        assert after != text, f"nothing in {path} is changed"
        file.write_text(after)
        try:
            yield
        finally:
            file.write_bytes(before)

    def edit(self, path, old, new):
        file = self.folder / path
        text = file.read_text()
        assert old in text, f"{path} does not hold {old!r}"
        file.write_text(text.replace(old, new))

    def change_paper(self, change, paper):
        """Rewrite a paper's configuration by a function of its dictionary."""
        change_yaml(self.folder / f"config/papers/{paper}.yaml", change)

    def study(self, **overlay):
        """The study that this checkout's configuration says, read in this process; nothing is run."""
        config = yaml.safe_load((self.folder / "config/config.yaml").read_text())
        update_config(config, overlay)
        return Study(config, self.folder)
