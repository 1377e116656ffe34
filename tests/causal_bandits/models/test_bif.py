"""Networks in the Bayesian Interchange Format: what is read, and what is refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from causal_bandits.models.bif import read_bif
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
    scm = read_bif(SMALL, keep_order=True)
    assert scm.states == {"a": ("yes", "no"), "b": ("low", "mid", "high")}
    np.testing.assert_allclose(scm.cpt("b").table, [[1, 0, 0], [0.2, 0.3, 0.5]])
    assert scm.expectation("b", do={"a": 1}) == pytest.approx(1.3)


@pytest.mark.parametrize("text", ["", "  \n", "network unknown { }", "// a comment"])
def test_a_file_without_variables_is_no_model(text):
    with pytest.raises(ValueError, match=r"no block 'variable name \{ \.\.\. \}'"):
        read_bif(text)


def test_rounded_rows_are_divided_by_their_sum():
    scm = read_bif(SMALL.replace("0.25, 0.75", "0.2500001, 0.75"))
    assert np.asarray(scm.cpt("a").table).sum() == pytest.approx(1, abs=1e-15)
    thirds = read_bif(SMALL.replace("0.2, 0.3, 0.5", ".333333, .333333, .333333"))
    np.testing.assert_allclose(thirds.cpt("b").table[0], 1 / 3, atol=1e-15)
    rough = SMALL.replace("0.2, 0.3, 0.5", "0.333, 0.333, 0.333")
    with pytest.raises(ValueError, match=r"'b': row \(no\) is \[0.333, 0.333, 0.333\]; .* \(tolerance=1e-05\)"):
        read_bif(rough)
    np.testing.assert_allclose(read_bif(rough, tolerance=0.01).cpt("b").table[0], 1 / 3, atol=1e-15)
    with pytest.raises(ValueError, match="'a': row"):
        read_bif(SMALL.replace("0.25, 0.75", "0.2501, 0.75"))


def test_states_are_numbered_as_those_of_pgmpy():
    scm = read_bif(SMALL)
    assert scm.states == {"a": ("no", "yes"), "b": ("low", "mid", "high")}
    assert scm.expectation("a") == 0.25
    np.testing.assert_allclose(scm.cpt("b").table, [[0.2, 0.3, 0.5], [1, 0, 0]])
    assert read_bif(SMALL, ones={"a": "no"}).states["a"] == ("yes", "no")
    with pytest.raises(ValueError, match="ones: no variable c"):
        read_bif(SMALL, ones={"c": "no"})


def read(rows, states="{ x, y }", parent="{ u, v, w }"):
    """P(b | a) from the text of its block, states in the order of the file."""
    text = f"""network "n" {{ property author "a; }} b" ; }}
        variable a {{ type discrete [ 3 ] {parent}; property position = (1, 2) ; }}
        variable b {{ type discrete[2] {states}; }}
        probability ( a ) {{ table 0.5 0.25 0.25 ; }}
        probability ( b | a ) {{ property "kept; out" ; {rows} }}"""
    return read_bif(text, keep_order=True)


def test_default_gives_the_rows_that_are_missing():
    for rows in ("(v) 0.1, 0.9; default 0.5, 0.5;", "default 0.5 0.5; (v) 0.1 0.9;"):
        np.testing.assert_allclose(read(rows).cpt("b").table, [[0.5, 0.5], [0.1, 0.9], [0.5, 0.5]])


def test_a_table_has_the_parents_states_fastest():
    """P(x | u), P(x | v), P(x | w), then those of y."""
    np.testing.assert_allclose(
        read("table 0.1, 0.2, 0.3, 0.9, 0.8, 0.7;").cpt("b").table, [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]
    )


def test_a_table_with_two_parents_is_read_as_in_the_dog_problem():
    """Charniak (1991): P(dog out | bowel problem, family out) = .99, without family out .97, without the problem .9."""
    text = """
        variable "family-out" { type discrete [ 2 ] { "true" "false" } ; }
        variable "bowel-problem" { type discrete [ 2 ] { "true" "false" } ; }
        variable "dog-out" { type discrete [ 2 ] { "true" "false" } ; }
        probability ( "family-out" ) { table 0.15 0.85 ; }
        probability ( "bowel-problem" ) { table 0.01 0.99 ; }
        probability ( "dog-out"  "bowel-problem"  "family-out" ) { table 0.99 0.97 0.9 0.3 0.01 0.03 0.1 0.7 ; }"""
    scm = read_bif(text)
    for given, expected in (((1, 1), 0.99), ((1, 0), 0.97), ((0, 1), 0.9), ((0, 0), 0.3)):
        do = dict(zip(("bowel-problem", "family-out"), given, strict=True))
        assert scm.expectation("dog-out", do=do) == pytest.approx(expected)


def test_names_may_have_commas_spaces_and_quotes():
    rows = "((0,1]) 0.1, 0.9; ((1,2.5]) 0.2, 0.8; ([-3,0]) 0.3, 0.7;"
    scm = read(rows, parent="{ [-3,0], (0,1], (1,2.5] }", states='{ "no, never", "always; {yes}" }')
    assert scm.states == {"a": ("[-3,0]", "(0,1]", "(1,2.5]"), "b": ("no, never", "always; {yes}")}
    np.testing.assert_allclose(scm.cpt("b").table, [[0.3, 0.7], [0.1, 0.9], [0.2, 0.8]])
    assert (
        read("(u) .5 .5; (v) .5 .5; (w // not, this\n) 1 0;", states="{ less than 5, more }").states["b"][0]
        == "less than 5"
    )
    plain = read_bif(SMALL, keep_order=True)
    for named in ('"a"', '"a, b (c)"', '"the a"'):
        text = (
            SMALL.replace("variable a", f"variable {named}")
            .replace("( a )", f"({named})")
            .replace("b | a", f"b|{named}")
        )
        scm = read_bif("\ufeff" + text.replace("\n", "\r\n"), keep_order=True)
        assert scm.cpt("b").parents == (named.strip('"'),)
        np.testing.assert_array_equal(scm.cpt("b").table, plain.cpt("b").table)


def test_rows_of_several_parents_go_by_the_states_they_name():
    text = """variable A { type discrete [ 2 ] { young, old }; } variable S { type discrete [ 2 ] { M, F }; }
        variable E { type discrete [ 2 ] { high, uni }; }
        probability ( A ) { table 0.5, 0.5; } probability ( S ) { table 0.5, 0.5; }
        probability ( E | A, S ) {
          (young, F) 0.64, 0.36; (old, M) 0.88, 0.12; (old, F) 0.9, 0.1; (young, M) 0.75, 0.25; }"""
    np.testing.assert_allclose(read_bif(text).cpt("E").table[..., 0], [[0.75, 0.64], [0.88, 0.9]])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("variable b", "varible b", "expected a network, variable or probability block, found: varible b"),
        ("[ 3 ]", "[ 2 ]", r"'b': 3 states, but the block declares \[ 2 \]"),
        ("discrete [ 3 ]", "continuous [ 3 ]", "variable 'b': expected one statement 'type discrete"),
        ("b | a", "b | c", "no variable c"),
        ("probability ( a ) { table 0.25, 0.75; }", "", "no probability block for a"),
        ("probability ( a )", "probability ( a ) { table 0.25, 0.75; } probability ( a )", "'a' is listed twice"),
        ("(yes) 1, 0, 0;", "", "'b': 1 rows are missing"),
        ("(yes) 1, 0, 0;", "(no) 1, 0, 0;", r"'b': row \(no\) is listed twice"),
        ("(yes) 1, 0, 0;", "(maybe) 1, 0, 0;", r"'b': row \(maybe\) does not list states of its parents"),
        ("(yes) 1, 0, 0;", "(yes) 1, 0;", r"'b': row \(yes\) is 1, 0; expected 3 numbers"),
        ("(yes) 1, 0, 0;", "(yes) 1, -1, 1;", r"'b': row \(yes\) is 1, -1, 1; expected 3 numbers >= 0"),
        ("(yes) 1, 0, 0;", "(yes) 1, nan, 0;", r"'b': row \(yes\) is 1, nan, 0; expected 3 numbers >= 0"),
        ("(yes) 1, 0, 0;", "(yes) 1, O, 0;", r"'b': row \(yes\) is 1, O, 0; expected 3 numbers >= 0"),
        ("(yes) 1, 0, 0;", "(yes) 1, 0, 0", r"'b': no semicolon after: \(yes\) 1, 0, 0"),
        ("(yes) 1, 0, 0;", "yes 1, 0, 0;", "'b': expected rows, 'table' or 'default', found: yes 1, 0, 0"),
        ("(yes) 1, 0, 0;", "default 1, 0; ", "'b': default is 1, 0; expected 3 numbers"),
        ("(yes) 1, 0, 0;", "default 1, 0, 0; default 1, 0, 0;", "'b': default is listed twice"),
        ("(yes) 1, 0, 0;", "table 1, 0, 0, 0, 0, 1;", "'b': expected a table or rows, not both"),
        ("(no) 0.2, 0.3, 0.5; (yes) 1, 0, 0;", "table 1, 0, 0;", "'b': table is 1, 0, 0; expected 6 numbers"),
        ("variable b", "variable a { type discrete [ 1 ] { x }; } variable b", "variable 'a' is listed twice"),
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
    ours, theirs = read_bif(text, keep_order=True), DiscreteSCM.from_pgmpy(readwrite.BIFReader(string=text).get_model())
    assert read_bif(text).states == theirs.states
    assert ours.graph == theirs.graph
    for v in ours.variables:
        parents, table = theirs.cpt(v)
        places = [[theirs.states[w].index(state) for state in ours.states[w]] for w in (*parents, v)]
        table = np.asarray(table)[np.ix_(*places)]  # states of which one says yes are numbered otherwise
        axes = [*(list(parents).index(p) for p in ours.cpt(v).parents), len(parents)]
        np.testing.assert_allclose(ours.cpt(v).table, table.transpose(axes), atol=1e-15)
