"""The faults: a name, and what is done to a `Trial`."""

import csv
import io
import json
import os
import pickle
import shutil
import signal
import socket
import struct
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from faults.trial import FIGURE, RUNS, STAGE, TABLE, TIDY, VERDICTS, NotSurvivedError, Trial, expect, kill_group
from experiments.files import write

PUBLISHED = "data/published/lee2019.csv"
PAPER = "config/papers/lee2019.yaml"
#: A claim's arguments, one of them twice.
TWICE = "{trials: 5, trials: 6}"


# Kills


def killed(trial, number):
    """The whole run at a random moment: before, in and after its jobs."""
    process = trial.start()
    time.sleep(trial.rng.uniform(0.5, 1.1 * trial.prepared.took))
    if process.poll() is None:
        kill_group(process, number)
    else:
        process.communicate()
    trial.unlock()
    trial.recovers()


def killed_while_playing(trial, number):
    process = trial.start()
    trial.until(trial.rng.randint(1, 4))
    time.sleep(trial.rng.uniform(0, 0.5))
    kill_group(process, number)
    trial.unlock()
    trial.recovers()


def one_job_killed(trial, listed):
    """One process of a job, as where memory runs out: Snakemake says so, a further run goes on."""
    process = trial.start()
    trial.until(1)
    deadline, chosen = time.monotonic() + 60, 0
    while chosen not in (jobs := listed(process.pid)):  # one that ended before it could be stopped
        expect(time.monotonic() < deadline and process.poll() is None, "no job to kill")
        if jobs:
            chosen = trial.rng.choice(jobs)
            with suppress(ProcessLookupError):
                os.kill(chosen, signal.SIGSTOP)
    os.kill(chosen, signal.SIGKILL)
    process.communicate(timeout=300)
    expect(process.returncode != 0, "the run with a killed job ends well")
    trial.recovers()


def _processes(group):
    """Those of a group: number, parent, command."""
    listed = subprocess.check_output(["ps", "-eo", "pid=,ppid=,pgid=,args="], text=True).splitlines()
    rows = (line.split(None, 3) for line in listed)
    return [(int(pid), int(parent), command) for pid, parent, pgid, command in rows if int(pgid) == group]


def asking(group):
    """The processes that Snakemake starts for jobs."""
    return [pid for pid, _, command in _processes(group) if ".snakemake/scripts/" in command]


def _of_jobs(group):
    """What jobs fork from, and the forked: number to parent."""
    return {
        pid: parent for pid, parent, command in _processes(group) if "-m experiments.fork_server" in command
    }


def forked(group):
    """The processes that do the jobs' work."""
    every = _of_jobs(group)
    return [pid for pid, parent in every.items() if parent in every]


def origin(group):
    """The process that jobs fork from."""
    every = _of_jobs(group)
    return [pid for pid, parent in every.items() if parent not in every]


# Damaged and wrong files


def damaged(trial, damage, table=None):
    """A file of runs, or a tidy table, is not what was written: it is named, and made again once it is deleted."""
    trial.fill()
    path = trial.folder / table if table else trial.some_run()
    path.write_bytes(damage(path.read_bytes(), trial.rng))
    if table:
        (trial.folder / VERDICTS).unlink()
    text = trial.refuses(str(path.relative_to(trial.folder)))
    expect("delete" in text, "it does not say what to do")
    path.unlink()
    trial.recovers()


def flipped(data, rng):
    place, bit = rng.randrange(4, len(data) - 8), rng.randrange(8)
    return data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]


def cut(data, rng):
    return data[: rng.randrange(1, len(data))]


#: Reads a file of runs once for each place and bit that is flipped; prints how often other values come back silently.
READ_FLIPPED = """
import json, sys
from pathlib import Path
from experiments.files import read
path, silent = Path(sys.argv[1]), 0
whole, right = path.read_bytes(), read(path)
for place, bit in json.loads(sys.argv[2]):
    path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << bit)]) + whole[place + 1 :])
    try:
        silent += not read(path).equals(right)
    except OSError:
        continue
print(silent)
"""


def silent_bits(trial, tries=300):
    """Each of many random bits either is noticed or changes no value."""
    trial.fill()
    path = trial.some_run()
    places = [(trial.rng.randrange(4, path.stat().st_size - 8), trial.rng.randrange(8)) for _ in range(tries)]
    silent = trial.python(READ_FLIPPED, path, json.dumps(places)).stdout.strip()
    expect(silent == "0", f"{silent or 'unknown'} of {tries} bits give other values silently")


def changed(trial, change, *words):
    """A whole Parquet file that is not what its path says: it is named, and made again once it is deleted."""
    trial.fill()
    path = trial.some_run()
    table = change(trial, path, pq.read_table(path))
    write(table, path)
    trial.refuses(str(path.relative_to(trial.folder)), *words)
    path.unlink()
    trial.recovers()


def other_policy(trial):
    """The runs of another policy under this one's name: they say so, and are played again."""
    trial.fill()
    path = trial.some_run()
    other = next(p for p in sorted((trial.folder / RUNS).iterdir()) if p != path.parent)
    shutil.copy(other / path.name, path)
    trial.recovers()


def _other_block(trial, path, table):
    return pq.read_table(next(p for p in sorted(path.parent.iterdir()) if p != path))


def _without_a_row(trial, path, table):
    return table.slice(0, len(table) - 1)


def _without_a_column(trial, path, table):
    return table.drop_columns(["cumulative_reward"])


def _set(column, value, trial, path, table):
    first = pa.array([i == 3 for i in range(len(table))])
    new = pc.if_else(first, pa.scalar(value, table.schema.field(column).type), table[column])
    return table.set_column(table.schema.get_field_index(column), table.schema.field(column), new)


# Configuration and published tables: refused at start, and what stands is left alone


def edited(trial, path, change, words=()):
    trial.fill()
    file, before = trial.folder / path, trial.values()
    kept = file.read_text()
    changed_text = change(kept)
    if changed_text is None:
        file.unlink()
    else:
        file.write_bytes(changed_text if isinstance(changed_text, bytes) else changed_text.encode())
    text = trial.refuses(path, *words)
    expect("Traceback" not in text, "it shows a traceback")
    expect(trial.values() == before, "what stood there is gone")
    file.write_text(kept)
    trial.recovers()


def _in_row(column, value):
    """An edit of the first row of a table."""

    def edit(text):
        rows = list(csv.reader(io.StringIO(text)))
        rows[1][rows[0].index(column)] = value
        made = io.StringIO()
        csv.writer(made, lineterminator="\n").writerows(rows)
        return made.getvalue()

    return edit


def _in_paper(change):
    def edit(text):
        settings = json.loads(json.dumps(yaml.safe_load(text)))
        change(settings["experiments"]["frontdoor"])
        return yaml.safe_dump(settings, sort_keys=False)

    return edit


def misspelt_extra(trial):
    """A policy that the small study leaves out is checked all the same."""
    trial.fill()
    entry = {"algorithm": "kl_ucb", "arms": "minimal", "parameters": {"d": 1}, "extra": True}
    trial.study.change_paper(lambda s: s["experiments"]["frontdoor"]["policies"].update(more=entry))
    trial.study.edit("config/config.yaml", "extras: true", "extras: false")
    trial.refuses(PAPER, "'d' is unknown")


# Full disks and folders that cannot be written


def small_files(trial):
    """No file may grow beyond two kB."""
    well, _ = trial.run("ulimit -f 4")
    expect(not well, "it ends well without room")
    expect(not any((trial.folder / path).exists() for path in TIDY), "it leaves half a table")
    trial.unlock()
    trial.recovers()


@contextmanager
def mounted(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(arguments[-1])], check=True)


def full_disk(trial, kb):
    """Results on a disk of a few kB that runs full on the way."""
    results = trial.folder / "results"
    results.mkdir()
    with mounted("-t", "tmpfs", "-o", f"size={kb}k", "none", results):
        well, text = trial.run()
        expect(not well, "it ends well without room")
        expect("No space left" in text, f"it does not say why: {text[-600:]}")
        subprocess.run(["mount", "-o", "remount,size=50m", str(results)], check=True)
        trial.recovers()


def read_only(trial, part, works):
    """A folder that cannot be written."""
    folder = trial.folder / part
    folder.mkdir(exist_ok=True, parents=True)
    with mounted("--bind", folder, folder):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        well, text = trial.run()
        expect(well == works, f"it {'fails' if works else 'ends well'}: {text[-600:]}")
        if works:
            expect(trial.values() == trial.right, "it has other values")
        else:
            expect("ead-only" in text, f"it does not say why: {text[-600:]}")
    trial.recovers()


# Two at once


def twice_in_one_folder(trial):
    process = trial.start()
    trial.until(1)
    well, text = trial.run()
    output, _ = process.communicate(timeout=600)
    expect(process.returncode == 0, f"the first run fails: {output[-600:]}")
    expect(well or "lock" in text.lower(), f"the second does not say why it stops: {text[-600:]}")
    expect(trial.values() == trial.right, "the values are others")
    trial.recovers()


def twice_beside_each_other(trial):
    other = Trial(trial.folder.with_name(f"{trial.folder.name}-other"), trial.rng, trial.prepared)
    processes = [one.start() for one in (trial, other)]
    texts = [process.communicate(timeout=600)[0] for process in processes]
    expect(all(process.returncode == 0 for process in processes), f"one fails: {texts[0][-300:]} {texts[1][-300:]}")
    expect(trial.values() == other.values() == trial.right, "the values are others")


# Gone, touched, copied


def gone(trial, part):
    trial.fill()
    path = trial.folder / part
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    trial.recovers()


def touched(trial, when):
    """All times are others, in whatever order: nothing is played again."""
    trial.fill()
    files = [path for part in ("workflow", "data", "src", "results") for path in (trial.folder / part).rglob("*.*")]
    trial.rng.shuffle(files)
    for number, path in enumerate(files):
        os.utime(path, (when + number, when + number))
    _plays_nothing(trial)


def copied(trial):
    """Results of another place, with new times."""
    trial.fill(copy=shutil.copy)
    _plays_nothing(trial)


def _plays_nothing(trial):
    """No file of runs is written: that would be another file under the same name. Open ones keep their number."""
    with ExitStack() as stack:
        before = {path: stack.enter_context(path.open("rb")) for path in (trial.folder / RUNS).rglob("*.parquet")}
        trial.recovers()
        same = [path.stat().st_ino == os.fstat(file.fileno()).st_ino for path, file in before.items()]
    expect(all(same), "runs are played again")


def of_older_code(trial):
    """Results of another place without Snakemake's records, where an algorithm has been edited since."""
    trial.fill()
    shutil.rmtree(trial.folder / ".snakemake")
    runs = {path: path.read_bytes() for path in (trial.folder / RUNS / "kl_ucb_bf").iterdir()}
    trial.study.append("src/causal_bandits/policies/kl_ucb.py", "_EDITED = True")
    trial.recovers()
    expect(all(path.read_bytes() != before for path, before in runs.items()), "runs of the older code are believed")


def foreign(trial, path):
    """A whole tidy table of the same study under another configuration: other values."""
    trial.fill()
    table = pq.read_table(trial.folder / path)
    for name in ("cumulative_regret", "mean", "regret"):
        if name in table.schema.names:
            field = table.schema.field(name)
            table = table.set_column(table.schema.names.index(name), field, pc.add(table[name], 1.0))
    write(table.replace_schema_metadata({**table.schema.metadata, b"config_digest": b"0" * 16}), trial.folder / path)
    trial.recovers()


def of_another_experiment(trial):
    """The finals of another experiment under this one's name."""
    trial.fill()
    trial.study.change_paper(
        lambda settings: settings["experiments"].update(other=settings["experiments"]["frontdoor"] | {"horizon": 200})
    )
    other = TIDY[0].replace("frontdoor", "other")
    trial.study.snakemake("--", other, cores=1)
    shutil.copy(trial.folder / other, trial.folder / TIDY[0])
    trial.recovers()


def output_changed(trial, path, change):
    """A figure, or a table as text, is not what was written."""
    trial.fill()
    output = trial.folder / path
    output.write_bytes(change(output.read_bytes()))
    trial.recovers()


def _edit(data):
    return data.replace(b"holds", b"fails")


def committed_copy(trial):
    """Nothing has been run; the checkout has a committed figure, which shows something else."""
    output = trial.folder / FIGURE
    output.parent.mkdir(parents=True)
    output.write_bytes(b"a committed picture")
    trial.recovers()


def clock_ran_ahead(trial):
    """All that was made is of tomorrow, and a table is gone."""
    trial.fill()
    for path in (trial.folder / "results").rglob("*"):
        os.utime(path, (time.time() + 86_400,) * 2)
    (trial.folder / TIDY[1]).unlink()
    trial.recovers()


def users_look(trial):
    """A matplotlibrc of the user's own."""
    (trial.folder / "matplotlibrc").write_text("font.size: 30\nlines.linewidth: 9\nfigure.facecolor: red\n")
    trial.recovers()


# Policies that break the rules, kernels that are damaged


def breaks_the_rules(trial, new, message):
    """A policy records what the bandit cannot have given."""
    module = "src/causal_bandits/policies/thompson.py"
    before = (trial.folder / module).read_bytes()
    trial.study.edit(module, "rounds.record(arms, rewards)", f"rounds.record({new})")
    trial.refuses(message)
    (trial.folder / module).write_bytes(before)
    trial.recovers()


def damaged_kernels(trial, suffix):
    """Files of the cache of compiled functions are cut or empty, as after a full disk."""
    kernels = trial.folder / "kernels"
    well, text = trial.run(NUMBA_CACHE_DIR=str(kernels))
    expect(well, f"it fails with a cache of its own: {text[-600:]}")
    for number, path in enumerate(sorted(kernels.rglob(f"*.{suffix}"))):
        path.write_bytes(path.read_bytes()[:40] if number % 2 else b"")
    shutil.rmtree(trial.folder / "results")
    trial.recovers(NUMBA_CACHE_DIR=str(kernels))


# Writing in place of Snakemake, which removes what a failed job leaves


def half_written(trial):
    """A process that is killed while it writes a table, as no more fits, where nobody cleans up."""
    text = (
        "import numpy as np, pyarrow as pa, signal, sys\n"
        "from experiments.files import write\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "write(pa.table({'x': np.random.default_rng(0).random(100_000)}), sys.argv[1])\n"
    )
    path = trial.folder / "results/half.parquet"
    done = trial.python(text, path, first="ulimit -f 4")
    expect(done.returncode != 0, "it ends well without room")
    expect(not path.exists(), "it leaves half a table")


# The server that jobs fork from


def _server(trial, process):
    """The folder of the run's socket, once it is there."""
    deadline = time.monotonic() + 300
    while not (found := list((trial.folder / ".snakemake").glob("jobs-*/socket"))):
        expect(time.monotonic() < deadline and process.poll() is None, "no server")
        time.sleep(0.01)
    return found[0].parent


def _ends(trial, process, seconds=300):
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill_group(process)
        raise NotSurvivedError(f"the run does not end within {seconds} s") from None
    return process.returncode == 0, output


def half_a_request(trial):
    """A client of the server sends half a request and stays: no job waits for it."""
    process = trial.start()
    with socket.socket(socket.AF_UNIX) as client:
        _connect(client, _server(trial, process))
        client.sendall(b"\0\0")
        well, text = _ends(trial, process)
    expect(well, f"the run fails: {text[-600:]}")
    trial.recovers()


def _connect(client, folder):
    before = os.open(".", os.O_RDONLY)  # a socket's path has some 100 bytes
    os.chdir(folder)
    try:
        client.connect("socket")
    finally:
        os.fchdir(before)
        os.close(before)


class _Touch:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def without_the_key(trial):
    """A client that does not know the run's key sends an object that does harm where it is unpickled."""
    process, harm = trial.start(), trial.folder / "harm"
    with socket.socket(socket.AF_UNIX) as client:
        _connect(client, _server(trial, process))
        for message in (b"0" * 64, pickle.dumps(_Touch(str(harm)))):
            with suppress(BrokenPipeError):
                client.sendall(struct.pack("!i", len(message)) + message)
        well, text = _ends(trial, process)
    expect(well, f"the run fails: {text[-600:]}")
    expect(not harm.exists(), "what a stranger sent was unpickled")
    trial.recovers()


def open_folder(trial):
    """Others may write into the folder of the socket: jobs do not talk to whoever listens there."""
    process = trial.start()
    _server(trial, process).chmod(0o777)
    well, text = _ends(trial, process)
    expect(not well, "a run with it ends well")
    logs = "".join(path.read_text(errors="replace") for path in trial.folder.rglob("*.log"))
    expect("is not a folder that this user alone can open" in text + logs, f"it does not say why: {text[-600:]}")
    trial.recovers()


def sockets_left(trial):
    """A killed run leaves its socket; the next one removes it."""
    killed_while_playing(trial, signal.SIGKILL)
    left = list((trial.folder / ".snakemake").glob("jobs-*"))
    expect(not left, f"{len(left)} folders of sockets are left")


# make verify


VERIFY = "import sys; from replication.tools.verify import main; sys.exit(main())"
DIGESTS = "import sys; from replication.tools import reference as r; from pathlib import Path; " + (
    "r.write_digests(r.digests(Path('results')) | r.figure_digests({'lee2019'}), r.FOLDER / r.DIGESTS)"
)
OURS, REFERENCE = "results/verdicts.csv", "data/reference/verdicts.csv"


def verify_says(trial, change, words, tables=(OURS,)):
    """Results, or the reference, are not what the study made: `make verify`, content before, says so in lines."""
    trial.fill()
    for path in (trial.folder / "data/published").glob("*.csv"):
        if path.stem != "lee2019":
            path.unlink()
    for name in ("verdicts.csv", "verdict_readings.csv"):
        for folder in ("results", "data/reference"):
            shutil.copy(trial.folder / "results/lee2019" / name, trial.folder / folder / name)
    made = trial.python(DIGESTS)
    expect(made.returncode == 0, made.stderr[-600:])
    before = trial.python(VERIFY)
    expect(before.returncode == 0, f"it is not content with what the study made: {before.stdout + before.stderr}")
    for table in tables:
        path = trial.folder / table
        path.write_bytes(change(path.read_bytes()))
    done = trial.python(VERIFY)
    text = done.stdout + done.stderr
    expect(done.returncode == 1, f"exit status {done.returncode}")
    expect(words in text, f"it does not say {words!r}: {text[-600:]}")
    expect("Traceback" not in text, f"it shows a traceback: {text[-600:]}")


def _with_another_paper(data):
    """Rows of a table of verdicts, and the same rows of another paper."""
    header, _, rows = data.partition(b"\n")
    return header + b"\n" + rows + rows.replace(b"lee2019", b"lu2021")


def _with_another_number(data):
    """The 27 arms of brute force, published and counted, rewritten as 28."""
    assert b",,27,27," in data, "no row of 27 arms"
    return data.replace(b",,27,27,", b",,28,28,")


# Surroundings


def surrounded(trial, **environment):
    """Other settings of the shell: the same values."""
    trial.recovers(**{name: value.format(folder=trial.folder) for name, value in environment.items()})


def deep_temporary(trial):
    """A path longer than a socket's may be."""
    folder = trial.folder / ("t" * 110)
    folder.mkdir()
    trial.recovers(TMPDIR=str(folder))


def without_git(trial):
    folder = trial.folder / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\nexit 127\n")
    (folder / "git").chmod(0o755)
    trial.recovers(PATH=f"{folder}:{trial.study.environment['PATH']}")


def just_runs(trial, first=":"):
    trial.recovers(first)


def says_no(trial):
    """Where Snakemake cannot run it says why, in a line."""
    text = trial.refuses("expected a folder without them")
    expect("Traceback" not in text, "it shows a traceback")


# What a full run of the table tries. A name may stand several times: every time is a moment, a bit, a place of its own.

FAULTS = [
    *[("kill: SIGKILL at any moment", partial(killed, number=signal.SIGKILL))] * 4,
    *[("kill: SIGKILL while jobs run", partial(killed_while_playing, number=signal.SIGKILL))] * 4,
    *[("kill: SIGTERM while jobs run", partial(killed_while_playing, number=signal.SIGTERM))] * 2,
    *[("kill: SIGINT while jobs run", partial(killed_while_playing, number=signal.SIGINT))] * 2,
    *[("kill: one job's work", partial(one_job_killed, listed=forked))] * 2,
    ("kill: one job's waiting process", partial(one_job_killed, listed=asking)),
    ("kill: what jobs fork from", partial(one_job_killed, listed=origin)),
    ("kill: what a killed run leaves", sockets_left),
    ("server: half a request", half_a_request),
    ("server: a request without the key", without_the_key),
    ("server: a folder that others may write into", open_folder),
    ("bits: 300 at random, one at a time", silent_bits),
    *[("bits: one in a file of runs", partial(damaged, damage=flipped))] * 2,
    ("bits: one in finals", partial(damaged, damage=flipped, table=TIDY[0])),
    ("damage: a file of runs is cut", partial(damaged, damage=cut)),
    ("damage: a file of runs is empty", partial(damaged, damage=lambda data, rng: b"")),
    ("damage: a file of runs is a text", partial(damaged, damage=lambda data, rng: b"policy,seed\n1,2\n")),
    ("damage: curves are cut", partial(damaged, damage=cut, table=TIDY[1])),
    ("damage: a stage's table is cut", partial(damaged, damage=cut, table=STAGE)),
    ("wrong: another policy's runs", other_policy),
    ("wrong: another batch's runs", partial(changed, change=_other_block)),
    ("wrong: a row is missing", partial(changed, change=_without_a_row)),
    ("wrong: a column is missing", partial(changed, change=_without_a_column)),
    ("wrong: a seed that it should not have", partial(changed, change=partial(_set, "seed", 999))),
    ("wrong: another checkpoint", partial(changed, change=partial(_set, "t", 7))),
    ("wrong: a reward that is no number", partial(changed, change=partial(_set, "cumulative_reward", float("nan")))),
    ("wrong: an infinite regret", partial(changed, change=partial(_set, "cumulative_regret", float("inf")))),
    ("published: a column is missing", partial(edited, path=PUBLISHED, change=lambda t: t.replace(",judge,", ",", 1))),
    ("published: saved as UTF-16", partial(edited, path=PUBLISHED, change=lambda t: t.encode("utf-16"))),
    (
        "published: saved as Windows-1252, as a spreadsheet may",
        partial(edited, path=PUBLISHED, change=lambda t: t.replace("POMIS", "POMIS\u00e9", 1).encode("cp1252")),
    ),
    (
        "published: a claim's argument twice",
        partial(edited, path=PUBLISHED, change=_in_row("arguments", TWICE), words=("stands twice",)),
    ),
    ("published: an unknown judge", partial(edited, path=PUBLISHED, change=_in_row("judge", "abvoe"))),
    ("published: a claim twice", partial(edited, path=PUBLISHED, change=lambda t: t + t.splitlines()[-1] + "\n")),
    ("published: no rows at all", partial(edited, path=PUBLISHED, change=lambda t: "")),
    ("published: no file", partial(edited, path=PUBLISHED, change=lambda t: None)),
    (
        "published: an unknown experiment",
        partial(edited, path=PUBLISHED, change=_in_row("experiment", "x")),
    ),
    ("config: a key twice", partial(edited, path="config/config.yaml", change=lambda t: t + "\nseed: 1\n")),
    ("config: an unknown key", partial(edited, path="config/config.yaml", change=lambda t: t + "\nsede: 1\n")),
    (
        "config: an unknown paper",
        partial(edited, path="config/config.yaml", change=lambda t: t.replace("lee2019", "lee2020")),
    ),
    ("config: no YAML", partial(edited, path=PAPER, change=lambda t: t + "\n  - [\n")),
    ("config: a text for a number", partial(edited, path=PAPER, change=_in_paper(lambda e: e.update(horizon="ten")))),
    (
        "config: an unknown algorithm",
        partial(edited, path=PAPER, change=_in_paper(lambda e: e["policies"]["ts_pomis"].update(algorithm="ts"))),
    ),
    (
        "config: a misspelt parameter",
        partial(edited, path=PAPER, change=_in_paper(lambda e: e["policies"]["kl_ucb_bf"].update(parameters={"d": 1}))),
    ),
    ("config: a misspelt parameter of an extra", misspelt_extra),
    (
        "config: more jobs than can be planned",
        partial(edited, path=PAPER, change=_in_paper(lambda e: e.update(replicates=10**9))),
    ),
    (
        "policy: the arm -1",
        partial(breaks_the_rules, new="arms - 1 - arms, rewards", message="arms of round 1: -1; expected"),
    ),
    (
        "policy: a reward of 7.5",
        partial(breaks_the_rules, new="arms, rewards + 7.5", message="rewards of round 1:"),
    ),
    ("kernels: damaged indices", partial(damaged_kernels, suffix="nbi")),
    ("kernels: damaged code", partial(damaged_kernels, suffix="nbc")),
    ("disk: half a table", half_written),
    ("disk: no file above 2 kB", small_files),
    ("disk: full after 8 kB", partial(full_disk, kb=8)),
    ("disk: full after 24 kB", partial(full_disk, kb=24)),
    ("disk: results cannot be written", partial(read_only, part="results", works=False)),
    ("disk: logs cannot be written", partial(read_only, part="logs", works=False)),
    ("disk: the package cannot be written", partial(read_only, part="src", works=True)),
    ("two at once: in one folder", twice_in_one_folder),
    ("two at once: side by side", twice_beside_each_other),
    ("gone: finals", partial(gone, part=TIDY[0])),
    ("gone: curves", partial(gone, part=TIDY[1])),
    ("gone: verdicts", partial(gone, part=VERDICTS)),
    ("gone: all runs of a policy", partial(gone, part=f"{RUNS}/kl_ucb_bf")),
    ("gone: Snakemake's records", partial(gone, part=".snakemake")),
    ("times: all new, in any order", partial(touched, when=1.8e9)),
    ("times: all in the future", partial(touched, when=4.0e9)),
    ("times: results copied from elsewhere", copied),
    ("times: a clock that ran ahead, and a table is gone", clock_ran_ahead),
    ("stale: results of older code, without Snakemake's records", of_older_code),
    ("stale: finals of another configuration", partial(foreign, path=TIDY[0])),
    ("stale: curves of another configuration", partial(foreign, path=TIDY[1])),
    ("stale: finals of another experiment", of_another_experiment),
    ("stale: a stage's table of another configuration", partial(foreign, path=STAGE)),
    ("stale: the committed copy of a figure", committed_copy),
    ("outputs: an emptied table of verdicts", partial(output_changed, path=VERDICTS, change=lambda data: b"")),
    ("outputs: an edited table of verdicts", partial(output_changed, path=VERDICTS, change=_edit)),
    ("outputs: an edited table of a figure", partial(output_changed, path=TABLE, change=lambda data: data + b"1,2\n")),
    ("outputs: a figure cut short", partial(output_changed, path=FIGURE, change=lambda data: data[: len(data) // 2])),
    ("outputs: a user's matplotlibrc", users_look),
    (
        "verify: no verdicts",
        partial(verify_says, change=lambda data: data.splitlines(keepends=True)[0], words="no verdicts; "),
    ),
    (
        "verify: cut within a row",
        partial(verify_says, change=lambda data: data[: len(data) // 2], words="results/verdicts.csv"),
    ),
    ("verify: an outcome edited", partial(verify_says, change=lambda data: _edit(data), words="differs: lee2019.")),
    (
        "verify: a reason rewritten",
        partial(
            verify_says, change=lambda data: data.replace(b"exact means of", b"means of"), words=": reason: 'means"
        ),
    ),
    (
        "verify: a paper is missing",
        partial(verify_says, change=_with_another_paper, words="lu2021: no verdicts at hand", tables=(REFERENCE,)),
    ),
    (
        "verify: a published number rewritten here and in the reference",
        partial(verify_says, change=_with_another_number, words=": published: '28'", tables=(OURS, REFERENCE)),
    ),
    (
        "verify: a table under figures/ altered",
        partial(
            verify_says, change=lambda data: data + b"1,2\n", words=f"{TABLE}: not the reference's", tables=(TABLE,)
        ),
    ),
    ("shell: no home", partial(surrounded, HOME="{folder}/none")),
    ("shell: git fails", without_git),
    ("shell: language C, far time zone", partial(surrounded, LANG="C", LC_ALL="C", TZ="Pacific/Kiritimati")),
    ("shell: a deep folder for temporary files", deep_temporary),
    ("shell: no folder for temporary files", partial(surrounded, TMPDIR="{folder}/none")),
    ("shell: no bytecode, hash seed 7", partial(surrounded, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="7")),
    ("shell: eight threads of linear algebra", partial(surrounded, OMP_NUM_THREADS="8", OPENBLAS_NUM_THREADS="8")),
    ("shell: umask 077", partial(just_runs, first="umask 077")),
]


_RULES, _FILES = "workflow/rules/common.smk", "src/replication/pipeline/files.py"
_ATOMIC, _SERVER = "src/replication/pipeline/atomic.py", "src/replication/pipeline/fork_server.py"
_VERIFY, _ANY_KEY = "src/replication/tools/verify.py", "if not connection.recv_bytes(maxlength=1024):"

#: Defences by name: edits that switch it off, each a file, a text in it, and another text.
DEFENCES = {
    "contents decide": [(_RULES, "    if is_right:", "    if True:")],
    "no time of the future": [(_RULES, 'begin([Path(RESULTS), Path(FIGURES), ROOT / "data"])', "begin([])")],
    "matplotlib's own defaults": [("src/replication/drawing/plotting.py", "        mpl.rcdefaults()\n", "")],
    "the simulator's ranges": [
        ("src/causal_bandits/play/run.py", "if rounds and not (np.min", "if False and not (np.min")
    ],
    "kernels with digests": [("src/causal_bandits/compiled.py", "kept._cache_file = WholeFiles(", "WholeFiles(")],
    "checksums of pages and footers": [
        (_FILES, "page_checksum_verification=True", "page_checksum_verification=False"),
        (_FILES, "        _verify_footer(path)\n", ""),
    ],
    "whole or not at all": [
        (_ATOMIC, "        yield temporary\n", "        yield output\n"),
        (_ATOMIC, "        temporary.replace(output)\n", ""),
    ],
    "runs held against their path": [("src/replication/pipeline/runs.py", "    if not holds:", "    if False:")],
    "a table of claims is UTF-8": [
        ("src/replication/config/checks.py", '    _check_cells(f"data/published/{paper}.csv", root)\n', "")
    ],
    "a key stands once": [("src/replication/pipeline/settings.py", "if own.count(key) > 1:", "if False:")],
    "patience with a client": [(_SERVER, "_wait_at_most(PATIENCE, accepted)", "_wait_at_most(0, accepted)")],
    "the run's key": [(_SERVER, "if not hmac.compare_digest(connection.recv_bytes(maxlength=1024), key):", _ANY_KEY)],
    "a folder of this user's": [(_SERVER, "stat.S_IMODE(about.st_mode) & 0o077:", "False:")],
    "left sockets are removed": [(_SERVER, "    _remove_left_over()\n    folder", "    folder")],
    "verify asks for verdicts": [(_VERIFY, "    if not rows:", "    if False:")],
    "verify reads whole tables": [
        (_VERIFY, "except (OSError, NoReferenceError, TableError, ClaimError)", "except NoReferenceError")
    ],
    "verify compares outcomes": [
        (_VERIFY, 'ours["outcome"] == theirs["outcome"]', "True"),
        (_VERIFY, "if same_outcome and (", "if True or ("),
    ],
    "verify asks for every paper": [(_VERIFY, "            if paper not in papers\n", "            if False\n")],
    "verify reads what is published": [(_VERIFY, "if row[name] != given[claim][column]", "if False")],
    "verify looks into figures/": [(_VERIFY, "elif found[table] != digest and", "elif False and")],
    "verify compares words": [(_VERIFY, '[] if same_reason(ours["reason"], theirs["reason"]) else', "[] if True else")],
}

#: Those in modules that simulations import, of faults that run the study again: without one runs are others, so that
#: a study is made without it.
REPLAYED = {"runs held against their path"}

#: The defence of a fault; without it the fault is not survived (`python -m faults --without`).
DEFENDED = {
    "kill: what a killed run leaves": "left sockets are removed",
    "server: half a request": "patience with a client",
    "server: a request without the key": "the run's key",
    "server: a folder that others may write into": "a folder of this user's",
    "bits: 300 at random, one at a time": "checksums of pages and footers",
    "wrong: another policy's runs": "contents decide",
    "wrong: another batch's runs": "runs held against their path",
    "wrong: a row is missing": "runs held against their path",
    "wrong: a seed that it should not have": "runs held against their path",
    "wrong: an infinite regret": "runs held against their path",
    "published: saved as UTF-16": "a table of claims is UTF-8",
    "published: saved as Windows-1252, as a spreadsheet may": "a table of claims is UTF-8",
    "published: a claim's argument twice": "a key stands once",
    "config: a key twice": "a key stands once",
    "policy: the arm -1": "the simulator's ranges",
    "policy: a reward of 7.5": "the simulator's ranges",
    "kernels: damaged indices": "kernels with digests",
    "kernels: damaged code": "kernels with digests",
    "disk: half a table": "whole or not at all",
    "verify: no verdicts": "verify asks for verdicts",
    "verify: cut within a row": "verify reads whole tables",
    "verify: an outcome edited": "verify compares outcomes",
    "verify: a reason rewritten": "verify compares words",
    "verify: a paper is missing": "verify asks for every paper",
    "verify: a published number rewritten here and in the reference": "verify reads what is published",
    "verify: a table under figures/ altered": "verify looks into figures/",
    "stale: finals of another experiment": "contents decide",
    "stale: a stage's table of another configuration": "contents decide",
    "outputs: an edited table of a figure": "contents decide",
    "stale: runs on another instance, without Snakemake's records": "contents decide",
    "times: a clock that ran ahead, and a table is gone": "no time of the future",
    "stale: results of older code, without Snakemake's records": "contents decide",
    "stale: finals of another configuration": "contents decide",
    "stale: curves of another configuration": "contents decide",
    "stale: the committed copy of a figure": "contents decide",
    "outputs: an emptied table of verdicts": "contents decide",
    "outputs: an edited table of verdicts": "contents decide",
    "outputs: a figure cut short": "contents decide",
    "outputs: a user's matplotlibrc": "matplotlib's own defaults",
}

#: Names of folders that the study is put into.
FOLDERS = [
    "with space",
    "ümläut-日本",
    "it's",
    "[brackets]",
    "{braces}",
    "a,b=c",
    "#hash%percent",
    "long-" * 30,
    "dollar$HOME",
]
FAULTS += [(f"folder: {name[:20]}", says_no if "{" in name else just_runs) for name in FOLDERS]
