# make app   opens the application on this machine (PORT=8501)
# make docs  builds the documentation as a site (build/docs/site), strictly
# make notebooks  runs the tutorials in Jupyter (written to build/notebooks) and drives the player in JupyterLab and marimo
# make test  runs every test, make lint checks the style and the types (the JavaScript's style too, where there is npm)
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8501
BIN := $(VENV)/bin
WORKERS ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")
# In CI a missing browser is a failure, elsewhere its tests are skipped with the reason.
REQUIRE_BROWSER := $(if $(filter 1 true,$(CI)),1,$(RCMVIZ_REQUIRE_BROWSER))

# Where Python may not keep what it compiles, every process compiles all libraries anew: five seconds each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: app test browser kernels lint lint-js docs notebooks vendor clean
app: $(VENV)/.app
	$(BIN)/python -m streamlit run app.py --server.port $(PORT)

# Beside the workers of pytest-xdist run the tests in a browser, which wait half of their time and share one server, and
# those of a Dask cluster, whose processes take after their parent: a worker is not always a good one.
test: export RCMVIZ_REQUIRE_BROWSER = $(REQUIRE_BROWSER)
test: $(VENV)/.test browser kernels
	$(BIN)/python -m pytest tests/browser & browser=$$!; \
	  $(BIN)/python -m pytest --quiet tests/experiments/test_sweep.py & sweep=$$!; \
	  $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal \
	  --ignore tests/browser --ignore tests/experiments/test_sweep.py; \
	  rest=$$?; wait $$browser && wait $$sweep && exit $$rest

# With the lessons, the gallery and the tutorials live in their pages.
docs: $(VENV)/.docs
	$(BIN)/python scripts/docs/build.py build/docs

# Every test runs the tutorials' cells; here they run in a kernel, and JupyterLab in a browser.
notebooks: $(VENV)/.jupyter browser
	$(BIN)/python scripts/run_notebooks.py build/notebooks
	$(BIN)/python scripts/try_jupyterlab.py --picture build/notebooks/jupyterlab.png
	$(BIN)/python scripts/try_marimo.py

browser:
	sh scripts/install_browser.sh

# Compiled side by side before the tests' workers start, which would compile them each.
kernels: $(VENV)/.test
	$(BIN)/python -c "from rcmviz.core import batch; from rcmviz.searn import classifier; \
	  batch.warm_up(); classifier.warm_up()" & \
	  $(BIN)/python -c "from rcmviz.learn import trainer; trainer.warm_up()" & \
	  $(BIN)/python -c "from rcmviz.ars import decode; from rcmviz.core import build; \
	  from rcmviz.jobs import alignments; from rcmviz.search import builders; alignments.warm_up(); decode.warm_up(); \
	  build.warm_up(); builders.warm_up()" & wait

lint: $(VENV)/.test lint-js
	$(BIN)/ruff check .
	$(BIN)/mypy

# In CI a missing npm is a failure, elsewhere the JavaScript is not checked.
lint-js:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.lint && npx eslint --max-warnings 0 .; \
	elif [ -n "$(filter 1 true,$(CI))" ]; then echo "npm is missing, and in CI the JavaScript is checked." >&2; exit 1; \
	else echo "The JavaScript is not checked: there is no npm (install Node 20 or newer)."; fi

node_modules/.lint: package-lock.json
	npm ci --no-audit --no-fund --loglevel error
	@touch $@

# The d3 that the views carry, made anew from the pinned versions; a test checks that it is what was made.
vendor:
	cd scripts/vendor_d3 && npm ci --no-audit --no-fund --loglevel error
	node scripts/vendor_d3/build.js rcmviz/views/shared/vendor

clean:
	rm -rf $(VENV) node_modules scripts/vendor_d3/node_modules

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" \
	  || { echo "rcmviz needs Python 3.11 or newer; name one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c "import ensurepip, venv" 2>/dev/null \
	  || { echo "Python's venv is missing: on Debian or Ubuntu run 'sudo apt-get install python3-venv'." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.app: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[test]"
	@touch $@ $(VENV)/.app

$(VENV)/.jupyter $(VENV)/.docs: $(VENV)/.%: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[$*]"
	@touch $@
