"""Hyper-parameters and their defaults, as settings."""

import dataclasses
import sys
import types

from causal_bandits.policies import registry
from experiments import settings as study_settings


def test_a_default_may_be_made_anew_for_every_policy(monkeypatch):
    """And a hyper-parameter without a default is no setting of a policy that leaves it out."""
    fields = [("must", int), ("made", list, dataclasses.field(default_factory=lambda: [0.5])), ("said", int, 2)]
    module = types.ModuleType("made_algorithm")
    module.Made = dataclasses.make_dataclass("Made", fields)
    monkeypatch.setitem(sys.modules, "made_algorithm", module)
    monkeypatch.setitem(registry.ALGORITHMS, "made", "made_algorithm:Made")
    assert study_settings.hyper_parameters("made") == {"made": "[0.5]", "said": 2}
