"""Each kind of argument ends where its words say."""

from typing import get_args

import pytest

from replication.judging.judges import arguments


@pytest.mark.parametrize(
    ("kind", "fit", "do_not"),
    [
        (arguments.Count, [1, 1000], [0, -1]),
        (arguments.Positive, [1e-300, 5.0], [0.0, -1e-300]),
        (arguments.NotNegative, [0.0, 5.0], [-1e-300]),
        (arguments.Probability, [1e-300, 1.0], [0.0, 1 + 1e-12]),
        (arguments.Percent, [1e-300, 100.0], [0.0, 100 + 1e-9]),
        (
            arguments.Along,
            [{"n": [1, 2]}, {"n": [-1, 0]}],
            [{}, {"n": [1]}, {"n": [1, 1]}, {"n": [2, 1]}, {"n": [1, 3, 2]}, {"n": [1, 2], "m": [1, 2]}],
        ),
        (
            arguments.Sizes,
            [{"n": [1, 2, 3]}, {"n": [1e-300, 1, 2]}],
            [{}, {"n": [1, 2]}, {"n": [0, 1, 2]}, {"n": [1, 3, 2]}, {"n": [1, 2, 3], "m": [1, 2, 3]}],
        ),
    ],
)
def test_borders(kind, fit, do_not):
    _, expected = get_args(kind)
    assert all(expected.holds(value) for value in fit)
    assert not any(expected.holds(value) for value in do_not)
