"""What the configuration says of an experiment, as `aggregate` writes it into the tidy tables."""

from experiments.aggregate import described
from experiments.results import Plan


def plan_of(study, paper, experiment):
    return Plan(**described(study.experiment_job(paper, experiment)))
