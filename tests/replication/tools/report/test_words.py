"""The glossary knows every word of a verdict, and no mark stands for two."""

import pytest

from replication.judging.claims import FAULTS
from replication.judging.judges import Basis, Because
from replication.judging.verdict_tables import WORDS
from replication.tools.report import words


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (words.OUTCOMES, WORDS),
        (words.MARKS, WORDS),
        (words.BECAUSE, Because),
        (words.BASES, Basis),
        (words.FAULTS, FAULTS),
    ],
)
def test_every_word_is_explained(known, kind):
    assert list(known) == list(kind)
    assert len(set(known.values())) == len(known)
