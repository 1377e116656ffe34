"""Settings are plain values in columns, and tell apart what differs."""

import pytest
import yaml

from experiments.settings import LOADER, as_setting, compact, differing, same


def test_a_key_stands_once_in_any_yaml():
    assert yaml.load("{a: {b: 1}, c: {b: 2}}", LOADER) == {"a": {"b": 1}, "c": {"b": 2}}
    with pytest.raises(yaml.YAMLError, match="the key 'b' occurs twice"):
        yaml.load("{a: {b: 1, b: 2}}", LOADER)


@pytest.mark.parametrize("value", [None, True, 3, 0.25, "best"])
def test_what_is_plain_stays(value):
    assert as_setting(value) is value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, 2.5], "[1, 2.5]"),
        (("a", None), "[a, null]"),
        ({"b": [True], "a": 1}, "{a: 1, b: [true]}"),
        (list(range(60)), f"[{', '.join(map(str, range(60)))}]"),
    ],
)
def test_the_rest_is_yaml_on_one_line(value, text):
    assert as_setting(value) == text


def test_equal_numbers_that_are_written_otherwise_stay_apart():
    assert [compact(value) for value in (1, 1.0, True, "1", 1, True)] == ["1", "1.0", "true", "'1'", "1", "true"]


def test_one_is_one_but_not_true():
    assert same(1, 1.0)
    assert same(True, True)
    assert not same(1, True)
    assert not same(0.1, 0.2)
    assert not same(None, 0)


def test_what_differs_is_named_in_order():
    first = {"algorithm": "ucb", "tau": 0.1, "n": 1, "shown": True}
    assert differing([first, first]) == []
    assert differing([first, first | {"n": 1.0}]) == []
    assert differing([first, first | {"shown": 1, "tau": 0.2}]) == ["tau", "shown"]
    assert differing([first, first, {"algorithm": "ucb", "n": 1, "shown": True, "late": 3}]) == ["tau", "late"]
    assert differing([first, first | {"absent": None}]) == []
