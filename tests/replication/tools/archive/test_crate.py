"""The crate of a run keeps the profile of Workflow Run RO-Crates."""

import io
import json
import os
import shutil
import tarfile
from datetime import datetime
from importlib import resources
from pathlib import Path

import pytest
import requests
import yaml
from rocrate_validator import models, services
from urllib3 import HTTPResponse

from experiments.joblog import logged
from replication.tools.archive import release
from replication.tools.archive.crate import PACKED, CrateError, crate, span
from replication.tools.archive.outputs import CONFIG, outputs, read_study

ROOT = Path(__file__).parents[4]
#: What the profiles recommend and nobody knows yet: where the authors and the study will be found.
UNKNOWN = {"ro-crate-1.1_31.2", "process-run-crate-0.5_3.2", "process-run-crate-0.5_5.1"}
BIOSCHEMAS = "https://bioschemas.org"


@pytest.fixture
def contexts(monkeypatch):
    """Answer what the validator asks of the network: the contexts of RO-Crate 1.1 and of runs.

    The package `rocrate` ships the one of 1.3. Of what is used here, four terms of Bioschemas had other names in 1.1.
    """
    known = json.loads(resources.files("rocrate").joinpath("data/ro-crate.jsonld").read_text())
    known["@context"] |= {name: f"{BIOSCHEMAS}/{name}" for name in ("ComputationalWorkflow", "FormalParameter")}
    known["@context"] |= {name: f"{BIOSCHEMAS}/ComputationalWorkflow#{name}" for name in ("input", "output")}
    answers = {
        "https://w3id.org/ro/crate/1.1/context": known,
        "https://w3id.org/ro/terms/workflow-run/context": {"@context": {}},
    }

    def send(adapter, request, **_):
        answer = answers.get(request.url)
        body = io.BytesIO(json.dumps(answer or {}).encode())
        raw = HTTPResponse(body, {"content-type": "application/ld+json"}, 200 if answer else 404, preload_content=False)
        return adapter.build_response(request, raw)

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A checkout of one paper's study in which every output stands, as an empty run of one job."""
    root = tmp_path_factory.mktemp("archive") / "study"
    for name in (*PACKED, "Snakefile", "requirements.lock"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if name == "src":  # the package is looked at by name only
            (root / "src/causal_bandits").mkdir(parents=True)
            (root / "src/causal_bandits/__init__.py").touch()
        else:
            copy(ROOT / name, root / name)
    config = root / CONFIG
    config.write_text(yaml.safe_dump(yaml.safe_load(config.read_text()) | {"papers": ["lee2019"]}))
    for path in [*outputs(read_study(root)), "results/lee2019/sixvar/finals.parquet"]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("made\n")
    for made in ("src/causal_bandits/__pycache__/kernel.nbc", "docs/_build/html/index.html"):
        (root / made).parent.mkdir(parents=True, exist_ok=True)
        (root / made).touch()
    (root / "logs").mkdir()
    with logged(root / "logs/all_verdicts.log"):
        pass
    return root


def issues(folder, severity, **settings):
    settings = services.ValidationSettings(
        rocrate_uri=str(folder),
        profile_identifier="workflow-run-crate",
        requirement_severity=severity,
        **settings,
    )
    return [f"{issue.check.identifier}: {issue.message}" for issue in services.validate(settings).get_issues()]


@pytest.fixture(scope="module")
def written(study, tmp_path_factory):
    """The crate of the study."""
    folder = tmp_path_factory.mktemp("crate") / "crate"
    assert crate(study, folder) == len(outputs(read_study(study))) + 1
    return folder


def test_a_crate_holds_every_output_and_what_made_it(study, written):
    parts = {part["@id"]: part for part in json.loads((written / "ro-crate-metadata.json").read_text())["@graph"]}
    (run,) = (part for part in parts.values() if part["@type"] == "CreateAction")
    results = {*outputs(read_study(study)), "results/lee2019/sixvar/finals.parquet"}
    assert {part["@id"] for part in run["result"]} == results
    assert run["object"] == {"@id": str(CONFIG)}
    assert run["startTime"] <= run["endTime"]
    for name, file in {"config": str(CONFIG), "verdicts": "results/verdicts.csv"}.items():
        parameter = parts[f"#parameter-{name}"]
        assert (parameter["workExample"], parameter["encodingFormat"]) == ({"@id": file}, parts[file]["encodingFormat"])
        assert parts[file]["exampleOfWork"] == {"@id": f"#parameter-{name}"}
    for name in (*results, *PACKED, "Snakefile", "requirements.lock"):
        assert name in parts or f"{name}/" in parts
        assert (written / name).is_dir() or (written / name).read_bytes() == (study / name).read_bytes()
    assert parts["results/lee2019/sixvar/finals.parquet"]["name"] == "tidy table"
    assert not [path for name in ("__pycache__", "_build") for path in written.rglob(name)]


def test_a_packed_crate_passes_the_check_of_a_release(written, tmp_path):
    """As it is; not with a byte more in one of its files."""
    folder = shutil.copytree(written, tmp_path / "crate")
    packed = tmp_path / "crate.tar.gz"
    for changed, problems in ((b"", []), (b"x", ["Snakefile has another digest than its description says"])):
        with (folder / "Snakefile").open("ab") as file:
            file.write(changed)
        with tarfile.open(packed, "w:gz") as archive:
            archive.add(folder, "crate")
        assert list(release.crate(packed)) == problems


def test_a_crate_keeps_the_profile(written, tmp_path, contexts):
    assert {issue.partition(":")[0] for issue in issues(written, models.Severity.RECOMMENDED)} == UNKNOWN
    folder = shutil.copytree(written, tmp_path / "crate")
    described = folder / "ro-crate-metadata.json"
    described.write_text(described.read_text().replace('"CreateAction"', '"Action"'))
    assert any("instrument" in issue for issue in issues(folder, models.Severity.REQUIRED, abort_on_first=True))


def test_a_run_lasts_from_its_first_job_to_its_last(tmp_path):
    """The jobs of `make quick` are none of it, nor is a file that does not say when it started."""
    with pytest.raises(CrateError, match="no logs of jobs in"):
        span(tmp_path)
    logs = {"a/x": ("11:30", 300), "b": ("10:20", 200), "quick/c": ("09:00", 900), "d": (None, 800)}
    for name, (started, ended) in logs.items():
        path = tmp_path / f"{name}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"started 2024-05-01T{started}:00+0000\nand more\n" if started else "and more\n")
        os.utime(path, (ended, ended))
    started, ended = span(tmp_path)
    assert started == "2024-05-01T10:20:00+00:00"
    assert datetime.fromisoformat(ended).timestamp() == 300


def test_no_crate_of_half_a_study(study, tmp_path):
    gone = study / "results/verdicts.md"
    gone.rename(study / "hidden")
    with pytest.raises(CrateError, match=r"1 results are missing, the first results/verdicts\.md"):
        crate(study, tmp_path / "crate")
    (study / "hidden").rename(gone)
    with pytest.raises(CrateError, match="is there already"):
        crate(study, tmp_path)
