# make demo   set up and run the main job on the synthetic corpus
# make test   set up and run the tests
# make check  ruff, strict types, import layers
# make bench-env | bench-cache | bench-score | bench-coverage | bench-nasty NASTY=folder
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := runs/demo
CORPUS ?=
NASTY ?=

.PHONY: help setup ocr demo test check bench-env bench-cache bench-score bench-coverage bench-nasty clean

help:
	@sed -n 's/^# //p' Makefile

setup: $(READY) ocr

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[tools,pymupdf,synthetic,dev]"
	@touch $@

# OCR is the one thing pip cannot bring; without root docgym runs without it and says so.
ocr:
	@if command -v tesseract >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq tesseract-ocr tesseract-ocr-chi-sim >/dev/null; \
	else echo "tesseract is not installed: running without OCR (as root: apt-get install tesseract-ocr tesseract-ocr-chi-sim)"; fi

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term:skip-covered --cov-fail-under=90

demo: setup
	$(BIN)/python -m env.parsing.corpus.synthetic .cache/synthetic
	$(BIN)/python -m env.parsing.build_cache corpus=.cache/synthetic
	$(BIN)/python -m rollouts.teacher policy=heuristic corpus=synthetic split=train out=$(DEMO)/teacher
	printf '%s\n' rule first fixed random heuristic oracle | xargs -P 2 -I{} $(BIN)/python -m rollouts.evaluate policy={} corpus=synthetic out=$(DEMO)/{} >/dev/null
	$(BIN)/python -m rollouts.report $(DEMO)/rule $(DEMO)/first $(DEMO)/fixed $(DEMO)/random $(DEMO)/heuristic $(DEMO)/oracle --out $(DEMO)
	@echo "trajectories: $(DEMO)/*/trajectories.jsonl    report: $(DEMO)/report.md"

bench-env bench-score: bench-%: $(READY)
	$(BIN)/python -m benchmarks.$*

bench-cache bench-coverage: bench-%: setup
	$(BIN)/python -m benchmarks.$* $(CORPUS)

bench-nasty: setup
	$(BIN)/python -m benchmarks.nasty $(NASTY)

clean:
	rm -rf .cache runs build dist *.egg-info
