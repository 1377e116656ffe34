"""Everything that can be wrong with a configuration is one line that names file, key, value and what was expected."""

import dataclasses
import re
import sys
import types

import pytest
from checkout import ROOT, read_yaml
from email_campaign import email, set_grid, set_policy

from causal_bandits.policies import registry
from experiments import checks, provenance
from experiments import settings as policy_settings
from experiments.settings import ConfigError
from experiments.study import Study
from replication.judging.binding import check_claims

KEY = "config/papers/huang2022.yaml: experiments.email"


def at(path, **changes):
    """Update the mapping at a path of a paper's settings."""

    def change(settings):
        for part in filter(None, path.split("/")):
            settings = settings[part]
        settings.update(changes)

    return change


TASK, BF, LIN = "experiments/frontdoor", "experiments/frontdoor/policies/kl_ucb_bf", "experiments/linear/policies"

#: A paper, what is changed in its file, and what is said of it.
CASES = [
    ("huang2022", set_grid({"tau": []}), rf"{KEY}.policies.f.grid.tau: \[\] should be non-empty$"),
    ("huang2022", set_grid({}), rf"{KEY}.policies.f.grid: {{}} should be non-empty$"),
    ("huang2022", set_grid({"tau": 0.1}), rf"{KEY}.policies.f.grid.tau: 0.1 is not of type 'array'$"),
    ("huang2022", set_grid({"tau": [[0.1]]}), rf"{KEY}.policies.f.grid.tau.0: \[0.1\] is not of type "),
    (
        "huang2022",
        set_grid({"tua": [0.1]}),
        rf"{KEY}.policies.f.grid: 'tua' is unknown; expected one of: alpha_c, .*tau$",
    ),
    ("huang2022", set_grid({"tau": [0.1, "big"]}), rf"{KEY}.policies.f.grid.tau: 'big' is not a finite float$"),
    ("huang2022", set_grid({"tau": [0.15, -1]}), rf"{KEY}.policies.f.grid: tau=-1"),
    (
        "huang2022",
        set_grid({"tau": [0.15, 0.15]}),
        rf"{KEY}.policies.f.grid.tau: 0.15 is listed twice; expected distinct values",
    ),
    (
        "huang2022",
        set_policy("again", algorithm="ucb", parameters={"context_free": False}),
        rf"{KEY}.policies: 'ucb' and 'again' have the same settings; expected different ones$",
    ),
    ("huang2022", at("experiments/email", grid={"size": [10]}), rf"{KEY}: problem 'huang2022/email': .*'size'"),
    ("huang2022", at("", readings={}), ".*'readings' was unexpected"),
    (
        "lee2019",
        at(TASK, horizont=5),
        "lee2019.yaml: experiments.frontdoor: .*'horizont' was unexpected.*known keys: checkpoints, ",
    ),
    ("lee2019", at(TASK, horizon=-5), "experiments.frontdoor.horizon: -5 is less than the minimum of 1"),
    ("lee2019", at(TASK, horizon="ten"), "experiments.frontdoor.horizon: 'ten' is not of type 'integer'"),
    ("lee2019", at(TASK, horizon=10000.0), "experiments.frontdoor.horizon: 10000.0 is not of type 'integer'"),
    (
        "lee2019",
        at(TASK, problem="backdoor"),
        "problem: 'backdoor' is unknown; expected one of: arena/diagram, .*lee2019/fourvar, lee2019/frontdoor, ",
    ),
    ("lee2019", at(BF, algorithm="thomson"), "kl_ucb_bf.algorithm: 'thomson' is unknown; expected one of: .*thompson"),
    ("lee2019", at(BF, arms="best"), "kl_ucb_bf.arms: 'best' is unknown; expected one of: brute_force, minimal, "),
    ("lee2019", at(BF, parameters={"d": 1}), "policies.kl_ucb_bf.parameters: 'd' is unknown; expected one of: c"),
    ("lee2019", at(BF, parameters={"c": -1}), "policies.kl_ucb_bf.parameters: c=-1: expected a number in .0, 10."),
    ("lee2019", at(BF, parameters={"c": float("nan")}), "policies.kl_ucb_bf.parameters.c: nan is not a finite float"),
    ("lee2019", at(BF, parameters={"c": "3"}), "policies.kl_ucb_bf.parameters.c: '3' is not a finite float"),
    ("lee2019", at(TASK, seeds_per_draw=1, options={"draw": 3}), "both 'seeds_per_draw' and a fixed 'draw'"),
    ("lee2019", at(TASK, inputs={"path": "data"}), "frontdoor.inputs.path: no file 'data'"),
    ("lee2019", at("figures/fig5", experiments=["sevenvar"]), "figures.fig5.experiments: 'sevenvar' is unknown"),
    ("lee2019", at("figures", fig9={"caption": "none"}), "figures: 'fig9' is unknown; expected one of: .*fig1, fig2"),
    (
        "huang2024",
        at("data/offline", builder="online"),
        "data.offline.builder: 'online' is unknown; expected one of: .*offline",
    ),
    ("huang2024", at("data/offline", options={"draw": 3}), "data.offline: builder 'offline_samples': .*draw"),
    (
        "huang2024",
        at("bounds/contextual", inputs={"offline": "<results>/huang2024/data/ofline.parquet"}),
        "bounds.contextual.inputs.offline: '<results>/huang2024/data/ofline.parquet' is unknown; expected one of: ",
    ),
    (
        "huang2024",
        lambda s: s["experiments"].update(bounds=s["experiments"]["linear"]),
        "experiments: 'bounds' does not match",
    ),
    (
        "huang2024",
        at(LIN, lin_ucb={"algorithm": "thompson"}),
        "'thompson' plays a StructuralBandit, not a ContextualBandit",
    ),
    (
        "huang2024",
        at(LIN, lin_ucb={"algorithm": "lin_ucb", "arms": "minimal"}),
        "policies.lin_ucb.arms: a ContextualBandit has one set of arms; expected no key 'arms'",
    ),
]

STUDY_ERRORS = {
    "unknown key": (
        {"seeds": 3},
        r"config/config.yaml.*'seeds' was unexpected.*known keys: files, modules, papers, pathvars, raw, scale, seed",
    ),
    "unknown paper": ({"papers": ["lee2018"]}, r"papers: no paper 'lee2018'; expected one of: .*lee2019"),
    "negative seed": ({"seed": -1}, "seed: -1 is less than the minimum of 0"),
    "scale of zero": ({"scale": {"replicates": 0}}, "scale.replicates: 0 is less than the minimum of 1"),
}


def refused(message, make):
    def check():
        made = make()
        checks.check(made)
        check_claims(made)

    with pytest.raises(ConfigError) as error:
        check()
    line = str(error.value)
    assert "\n" not in line
    assert line.startswith(("config/", "data/"))
    assert re.search(message, line), line


@pytest.mark.parametrize(("paper", "change", "message"), CASES)
def test_a_wrong_paper_file_is_refused(study, paper, change, message):
    refused(message, lambda: study(change, paper))


@pytest.mark.parametrize("case", STUDY_ERRORS)
def test_a_wrong_overlay_is_refused(root, case):
    settings, message = STUDY_ERRORS[case]
    refused(message, lambda: Study(read_yaml(ROOT / "config/config.yaml") | settings, root))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text + "title: again\n", "^config/papers/lee2019.yaml: not valid YAML: .*'title' occurs twice"),
        (lambda text: "experiments: [", "^config/papers/lee2019.yaml: not valid YAML"),
        # `fourvar` and `sixvar` take it from `frontdoor` by an alias: it is written there.
        (
            lambda text: text.replace("    horizon: 10000\n", "    horizont: 10000\n", 1),
            r"^config/papers/lee2019.yaml: experiments\.frontdoor: .*'horizont' was unexpected",
        ),
        (
            lambda text: text.replace("    horizon: 10000\n", "    horizon: ten\n", 1),
            r"^config/papers/lee2019.yaml: experiments\.frontdoor\.horizon: 'ten' is not of type 'integer'",
        ),
    ],
)
def test_a_text_that_is_wrong_is_refused_where_it_is_written(root, study, change, message):
    path = root / "config/papers/lee2019.yaml"
    path.write_text(change(path.read_text()))
    refused(message, lambda: study(paper="lee2019"))


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (
            lambda text: text.replace("id", "id\u2026", 1).encode("cp1252"),
            "line 1: the byte 0x85 is not UTF-8",
        ),
        (
            lambda text: text.encode("utf-16"),
            "line 1: the byte 0xff is not UTF-8; expected a comma-separated table of claims, in UTF-8$",
        ),
        (lambda text: text.encode("utf-8-sig"), r"csv:1: no column id, unknown '\\ufeffid'; expected"),
        (lambda text: text.replace(",", ";").encode(), "^data/published/lee2019.csv:1: no column id"),
    ],
    ids=["cp1252", "utf-16", "byte-order mark", "semicolons"],
)
def test_a_table_that_a_spreadsheet_or_a_slip_made_unreadable_is_named(root, study, saved, message):
    (root / "data").unlink()
    (root / "data/published").mkdir(parents=True)
    for part in ("instances", "tables", "networks"):
        (root / "data" / part).symlink_to(ROOT / "data" / part)
    (root / "data/published/curves").symlink_to(ROOT / "data/published/curves")
    text = (ROOT / "data/published/lee2019.csv").read_text()
    (root / "data/published/lee2019.csv").write_bytes(saved(text))
    refused(message, lambda: study(paper="lee2019"))


def test_what_is_committed_is_right():
    found = Study(read_yaml(ROOT / "config/config.yaml"), ROOT)
    checks.check(found)
    check_claims(found)


def test_policies_that_are_left_out_are_checked_too(study):
    change = set_policy("f", algorithm="f_ucb", parameters={"tua": 1}, when="whole")
    refused("policies.f.parameters: 'tua' is unknown", lambda: study(change, when="small"))


@pytest.mark.parametrize(
    ("checkpoints", "rounds", "expected"),
    [(3, 15, "10 or 20"), (3, 30, "20"), (3, 5, "10"), (1, 30, "no milestones with a single checkpoint")],
)
def test_a_milestone_is_a_checkpoint_before_the_last(checkpoints, rounds, expected):
    experiment = {"horizon": 30, "checkpoints": checkpoints, "milestones": [rounds]}
    with pytest.raises(
        ConfigError, match=f"^e.milestones: no values are recorded after {rounds} rounds; expected {expected}$"
    ):
        checks._check_milestones(experiment, "e.milestones")
    checks._check_milestones({"horizon": 30, "checkpoints": 3, "milestones": [10, 20]}, "e.milestones")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "thresholds",
            "the option of the problem 'thresholds' has the name of the hyper-parameter 'thresholds'; expected",
        ),
        (
            "seed",
            "the hyper-parameter 'seed' has the name of the column 'seed' of the tidy tables; expected another name",
        ),
        ("problem", "the key 'problem' has the name of the hyper-parameter 'problem'; expected another name"),
    ],
)
def test_settings_that_share_a_name_are_refused(study, monkeypatch, name, message):
    module = types.ModuleType("named_algorithm")
    module.Named = dataclasses.make_dataclass(
        "Named", [(name, object, 0)], namespace={"plays": object, "run": print}, frozen=True
    )
    monkeypatch.setitem(sys.modules, "named_algorithm", module)
    monkeypatch.setitem(registry.ALGORITHMS, "named", "named_algorithm:Named")
    policy_settings.hyper_parameters.cache_clear()

    def change(settings):
        email(settings)["policies"] = {"named": {"algorithm": "named"}}
        email(settings)["options"] = {"thresholds": [0.1]}

    with pytest.raises(ConfigError) as error:
        checks.check(study(change))
    assert str(error.value).startswith(f"{KEY}.policies.named: {message}"), error.value


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class Broken: ...", "is not a dataclass"),
        ("def (", r"cannot be loaded \(SyntaxError: invalid syntax"),
        ("", r"cannot be loaded \(AttributeError: .*no attribute 'Broken'"),
        (
            "from dataclasses import dataclass\n\n@dataclass\nclass Broken: ...",
            "is not an algorithm; expected a method 'run'",
        ),
        (None, r"cannot be loaded \(ModuleNotFoundError: No module named 'broken_algorithm'"),
    ],
)
def test_a_policy_that_cannot_be_loaded_is_named(study, tmp_path, monkeypatch, source, message):
    if source is not None:
        (tmp_path / "broken_algorithm.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_algorithm", raising=False)
    path = "broken_algorithm:Broken"
    with pytest.raises(ConfigError, match=rf"^{re.escape(KEY)}.policies.broken.algorithm: '{path}' {message}"):
        checks.check(study(lambda settings: email(settings)["policies"].update(broken={"algorithm": path})))


def test_an_algorithm_of_somebody_else_plays_by_its_import_path(study, tmp_path, monkeypatch):
    """The digest of its code covers what it imports of its own package, and ours."""
    package = tmp_path / "their_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "step.py").write_text("STEP = 1\n")
    (package / "turns.py").write_text(
        "from dataclasses import dataclass\n"
        "from causal_bandits.policies.contextual.ucb import UCB\n"
        "from their_package.step import STEP\n\n"
        "@dataclass(frozen=True)\nclass Turns(UCB):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    path = "their_package.turns:Turns"
    made = study(lambda settings: email(settings)["policies"].update(turns={"algorithm": path}))
    checks.check(made)
    (job,) = (p for p in made.experiment_job("huang2022", "email").policies if p.label == "turns")
    assert job.algorithm == job.path == path
    modules = provenance.imported_modules(["their_package.turns"])
    assert {"their_package.step", "causal_bandits.policies.contextual.ucb"} <= set(modules)
    before = provenance.code_digest(["their_package.turns"])
    (package / "step.py").write_text("STEP = 2\n")
    assert provenance.code_digest(["their_package.turns"]) != before
