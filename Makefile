# make demo, make test: each alone on a fresh machine with only Python. They make .venv, install, run.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: demo test browser docs versions lint house clean

# Setuptools warns that an editable install finds the folder gluonic, which is what it is for.
PIP := PYTHONWARNINGS="ignore:Editable installation" $(RUN) -m pip --quiet --disable-pip-version-check

$(VENV)/installed: pyproject.toml
	@echo "Installing gluonic into $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --editable .
	@$(RUN) -m compileall -q gluonic
	@touch $@

$(VENV)/installed-to-test: $(VENV)/installed
	@echo "Installing what the tests need into $(VENV)"
	@$(PIP) install --upgrade "pip>=25.1"
	@$(PIP) install --group dev
	@touch $@

demo: $(VENV)/installed
	@$(RUN) examples/digits/demo.py

test: $(VENV)/installed-to-test
	$(RUN) -m pytest -q -n auto --hypothesis-profile=ci --durations=40

browser: $(VENV)/installed-to-test
	@$(PIP) install --group browser
	$(RUN) -m pytest -q tests/drawing/test_browser.py

docs: $(VENV)/installed-to-test
	@$(PIP) install --group docs
	$(RUN) -m sphinx --builder html --fail-on-warning --keep-going --quiet --jobs auto docs site
	@echo "The site begins at site/index.html"

versions: $(VENV)/installed-to-test
	$(RUN) -m tests.versions

lint: $(VENV)/installed-to-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

house: $(VENV)/installed-to-test
	$(RUN) -m tests.house

clean:
	rm -rf $(VENV) $(VENV)-* site docs/reference
