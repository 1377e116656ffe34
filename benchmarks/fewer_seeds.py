"""Judge a finished study's claims again with only the first seeds of some experiments.

``python benchmarks/fewer_seeds.py lee2019 1000 frontdoor fourvar sixvar`` prints every claim that reads one of the
experiments, its outcome with all seeds, and that with the first 1,000. The cells ``in_view`` of claims whose numbers of
seeds were raised are based on it. Curves over rounds are not made again, so judges that read them see all seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from experiments.results import Results
from experiments.study import Study
from replication.judging.claims import read
from replication.judging.generic import judges_of
from replication.judging.jobs import verdicts_job
from replication.judging.verdicts import judge_claim
from replication.tools.terms import experiments_read


def load(paper: str) -> tuple[Results, dict[str, list[dict[str, object]]]]:
    """Read the current results, and the paper's readings."""
    study = Study(yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8")), Path.cwd())
    job = verdicts_job(study, paper)
    kinds = {
        kind: [f"results/{paper}/{name}/{kind}.parquet" for name in job.experiments] for kind in ("curves", "finals")
    }
    stages = {name: path.replace("<results>", "results") for name, path in study.stage_files(paper).items()}
    return Results.load(job, {**kinds, **stages, "published": f"data/published/{paper}.csv"}), dict(job.readings)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper")
    parser.add_argument("seeds", type=int)
    parser.add_argument("experiments", nargs="+")
    options = parser.parse_args(arguments)
    results, readings = load(options.paper)
    finals = {
        name: table[table["seed"] < options.seeds] if name in options.experiments else table
        for name, table in results.finals.items()
    }
    fewer, judges = replace(results, finals=finals), judges_of(options.paper)
    for claim in read(f"data/published/{options.paper}.csv", options.paper):
        judge, own = judges[claim.judge], readings.get(claim.readings, [])
        if experiments_read(claim.experiment, claim.arguments, own, judge, options.experiments):
            every, first = (judge_claim(claim, judge, own, found) for found in (results, fewer))  # type: ignore[arg-type]
            print(f"{claim.claim_id}: {every.outcome}; with the first {options.seeds:,} seeds: {first.outcome}")


if __name__ == "__main__":
    main()
