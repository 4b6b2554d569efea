# Every target sets up what it needs by itself, in .venv beside this file; a second run starts at once.
# Needed: Python 3.11 or newer, a C++20 compiler, and the package index.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BENCH := .venv-bench
PY := $(VENV)/bin/python
TAG := $(shell $(PYTHON) -c 'import sys; print(sys.implementation.cache_tag)')
SOURCES := pyproject.toml CMakeLists.txt LICENSE THIRD-PARTY-NOTICES.md README.md $(shell find native src -type f -not -name '*.pyc' -not -name _kernel.pyi)

PIP := $(PY) -m pip install --quiet
# The build tools stand in .venv and the kernel's object files in build/, so that a change compiles only what it touches.
# What the package needs is installed in a second step, since other packages must be built in isolation.
BUILD := $(PIP) --no-build-isolation --no-deps
# pip says nothing while the compiler runs, so somebody must.
COMPILING = @echo 'compiling the kernel: some 90 seconds on two cores the first time, then only what changed'

.PHONY: help demo test check lint types sanitize bench bench-quick quality clean

help:
	@echo 'make demo      install, and identify the language of real sentences (no network after the install)'
	@echo 'make test      all tests, on the installed package'
	@echo 'make check     style, types, import ranks, exports, and every example of the documentation'
	@echo 'make bench     how fast, against the rivals, in an environment of its own (BENCH_ARGS="english csr" chooses)'
	@echo 'make bench-quick  the headline ratios in under 3 minutes'
	@echo 'make quality   every promised accuracy on the real data sets in ../shared (SHARED=FOLDER)'
	@echo 'make sanitize  the kernel, store and text tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make clean     remove what the above made'
	@echo 'PYTHON=python3.12 chooses the interpreter, JOBS=4 the number of test processes.'

demo: $(VENV)/.demo
	$(VENV)/bin/tallybayes demo

test: $(VENV)/.dev
	$(PY) -m pytest -n $(JOBS) $(PYTEST_ARGS)

check: lint types
	$(PY) -m pytest -q tests/test_layers.py tests/test_exports.py tests/test_docs.py

lint: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.dev
	cp $$($(PY) -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/tallybayes/_kernel.pyi src/tallybayes/
	$(VENV)/bin/mypy

# The sanitized package is laid before the ordinary one. libstdc++ is preloaded too: without it a thrown C++ exception
# aborts. A finding aborts the process, so its test fails; its report is written to the process's stderr, which pytest must
# leave alone (--capture=sys). CPython itself leaks at its end, so leaks are not looked for. Tested is whatever imports the
# kernel or a module that hands it data.
SANITIZED := build/sanitized
KERNEL_TESTS = $(filter-out tests/test_cli%,$(shell grep -rlE --include 'test_*.py' tests -e '^from \.?twins import kernel' -e \
  '^(from|import) tallybayes(\.(_kernel|counters|labels|store|tally|text)| import .*\b(_kernel|Analyzer|CountTally|MomentTally)\b)'))

sanitize: $(SANITIZED)/.built
	env PYTHONPATH=$(SANITIZED)/site PYTHONMALLOC=malloc TALLYBAYES_SANITIZED=1 \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  $(PY) -m pytest -n $(JOBS) --capture=sys -m 'not slow' $(KERNEL_TESTS) $(PYTEST_ARGS)

# The rivals have an environment of their own, so that what they need cannot decide what the package is tested with.
bench: $(BENCH)/.installed
	$(BENCH)/bin/python -m benchmarks.speed --json build/bench.jsonl --markdown build/bench.md $(BENCH_ARGS)

bench-quick: $(BENCH)/.installed
	$(BENCH)/bin/python -m benchmarks.speed --quick --json build/bench-quick.jsonl --markdown build/bench-quick.md $(BENCH_ARGS)

quality: $(BENCH)/.installed
	$(BENCH)/bin/python -m benchmarks.quality --json build/quality.jsonl $(if $(SHARED),--shared $(SHARED)) $(BENCH_ARGS)

clean:
	rm -rf $(VENV) $(BENCH) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis src/tallybayes/_kernel.pyi
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'scikit-build-core>=1.1' 'nanobind>=3.1' cmake ninja
	touch $@

$(VENV)/.demo: $(VENV)/.tools $(SOURCES)
	$(COMPILING)
	$(BUILD) -C build-dir=build/$(TAG) .
	$(PIP) 'tallybayes[demo]'
	touch $@

$(VENV)/.dev: $(VENV)/.tools $(SOURCES)
	$(COMPILING)
	$(BUILD) -C build-dir=build/$(TAG) .
	$(PIP) 'tallybayes[dev]'
	touch $@ $(VENV)/.demo

$(BENCH)/.installed: pyproject.toml $(SOURCES)
	$(COMPILING)
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet '.[bench]'
	mkdir -p build # for what they print
	touch $@

$(SANITIZED)/.built: $(VENV)/.dev
	$(COMPILING)
	rm -rf $(SANITIZED)/site
	$(BUILD) -C build-dir=$(SANITIZED)/objects -C cmake.define.TALLYBAYES_SANITIZE=ON --target $(SANITIZED)/site .
	touch $@
