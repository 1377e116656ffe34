"""Names of the columns that count unfair rounds."""

from itertools import product

from causal_bandits.play.unfairness import DEFINITIONS, MISSED, fair_regret, unfair


def test_a_column_names_definition_and_threshold_without_trailing_zeros():
    assert unfair("plugin", 0.10) == "unfair_plugin_0.1"
    assert unfair("drawn_answer", 1.0) == "unfair_drawn_answer_1"
    assert fair_regret(0.25) == "fair_regret_0.25"


def test_no_two_columns_share_a_name():
    thresholds = (0.05, 0.1, 0.2, 0.25, 1.0)
    names = [unfair(definition, tau) for definition, tau in product(DEFINITIONS, thresholds)]
    names += [fair_regret(tau) for tau in thresholds] + list(MISSED)
    assert len(set(names)) == len(names)
