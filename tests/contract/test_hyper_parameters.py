"""What is no hyper-parameter is refused by name: numbers out of range, NaN, infinite, truth values, unknown texts."""

import dataclasses
import math
import re
from pathlib import Path

import numpy as np
import pytest

from causal_bandits.policies.registry import ALGORITHMS, load

#: An algorithm that is not listed here is somebody's own, of which the ranges are not known.
INDEX = Path(__file__).parents[2] / "docs/algorithms/index.md"
#: What no number may be, whatever its range.
NEVER = (math.nan, True, "1", "a number", "None")
# The ends that are taken, and the numbers nearest to them that are refused.
POSITIVE = [1e-9, 1e9], [0.0, -1e-9]
NOT_NEGATIVE = [0.0, 1e9], [-1e-9]
AT_LEAST_ONE = [1.0, 1e9], [1 - 1e-9]
INSIDE = [1e-9, 1 - 1e-9], [0.0, 1.0]
BELOW_ONE = [0.0, 1 - 1e-9], [-1e-9, 1.0]
SHARE = [1e-9, 1.0], [0.0, 1 + 1e-9]
UP_TO_TEN = [0.0, 10.0], [-1e-9, 10 + 1e-9]
ONE, TWO, ZERO = ([1, np.int64(9)], [0, 1.5]), ([2, 9], [1, 2.5]), ([0, 9], [-1, 0.5])
EXPLORING = {"epsilon": BELOW_ONE, "delta": INSIDE}
CCPE = {**EXPLORING, "divisor": AT_LEAST_ONE, "alpha_o": POSITIVE, "alpha_i": POSITIVE}
LINEAR = {"alpha": POSITIVE, "penalty": POSITIVE, "warm_weight": POSITIVE}
Z2 = {"replicates": TWO}
MATCHING = {"c": POSITIVE, "epsilon": POSITIVE, "tolerance": NOT_NEGATIVE}
#: For each algorithm the range of each hyper-parameter that is a number.
RANGES = {
    "c_ts": {"prior_ones": POSITIVE, "prior_zeros": POSITIVE},
    "ccpe_bglm": {**CCPE, "c": NOT_NEGATIVE},
    "ccpe_general": CCPE,
    "cn_ucb": {"confidence": INSIDE, "repeats": ONE, "exponent": POSITIVE},
    "explore_ends": {"explored": INSIDE},
    "f_ucb": {"tau": NOT_NEGATIVE, "alpha_r": NOT_NEGATIVE, "alpha_c": NOT_NEGATIVE},
    "fair_lin_ucb": {
        "alpha": POSITIVE,
        "alpha_max": NOT_NEGATIVE,
        "gamma": ([1 + 1e-9, 1e9], [1.0]),
        "penalty": POSITIVE,
    },
    "gaussian_thompson": {"prior_mean": ([-1e9, 1e9], []), "prior_sd": POSITIVE},
    "gaussian_ucb": {"exponent": POSITIVE},
    "kl_ucb": {"c": UP_TO_TEN},
    "lin_ucb": LINEAR,
    "lin_ucb_pcb": LINEAR,
    "lucb": {**EXPLORING, "alpha": POSITIVE},
    "normal_thompson": {"alpha": ([-100.0, -1e-9], [-100 - 1e-9, 0.0])},
    "oam": MATCHING,
    "oam_pcb": MATCHING,
    "observe_then_lucb": {**CCPE, "observations": ONE},
    "raps": {"confidence": INSIDE},
    "successive_rejects": {"budget": ONE, "watch": BELOW_ONE, "epsilon": BELOW_ONE},
    "thompson": {"prior_ones": POSITIVE, "prior_zeros": POSITIVE},
    "track_and_stop": {"epsilon": ([0.0], [-1e-9, 1e-9]), "delta": INSIDE},
    "ucb_plus": {"parents": ZERO, "alpha": POSITIVE},
    "ucb_plus_unknown": {"alpha": POSITIVE},
    "z2_kl_ucb": {**Z2, "c": UP_TO_TEN},
    "z2_thompson": Z2,
}


#: Texts that are names of columns of prior knowledge, which are looked for when the policy plays.
NAMES = {"warm_start", "upper"}


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_texts_that_are_no_choice_are_refused_by_name(algorithm):
    policy = load(algorithm)
    for field in dataclasses.fields(policy):
        if re.search(r"\bstr\b(?!,)|Literal", str(field.type)) and field.name not in NAMES:
            with pytest.raises(ValueError, match=f"^{field.name}='nonsense': (expected|must be one of)"):
                policy(**{field.name: "nonsense"})


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_numbers_out_of_range_are_refused_by_name(algorithm):
    policy, ranges = load(algorithm), RANGES.get(algorithm, {})
    numbers = {
        field.name for field in dataclasses.fields(policy) if {"int", "float"} & set(str(field.type).split(" | "))
    }
    if f"- [{policy.__name__}](" not in INDEX.read_text(encoding="utf-8"):
        ranges = dict.fromkeys(numbers - set(ranges), ([], [])) | ranges
    assert set(ranges) == numbers
    for name, (taken, refused) in ranges.items():
        for value in taken:
            assert getattr(policy(**{name: value}), name) == value
        known = (*refused, math.inf, -math.inf) if taken else ()
        for value in (*known, *NEVER):
            with pytest.raises(ValueError, match=f"^{name}={value!r}".replace("(", r"\(").replace(")", r"\)")):
                policy(**{name: value})
