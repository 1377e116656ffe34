"""Numbers in a range, and choices; `tests/contract/test_hyper_parameters.py` tries them on every policy."""

from types import SimpleNamespace

import numpy as np
import pytest

from causal_bandits.checks import check_choice, check_numbers


@pytest.mark.parametrize(
    ("interval", "taken", "refused", "words"),
    [
        ("(0, 1]", [1e-9, 1, np.float32(0.5)], [0, 1.1, None, np.nan, np.bool_(1), [0.5], 1j], r"a number in \(0, 1\]"),
        ("[0, inf)", [0, 1e300], [-1e-300, np.inf, "0"], r"a number in \[0, inf\)"),
        ("(-inf, inf)", [-1e300, 0], [-np.inf, np.inf, np.nan], r"a number in \(-inf, inf\)"),
        ("integer in [1, 3)", [1, np.int8(2)], [0, 3, 1.0, True, None], r"an integer in \[1, 3\)"),
        ("None or integer in [1, inf)", [None, 1], [0, 1.5, np.nan], r"None or an integer in \[1, inf\)"),
        ("None or (0, inf)", [None, 0.1], [0, False, "None"], r"None or a number in \(0, inf\)"),
        ("count or (0, inf)", ["count", 0.1], [0, None, "a number"], r"count or a number in \(0, inf\)"),
    ],
)
def test_numbers(interval, taken, refused, words):
    for value in taken:
        check_numbers(SimpleNamespace(x=value), x=interval)
    for value in refused:
        with pytest.raises(ValueError, match=rf"^x=.*: expected {words}$"):
            check_numbers(SimpleNamespace(x=value), x=interval)


def test_every_number_is_looked_at():
    with pytest.raises(ValueError, match="b=2"):
        check_numbers(SimpleNamespace(a=1, b=2), a="[0, 1]", b="[0, 1]")


def test_a_misspelt_range_is_refused():
    with pytest.raises(ValueError, match="range '> 0': expected for instance"):
        check_numbers(SimpleNamespace(x=1), x="> 0")


def test_choices():
    check_choice("ties", "first", ("first", "random"))
    with pytest.raises(ValueError, match="ties='last': expected one of first, random"):
        check_choice("ties", "last", ("first", "random"))
