# Needs python3 with venv, and a package index. All is installed into .venv, which is made once and
# remade when the requirements change.

PYTHON ?= python3
BIN := .venv/bin
# The products are small: threads of the BLAS cost more than they gain.
export OMP_NUM_THREADS ?= 1

.PHONY: demo quick test test-all test-rest docs benchmarks clean
.DELETE_ON_ERROR:

demo: .venv/has-plot
	$(BIN)/structsvm demo

# By file, so that pools of processes are started once; in the order of folders, since files of few
# tests take longest and would be the last.
PYTEST := $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

# A sample of the laws, and the tests of what differs from main: a minute.
quick: .venv/has-plot,test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	tests=$$($(BIN)/python tests/changed.py) && \
	$(PYTEST) -m "not slow" --laws 10 tests/laws $$tests

test: .venv/has-plot,test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(PYTEST) -m "not slow" -W error::UserWarning -W error::pytest.PytestWarning

test-all: test test-rest

# What `test` leaves out: further draws of data, whole sites, packaging, optional packages.
test-rest: .venv/has-plot,test,docs,site,benchmarks
	$(PYTEST) -m "slow or optional"

docs: .venv/has-docs
	$(BIN)/sphinx-build -W --keep-going docs docs/_build/html

# Each script writes its results to benchmarks/results and prints their tables.
benchmarks: .venv/has-plot,test,benchmarks
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.from_benchopt qp
	$(BIN)/python -m benchmarks.from_benchopt solvers

clean:
	rm -rf .venv build dist *.egg-info docs/_build docs/_tables

.venv/pyvenv.cfg: setup.cfg pyproject.toml
	$(PYTHON) -m venv --clear .venv

.venv/has-%: .venv/pyvenv.cfg $(wildcard structsvm/compiled/*.pyx)
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

# motile without its requirement named structsvm, which would take the place of this package; its
# tests are in the source distribution.
.venv/has-motile: .venv/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --no-deps motile==1.0.1 ilpy pyscipopt
	$(BIN)/python -m pip download --quiet --no-deps --no-binary motile --dest .venv motile==1.0.1
	tar -xzf .venv/motile-1.0.1.tar.gz -C .venv
	touch $@
