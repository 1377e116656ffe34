"""Places of a published and a replicated value on one line."""

import pytest

from replication.tools.report.interval import Interval, interval


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.0, 5.0, 2.5, 10.0), Interval(8.0, 50.0, 29.0, 92.0)),
        ((3.0, 1.0, None, None), Interval(92.0, 8.0, None, None)),
        ((None, -1.0, -2.0, 2.0), Interval(None, 29.0, 8.0, 92.0)),
        ((0.0, 0.0, 0.0, 1.0), Interval(8.0, 8.0, 8.0, 92.0)),  # zero is a value
        ((2.0, 2.0, None, 2.0), None),
        ((None, 2.0, None, None), None),
        ((None, None, None, None), None),
    ],
)
def test_a_line_holds_all_values_with_a_margin(values, expected):
    assert interval(*values) == expected
