# make demo, make test: each alone on a fresh machine with only Python. They make .venv, install, run.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: demo test browser versions lint house clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN) -m pip install --quiet --editable . --group dev
	$(RUN) -m compileall -q gluonic
	touch $@

demo: $(VENV)/installed
	$(RUN) examples/digits/demo.py

test: $(VENV)/installed
	$(RUN) -m pytest -q -n auto --hypothesis-profile=ci

browser: $(VENV)/installed
	$(RUN) -m pip install --quiet --group browser
	$(RUN) -m pytest -q tests/drawing/test_browser.py

versions: $(VENV)/installed
	$(RUN) -m tests.versions

lint: $(VENV)/installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

house: $(VENV)/installed
	$(RUN) -m tests.house

clean:
	rm -rf $(VENV) $(VENV)-*
