"""The committed claims of a paper: what it prints, and how it is tested."""

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from replication.judging import verdicts
from replication.judging.claims import Along, Claim, Final, Printed, claim, claims_of, read

ROOT = Path(__file__).parents[2]
#: The papers with committed verdicts: what a published paper has beside its results is asked of these alone.
REFERENCED = list(pd.read_csv(ROOT / "data/reference/verdicts.csv", usecols=["paper"])["paper"].unique())


@dataclass(frozen=True)
class Committed:
    """One claim."""

    printed: Printed
    claim: Claim

    @property
    def value(self):
        return self.printed.value

    @property
    def judge(self):
        """The name of the function that judges the claim."""
        return self.claim.tests[0].check.function.__name__

    @property
    def finals(self):
        """The final values that the default reading compares."""
        arguments = self.claim.tests[0].check.args
        return [a.finals[0] if isinstance(a, Along) else a for a in arguments if isinstance(a, Final | Along)]

    @property
    def experiment(self):
        """The experiment that the default reading reads; empty if it names none, or several in a collection."""
        return self.finals[0].experiment if self.finals else ""

    def printing(self, **cells):
        """The same test of something else in print."""
        return replace(self, printed=replace(self.printed, **cells))

    def tested(self, test, **about):
        """Another test of what is printed."""
        return replace(self, claim=claim(test, **about))

    @property
    def default(self):
        """The claim under its default reading alone."""
        return self.under(self.claim.tests[0].name)

    def under(self, name):
        """The claim under one of its readings."""
        (test,) = (test for test in self.claim.tests if test.name == name)
        return replace(self, claim=replace(self.claim, tests=(test,)))

    def judged(self, results):
        return verdicts.judge_claim(self.printed, self.claim, results)


class Claims(dict):
    """The claims of one paper by id, and the table of what it prints."""

    def __init__(self, paper):
        path = ROOT / f"data/published/{paper}.csv"
        tests = claims_of(paper)
        super().__init__((id_, Committed(row, tests[id_])) for id_, row in read(path).items())
        self.published = pd.read_csv(path, dtype=str, keep_default_na=False, index_col="id")


def made(value, test, **about):
    """A claim that no paper makes."""
    cells = dict.fromkeys(("id", "place", "statement", "kind", "row", "column"), "")
    return Committed(Printed(**cells, value=value), claim(test, **about))
