# The short commands. `make` alone prints them.
SHELL := bash
PREFIX ?= /usr/local
DIR ?= CSessionCore/tests/vectors/data
SECONDS ?= 60
STRATEGIES := reflect busy blame capture forge garbage swallow tamper truncate replay moody store hide clock
POLICIES := idle starve frame swallow mixed

# Swift's own clang: it has the sanitizers and libFuzzer.
export CLANG := $(dir $(shell readlink -f "$$(command -v swift)" 2>/dev/null))clang

.PHONY: help setup demo test vectors fuzz bench soak format check docs install deb clean release core sanitized executable

help:
	@echo 'make demo                  build, and show conversations that cross a private network'
	@echo 'make test                  every check and test, with the totals'
	@echo 'make vectors [DIR=…]       run known answers, from a folder or a file'
	@echo 'make fuzz [SECONDS=60] [TARGET=…]   fuzz every target, or one'
	@echo 'make bench                 measure, with the floor beside each figure'
	@echo 'make soak                  the long runs: each allocation of the C tests failing, 100,000 schedules of each config, 100,000 histories of devices with forward secrecy and a thief, whether times tell secrets, 100,000 histories of jobs, 100,000 messages in a network whose nodes die, 2,000 simulated networks, a million requests for each strategy of hostile nodes, 200 accounts of one program, a month of guards with 1 to 20 % hostile nodes, an attachment of 1 GiB, power cuts and 300 kills of the storage, kills of a messenger, 500 of a daemon with its clients, a thousand readers and a thousand accounts of one, 10 histories of groups and rooms, 500 mailboxes with hostile members, 800 messages and 96 crossings of 5 MiB over a network that loses some, every fuzz target for 10 minutes'
	@echo 'make format                format every source file'
	@echo 'make check                 formatting, headers, arrows between rooms, generated files; takes seconds'
	@echo 'make docs                  write docs/c-api.md from the public headers'
	@echo 'make install [PREFIX=/usr/local]    the session command with its manual, completions, system and user units, and the C library'
	@echo 'make deb                   a Debian package of the session command, in build'
	@echo 'make release               the files of a release with their sums, in build/files; a person signs SHA256SUMS'
	@echo 'make clean                 remove everything that was built'

setup:
	@command -v swift >/dev/null || { echo 'A Swift 6.3 toolchain must be on PATH: see swift.org/install'; exit 69; }
	@scripts/setup-debian.sh

demo: setup
	@swift build --product session
	@scripts/demo.sh "$$(swift build --show-bin-path)/session"

test: setup
	@scripts/test

core: setup
	@mkdir -p build
	@{ cmake -S CSessionCore -B build/release -DCMAKE_C_COMPILER="$(CLANG)" -DSC_WERROR=ON && \
	  cmake --build build/release -j "$$(nproc)"; } >build/release.log 2>&1 || { tail -n 40 build/release.log; exit 1; }

vectors: core
	@build/release/tests/vectors/sc-vectors "$(DIR)"

fuzz: setup
	@scripts/fuzz $(SECONDS) $(TARGET)

bench: core
	@for product in session empty-program Session{Storage,Jobs,Node,Servers,Messaging,CLI,Daemon,Terminal}Bench; do \
	  swift build --configuration release --static-swift-stdlib --product "$$product" >build/bench.log 2>&1 \
	    || { tail -n 40 build/bench.log; exit 1; }; done
	@for program in build/release/bench/sc-bench-* \
	  "$$(swift build --configuration release --static-swift-stdlib --show-bin-path)"/Session{Storage,Jobs,Node,Servers,Messaging,CLI,Daemon,Terminal}Bench; do "$$program" || exit 1; done

sanitized: setup
	@mkdir -p build
	@{ cmake -S CSessionCore -B build/sanitized -DCMAKE_C_COMPILER="$(CLANG)" -DSC_WERROR=ON -DSC_SANITIZE=address -DSC_BENCH=OFF && \
	  cmake --build build/sanitized -j "$$(nproc)"; } >build/sanitized.log 2>&1 || { tail -n 40 build/sanitized.log; exit 1; }

soak: core sanitized
	@build/sanitized/tests/sc-tests --torture-all
	@build/release/tests/config_schedules/sc-schedules --count 100000
	@build/release/tests/ratchet_histories/sc-ratchet-histories --count 100000
	@build/release/tests/constant_time/sc-timing --self-test
	@build/release/tests/constant_time/sc-timing
	@build/release/sim/sc-sim --seeds 1..2000 --requests 500
	@for strategy in $(STRATEGIES); do build/release/sim/sc-sim --strategy $$strategy --hostile 100 --seeds 1..200 --nodes 150 \
	  --clients 10 --requests 5000 --faults none || exit 1; done
	@build/release/sim/sc-sim --accounts 200 --nodes 2000 --clients 1 --requests 20000 --pause 200 --faults none
	@for policy in $(POLICIES); do for hostile in 10 20 50 100 200; do build/release/sim/sc-sim --policy $$policy --hostile $$hostile \
	  --nodes 2000 --clients 300 || exit 1; done; done
	@swift build --configuration release --product JobSoak >build/soak.log 2>&1 || { tail -n 40 build/soak.log; exit 1; }
	@"$$(swift build --configuration release --show-bin-path)/JobSoak" 100000
	@swift build --configuration release --product NodeSoak >build/soak.log 2>&1 || { tail -n 40 build/soak.log; exit 1; }
	@"$$(swift build --configuration release --show-bin-path)/NodeSoak" 100000
	@swift build --configuration release --product MessengerSoak >build/soak.log 2>&1 || { tail -n 40 build/soak.log; exit 1; }
	@"$$(swift build --configuration release --show-bin-path)/MessengerSoak"
	@ATTACHMENT_MIB=1024 swift test --filter LargeFileTests
	@SOAK=1 swift test --filter '(Crash|EveryCommit|Flood|Kill|Load|Salvage|OwnerHistory|GroupHistory|CommunityHistory|HostileServer|HostileMailbox)Tests'
	@MUTATIONS=100000 swift test --filter CommunityMutationTests
	@scripts/fuzz 600

format: setup
	@find CSessionCore Sources Tests Benchmarks examples -name build -prune -o -name '*.[ch]' ! -name '*.pb-c.[ch]' -print0 | xargs -0 clang-format -i
	@swift format --in-place --parallel --recursive Package.swift Sources Benchmarks Tests

check: setup
	@scripts/check

executable: setup
	swift build --configuration release --static-swift-stdlib --product session

deb: executable
	@scripts/build-deb "$$(swift build --configuration release --static-swift-stdlib --show-bin-path)/session" build

release: executable
	@rm -rf build/files
	@scripts/build-release "$$(swift build --configuration release --static-swift-stdlib --show-bin-path)/session" build/files
	@scripts/check-release "$$(swift build --configuration release --static-swift-stdlib --show-bin-path)/session" build/files

install: core executable
	install -D -s -m 755 "$$(swift build --configuration release --static-swift-stdlib --show-bin-path)/session" \
	  "$(DESTDIR)$(PREFIX)/bin/session"
	scripts/install-reference "$(DESTDIR)$(PREFIX)"
	DESTDIR="$(DESTDIR)" scripts/install-units "$(PREFIX)"
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

docs:
	@scripts/generate-c-api

clean:
	rm -rf .build build
