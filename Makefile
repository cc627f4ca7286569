# What a user types. Each target first installs what is missing (tools/setup) and builds what it needs.
#
#   make run       the program, the shared library, the example models, pictures   results in build/results
#   make reproduce the tables and figures of the papers beside the published values: build/reproduce.html
#   make test      all tests
#   make bench     the benchmarks
#   make install   the program, the library, its headers, man pages   PREFIX=/usr/local DESTDIR=
#   make uninstall what the last make install of this folder put there
#   make package   Debian packages                                    in build/release/packages
#   make wheel     a wheel, for pip where there is only Python        in build/no-gpl
#   make container an image with the wheel, as root                   localhost/phlexor, build/no-gpl/phlexor.tar
#   make docs      the documentation as a site, with live pages       in build/release/html
#   make format    all C files as .clang-format says
#   make fuzz      every fuzzer for FUZZ_SECONDS
#   make clean     removes build
#
# OPTIONS="-D PHX_WERROR=ON" of any target goes to CMake.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
OPTIONS ?=
JOBS := $(shell nproc 2>/dev/null || echo 2)
BUILD = cmake --build build/release --parallel $(JOBS)

.PHONY: all run reproduce test bench clean install uninstall docs package wheel container format fuzz setup release

all: release
	$(BUILD)

setup:
	@tools/setup

release: setup
	@cmake --preset release $(OPTIONS) --log-level=WARNING >/dev/null

run: release
	@$(BUILD) --target phlexor_program phlexor_shared
	@tools/run-examples build/release/bin/phlexor build/results

reproduce: release
	@$(BUILD) --target phlexor_program phlexor_shared
	@build/release/bin/phlexor reproduce -o build/reproduce.html; status=$$?; \
	if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] && command -v xdg-open >/dev/null; then xdg-open build/reproduce.html; \
	else echo "The page is build/reproduce.html."; fi; exit $$status

# A job more than processors: some tests wait, for a browser or for other processes.
test: release
	@tools/setup --test
	@$(BUILD)
	@ctest --preset release --parallel $$(($(JOBS) + 1))

bench: release
	@$(BUILD) --target bench

install: release
	@cmake --preset release --log-level=WARNING -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@$(BUILD) --target phlexor_program phlexor_static phlexor_shared man
	DESTDIR=$(DESTDIR) cmake --install build/release
	@cp build/release/install_manifest.txt build/release/installed.txt

uninstall:
	@DESTDIR=$(DESTDIR) cmake -DMANIFEST=build/release/installed.txt -P cmake/Uninstall.cmake

docs: release
	@tools/setup --package
	@$(BUILD) --target man phlexor_program
	@docs/make-html build/release/html build/release/man build/release/bin/phlexor

# Under /usr the libraries go where Debian has them.
package: release
	@tools/setup --package
	@cmake --preset release --log-level=WARNING -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
	@$(BUILD) --target phlexor_program phlexor_static phlexor_shared man
	@docs/make-html build/release/html build/release/man
	@rm -rf build/release/packages
	@cd build/release && cpack
	@ls build/release/packages/*.deb

wheel:
	@tools/setup --wheel
	@cmake --preset no-gpl -D PHX_REPORT=ON -D PHX_FMU=ON $(OPTIONS) --log-level=WARNING >/dev/null
	@cmake --build build/no-gpl --parallel $(JOBS) --target phlexor_program phlexor_shared man
	@tools/make-wheel build/no-gpl

container: wheel
	@tools/setup --container
	@tools/make-container build/no-gpl/phlexor-*.whl

format:
	@tools/setup --develop
	@tools/check-format --fix

fuzz:
	@tools/setup --develop
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@cmake --build build/fuzz --parallel $(JOBS)
	@tools/run-fuzzers build/fuzz/bin $(FUZZ_SECONDS)

clean:
	rm -rf build
