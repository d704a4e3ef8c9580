# Two commands do everything on a fresh machine:
#   make demo   set up, then train and compare on built-in data
#   make test   set up, then all checks and tests

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RUN := $(BIN)/python
RIVALS := $(VENV)/rivals
BENCH ?=

.PHONY: demo test lint reproduction bench accuracy bench-defaults ablation clean

demo: $(READY)
	$(RUN) examples/demo.py

test: $(READY) lint
	$(RUN) -m pytest -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The paper's experiments, for the data sets found in the folder LDNN_DATA: what is missing of the records, then the page.
# Networks for images have short schedules; `python -m reproduction` has the paper's, for a graphics card.
reproduction: $(READY)
	$(RUN) -m reproduction --shortened
	$(RUN) -m reproduction report --markdown docs/reproduction.md

# Side by side with other people's code: tables, a file of results and plots; no test. Goes on where it was stopped.
# BENCH takes options: make bench BENCH="--only limit,growth", or BENCH=--quick to see that all of it works.
bench: $(READY) $(RIVALS)/.ready
	LDNN_RIVALS=$(RIVALS) $(RUN) -m benchmarks.bench $(BENCH)

# disjunctive-nn, another LDNN. Newer versions of pip refuse what it says about itself, so an older one fetches it, into
# a folder of its own. Without it the benchmark says that it is left out.
$(RIVALS)/.ready: $(READY)
	rm -rf $(RIVALS)
	$(RUN) -m venv $(RIVALS)/pip
	-$(RIVALS)/pip/bin/python -m pip install --quiet --disable-pip-version-check "pip<24.1" && \
	$(RIVALS)/pip/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(RIVALS) \
	disjunctive-nn==0.1.5 && touch $@
	rm -rf $(RIVALS)/pip

# Test errors at the paper's sizes, for the data sets found in the folder LDNN_DATA.
accuracy: $(READY)
	$(RUN) -m benchmarks.accuracy

# Default settings beside those of other classifiers, for the data sets found in the folder LDNN_DATA.
bench-defaults: $(READY)
	$(RUN) -m benchmarks.defaults

# What each part of training is worth, on rows held out of the training data.
ablation: $(READY)
	$(RUN) -m benchmarks.ablation

# constraints.txt pins what was tested. PyTorch goes first and alone: a build without CUDA satisfies what follows.
$(READY): pyproject.toml constraints.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --upgrade -c constraints.txt "pip>=25.1"
	$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable ".[all]" --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
