"""An algorithm to fill in, which runs as it stands: ``python -m replication.tools.scaffold NAME`` (`make new-policy`).

It writes the algorithm in plain Python and a test of it, and names both where the study looks for them: a line in the
registry, and one in an experiment's policies, so that the algorithm stands in the paper's comparison.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from replication.pipeline.atomic import whole
from replication.pipeline.settings import LOADER

REGISTRY = Path("src/causal_bandits/policies/registry.py")
EXPERIMENT = "lee2019/frontdoor"

_POLICY = '''"""{title}: epsilon-greedy, until your algorithm stands here; name its paper, algorithm and equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_bandits.policies.base import StepwisePolicy


@dataclass
class {title}(StepwisePolicy):
    """Every arm once, then the arm with the best mean so far, or with probability ``epsilon`` any arm.

    Parameters
    ----------
    epsilon : float
        In [0, 1]: how often an arm is drawn uniformly.
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon={{self.epsilon}}: must lie in [0, 1]")

    def start(self, problem: Any, horizon: int) -> None:
        """No arm has been played."""
        self._plays = np.zeros(len(problem.arms))
        self._sums = np.zeros(len(problem.arms))

    def select(self, t: int, context: Mapping[str, int] | None, rng: np.random.Generator) -> int:
        """The arm of round ``t``."""
        if t < len(self._plays):
            return t
        if rng.random() < self.epsilon:
            return int(rng.integers(len(self._plays)))
        return int(np.argmax(self._sums / self._plays))

    def update(self, arm: int, states: Mapping[str, int], reward: float) -> None:
        """Count one play."""
        self._plays[arm] += 1
        self._sums[arm] += reward
'''

_TEST = '''"""{title}, beside what `tests/contract` asks of every policy."""

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.{name} import {title}
from causal_bandits.seeding import generators


def test_it_learns(build_task):
    """Its last rounds regret less than rounds in which any arm is played."""
    task = build_task("frontdoor")
    last = [play({title}(), task, 2_000, generators(1, "{name}", seed)).regrets[-500:].mean() for seed in range(10)]
    assert np.mean(last) < 0.5 * (task.optimal_mean - task.means.mean())


@pytest.mark.parametrize("epsilon", [-0.1, 1.1])
def test_a_probability_out_of_range_is_an_error(epsilon):
    with pytest.raises(ValueError, match="epsilon"):
        {title}(epsilon)
'''


class ScaffoldError(ValueError):
    """A name that cannot be taken, or a place where it cannot stand; in one line."""


def scaffold(name: str, experiment: str = EXPERIMENT, root: Path = Path()) -> list[Path]:
    """Write an algorithm and its tests, and name it in the registry and in an experiment.

    Parameters
    ----------
    name : str
        Of the module, the key of the registry and the label in the experiment: ``my_policy`` makes the class
        ``MyPolicy``.
    experiment : str
        ``<slug>/<experiment>``; its policies stand in the paper's file under a key of their own.
    root : Path
        The checkout's top folder.

    Returns
    -------
    list of Path
        What was written, then what was changed.

    Raises
    ------
    ScaffoldError
        If the name is none or taken, or the experiment has no policies of its own. Nothing is written then.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise ScaffoldError(f"{name!r}: expected a name such as my_policy: lower case, digits, underscores")
    title = "".join(part.capitalize() for part in name.split("_"))
    policy, test = Path(f"src/causal_bandits/policies/{name}.py"), Path(f"tests/causal_bandits/policies/test_{name}.py")
    slug, _, label = experiment.partition("/")
    config = Path(f"config/papers/{slug}.yaml")
    if not (root / config).exists():
        raise ScaffoldError(f"{experiment!r}: expected <slug>/<experiment>; there is no {config}")
    registry = _registered((root / REGISTRY).read_text(encoding="utf-8"), name, title)
    settings = _played((root / config).read_text(encoding="utf-8"), str(config), label, name)
    texts = {policy: _POLICY.format(title=title), test: _TEST.format(name=name, title=title)}
    for path in texts:
        if (root / path).exists():
            raise ScaffoldError(f"{path}: exists; choose another name")
    texts |= {REGISTRY: registry, config: settings}
    for path, text in texts.items():
        with whole(root / path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


def _registered(text: str, name: str, title: str) -> str:
    """The registry with one line more."""
    if f'    "{name}": ' in text:
        raise ScaffoldError(f"{REGISTRY}: {name}: stands there; choose another name")
    table, end, rest = text.partition("\n}\n")
    return f'{table}\n    "{name}": "causal_bandits.policies.{name}:{title}",{end}{rest}'


def _played(text: str, place: str, experiment: str, name: str) -> str:
    """A paper's file with one policy more, first in the experiment, where comments and all else stay as they are."""
    experiments = yaml.load(text, LOADER)["experiments"]
    if experiment not in experiments:
        raise ScaffoldError(f"{place}: experiments: no {experiment!r}; expected one of: {', '.join(experiments)}")
    policies = experiments[experiment]["policies"]
    if name in policies:
        raise ScaffoldError(f"{place}: experiments.{experiment}.policies.{name}: stands there; choose another name")
    own = _own_policies(text, experiment)
    if own is None:
        raise ScaffoldError(f"{place}: experiments.{experiment}: no policies of its own; name the one that it copies")
    first = own.value[0][0].start_mark
    arms = ", arms: possibly_optimal" if all("arms" in policy for policy in policies.values()) else ""
    behind = ", " if own.flow_style else "\n" + " " * first.column
    return f"{text[: first.index]}{name}: {{algorithm: {name}{arms}}}{behind}{text[first.index :]}"


def _own_policies(text: str, experiment: str) -> yaml.MappingNode | None:
    """An experiment's policies as they stand in the text; None where an alias or a merge stands for them."""
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the algorithm and say what to do with it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.scaffold", description=__doc__)
    parser.add_argument("name", help="such as my_policy")
    parser.add_argument("--experiment", default=EXPERIMENT, help=f"<slug>/<experiment> ({EXPERIMENT})")
    options = parser.parse_args(arguments)
    try:
        policy, test, registry, config = scaffold(options.name, options.experiment)
    except ScaffoldError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    slug = options.experiment.partition("/")[0]
    print(f"{policy}: the algorithm; {test}: its tests; one line more in {registry} and in {config}")
    print(f"try it:     python -m pytest tests/causal_bandits/policies/{test.name} tests/contract -k {options.name}")
    print(f"compare it: snakemake --cores 2 --configfile config/quick.yaml -- {slug}_comparison")
    return 0


if __name__ == "__main__":
    sys.exit(main())
