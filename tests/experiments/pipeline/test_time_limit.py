"""A simulation that never ends is ended, with a line that says which one; nothing else is."""

import itertools
import os
import re
import signal
import time

import pytest

from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.provenance import imported_modules
from experiments import fork_server, time_limit
from experiments.time_limit import LIMIT, SIMULATE, TimeLimitExceeded, limited


class Ends(StepwisePolicy):
    def start(self, bandit, horizon):
        pass

    def select(self, t, context, rng):
        return 0

    def update(self, arm, states, reward):
        pass


class Loops(Ends):
    """Loops for ever in round 3 of the second run."""

    runs = 0

    def start(self, bandit, horizon):
        type(self).runs += 1

    def select(self, t, context, rng):
        while self.runs == 2 and t == 3:
            pass
        return 0


class CatchesErrors(Ends):
    def select(self, t, context, rng):
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass


def play(folder, monkeypatch, algorithm):
    job = {
        "experiment": "lee2019/frontdoor",
        "problems": "replication.papers.lee2019.problems:PROBLEMS",
        "problem": "frontdoor",
        "options": {"family": "uniform_cpt", "draw": 3},
        "seeds_per_draw": None,
        "arms": "minimal",
        "policy": "mine",
        "algorithm": f"{__name__}:{algorithm}",
        "parameters": {},
        "settings": {},
        "horizon": 20,
        "checkpoints": 2,
        "root_seed": 7,
        "sources": {},
        "code": "",
    }
    monkeypatch.delenv(fork_server.ADDRESS, raising=False)
    arguments = {"output": folder / f"{algorithm}.parquet", "job": job, "inputs": {}, "first": 4, "last": 6}
    fork_server.run(SIMULATE, folder / "log", **arguments)


def said(seed):
    why = "still playing after 0.5 s, the time_limit of the configuration; does the policy loop for ever?"
    return f"lee2019/frontdoor: policy mine, seed {seed}: {why}"


def test_an_endless_loop_ends_with_a_line_that_names_policy_seed_and_limit(tmp_path, monkeypatch):
    monkeypatch.delenv(LIMIT, raising=False)
    play(tmp_path, monkeypatch, "Ends")  # what is compiled and imported first takes its time
    monkeypatch.setenv(LIMIT, "0.5")
    play(tmp_path, monkeypatch, "Ends")
    with pytest.raises(ValueError, match=re.escape(said(5))):
        play(tmp_path, monkeypatch, "Loops")
    assert said(5) in (tmp_path / "log").read_text().splitlines()[-2]
    assert not (tmp_path / "Loops.parquet").exists()


def test_a_policy_that_catches_errors_ends_too(tmp_path, monkeypatch):
    monkeypatch.setenv(LIMIT, "0.5")
    monkeypatch.setattr(time_limit, "GRACE", 0.05)
    with pytest.raises(SystemExit) as ended:
        play(tmp_path, monkeypatch, "CatchesErrors")
    assert ended.value.code == said(4)


def catch_everything():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def never_back_in_python():
    any(itertools.repeat(0))


@pytest.mark.parametrize(
    ("loop", "line"),
    [
        (catch_everything, "x: policy p, seed unknown: still playing after 0.1 s"),
        (never_back_in_python, "in never_back_in_python"),
    ],
)
def test_what_no_exception_stops_ends_with_its_process_and_the_log_says_where(loop, line, tmp_path, monkeypatch):
    monkeypatch.setenv(LIMIT, "0.1")
    monkeypatch.setattr(time_limit, "GRACE", 0.05)
    log = tmp_path / "log"
    if (child := os.fork()) == 0:
        with log.open("w") as file:
            monkeypatch.setattr("sys.stderr", file)
            with limited(SIMULATE, {"job": {"experiment": "x", "policy": "p"}}):
                loop()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert line in log.read_text()


def test_what_ends_in_time_and_what_is_no_simulation_is_left_alone(monkeypatch):
    monkeypatch.setenv(LIMIT, "0.05")
    before = signal.getsignal(signal.SIGALRM)
    with limited("experiments.aggregate:aggregate", {}):
        time.sleep(0.1)
    with limited(SIMULATE, {}):
        pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    with pytest.raises(TimeLimitExceeded, match=r"after 0\.05 s"), limited(SIMULATE, {}):
        time.sleep(1)
    monkeypatch.delenv(LIMIT)
    with limited(SIMULATE, {}):
        time.sleep(0.1)


def test_no_digest_of_a_simulation_holds_the_limit():
    """Otherwise another version of it would play everything again."""
    assert time_limit.__name__ not in imported_modules(["experiments.simulate"])
