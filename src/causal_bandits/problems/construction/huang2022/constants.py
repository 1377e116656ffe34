"""Constants that the paper prints for its two problems: thresholds, variables, tables, weights."""

from __future__ import annotations

#: Thresholds tau of Tables 1 and 2.
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)

#: Adult-Video: features of users and of videos; the reward is affine in four of them, with Gaussian noise.
USER = ("age", "sex", "race", "income")
VIDEO = ("length", "ratings", "views", "comments")
WEIGHTS = dict.fromkeys(("age", "income", "ratings", "views"), 1 / 5)
NOISE = 0.1

#: Table 5: P(I4 | X1, X2, X3), rows in the paper's order. Its 0 and 1 represent the values 1 and 2 of Table 4 (E10).
SUBJECT_LENGTH = [
    [0.4, 0.3, 0.2, 0.1],
    [0.3, 0.4, 0.2, 0.1],
    [0.6, 0.1, 0.2, 0.1],
    [0.5, 0.2, 0.2, 0.1],
    [0.1, 0.3, 0.2, 0.4],
    [0.1, 0.4, 0.2, 0.3],
    [0.1, 0.1, 0.2, 0.6],
    [0.1, 0.2, 0.2, 0.5],
]
#: Table 4; the domains of I3 and I4 are swapped there (E10).
EMAIL_STATES = {"X1": 2, "X2": 2, "X3": 2, "A1": 3, "A2": 4, "A3": 3, "I1": 2, "I2": 2, "I3": 2, "I4": 4}
