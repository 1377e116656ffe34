"""Numbers in a range, and choices; `tests/contract/test_hyper_parameters.py` tries them on every policy."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest

from causal_bandits.checks import COUNT, FINITE, NOT_NEGATIVE, POSITIVE, Interval, check, constrained


@pytest.mark.parametrize(
    ("allowed", "taken", "refused", "words"),
    [
        (
            Interval(0, 1, "right"),
            [1e-9, 1, np.float32(0.5)],
            [0, 1.1, None, np.nan, np.bool_(1), [0.5], 1j],
            "a number in (0, 1]",
        ),
        (Interval(0, 1, "left"), [0, 1 - 1e-9], [1, -1e-9], "a number in [0, 1)"),
        (Interval(0, 1, "both"), [0, 1], [1 + 1e-9, -1e-9], "a number in [0, 1]"),
        (NOT_NEGATIVE, [0, 1e300], [-1e-300, np.inf, "0"], "a number in [0, inf)"),
        (FINITE, [-1e300, 0], [-np.inf, np.inf, np.nan], "a number in (-inf, inf)"),
        (Interval(1, 3, "left", integer=True), [1, np.int8(2)], [0, 3, 1.0, True, None], "an integer in [1, 3)"),
        ((None, COUNT), [None, 1], [0, 1.5, np.nan], "None or an integer in [1, inf)"),
        ((None, POSITIVE), [None, 0.1], [0, False, "None"], "None or a number in (0, inf)"),
        (("count", POSITIVE), ["count", 0.1], [0, None, "a number"], "count or a number in (0, inf)"),
        (("first", "random"), ["first", "random"], ["last", None, 0, ["first"], np.zeros(2)], "one of first, random"),
    ],
)
def test_what_is_allowed_is_taken_and_all_else_is_refused(allowed, taken, refused, words):
    for value in taken:
        check("x", value, allowed)
    for value in refused:
        with pytest.raises(ValueError, match=r"^x=") as error:
            check("x", value, allowed)
        assert str(error.value).endswith(f": expected {words}")


@dataclass(frozen=True)
@constrained
class Base:
    """Do it.

    Parameters
    ----------
    a, b : float
        Two numbers.
    c : int or str
        A count, or all.
    d : str
        A word that may be any.
    """

    constraints = {"a": POSITIVE, "b": POSITIVE, "c": ("all", COUNT)}  # noqa: RUF012

    a: float = 1.0
    b: float = 1.0
    c: int | str = "all"
    d: str = ""

    def __post_init__(self):
        if self.a == self.b == 2:
            raise ValueError("a and b are both 2")


@dataclass(frozen=True)
@constrained
class Derived(Base):
    """Do it otherwise."""

    constraints = {"b": Interval(0, 1), "e": ("x", "y")}  # noqa: RUF012

    b: float = 0.5
    e: str = "x"


def test_a_class_checks_its_constraints_and_those_of_its_bases_and_then_what_it_checks_itself():
    assert Base(c=3, d="anything").c == 3
    for made, message in (
        (lambda: Base(b=0), r"b=0: expected a number in \(0, inf\)"),
        (lambda: Base(a=2, b=2), "both 2"),
        (lambda: Derived(a=-1), "a=-1"),
        (lambda: Derived(b=2.0), r"b=2.0: expected a number in \(0, 1\)"),
        (lambda: Derived(e="z"), "e='z': expected one of x, y"),
    ):
        with pytest.raises(ValueError, match=message):
            made()


def test_the_docstring_says_what_is_allowed():
    lines = [line for line in inspect.getdoc(Base).splitlines() if " : " in line]
    assert lines == ["a, b : float in (0, inf)", 'c : {"all"} or int in [1, inf)', "d : str"]
