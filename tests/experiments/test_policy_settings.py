"""Hyper-parameters and their defaults, as settings."""

import dataclasses
import sys
import types

from experiments.settings import hyper_parameters, settings_of
from experiments.study import PolicyJob


def test_a_default_may_be_made_anew_for_every_policy(monkeypatch):
    """And a hyper-parameter without a default is no setting of a policy that leaves it out."""
    fields = [("must", int), ("made", list, dataclasses.field(default_factory=lambda: [0.5])), ("said", int, 2)]
    module = types.ModuleType("made_algorithm")
    module.Made = dataclasses.make_dataclass("Made", fields)
    monkeypatch.setitem(sys.modules, "made_algorithm", module)
    path = "made_algorithm:Made"
    assert hyper_parameters(path) == {"made": "[0.5]", "said": 2}
    policies = [PolicyJob("a", "made", path, {"must": 1}, "minimal", {"size": [1, 2]})]
    assert settings_of(policies, "coins") == {
        "a": {
            "algorithm": "made",
            "arms": "minimal",
            "made": "[0.5]",
            "said": 2,
            "must": 1,
            "problem": "coins",
            "size": "[1, 2]",
        }
    }
