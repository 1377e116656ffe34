"""Copy the template of a working algorithm, and the template of its tests.

Call: ``python -m replication.tools.scaffold NAME`` (`make new-policy`). Nothing else is changed: the registry finds the
algorithm by its file.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.files import whole

#: The templates, and where their copies go.
COPIES = {
    "tests/template/my_policy.py": "src/causal_bandits/policies/scm/{name}.py",
    "tests/template/test_my_policy.py": "tests/causal_bandits/policies/scm/test_{name}.py",
}
NEXT = """\
{policy}: the algorithm; {test}: its tests
try it:     python -m pytest {test}
play it:    in config/papers/lee2019.yaml, below experiments: frontdoor: policies, paste

      {name}: {{algorithm: {name}, arms: possibly_optimal}}

compare it: snakemake --cores 2 --configfile config/quick.yaml -- lee2019_comparison
            makes results/quick/figures/lee2019/comparison.md
keep it:    move it to the folder of its kind, name it in src/causal_bandits/policies/__init__.py and, for its page, in
            docs/algorithms/index.md; python -m pytest tests/test_algorithm_pages.py says what its docstring lacks
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


def scaffold(name: str, root: Path = Path()) -> list[Path]:
    """Copy the two templates under a new name.

    Parameters
    ----------
    name : str
        The module's name: ``my_policy`` makes the class ``MyPolicy``.
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
    copies = {template: Path(copy.format(name=name)) for template, copy in COPIES.items()}
    taken = [*(root / "src/causal_bandits/policies").glob(f"*/{name}.py"), *map(root.joinpath, copies.values())]
    for path in taken:
        if path.exists():
            raise ScaffoldError(f"{path.relative_to(root).as_posix()}: exists; choose another name")
    for template, copy in copies.items():
        text = (root / template).read_text(encoding="utf-8").replace("MyPolicy", title).replace("my_policy", name)
        with whole(root / copy) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return list(copies.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Copy the templates, and print what to do next; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.scaffold", description=__doc__)
    parser.add_argument("name", help="such as my_policy")
    name = parser.parse_args(arguments).name
    try:
        policy, test = scaffold(name)
    except ScaffoldError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    print(NEXT.format(policy=policy, test=test, name=name), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
