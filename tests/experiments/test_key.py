"""A key moves with what makes a result, and with nothing else."""

import os

import pytest

from experiments import files, key, provenance

SIMULATION = ("experiments.simulate", "causal_bandits.problems.lee2019", "causal_bandits.policies.contextual.ucb:UCB")


@pytest.fixture(autouse=True)
def _anew():
    key._code.cache_clear()
    provenance._version.cache_clear()
    yield
    key._code.cache_clear()
    provenance._version.cache_clear()


def test_a_key_is_of_configuration_code_and_versions(monkeypatch):
    before = key.key_of({"a": 1, "b": 2}, *SIMULATION)
    assert key.key_of({"b": 2, "a": 1}, *reversed(SIMULATION)) == before
    assert key.key_of({"a": 1, "b": 3}, *SIMULATION) != before
    assert key.key_of({"a": 1, "b": 2}, *SIMULATION[:2]) != before
    monkeypatch.setattr(provenance, "version", lambda package: "99" if package == "numba" else "1")
    key._code.cache_clear()
    provenance._version.cache_clear()
    assert key.key_of({"a": 1, "b": 2}, *SIMULATION) != before


def test_a_key_follows_imports_into_the_engine_and_not_into_the_registry():
    """Whichever packages it begins with."""
    modules = provenance.imported_modules(["replication.judging.verdicts"], packages=key.ENGINE)
    assert "experiments.results" in modules
    paths = [path.partition(":")[0] for path in SIMULATION]
    assert "causal_bandits.policies.registry" not in provenance.imported_modules(paths, packages=key.ENGINE)


def test_a_simulation_reads_nothing_of_the_engine_that_cannot_change_a_value():
    """Nor does a policy's key move with a version of pgmpy, to which models are only converted."""
    options = {"packages": key.ENGINE, "but": key.HOUSEKEEPING}
    modules = [path.partition(":")[0] for path in SIMULATION]
    found = provenance.imported_modules(modules, **options)
    assert [module for module in found if module.startswith("experiments")] == ["experiments.simulate"]
    assert "experiments.provenance" not in found
    assert "pgmpy" not in provenance.imported_versions(modules, **options)
    builder = ("experiments.stages", "replication.papers.huang2022.stages")
    found = provenance.imported_modules(builder, **options)
    assert [module for module in found if module.startswith("experiments")] == ["experiments.stages"]


@pytest.mark.parametrize("module", provenance.CONVERSIONS)
def test_conversions_are_imports_inside_functions(module):
    for level, base, names, top in provenance._read(module, provenance.SOURCE).imports:
        if not level and base.partition(".")[0] in provenance.CONVERSIONS[module]:
            assert not top
        assert level >= 0 or not ({name for name, _ in names} & provenance.CONVERSIONS[module] and top)
    assert provenance.CONVERSIONS[module] <= set(provenance.VALUE_PACKAGES)


def test_a_result_of_another_key_is_refused_by_name_and_cure(tmp_path):
    path = tmp_path / "t.parquet"
    files.write(files.pa.table({"x": [1]}).replace_schema_metadata(key.metadata("0" * 16)), path)
    key.expect_all({"t": path, "figure": tmp_path / "none.json"}, {"t": "0" * 16})
    with pytest.raises(key.StaleError, match=r"t\.parquet: made by different code.*delete the file and run the same"):
        key.expect(path, "1" * 16)
    files.write(files.pa.table({"x": [1]}), path)
    with pytest.raises(key.StaleError, match="key none"):
        key.expect(path, "1" * 16)


@pytest.mark.parametrize("called", ["src/causal_bandits/leaf.py", "elsewhere/paper/helper.py"])
def test_code_that_a_paper_of_ones_own_calls_is_compiled_anew_after_an_edit(called, tmp_path, monkeypatch):
    """Numba does not see an edit in another file; no module of the checkout imports those that are called here."""
    library, paper = tmp_path / "src/causal_bandits", tmp_path / "elsewhere/paper"
    for folder in (library, paper):
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    for path in (library / "compiled.py", library / "leaf.py", paper / "helper.py"):
        path.write_text("def f(x):\n    return x\n")
    lines = ("causal_bandits.compiled import f as loop", "causal_bandits.leaf import f", "paper.helper import f as g")
    (paper / "policy.py").write_text("".join(f"from {line}\n" for line in lines))
    (paper / "figures.py").write_text("from causal_bandits.models import thing\n")  # compiles nothing
    monkeypatch.setattr(key, "SOURCE", tmp_path / "src")
    monkeypatch.setattr(provenance, "_installed", lambda top: tmp_path / "src")
    before, alone = key.compiled_folder([paper]), key.compiled_folder()
    (tmp_path / called).write_text("def f(x):\n    return x + 1\n")
    os.utime(tmp_path / called, (1, 1))
    assert key.compiled_folder([paper]) != before
    assert key.compiled_folder() == alone
