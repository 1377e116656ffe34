"""Networks in the Bayesian Interchange Format: what is read, and what is refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from causal_bandits.graphs import ADMG
from causal_bandits.models.bif import read_bif, write_bif
from causal_bandits.models.discrete_scm import DiscreteSCM

NETWORKS = Path(__file__).parents[3] / "data/networks"

SMALL = """// two variables
network small { property "x" ; }
variable a { type discrete [ 2 ] { yes, no }; }
variable b { type discrete [ 3 ] { low, mid, high }; }
probability ( a ) { table 0.25, 0.75; }
probability ( b | a ) { /* any order */ (no) 0.2, 0.3, 0.5; (yes) 1, 0, 0; }
"""


def test_states_keep_their_order_and_rows_their_states():
    scm = read_bif(SMALL)
    assert scm.states == {"a": ("yes", "no"), "b": ("low", "mid", "high")}
    np.testing.assert_allclose(scm.cpt("b").table, [[1, 0, 0], [0.2, 0.3, 0.5]])
    assert scm.expectation("b", do={"a": 1}) == pytest.approx(1.3)


def test_rounded_rows_are_divided_by_their_sum():
    scm = read_bif(SMALL.replace("0.25, 0.75", "0.2500001, 0.75"))
    assert np.asarray(scm.cpt("a").table).sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(ValueError, match="'a': row"):
        read_bif(SMALL.replace("0.25, 0.75", "0.25001, 0.75"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("variable b", "varible b", "expected a block network, variable or probability, found: varible b"),
        ("[ 3 ]", "[ 2 ]", r"'b': 3 states, but \[ 2 \]"),
        ("discrete [ 3 ]", "continuous [ 3 ]", "variable 'b': expected 'type discrete"),
        ("b | a", "b | c", "no variable c"),
        ("probability ( a ) { table 0.25, 0.75; }", "", "no probability of a"),
        ("probability ( a )", "probability ( a ) { table 0.25, 0.75; } probability ( a )", "'a': stands twice"),
        ("(yes) 1, 0, 0;", "", "'b': 1 rows are missing"),
        ("(yes) 1, 0, 0;", "(no) 1, 0, 0;", r"'b': row \(no\) stands twice"),
        ("(yes) 1, 0, 0;", "(maybe) 1, 0, 0;", r"'b': row \(maybe\) has no states of its parents"),
        ("(yes) 1, 0, 0;", "(yes) 1, 0;", r"'b': row \(yes\) is \[1.0, 0.0\]; expected 3 numbers"),
        ("(yes) 1, 0, 0;", "default 1, 0, 0;", "'b': expected one row per states of the parents, found: default"),
        ("(yes) 1, 0, 0;", "table 1, 0, 0;", "'b': expected one row per states of the parents, found: table"),
    ],
)
def test_other_text_is_refused(old, new, message):
    with pytest.raises(ValueError, match=message):
        read_bif(SMALL.replace(old, new))


@pytest.mark.parametrize("name", ["sachs", "alarm"])
def test_pgmpy_reads_the_same(name):
    """These two have rows whose sum is off by 1e-7; DiscreteSCM.from_pgmpy takes them as they are."""
    readwrite = pytest.importorskip("pgmpy.readwrite")
    text = gzip.decompress((NETWORKS / f"{name}.bif.gz").read_bytes()).decode()
    ours, theirs = read_bif(text), DiscreteSCM.from_pgmpy(readwrite.BIFReader(string=text).get_model())
    assert ours.graph == theirs.graph
    for v in ours.variables:
        parents, table = theirs.cpt(v)
        places = [[theirs.states[w].index(state) for state in ours.states[w]] for w in (*parents, v)]
        table = np.asarray(table)[np.ix_(*places)]  # states of which one says yes are numbered otherwise
        axes = [*(list(parents).index(p) for p in ours.cpt(v).parents), len(parents)]
        np.testing.assert_allclose(ours.cpt(v).table, table.transpose(axes), atol=1e-15)


@pytest.mark.parametrize("path", sorted(NETWORKS.glob("*.bif.gz")), ids=lambda path: path.name)
def test_what_is_written_is_read_as_the_same(path):
    scm = read_bif(gzip.decompress(path.read_bytes()).decode())
    text = write_bif(scm, "again")
    again = read_bif(text)
    assert text.startswith("network again {")
    assert again.graph == scm.graph
    assert again.states == scm.states
    for v in scm.variables:
        assert again.cpt(v).parents == scm.cpt(v).parents
        # Every row is divided by its sum, which is one but for the last bit.
        np.testing.assert_allclose(again.cpt(v).table, scm.cpt(v).table, rtol=1e-15, atol=0)


def test_pgmpy_reads_what_is_written(tmp_path):
    from pgmpy.readwrite import BIFReader

    scm = read_bif(SMALL)
    network = DiscreteSCM.from_pgmpy(BIFReader(string=write_bif(scm)).get_model())
    assert network.graph == scm.graph
    for v in scm.variables:
        order = [network.states[v].index(label) for label in scm.states[v]]
        np.testing.assert_allclose(network.distribution([v])[order], scm.distribution([v]), rtol=1e-12)


def test_what_the_format_does_not_have_is_not_written():
    hidden = DiscreteSCM(
        ADMG(bidirected=["AB"]),
        {"U": ((), [0.5, 0.5]), "A": (("U",), np.eye(2)), "B": (("U",), np.eye(2))},
    )
    with pytest.raises(ValueError, match="hidden variables U"):
        write_bif(hidden)
    named = DiscreteSCM(ADMG(nodes="A"), {"A": ((), [0.5, 0.5])}, states={"A": ('5"', "6")})
    with pytest.raises(ValueError, match="quotation mark"):
        write_bif(named)
    spaced = DiscreteSCM(ADMG(nodes="A"), {"A": ((), [0.5, 0.5])}, states={"A": ("a, b", "c")})
    assert 'type discrete [ 2 ] { "a, b", c };' in write_bif(spaced)
