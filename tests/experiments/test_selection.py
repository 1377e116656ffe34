"""A policy as a published table names it: an algorithm and settings in one cell."""

import pytest

from experiments.settings import ConfigError, selection


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("  ", {}),
        ("ucb", {"algorithm": "ucb"}),
        ("f_ucb  tau=0.1 fallback=best", {"algorithm": "f_ucb", "tau": 0.1, "fallback": "best"}),
        ("a x=true y=null z=3", {"algorithm": "a", "x": True, "y": None, "z": 3}),
        ("a model=b=c", {"algorithm": "a", "model": "b=c"}),
    ],
)
def test_values_are_read_as_yaml(text, expected):
    found = selection(text, "here")
    assert found == expected
    assert [type(value) for value in found.values()] == [type(value) for value in expected.values()]


@pytest.mark.parametrize(
    "text", ["tau=0.1", "f_ucb tau", "f_ucb tau=", "f_ucb =0.1", "f_ucb tau=0.1 tau=0.2", "a algorithm=b", "a x={1"]
)
def test_what_selects_nothing_is_refused_with_its_place_and_text(text):
    with pytest.raises(ConfigError, match=r"^p\.csv:7: policy: ") as refused:
        selection(text, "p.csv:7: policy")
    assert repr(text) in str(refused.value)
