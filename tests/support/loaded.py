"""Which modules an import loads, seen in a process of its own."""

import subprocess
import sys


def loaded_by(module):
    command = [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)})
    return set(done.stdout.split())
