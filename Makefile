# Everything a person does with this checkout. `make` alone lists it.

SHELL := /bin/sh
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help

# SwiftPM uses all cores itself, and locks its folder.
.NOTPARALLEL:

# Debian packages, here and nowhere else.
RUN_PACKAGES := libltdl-dev libsqlite3-dev libcurl4-openssl-dev libssl-dev libgmime-3.0-dev libgumbo-dev libical-dev libicu-dev \
	libmicrohttpd-dev libpam0g-dev libpq-dev libsecret-1-dev libglib2.0-dev zlib1g-dev pkg-config cmake ninja-build \
	python3-venv python3-markdown esbuild node-react node-react-dom libjs-pdf publicsuffix
TEST_PACKAGES := $(RUN_PACKAGES) git python3 binutils nginx-light strace dbus-daemon dbus-bin \
	gnome-keyring libpam-wrapper dovecot-imapd dovecot-sieve dovecot-managesieved libmime-tools-perl openssl postgresql-15 pgbouncer iproute2 \
	debootstrap chromium chromium-headless-shell firefox-esr fonts-inter fonts-noto-core fonts-noto-color-emoji
# The servers that the benchmarks measure on, and the programs that they set beside this one.
BENCH_PACKAGES := $(RUN_PACKAGES) nginx-light libpam-wrapper openssl dovecot-imapd notmuch maildir-utils isync msmtp curl \
	postgresql-15

# The privacy policy that the consent screen of the services names; without one the program shows its own.
PRIVACY_URL ?=
PREFIX ?= /usr/local
KILLS ?= 5000
# Of PostgreSQL servers and programs that write to them.
SERVER_KILLS ?= 500
STEPS ?= 200000
# Seconds.
FUZZ ?= 300
# Of what is snoozed, scheduled or waited for.
TIME_TRIALS ?= 10000
# Of messages that are made and destroyed at once.
PAIRS ?= 2000
DIR = Plugins
installed := $(DESTDIR)$(PREFIX)/lib/mailkernel
guide := $(DESTDIR)$(PREFIX)/share/doc/mailkernel
kernel := .build/release/mailkernel
stamps := .build/stamps

# What a release build reads. Folders count too: their time tells that a file was removed.
sources = $(shell find $(1) -mindepth 1 \( -name .build -o -name Tests -o -name node_modules \) -prune \
	-o ! -name 'lib*.so' ! -name '.lib*' -print 2>/dev/null)

swift_files := find . \( -name .build -o -name node_modules \) -prune -o -name '*.swift' -print0

plugins := $(patsubst Plugins/%/plugin.json,%,$(wildcard Plugins/*/plugin.json))
# A package without a manifest is a library that plugins share.
libraries := $(filter-out $(plugins),$(patsubst Plugins/%/Package.swift,%,$(wildcard Plugins/*/Package.swift)))
shared := $(call sources,Sources/Digest Sources/MailKernelAPI Sources/MailKernelConformance Sources/StoreRules $(libraries:%=Plugins/%))

.PHONY: help setup build run page plugins mocks test screenshots samples lint format bench soak requirements plugin install uninstall clean
.PHONY: run-packages test-packages bench-packages FORCE

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 22

setup: test-packages $(stamps)/swift ## install the Debian packages, check Swift
	@Tests/Tools/editor-library

build: run-packages $(stamps)/kernel page plugins $(stamps)/about ## build the kernel, the page and all plugins (release)

run: build ## build what changed and start it [ARGS="--port 8080"]
	@exec $(kernel) --plugins ./Plugins $(ARGS)

page: run-packages $(stamps)/page ## bundle the page that the program serves

plugins: run-packages $(plugins:%=$(stamps)/plugin-%) ## build the plugins and place their libraries

mocks: run-packages $(stamps)/swift ## build the mock plugins (debug), to try: mailkernel --plugins Tests/MockPlugins
	@Tests/Tools/build-plugin debug Tests/MockPlugins

test: test-packages $(stamps)/swift $(stamps)/page ## build and run every test [ONLY=Plugins/Gmail, ONLY=Sources/WebUI]
	@Tests/Tools/python-env
	@sh Tests/Servers/cyrus/build.sh .build/cyrus
	@Tests/Tools/test $(ONLY)

screenshots: test-packages page plugins ## pictures of every screen in each size and theme, in .build/screenshots
	@Tests/Tools/python-env
	@Tests/Tools/build-kernel debug --product mailkernel
	@.build/python/bin/python Tests/Page/screenshots.py .build/screenshots

samples: test-packages page plugins ## compose the messages of docs/samples again
	@Tests/Tools/python-env
	@Tests/Tools/build-kernel debug --product mailkernel
	@.build/python/bin/python Tests/Page/sent_samples.py docs/samples

lint: test-packages $(stamps)/swift ## check format and house rules
	@Tests/Tools/python-env
	@status=0; \
	$(swift_files) | xargs -0 -r swift format lint --strict --parallel || status=1; \
	Tests/Tools/lint || status=1; \
	Tests/Tools/check-page style || status=1; \
	Tests/Tools/check-page types || status=1; \
	exit $$status

format: $(stamps)/swift ## format all Swift sources and the page's in place
	@$(swift_files) | xargs -0 -r swift format format --in-place --parallel
	@Tests/Tools/python-env
	@Tests/Tools/check-page format

bench: bench-packages build ## measure, beside others; writes .build/bench.json [ONLY=search. SIZES=10000,100000]
	@Tests/Tools/python-env
	@Tests/Tools/build-plugin release Tests/MockPlugins .build/bench-mocks
	@Plugins/LocalModels/Tests/Models/fetch || echo "Without small models, what needs one is not measured."
	@Plugins/LocalModels/Tests/Models/llama-bench || echo "llama-bench cannot be built here; tokens are measured alone."
	@swift build -c release --product mailkernel-bench
	@.build/release/mailkernel-bench $(if $(ONLY),--only $(ONLY)) $(if $(SIZES),--sizes $(SIZES)) \
		--output .build/bench.json

soak: test-packages $(stamps)/swift ## kill the storage, send in random steps, bend what servers say [KILLS=5000 SERVER_KILLS=500 STEPS=200000 FUZZ=300 PAIRS=2000 TIME_TRIALS=10000]
	@KILLS=$(KILLS) Tests/Tools/test --limit 36000 Plugins/SQLiteStorage
	@SERVER_KILLS=$(SERVER_KILLS) Tests/Tools/test --limit 36000 Plugins/PostgreSQLStorage
	@MAILKERNEL_FUZZ=1000000 MAILKERNEL_CLIENTS=2000 Tests/Tools/test --limit 36000 Plugins/IMAP
	@SIEVE_MESSAGES=2000 SIEVE_FUZZ=100000 Tests/Tools/test --limit 36000 Sources/Sieve
	@sh Plugins/IMAP/Tests/Fuzz/run.sh $(FUZZ) $(CURDIR)/.build/fuzz-imap
	@Tests/Tools/build-kernel debug --build-tests
	@COMPOSE_STEPS=$(STEPS) .build/debug/mailkernelPackageTests.xctest --testing-library swift-testing \
		--filter ComposeModelTests
	@THOROUGH=1 .build/debug/mailkernelPackageTests.xctest --testing-library swift-testing \
		--filter 'SecondThoughtTests|Failing|KilledTests|RuleKillTests|ServiceRulesTests|ReminderKillTests|StateNewsTests|SendStateTests|SignInTests'
	@Tests/Tools/python-env
	@QUOTES=300 .build/python/bin/python Tests/Page/run.py .build/quotes.jsonl test_quotes
	@TIME_TRIALS=$(TIME_TRIALS) .build/debug/mailkernelPackageTests.xctest --testing-library swift-testing \
		--filter TimeTrialTests
	@PAIRS=$(PAIRS) .build/debug/mailkernelPackageTests.xctest --testing-library swift-testing \
		--filter MadeAndDestroyedTests

requirements: ## which test names which requirement [ARGS=--strict]
	@Tests/Tools/requirements $(ARGS)

plugin: run-packages $(stamps)/kernel ## start a plugin: NAME=Weather KIND=notification [DIR=Plugins]
	@Tests/Tools/new-plugin "$(NAME)" "$(KIND)" "$(DIR)"

install: ## install what `make build` built [PREFIX=/usr/local DESTDIR=]
	@test -x $(kernel) || { echo "Nothing is built yet: run 'make build' first." >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(installed)/bin $(installed)/page/docs $(plugins:%=$(installed)/plugins/%)
	install -m 0755 $(kernel) .build/release/libMailKernel*.so $(installed)/bin
	install -m 0644 $$(find .build/page -maxdepth 1 -type f) $(installed)/page
	install -m 0644 .build/page/docs/* $(installed)/page/docs
	install -d $(installed)/about/texts
	install -m 0644 $$(find .build/about -maxdepth 1 -type f) $(installed)/about
	install -m 0644 .build/about/texts/* $(installed)/about/texts
	@find README.md LICENSE CHANGELOG.md CONTRIBUTING.md docs -name '*.md' -o -name '*.png' -o -name '*.sql' -o -name LICENSE | while read -r file; do \
		install -D -m 0644 "$$file" "$(guide)/$$file" || exit 1; \
	done
	@for package in MailKernelAPI MailKernelConformance StoreRules; do \
		(cd Sources && find $$package -name .build -prune -o -type f -print) | while read -r file; do \
			install -D -m 0644 "Sources/$$file" "$(installed)/sdk/$$file" || exit 1; \
		done || exit 1; \
	done
	@for plugin in $(plugins); do \
		ls Plugins/$$plugin/lib*.so >/dev/null 2>&1 || { echo "Left out, for it is not built: $$plugin"; continue; }; \
		install -m 0644 Plugins/$$plugin/plugin.json $(installed)/plugins/$$plugin && \
		install -m 0755 Plugins/$$plugin/lib*.so $(installed)/plugins/$$plugin || exit 1; \
		for program in $$(cat Plugins/$$plugin/programs 2>/dev/null); do \
			install -m 0755 Plugins/$$plugin/$$program $(installed)/plugins/$$plugin || exit 1; \
		done; \
	done
	ln -sfn ../lib/mailkernel/bin/mailkernel $(DESTDIR)$(PREFIX)/bin/mailkernel
	@ldd $(kernel) | sed -n 's|.*=> \(.*\)/libswiftCore.so .*|It uses the Swift runtime in \1: keep it.|p'

uninstall: ## remove what `make install` installed
	rm -f $(DESTDIR)$(PREFIX)/bin/mailkernel
	rm -rf $(guide)
	rm -rf $(installed)/about $(installed)/bin $(installed)/page $(installed)/sdk $(plugins:%=$(installed)/plugins/%)
	@rmdir $(installed)/plugins $(installed) 2>/dev/null || echo "Left in place, for it holds other things: $(installed)"

clean: ## remove everything that was built
	rm -rf .build Sources/WebUI/node_modules
	rm -f Plugins/*/lib*.so Plugins/LocalModels/mailkernel-inference* Tests/MockPlugins/*/lib*.so

run-packages:
	@Tests/Tools/need-packages $(RUN_PACKAGES)

test-packages:
	@Tests/Tools/need-packages $(TEST_PACKAGES)

# Where they cannot be installed, the benchmarks say what they leave out.
bench-packages:
	@Tests/Tools/need-packages $(BENCH_PACKAGES) || true

# Changes when the compiler does, so that another Swift rebuilds everything.
$(stamps)/swift: FORCE
	@Tests/Tools/check-swift $@

$(stamps)/page: $(call sources,Sources/WebUI) $(wildcard docs/*.md) Tests/Tools/build-page Tests/Tools/documents Tests/Tools/editor-library $(if $(wildcard .build/page/index.html),,FORCE)
	@mkdir -p $(stamps)
	@Tests/Tools/build-page .build/page
	@touch $@

$(stamps)/kernel: Package.swift $(filter-out Sources/WebUI%,$(call sources,Sources)) $(stamps)/swift $(if $(wildcard $(kernel)),,FORCE)
	@Tests/Tools/build-kernel release --product mailkernel
	@touch $@

# What the program is made of, once all of it is there.
$(stamps)/about: $(stamps)/kernel $(stamps)/page $(plugins:%=$(stamps)/plugin-%) Tests/Tools/about \
		Tests/Tools/license-names Sources/WebUI/bundles $(wildcard Plugins/*/bundles)
	@Tests/Tools/about .build/about "$(PRIVACY_URL)" $(kernel) .build/release/libMailKernel*.so Plugins/*/lib*.so \
		$(wildcard $(foreach plugin,$(plugins),$(addprefix Plugins/$(plugin)/,$(shell cat Plugins/$(plugin)/programs 2>/dev/null))))
	@touch $@

# A removed library is placed again. What cannot be had here is left out, and tried again the
# next time.
define plugin-rule
$(stamps)/plugin-$(1): $(call sources,Plugins/$(1)) $(shared) $(stamps)/swift $(if $(wildcard Plugins/$(1)/lib*.so),,FORCE)
	@Tests/Tools/build-plugin release Plugins/$(1) && touch $$@ || test $$$$? -eq 3
endef
$(foreach plugin,$(plugins),$(eval $(call plugin-rule,$(plugin))))
# It links the library of the other.
$(stamps)/plugin-IMAPAccount: $(call sources,Plugins/LocalFolders)
