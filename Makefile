# A thin front: each target is one or two commands of cmake, ctest or knell, after tools/setup has looked that they can run.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local

# $(call build,PRESET[,options of cmake --build])
build = cmake --preset $(1) >/dev/null && cmake --build build/$(1) -j $(JOBS) $(2)

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: help build demo demo-combi test test-mpi test-apps asan tsan check format coverage mutants soak soak-mpi explore bench bench-live bench-mpi figures \
    install deb clean setup-build setup-demo setup-test setup-check setup-format setup-coverage setup-soak setup-figures setup-bench setup-bench-mpi setup-deb setup-apps

help: ## this list
	@awk -F ':.*## ' '/^[a-z -]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile

build: setup-build ## build into build/dev (the default)
	@$(call build,dev)

demo: setup-demo ## an MPI job loses three of eight ranks, goes on and is right
	@tools/demo

demo-combi: setup-demo ## a solver without checkpoints loses a group of ranks and says how wrong it may be
	@tools/demo combi

test: setup-test ## build, run all tests, close with "N passed, N failed"
	@$(call build,dev)
	@tools/run-tests build/dev

asan tsan: setup-test ## the tests under the address or the thread sanitizer
	@$(call build,$@)
	@tools/run-tests build/$@

test-mpi: setup-test ## the tests of the MPI layer, on Open MPI and MPICH
	@$(call build,dev)
	@tools/run-tests build/dev mpi

# PARTS="kill --only gromacs" runs only these; test/apps/run --help lists them.
test-apps: setup-apps ## programs from Debian, native and under the layer: same result, a rank killed
	@$(call build,release)
	@test/apps/run $(PARTS)

check: setup-check ## before a release: layout, gcc, clang, Ninja, install, sanitizers, clang-tidy
	@JOBS=$(JOBS) .ci/check

format: setup-format ## lay out all C files (.clang-format)
	@.ci/c-files | xargs clang-format -i

coverage: setup-coverage ## how many lines of each layer the tests run
	@JOBS=$(JOBS) tools/coverage

mutants: setup-build ## change the core in a hundred places, one at a time: does a test notice?
	@JOBS=$(JOBS) tools/mutants build/mutants

soak: setup-soak ## the long tests: hours of random worlds
	@$(call build,dev)
	@tools/run-tests build/dev soak

soak-mpi: setup-soak ## those of the MPI layer alone: deaths at every point, 500 random rounds
	@$(call build,dev)
	@tools/run-tests build/dev mpi-soak

explore: setup-soak ## knell explore on our own MPI programs: single deaths and pairs, both MPIs, hours
	@$(call build,dev)
	@tools/run-tests build/dev explore

bench: setup-build ## measure speed and memory
	@$(call build,release)
	@cmake --build build/release --target bench

# PARTS="kill cost" measures only these; build/release/bench/live/bench-live --help and bench/mpi/run --help list them.
PARTS ?= all
bench-live: setup-bench ## measure living detectors, ours beside SWIM
	@$(call build,release)
	@cmake --build build/release --target member-swim
	@build/release/bench/live/bench-live $(PARTS) --out figures/live
	@bench/live/plot figures/live

bench-mpi: setup-bench-mpi ## measure the MPI layer beside the MPI below
	@$(call build,release)
	@bench/mpi/run $(PARTS) --out figures/mpi
	@bench/mpi/plot figures/mpi

figures: setup-figures ## the figures of the paper into figures/
	@$(call build,release,--target knell)
	@build/release/src/cli/knell sim figures --out figures

install: setup-build ## install below PREFIX (/usr/local); DESTDIR is honoured
	@$(call build,release,--target installed)
	@cmake --install build/release --prefix $(PREFIX)

deb: setup-deb ## Debian packages into build/deb/packages
	@$(call build,deb,--target installed)
	@cd build/deb && cpack -G DEB >cpack.log || { cat cpack.log; false; }
	@ls build/deb/packages/*.deb

clean: ## remove everything built
	rm -rf build

setup-build setup-demo setup-test setup-check setup-format setup-coverage setup-soak setup-figures setup-bench setup-bench-mpi \
setup-deb setup-apps: setup-%:
	@tools/setup $*
