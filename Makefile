# Needs python3 with venv, and a package index. All is installed into .venv, which is made once and
# remade when the requirements change.

PYTHON ?= python3
BIN := .venv/bin
# The products are small: threads of the BLAS cost more than they gain.
export OMP_NUM_THREADS ?= 1

.PHONY: demo test docs benchmarks clean
.DELETE_ON_ERROR:

demo: .venv/has-plot
	$(BIN)/structsvm demo

test: .venv/has-plot,test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n auto

docs: .venv/has-plot,docs
	$(BIN)/sphinx-build -W --keep-going docs docs/_build/html

# Each script prints a table and writes its results to benchmarks/results.
benchmarks: .venv/has-plot,test
	for script in $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py)); do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf .venv build dist *.egg-info docs/_build

.venv/pyvenv.cfg: setup.cfg setup.py pyproject.toml
	$(PYTHON) -m venv --clear .venv

.venv/has-%: .venv/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@
