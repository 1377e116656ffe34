"""Read the keys of a module's dictionary without importing the module."""

from __future__ import annotations

import ast

from causal_bandits.provenance import SOURCE
from experiments.errors import ConfigError


def dictionary_keys(module: str, name: str) -> set[str]:
    """Read the keys of a module's annotated dictionary from its source.

    To import a module that draws would take a second.

    Parameters
    ----------
    module : str
        A module of this checkout, with dots.
    name : str
        Of the dictionary.

    Raises
    ------
    ConfigError
        If the module has no such dictionary.
    """
    for node in ast.parse(SOURCE.joinpath(*module.split(".")).with_suffix(".py").read_bytes()).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict) and ast.unparse(node.target) == name:
            return {ast.literal_eval(key) for key in node.value.keys if key is not None}
    raise ConfigError(f"{module}: no annotated dictionary {name}")
