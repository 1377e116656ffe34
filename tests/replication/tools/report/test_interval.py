"""Places of a published and a replicated value on one line."""

import pytest

from replication.tools.report.interval import Place, places


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            (0.0, 5.0, 2.5, 10.0),
            {"published": (8, "0"), "replicated": (50, "5"), "low": (29, "2.5"), "high": (92, "10"), "zero": (8, "0")},
        ),
        ((3.0, 1.0, None, None), {"published": (92, "3"), "replicated": (36, "1"), "zero": (8, "0")}),
        ((30.0, 10.0, None, None), {"published": (92, "30"), "replicated": (36, "10"), "zero": (8, "0")}),
        ((1030.0, 1010.0, None, None), {"published": (92, "1,030"), "replicated": (8, "1,010")}),  # zero is far
        (
            (None, -1.0, -2.0, 2.0),
            {"replicated": (29, "-1"), "low": (8, "-2"), "high": (92, "2"), "zero": (50, "0")},
        ),
        (
            (None, 5.0, 4.9, 9.0),  # the low end would cover our value
            {"replicated": (54.67, "5"), "low": (53.73, ""), "high": (92, "9"), "zero": (8, "0")},
        ),
        ((None, 35.0, 30.0, 40.0), {"replicated": (81.5, "35"), "low": (71, ""), "high": (92, ""), "zero": (8, "0")}),
        ((2.0, 2.0, None, 2.0), {}),
        ((None, 2.0, None, None), {}),
        ((None, None, None, None), {}),
    ],
)
def test_a_line_holds_all_values_with_a_margin(values, expected):
    found = places(**dict(zip(("published", "replicated", "low", "high"), values, strict=True)))
    assert found == {name: Place(*place) for name, place in expected.items()}
