"""What a report gathers of a small study made by hand."""

import shutil

from printed_owls import PRINTED

from replication.tools.report import page
from replication.tools.report.contents import Cost, gather
from replication.tools.report.printed import Placed


def test_everything_stands_in_the_order_of_the_verdicts(gathered):
    quick, found = gathered
    assert found.small == quick
    (paper,) = found.papers
    assert (paper.slug, paper.title, paper.prose) == ("x", "A paper", "If <i> > 2, E01.\n\n### Part")
    assert [(item.kind, item.name, item.caption, item.alt) for item in paper.items] == [
        ("figure", "fig1", "One", "Two owls, asleep."),
        ("table", "table1", "Two", "Two"),
    ]
    assert [(printed.table, printed.grid) for printed in paper.printed] == [(PRINTED, [[Placed("x.a", 1), None]])]
    assert [(v.row["claim_id"], v.claim["note"], v.items) for v in found.verdicts] == [
        ("x.b", "of x.b", ("fig1", "table1")),
        ("x.a", "of x.a", ("table1",)),
        ("x.c", "of x.c", ()),
    ]
    assert list(found.ledger) == ["E01"]


def test_costs_are_those_of_jobs_that_ended_and_the_newest_run_says_where_from(gathered):
    _, found = gathered
    assert found.costs == (Cost("x", "judge", 1, 1, 1, 70), Cost("x", "simulate", 2, 5.5, 3, 90))
    assert found.provenance == {"git_commit": "new"}


def test_without_logs_and_runs_the_report_has_no_times(gathered, tmp_path):
    quick, _ = gathered
    shutil.rmtree(tmp_path / "logs")
    folder = tmp_path / ("results/quick" if quick else "results")
    shutil.rmtree(folder / "x/e")
    found = gather(folder, tmp_path)
    assert (found.costs, found.provenance) == ((), {})
    assert "times are not known" in page.render(found)
