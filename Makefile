# Needs python3 with venv, and a package index. All is installed into .venv, which is made once and
# remade when the requirements change.

PYTHON ?= python3
BIN := .venv/bin
# The products are small: threads of the BLAS cost more than they gain.
export OMP_NUM_THREADS ?= 1

.PHONY: demo test quicktest docs benchmarks clean
.DELETE_ON_ERROR:

demo: .venv/has-plot
	$(BIN)/structsvm demo

test: .venv/has-plot,test,docs,site
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n auto --dist loadfile  # by file, so that pools of processes are started once

# For use while writing code; CONTRIBUTING.md lists the tests left out.
quicktest: .venv/has-plot,test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pytest -n auto --dist loadfile -m "not slow" \
	    structsvm problems README.md tests/oracle tests/planes tests/qp tests/solvers tests/test_*.py

docs: .venv/has-docs
	$(BIN)/sphinx-build -W --keep-going docs docs/_build/html

# Each script writes its results to benchmarks/results and prints their tables. In this order, since
# benchmarks/scale/plan.py reads the results of benchmarks/scale/measure.py.
SCRIPTS = $(filter-out benchmarks/tables/%,$(sort $(wildcard benchmarks/*/[!_]*.py)))
benchmarks: .venv/has-plot,test
	for module in $(subst /,.,$(basename $(SCRIPTS))); do $(BIN)/python -m $$module || exit 1; done

clean:
	rm -rf .venv build dist *.egg-info docs/_build docs/_tables

.venv/pyvenv.cfg: setup.cfg setup.py pyproject.toml
	$(PYTHON) -m venv --clear .venv

.venv/has-%: .venv/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@
