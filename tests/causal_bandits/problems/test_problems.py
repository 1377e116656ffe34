"""Problems by name: all of the papers and of the arena, and one's own by an import path."""

import subprocess
import sys

import pytest

from causal_bandits import parquet, problems

#: Arguments of those that have no defaults; a table of the study is needed by those that are not here.
OPTIONS = {
    "huang2022/email_users": {"draw": 0, "rounds": 10},
    "lu2021/tree": {"nodes": 5},
    "lu2021/forest": {"size": 3, "components": 2},
    "lu2021/general": {"size": 5},
    "lu2021/theorem4": {"nodes": 3, "states": 2, "horizon": 1000},
    "lu2021/theorem5": {"nodes": 3, "states": 2, "horizon": 1000},
    "xiong2023/parallel": {"variables": 3, "effect": 0.5},
    "xiong2023/two_gaps": {"size": 4, "variables": 3},
    "xiong2023/confounded": {"variables": 2, "effect": 0.5},
    "xiong2023/sequential": {"effect": 0.4},
    "xiong2023/parallel_bglm": {"causes": 6, "most": 1},
    "xiong2023/two_layers": {"most": 1},
    "xiong2023/rare_causes": {"chance": 0.05},
    "xiong2023/chain": {"depth": 2, "most": 1},
    "xiong2023/all_settings": {"causes": 2},
    "xiong2023/graded": {"chance": 0.1},
}
OF_TABLES = {"huang2022/adult_video", "lu2021/learned"}
OF_PAPERS = [name for name in problems.names() if not name.startswith("arena/")]


def test_the_five_papers_and_the_arena_have_problems():
    papers = {name.partition("/")[0] for name in problems.names()}
    assert papers == {"arena", "huang2022", "huang2024", "lee2019", "lu2021", "xiong2023"}
    assert problems.names() == tuple(sorted(problems.names()))


@pytest.mark.parametrize("name", [name for name in OF_PAPERS if name not in OF_TABLES])
def test_every_problem_of_a_paper_is_a_bandit(name):
    bandit = problems.make(name, **OPTIONS.get(name, {}))
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
        parquet.read(tmp_path / "a.parquet", "a table")


def test_to_name_the_module_of_a_problem_loads_none():
    """A plan of the whole study asks it of every experiment."""
    command = "import sys; from causal_bandits.problems import module_of; module_of('lu2021/tree'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "networkx", "causal_bandits.problems.lu2021"} & set(loaded)
