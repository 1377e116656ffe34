# The study's commands; `make` alone lists them. Each makes the locked environment in .venv first where it is missing or old.
# Needs Python 3.11 to 3.14, git and make. PYTHON=/path/to/python3.12 chooses the interpreter, ARGS=... adds arguments.

RUN = PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/

.DEFAULT_GOAL := help
.PHONY: help env reproduce quick everything arena explain report ledger manifest verify reference release docs new-policy test test-slurm test-faults lint lint-python lint-rest lock clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

env: ## the locked environment in .venv; nothing to do where it is there and current
	@sh workflow/bootstrap.sh

reproduce: env ## every table and figure of the five papers, at published scale
	@echo "reproduce: the study at published scale, on all cores"
	@$(RUN)snakemake --cores all $(ARGS)

quick: env ## the same study, small: minutes
	@echo "quick: the study at small scale, on all cores"
	@$(RUN)snakemake --cores all --configfile config/quick.yaml $(ARGS)

everything: env ## the study with all that is slow and made on request only: hours
	@echo "everything: the study at published scale and what is made on request, on all cores"
	@$(RUN)snakemake --cores all --configfile config/everything.yaml $(ARGS)

arena: env ## algorithms on random problems; WHOLE=1: with 1,000 problems for each number of wrong edges
	@echo "arena: algorithms on random problems, on all cores"
	@$(RUN)snakemake --snakefile src/arena/Snakefile --cores all $(if $(WHOLE),,--configfile src/arena/config/small.yaml) $(ARGS)

explain: env ## one claim from paper to verdict: readings, code, experiments, files, ledger: CLAIM=huang2024.table1.7.cp
	@$(RUN)python -m replication.tools.explain "$(CLAIM)" $(ARGS)

report: env ## report.html beside the results at hand: every verdict, figure, table and curve on one page
	@$(RUN)python -m replication.tools.report $(ARGS)

ledger: env ## docs/ledger/README.md, the table of the ledger's entries and of the verdicts at hand that cite them
	@echo "ledger: docs/ledger/README.md from the entries and results/verdicts.csv"
	@$(RUN)python -m replication.tools.ledger --verdicts results/verdicts.csv $(ARGS)

manifest: env ## codecheck.yml, the list of what the study makes for a reader
	@$(RUN)python -m replication.tools.archive manifest

verify: env ## does the study at hand, quick or whole, say what the committed reference says? exit 0 or 1
	@$(RUN)python -m replication.tools.verify $(ARGS)

reference: env ## data/reference and the README's counts from the results at hand, at published scale
	@echo "reference: data/reference and the counts in README.md from results/"
	@$(RUN)python -m replication.tools.reference $(ARGS)

release: verify report docs ## after a whole run that agrees: wheel, documentation and report of this version, in dist/, checked
	@echo "release: dist/ from the results at hand"
	@rm -rf dist && mkdir dist
	@$(RUN)python -m hatchling build --target wheel --directory dist
	@tar -czf dist/docs.tar.gz -C docs/_build html
	@cp results/report.html dist/
	@$(RUN)python -m replication.tools.archive check

docs: env ## the documentation, docs/_build/html/index.html: offline, no warning passes
	@echo "docs: docs/_build/html from docs/, src/ and the committed results"
	@$(RUN)python docs/extensions/schema_keys.py
	@$(RUN)python -m sphinx --jobs auto --fail-on-warning --keep-going --quiet docs docs/_build/html $(ARGS)

new-policy: env ## an algorithm to fill in, with its tests: NAME=my_policy
	@$(RUN)python -m replication.tools.scaffold "$(NAME)" $(ARGS)

test: env ## the whole test suite, on all cores
	@echo "test: the whole suite, on all cores"
	@$(RUN)python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

test-slurm: env ## profiles/slurm on a SLURM of one node that is started for it, where its programs are there: minutes
	@$(RUN)python -m pytest -m slurm tests/slurm -rs $(ARGS)

test-faults: env ## kills, a full disk, bit rot, wrong files, odd folders: how many the study survives out of those tried; ARGS=--without: none does with its protection off
	@PYTHONPATH=tests:tests/support $(RUN)python -m faults $(ARGS)

lint: env ## ruff, mypy, snakefmt, snakemake --lint, links and docstrings of the documentation
	@$(MAKE) --no-print-directory --jobs 2 --keep-going lint-python lint-rest

lint-python:
	@echo "lint: ruff check"
	@$(RUN)ruff check
	@echo "lint: ruff format"
	@$(RUN)ruff format --check
	@echo "lint: imports between rooms"
	@$(RUN)lint-imports --no-cache
	@echo "lint: mypy"
	@$(RUN)mypy

lint-rest:
	@echo "lint: the documentation, its tutorials not run"
	@$(RUN)python -m sphinx --fail-on-warning --keep-going --quiet -D nb_execution_mode=off docs docs/_build/lint
	@echo "lint: snakefmt"
	@$(RUN)snakefmt --check Snakefile workflow
	@echo "lint: snakemake --lint"
	@$(RUN)snakemake --lint

lock: ## pin the dependencies of pyproject.toml anew in requirements.lock, and uv itself; ARGS=--upgrade takes newer versions
	@uv=$$(command -v uv || echo .uv/bin/uv); \
	test -x "$$uv" || { echo "lock: no uv on PATH; install it first" >&2; exit 1; }; \
	echo "lock: requirements.lock from pyproject.toml"; \
	"$$uv" pip compile pyproject.toml --quiet --group dev --all-extras --universal --python-version 3.11 --fork-strategy fewest \
	    --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file requirements.lock $(ARGS); \
	echo "lock: workflow/uv.lock, the version of uv that makes the environment"; \
	echo "uv==$$("$$uv" --version | cut -d ' ' -f 2)" | "$$uv" pip compile - --quiet --universal --python-version 3.11 --no-annotate \
	    --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file workflow/uv.lock

clean: ## remove results, logs, Snakemake's records and caches; the environment and figures stay
	rm -rf results logs docs/_build docs/api/generated .snakemake .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests workflow -type d -name __pycache__ -prune -exec rm -rf {} +
