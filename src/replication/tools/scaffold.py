"""Copy the template of a working algorithm, and the template of its tests.

Call: ``python -m replication.tools.scaffold NAME [--kind KIND]`` (`make new-policy`). Nothing else is changed: the
registry finds the algorithm by its file.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.files import whole

#: The templates, and where their copies go. They play an SCM bandit; `KINDS` says what else stands there for others.
COPIES = {
    "tests/template/my_policy.py": "src/causal_bandits/policies/{kind}/{name}.py",
    "tests/template/test_my_policy.py": "tests/causal_bandits/policies/{kind}/test_{name}.py",
}
MODELS = "causal_bandits.models"
IMPORT = f"from {MODELS}.bandit import SCMBandit, SCMWorld, play_round\n"


class Kind(NamedTuple):
    """A kind of bandit: what a policy imports to play it, where it meets others, and a problem for its test.

    Attributes
    ----------
    imports, bandit, world : str
    paper, experiment : str
        An experiment to paste the policy into.
    problem : str
        The arguments of `problems.make`.
    arms : str
        The arms that the pasted policy plays, if the kind leaves a choice.
    compared : bool
        Whether the paper has a table of all its policies.
    """

    imports: str
    bandit: str
    world: str
    paper: str
    experiment: str
    problem: str
    arms: str = ""
    compared: bool = True


KINDS = {
    "scm": Kind(IMPORT, "SCMBandit", "SCMWorld", "lee2019", "frontdoor", '"lee2019/frontdoor"', "possibly_optimal"),
    "classical": Kind(
        f"from {MODELS}.structural_bandit import StructuralBandit, World, play_round\n",
        "StructuralBandit[Any]",
        "World[Any]",
        "lee2019",
        "frontdoor",
        '"lee2019/frontdoor"',
        "possibly_optimal",
    ),
    "glm": Kind(
        f"from {MODELS}.glm_bandit import GLMBandit, GLMWorld, play_round\n",
        "GLMBandit",
        "GLMWorld",
        "xiong2023",
        "pac_parallel",
        '"xiong2023/parallel", variables=5, effect=0.8',
        compared=False,
    ),
    "contextual": Kind(
        f"from {MODELS}.contextual import ContextualBandit, ContextualWorld, play_round\n",
        "ContextualBandit",
        "ContextualWorld",
        "huang2024",
        "linear",
        '"huang2024/synthetic"',
    ),
    "fair": Kind(
        f"from {MODELS}.contextual import ContextualWorld, play_round\nfrom {MODELS}.fair import FairBandit\n",
        "FairBandit",
        "ContextualWorld",
        "huang2022",
        "email",
        '"huang2022/email"',
    ),
    "single_node": Kind(
        f"from {MODELS}.single_node import SingleNodeBandit\n"
        f"from {MODELS}.single_node_worlds import SingleNodeWorld, play_round\n",
        "SingleNodeBandit",
        "SingleNodeWorld",
        "lu2021",
        "theorem1",
        '"lu2021/tree", nodes=20, epsilon=0.25, reward_gap=0.4, states=2',
    ),
}
NEXT = """\
{policy}: the algorithm; {test}: its tests
try it:     python -m pytest {test}
play it:    in config/papers/{paper}.yaml, below experiments: {experiment}: policies, paste

      {name}: {{algorithm: {name}{arms}}}

compare it: snakemake --cores 2 --configfile config/quick.yaml -- {target}
            makes {made}
keep it:    name it in src/causal_bandits/policies/__init__.pyi and, for its page, in docs/algorithms/index.md;
            python -m pytest tests/test_algorithm_pages.py says what its docstring lacks
"""


class ScaffoldError(ValueError):
    """A name that is taken or not allowed; in one line."""


def class_name(name: str) -> str:
    """Make a class name from an algorithm's name: ``MyPolicy`` from ``my_policy``.

    It raises ScaffoldError if the name is invalid.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise ScaffoldError(f"{name!r}: expected a name such as my_policy: lower case, digits, underscores")
    return "".join(part.capitalize() for part in name.split("_"))


def scaffold(name: str, kind: str = "scm", root: Path = Path()) -> list[Path]:
    """Copy the two templates under a new name, for a kind of bandit.

    Parameters
    ----------
    name : str
        The module's name: ``my_policy`` makes the class ``MyPolicy``.
    kind : str
        One of `KINDS`.
    root : Path
        The checkout's top folder.

    Returns
    -------
    list of Path
        The algorithm and its tests, below ``root``.

    Raises
    ------
    ScaffoldError
        If the name is taken or not allowed. In that case nothing is written.
    """
    title = class_name(name)
    copies = {template: Path(copy.format(name=name, kind=kind)) for template, copy in COPIES.items()}
    taken = [*(root / "src/causal_bandits/policies").glob(f"*/{name}.py"), *map(root.joinpath, copies.values())]
    for path in taken:
        if path.exists():
            raise ScaffoldError(f"{path.relative_to(root).as_posix()}: exists; choose another name")
    for template, copy in copies.items():
        text = _of_kind((root / template).read_text(encoding="utf-8"), kind)
        text = text.replace("MyPolicy", title).replace("my_policy", name)
        with whole(root / copy) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return list(copies.values())


def _of_kind(text: str, name: str) -> str:
    """Let a template play another kind of bandit than an SCM's."""
    kind, scm = KINDS[name], KINDS["scm"]
    for old, new in (
        (scm.imports, kind.imports),
        ("policies.scm.", f"policies.{name}."),
        (scm.problem, kind.problem),
        (f"[type] = {scm.bandit}", f"[type] = {kind.bandit.partition('[')[0]}"),
        (scm.bandit, kind.bandit),
        (scm.world, kind.world),
        ("import ClassVar", "import Any, ClassVar" if "Any" in kind.world else "import ClassVar"),
    ):
        text = text.replace(old, new)
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Copy the templates, and print what to do next; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.scaffold", description=__doc__)
    parser.add_argument("name", help="such as my_policy")
    parser.add_argument("--kind", choices=KINDS, default="scm", help="the kind of bandit that it plays (default: scm)")
    options = parser.parse_args(arguments)
    name, kind = options.name, KINDS[options.kind]
    try:
        policy, test = scaffold(name, options.kind)
    except ScaffoldError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    made = f"results/quick/{kind.paper}/{kind.experiment}/finals.parquet"
    print(
        NEXT.format(
            policy=policy,
            test=test,
            name=name,
            paper=kind.paper,
            experiment=kind.experiment,
            arms=f", arms: {kind.arms}" if kind.arms else "",
            target=f"{kind.paper}_comparison" if kind.compared else made,
            made=f"results/quick/figures/{kind.paper}/comparison.md" if kind.compared else made,
        ),
        end="",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
