# Builds, tests and installs pickerd. `make` without a target lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# Settings, as in `make run PORT=8080 STORE=memory:`. Environment variables with these names are
# ignored, because a name like LOG_LEVEL may belong to another program.
PORT = 7681
LISTEN = 127.0.0.1:$(PORT)
STORE = sqlite:
AUTH = open
CLOCK = system
ORIGIN =
LIMITS =
LOG_LEVEL = notice
# The number of event loops; empty: one per core.
LOOPS =
ARGS =
# What `make run` serves. WEB=web: the modules as they are, so that an edit takes effect on reload.
WEB = .build/web
SEED = 1
COUNT = 1000
BENCH =
FLUSH =
SCENARIOS =
ROUNDS = 5
SECONDS = 60
PREFIX = /usr/local
DESTDIR =
# The program that install-files, deb and sbom use.
BINARY = .build/release/pickerd
# Of the Debian package: xz, zstd, gzip or none.
COMPRESSION = xz
# yes: the programs of the release build have symbols.
SYMBOLS =
# The name of the container image, and further options of `docker build`.
IMAGE = pickerd
IMAGE_ARGS =
# yes: `make release` only warns of addresses that nobody has chosen yet.
REHEARSAL =
UNITS = pickerd.service pickerd.socket pickerd-api.socket pickerd-redirect.socket

# The Debian package $(2), unless its command $(1) is already installed.
unless = $(if $(shell command -v $(1)),,$(2))

BUILD_PACKAGES = libwebsockets-dev libwebsockets-evlib-uv libuv1-dev libssl-dev zlib1g-dev \
  libcurl4-openssl-dev libyaml-dev libsqlite3-dev libpq-dev tzdata \
  $(call unless,pkg-config,pkg-config)
WEB_PACKAGES = $(call unless,esbuild,esbuild) $(call unless,python3,python3) $(DOCS_PACKAGES)
DOCS_PACKAGES = $(call unless,mkdocs,mkdocs python3-pygments)
JAVA_PACKAGES = $(call unless,javac,openjdk-17-jdk-headless) libandroid-json-java libokhttp-java \
  $(call unless,kotlinc,kotlin)
TEST_PACKAGES = $(WEB_PACKAGES) $(call unless,chromium-headless-shell,chromium-headless-shell) $(call unless,valgrind,valgrind) \
  $(call unless,strip,binutils) $(call unless,prlimit,util-linux) fonts-noto-cjk \
  patroni etcd-server \
  $(call unless,tsc,node-typescript) $(call unless,zbarimg,zbar-tools) node-react node-react-dom \
  $(call unless,openssl,openssl) \
  $(call unless,certutil,libnss3-tools) \
  $(JAVA_PACKAGES) libkotlinx-coroutines-java libkotlinx-atomicfu-java \
  nginx haproxy caddy prometheus $(call unless,systemd-analyze,systemd) \
  libseccomp2 postgresql-15 \
  $(call unless,strace,strace) \
  $(if $(wildcard Tests/*/*.test.mjs),$(call unless,node,nodejs))
CLUSTER_PACKAGES = postgresql-15 patroni etcd-server haproxy
BENCH_PACKAGES = $(call unless,cc,gcc) $(call unless,python3,python3)
# A static Swift runtime: it need not be installed, and calls into it are direct. Exclusivity of
# memory access is only checked in debug builds, with which all module tests run. No debug
# information and no symbols, which were 43 of 114 MB: SYMBOLS=yes is for profilers.
export RELEASE = -c release --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked \
  -debug-info-format none -Xlinker $(if $(SYMBOLS),--strip-debug,-s)
FIND_SWIFT = toolchain=$$(deploy/need-swift.sh) && export PATH="$$toolchain:$$PATH"

.PHONY: help
help: ## List the targets
	@echo "pickerd: a server for shared pickers"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sed 's/^/  make /' | expand -t 24
	@echo "  settings of make run: PORT LISTEN STORE AUTH CLOCK ORIGIN LIMITS LOG_LEVEL LOOPS WEB ARGS"

.PHONY: build-needs
build-needs:
	@deploy/need-swift.sh >/dev/null
	@deploy/need.sh "build pickerd" $(BUILD_PACKAGES)

.PHONY: web-needs
web-needs:
	@[ -z "$(strip $(WEB_PACKAGES))" ] || deploy/need.sh "bundle the web pages" $(WEB_PACKAGES) || true

# Writes the web pages to $(1): without Python as separate modules, as bundle.py without esbuild.
bundle = if command -v python3 >/dev/null; then web/bundle.py "$(1)"; \
  else rm -rf "$(1)" && cp -R web "$(1)"; fi

.PHONY: web
web: web-needs ## Bundle the web pages and the browser client into .build/web
	@mkdir -p .build && $(call bundle,.build/web)

.PHONY: docs
docs: ## Make the documentation, a site for any static host, in .build/docs
	@[ -z "$(strip $(DOCS_PACKAGES))" ] || deploy/need.sh "make the documentation" $(DOCS_PACKAGES)
	@mkdir -p .build && mkdocs build --quiet -f web/docs/mkdocs.yml -d "$(CURDIR)/.build/docs"
	@echo .build/docs/index.html

.PHONY: package
package: ## Pack the clients and the backend kit for npm, .build/pickerd-*-VERSION.tgz
	@deploy/need.sh "make the types of the client" $(call unless,python3,python3) \
	  $(call unless,tsc,node-typescript)
	@mkdir -p .build && web/package.py .build

.PHONY: build
build: build-needs web ## Build the server in release mode
	@$(FIND_SWIFT) && swift build $(RELEASE) --product pickerd

.PHONY: run
run: build ## Build and serve http://127.0.0.1:7681 (make run PORT=8080)
	@exec .build/release/pickerd serve --listen "$(LISTEN)" --store "$(STORE)" --auth "$(AUTH)" \
	  --clock "$(CLOCK)" --log-level "$(LOG_LEVEL)" --web "$(WEB)" \
	  $(foreach origin,$(ORIGIN),--origin "$(origin)") \
	  $(foreach limit,$(LIMITS),--limit "$(limit)") $(if $(LOOPS),--loops "$(LOOPS)") $(ARGS)

.PHONY: test
test: build-needs ## Run all tests, after installing the packages that they need
	@deploy/need.sh "test pickerd" $(TEST_PACKAGES)
	@python3 -c 'import ensurepip, venv' 2>/dev/null || deploy/need.sh "test pickerd" python3-venv
	@$(FIND_SWIFT) && exec Tests/run.sh

# The packages for the tests of a developer's change: no browser, database, proxy or Java.
CHECK_PACKAGES = $(call unless,node,nodejs) $(call unless,prlimit,util-linux) \
  $(call unless,valgrind,valgrind) $(call unless,strip,binutils)

.PHONY: check
check: build-needs ## Run the tests for a change, about three minutes after the build
	@[ -z "$(strip $(CHECK_PACKAGES))" ] || deploy/need.sh "check pickerd" $(CHECK_PACKAGES)
	@python3 -c 'import ensurepip, venv' 2>/dev/null || deploy/need.sh "check pickerd" python3-venv
	@$(FIND_SWIFT) && exec Tests/run.sh check

.PHONY: cluster
cluster: build ## Serve on PostgreSQL with standbys, behind HAProxy, on this machine (PORT=8080)
	@deploy/need.sh "run a cluster" $(CLUSTER_PACKAGES)
	@exec deploy/cluster/cluster.py --port "$(PORT)" -- --log-level "$(LOG_LEVEL)" \
	  --auth "$(AUTH)" $(foreach limit,$(LIMITS),--limit "$(limit)") $(ARGS)

.PHONY: sim
sim: build-needs ## Run COUNT simulations from SEED, and faults at every byte (SEED=7 COUNT=1000)
	@$(FIND_SWIFT) && swift build $(RELEASE) --product picker-simulator
	@.build/release/picker-simulator --bytes
	@exec .build/release/picker-simulator --seed "$(SEED)" --count "$(COUNT)"

BUILD_NIO = $(FIND_SWIFT) && swift build $(RELEASE) \
  --package-path Tests/bench/nio --scratch-path .build/bench/nio

.PHONY: bench
bench: build ## Compare with plain libwebsockets and SwiftNIO (SCENARIOS="1x1 attacks" ROUNDS=5)
	@deploy/need.sh "measure pickerd" $(BENCH_PACKAGES)
	@[ "$(SCENARIOS)" = attacks ] || { $(BUILD_NIO); }
	@$(MAKE) --no-print-directory -C Tests/bench
	@exec python3 Tests/bench/run.py --scenarios "$(SCENARIOS)" --rounds "$(ROUNDS)" $(BENCH)

# BENCH=--publish writes Tests/bench/PEERS.md and the table in README.md; 20 minutes on two cores.
.PHONY: bench-peers
bench-peers: ROUNDS = 7
bench-peers: build ## Compare with other WebSocket servers, those that can be installed (ROUNDS=7)
	@deploy/need.sh "measure pickerd" $(BENCH_PACKAGES)
	@$(MAKE) --no-print-directory -C Tests/bench
	@{ $(BUILD_NIO); } || true
	@$(MAKE) --no-print-directory -k -C Tests/bench peers || true
	@exec python3 Tests/bench/peers.py --rounds "$(ROUNDS)" $(BENCH)

.PHONY: bench-tap
bench-tap: build-needs ## Measure the processing of a tap: time, allocations, memory
	@$(FIND_SWIFT) && swift build $(RELEASE) --product MicroBench
	@exec .build/release/MicroBench

# BENCH="--functions 50" names functions.
.PHONY: bench-instructions
bench-instructions: SYMBOLS = yes
bench-instructions: build ## Count the instructions of a tap with valgrind, and compare with the budgets
	@deploy/need.sh "count instructions" $(call unless,valgrind,valgrind) \
	  $(call unless,strip,binutils) $(BENCH_PACKAGES)
	@$(MAKE) --no-print-directory -C Tests/bench ../../.build/bench/bare
	@exec python3 Tests/bench/instructions.py $(BENCH)

.PHONY: bench-store
bench-store: build ## Compare durable commands with plain fsynced transactions (FLUSH=1000 adds µs)
	@$(FIND_SWIFT) && swift build $(RELEASE) --product StoreBench
	@$(MAKE) --no-print-directory -C Tests/bench ../../.build/bench/slow_flush.so
	@exec env $(if $(FLUSH),LD_PRELOAD="$(CURDIR)/.build/bench/slow_flush.so" \
	  FLUSH_MICROSECONDS="$(FLUSH)") .build/release/StoreBench $(BENCH)

.PHONY: bench-cluster
bench-cluster: build ## Compare nodes on PostgreSQL with each other and with pgbench (ROUNDS=3)
	@deploy/need.sh "measure a cluster" $(CLUSTER_PACKAGES) $(BENCH_PACKAGES)
	@$(FIND_SWIFT) && swift build $(RELEASE) --product StoreBench
	@$(MAKE) --no-print-directory -C Tests/bench ../../.build/bench/load
	@exec python3 Tests/bench/cluster.py $(BENCH)

.PHONY: soak
soak: SECONDS = 3600
soak: build ## Kills, floods, slow readers and simulated worlds for SECONDS=3600, with a report
	@$(FIND_SWIFT) && swift build $(RELEASE) --product picker-simulator
	@exec Tests/soak/soak.sh "$(SECONDS)" "$(SEED)"

.PHONY: fuzz
fuzz: build-needs ## Fuzz messages, definitions, patches, events for SECONDS=60 each (libFuzzer)
	@$(FIND_SWIFT) && exec Tests/fuzz/fuzz.sh "$(SECONDS)"

# The tests of the other targets, each mutant until one fails: hours on two cores.
.PHONY: mutants
mutants: build-needs ## Break 61 lines, one at a time, and list the tests that notice (after make test)
	@$(FIND_SWIFT) && exec nice python3 Tests/mutants/run.py

.PHONY: sanitize
sanitize: build-needs ## Run tests under AddressSanitizer and ThreadSanitizer (after make test)
	@$(FIND_SWIFT) && exec Tests/sanitize.sh address thread

.PHONY: lint
lint: ## Check the formatting of the Swift sources
	@$(FIND_SWIFT) && swift format lint --strict --parallel --recursive Package.swift Sources Tests

.PHONY: format
format: ## Format the Swift sources
	@$(FIND_SWIFT) && swift format --in-place --parallel --recursive Package.swift Sources Tests

.PHONY: install
install: build install-files ## Install to PREFIX=/usr/local (DESTDIR= for packages)

# Without a build, from BINARY.
.PHONY: install-files
install-files:
	install -D -m 755 "$(BINARY)" "$(DESTDIR)$(PREFIX)/bin/pickerd"
	install -d "$(DESTDIR)$(PREFIX)/share/pickerd"
	$(call bundle,$(DESTDIR)$(PREFIX)/share/pickerd/web)
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/lib/systemd/system" $(UNITS:%=deploy/%)
	cd "$(DESTDIR)$(PREFIX)/lib/systemd/system" && sed -i "s|/usr/local/|$(PREFIX)/|" $(UNITS)
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/doc/pickerd" deploy/README.md

.PHONY: deb
deb: build deb-files ## Make a Debian package, .build/pickerd_VERSION_ARCHITECTURE.deb

.PHONY: deb-files
deb-files:
	@deploy/need.sh "make a Debian package" $(call unless,dpkg-shlibdeps,dpkg-dev)
	@deploy/debian/build.sh "$(BINARY)" .build "$(COMPRESSION)"

# Its labels name the commit and its time.
.PHONY: image
image: ## Build the container image IMAGE=pickerd, with labels, by docker (IMAGE_ARGS=)
	@docker build -f deploy/Dockerfile -t "$(IMAGE)" \
	  --build-arg REVISION="$$(git describe --always --abbrev=40 --exclude='*' --dirty)" \
	  --build-arg CREATED="$$(TZ=UTC0 git log -1 --date=format-local:%FT%TZ --format=%cd)" \
	  $(IMAGE_ARGS) .

.PHONY: sbom
sbom: build ## Write a software bill of materials (CycloneDX), .build/pickerd.cdx.json
	@$(FIND_SWIFT) && python3 deploy/sbom.py "$(BINARY)" >.build/pickerd.cdx.json
	@echo .build/pickerd.cdx.json

.PHONY: release
release: build ## Write all files of a release, with checksums, to .build/release-files
	@deploy/need.sh "make a release" $(call unless,dpkg-shlibdeps,dpkg-dev) \
	  $(call unless,tsc,node-typescript) $(call unless,git,git) $(JAVA_PACKAGES)
	@python3 -c 'import ensurepip, venv' 2>/dev/null || deploy/need.sh "make a release" python3-venv
	@rm -rf .build/release-files .build/packing && python3 -m venv .build/packing
	@grep -E '^(build|flit_core|twine)==' Tests/product/requirements.txt | \
	  .build/packing/bin/pip install --quiet --disable-pip-version-check -r /dev/stdin
	@export PYTHON="$(CURDIR)/.build/packing/bin/python" REHEARSAL="$(REHEARSAL)"; \
	  $(FIND_SWIFT) && deploy/release.sh "$(BINARY)" .build/release-files "$(COMPRESSION)"

# Needs root, package downloads and a few minutes, so it is not a part of make test.
.PHONY: deploy-check
deploy-check: build ## Test the package, the service under systemd and the Dockerfile in chroots
	@deploy/need.sh "check the deployment" debootstrap iproute2 $(call unless,dpkg-shlibdeps,dpkg-dev)
	@python3 Tests/deploy/check.py "$(BINARY)"

.PHONY: uninstall
uninstall: ## Remove the installed files
	rm -rf "$(DESTDIR)$(PREFIX)/bin/pickerd" "$(DESTDIR)$(PREFIX)/share/pickerd" \
	  "$(DESTDIR)$(PREFIX)/share/doc/pickerd" \
	  $(UNITS:%="$(DESTDIR)$(PREFIX)/lib/systemd/system/%")

.PHONY: clean
clean: ## Remove all build products
	rm -rf .build .build-* .venv
