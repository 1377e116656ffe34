"""Run a job of the workflow: call a function, in a process forked for it, with its output in a log.

To start Python and to import the package takes a second, longer than most jobs. A run on one machine therefore keeps a
server: a process that imports the modules that jobs name, once, and forks for each job. A run plays the code that it
began with: modules that the server holds, or that nobody has edited since. Where there is no server (on a node of a
cluster, in an environment of its own), a job imports and calls for itself.

Jobs reach the server by a socket in a folder that only this user can open. Each end checks who the other one is, the
server reads nothing from a client without the run's key, and a job takes from the server nothing but text.
"""

from __future__ import annotations

import gc
import hmac
import importlib
import os
import re
import secrets
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from causal_bandits.provenance import PACKAGE, SOURCE
from replication.pipeline.joblog import logged
from replication.pipeline.time_limit import limited

#: The library and the study.
PACKAGES = (PACKAGE, __name__.partition(".")[0])

#: Environment variables that tell jobs where the server listens, and the key of the run.
ADDRESS, KEY = "CAUSAL_BANDITS_JOBS", "CAUSAL_BANDITS_KEY"
#: Folder of the sockets, below that of the run; a socket's path has some 100 bytes, so that it is relative.
FOLDER = Path(".snakemake")
#: Seconds that the server waits for the rest of a request that has begun.
PATIENCE = 5
#: An import path among a job's arguments, for instance that of its policy: the module, then a name in it.
NAMED = re.compile(rf"((?:{'|'.join(PACKAGES)})[.\w]*):\w+")


def run(function: str, log: str, /, **arguments: Any) -> None:
    """Call a function and wait for its end; a failure also ends the calling process.

    Parameters
    ----------
    function : str
        Import path of its module and its name: ``replication.drawing.plotting:draw``.
    log : str
        File for its output and, at its end, for what it took (see `joblog.logged`).
    **arguments
        By name; they must pickle.

    Raises
    ------
    SystemExit
        If the call failed in the server's fork, whose log says how; or if the socket is not this user's own.
    """
    address = os.environ.get(ADDRESS)
    if address is None:
        _call(function, log, arguments)
        return
    try:
        with _connected(Path(address)) as connection:
            connection.send_bytes(os.environ[KEY].encode())
            connection.send((function, log, arguments))
            failure = connection.recv_bytes().decode()
    except PermissionError as error:
        sys.exit(f"{log}: {error}")
    except (EOFError, OSError) as error:
        sys.exit(f"{log}: the process of this job was ended from outside, or the one it forks from ({error!r})")
    if failure:
        sys.exit(f"{log} tells why this job failed\n{failure}")


def _call(function: str, log: str, arguments: dict[str, Any]) -> None:
    module, _, name = function.partition(":")
    with logged(log), limited(function, arguments):
        getattr(importlib.import_module(module), name)(**arguments)


def _connected(address: Path) -> Connection:
    """Connect to the server.

    Raises
    ------
    PermissionError
        If the socket's folder or the process behind it is another user's, or others can open the folder.
    """
    about = address.parent.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or stat.S_IMODE(about.st_mode) & 0o077:
        raise PermissionError(f"{address.parent} is not a folder that this user alone can open; its server is not used")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(address))
        if not _is_ours(client):
            raise PermissionError(f"{address}: the process that listens is another user's; it is not used")
        return Connection(client.detach())


def _is_ours(connected: socket.socket) -> bool:
    """Say whether the process at the other end is this user's; macOS does not tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", told)
    return bool(user == os.geteuid())


def start_server() -> subprocess.Popen[bytes]:
    """Start the server for the jobs of this process's children; it ends when this process does.

    Returns
    -------
    subprocess.Popen
        To be kept: the server goes on as long as its standard input stays open.
    """
    FOLDER.mkdir(exist_ok=True)
    _remove_left_over()
    folder = tempfile.mkdtemp(prefix=f"jobs-{os.getpid()}-", dir=FOLDER)  # for this user alone
    folder = os.path.relpath(folder)
    address = f"{folder}/socket"
    os.environ[KEY] = secrets.token_hex(32)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(socket.SOMAXCONN)
        command = [sys.executable, "-m", __name__, str(listening.fileno()), folder]
        # pyarrow's allocator would keep a thread of its own, and a process with threads should not fork.
        environment = {**os.environ, "JE_ARROW_MALLOC_CONF": "background_thread:false"}
        server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[listening.fileno()], env=environment)
    os.environ[ADDRESS] = address
    return server


def _remove_left_over() -> None:
    """Remove the sockets of runs that were killed."""
    for folder in FOLDER.glob("jobs-*-*"):
        starter = int(folder.name.split("-")[1])
        try:
            os.kill(starter, 0)  # asks only
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except PermissionError:
            pass


def _serve(listening: socket.socket) -> None:
    """Fork for each request, until standard input ends.

    Nobody is waited for: a client is read once it has sent something, and then for `PATIENCE` at most.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the jobs; this process ends with who started it
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forked: their connections tell
    begun, key = _edited_when(), os.environ[KEY].encode()
    silent: list[Connection] = []
    while True:
        ready, _, _ = select.select([sys.stdin, *silent, listening], [], [])
        if sys.stdin in ready:
            return
        if listening in ready:
            accepted, _ = listening.accept()
            with accepted:
                if _is_ours(accepted):
                    _wait_at_most(PATIENCE, accepted)
                    silent.append(Connection(accepted.detach()))
            continue
        connection = next(client for client in silent if client in ready)
        silent.remove(connection)
        with connection:
            try:
                if not hmac.compare_digest(connection.recv_bytes(maxlength=1024), key):
                    continue
                function, log, arguments = connection.recv()
                missing = {function.partition(":")[0], *_named(arguments)}.difference(sys.modules)
                # What is imported after an edit would meet what was imported before, and be compiled with that.
                if missing and (edited := [path for path, when in _edited_when().items() if begun.get(path) != when]):
                    function, arguments, missing = f"{__spec__.name}:refuse", {"edited": edited}, set()
                # Here once, instead of in every fork; what fails is left to the fork, whose log will tell.
                for module in sorted(missing):
                    with suppress(Exception):
                        importlib.import_module(module)
                gc.freeze()  # what is here stays: no fork need look through it for garbage
                forked = os.fork() == 0
            except Exception:  # of this job alone: who asked has gone already, or there is no room for a process
                traceback.print_exc()
                continue
            if forked:
                try:
                    listening.close()
                    for other in silent:  # whose ends must be seen by those that they belong to
                        other.close()
                    with socket.socket(fileno=os.dup(connection.fileno())) as own:
                        _wait_at_most(0, own)
                    _answer(connection, function, log, arguments)
                finally:  # never back into the loop, whose end removes the socket
                    os._exit(1)


def _named(value: Any) -> Iterator[str]:
    """Find the modules of all import paths in a value."""
    if isinstance(value, str):
        if path := NAMED.fullmatch(value):
            yield path[1]
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _named(part)


def _edited_when() -> dict[str, int]:
    """Note when each module of the library and of the study was edited."""
    files = (path for package in PACKAGES for path in (SOURCE / package).rglob("*.py"))
    return {str(path): path.stat().st_mtime_ns for path in files}


def refuse(edited: list[str]) -> NoReturn:
    """Refuse a job whose modules would be imported after an edit.

    Raises
    ------
    RuntimeError
        Always.
    """
    raise RuntimeError(f"edited since this run began: {', '.join(edited)}; run again, what is done is kept")


def _answer(connection: Connection, function: str, log: str, arguments: dict[str, Any]) -> NoReturn:
    """Call the function in the forked process, and answer with its traceback if it failed."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    try:
        _call(function, log, arguments)
        failure = ""
    except BaseException:
        failure = traceback.format_exc()
    with suppress(OSError):
        connection.send_bytes(failure.encode())
    os._exit(0)


def _wait_at_most(seconds: int, connected: socket.socket) -> None:
    """Limit how long a read may wait; 0: for ever."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", seconds, 0))


def _end_with(connection: Connection) -> None:
    """End this process when the job that asked for it has gone: it sends nothing more."""
    with suppress(OSError, EOFError):
        connection.recv()
    os._exit(1)


if __name__ == "__main__":
    try:
        with socket.socket(fileno=int(sys.argv[1])) as given:
            _serve(given)
    finally:
        shutil.rmtree(Path(sys.argv[2]), ignore_errors=True)
