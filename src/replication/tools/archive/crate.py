"""Write a Workflow Run RO-Crate: workflow, configuration, inputs and results, each described.

Profile: Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5), on RO-Crate 1.1. Each file has its
digest. Runs of single seeds, which the tidy tables follow from, are left out.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from causal_bandits.provenance import git_commit
from replication.tools.archive.outputs import CONFIG, outputs, read_study

#: The profiles that the crate keeps, the most special first.
PROFILES = {
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
COMPUTATIONAL_WORKFLOW = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
#: RO-Crate 1.1 has no word for a file's digest; schema.org has, and RO-Crate 1.3 takes it from there.
TERM_OF_DIGESTS = {"sha256": "http://schema.org/sha256"}
#: What is packed of the checkout beside the workflow's definition.
PACKED = ("workflow", "profiles", "config", "src", "data", "docs", "README.md", "LICENSE", "CITATION.cff")
#: What lies in these folders without belonging to them: bytecode, kernels, the documentation's pages.
MADE = ("__pycache__", "_build", "generated")
#: Of files by suffix; all others are plain text.
ENCODINGS = {
    "cff": "application/yaml",
    "css": "text/css",
    "csv": "text/csv",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
    "py": "text/x-python",
    "sh": "application/x-sh",
    "smk": "text/x-python",
    "yaml": "application/yaml",
}
_STARTED = re.compile(r"started (\S+)")


class CrateError(Exception):
    """The results at hand cannot be packed; in one line."""


def span(logs: Path) -> tuple[str, str]:
    """Find when the first of the jobs at hand started and the last one ended, in ISO 8601.

    Raises
    ------
    CrateError
        If there are no logs.
    """
    started, ended = list[str](), list[float]()
    for path in logs.rglob("*.log"):
        with path.open(errors="replace") as file:
            told = _STARTED.match(file.readline())
        if told and "quick" not in path.relative_to(logs).parts:
            started.append(datetime.strptime(told[1], "%Y-%m-%dT%H:%M:%S%z").isoformat())
            ended.append(path.stat().st_mtime)
    if not started:
        raise CrateError(f"no logs of jobs in {logs}: run make reproduce")
    return min(started), datetime.fromtimestamp(max(ended)).astimezone().isoformat(timespec="seconds")


def crate(root: Path, folder: Path) -> int:
    """Write the crate of the results at published scale into a folder; returns how many results it holds.

    Parameters
    ----------
    root : Path
        The top folder.
    folder : Path
        Where to: must not be there yet.

    Raises
    ------
    CrateError
        If a result is missing, or the folder is there.
    """
    if folder.exists():
        raise CrateError(f"{folder} is there already; move it away")
    made = outputs(read_study(root))
    missing = [path for path in made if not (root / path).is_file()]
    if missing:
        raise CrateError(f"{len(missing)} results are missing, the first {missing[0]}: run make reproduce")
    made |= {
        path.relative_to(root).as_posix(): "tidy table"
        for path in sorted((root / "results").glob("*/*/*.parquet"))
        if "quick" not in path.relative_to(root).parts
    }
    with tempfile.TemporaryDirectory() as clean:
        _described(root, made, Path(clean)).write(folder)
    return len(made)


def _described(root: Path, made: dict[str, str], clean: Path) -> ROCrate:
    """Describe the crate, of results by path; ``clean`` is an empty folder that lasts until it is written."""
    began, ended = span(root / "logs")
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    package = ROCrate(version="1.1")
    package.metadata.extra_contexts.append(TERMS)
    package.metadata.extra_terms.update(TERM_OF_DIGESTS)
    package.name, package.description = citation["title"], " ".join(citation["abstract"].split())
    package.license, package.datePublished = _license(package, citation["license"]), datetime.fromisoformat(ended)
    package.keywords = citation["keywords"]
    author = package.add(
        ContextEntity(package, "#authors", properties={"@type": "Organization", "name": citation["authors"][0]["name"]})
    )
    package.creator = package.publisher = package.root_dataset["author"] = author
    package.root_dataset["conformsTo"] = [
        package.add(ContextEntity(package, url, properties={"@type": "CreativeWork", "name": name, "version": number}))
        for url, (name, number) in PROFILES.items()
    ]
    workflow = package.add_workflow(
        root / "Snakefile", "Snakefile", main=True, lang="snakemake", lang_version=version("snakemake")
    )
    workflow["name"], workflow["version"] = citation["title"], git_commit()
    workflow["license"], workflow["creator"] = package.license, author
    workflow["conformsTo"] = {"@id": COMPUTATIONAL_WORKFLOW}
    for name in PACKED:
        if (root / name).is_dir():
            shutil.copytree(root / name, clean / name, ignore=shutil.ignore_patterns(*MADE))
            package.add_tree(clean / name, name, properties={"name": name})
        else:
            package.add_file(root / name, name, properties={"name": name})
    files = [
        package.add_file(root / path, path, properties={"name": what})
        for path, what in [(str(CONFIG), "the study's configuration"), *made.items()]
    ]
    lock = package.add_file(
        root / "requirements.lock",
        "requirements.lock",
        properties={"name": "every package of the environment, with hashes"},
    )
    given, *results = files
    verdicts = next(file for file in results if file.id == "results/verdicts.csv")
    workflow["softwareRequirements"] = lock
    for role, name, file in (("input", "config", given), ("output", "verdicts", verdicts)):
        parameter = package.add(
            ContextEntity(
                package,
                f"#parameter-{name}",
                properties={
                    "@type": "FormalParameter",
                    "conformsTo": {"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"},
                    "additionalType": "File",
                    "name": name,
                    "encodingFormat": _encoding(file.id),
                    "valueRequired": True,
                },
            )
        )
        parameter["workExample"], file["exampleOfWork"] = file, parameter
        workflow[role] = parameter
    run = package.add_action(
        workflow,
        identifier="#run",
        object=given,
        result=results,
        properties={
            "name": "the study at published scale",
            "description": "snakemake --cores all",
            "startTime": began,
            "endTime": ended,
            "agent": {"@id": author.id},
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )
    package.root_dataset["mentions"] = run
    package.get("README.md")["about"] = package.root_dataset
    for part in package.data_entities:
        if part.type != "Dataset":
            part["encodingFormat"] = _encoding(part.id)
            part["sha256"] = hashlib.sha256(Path(part.source).read_bytes()).hexdigest()
        elif len(part.get("hasPart", [])) == 1:  # a list of one is to be written as that one
            part["hasPart"] = part["hasPart"][0]
    return package


def _encoding(path: str) -> str:
    return ENCODINGS.get(path.rpartition(".")[2], "text/plain")


def _license(package: ROCrate, name: str) -> ContextEntity:
    return package.add(
        ContextEntity(
            package,
            f"https://spdx.org/licenses/{name}",
            properties={"@type": "CreativeWork", "name": f"{name} License"},
        )
    )
