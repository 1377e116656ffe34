# The study's commands; `make` alone lists them. Each first makes the locked environment in .venv if it is missing or old.
# Needs Python 3.11 to 3.14, git and make. PYTHON=/path/to/python3.12 chooses the interpreter, ARGS=... adds arguments.

RUN = PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/
#: ARGS=--verbose prints what Snakemake says about each job.
SNAKEMAKE = $(RUN)snakemake --logger=brief
# For each finished job, Snakemake's scheduler sets a timer that goes off again and again until the run ends
# (docs/upstream.md). With the default of one second, the timers of a long run take a tenth of a core; with ten seconds, a
# hundredth. The run then ends up to ten seconds later.
LONG = --max-jobs-per-timespan 1000/10s
# A run that makes the verdicts prints a summary at its end. If there was nothing to do, this prints it.
BEGAN = began=$$(date +%s)
SUMMARY = $(if $(ARGS),,&& $(RUN)python -m replication.tools.summary --results $(1) --before "$$began")

.DEFAULT_GOAL := help
.PHONY: help env dev quick reproduce verify report explain test lint docs new-policy arena reference release lock clean

help:
	@echo "First: make quick, then make verify. Everything: make reproduce."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

.DEFAULT:
	@echo "make $@: no such command; expected one of these:" >&2; $(MAKE) --no-print-directory help >&2; exit 2

quick: env ## the whole study, small: minutes
	@$(BEGAN); $(SNAKEMAKE) --configfile config/quick.yaml --cores all $(ARGS) $(call SUMMARY,results/quick)

reproduce: env ## the whole study at published scale: every table, figure and verdict
	@$(BEGAN); $(SNAKEMAKE) --cores all $(LONG) $(ARGS) $(call SUMMARY,results)

verify: env ## do your newest results agree with the committed ones? exit 0 or 1
	@$(RUN)python -m replication.tools.verify

report: env ## your newest results on one page, report.html
	@$(RUN)python -m replication.tools.report

explain: env ## trace one number from the paper to its verdict: CLAIM=huang2024.table1.7.cp; CLAIM=huang2024.table1 lists
	@$(RUN)python -m replication.tools.explain "$(CLAIM)" $(ARGS)

arena: env ## what a causal diagram is worth: algorithms on a few problems; WHOLE=1: on all
	@$(SNAKEMAKE) --snakefile src/arena/Snakefile --cores all $(if $(WHOLE),,--configfile src/arena/config/small.yaml) $(ARGS)

new-policy: env ## an algorithm to fill in, with its tests: NAME=my_policy KIND=scm
	@$(RUN)python -m replication.tools.scaffold "$(NAME)" $(if $(KIND),--kind "$(KIND)") $(ARGS)

test: dev ## all tests, on all cores
	@$(RUN)python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

lint: dev ## ruff, mypy, import contracts, snakefmt, snakemake --lint, the documentation's links
	@$(MAKE) --no-print-directory --jobs 2 --keep-going lint-python lint-rest

docs: dev ## the documentation, docs/_build/html/index.html
	@rm -rf docs/api/generated
	@$(RUN)python docs/extensions/schema_keys.py
	@$(RUN)python -m sphinx --jobs auto --fail-on-warning --keep-going --quiet docs docs/_build/html $(ARGS)
	@echo "docs: docs/_build/html/index.html"

env: ## the environment in .venv; every command makes it if it is missing
	@sh workflow/bootstrap.sh study

reference: env ## the committed results and first pages from your own, after a whole run and make quick
	@$(RUN)python -m replication.tools.reference
	@$(RUN)python -m replication.tools.pages

release: verify report docs ## wheel, documentation, report and CODECHECK manifest, in dist/, after a whole run that agrees
	@rm -rf dist && mkdir dist
	@$(RUN)python -m hatchling build --target wheel --directory dist
	@tar -czf dist/docs.tar.gz -C docs/_build html
	@cp results/report.html dist/
	@{ echo 'version: https://codecheck.org.uk/spec/config/1.0/'; echo 'paper:'; sed -n 's/^title:/  &/p' CITATION.cff; \
	echo 'manifest:'; ls figures/*/*.png figures/*/*.csv results/verdict*.csv results/[!q]*/verdict*.csv | sed 's/^/  - file: /'; } > dist/codecheck.yml

clean: ## remove results, logs, Snakemake's records and caches; environment and figures stay
	rm -rf results logs docs/_build docs/api/generated .snakemake .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests workflow -type d -name __pycache__ -prune -exec rm -rf {} +

# The environment with everything that tests, lint and documentation need.
dev:
	@sh workflow/bootstrap.sh dev

lint-python:
	@echo "lint: ruff check"
	@$(RUN)ruff check
	@echo "lint: ruff format"
	@$(RUN)ruff format --check
	@echo "lint: imports between packages"
	@$(RUN)lint-imports --no-cache
	@echo "lint: mypy"
	@$(RUN)mypy

lint-rest:
	@echo "lint: the documentation"
	@rm -rf docs/api/generated
	@$(RUN)python -m sphinx --builder dummy --fail-on-warning --keep-going --quiet docs docs/_build/lint
	@echo "lint: snakefmt"
	@$(RUN)snakefmt --check Snakefile workflow src/arena/Snakefile
	@echo "lint: snakemake --lint"
	@$(RUN)snakemake --lint

# Pins the dependencies of pyproject.toml anew in requirements.lock, and uv itself; ARGS=--upgrade allows newer versions
lock:
	@uv=$$(command -v uv || echo .uv/bin/uv); \
	test -x "$$uv" || { echo "lock: no uv on PATH; install it first" >&2; exit 1; }; \
	echo "lock: requirements.lock from pyproject.toml"; \
	"$$uv" pip compile pyproject.toml --quiet --group dev --all-extras --universal --python-version 3.11 --fork-strategy fewest \
	    --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file requirements.lock $(ARGS); \
	echo "lock: workflow/uv.lock, the version of uv that makes the environment"; \
	echo "uv==$$("$$uv" --version | cut -d ' ' -f 2)" | "$$uv" pip compile - --quiet --universal --python-version 3.11 --no-annotate \
	    --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file workflow/uv.lock
