"""Outputs without checksums of their own have a seal beside the results."""

import json

import pytest

from experiments.seals import is_broken, make, seal


@pytest.fixture
def outputs(tmp_path):
    outputs = [tmp_path / f"fig3{suffix}" for suffix in (".png", ".svg")]
    for output in outputs:
        output.write_bytes(output.name.encode() * 100)
    seal(outputs, tmp_path / "seal.json", "1f")
    return outputs


def test_what_was_sealed_is_whole(outputs, tmp_path):
    assert not is_broken(outputs, tmp_path / "seal.json", "1f")


def test_outputs_are_sealed_once_they_are_made(tmp_path):
    """By a function that is named; where it fails there is no seal."""
    output, path = tmp_path / "table.csv", tmp_path / "seal.json"
    whole = {"sealed": [str(output)], "seal_path": str(path), "made_from": "1f"}
    make(f"{__name__}:write", **whole, output=output)
    assert not is_broken([output], path, "1f")
    path.unlink()
    with pytest.raises(TypeError):
        make(f"{__name__}:write", **whole)
    assert not path.exists()


def write(output):
    output.write_text("a,b")


@pytest.mark.parametrize(
    "damage", [lambda b: b"", lambda b: b[:-1], lambda b: b[:9] + b"x" + b[10:], lambda b: b + b"\n"]
)
def test_any_change_breaks_the_seal(outputs, tmp_path, damage):
    outputs[1].write_bytes(damage(outputs[1].read_bytes()))
    assert is_broken(outputs, tmp_path / "seal.json", "1f")


def test_other_code_or_configuration_breaks_it(outputs, tmp_path):
    assert is_broken(outputs, tmp_path / "seal.json", "2f")


def test_an_output_that_is_gone_is_made_again_anyway(outputs, tmp_path):
    outputs[0].unlink()
    assert not is_broken(outputs, tmp_path / "seal.json", "1f")
    outputs[1].unlink()
    assert not is_broken(outputs, tmp_path / "none.json", "1f")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"made_from": "1f", "files": {}}), None])
def test_without_a_whole_seal_nothing_is_believed(outputs, tmp_path, text):
    """As the committed figures of a fresh clone."""
    if text is None:
        (tmp_path / "seal.json").unlink()
    else:
        (tmp_path / "seal.json").write_text(text)
    assert is_broken(outputs, tmp_path / "seal.json", "1f")
