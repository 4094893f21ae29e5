# The front of the build: CMake and Ninja do the work. `make help` lists the targets.
SHELL := /bin/bash
BUILD_PACKAGES := build-essential cmake ninja-build pkg-config libyajl-dev libxxhash-dev libzstd-dev \
                  zlib1g-dev libexpat1-dev libutf8proc-dev scdoc python3
TEST_PACKAGES := $(BUILD_PACKAGES) libopenmpi-dev openmpi-bin clang clang-format libcmocka-dev time spin lbt chromium python3-jsonschema clojure \
                 python3-pandas python3-pip python3-setuptools python3-venv python3-wheel mypy \
                 golang-go zsh fish lintian libtree-sitter-dev vim vim-ale neovim
FUZZ_PACKAGES := $(TEST_PACKAGES) libclang-rt-14-dev
COVERAGE_PACKAGES := $(TEST_PACKAGES) gcovr
BENCH_PACKAGES := $(TEST_PACKAGES)
FUZZ_SECONDS := 60
SOAK_COUNT := 1000
PREFIX ?= /usr/local
BUILD := build

.PHONY: all run test hostile coverage fuzz soak bench bench-models bench-cover install static package setup setup-tests format clean help
all: $(BUILD)/build.ninja ## build build/linchpin
	@cmake --build $(BUILD) --target linchpin linchpin_recheck

$(BUILD)/build.ninja:
	@tools/setup -n $(BUILD_PACKAGES)
	@cmake --preset release > /dev/null

setup: ## install what building needs (Debian, apt)
	@tools/setup $(BUILD_PACKAGES)

setup-tests: ## install what tests and benchmarks need besides
	@tools/setup $(TEST_PACKAGES)
	@command -v npm > /dev/null || tools/setup npm
	@test node_modules/.package-lock.json -nt package-lock.json || npm ci --no-audit --no-fund --loglevel=error

run: setup ## set up, build, and check two shipped histories and two models
	@$(MAKE) --no-print-directory all
	@examples/run $(BUILD)/linchpin

test: setup-tests ## set up, build for release and with sanitizers, run every test
	@cmake --preset release > /dev/null && cmake --build $(BUILD)
	@cmake --preset sanitize > /dev/null && cmake --build build/sanitize
	@cmake --preset thread > /dev/null && cmake --build build/thread --target thread_tests
	@ctest --test-dir build/sanitize --output-on-failure -j $$(nproc)
	@ctest --test-dir build/thread --output-on-failure -L threads

hostile: setup-tests ## every test once more where tables begin as small as can be, and memory is refused more often
	@cmake --preset hostile > /dev/null && cmake --build build/hostile
	@LINCHPIN_FAULTS_EACH=$${LINCHPIN_FAULTS_EACH:-60} ASAN_OPTIONS=malloc_context_size=5:$$ASAN_OPTIONS \
		ctest --test-dir build/hostile --output-on-failure -j $$(nproc)

coverage: setup-tests ## run the tests (TESTS: a pattern of their names), and print how many lines of each room they have run
	@tools/setup -n $(COVERAGE_PACKAGES)
	@cmake --preset coverage > /dev/null && cmake --build build/coverage
	@find build/coverage -name '*.gcda' -delete
	-@ctest --test-dir build/coverage --output-on-failure -j $$(nproc) -R '$(TESTS)'
	@tools/coverage --below 95 build/coverage

fuzz: ## fuzz the readers of histories, models, nets and automata for FUZZ_SECONDS (60) each
	@tools/setup -n $(FUZZ_PACKAGES)
	@cmake --preset fuzz > /dev/null && cmake --build build/fuzz
	@cd build/fuzz && for target in format csp lin editor net ltl rules; do \
		mkdir -p found/$$target && \
		bin/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -timeout=60 \
			-dict=$(CURDIR)/tests/fuzz/$$target.dict found/$$target \
			$(CURDIR)/tests/fuzz/corpus/$$target || exit 1; \
	done

soak: all ## SOAK_COUNT (1000) random inputs through the commands of a build with sanitizers, options at random (OPTIONS=--seed=N)
	@cmake --preset sanitize > /dev/null && cmake --build build/sanitize --target linchpin linchpin_recheck
	@cmake --build $(BUILD) --target generate-history generate-model
	@tools/soak --count $(SOAK_COUNT) $(OPTIONS) build/sanitize/linchpin

bench: all ## the figures of docs/benchmarks.md on histories (OPTIONS=--quick: a tenth of the size)
	@tools/setup -n $(BENCH_PACKAGES)
	@cmake --build $(BUILD) --target generate-history
	@bench/run $(BUILD)/linchpin $(OPTIONS)

bench-models: all ## those on models: some minutes
	@tools/setup -n $(BENCH_PACKAGES)
	@bench/models/run --program $(BUILD)/linchpin
	@bench/models/lin --program $(BUILD)/linchpin
	@bench/models/lin --program $(BUILD)/linchpin paper
	@bench/models/spin --program $(BUILD)/linchpin
	@cmake --build $(BUILD) --target ltl-sizes
	@bench/ltl/run --program $(BUILD)/bin/ltl-sizes
	@bench/ltl/models --program $(BUILD)/linchpin

bench-cover: all ## those on any number of threads (OPTIONS=--bfc PATH: beside bfc)
	@tools/setup -n $(BENCH_PACKAGES)
	@cmake --build $(BUILD) --target any-nets
	@bench/cover/run --program $(BUILD)/linchpin
	@bench/cover/run --program $(BUILD)/linchpin $(OPTIONS) nets
	@bench/cover/run --program $(BUILD)/linchpin spin

install: all ## install the program, library and headers under PREFIX
	@cmake --build $(BUILD)
	@cmake --install $(BUILD) --prefix $(PREFIX)

static: all ## build build/static/linchpin, which needs no shared libraries
	@cmake --build $(BUILD) --target linchpin_static_program
	@ls -l $(BUILD)/static/linchpin

package: all ## make Debian packages, an archive, a wheel and the extension for VS Code, in build/
	@cmake --build $(BUILD)
	@cd $(BUILD) && cpack > package.log || { cat package.log; exit 1; }
	@bindings/python/wheel $(BUILD)
	@editors/vscode/package $(BUILD)
	@ls $(BUILD)/*.deb $(BUILD)/*.tar.gz $$(ls -d $(BUILD)/*.whl $(BUILD)/*.vsix 2> /dev/null)

format: ## let clang-format rewrite every C file
	@find include src tests bench examples -name '*.[ch]' -print0 | xargs -0 -r clang-format -i

clean: ## remove everything that was built
	@rm -rf $(BUILD)

help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14
