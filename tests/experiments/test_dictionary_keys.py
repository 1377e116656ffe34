"""Keys read from source are those of the imported dictionaries; what is no dictionary is named."""

import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

from experiments import config as loading
from experiments.settings import ConfigError

PAPERS = Path(loading.__file__).parents[1] / "replication/papers"


@pytest.mark.parametrize("name", ["figures", "tables", "stages"])
def test_keys_are_those_that_an_import_gives(name):
    found = 0
    for path in sorted(PAPERS.glob(f"*/{name}.py")):
        module = f"replication.papers.{path.parent.name}.{name}"
        assert loading.dictionary_keys(module, name.upper()) == set(resolve_name(f"{module}:{name.upper()}")), module
        found += 1
    assert found


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms/owls.py").write_text(
        "import no_such_package\n\n"
        "BARE = {'a': 1}\n"
        "LISTED: list[str] = ['a']\n"
        "OWLS: dict[str, int] = {'snowy': no_such_package.x, **BARE, 'barn': 2}\n"
    )


def test_the_module_is_not_imported(source):
    assert loading.dictionary_keys("rooms.owls", "OWLS") == {"snowy", "barn"}
    assert "rooms.owls" not in sys.modules


@pytest.mark.parametrize("module", ["rooms.bats", "no_such_room.owls"])
def test_a_module_that_is_missing_is_named(source, module):
    with pytest.raises(ConfigError, match=f"{module}: no such module; expected one with a dictionary OWLS"):
        loading.dictionary_keys(module, "OWLS")


@pytest.mark.parametrize("name", ["BARE", "LISTED", "EAGLES"])
def test_what_is_no_annotated_dictionary_is_named_with_its_module(source, name):
    with pytest.raises(ConfigError, match=rf"rooms\.owls.*{name}"):
        loading.dictionary_keys("rooms.owls", name)
