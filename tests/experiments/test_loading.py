"""Reading a paper's file: what its captions say, and files that are no YAML."""

import pytest
import yaml

from causal_bandits import problems
from experiments import config as loading
from experiments.config import INTERVALS, SCHEMAS, home_of, read_paper, read_yaml
from experiments.settings import ConfigError


def paper_of(folder, problem="lee2019/frontdoor", algorithm="thompson", **more):
    """A paper with one experiment of one policy, as it is read."""
    (folder / "config/papers").mkdir(parents=True)
    experiment = {"problem": problem, "horizon": 1, "replicates": 1, "policies": {"ts": {"algorithm": algorithm}}}
    settings = {"title": "t", "experiments": {"one": experiment}, **more}
    (folder / "config/papers/lee2019.yaml").write_text(yaml.safe_dump(settings))
    return read_paper(home_of("lee2019", folder))


@pytest.mark.parametrize("kind", INTERVALS)
def test_a_caption_says_what_the_intervals_are(tmp_path, kind):
    figures = {"fig": {"caption": "Regret. ", "intervals": kind}, "other": {"caption": "A graph."}}
    captions = {name: entry["caption"] for name, entry in paper_of(tmp_path, figures=figures)["figures"].items()}
    assert captions == {"fig": f"Regret. {INTERVALS[kind]}", "other": "A graph."}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"algorithm": "nowhere.at_all:Policy"}, "policies.ts.algorithm: 'nowhere.at_all:Policy' cannot be loaded"),
        ({"problem": "nowhere:build"}, "problem: 'nowhere:build' cannot be loaded"),
        ({"problem": "lee3019/frontdoor"}, "problem: 'lee3019/frontdoor' is unknown; expected one of: arena/"),
        (
            {"problem": "lee2019/frontdor"},
            "problem: 'lee2019/frontdor' is unknown; expected one of: .*lee2019/frontdoor",
        ),
        ({"algorithm": "unreadable:Policy"}, "policies.ts.algorithm: 'unreadable:Policy' cannot be loaded"),
    ],
)
def test_code_that_keys_cannot_be_made_of_is_refused_before_a_plan(tmp_path, monkeypatch, named, message):
    (tmp_path / "unreadable.py").write_text("def (")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=f"^config/papers/lee2019.yaml: experiments.one.{message}"):
        paper_of(tmp_path, **named)


def test_names_of_problems_are_those_that_an_import_gives():
    assert sorted(loading._problems()) == sorted(problems.names())


def test_the_schema_knows_the_kinds_of_intervals_that_captions_tell():
    schema = yaml.safe_load((SCHEMAS / "paper.yaml").read_text())
    assert schema["$defs"]["items"]["additionalProperties"]["properties"]["intervals"]["enum"] == list(INTERVALS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"^overlay\.yaml: no such file"),
        (
            "# für alle\nseed: 1\n".encode("latin-1"),
            r"^overlay\.yaml: line 1: the byte 0xfc is not UTF-8; expected a YAML file",
        ),
        ("seed: 1\n".encode("utf-16"), r"^overlay\.yaml: line 1: the byte 0xff is not UTF-8; expected a YAML file"),
        (b"seed: 1\nseed: 2\n", r"^overlay\.yaml: not valid YAML: the key 'seed' occurs twice"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, message):
    if content is not None:
        (tmp_path / "overlay.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=message) as refused:
        read_yaml(tmp_path / "overlay.yaml", "overlay.yaml")
    assert "\n" not in str(refused.value)
