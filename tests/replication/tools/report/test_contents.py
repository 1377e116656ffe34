"""What a report gathers of a small study made by hand."""

import shutil

from printed_owls import PRINTED

from replication.tools.report.contents import gather
from replication.tools.report.printed import Placed


def test_everything_stands_in_the_order_of_the_verdicts(gathered):
    quick, found = gathered
    assert found.small == quick
    (paper,) = found.papers
    assert (paper.named.name, paper.outcome) == ("Owl & Cat, Night 2020", "It has 0 errors.")
    assert (paper.slug, paper.title, paper.prose) == ("x", "A paper", "### Part\n\nIf <i> > 2, E01.")
    assert [(item.kind, item.name, item.caption, item.alt) for item in paper.items] == [
        ("figure", "fig1", "One", "Two owls, asleep."),
        ("table", "table1", "Two", "Two"),
        ("table", "fig1", "1", "Two owls, asleep."),
    ]
    assert [(printed.table, printed.grid) for printed in paper.printed] == [(PRINTED, [[Placed("x.a", 1), None]])]
    assert [(v.row["claim_id"], v.quote, v.items) for v in found.verdicts] == [
        ("x.b", "of x.b", ("fig1", "table1")),
        ("x.a", "of x.a", ("table1",)),
        ("x.c", "of x.c", ()),
    ]
    assert list(found.ledger) == ["E01"]


def test_a_small_study_shows_its_own_outcomes_and_the_committed_ones_beside(gathered):
    quick, found = gathered
    shown = [(v.row["outcome"], v.committed and v.committed["outcome"]) for v in found.verdicts]
    assert (
        shown == [("holds", "holds"), ("fails", "holds"), ("open", "holds")]
        if quick
        else [
            ("holds", None),
            ("fails", None),
            ("holds", None),
        ]
    )


def test_the_newest_runs_say_where_from(gathered, tmp_path):
    quick, found = gathered
    assert found.provenance == {"git_commit": "new", "package_versions": "numpy 2.4.6, scipy 1.17.0"}
    folder = tmp_path / ("results/quick" if quick else "results")
    for experiment in "ef":
        shutil.rmtree(folder / "x" / experiment)
    assert gather(folder, tmp_path).provenance == {}
