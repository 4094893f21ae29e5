# The front of the build: CMake and Ninja do the work. `make help` lists the targets.
SHELL := /bin/bash
PACKAGES := build-essential cmake ninja-build pkg-config clang clang-format libclang-rt-14-dev \
            libyajl-dev libxxhash-dev libzstd-dev zlib1g-dev libcmocka-dev scdoc hyperfine python3
PREFIX ?= /usr/local
BUILD := build

.PHONY: all run test bench install package setup format clean help
all: $(BUILD)/build.ninja ## build build/linchpin
	@cmake --build $(BUILD) --target linchpin

$(BUILD)/build.ninja: | setup
	@cmake --preset release > /dev/null

setup: ## install what is missing (Debian, apt)
	@tools/setup $(PACKAGES)

run: all ## set up, build, and check the shipped example histories
	@examples/run $(BUILD)/linchpin

test: setup ## set up, build with sanitizers, run every test
	@cmake --preset sanitize > /dev/null && cmake --build build/sanitize
	@cmake --preset thread > /dev/null && cmake --build build/thread --target thread_tests
	@ctest --test-dir build/sanitize --output-on-failure -j $$(nproc)
	@ctest --test-dir build/thread --output-on-failure -L threads

bench: all ## the figures of docs/benchmarks.md
	@bench/run $(BUILD)/linchpin

install: all ## install the program, library and headers under PREFIX
	@cmake --build $(BUILD)
	@cmake --install $(BUILD) --prefix $(PREFIX)

format: ## let clang-format rewrite every C file
	@find include src tests bench examples -name '*.[ch]' -print0 | xargs -0 -r clang-format -i

clean: ## remove everything that was built
	@rm -rf $(BUILD)

help:
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10
