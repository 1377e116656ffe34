"""Jobs that have ended keep waking Snakemake's scheduler. Prints what is wrong, or that it is mended."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

JOBS = 20
SNAKEFILE = f"""
rule all:
    input: [f"{{i}}.txt" for i in range({JOBS})]

rule one:
    output: "{{i}}.txt"
    shell: "sleep 0.2; touch {{output}}"
"""


def looks(*arguments: str) -> int:
    """Count how often the scheduler looks through the waiting jobs in a run of `JOBS` jobs, one after another."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Snakefile").write_text(SNAKEFILE)
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--scheduler", "greedy", "--verbose", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return len(re.findall(r"^Ready jobs: ", done.stdout + done.stderr, flags=re.MULTILINE))


def defect() -> str | None:
    """A look after the end of every job would do; a limit that is never reached needs no other."""
    found = looks("--max-jobs-per-timespan", "1000000/1s")
    return f"{found} looks at the waiting jobs for {JOBS} jobs; expected about {JOBS}" if found > 1.5 * JOBS else None


if __name__ == "__main__":
    print(defect() or "mended")
