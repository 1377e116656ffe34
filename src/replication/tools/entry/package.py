"""Write a small package of one's own that registers an algorithm.

An overlay beside it plays the algorithm in the arena.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

from causal_bandits.policies.registry import ALGORITHMS
from experiments import ConfigError, others
from experiments.atomic import whole
from replication.tools.scaffold import ScaffoldError, class_name, policy_text

_PYPROJECT = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{project}"
version = "0.1.0"
description = "An entry in the arena of causal bandits"
requires-python = ">=3.11"
dependencies = ["causal-bandits", "numpy"]

[project.entry-points."causal_bandits.policies"]
{name} = "{package}.{name}:{title}"

# A family of problems of your own is a function that returns a bandit:
# [project.entry-points."causal_bandits.arena_problems"]
# my_family = "{package}.problems:my_family"

[tool.hatch.build]
dev-mode-dirs = ["src"]

[tool.hatch.build.targets.wheel]
packages = ["src/{package}"]
"""

_TEST = '''"""{title} is registered, and it learns."""

import numpy as np
import pytest
from {package}.{name} import {title}

from causal_bandits import ADMG, DiscreteSCM, SCMBandit, generators, load
from causal_bandits.models.discrete_scm import CPT
from causal_bandits.play.run import play


def two_causes():
    """X1 and X2 cause Y; the best arm sets both to 1."""
    scm = DiscreteSCM(
        ADMG([("X1", "Y"), ("X2", "Y")]),
        {{
            "X1": CPT((), [0.5, 0.5]),
            "X2": CPT((), [0.5, 0.5]),
            "Y": CPT(("X1", "X2"), [[[0.9, 0.1], [0.6, 0.4]], [[0.6, 0.4], [0.1, 0.9]]]),
        }},
    )
    return SCMBandit(scm, "Y", arm_strategy="possibly_optimal")


def test_the_installed_package_registers_it():
    assert load("{name}") is {title}


def test_it_learns():
    """The regret of the last rounds is below that of uniform play."""
    bandit = two_causes()
    last = [play({title}(), bandit, 1_000, generators(1, "{name}", s)).regrets[-200:].mean() for s in range(10)]
    assert np.mean(last) < 0.5 * (bandit.optimal_mean - bandit.means.mean())


@pytest.mark.parametrize("exploration", [-0.1, 1.1])
def test_a_probability_out_of_range_is_an_error(exploration):
    with pytest.raises(ValueError, match="exploration"):
        {title}(exploration)
'''

_OVERLAY = """# Plays {name} in the arena beside ours. In the checkout of the study: make arena ARENA= ENTRY=<this file>
# Keys: config/README.md there, those of an experiment. The table figures/arena/entries.md has the results.
papers: [arena]
entries:
  {name}:
    problem: diagram
    options: {{nodes: 3, confounders: 2}}
    grid: {{told: [nothing, diagram]}}
    seeds_per_draw: 1
    horizon: 2000
    replicates: 20
    batch: 20
    checkpoints: 20
    policies:
      {name}: {{algorithm: {name}}}
      thompson: {{algorithm: thompson}}
      kl_ucb: {{algorithm: kl_ucb}}
"""


def planned(name: str, folder: Path) -> dict[Path, str]:
    """Make the texts of the files of a package, by path; see `write`."""
    title = class_name(name)
    if name in ALGORITHMS:
        raise ScaffoldError(f"{name}: this study has an algorithm of this name; expected another name")
    try:
        known = others.policies()
    except ConfigError as error:
        raise ScaffoldError(str(error)) from None
    if name in known:
        raise ScaffoldError(f"{name}: the package {known[name].package} registers this name; expected another name")
    package = re.sub(r"[^a-z0-9]+", "_", folder.resolve().name.lower())
    if not re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", package) or keyword.iskeyword(package):
        raise ScaffoldError(f"{folder}: its name becomes the package's; expected one such as my_entry")
    if importlib.util.find_spec(package) is not None:
        raise ScaffoldError(f"{folder}: a package {package} is installed; expected another name")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ScaffoldError(f"{folder}: exists; expected a new folder or an empty one")
    words = {"name": name, "title": title, "package": package, "project": package.replace("_", "-")}
    source = folder / "src" / package
    return {
        folder / "pyproject.toml": _PYPROJECT.format(**words),
        source / "__init__.py": f'"""{title}, an entry in the arena of causal bandits."""\n',
        source / f"{name}.py": policy_text(title),
        folder / f"tests/test_{name}.py": _TEST.format(**words),
        folder / "arena.yaml": _OVERLAY.format(**words),
    }


def write(name: str, folder: Path) -> list[Path]:
    """Write a package with one algorithm that runs as it stands, its test, and an overlay that plays it.

    Parameters
    ----------
    name : str
        The module, the entry point and the label in the overlay: ``my_policy`` makes the class ``MyPolicy``.
    folder : Path
        New or empty; its name becomes the package's.

    Returns
    -------
    list of Path
        pyproject.toml, the package's __init__.py, the algorithm, its test, the overlay.

    Raises
    ------
    ScaffoldError
        If a name is taken or not allowed, or the folder holds something. Nothing is written then.
    """
    texts = planned(name, folder)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return list(texts)
