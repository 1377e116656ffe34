"""What a report gathers of a small study made by hand."""

import shutil

import pytest
from printed_owls import PRINTED

from experiments.errors import ConfigError
from replication.tools.report.contents import Citation, cited, gather
from replication.tools.report.printed import Placed


def test_everything_stands_in_the_order_of_the_verdicts(gathered):
    quick, found = gathered
    assert found.small == quick
    (paper,) = found.papers
    assert (paper.slug, paper.title, paper.prose) == ("x", "A paper", "If <i> > 2, E01.\n\n### Part")
    assert [(item.kind, item.name, item.caption, item.alt) for item in paper.items] == [
        ("figure", "fig1", "One", "Two owls, asleep."),
        ("table", "table1", "Two", "Two"),
        ("table", "fig1", "1", "Two owls, asleep."),
    ]
    assert [(printed.table, printed.grid) for printed in paper.printed] == [(PRINTED, [[Placed("x.a", 1), None]])]
    assert [(v.row["claim_id"], v.claim["note"], v.items) for v in found.verdicts] == [
        ("x.b", "of x.b", ("fig1", "table1")),
        ("x.a", "of x.a", ("table1",)),
        ("x.c", "of x.c", ()),
    ]
    assert list(found.ledger) == ["E01"]


def test_a_small_study_shows_the_committed_outcome_of_what_it_leaves_open(gathered):
    quick, found = gathered
    shown = [(v.row["outcome"], v.here, v.committed and v.committed["outcome"]) for v in found.verdicts]
    if quick:
        assert shown == [("holds", "", "holds"), ("fails", "", "holds"), ("holds", "too few seeds here", "holds")]
    else:
        assert shown == [("holds", "", None), ("fails", "", None), ("holds", "", None)]


def test_a_paper_is_cited_with_its_addresses(gathered, tmp_path):
    links = {"DOI": "https://doi.org/10.1/owl", "arXiv": "https://arxiv.org/abs/1"}
    assert cited("A paper", tmp_path) == Citation("Owl & Cat 2020", "Ann Owl, Bo Cat", "Proceedings of night", links)
    with pytest.raises(ConfigError, match=r"CITATION\.cff: references: 'Another': missing"):
        cited("Another", tmp_path)


def test_the_newest_runs_say_where_from(gathered, tmp_path):
    quick, found = gathered
    assert found.provenance == {"git_commit": "new"}
    folder = tmp_path / ("results/quick" if quick else "results")
    for experiment in "ef":
        shutil.rmtree(folder / "x" / experiment)
    assert gather(folder, tmp_path).provenance == {}
