"""Write a new algorithm that runs at once.

Call: ``python -m replication.tools.scaffold NAME`` (`make new-policy`). The algorithm in plain Python and its tests are
new files; the registry, the package's exports and a paper's configuration get one line each, so that the study plays
the algorithm in one experiment. The whole configuration is checked with these changes before anything is written.
"""

from __future__ import annotations

import argparse
import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from replication.pipeline.atomic import whole
from replication.pipeline.settings import LOADER

REGISTRY = Path("src/causal_bandits/policies/registry.py")
#: What names every algorithm to type checkers.
EXPORTS = Path("src/causal_bandits/policies/__init__.py")
EXPERIMENT = "lee2019/frontdoor"
#: What a check of the configuration reads.
CHECKED = ("src", "config", "data", "docs/ledger", "workflow/schemas")

_POLICY = '''"""{title}: epsilon-greedy, for your algorithm to replace; name its paper, algorithm and equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_bandits.policies.base import StepwisePolicy


@dataclass
class {title}(StepwisePolicy):
    """Play every arm once, then the arm with the best mean so far, or with probability ``exploration`` any arm.

    Parameters
    ----------
    exploration : float
        In [0, 1]: the probability that an arm is drawn uniformly.
    """

    exploration: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration={{self.exploration}}: must lie in [0, 1]")

    def start(self, problem: Any, horizon: int) -> None:
        """Forget the previous run."""
        self._plays = np.zeros(len(problem.arms))
        self._sums = np.zeros(len(problem.arms))

    def select(self, t: int, context: Mapping[str, int] | None, rng: np.random.Generator) -> int:
        """Choose the arm of round ``t``, counted from 0."""
        if t < len(self._plays):
            return t
        if rng.random() < self.exploration:
            return int(rng.integers(len(self._plays)))
        return int(np.argmax(self._sums / self._plays))

    def update(self, arm: int, states: Mapping[str, int], reward: float) -> None:
        """Count one play and its reward."""
        self._plays[arm] += 1
        self._sums[arm] += reward
'''

_TEST = '''"""{title}; `tests/contract` holds the tests that every policy has to pass."""

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.{name} import {title}
from causal_bandits.seeding import generators


def test_it_learns(build_task):
    """The regret of the last rounds is below that of uniform play."""
    task = build_task("frontdoor")
    last = [play({title}(), task, 2_000, generators(1, "{name}", seed)).regrets[-500:].mean() for seed in range(10)]
    assert np.mean(last) < 0.5 * (task.optimal_mean - task.means.mean())


@pytest.mark.parametrize("exploration", [-0.1, 1.1])
def test_a_probability_out_of_range_is_an_error(exploration):
    with pytest.raises(ValueError, match="exploration"):
        {title}(exploration)
'''


class ScaffoldError(ValueError):
    """A name that is taken or not allowed, or an experiment that cannot play the policy; in one line."""


def scaffold(name: str, experiment: str = EXPERIMENT, root: Path = Path()) -> list[Path]:
    """Write an algorithm and its tests, and add it to the registry and to an experiment.

    Parameters
    ----------
    name : str
        The module's name, the key in the registry and the label in the experiment: ``my_policy`` makes the class
        ``MyPolicy``.
    experiment : str
        ``<slug>/<experiment>``; its policies stand in the paper's file under a key of their own.
    root : Path
        The checkout's top folder.

    Returns
    -------
    list of Path
        The two new files, then the three that were changed.

    Raises
    ------
    ScaffoldError
        If the name is taken or not allowed, the experiment has no policies of its own, or the study's configuration
        would be wrong with the new policy. Nothing is written then.
    """
    texts = planned(name, experiment, root)
    if wrong := _wrong_with(texts, experiment.partition("/")[0], root):
        raise ScaffoldError(f"{experiment} cannot play {name}: {wrong}; name another experiment")
    for path, text in texts.items():
        with whole(root / path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


def class_name(name: str) -> str:
    """Make a class's name of an algorithm's: ``MyPolicy`` of ``my_policy``.

    It raises ScaffoldError if it is no name.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise ScaffoldError(f"{name!r}: expected a name such as my_policy: lower case, digits, underscores")
    return "".join(part.capitalize() for part in name.split("_"))


def policy_text(title: str) -> str:
    """Write the module of an algorithm that runs as it stands; ``title`` is the name of its class."""
    return _POLICY.format(title=title)


def planned(name: str, experiment: str, root: Path) -> dict[Path, str]:
    """Make the texts of the five files that `scaffold` writes, by path below ``root``; see there."""
    title = class_name(name)
    policy, test = Path(f"src/causal_bandits/policies/{name}.py"), Path(f"tests/causal_bandits/policies/test_{name}.py")
    slug, _, label = experiment.partition("/")
    config = Path(f"config/papers/{slug}.yaml")
    if not (root / config).exists():
        raise ScaffoldError(f"{experiment!r}: expected <slug>/<experiment>; there is no {config}")
    registry = _registered((root / REGISTRY).read_text(encoding="utf-8"), name, title)
    settings = _played((root / config).read_text(encoding="utf-8"), str(config), label, name)
    texts = {policy: policy_text(title), test: _TEST.format(name=name, title=title)}
    for path in texts:
        if (root / path).exists():
            raise ScaffoldError(f"{path}: exists; choose another name")
    exports = _exported((root / EXPORTS).read_text(encoding="utf-8"), name, title)
    return texts | {REGISTRY: registry, EXPORTS: exports, config: settings}


def _wrong_with(texts: Mapping[Path, str], slug: str, root: Path) -> str:
    """Check a paper's whole configuration in a copy of the checkout with ``texts``.

    Returned is what is wrong, or ''.
    """
    with tempfile.TemporaryDirectory(prefix="new-policy-") as folder:
        copy = Path(folder)
        for part in CHECKED:
            shutil.copytree(root / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        for path, text in texts.items():
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_text(text, encoding="utf-8", newline="\n")
        done = subprocess.run(
            [sys.executable, "-m", "replication.config", slug],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def _registered(text: str, name: str, title: str) -> str:
    """Add one line to the registry's text."""
    if f'    "{name}": ' in text:
        raise ScaffoldError(f"{REGISTRY}: {name}: is registered already; choose another name")
    table, end, rest = text.partition("\n}\n")
    return f'{table}\n    "{name}": "causal_bandits.policies.{name}:{title}",{end}{rest}'


def _exported(text: str, name: str, title: str) -> str:
    """Add one line to the imports for type checkers and one to the public names, sorted as ruff does it."""
    line = f"    from causal_bandits.policies.{name} import {title}"
    text = _with_line(text, "if TYPE_CHECKING:", "\n\n", line, str)
    return _with_line(text, "__all__ = [", "\n]", f'    "{title}",', lambda public: (not public.isupper(), public))


def _with_line(text: str, begin: str, end: str, line: str, key: Callable[[str], Any]) -> str:
    """Add a line between two marks, in the order of ``key``."""
    head, begin, rest = text.partition(begin)
    block, end, tail = rest.partition(end)
    remark, *lines = block.split("\n")
    return "\n".join([head + begin + remark, *sorted([*lines, line], key=key)]) + end + tail


def _played(text: str, place: str, experiment: str, name: str) -> str:
    """Add a policy to the text of a paper's file, first in its experiment.

    Comments and all else stay as they are.
    """
    experiments = yaml.load(text, LOADER)["experiments"]
    if experiment not in experiments:
        raise ScaffoldError(f"{place}: experiments: no {experiment!r}; expected one of: {', '.join(experiments)}")
    policies = experiments[experiment]["policies"]
    if name in policies:
        raise ScaffoldError(f"{place}: experiments.{experiment}.policies.{name}: exists already; choose another name")
    own = _own_policies(text, experiment)
    if own is None:
        raise ScaffoldError(
            f"{place}: experiments.{experiment}: no policies of its own; name the experiment that it copies"
        )
    first = own.value[0][0].start_mark
    arms = ", arms: possibly_optimal" if all("arms" in policy for policy in policies.values()) else ""
    behind = ", " if own.flow_style else "\n" + " " * first.column
    return f"{text[: first.index]}{name}: {{algorithm: {name}{arms}}}{behind}{text[first.index :]}"


def _own_policies(text: str, experiment: str) -> yaml.MappingNode | None:
    """Find an experiment's policies in the text.

    None where it takes them from another one by an alias or a merge.
    """
    node: Any = yaml.compose(text, LOADER)
    for name in ("experiments", experiment, "policies"):
        found = [pair for pair in node.value if pair[0].value == name]
        if not found:
            return None
        ((key, node),) = found
    if node.start_mark.index < key.end_mark.index:  # an alias is the node that it names
        return None
    own: yaml.MappingNode = node
    return own


def to_compare(experiment: str, root: Path = Path()) -> tuple[str, str]:
    """Say how to play an experiment at small scale, and which file compares its policies.

    That file shows the policies beside each other.

    Parameters
    ----------
    experiment : str
        ``<slug>/<experiment>``.
    root : Path
        The checkout's top folder.

    Returns
    -------
    tuple of str
        A command, and the path of a table: the paper's ``comparison``, if it reads the experiment; otherwise the final
        values of every policy and seed.
    """
    slug, _, label = experiment.partition("/")
    paper = yaml.load((root / f"config/papers/{slug}.yaml").read_text(encoding="utf-8"), LOADER)
    places = yaml.load((root / "config/quick.yaml").read_text(encoding="utf-8"), LOADER)["pathvars"]
    table = paper.get("tables", {}).get("comparison", {})
    compared = table.get("experiments", [])
    if label in compared:
        target, file = f"{slug}_comparison", f"{places['figures']}/{slug}/comparison.md"
    else:
        compared, target = [label], f"{places['results']}/{slug}/{label}/finals.parquet"
        file = target
    # The small study leaves out what is marked `extra`, and with it the tables that read it.
    left_out = table.get("extra") or any(paper["experiments"][name].get("extra") for name in compared)
    extras = " config/extras.yaml" if left_out else ""
    return f"snakemake --cores 2 --configfile config/quick.yaml{extras} -- {target}", file


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the algorithm, and print what to do with it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.scaffold", description=__doc__)
    parser.add_argument("name", help="such as my_policy")
    parser.add_argument("--experiment", default=EXPERIMENT, help=f"<slug>/<experiment> ({EXPERIMENT})")
    options = parser.parse_args(arguments)
    try:
        policy, test, registry, exports, config = scaffold(options.name, options.experiment)
    except ScaffoldError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    command, table = to_compare(options.experiment)
    print(f"{policy}: the algorithm; {test}: its tests; one new line each in {registry}, {exports} and {config}")
    print(f"try it:     python -m pytest tests/causal_bandits/policies/{test.name} tests/contract -k {options.name}")
    print(f"compare it: {command}")
    print(f"            makes {table}")
    print(f"keep it:    write its page, docs/algorithms/{options.name}.md, and its row in index.md beside it")
    print("            python -m pytest tests/test_algorithm_pages.py says what is missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
