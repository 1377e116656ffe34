"""An overlay that Snakemake cannot read ends in a traceback. Prints what is wrong, or that it is mended."""

import subprocess
import sys
import tempfile
from pathlib import Path


def defect() -> str | None:
    """An overlay in latin-1: the message names the file and no line of Snakemake's."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Snakefile").write_text("rule all:\n")
        (Path(folder) / "overlay.yaml").write_bytes("# für alle\n".encode("latin-1"))
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", "overlay.yaml"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if "Traceback" not in text and "overlay.yaml" in text:
        return None
    return f"{text.strip().splitlines()[-1]}; expected a line that names overlay.yaml"


if __name__ == "__main__":
    print(defect() or "mended")
