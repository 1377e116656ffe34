"""A wrong configuration is one line that names file, key, value and what was expected."""

import csv
import io
import re

import pytest
from checkout import Checkout

from experiments import ConfigError


def experiment(settings):
    return settings["experiments"]["frontdoor"]


PAPER_ERRORS = {
    "unknown key": (
        lambda s: experiment(s).update(horizont=5),
        "config/papers/lee2019.yaml: experiments.frontdoor: .*'horizont' was unexpected.*known keys: batch, ",
    ),
    "unknown algorithm": (
        lambda s: experiment(s)["policies"]["ts_bf"].update(algorithm="thomson"),
        "experiments.frontdoor.policies.ts_bf.algorithm: 'thomson' is unknown; expected one of: .*kl_ucb.*thompson",
    ),
    "negative horizon": (
        lambda s: experiment(s).update(horizon=-5),
        "experiments.frontdoor.horizon: -5 is less than the minimum of 1",
    ),
    "no replicates": (
        lambda s: experiment(s).update(replicates=0),
        "experiments.frontdoor.replicates: 0 is less than the minimum of 1",
    ),
    "more jobs than can be planned": (
        lambda s: experiment(s).update(replicates=10**9, batch=1000),
        r"experiments.frontdoor: 1000000000 replicates in batches of (1000|250) are \d+ jobs of one policy; expected",
    ),
    "a number as text": (
        lambda s: experiment(s).update(horizon="ten"),
        "experiments.frontdoor.horizon: 'ten' is not of type 'integer'",
    ),
    "unknown problem": (
        lambda s: experiment(s).update(problem="backdoor"),
        "experiments.frontdoor.problem: 'backdoor' is unknown; expected one of: fourvar, frontdoor, sixvar",
    ),
    "unknown arms": (
        lambda s: experiment(s)["policies"]["ts_bf"].update(arms="best"),
        "policies.ts_bf.arms: 'best' is unknown; expected one of: brute_force, minimal, possibly_optimal",
    ),
    "unknown hyper-parameter": (
        lambda s: experiment(s)["policies"]["kl_ucb_bf"].update(parameters={"d": 1}),
        "policies.kl_ucb_bf.parameters: 'd' is unknown; expected one of: c",
    ),
    "impossible hyper-parameter": (
        lambda s: experiment(s)["policies"]["kl_ucb_bf"].update(parameters={"c": -1}),
        "policies.kl_ucb_bf.parameters: c=-1: must be from 0 to 10",
    ),
    "a broken number": (
        lambda s: experiment(s)["policies"]["kl_ucb_bf"].update(parameters={"c": float("nan")}),
        "policies.kl_ucb_bf.parameters.c: nan is not a finite float",
    ),
    "a hyper-parameter as text": (
        lambda s: experiment(s)["policies"]["kl_ucb_bf"].update(parameters={"c": "3"}),
        "policies.kl_ucb_bf.parameters.c: '3' is not a finite float",
    ),
    "a grid without values": (
        lambda s: experiment(s)["policies"]["kl_ucb_bf"].update(grid={"c": []}),
        r"experiments.frontdoor.policies.kl_ucb_bf.grid.c: \[\] should be non-empty",
    ),
    "an impossible value in a grid": (
        lambda s: experiment(s)["policies"]["kl_ucb_bf"].update(grid={"c": [3, -1]}),
        "experiments.frontdoor.policies.kl_ucb_bf.grid: c=-1: must be from 0 to 10",
    ),
    "a policy twice": (
        lambda s: experiment(s)["policies"]["kl_ucb_bf"].update(arms="minimal"),
        "experiments.frontdoor.policies: 'kl_ucb_bf' and 'kl_ucb_mis' have the same settings; expected each",
    ),
    "a fraction of a round": (
        lambda s: experiment(s).update(horizon=10000.0),
        "experiments.frontdoor.horizon: 10000.0 is not of type 'integer'",
    ),
    "two draws": (
        lambda s: s["experiments"]["uniform_cpt_fourvar"]["options"].update(draw=3),
        "experiments.uniform_cpt_fourvar: both 'seeds_per_draw' and a fixed 'draw'",
    ),
    "a folder as file": (
        lambda s: experiment(s).update(inputs={"file": "data"}),
        "experiments.frontdoor.inputs.file: no file 'data'",
    ),
    "missing file": (
        lambda s: experiment(s).update(inputs={"file": "data/nowhere.json"}),
        "experiments.frontdoor.inputs.file: no file 'data/nowhere.json'",
    ),
    "another noise": (
        lambda s: experiment(s).update(options={"noise": {"Q": 0.1}}),
        "experiments.frontdoor: .*noise Q=0.1; expected a probability of one of: X, Y, Z, XY",
    ),
    "figure of no experiment": (
        lambda s: s["figures"]["fig5"].update(experiments=["sevenvar"]),
        "figures.fig5.experiments: 'sevenvar' is unknown; expected one of: .*fourvar, frontdoor",
    ),
    "unknown figure": (
        lambda s: s["figures"].update(fig9={"caption": "none"}),
        "figures: 'fig9' is unknown; expected one of: .*fig1, fig2",
    ),
}

#: Changes of huang2024's file: stages, inputs that the study makes, kinds of problems.
STAGE_ERRORS = {
    "unknown builder": (
        lambda s: s["data"]["offline"].update(builder="online_samples"),
        r"huang2024.yaml: data.offline.builder: 'online_samples' is unknown; expected one of: offline_samples",
    ),
    "unknown option of a builder": (
        lambda s: s["data"]["offline"].update(options={"draw": 3}),
        r"huang2024.yaml: data.offline: builder 'offline_samples': .*draw",
    ),
    "input that nothing makes": (
        lambda s: s["bounds"]["contextual"].update(inputs={"offline": "<results>/huang2024/data/ofline.parquet"}),
        r"bounds.contextual.inputs.offline: '<results>/huang2024/data/ofline.parquet' is unknown; expected one of: ",
    ),
    "experiment named as a stage": (
        lambda s: s["experiments"].update(bounds=s["experiments"]["linear"]),
        r"huang2024.yaml: experiments: 'bounds' does not match",
    ),
    "policy of another kind of problem": (
        lambda s: s["experiments"]["linear"]["policies"].update(lin_ucb={"algorithm": "thompson"}),
        r"linear.policies.lin_ucb.algorithm: 'thompson' plays a SCMBandit, not a ContextualBandit",
    ),
    "arm strategy where there is none": (
        lambda s: s["experiments"]["linear"]["policies"].update(lin_ucb={"algorithm": "lin_ucb", "arms": "minimal"}),
        r"linear.policies.lin_ucb.arms: a ContextualBandit has one set of arms; expected no key 'arms'",
    ),
    "wrong hyper-parameter": (
        lambda s: s["experiments"]["linear"]["policies"].update(
            lin_ucb={"algorithm": "lin_ucb", "parameters": {"alpha": 0}}
        ),
        r"linear.policies.lin_ucb.parameters: alpha=0",
    ),
}

STUDY_ERRORS = {
    "unknown key": (
        {"seeds": 3},
        r"config/config.yaml.*'seeds' was unexpected.*known keys: papers, pathvars, scale, seed, time_limit",
    ),
    "unknown paper": ({"papers": ["lee2018"]}, r"papers: no paper 'lee2018'; expected one of: .*lee2019"),
    "negative seed": ({"seed": -1}, "seed: -1 is less than the minimum of 0"),
    "scale of zero": ({"scale": {"replicates": 0}}, "scale.replicates: 0 is less than the minimum of 1"),
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Checkout(tmp_path_factory.mktemp("errors") / "study")


def refused(study, message, **overlay):
    with pytest.raises(ConfigError) as error:
        study.study(**overlay).check()
    line = str(error.value)
    assert "\n" not in line
    assert line.startswith(("config/", "data/"))
    assert re.search(message, line), line


def with_paper(study, change, paper, message):
    path = study.folder / f"config/papers/{paper}.yaml"
    before = path.read_text()
    study.change_paper(change, paper)
    try:
        refused(study, message, papers=[paper])
    finally:
        path.write_text(before)


@pytest.mark.parametrize("case", PAPER_ERRORS)
def test_a_wrong_paper_file_is_refused(study, case):
    with_paper(study, PAPER_ERRORS[case][0], "lee2019", PAPER_ERRORS[case][1])


@pytest.mark.parametrize("case", STAGE_ERRORS)
def test_a_wrong_stage_is_refused(study, case):
    with_paper(study, STAGE_ERRORS[case][0], "huang2024", STAGE_ERRORS[case][1])


@pytest.mark.parametrize("case", STUDY_ERRORS)
def test_a_wrong_overlay_is_refused(study, case):
    settings, message = STUDY_ERRORS[case]
    refused(study, message, **settings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text + "title: again\n", "^config/papers/lee2019.yaml: not valid YAML: .*'title' stands twice"),
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
def test_a_text_that_is_wrong_is_refused_where_it_is_written(study, change, message):
    path = study.folder / "config/papers/lee2019.yaml"
    before = path.read_text()
    path.write_text(change(before))
    try:
        refused(study, message, papers=["lee2019"])
    finally:
        path.write_text(before)


def test_published_numbers_that_are_not_there_are_refused(study):
    path = study.folder / "data/published/lee2019.csv"
    hidden = path.rename(path.with_suffix(".hidden"))
    try:
        refused(study, "^data/published/lee2019.csv: no such file", papers=["lee2019"])
    finally:
        hidden.rename(path)


def _with_arguments(text, arguments):
    """The table, the arguments of its last claim others."""
    rows = list(csv.reader(io.StringIO(text)))
    rows[-1][rows[0].index("arguments")] = arguments
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue().encode()


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (
            lambda text: text.replace("claim_id", "claim_id\u2026", 1).encode("cp1252"),
            "line 1: the byte 0x85 is not UTF-8",
        ),
        (
            lambda text: text.encode("utf-16"),
            "line 1: the byte 0xff is not UTF-8; expected a table of claims, .* UTF-8$",
        ),
        (lambda text: text.encode("utf-8-sig"), "begins with a byte-order mark; expected UTF-8 without one$"),
        (lambda text: text.replace(",", ";").encode(), "^data/published/lee2019.csv:1: no column claim_id"),
        (
            lambda text: _with_arguments(text, "{trials: 5, trials: 50}"),
            r"^data/published/lee2019.csv:\d+: .*: arguments: '{trials: 5, trials: 50}': the key 'trials' stands twice",
        ),
    ],
    ids=["cp1252", "utf-16", "byte-order mark", "semicolons", "a key twice"],
)
def test_a_table_that_a_spreadsheet_or_a_slip_made_unreadable_is_named(study, saved, message):
    path = study.folder / "data/published/lee2019.csv"
    before = path.read_bytes()
    path.write_bytes(saved(before.decode()))
    try:
        refused(study, message, papers=["lee2019"])
    finally:
        path.write_bytes(before)


def test_what_is_committed_is_right(study):
    study.study().check()
