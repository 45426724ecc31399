# subconsciousd: make targets. `make` alone lists them.
GO        ?= go
BIN       := bin
PREFIX    ?= $(HOME)/.local
CONFIG    ?= $(HOME)/.config/subconscious
FUZZTIME  ?= 20s
BENCH     ?= .
COUNT     ?= 1
LDFLAGS   := -s -w
# Google's library brings gRPC, which would serve a page of its traces and link what draws it.
TAGS      := grpcnotrace
# In these nothing runs beside anything else but days that share nothing.
ALONE := /(aggregator|escalate|eval/(days|letters|mail|redaction|rumination)|internal/(dates|prose)|redact/redacttest|subconscious|threads/(reflex|score))$$
# SQLite is C, translated, and locked by those who call it: watched for races it is ten times as slow.
UNWATCHED := -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc/...=-race=false
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help
.PHONY: help run build test long race crash booted lint bench fuzz install clean generate

help: ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## show a mind at work over sample files; Ctrl-C ends it
	@exec $(BIN)/subconsciousd --demo

build: ## build both commands into bin/
	@echo 'building $(BIN)/subconsciousd and $(BIN)/subconsciousctl; the first time this takes a minute or two'
	@mkdir -p $(BIN)
	@$(GO) build -trimpath -tags '$(TAGS)' -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/subconsciousd ./cmd/subconsciousctl

test: ## vet, and run all tests, in short form
	$(GO) vet ./...
	$(GO) test -short -parallel 4 -timeout 10m ./...

# A package is shortened by its own tests, by rapid, or by the helper that draws calendars.
long: ## run in full what the short form shortens
	$(GO) test -timeout 25m $$(grep -rlE 'testing\.Short|pgregory\.net/rapid|/calendartest"' --include='*.go' . | xargs -n 1 dirname | sort -u)

race: ## run the tests under the race detector, in short form
	CGO_ENABLED=1 $(GO) test -race $(UNWATCHED) -short -timeout 25m $$($(GO) list ./... | grep -vE '$(ALONE)')

crash: ## kill the daemon at random, and make it fail on purpose
	$(GO) test -tags failpoints ./store/... ./budget/... ./notify ./escalate/actions ./escalate/deliberate ./memory ./internal/failpoint
	$(GO) test -tags failpoints -run 'Crash|Failpoint' ./threads/... ./daemon/... ./cmd/...

booted: ## run the service under a systemd in a container, as root
	.ci/booted

lint: ## formatting, vet, staticcheck, import rules, go.mod
	@files=$$(gofmt -l .); test -z "$$files" || { echo "run gofmt -w on these:"; echo "$$files"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags failpoints ./...
	$(GO) tool staticcheck ./...
	$(GO) test -count=1 ./internal/archtest
	$(GO) mod tidy -diff

bench: ## run the benchmarks (BENCH=pattern COUNT=n)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...

# A fuzzer that is ended while it tries an input says that its time is over, which is no finding.
fuzz: ## fuzz every target for FUZZTIME each, until one fails
	@set -e; for folder in $$(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n 1 dirname | sort -Ru); do \
	  for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' $$folder/*_test.go); do \
	    echo "$$folder $$target"; \
	    said=$$($(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$folder 2>&1) || \
	      { echo "$$said" | grep -qx ' *context deadline exceeded' && ! echo "$$said" | grep -q 'Failing input written'; } || \
	      { echo "$$said"; exit 1; }; \
	  done; \
	done

generate: ## write generated documents and goldens anew
	$(GO) test ./threads/reflex ./aggregator -update

install: build ## put commands and example configuration in place
	install -d '$(PREFIX)/bin' '$(CONFIG)'
	install -m 0755 $(BIN)/subconsciousd $(BIN)/subconsciousctl '$(PREFIX)/bin/'
	install -m 0600 config.example.yaml '$(CONFIG)/config.example.yaml'
	@echo
	@echo 'Next: copy $(CONFIG)/config.example.yaml to $(CONFIG)/config.yaml, name your folders in it,'
	@echo 'check it with `subconsciousctl config check`, and start it with `subconsciousctl service install`.'
	@case ":$$PATH:" in *':$(abspath $(PREFIX))/bin:'*) ;; *) echo 'Your PATH lacks $(abspath $(PREFIX))/bin: add it, so that the commands are found.';; esac

clean: ## remove what was built
	rm -rf $(BIN) dist
