"""Errors in the configuration."""

from __future__ import annotations

from collections.abc import Iterable


class ConfigError(ValueError):
    """An invalid configuration; the message names the file, the key, the value and what was expected."""


def expect_known(value: str, known: Iterable[str], key: str) -> None:
    """Check that ``value`` of ``key`` is one of ``known``.

    Raises
    ------
    ConfigError
        If it is not.
    """
    if value not in known:
        raise ConfigError(f"{key}: {value!r} is unknown; expected one of: {', '.join(sorted(known))}")
