"""The tables of lu2021, on made-up results whose numbers are known."""

import numpy as np
import pytest
from made_lu2021 import made

from replication.papers.lu2021 import tables


@pytest.mark.parametrize(("cut_off", "share"), [(30, "30.0 %"), (100, "100.0 %")])
def test_the_table_of_stages_tells_the_search_of_runs_that_were_cut_off_apart(cut_off, share):
    def values(experiment, settings, metric):
        if experiment == "candidates" and metric != "cumulative_regret":
            return np.where(np.arange(100) < cut_off, np.nan, 1.0)
        return None

    table = tables.stages(made(values)).set_index("experiment")
    assert set(table.loc["candidates", "cut off"]) == {share}
    assert set(table.loc["candidates", "find X_R"]) == {"100.0 %" if cut_off < 100 else ""}
    assert set(table.drop(index="candidates")["cut off"]) == {"0.0 %"}
