"""What the `constraints` of a policy do not allow is refused by name, and the docstring says what they allow."""

import dataclasses
import inspect
import math
import re

import numpy as np
import pytest

from causal_bandits.checks import Interval
from causal_bandits.policies.registry import ALGORITHMS, load

#: What no number and no word may be.
NEVER = (math.nan, True, "1", "a number", "None", "nonsense")
#: Texts that are names of columns of prior knowledge, which are looked for when the policy plays.
NAMES = {"warm_start", "upper"}


def alternatives(allowed):
    return allowed if isinstance(allowed, tuple) else (allowed,)


def edges(interval):
    """The ends of an interval, or the numbers next to them, that it has, and those that it lacks."""
    step = 1 if interval.integer else 1e-9
    taken, refused = [], [0.5 + (interval.low if math.isfinite(interval.low) else 0)] if interval.integer else []
    for end, inwards, closed in ((interval.low, step, "left"), (interval.high, -step, "right")):
        if not math.isfinite(end):
            refused.append(end)
            taken.append(np.int64(9) if interval.integer else math.copysign(1e9, end))
        elif interval.closed in (closed, "both"):
            taken.append(end)
            refused.append(end - inwards)
        else:
            taken.append(end + inwards)
            refused.append(end)
    return taken, refused


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
class TestConstraints:
    def test_every_number_and_every_choice_has_one(self, algorithm):
        policy = load(algorithm)
        kinds = {field.name: str(field.type) for field in dataclasses.fields(policy)}
        constrained = {name for name, kind in kinds.items() if re.search(r"\b(int|float|str)\b(?!,)", kind)} - NAMES
        assert set(getattr(policy, "constraints", {})) == constrained

    def test_what_is_allowed_is_taken_and_nothing_else(self, algorithm):
        policy = load(algorithm)
        for name, allowed in getattr(policy, "constraints", {}).items():
            taken, refused = [], list(NEVER)
            for each in alternatives(allowed):
                if isinstance(each, Interval):
                    inside, outside = edges(each)
                    taken, refused = [*taken, *inside], [*refused, *outside]
                else:
                    taken.append(each)
            for value in taken:
                assert getattr(policy(**{name: value}), name) == value
            for value in refused:
                with pytest.raises(ValueError, match=re.escape(f"{name}={value!r}: expected ")):
                    policy(**{name: value})

    def test_the_docstring_says_it(self, algorithm):
        """Unless it refers to the algorithm that has the parameter too."""
        policy = load(algorithm)
        for name, allowed in getattr(policy, "constraints", {}).items():
            (kind,) = re.findall(rf"^(?:\w+, )*{name}(?:, \w+)*( : .*)?$", inspect.getdoc(policy), re.MULTILINE)
            for each in alternatives(allowed) if kind else ():
                assert (str(each) if isinstance(each, Interval) else f'"{each}"' if each else "None") in kind
