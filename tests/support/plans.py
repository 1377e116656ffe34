"""What the configuration says of an experiment, as `aggregate` writes it into the tidy tables."""

from experiments.policy_settings import hyper_parameters, settings_of
from experiments.results import Plan


def plan_of(study, paper, experiment):
    job = study.experiment_job(paper, experiment)
    return Plan(
        job.horizon,
        settings_of(job.policies, job.problem),
        settings_of(job.left_out, job.problem),
        {policy.algorithm: hyper_parameters(policy.path) for policy in (*job.policies, *job.left_out)},
    )
