"""Try mutants of both packages in a private copy of the checkout: does a test fail? `make mutants` calls it.

Every mutant runs in a fork of one process that has imported the slow libraries; what is not changed is compiled once.
The tests that caught the mutant before come first, then its module's own, then the rest of its room's; the first
failure ends it. Loops run as plain Python (NUMBA_DISABLE_JIT): a mutated module would have all kernels compiled anew.
What survives so meets the tests that plain Python is too slow for, with compiled loops, in a process of its own. A test
catches a mutant only if it passes, run alone, on the unchanged module. What was found stands in `.mutants` and is not
tried again while the module and the tests that judged it stay the same; so an interrupted run goes on where it stopped.
"""

import argparse
import compileall
import gc
import hashlib
import importlib
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

import pytest
from mutants.mutate import Mutant, Place, mutant, places, room, sampled
from mutants.table import FOLDER, record, write

ROOT = Path(__file__).parents[2]
PACKAGES = ("causal_bandits", "replication")
STATE = ROOT / ".mutants"
TREE = STATE / "tree"
SLOW_IMPORTS = """
hypothesis numpy numpy.testing numba networkx opt_einsum pandas pgmpy.models pyarrow.parquet scipy.optimize scipy.stats
jsonschema yaml statsmodels.api matplotlib.pyplot seaborn
"""
#: Set before numpy and numba are imported. What tests start reads the tree too. One thread: a fork takes none along.
ENVIRONMENT = {
    "PYTHONPATH": str(TREE / "src"),
    "NUMBA_DISABLE_JIT": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}
#: Seconds that the tests with compiled loops have for one mutant.
COMPILED_SECONDS = 300
#: Its random numbers wrap around on purpose: compiled in silence, as plain Python with a warning, which is an error.
WRAPS = "ignore:overflow encountered:RuntimeWarning:causal_bandits.models.single_node_worlds"
#: Processor time that a test may take on the unchanged package; what takes longer as plain Python judges no mutant.
TEST_SECONDS = 15
#: And the tests of one file together; those after these seconds judge none either.
FILE_SECONDS = 45
SURVIVED, CAUGHT, TOO_SLOW = "survived", "caught", "caught: too slow"


def forked(function: Callable[[], Any], cpu_seconds: float = 0) -> tuple[Any, float]:
    """Return what a function returns in a fork (None if the fork dies), and the processor time that it took."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_seconds), int(cpu_seconds) + 1))
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
            signal.alarm(20 * int(cpu_seconds))  # one that waits for ever
        try:
            answer = json.dumps(function())
        except BaseException as error:
            answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
        with os.fdopen(writing, "w") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, _, usage = os.wait4(child, 0)
    return (json.loads(text) if text else None), usage.ru_utime + usage.ru_stime


class TooSlow(Exception):
    """A test took longer than it may."""


class Watch:
    """A plugin of pytest: shortest tests first, a limit for each, no shrinking of examples, a record of what ran."""

    def __init__(self, durations: dict[str, float], skip: set[str], seconds: float):
        self.known, self.skip, self.end = durations, skip, time.process_time() + seconds
        self.durations: dict[str, float] = {}
        self.failed: list[str] = []

    def pytest_sessionstart(self):
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutants",
            settings.default,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid not in self.skip]
        items.sort(key=lambda item: self.known.get(item.nodeid, 0.0))

    def pytest_runtest_setup(self, item):
        if time.process_time() > self.end:
            self.failed.append(item.nodeid)
            pytest.skip("too late")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        def stop(*_):
            raise TooSlow(item.nodeid)

        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, max(TEST_SECONDS, 5 * self.known.get(item.nodeid, 0.0)))
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report):
        self.durations[report.nodeid] = self.durations.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)


def run_tests(
    files: list[str], durations: dict[str, float], skip: set[str], *options: str, seconds: float = math.inf
) -> dict[str, Any]:
    """Run test files with pytest, in the tree; what has not begun after ``seconds`` of processor time has failed."""
    os.chdir(TREE)
    watch = Watch(durations, skip, seconds)
    fixed = ["-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain", "-W", WRAPS]
    code = pytest.main([*fixed, *options, *files], plugins=[watch])
    return {"code": int(code), "failed": watch.failed, "durations": watch.durations}


def chosen_tests(module: str) -> tuple[list[str], list[str]]:
    """A module's own test files, and those of its room that import it, transitively.

    A module beside the rooms is judged by its own test file and by the others of any room that import it themselves.
    """
    sys.path.insert(0, str(TREE / "src"))
    from causal_bandits.provenance import imported_modules

    tests = TREE / "tests"
    place, beside = room(module), room(module) == module

    def reaches(path: Path) -> bool:
        named = sorted(set(package_imports(path)))
        return module in (named if beside else imported_modules(named, TREE / "src"))

    parts = module.split(".")
    own = [tests.joinpath(*parts[:-1], f"test_{parts[-1]}.py")]
    if parts[1] == "papers":
        own.append(tests.joinpath(*parts[:3], "test_claims.py"))  # where claims are judged as the study does
    own = [path for path in dict.fromkeys(own) if path.is_file()]
    candidates = sorted(tests.joinpath(*(parts[:1] if beside else place.split("."))).rglob("test_*.py"))
    if beside:
        candidates = [path for path in candidates if "papers" not in path.parts]
    if place in ("causal_bandits.policies", "causal_bandits.models"):
        candidates += sorted((tests / "contract").glob("test_*.py"))
    others = [path for path in candidates if path not in own and reaches(path)]
    if parts[1] == "papers":  # a printed algorithm beside the one that is played
        elsewhere = sorted((tests / "causal_bandits" / "policies").glob("test_*.py"))
        others += [path for path in elsewhere if module in package_imports(path)]
    return [str(p.relative_to(TREE)) for p in own], [str(p.relative_to(TREE)) for p in others]


def package_imports(path: Path) -> list[str]:
    """Modules of the two packages that a test file imports."""
    import ast

    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if module_path(name).exists() else str(node.module) for name in names]
        found += [name for name in names if name.partition(".")[0] in PACKAGES]
    return found


def module_path(module: str, root: Path = TREE) -> Path:
    """Return the file of a module."""
    base = root / "src" / Path(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def digest(*paths: Path) -> str:
    """Return the digest of files' contents."""
    return hashlib.blake2b(b"\0".join(path.read_bytes() for path in paths), digest_size=8).hexdigest()


class Baseline:
    """How the tests run on the unchanged package: how long, and which fail (those judge no mutant)."""

    def __init__(self):
        self.path = STATE / "baseline.json"
        self.known = json.loads(self.path.read_text()) if self.path.exists() else {}
        everything = sorted([*(TREE / "src").rglob("*.py"), *(TREE / "tests").rglob("*.py")])
        helpers = [p for p in everything if not p.name.startswith("test_") and p.parent.name != "mutants"]
        self.shared = f"{TEST_SECONDS} {FILE_SECONDS} {digest(*helpers)}"

    def of(self, file: str) -> dict[str, Any]:
        key = self.shared + digest(TREE / file)
        if self.known.get(file, {}).get("key") != key:
            print(f"    {file} on the unchanged package", end="", flush=True)
            result, seconds = forked(lambda: run_tests([file], {}, set(), seconds=FILE_SECONDS))
            if result is None or "error" in result or result["code"] not in (0, 1, 5):
                raise SystemExit(f"\n{file} does not run on the unchanged package: {result}")
            failing = sorted(set(result["failed"]))
            entry = {"key": key, "seconds": seconds, "failing": failing, "durations": result["durations"], "alone": []}
            self.known[file] = entry
            self.path.write_text(json.dumps(self.known))
            print(f": {seconds:.0f} s" + (f", {len(failing)} judge none: {', '.join(failing)}" if failing else ""))
        return self.known[file]

    def has(self, test: str) -> bool:
        """Whether there is such a test, and it passes."""
        file = test.partition("::")[0]
        return (TREE / file).is_file() and test in set(self.of(file)["durations"]) - set(self.of(file)["failing"])

    def passes_alone(self, test: str) -> bool:
        """Whether a test passes without those before it; one that does not judges no mutant from now on."""
        entry = self.of(test.partition("::")[0])
        if test not in entry["alone"]:
            result, _ = forked(lambda: run_tests([test], {}, set()))
            entry["alone" if result and result.get("code") == 0 else "failing"].append(test)
            self.path.write_text(json.dumps(self.known))
        return test in entry["alone"]

    def compiled_only(self, file: str) -> list[str]:
        """The tests of a file that judge no mutant as plain Python, and pass with compiled loops."""
        entry = self.of(file)
        if "compiled_only" not in entry:
            failed = run_compiled(entry["failing"]) if entry["failing"] else []
            entry["compiled_only"] = [] if failed is None else sorted(set(entry["failing"]) - set(failed))
            self.path.write_text(json.dumps(self.known))
        return list(entry["compiled_only"])


def run_compiled(tests: list[str], *options: str) -> list[str] | None:
    """Run tests in a process of its own with compiled loops; those that fail, None if they take too long."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "-p", "no:xdist"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(STATE / "kernels")}
    try:
        done = subprocess.run(
            [*command, *options, *tests], cwd=TREE, env=environment, capture_output=True, text=True,
            timeout=COMPILED_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    said = [line.split(" ")[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return said or (tests if done.returncode else [])


def judge(source: str, path: Path, changed: Mutant, groups: list[list[str]], baseline: Baseline) -> dict[str, Any]:
    """Run the tests on one mutant, group by group (files, or tests by name), until one fails."""
    seconds = 0.0
    for asked in groups:
        files = sorted({name.partition("::")[0] for name in asked})
        while True:
            result, used = _run_on(source, path, changed, asked, baseline)
            seconds += used
            if result is None:
                return {"outcome": TOO_SLOW, "by": files, "seconds": seconds}
            if "error" not in result and result["code"] in (0, 5):  # 5: the baseline leaves no test of these files
                break
            tests = [name for name in result.get("failed", []) if "::" in name]
            if all(baseline.passes_alone(test) for test in tests):
                by = [name.partition("::")[0] for name in result.get("failed", [])]
                return {"outcome": CAUGHT, "by": by or files, "test": result.get("failed", []), "seconds": seconds}
    by = sorted({name.partition("::")[0] for asked in groups for name in asked})
    if tests := [test for file in by for test in baseline.compiled_only(file)]:
        started = time.monotonic()
        try:
            path.write_text(changed.code)
            failed = run_compiled(tests, "-x")
        finally:
            path.write_text(source)
        seconds += time.monotonic() - started
        if failed:  # None, too slow, is no catch: an edit in what all policies import compiles them all anew
            return {"outcome": CAUGHT, "by": sorted({test.partition("::")[0] for test in failed}), "seconds": seconds}
    return {"outcome": SURVIVED, "by": by, "seconds": seconds}


def _run_on(
    source: str, path: Path, changed: Mutant, asked: list[str], baseline: Baseline
) -> tuple[dict[str, Any] | None, float]:
    """Run tests on a mutant until one fails: what `run_tests` returns, and the processor time."""
    known = [baseline.of(file) for file in sorted({name.partition("::")[0] for name in asked})]
    durations = {test: time for entry in known for test, time in entry["durations"].items()}
    skip = {test for entry in known for test in entry["failing"]}
    limit = 30 + 5 * sum(entry["seconds"] for entry in known)
    try:
        path.write_text(changed.code)
        return forked(lambda: run_tests(asked, durations, skip, "-x"), limit)
    finally:
        path.write_text(source)


def judged_by(entry: dict[str, Any]) -> str:
    """Return the digest of the test files that an outcome rests on."""
    return digest(*[path for path in (TREE / file for file in sorted(set(entry["by"]))) if path.is_file()])


def try_module(module: str, chosen: list[Place], possible: int, baseline: Baseline) -> dict[str, Any]:
    """Try mutants of a module, but for those whose outcome is known."""
    path = module_path(module)
    source = path.read_text()
    outcomes = STATE / "outcomes" / f"{module}.json"
    known = json.loads(outcomes.read_text()) if outcomes.exists() else {}
    if known.get("source") != digest(path):
        known = {"module": module, "source": digest(path), "tried": {}}
    known["possible"] = possible
    (own, others), _ = forked(lambda: chosen_tests(module))
    groups = [group for group in (own, others) if group]
    print(f"{module}: {len(chosen)} of {possible} places, tests: {' '.join([*own, *others]) or 'none'}", flush=True)
    asked = {*own, *others}
    caught_by = {key: entry.get("test", []) for key, entry in known["tried"].items()}
    known["tried"] = {key: entry for key, entry in known["tried"].items() if _holds(entry, asked)}
    for number, place in enumerate(chosen, 1):
        changed = None if place.key in known["tried"] else mutant(source, place)
        if changed is None:
            continue
        first = [test for test in caught_by.get(place.key, []) if baseline.has(test)]
        entry = judge(source, path, changed, [first, *groups] if first else groups, baseline)
        entry |= {"line": changed.line, "before": changed.before, "after": changed.after}
        entry["judges"] = judged_by(entry)
        known["tried"][place.key] = entry
        outcomes.parent.mkdir(exist_ok=True)
        outcomes.write_text(json.dumps(known, indent=1))
        shown = f"  line {changed.line}: {changed.before}  ->  {changed.after}"
        print(f"  {number} {entry['outcome']} ({entry['seconds']:.0f} s)", end="")
        print(shown if entry["outcome"] == SURVIVED else "", flush=True)
    return known


def _holds(entry: dict[str, Any], asked: set[str]) -> bool:
    """Whether an outcome stands: the tests that it rests on are what they were, and a survivor met all of them."""
    return entry["judges"] == judged_by(entry) and (entry["outcome"] != SURVIVED or set(entry["by"]) == asked)


def copy_tree() -> None:
    """Bring the private copy up to date: every file that is tracked, or new and not ignored."""
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    shutil.rmtree(TREE, ignore_errors=True)
    for name in sorted({name for name in names if (ROOT / name).is_file()}):
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, TREE / name)
    for part in ("src", "tests"):  # by content, not by time: a mutant may be as long as the module, and of its second
        compileall.compile_dir(TREE / part, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def modules(rooms: str, module: str, root: Path = TREE) -> list[str]:
    """Return the modules asked for: one, those of some rooms in their order, or all of both packages."""
    files = [path for package in PACKAGES for path in sorted((root / "src" / package).rglob("*.py"))]
    names = [".".join(path.relative_to(root / "src").with_suffix("").parts) for path in files]
    names = [name for name in names if not name.endswith(("__init__", "__main__"))]
    chosen: list[str] = []
    for asked in [module] if module else rooms.split():
        found = [name for name in names if name == asked or (not module and name.startswith(f"{asked}."))]
        if not found:
            raise SystemExit(f"mutants: no module or room {asked!r}; expected a full name, causal_bandits.graphs")
        chosen += found
    return chosen or names


def main() -> None:
    """Try what is asked for, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--room", default="", help="folders of the packages, or modules beside the folders")
    parser.add_argument("--module", default="", help="one module, as causal_bandits.graphs.admg")
    parser.add_argument("--sample", type=int, help="so many mutants of each room, the same each time; default: all")
    options = parser.parse_args()
    started = time.monotonic()
    copy_tree()
    sys.dont_write_bytecode = True  # a mutant may be as old and as long as the last
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # which the suite takes for the shell's, and writes bytecode
    os.environ.update(ENVIRONMENT)
    for name in SLOW_IMPORTS.split():
        importlib.import_module(name)
    gc.freeze()
    baseline = Baseline()
    names = modules(options.room, options.module)
    population = {name: places(module_path(name).read_text()) for name in names}
    chosen = sampled(population, options.sample)
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+edits"], check=True, capture_output=True, text=True
    ).stdout.strip()
    for name in names:
        if chosen[name]:
            record(try_module(name, chosen[name], len(population[name]), baseline) | {"revision": commit})
    write(FOLDER, modules("", ""))
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
