"""The jobs that judge: one per paper, and one that puts the papers' verdicts together."""

from __future__ import annotations

from dataclasses import asdict, replace

from experiments.key import content, key_of
from experiments.study import Study
from replication.judging.jobs import VerdictsJob


def verdicts_job(study: Study, paper: str) -> VerdictsJob:
    """Return the job that judges one paper's claims on the experiments that are played."""
    experiments = tuple(study.wanted(paper, "experiments"))
    job = VerdictsJob(
        paper=paper,
        experiments=experiments,
        readings=study.papers[paper].get("readings", {}),
        tidy=study.keys(paper, experiments),
        inputs=study.input_keys(study.stage_files(paper)),
    )
    published = content(study.root / f"data/published/{paper}.csv")
    return replace(
        job, key=key_of([asdict(job), published], "replication.judging.verdicts", study.module(paper, "claims"))
    )


def check_claims(study: Study) -> None:
    """Check the claims of all papers before any job starts (see `judging.declared`)."""
    from replication.judging import declared  # imports every algorithm and problem, which a plan does not need

    for paper in study.papers:
        declared.check_claims(study, paper)


def summary_key(study: Study) -> str:
    """Return the key of the tables of all papers' verdicts."""
    published = {paper: content(study.root / f"data/published/{paper}.csv") for paper in study.papers}
    return key_of(published, "replication.judging.verdict_tables")
