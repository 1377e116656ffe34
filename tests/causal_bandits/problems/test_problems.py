"""Problems by name: all of the papers and of the arena, and one's own by an import path."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from causal_bandits import problems
from causal_bandits.problems.construction import inputs
from experiments.config import home_of, read_paper
from experiments.study import policies_of

ROOT = Path(__file__).parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
OF_PAPERS = [name for name in problems.names() if not name.startswith("arena/")]


@pytest.fixture(scope="module")
def played():
    """Options of every problem that an experiment of a paper plays, without tables: those of its first policy."""
    found = {}
    for slug in CONFIG["papers"]:
        for experiment in read_paper(home_of(slug, ROOT))["experiments"].values():
            draw = {"draw": 0} if "seeds_per_draw" in experiment and "inputs" not in experiment else {}
            found.setdefault(experiment["problem"], policies_of(experiment)[0].options | draw)
    return found


def test_the_papers_and_the_arena_have_problems():
    papers = {name.partition("/")[0] for name in problems.names()}
    assert papers == {"arena", *CONFIG["papers"]}
    assert problems.names() == tuple(sorted(problems.names()))


@pytest.mark.parametrize("name", OF_PAPERS)
def test_every_problem_of_a_paper_is_a_bandit(name, played):
    given = played.get(name, {})
    try:
        inspect.signature(problems.load(name)).bind(**given)
    except TypeError:
        pytest.skip("it needs a table of an earlier stage, whose tests build it")
    bandit = problems.make(name, **given)
    assert len(bandit.arms) > 1
    assert bandit.uniforms >= 0


def test_an_own_problem_is_named_by_its_import_path():
    own = "causal_bandits.problems.lu2021:figure1"
    assert problems.make(own, states=3).states == problems.make("lu2021/figure1", states=3).states == 3
    assert problems.module_of(own) == problems.module_of("lu2021/figure1") == "causal_bandits.problems.lu2021"


@pytest.mark.parametrize("name", ["lee2019/sevenvar", "lee2020/sixvar", "sixvar", ""])
def test_an_unknown_name_is_refused_with_those_that_there_are(name):
    with pytest.raises(ValueError, match=f"no problem '{name}'; expected one of: arena/diagram, .*lee2019/frontdoor"):
        problems.make(name)


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("huang2022/adult_video", {"adult": "a.parquet", "records": "b.parquet", "draw": 0}, "joint counts of Adult"),
        ("huang2024/synthetic", {"bounds": "a.parquet", "draw": 0}, "causal bounds from offline data"),
        ("lu2021/learned", {"graphs": "a.parquet", "samples": 100, "draw": 0, "nodes": 5}, "graphs learned"),
    ],
)
def test_a_problem_of_a_table_says_which_table_is_missing(name, options, expected, tmp_path):
    options = {key: tmp_path / value if str(value).endswith(".parquet") else value for key, value in options.items()}
    with pytest.raises(FileNotFoundError, match=rf"a\.parquet: no such file; expected {expected}.*replication\.papers"):
        problems.make(name, **options)


def test_without_pyarrow_it_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"a\.parquet: pyarrow is needed to read it"):
        inputs.read(tmp_path / "a.parquet", "a table")


def test_to_name_the_module_of_a_problem_loads_none():
    """A plan of the whole study asks it of every experiment."""
    command = "import sys; from causal_bandits.problems import module_of; module_of('lu2021/tree'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "networkx", "causal_bandits.problems.lu2021"} & set(loaded)
