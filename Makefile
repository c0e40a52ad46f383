# Needs nothing but make and Python >= 3.11 with venv. Every target may be run any number of times.
# The plain commands behind `make test` and `make demo`:
#     python3 -m venv .venv
#     .venv/bin/pip install -e '.[test]'     (or -e . to use it only)
#     .venv/bin/splc --help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# `make CONSTRAINTS=.ci/constraints.txt test` installs the versions that were last tested.
CONSTRAINTS ?=
PIP := $(if $(CONSTRAINTS),PIP_CONSTRAINT=$(CONSTRAINTS)) $(BIN)/python -m pip --disable-pip-version-check
DEMO := build/demo
CASE ?= smg2000/3d
KERNELS ?= Haswell Sandybridge
FUZZ_SECONDS ?= 90
SESSIONS ?= 1000
RATIOS ?=
FIRST ?= 0
PACKAGES ?=
SAMPLE ?= 40
SEED ?= $(shell date -u +%Y%m%d)
# Tests in as many processes as there are cores, up to 8, which take over waiting tests from each other.
PARALLEL := -n auto --maxprocesses 8 --dist worksteal
# Every process that a test starts would compile the packages again, and every run of pytest all tests.
unexport PYTHONDONTWRITEBYTECODE

# Stamps: an environment is made once, and installed into again when pyproject.toml has changed.
CREATED := $(VENV)/.created
INSTALLED := $(VENV)/.installed
DRAWABLE := $(VENV)/.drawable
TESTABLE := $(VENV)/.testable
TRAINABLE := $(VENV)/.trainable
WRITABLE := $(VENV)/.writable
PACKAGEABLE := $(VENV)/.packageable
FUZZABLE := $(VENV)/.fuzzable
MUTABLE := $(VENV)/.mutable

.DEFAULT_GOAL := help
.PHONY: help test golden coverage kernels everywhere kills demo casestudies evaluation accuracy suggestion tuning contexts changes ablation recovery counts grey-box blocks options samplings agent measure bench explore slow fuzz commands mutants oldest package docs budget realdata format drivers clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST)

$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "splc needs Python 3.11 or newer, but '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)" >&2; \
	    echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
	    echo "'$(PYTHON) -m venv' failed: Python's venv module is needed (Debian, Ubuntu: apt install python3-venv)" >&2; \
	    exit 1; }
	@touch $@

$(INSTALLED): pyproject.toml | $(CREATED)
	@echo "installing splc into $(VENV) ..." >&2
	@$(PIP) install --quiet -e .
	@touch $@

$(DRAWABLE): pyproject.toml | $(CREATED)
	@echo "installing splc with what draws into $(VENV) ..." >&2
	@$(PIP) install --quiet -e '.[plot]'
	@touch $(INSTALLED) $@

$(TESTABLE): pyproject.toml | $(CREATED)
	@echo "installing splc with its test tools into $(VENV) ..." >&2
	@$(PIP) install --quiet -e '.[test]'
	@touch $(INSTALLED) $(DRAWABLE) $@

$(TRAINABLE): pyproject.toml | $(CREATED)
	@echo "installing splc with PyTorch into $(VENV) (on Linux gigabytes, unless PIP_EXTRA_INDEX_URL names its CPU builds) ..." >&2
	@$(PIP) install --quiet -e '.[agent]'
	@touch $(INSTALLED) $(DRAWABLE) $@

$(WRITABLE): pyproject.toml | $(CREATED)
	@echo "installing splc with what builds the documentation into $(VENV) ..." >&2
	@$(PIP) install --quiet -e '.[docs]'
	@touch $(INSTALLED) $@

$(PACKAGEABLE): pyproject.toml | $(CREATED)
	@echo "installing what builds packages into $(VENV) ..." >&2
	@$(PIP) install --quiet -e '.[package]'
	@touch $(INSTALLED) $@

$(FUZZABLE): $(TESTABLE)
	@echo "installing atheris into $(VENV) ..." >&2
	@$(PIP) install --quiet -e '.[fuzz]'
	@touch $@

$(MUTABLE): $(TESTABLE)
	@echo "installing cosmic-ray into $(VENV) ..." >&2
	@$(PIP) install --quiet -e '.[mutants]'
	@touch $@

test: $(TESTABLE) ## lint, types, layers, tests: what a change has to pass
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# Its processes have 3 s to start, which a busy machine may not keep.
	$(BIN)/mypy --strict --num-workers 2 || $(BIN)/mypy --strict
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest $(PARALLEL)

realdata: $(TESTABLE) ## the tests of real measurements alone
	$(BIN)/python -m pytest $(PARALLEL) -m "real_data and not slow"

budget: $(TESTABLE) ## lines now / budget / goal of each package; LOWER=1 lowers the budgets to what is there now
	@$(BIN)/python -m tests.budget $(if $(LOWER),--lower)

golden: $(TESTABLE) ## run the commands and readers of the golden files (tests/golden) and rewrite what they print; review the difference
	SPLC_GOLDEN=1 $(BIN)/python -m pytest $(PARALLEL) -q tests/cli/test_golden.py tests/test_readers.py $$(grep -rlE 'check_(messages|lines|sessions|calls|cases)' --include='test_*.py' tests)
	@git diff --stat -- tests/golden

# Traced tests take longer; few examples of property tests make up for it.
coverage: $(TESTABLE) ## branch coverage of the tests and of the processes that they start, and its floor
	rm -rf build/coverage
	SPLC_TRACE=1 COVERAGE_CORE=ctrace $(BIN)/python -m coverage run -m pytest $(PARALLEL) -o timeout=1800 $(TESTS)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

# OpenBLAS's kernels for other CPUs (x86) round differently: what the pages show must not depend on that.
kernels: $(TESTABLE) ## the commands of README, docs and golden files as other CPUs compute them
	for kernel in $(KERNELS); do \
	    OPENBLAS_CORETYPE=$$kernel $(BIN)/python -m pytest $(PARALLEL) tests/test_documentation.py tests/cli/test_golden.py -m 'slow or not slow' $(if $(PAGES),-k '$(PAGES)') || exit 1; done

# The long tests of what is promised for machines, kills and clusters; parts of `make slow`.
everywhere: $(TESTABLE) ## the same numbers on three kernels of OpenBLAS, 1 and 2 threads and three hash seeds (minutes)
	$(BIN)/python -m pytest -m "slow or not slow" -o timeout=1800 tests/test_release.py

kills: $(TESTABLE) ## kills, full disks and failing clusters (about 20 minutes)
	$(BIN)/python -m pytest -m "slow or not slow" -o timeout=1800 \
	    tests/cli/test_measure.py tests/study/test_study.py tests/study/test_cluster_failures.py

# A good model from 50 configurations, its plot and its comparison, and what 9 noisy ones cannot tell. In copies of the
# case studies: what the demo writes is not beside committed files.
demo: $(DRAWABLE) ## learn models of SMG2000: a good one with its plot, and one from 9 noisy measurements
	@rm -rf $(DEMO); for case in 2d 3d; do mkdir -p $(DEMO)/$$case && (cd casestudies/smg2000/$$case && \
	    cp system.xml measurements.csv splc.toml analytical.txt parameters.toml "$(CURDIR)/$(DEMO)/$$case") || exit 1; done
	@PATH="$$(cd $(BIN) && pwd):$$PATH"; run() { echo; echo "$$ $$*"; "$$@"; }; cd $(DEMO)/2d && \
	    run splc learn --sampling random:50 --readable --plot learned.png && \
	    run splc compare analytical.txt learned.log --scale 500 && \
	    cd ../3d && run splc learn --sampling pb:9,3
	@echo; echo "plot: $(DEMO)/2d/learned.png; models: $(DEMO)/2d/learned.log, $(DEMO)/3d/learned.log"

# An interrupted one goes on where it stopped; with nothing changed there is nothing left to do.
casestudies: $(INSTALLED) ## the studies of all case studies, and the pages with their answers
	@$(BIN)/python -m casestudies.report

# An interrupted one goes on where it stopped.
evaluation: $(DRAWABLE) ## how good scaling models are: the tables and figures of casestudies/scaling_evaluation (half an hour)
	@$(BIN)/python -m casestudies.scaling_evaluation synthetic-single -o casestudies/scaling_evaluation/synthetic-single
	@$(BIN)/python -m casestudies.scaling_evaluation synthetic-sparse -o casestudies/scaling_evaluation/synthetic-sparse
	@$(BIN)/python -m casestudies.scaling_evaluation synthetic-quoted -o casestudies/scaling_evaluation/synthetic-quoted
	@$(BIN)/python -m casestudies.scaling_evaluation synthetic-families -o casestudies/scaling_evaluation/synthetic-families
	@$(BIN)/python -m casestudies.scaling_evaluation synthetic-several -o casestudies/scaling_evaluation/synthetic-several
	@$(BIN)/python -m casestudies.scaling_evaluation applications -o casestudies/scaling_evaluation/applications
	@$(BIN)/python -m casestudies.scaling_evaluation real-profiles -o casestudies/scaling_evaluation/real-profiles
	@$(BIN)/python -m casestudies.scaling_evaluation real-several -o casestudies/scaling_evaluation/real-several
	@$(BIN)/python -m casestudies.scaling_evaluation casestudies/scaling_evaluation/noise-10.toml \
	    -o casestudies/scaling_evaluation/noise-10
	@$(BIN)/python -m casestudies.scaling_evaluation suggest-target -o casestudies/scaling_evaluation/suggest-target

# An interrupted one continues where it stopped; learners whose code has changed are run again.
accuracy: $(DRAWABLE) ## how good learners are: the tables and figures of casestudies/accuracy (about 40 minutes of CPU time)
	@for preset in noise truth difficult explanations real; do \
	    $(BIN)/python -m casestudies.accuracy $$preset -o casestudies/accuracy/$$preset || exit 1; done
	@$(BIN)/python -m casestudies.accuracy page

# An interrupted one continues where it stopped.
suggestion: $(DRAWABLE) ## how many rows suggestions save: the tables and figures of casestudies/suggestion (about 25 minutes)
	@for preset in error optimum; do \
	    $(BIN)/python -m casestudies.suggestion $$preset -o casestudies/suggestion/$$preset || exit 1; done
	@$(BIN)/python -m casestudies.suggestion page

# An interrupted one continues where it stopped. Optuna and SMAC take part where they are installed (pip install -e '.[tuners]').
tuning: $(DRAWABLE) ## how good tuning runs are: the tables of casestudies/tuning (20 seeds: about an hour)
	@for preset in rank spaces traps bias model; do \
	    $(BIN)/python -m casestudies.tuning $$preset -o casestudies/tuning/$$preset || exit 1; done
	@$(BIN)/python -m casestudies.tuning page

# An interrupted one continues where it stopped.
constraints: $(DRAWABLE) ## how good inferred constraints are: the tables of casestudies/inferred_constraints (about 10 minutes)
	@for preset in inference learning; do \
	    $(BIN)/python -m casestudies.inferred_constraints $$preset -o casestudies/inferred_constraints/$$preset || exit 1; done
	@$(BIN)/python -m casestudies.inferred_constraints page

# An interrupted one continues where it stopped.
contexts: $(DRAWABLE) ## how much the rows of other contexts save: the table of casestudies/contexts (about 20 minutes)
	@$(BIN)/python -m casestudies.contexts few -o casestudies/contexts/few
	@$(BIN)/python -m casestudies.contexts published -o casestudies/contexts/published
	@$(BIN)/python -m casestudies.contexts page

# An interrupted one continues where it stopped.
changes: $(DRAWABLE) ## how often changes between versions are found and named rightly: casestudies/changes (about 10 minutes)
	@$(BIN)/python -m casestudies.changes simulated -o casestudies/changes/simulated
	@# One process: other runs would disturb the measured ones.
	@$(BIN)/python -m casestudies.changes equal -j 1 -o casestudies/changes/equal
	@$(BIN)/python -m casestudies.changes page

# An interrupted one continues where it stopped.
ablation: $(DRAWABLE) ## what each special case is worth: the tables of casestudies/ablation (about an hour)
	@for preset in learning contexts scaling several tuning; do \
	    $(BIN)/python -m casestudies.ablation $$preset -o casestudies/ablation/$$preset || exit 1; done
	@$(BIN)/python -m casestudies.ablation page

# An interrupted one continues where it stopped.
recovery: $(DRAWABLE) ## which terms of a known formula are found: the tables of casestudies/recovery (about 20 minutes)
	@$(BIN)/python -m casestudies.recovery terms -o casestudies/recovery/terms
	@$(BIN)/python -m casestudies.recovery page

# An interrupted one continues where it stopped. `python -m casestudies.counts count` counts again (needs hypre and MPI).
counts: $(DRAWABLE) ## models of counts, and times as sums of counts: casestudies/counts (about 10 minutes)
	@for preset in models costs; do \
	    $(BIN)/python -m casestudies.counts $$preset -o casestudies/counts/$$preset || exit 1; done
	@$(BIN)/python -m casestudies.counts page

# An interrupted one continues where it stopped.
grey-box: $(DRAWABLE) ## what a formula saves that is right in parts: the tables of casestudies/grey_box (about 15 minutes)
	@$(BIN)/python -m casestudies.grey_box few -o casestudies/grey_box/few
	@$(BIN)/python -m casestudies.grey_box page

# An interrupted one continues where it stopped.
blocks: $(DRAWABLE) ## errors stated for runs in new blocks: the tables of casestudies/two_cores (a minute)
	@$(BIN)/python -m casestudies.two_cores blocks -o casestudies/two_cores/blocks
	@$(BIN)/python -m casestudies.two_cores page

# An interrupted one continues where it stopped.
options: $(DRAWABLE) ## the options of BoomerAMG: the tables of casestudies/hypre_options (about 10 minutes)
	@for preset in optimum validity sizes; do \
	    $(BIN)/python -m casestudies.hypre_options $$preset -o casestudies/hypre_options/$$preset || exit 1; done
	@$(BIN)/python -m casestudies.hypre_options page

# An interrupted one continues where it stopped.
samplings: $(DRAWABLE) ## how good models are by sampling strategy: casestudies/sampling_strategies (about 10 minutes)
	@$(BIN)/python -m casestudies.sampling_strategies error -o casestudies/sampling_strategies/error
	@$(BIN)/python -m casestudies.sampling_strategies page

# AGENT: further options, as AGENT="--epochs 200 --episodes 1000 --output FOLDER" or AGENT=--help.
agent: $(TRAINABLE) ## train the agent that chooses points (casestudies/sampling_agent; minutes; installs PyTorch)
	@$(BIN)/python -m casestudies.sampling_agent.train $(AGENT)

# MEASURE: further options of splc measure, as MEASURE="--sampling pb:9,3 --dry-run".
measure: $(INSTALLED) drivers ## measure a case again, as CASE=smg2000/3d (hours; needs hypre and MPI)
	@$(BIN)/python -m casestudies.measure $(CASE) $(MEASURE)

# Benchmarks are judged too, so none of the options that keep the normal run short applies. RATIOS=1 stores the ratios to
# references of the same run in benchmarks/ratios.toml instead of comparing them.
bench: $(TESTABLE) ## the benchmarks, their limits, and their ratios to pandas, a loop, …, beside the stored ones
	SPLC_RATIOS=$(RATIOS) $(BIN)/python -m pytest -o addopts="--import-mode=importlib --strict-config --strict-markers" -o timeout=0 -s benchmarks

explore: $(TESTABLE) ## property tests with other examples in each run, twenty times as many
	SPLC_EXPLORE=1 $(BIN)/python -m pytest $(PARALLEL) -o timeout=1800

slow: $(TESTABLE) ## the tests that the normal run leaves out
	$(BIN)/python -m pytest -m slow -o timeout=1800

# SESSIONS: generated projects, with 20 command lines each; FIRST: the number of the first. Findings: build/fuzz/commands.
commands: $(TESTABLE) ## random command lines in generated projects (an hour for 20,000, or SESSIONS=50)
	$(BIN)/python -m tests.fuzz.commands --first $(FIRST) --sessions $(SESSIONS) --jobs 2

# FUZZ_SECONDS: seconds of CPU for each reader. READERS: which ones, as READERS="model-log study-toml". Findings: build/fuzz.
fuzz: commands $(FUZZABLE) ## `make commands`, and random files for every reader (atheris; an hour, or FUZZ_SECONDS for each of READERS)
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) $(READERS)

# SAMPLE and SEED: which mutants; PACKAGES: of which folders or files, as PACKAGES=splc/io; MUTANTS: more, as MUTANTS=--help.
mutants: $(MUTABLE) ## change random lines, one at a time, and see whether tests fail (cosmic-ray; 10 minutes)
	$(BIN)/python -m tests.mutants $(PACKAGES) --sample $(SAMPLE) --seed $(SEED) $(MUTANTS)

oldest: ## the tests with the oldest versions that pyproject.toml allows
	@$(MAKE) --no-print-directory VENV=.venv-oldest .venv-oldest/.created
	@.venv-oldest/bin/python -m pip --disable-pip-version-check install --quiet -e '.[cluster,cube,excel,parquet,plot]' \
	    jsonschema pandas polars pytest pytest-benchmark pytest-timeout pytest-xdist hypothesis pydoe scikit-posthocs -c .ci/oldest.txt
	.venv-oldest/bin/python -m pytest $(PARALLEL)

# Outside of the checkout, so that only the wheel can be imported.
package: $(PACKAGEABLE) ## source archive and wheel in build/dist, checked; README's commands with the wheel in an empty environment
	rm -rf build/dist
	$(BIN)/python -m build --quiet --outdir build/dist
	$(BIN)/python -m twine check --strict build/dist/*
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(BIN)/python -m venv "$$folder/venv" && \
	    "$$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet "$$(echo build/dist/*.whl)[plot]" && \
	    $(BIN)/python .ci/readme.py README.md "$$folder/venv/bin" "$$folder"

docs: $(WRITABLE) ## the documentation as a site in build/site; fails on a warning or a dead link
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir build/site

format: $(TESTABLE) ## rewrite the code as the checks want it
	$(BIN)/ruff check --fix-only --exit-zero .
	$(BIN)/ruff format .

drivers: ## the programs that measure hypre (casestudies/drivers; needs hypre and MPI)
	@$(MAKE) --no-print-directory -C casestudies/drivers

clean: ## remove environments, caches, builds and what the demo and the examples of README wrote
	rm -rf .venv .venv-oldest build dist .benchmarks .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf casestudies/drivers/build
	find casestudies -name 'results*' -type d -prune -exec rm -rf {} +
	rm -f $(addprefix casestudies/smg2000/?d/,learned.log learned.json learned.png)
