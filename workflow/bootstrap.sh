#!/bin/sh
# Makes .venv from requirements.lock for the study or, with the argument `dev`, for tests, lint and documentation too.
# PYTHON=/path/to/python3.12 chooses the interpreter. The last step writes what .venv was made from, so an interrupted
# environment, like one from another lock, folder or Python, is made from scratch.
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-study}

die() { echo "env: error: $*" >&2; exit 1; }
digest() { { pwd; "${PYTHON:-.venv/bin/python}" -V; sed '/^\[tool/q' pyproject.toml; cat requirements.lock; } 2>&1 | cksum; }
ready() { made=$(cat .venv/.made-from 2>/dev/null) && { [ "$made" = "$(digest) dev" ] || [ "$made" = "$(digest) $purpose" ]; }; }

ready && exit
[ ! -L .venv ] || die ".venv is a link; remove it, so that what it points to is not changed."
"${PYTHON:-true}" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' ||
    die "$PYTHON is not Python 3.11 to 3.14; name another: make env PYTHON=/path/to/python3.12"

# One call at a time
exec 9>>.venv.lock
python3 -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'
ready && exit

uv=$(command -v uv) || uv=.uv/bin/uv
"$uv" --version >/dev/null 2>&1 || {
    echo "env: no uv on PATH: fetching it from the package index into .uv"
    python3 -m venv --clear .uv || die "python3 has no venv module; install it (Debian, Ubuntu: python3-venv), or uv."
    .uv/bin/python -m pip install --quiet --only-binary :all: --require-hashes --requirement workflow/uv.lock
}

# Bytecode is compiled here, once: where PYTHONDONTWRITEBYTECODE is set, every job would compile everything it imports.
echo "env: uv installs what $purpose needs, in the versions of requirements.lock"
set -- --extra study --extra slurm
[ "$purpose" = study ] || set -- --all-extras --group dev
[ "$made" = "$(digest) study" ] || "$uv" venv --quiet --clear --python "${PYTHON:->=3.11,<3.14}" .venv
from="$(digest) $purpose" # before the lock is read: it may change meanwhile
"$uv" pip install --quiet --python .venv/bin/python --compile-bytecode --require-hashes \
    --constraints requirements.lock --requirements pyproject.toml "$@"
"$uv" pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
echo "$from" >.venv/.made-from
echo "env: ready"
