#!/bin/sh
# Makes .venv from requirements.lock, and does nothing if it is up to date. `make env` calls it for what the study needs;
# with the argument `dev` it also installs what tests, lint and documentation need. Both use the versions of one lock.
#
# uv does the work, in seconds once its cache is warm. If there is none on PATH, the version in workflow/uv.lock is
# fetched from the package index into .uv, for this use only; if that or uv itself fails, venv and pip take over. In any
# case every file must match a hash from a lock.
#
# The last step writes .venv/.made-from: a digest of everything that the environment is made from, and its purpose. If
# that file is missing (an interrupted run) or differs (a new lock, a moved folder), the environment is made from scratch.
#
# PYTHON=/path/to/python3.12 chooses the interpreter; the default is the first suitable one on PATH.
set -eu
cd "$(dirname "$0")/.."
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf 'env: %s\n' "$*"; }

die() {
    printf 'env: error: %s\n' "$@" >&2
    exit 1
}

# The digest of what the environment is made from, computed by the interpreter $1: the folder, the Python version, the
# lock and the tables of pyproject.toml that describe the package. It uses contents, not file times, and no settings of
# ruff, mypy or pytest.
digest() {
    "$1" -I -c '
import hashlib, json, os, sys, tomllib
pyproject = tomllib.load(open("pyproject.toml", "rb"))
package = [pyproject["build-system"], pyproject["project"], pyproject["tool"]["hatch"]]
lock = open("requirements.lock", encoding="utf-8").read()
key = json.dumps([os.getcwd(), sys.version_info[:2], lock, package], sort_keys=True)
print(hashlib.sha256(key.encode()).hexdigest())
'
}

# Sets `host`, the interpreter to work with, and `wanted`, the one for .venv. They differ if PATH has only Pythons that
# are too new for some wheels of the lock, and PYTHON is not set: uv can then provide an older one. Inside a virtual
# environment its base interpreter is used, so that .venv never depends on itself.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        newest=14
        set -- "$PYTHON"
    else
        newest=13
        set -- python3 python3.13 python3.12 python3.11 python python3.14
    fi
    host= found=
    for candidate do
        about=$("$candidate" -c 'import sys
minor = sys.version_info[1] if sys.version_info[0] == 3 else 0
base = getattr(sys, "_base_executable", sys.executable)
print("%d %d.%d.%d %s" % ((minor,) + sys.version_info[:3] + (base,)))' 2>/dev/null) || continue
        read -r minor version base <<END
$about
END
        if [ "$minor" -ge 11 ] && [ "$minor" -le "$newest" ]; then
            host=$base wanted=$base
            return
        elif [ "$minor" -gt "$newest" ] && [ -z "${PYTHON:-}" ]; then
            host=${host:-$base} wanted=3.13
        fi
        found="$found${found:+, }$candidate is $version"
    done
    [ -n "$host" ] ||
        die "Python 3.11 to 3.14 is needed, but ${found:-${PYTHON:-python3} does not run here}." \
            "Name another interpreter: make env PYTHON=/path/to/python3.12"
    say "$found: none has a wheel for every locked package, so uv will provide Python $wanted"
}

new_venv() {
    "$host" -m venv --clear "$1" ||
        die "$host cannot make virtual environments; install its venv module (Debian, Ubuntu: python3-venv), or uv."
}

find_uv() {
    uv=$(command -v uv) && return
    uv=.uv/bin/uv
    "$uv" --version >/dev/null 2>&1 && return
    say "no uv on PATH: fetching it from the package index into .uv"
    new_venv .uv
    .uv/bin/python -m pip install --quiet --disable-pip-version-check --retries 1 --only-binary :all: \
        --require-hashes --requirement workflow/uv.lock
}

# Bytecode is compiled here, once: if PYTHONDONTWRITEBYTECODE is set, every job would compile everything it imports.
with_uv() {
    find_uv || return
    say "uv installs what $purpose needs, in the versions of requirements.lock"
    set -- --extra study --extra slurm
    [ "$purpose" = study ] || set -- --all-extras --group dev
    [ -n "$made" ] || "$uv" venv --quiet --clear --no-project --python "$wanted" .venv || return
    "$uv" pip install --quiet --python .venv/bin/python --compile-bytecode --require-hashes \
        --constraints requirements.lock --requirements pyproject.toml "$@" &&
        "$uv" pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
}

with_pip() {
    say "pip installs all packages of requirements.lock"
    purpose=dev
    new_venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock &&
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
}

purpose=${1:-study}
[ ! -L .venv ] || die ".venv is a link; remove it, so that what it points to is not changed."
if [ -e .venv ] && [ ! -f .venv/pyvenv.cfg ] && [ -n "$(ls -A .venv)" ]; then
    die ".venv is not a virtual environment; move it away first."
fi

# What .venv was made for; empty if it is missing, or was made from a different lock, folder or Python.
made=
if [ -x .venv/bin/python ] && [ -s .venv/.made-from ]; then
    read -r known made <.venv/.made-from
    [ "$known" = "$(digest "${PYTHON:-.venv/bin/python}" 2>/dev/null)" ] || made=
fi
[ "$made" != dev ] && [ "$made" != "$purpose" ] || exit 0

find_python
rm -f .venv/.made-from
with_uv || {
    say "uv failed: continuing with venv and pip"
    with_pip || die "the environment could not be made; the lines above say why."
}
echo "$(digest .venv/bin/python) $purpose" >.venv/.made-from
say "ready"
