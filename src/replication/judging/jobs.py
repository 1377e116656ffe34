"""Jobs that judge: one per paper, and one that combines the papers' verdicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from experiments.key import content, key_of
from experiments.provenance import exists
from experiments.study import ReaderJob, Study


@dataclass(frozen=True, kw_only=True)
class VerdictsJob(ReaderJob):
    """The job that makes the verdicts of one paper, with its slug."""

    paper: str


def verdicts_job(study: Study, paper: str) -> VerdictsJob:
    """Return the job that judges one paper's claims on the experiments that are played."""
    experiments = tuple(study.wanted(paper, "experiments"))
    job = VerdictsJob(
        paper=paper,
        experiments=experiments,
        tidy=study.keys(paper, experiments),
        inputs=study.input_keys(study.stage_files(paper)),
    )
    claims = study.module(paper, "claims")
    modules = [claims] if exists(claims) else []
    return replace(job, key=key_of([asdict(job), printed(study, paper)], "replication.judging.verdicts", *modules))


def printed(study: Study, paper: str) -> str:
    """Digest what a paper prints; nothing if it has no claims yet."""
    return content(study.published(paper)) if study.published(paper).exists() else ""


def summary_key(study: Study) -> str:
    """Return the key of the tables of all papers' verdicts."""
    return key_of({paper: printed(study, paper) for paper in study.papers}, "replication.judging.verdict_tables")


def check_claims(study: Study) -> None:
    """Check that every claim can be judged with what its study plays (see `binding.check_claims`)."""
    from replication.judging import binding  # imports every algorithm and problem, which planning does not need

    binding.check_claims(study)
