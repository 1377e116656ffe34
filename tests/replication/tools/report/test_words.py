"""The glossary knows every word of a verdict, and no mark stands for two."""

import pytest

from replication.judging.judges import Basis, Because, Outcome
from replication.tools.report import words


@pytest.mark.parametrize(
    ("known", "kind"),
    [(words.OUTCOMES, Outcome), (words.MARKS, Outcome), (words.BECAUSE, Because), (words.BASES, Basis)],
)
def test_every_word_is_explained(known, kind):
    assert list(known) == list(kind)
    assert len(set(known.values())) == len(known)
