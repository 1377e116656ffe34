"""Parse the cell of a published table that identifies a policy by its algorithm and settings."""

from __future__ import annotations

import yaml

from experiments.errors import ConfigError
from experiments.settings import LOADER, Setting, as_setting


def selection(text: str, place: str) -> dict[str, Setting]:
    """Parse what selects a policy: its algorithm, then ``name=value`` in YAML, such as ``f_ucb tau=0.1``.

    Raises
    ------
    ConfigError
        If ``text`` is not of this form.
    """
    words = text.split()
    if not words:
        return {}
    algorithm, *named = words
    pairs = [word.partition("=") for word in named]
    names = [name for name, _, _ in pairs]
    try:
        values = [as_setting(yaml.load(value, LOADER)) for _, _, value in pairs]
    except yaml.YAMLError:
        values = []
    wrong = "=" in algorithm or not all(name and equals and value for name, equals, value in pairs)
    if wrong or len(values) < len(named) or len(set(names)) < len(names) or "algorithm" in names:
        raise ConfigError(
            f"{place}: {text!r} selects no policy; expected an algorithm, then name=value pairs, no name twice"
        )
    return {"algorithm": algorithm, **dict(zip(names, values, strict=True))}
