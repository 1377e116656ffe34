"""Jobs that judge: one per paper, and one that combines the papers' verdicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from experiments.key import content, key_of
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
    published = content(study.root / f"data/published/{paper}.csv")
    return replace(
        job, key=key_of([asdict(job), published], "replication.judging.verdicts", study.module(paper, "claims"))
    )


def summary_key(study: Study) -> str:
    """Return the key of the tables of all papers' verdicts."""
    published = {paper: content(study.root / f"data/published/{paper}.csv") for paper in study.papers}
    return key_of(published, "replication.judging.verdict_tables")


def check_claims(study: Study) -> None:
    """Check that every claim can be judged with what its study plays (see `binding.check_claims`)."""
    from replication.judging import binding  # imports every algorithm and problem, which planning does not need

    binding.check_claims(study)
