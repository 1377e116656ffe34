"""What a verdict is: its words, best first, and the record of one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from replication.judging.judges.intervals import CONFIDENCE

REPRODUCED = "reproduced"
DIRECTION_ONLY = "direction only"
NOT_REPRODUCED = "not reproduced"
CONTRADICTED = "contradicted by the paper"
INCONCLUSIVE = "inconclusive"
CALIBRATED = "calibrated"
NOT_TESTABLE = "not testable"

#: All verdicts, the best first.
VERDICTS = (REPRODUCED, DIRECTION_ONLY, NOT_REPRODUCED, CONTRADICTED, INCONCLUSIVE, CALIBRATED, NOT_TESTABLE)

COMPUTED = "computed"
SIMULATED = "simulated"
BY_CONSTRUCTION = "by construction"
CALIBRATED_EVIDENCE = "calibrated"

#: What a verdict rests on, the strongest first: no sampling; sampling; what could not have come out otherwise; what was
#: fitted to the published numbers.
EVIDENCE = (COMPUTED, SIMULATED, BY_CONSTRUCTION, CALIBRATED_EVIDENCE)


#: How often, at most, a judge calls not reproduced what is true, or reproduced what is false, if it says no other.
LEVEL = (1 - CONFIDENCE) / 2


@dataclass(frozen=True)
class Judgement:
    """What the replication says about one published claim.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`.
    why : str
        What decided it, with the numbers.
    evidence : str
        One of `EVIDENCE`.
    replicated : str
        The replication's own value, as it is shown.
    ci_low, ci_high : float
        The 95 % interval that the verdict rests on; NaN where there is none.
    n : int
        Seeds (or samples, or instances); 0 where nothing is sampled.
    fact : str
        Name of what it rests on: rows with one fact are one finding.
    ledger : str
        Ids of ledger entries that it rests on.
    level : float
        In how many cases, at most, this judge calls a true claim not reproduced; tells nothing where nothing is
        sampled.

    Raises
    ------
    ValueError
        If the verdict or the evidence is none that is known.
    """

    verdict: str
    why: str
    evidence: str
    replicated: str = ""
    ci_low: float = math.nan
    ci_high: float = math.nan
    n: int = 0
    fact: str = ""
    ledger: str = ""
    level: float = LEVEL

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict {self.verdict!r} is not one of {', '.join(VERDICTS)}")
        if self.evidence not in EVIDENCE:
            raise ValueError(f"evidence {self.evidence!r} is not one of {', '.join(EVIDENCE)}")


def calibrated(judged: Judgement, why: str) -> Judgement:
    """The same numbers where the published value was used to fix what the paper omits: no evidence for it."""
    return replace(judged, verdict=CALIBRATED, evidence=CALIBRATED_EVIDENCE, why=why)
