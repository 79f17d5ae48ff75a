# make app   opens the application on this machine (PORT=8501)
# make docs  builds the documentation as a site (build/docs/site), strictly
# make notebooks  runs the tutorials in Jupyter (written to build/notebooks) and drives the player in JupyterLab and marimo
# make fuzz  damages files, links and calls and looks for crashes and wrong answers (MINUTES=10)
# make check-bounds  runs the tests with kernels that check their bounds
# make test  runs the tests, make test-long also those marked as long, with ten times as many random problems
# make lint  checks the style and the types (the JavaScript's too, if npm is installed)
# make lock  renews the three locks (requirements*.lock), make audit checks their packages for known vulnerabilities
PYTHON ?= $(shell sh scripts/choose_python.sh)
VENV ?= .venv
PORT ?= 8501
BIN := $(VENV)/bin
# Installed packages by version and hash; `make app LOCK=` takes the newest in the ranges of pyproject.toml instead.
LOCK ?= requirements.lock
TEST_LOCK := $(if $(LOCK),requirements-test.lock)
MINUTES ?= 10
WORKERS ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")
# In CI a missing browser is a failure, elsewhere its tests are skipped with the reason.
REQUIRE_BROWSER := $(if $(filter 1 true,$(CI)),1,$(RCMVIZ_REQUIRE_BROWSER))

# A browser for each core, each with its own server. Their failures are recorded apart from those of the other tests.
BROWSERS ?= $(WORKERS)
BROWSER_TESTS = $(BIN)/python -m pytest -o cache_dir=.pytest_cache/browser --numprocesses $(BROWSERS) --dist loadfile \
  tests/browser

# Without bytecode files every process would compile all libraries again, which takes five seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: app test test-long browser kernels fuzz check-bounds lint lint-js docs notebooks vendor lock audit clean
app: $(VENV)/.app
	$(BIN)/rcmviz app --no-browser --port $(PORT)

# Browser tests and those of a Dask cluster, which cannot run in a worker of pytest-xdist, run next to its workers.
# The workers are nice, as browsers draw while tests wait.
# A failed browser test runs once more, with its own browser and server, and both results are printed: a click during a
# script run can be lost (streamlit#16732). A test that passes the second time has a race to fix.
# Every process computes with one thread: threads of linear algebra spin while they wait for a busy core.
# It also keeps its memory (glibc only): returning and requesting it again takes up to 7 % of a test's CPU time.
test: export MALLOC_MMAP_THRESHOLD_ = 33554432
test: export MALLOC_TRIM_THRESHOLD_ = 1000000000
test: export RCMVIZ_REQUIRE_BROWSER = $(REQUIRE_BROWSER)
test: export OMP_NUM_THREADS = 1
test: export OPENBLAS_NUM_THREADS = 1
test: $(VENV)/.test browser kernels
	{ $(BROWSER_TESTS) --cache-clear || $(BROWSER_TESTS) --last-failed --last-failed-no-failures none; } & browser=$$!; \
	  nice $(BIN)/python -m pytest --quiet tests/experiments/test_sweep.py & sweep=$$!; \
	  nice $(BIN)/python -m pytest $(MARKED) --numprocesses $(WORKERS) --dist worksteal \
	  --ignore tests/browser --ignore tests/experiments/test_sweep.py; \
	  rest=$$?; wait $$browser && wait $$sweep && exit $$rest

test-long: MARKED = -m "long or not long"
test-long: export RCMVIZ_EXAMPLES = 2
test-long: test

# With the lessons, the gallery and the tutorials live in their pages.
docs: $(VENV)/.docs
	$(BIN)/python scripts/docs/build.py build/docs

# Every test runs the tutorials' cells; here they run in a kernel, and JupyterLab in a browser.
notebooks: $(VENV)/.jupyter browser
	$(BIN)/python scripts/run_notebooks.py build/notebooks
	$(BIN)/python scripts/try_jupyterlab.py --picture build/notebooks/jupyterlab.png
	$(BIN)/python scripts/try_marimo.py

fuzz: $(VENV)/.test
	nice $(BIN)/python -m fuzz --minutes $(MINUTES) --first $$(date +%s)

# Kernels that check their bounds are kept apart: nothing else ever loads them.
check-bounds: export NUMBA_BOUNDSCHECK = 1
check-bounds: export NUMBA_CACHE_DIR = $(CURDIR)/build/bounds
check-bounds: $(VENV)/.test browser
	nice $(BIN)/python -m pytest --quiet $(TESTS)

browser:
	sh scripts/install_browser.sh

# Compiles the imports of the tests to bytecode once, as otherwise each parallel process would. Faults of test files are
# printed here.
$(VENV)/.bytecode: $(VENV)/.test
	$(BIN)/python -m pytest --collect-only --quiet -o addopts= -p no:cacheprovider tests >$@.log 2>&1 \
	  || { cat $@.log >&2; exit 1; }
	@touch $@

# Compiled in parallel before the tests' workers start, which would compile them each. The kernels of learning take the
# longest and have a core for themselves: the rest is nice, and begins after the bytecode.
kernels: $(VENV)/.test
	$(BIN)/rcmviz warmup training fit & longest=$$!; \
	  $(MAKE) --no-print-directory $(VENV)/.bytecode || { kill $$longest; exit 1; }; \
	  nice $(BIN)/rcmviz warmup align ars steps search decipher & nice $(BIN)/rcmviz warmup batch ctc searn & wait

lint: $(VENV)/.test lint-js
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# In CI a missing npm is a failure, elsewhere the JavaScript is not checked.
lint-js:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.lint && npm run --silent lint; \
	elif [ -n "$(filter 1 true,$(CI))" ]; then echo "npm is missing, and in CI the JavaScript is checked." >&2; exit 1; \
	else echo "The JavaScript is not checked: there is no npm (install Node 20 or newer)."; fi

node_modules/.lint: package-lock.json
	npm ci --no-audit --no-fund --loglevel error
	@touch $@

# Builds the views' d3 from the pinned versions; a test checks that the file is up to date.
vendor:
	cd scripts/vendor_d3 && npm ci --no-audit --no-fund --loglevel error
	node scripts/vendor_d3/build.js rcmviz/views/shared/vendor

# One lock for Linux, macOS on ARM and Windows, Python 3.11 to 3.14; hatchling and editables build the package itself.
TOOLS := build/tools
COMPILE = printf 'hatchling\neditables\n' | $(TOOLS)/bin/uv pip compile --quiet --universal --generate-hashes --upgrade \
  --no-annotate --python-version 3.11 --custom-compile-command "make lock" --extra app pyproject.toml -
lock: $(TOOLS)/.made
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --extra test --constraint requirements.lock --output-file requirements-test.lock
	echo uv | $(TOOLS)/bin/uv pip compile --quiet --universal --generate-hashes --upgrade --no-annotate \
	  --python-version 3.11 --custom-compile-command "make lock" --output-file requirements-uv.lock -

audit: $(TOOLS)/.made
	$(TOOLS)/bin/pip-audit --disable-pip --no-deps --require-hashes --requirement requirements-test.lock

$(TOOLS)/.made:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv pip-audit
	@touch $@

clean:
	rm -rf $(VENV) node_modules scripts/vendor_d3/node_modules

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" \
	  || { echo "rcmviz needs Python 3.11 or newer; name one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c "import ensurepip, venv" 2>/dev/null \
	  || { echo "Python's venv is missing: on Debian or Ubuntu run 'sudo apt-get install python3-venv'." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# uv installs, as it is three times as fast as pip: an installed uv, else the release in its own lock.
# pip installs if uv is unavailable, or cannot reach the index that pip is configured for.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
$(VENV)/.uv: requirements-uv.lock | $(BIN)/python
	command -v uv >/dev/null || $(PIP) --require-hashes --no-deps --requirement $< || echo "No uv: pip installs." >&2
	@touch $@
UV = $(shell command -v uv || echo $(BIN)/uv)
install = { [ -x "$(UV)" ] && $(UV) pip install --quiet --python $(BIN)/python $(1); } || $(PIP) $(1)

# With a lock only packages that it names are installed, build tools included.
from-lock = $(call install,--require-hashes --no-deps --requirement $(1)) \
  || { echo "Not all of $(1) is available: 'make $@ LOCK=' installs from the ranges of pyproject.toml." >&2; exit 1; }
package = $(call install,--no-deps --no-build-isolation --editable .)

$(VENV)/.app: pyproject.toml $(LOCK) | $(VENV)/.uv
	$(if $(LOCK),$(call from-lock,$(LOCK)),$(call install,--editable ".[app]"))
	$(if $(LOCK),$(package))
	@touch $@

$(VENV)/.test: pyproject.toml $(TEST_LOCK) | $(VENV)/.uv
	$(if $(LOCK),$(call from-lock,$(TEST_LOCK)),$(call install,--editable ".[test]"))
	$(if $(LOCK),$(package))
	@touch $@ $(VENV)/.app

$(VENV)/.jupyter $(VENV)/.docs: $(VENV)/.%: $(VENV)/.test
	$(call install,--editable ".[$*]")
	@touch $@
