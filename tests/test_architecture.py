"""Rules of the architecture that the contracts of pyproject.toml cannot say; `make lint` checks these."""

import ast
from pathlib import Path

import pytest

from experiments.provenance import SOURCE, imported_modules


def path_of(module: str) -> Path:
    base = SOURCE.joinpath(*module.split("."))
    package = base / "__init__.py"
    return package if package.exists() else base.with_suffix(".py")


def modules() -> list[str]:
    files = sorted(SOURCE.rglob("*.py"))
    return [".".join(f.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__") for f in files]


@pytest.mark.parametrize(
    ("paper", "expected"),
    [
        ("lee2019", {"drawn_regret"}),
        ("huang2022", {"fair_regret", "ruled_out", "unfair"}),
        ("huang2024", {"ruled_out"}),
    ],
)
def test_a_simulation_loads_what_its_own_paper_measures_only(paper, expected):
    """So an edit in what measures one paper's runs plays no other paper's again."""

    def measures(root):
        found = {m.rpartition(".")[2] for m in imported_modules([root]) if ".measures." in m}
        return found - {"measure"}  # what a measure is

    assert measures("experiments.simulate") == {"simple_regret"}  # of any paper that asks for it
    assert measures(f"causal_bandits.problems.{paper}") == expected


def test_tables_are_read_and_written_with_their_checksums():
    """One module of the engine and one of the problems read Parquet: both verify what they read."""
    whole = {"read_table", "read_parquet", "ParquetFile", "write_table", "to_parquet"}
    readers = {"experiments.files", "causal_bandits.problems.construction.inputs"}
    trees = {m: ast.parse(path_of(m).read_bytes()) for m in modules() if m not in readers}
    calls = {m: {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)} for m, tree in trees.items()}
    assert sorted(m for m, names in calls.items() if names & whole) == []


#: Names in code that draws random numbers.
RANDOM = {"random", "default_rng", "RandomState", "rng", "random_state", "rvs", "seeding"}


def test_only_stages_and_policies_draw_random_numbers():
    """Random models and data are made in stages, under the contract of seeds; judges and figures read their tables."""
    study = [m for m in modules() if m.startswith("replication.") and not m.endswith((".stages", ".policies"))]
    assert [m for m in study if RANDOM & names_in(path_of(m))] == []


def names_in(path: Path) -> set[str]:
    """Return the names, attributes, keyword arguments and imports of a module."""
    nodes = list(ast.walk(ast.parse(path.read_bytes())))
    found = {getattr(node, field) for node in nodes for field in ("id", "attr", "arg") if hasattr(node, field)}
    return found | {part for node in nodes if isinstance(node, ast.alias) for part in node.name.split(".")}
