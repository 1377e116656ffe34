"""huang2022's records of users: half of them offline, with a video and a reward each."""

import pandas as pd
import pytest

from causal_bandits.problems.construction.huang2022 import constants


def test_records_are_half_offline_with_videos_and_rewards(records_of_two_seeds):
    frame = pd.read_parquet(records_of_two_seeds["records"])
    assert frame.groupby(["seed", "online"]).size().tolist() == [5000] * 4
    offline, online = frame[~frame["online"]], frame[frame["online"]]
    assert online[[*constants.VIDEO, "reward"]].isna().all(axis=None)
    assert not offline.isna().any(axis=None)
    noise = offline["reward"] - sum(w * offline[v] for v, w in constants.WEIGHTS.items())
    assert noise.mean() == pytest.approx(0, abs=0.005)
    assert noise.std() == pytest.approx(constants.NOISE, abs=0.005)
    adult = pd.read_parquet(records_of_two_seeds["adult"])
    for v in constants.USER:
        share = adult.loc[adult[v] == 1, "count"].sum() / adult["count"].sum()
        assert frame[v].mean() == pytest.approx(share, abs=0.02)
    pool = pd.read_parquet(records_of_two_seeds["youtube"])
    pool = pool[(pool[list(constants.VIDEO)] < 2).all(axis=1)]
    for v in constants.VIDEO:
        share = pool.loc[pool[v] == 1, "count"].sum() / pool["count"].sum()
        assert offline[v].astype(float).mean() == pytest.approx(share, abs=0.03)
