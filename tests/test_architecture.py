"""Which room of the package may import which, read from the source; nothing is imported."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from causal_bandits.provenance import PACKAGE, SOURCE

#: What each room may import beside itself. A room is a folder of the package, or a module beside the folders.
MAY_IMPORT = {
    # Below everything.
    "provenance": "",
    "arrays": "",
    "seeding": "",
    "joblog": "",
    "jobs": "joblog",
    "atomic": "",
    "files": "atomic provenance",
    "compiled": "provenance",
    # papers -> evaluation -> policies -> estimation -> models -> identification, discovery -> graphs
    "graphs": "",
    "identification": "graphs",
    "discovery": "graphs",
    "models": "identification discovery graphs compiled arrays",
    "estimation": "models identification discovery graphs compiled arrays",
    "policies": "estimation models identification discovery graphs compiled arrays",
    "evaluation": "policies estimation models identification discovery graphs compiled arrays atomic files seeding "
    "provenance",
    "papers": "evaluation policies estimation models identification discovery graphs compiled files seeding "
    "datasets stages plotting diagrams tabulate",
    # Beside them.
    "datasets": "atomic",
    "ledger": "atomic",
    "scaffold": "evaluation atomic",
    "stages": "files seeding provenance",
    "calibration": "evaluation atomic files seeding",
    "gym": "evaluation policies models arrays seeding",
    "plotting": "evaluation atomic files",
    "tabulate": "evaluation atomic files",
    "diagrams": "plotting graphs",
    "reference": "evaluation atomic files",
    "verify": "evaluation reference",
    "planning": "atomic joblog",
    "archive": "atomic provenance study",
    "report": "evaluation atomic files joblog ledger reference study verify",
    # The workflow's view of all. It finds a paper's modules by name, so it imports none.
    "study": "evaluation stages calibration policies models files provenance",
}

#: What a simulation must not load: seconds per process, and an edit there would play runs again.
DRAWING = {f"{PACKAGE}.{module}" for module in ("plotting", "diagrams", "tabulate")}
NOT_IN_SIMULATIONS = {"matplotlib", "seaborn", "pandas"} | DRAWING


def path_of(module: str) -> Path:
    base = SOURCE.joinpath(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def modules() -> list[str]:
    files = sorted((SOURCE / PACKAGE).rglob("*.py"))
    return [".".join(f.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__") for f in files]


@cache
def imports(module: str) -> frozenset[str]:
    """Modules that a module imports, in functions too."""
    found = set()
    for node in ast.walk(ast.parse(path_of(module).read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}, line {node.lineno}: a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                ours = name.startswith(f"{PACKAGE}.") and path_of(name).exists()
                found.add(name if ours else node.module)
    return frozenset(found)


def room(module: str) -> str:
    return module.removeprefix(PACKAGE).removeprefix(".").partition(".")[0]


def arrows() -> Iterator[tuple[str, str]]:
    """Every import of one module of the package by another, as pairs without the package's name."""
    for module in modules():
        for imported in imports(module):
            if imported.startswith(f"{PACKAGE}."):
                yield module.removeprefix(f"{PACKAGE}."), imported.removeprefix(f"{PACKAGE}.")


def allowed(module: str, imported: str) -> bool:
    source, target = room(module), room(imported)
    if source == target == "papers":  # no paper reads another; the arena reads their problems
        own, other = module.split(".")[1], imported.split(".")[1]
        return own == other or (own == "arena" and imported.split(".")[2:] in ([], ["problems"]))
    return source == target or target in MAY_IMPORT[source].split()


def loaded(module: str) -> set[str]:
    """Everything that an import of ``module`` loads: what it imports, transitively, and the packages around it."""
    found, pending = set(), [module]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            if "." in name:
                pending.append(name.rpartition(".")[0])
            if name.partition(".")[0] == PACKAGE:
                pending += imports(name)
    return found


def test_every_module_stands_in_a_known_room():
    rooms = {room(module) for module in modules()} - {""}
    assert sorted(rooms - set(MAY_IMPORT)) == []


def test_the_table_has_no_cycle():
    table = {name: set(others.split()) for name, others in MAY_IMPORT.items()}
    assert set().union(*table.values()) <= set(table)
    TopologicalSorter(table).prepare()


def test_imports_follow_the_arrows():
    assert sorted(pair for pair in arrows() if not allowed(*pair)) == []


def simulating() -> list[str]:
    """Modules that a job of simulation imports: it finds the paper's problems and the policy by name."""
    rooms = {"graphs", "identification", "models", "estimation", "policies"}
    named = {"evaluation.simulate"}
    return [
        module
        for module in modules()
        if room(module) in rooms or module.endswith(".problems") or module.removeprefix(f"{PACKAGE}.") in named
    ]


@pytest.mark.parametrize("module", simulating())
def test_nothing_that_simulates_imports_plotting_or_pandas(module):
    assert sorted(loaded(module) & NOT_IN_SIMULATIONS) == []


def test_a_simulation_loads_what_its_own_paper_measures_only():
    """So an edit in an estimator that measures one paper's runs plays no other paper's again."""

    def measures(paper):
        found = {m.rpartition(".")[2] for m in loaded(f"{PACKAGE}.papers.{paper}.problems") if ".measures." in m}
        return found - {"measure"}  # what a measure is

    assert {m.rpartition(".")[2] for m in loaded(f"{PACKAGE}.evaluation.simulate") if ".measures." in m} == {"measure"}
    assert [measures(paper) for paper in ("lee2019", "huang2022", "huang2024")] == [
        {"drawn_regret"},
        {"fair_regret", "ruled_out", "unfair"},
        {"ruled_out"},
    ]


def test_tables_are_read_and_written_with_their_checksums():
    """Only `files` verifies and writes them."""
    whole = {"read_table", "read_parquet", "ParquetFile", "write_table", "to_parquet"}
    trees = {m: ast.parse(path_of(m).read_bytes()) for m in modules() if m != f"{PACKAGE}.files"}
    calls = {m: {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)} for m, tree in trees.items()}
    assert sorted(m for m, names in calls.items() if names & whole) == []
