"""What is fixed before a run: a claim's cells, its readings and the seeds of its experiments."""

import csv
from pathlib import Path

import pytest

from replication.judging.claims import COLUMNS
from replication.tools import reference
from replication.tools.terms import terms, unmarked

ROOT = Path(__file__).parents[3]
CONFIG = """experiments:
  e: {{replicates: {seeds}}}
  f: {{replicates: {others}}}
readings:
  open:
    - {{name: {name}}}
    - {{name: other, experiment: f, settings: {{scale: {scale}}}}}
"""


def written(in_view="", statement="It grows.", value="10", **settings):
    """Write the claim p.a, one beside it, and the settings of their paper; returns the digest of p.a's terms."""
    cells = {"claim_id": "p.a", "statement": statement, "value": value, "experiment": "e", "in_view": in_view}
    rows = [cells | {"readings": "open"}, {"claim_id": "p.b"}]
    lines = [COLUMNS, *([row.get(column, "") for column in COLUMNS] for row in rows)]
    with Path("data/published/p.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    known = {"seeds": 5, "others": 6, "name": "printed", "scale": 1} | settings
    Path("config/papers/p.yaml").write_text(CONFIG.format(**known))
    return terms("p", reference.PUBLISHED, Path())["p.a"]


def test_terms_are_cells_readings_and_seeds_and_not_words(checkout):
    known = written()
    assert written(statement="It shrinks.", in_view="L01: same", name="as printed") == known
    changed = [written(**one) for one in ({"value": "11"}, {"seeds": 50}, {"others": 60}, {"scale": 2})]
    assert len({known, *changed}) == 5


def test_a_change_after_the_reference_was_made_is_marked(checkout, capsys):
    written()
    assert reference.main([]) == 0
    written(seeds=50)
    with pytest.raises(SystemExit, match=r"^1$"):
        reference.main([])
    assert "p.a: its cells, readings or seeds changed after the reference was made" in capsys.readouterr().err
    written(seeds=50, in_view="L01: open; with the first 5 seeds")
    assert reference.main([]) == 0


def test_claims_that_came_since_are_not_changed():
    assert unmarked({"p.a": "1"}, {"p.a": "1", "p.b": "2"}, {"p.a": "", "p.b": ""}) == []


def test_what_changed_since_the_committed_reference_is_marked():
    assert reference.terms_of(reference.published_papers(ROOT / reference.PUBLISHED), ROOT)
