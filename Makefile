# Two commands do everything on a fresh machine:
#   make demo   set up, then train and compare on built-in data
#   make test   set up, then all checks and tests

PYTHON ?= python3
comma := ,
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RUN := $(BIN)/python
PEERS := $(VENV)/peers
AIX360 := $(VENV)/aix360
BENCH ?=
FUZZ ?= --minutes 10
OLDEST := .venv-oldest
OLDEST_EXTRAS := cli,dask,data,deep,onnx,page,peers,plot

.PHONY: demo test test-oldest lint docs build fuzz reproduction bench accuracy bench-defaults bench-rules ablation clean

demo: $(READY)
	$(RUN) examples/demo.py

# Processes that tests start read what was compiled before them, whatever the environment says.
test: $(READY) lint
	PYTHONDONTWRITEBYTECODE= $(RUN) -m pytest -n auto --dist loadgroup

# The tests of the package with the oldest versions that pyproject.toml allows, in an environment of their own (the oldest
# PyTorch brings its CUDA libraries, some GB). The oldest scikit-learn knows the names of columns of Polars before its
# version 2 only.
test-oldest:
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python .ci/oldest_versions.py $(subst $(comma), ,$(OLDEST_EXTRAS)) > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -c $(OLDEST)/constraints.txt \
	--editable ".[$(OLDEST_EXTRAS)]" hypothesis onnxruntime "polars<2" pytest pytest-xdist pyyaml timm
	NUMBA_CACHE_DIR=$(CURDIR)/$(OLDEST)/numba $(OLDEST)/bin/python -m pytest -n auto $(addprefix tests/,cli comparison \
	dask datasets deep encoding io kernels model plotting rule_lists rules search table training) $(wildcard tests/test_*.py)

# A wheel and a source distribution in dist/; the tests run from the latter, too.
build: $(READY)
	$(RUN) -m build

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The documentation site, in docs/_build/html; warnings are errors, and all examples of the gallery are run.
docs: $(READY)
	$(RUN) -m sphinx --fail-on-warning --keep-going -q -b html docs docs/_build/html

# Attacks for some minutes: forged model files, strange calls, strange tables, signals, killed sweeps. Finds become cases of tests/fuzz.
# FUZZ takes options: make fuzz FUZZ="--minutes 60 --seed 7 --only files,api".
fuzz: $(READY)
	$(RUN) -m fuzz $(FUZZ)

# The paper's experiments, for the data sets found in the folder LDNN_DATA: the missing runs, then the page of results.
# Networks for images have short schedules; `python -m reproduction` has the paper's schedules, for a graphics card.
reproduction: $(READY)
	$(RUN) -m reproduction --shortened
	$(RUN) -m reproduction report --markdown docs/reproduction.md

# Benchmarks of speed: tables, files of results and plots, no tests. Resumes where it was stopped.
# BENCH takes options: make bench BENCH="--only limit,growth", or BENCH=--quick to check that everything works.
bench: $(READY) $(PEERS)/.ready
	LDNN_PEERS=$(PEERS) $(RUN) -m benchmarks.bench $(BENCH)

# disjunctive-nn, another LDNN. Newer versions of pip refuse its metadata, so an older one installs it, in a separate
# folder. Without it the benchmark reports that it was skipped.
$(PEERS)/.ready: $(READY)
	rm -rf $(PEERS)
	$(RUN) -m venv $(PEERS)/pip
	-$(PEERS)/pip/bin/python -m pip install --quiet --disable-pip-version-check "pip<24.1" && \
	$(PEERS)/pip/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(PEERS) \
	disjunctive-nn==0.1.5 && touch $@
	rm -rf $(PEERS)/pip

# Three more questions of the benchmarks, for the data sets found in the folder LDNN_DATA: test errors at the paper's
# sizes; default settings beside other classifiers; the effect of each part of training on held-out training rows.
accuracy: $(READY)
	$(RUN) -m benchmarks.bench --only accuracy $(BENCH)

bench-defaults: $(READY) $(VENV)/.bench-ready
	$(RUN) -m benchmarks.bench --only defaults,peers $(BENCH)

# Accuracy of rules of few conditions beside CART, FIGS, RIPPER, BooleanRuleCG ...
bench-rules: $(READY) $(VENV)/.bench-ready $(AIX360)/.ready
	LDNN_AIX360=$(CURDIR)/$(AIX360)/bin/python $(RUN) -m benchmarks.bench --only rules $(BENCH)

# aix360 needs versions of its own. Without it the benchmark reports that its learners have failed.
$(AIX360)/.ready: $(READY)
	$(PYTHON) -m venv --clear $(AIX360)
	-$(AIX360)/bin/python -m pip install --quiet --disable-pip-version-check "scikit-learn<1.2" "numpy<1.24" "pandas<2" \
	"scipy<1.12" "cvxpy<1.5" "matplotlib<3.8" && \
	$(AIX360)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps aix360==0.3.0 && touch $@

# CatBoost, RealMLP, TabM, FIGS and RIPPER. Without them the benchmark reports that they were skipped.
$(VENV)/.bench-ready: $(READY)
	-$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt --group bench && touch $@

ablation: $(READY)
	$(RUN) -m benchmarks.bench --only ablation $(BENCH)

# constraints.txt pins what was tested. PyTorch goes first and alone: a build without CUDA satisfies what follows.
$(READY): pyproject.toml constraints.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --upgrade -c constraints.txt "pip>=25.1"
	$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable ".[all]" --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) $(OLDEST) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-output docs/_build docs/api docs/gallery
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
