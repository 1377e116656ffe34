"""The root of the library's errors."""

import ast
from importlib import import_module
from pathlib import Path

import causal_bandits

ROOT = Path(__file__).parents[2]


def test_every_error_of_the_library_has_one_root():
    """Each is a ValueError too, as before there was a root."""
    named = {
        (path, node.name)
        for path in (ROOT / "src/causal_bandits").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ClassDef) and any("Error" in ast.unparse(base) for base in node.bases)
    }
    names = {name for _, name in named}
    assert {"NotIdentifiable", "NotLinear", "ContradictedGraph", "DataError", "TooWideError"} < names
    assert issubclass(causal_bandits.CausalBanditsError, ValueError)
    for path, name in named - {(ROOT / "src/causal_bandits/errors.py", "CausalBanditsError")}:
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        assert issubclass(getattr(import_module(module), name), causal_bandits.CausalBanditsError), name
    assert issubclass(causal_bandits.NotIdentifiable, causal_bandits.CausalBanditsError)
