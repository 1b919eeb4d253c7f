# Both commands need only Python 3.11+, make and the package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The compiled core is made by the installation; it is made anew where its sources changed.
CORE := $(shell find src build_tools -name '*.[ch]') build_tools/compile_core.py

# uv installs in a tenth of pip's time; where it cannot be had, or reaches no index, pip does it.
CONSTRAINED := install --quiet -c constraints.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check
install = { $(PIP) $(CONSTRAINED) uv && $(BIN)/uv pip $(CONSTRAINED) --python $(BIN)/python -e $(1); } \
	|| $(PIP) $(CONSTRAINED) --no-compile -e $(1)

# Tests start many processes of Python, each of which would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo docs test check check-style check-tests check-types core wheel release-check format clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml setup.py constraints.txt $(CORE) | $(BIN)/python
	$(call install,.)
	@touch $@

$(VENV)/.installed-test: pyproject.toml setup.py constraints.txt $(CORE) | $(BIN)/python
	$(call install,'.[test]')
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml setup.py constraints.txt $(CORE) | $(BIN)/python
	$(call install,'.[docs]')
	@touch $@ $(VENV)/.installed

# The site of docs/, in site/: strict, so that a broken link ends it; opens from the disk.
docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "open site/index.html"

demo: $(VENV)/.installed
	$(BIN)/rankwise demo

# The compiled core alone, with the machine's own compiler or ziglang.
core:
	$(PYTHON) build_tools/compile_core.py

# A wheel for this platform and every Python 3, checked, and the licences of all it needs.
wheel: $(VENV)/.installed
	rm -rf build dist
	$(PIP) wheel --quiet --no-deps -w dist .
	$(PIP) install --quiet auditwheel
	$(BIN)/python build_tools/check_wheel.py dist/rankwise-*.whl
	$(BIN)/python build_tools/list_licences.py

# All that a machine can say of a release; the demo runs in an empty environment. A few minutes.
release-check: $(VENV)/.installed
	$(BIN)/python build_tools/release_check.py

check: $(VENV)/.installed-test
	$(MAKE) --no-print-directory --jobs 2 check-types check-style check-tests

check-types: $(VENV)/.installed-test
	$(BIN)/mypy

check-style: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

# Every test can be found; and what they import is compiled once, beside mypy, not by each worker.
check-tests: $(VENV)/.installed-test
	@$(BIN)/python -m pytest --collect-only --quiet --quiet >$(VENV)/collected.txt || { tail -n 40 $(VENV)/collected.txt; exit 1; }

test: check
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist site src/*.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
