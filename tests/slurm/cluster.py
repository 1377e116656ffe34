"""A SLURM of one node, started here: own folder, free ports, the rights of whoever runs it."""

import os
import shutil
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sacct", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")
PROGRAMS = DAEMONS + COMMANDS
#: Debian has the daemons where only root's PATH leads.
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"

CONFIGURATION = """\
ClusterName=study
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
ReturnToService=2
InactiveLimit=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=study Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """The programs that are not installed."""
    return [program for program in PROGRAMS if shutil.which(program, path=PATH) is None]


def _free_ports(n):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Cluster:
    """Starts on entry, stops on exit; ``environment`` makes the SLURM commands talk to it.

    The folder's path must be short: it holds a socket.
    """

    def __init__(self, folder, cpus=2, memory=8000):
        self.folder, self.daemons = folder, []
        user, host = subprocess.check_output(["id", "-un"], text=True).strip(), socket.gethostname().partition(".")[0]
        ports = _free_ports(2)
        for name in ("state", "spool", "bin"):
            (folder / name).mkdir(parents=True)
        text = CONFIGURATION.format(user=user, host=host, folder=folder, ports=ports, cpus=cpus, memory=memory)
        (folder / "slurm.conf").write_text(text)
        key = folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        # Commands that know their configuration: Snakemake's plugin takes every variable of SLURM out of a job.
        for name in COMMANDS:
            script = folder / "bin" / name
            program = shutil.which(name, path=PATH)
            script.write_text(f'#!/bin/sh\nexport SLURM_CONF="{folder}/slurm.conf"\nexec {program} "$@"\n')
            script.chmod(0o755)
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{folder}/bin:{PATH}"}

    def __enter__(self):
        try:
            folder = self.folder
            own = {"key": "key-file", "socket": "socket", "pid": "pid-file", "log": "log-file", "seed": "seed-file"}
            self._start("munged", "--foreground", "--force", *(f"--{o}={folder}/munge.{n}" for n, o in own.items()))
            self._wait(lambda: (folder / "munge.socket").exists(), "munged makes no socket")
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D")
            self._wait(
                lambda: "idle" in self.call("sinfo", "--noheader", "-o", "%T", check=False), "the node stays down"
            )
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def call(self, *command, check=True):
        """Run a SLURM command; returns what it prints."""
        done = subprocess.run(
            command, env={**os.environ, **self.environment}, capture_output=True, text=True, check=False, timeout=60
        )
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)}: {done.stderr}{self.logs()}")
        return done.stdout

    def queue(self):
        """Job id, state and CPUs of everything that is queued or runs."""
        rows = self.call("squeue", "--noheader", "-o", "%A %T %C").split("\n")
        return [(job, state, int(cpus)) for job, state, cpus in (row.split() for row in rows if row.strip())]

    def logs(self):
        """The daemons' last words."""
        texts = ((path.name, path.read_text(errors="replace")[-2000:]) for path in sorted(self.folder.glob("*.log")))
        return "".join(f"\n--- {name}\n{text}" for name, text in texts)

    def _start(self, program, *arguments):
        with (self.folder / f"{program}.out.log").open("w") as out:
            self.daemons.append(
                subprocess.Popen(
                    [shutil.which(program, path=PATH), *arguments],
                    env={**os.environ, **self.environment},
                    stdout=out,
                    stderr=subprocess.STDOUT,
                )
            )

    def _wait(self, ready, failure):
        deadline = time.monotonic() + 60
        while not ready():
            ended = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise AssertionError(f"{failure} (ended: {ended}){self.logs()}")
            time.sleep(0.2)
