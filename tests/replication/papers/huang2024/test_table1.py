"""The order of Table 1's rows."""

from causal_bandits.problems.huang2024 import PROBLEMS
from replication.papers.huang2024 import stages


def test_rows_of_table_1_are_contexts_and_arms():
    problem = PROBLEMS["synthetic"]()
    for row in range(stages.ROW_COUNT):
        arm, context = divmod(row, 4)
        states = {**problem.arms[arm], **problem.contexts[context]}
        digits = "".join(str(states[v]) for v in ("X1", "X2", "U1", "U2"))
        assert stages.row_name(row) == f"{digits[:2]}|{digits[2:]}"
        assert stages.rows_of_pairs(problem.means)[row] == problem.means[context, arm]
