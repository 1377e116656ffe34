"""Names that are imported when they are first used, on a package made for the test."""

import importlib
import sys

import pytest

INIT = """from causal_bandits.lazy import lazily

__getattr__, __dir__ = lazily(__name__, {"Owl": f"{__name__}.birds", "hoot": f"{__name__}.sounds"})
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that gives ``Owl`` and ``hoot`` from two modules; its modules are forgotten after the test."""
    folder = tmp_path / "lazy_birds"
    folder.mkdir()
    (folder / "__init__.py").write_text(INIT)
    (folder / "birds.py").write_text("class Owl:\n    pass\n")
    (folder / "sounds.py").write_text("def hoot():\n    return 'hu'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield importlib.import_module("lazy_birds")
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazy_birds"]:
        del sys.modules[name]


def test_a_name_imports_its_own_module_at_its_first_use(package):
    assert not {"lazy_birds.birds", "lazy_birds.sounds"} & set(sys.modules)
    assert package.hoot() == "hu"
    assert "lazy_birds.sounds" in sys.modules
    assert "lazy_birds.birds" not in sys.modules


def test_what_was_used_once_stands_in_the_package(package):
    assert "Owl" not in vars(package)
    first = package.Owl
    assert vars(package)["Owl"] is first is sys.modules["lazy_birds.birds"].Owl


def test_public_names_are_listed_before_they_are_used(package):
    listed = dir(package)
    assert {"Owl", "hoot", "__name__"} <= set(listed)
    assert listed == sorted(set(listed))
    assert "lazy_birds.birds" not in sys.modules


def test_any_other_name_is_an_attribute_error_that_names_package_and_name(package):
    with pytest.raises(AttributeError, match=r"'lazy_birds'.*'owl'"):
        _ = package.owl
    assert not hasattr(package, "sparrow")
