# What people and CI call. `make test` needs cargo, python3 and chromium, which it installs on Debian if it is missing.

# Compiled files live in the user's cache folder, shared by all clones.
CACHE ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/similis
export CARGO_TARGET_DIR ?= $(CACHE)/target
CARGO ?= cargo

# Seconds for each target of `make fuzz`, and mutated files of `make fuzz-files` (100,000 take about an hour).
FUZZ_SECONDS ?= 60
FUZZ_FILES ?= 10000

.PHONY: demo web figures test test-checked fuzz fuzz-files kills lint bench peers toy-sets quality docs bless clean

demo: ## Cluster the shipped points and draw them.
	$(CARGO) run --release -- cluster testdata/two-scales.csv --n-clusters 2 --plot clusters.svg

web: ## The page of similis serve, built from web/ into the files that the command embeds; needs Node.
	cd web && npm ci --silent && npm run --silent build

figures: ## The paper's figures, made again: sheet and table go to docs/pictures.
	$(CARGO) run --release -- figures "$(CACHE)/figures"
	cp "$(CACHE)/figures/figures.svg" "$(CACHE)/figures/agreement.md" docs/pictures/

test: ## Every test: one profile, one compilation of the dependencies; then the Python package's, by its wheel, and reports and the page in a browser.
	$(CARGO) test --release --workspace --features similis-cli/parquet --locked
	python/check "$(CACHE)"
	$(CARGO) build --release --locked
	crates/similis-cli/tests/browser.sh "$(CARGO_TARGET_DIR)/release/similis" "$(CACHE)/python/bin/python"

# The same profile but for our own two crates, so that dependencies are not compiled again.
CHECKED = $(foreach crate,similis similis-cli,$(foreach check,overflow-checks debug-assertions,--config profile.release.package.$(crate).$(check)=true))

test-checked: ## The Rust tests again, with overflow checks and debug assertions.
	$(CARGO) test --release -p similis -p similis-cli --features similis-cli/parquet --locked $(CHECKED)

fuzz: ## Every fuzz target for FUZZ_SECONDS; needs cargo-fuzz and the nightly toolchain.
	cd fuzz && for target in corpus/*; do \
	  $(CARGO) +nightly fuzz run --fuzz-dir . $$(basename $$target) -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done

fuzz-files: ## FUZZ_FILES mutated files through the command.
	$(CARGO) build --release --features similis-cli/parquet --locked
	python3 fuzz/files.py "$(CARGO_TARGET_DIR)/release/similis" --files $(FUZZ_FILES)

kills: ## 200 runs killed at random moments: every file is the old one or the new one.
	$(CARGO) build --release --features similis-cli/parquet --locked
	python3 fuzz/kills.py "$(CARGO_TARGET_DIR)/release/similis" --kills 200

lint: ## Formatting, clippy and the documentation's links, warnings as errors.
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets --features similis-cli/parquet --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --release --document-private-items

bench: ## Our own benchmarks; then `make peers` for the ratios to other programs.
	$(CARGO) bench --workspace --locked

# DATA: the folder of labelled sets, see benchmarks/README.md; without it, what needs none is run.
DATA ?=

peers: ## Speed beside other programs, and variants of the latent feature model beside their recorded clusters: make peers DATA=FOLDER
	$(CARGO) build --release --locked
	benchmarks/peers "$(CARGO_TARGET_DIR)/release/similis" "$(DATA)"

# In the Python package's environment, which has the wheel.
toy-sets: ## Agreement with scikit-learn's toy sets, ours beside its own estimators.
	python/install "$(CACHE)"
	"$(CACHE)/python/bin/python" benchmarks/toy_sets.py

quality: ## Clusters beside other programs' recorded ones, and what each part of the default is worth: make quality DATA=FOLDER
	$(CARGO) build --release --locked
	benchmarks/quality "$(CARGO_TARGET_DIR)/release/similis" "$(DATA)"
	$(MAKE) toy-sets

docs: ## The library's documentation and the book.
	$(CARGO) doc --workspace --no-deps --locked --release
	@echo "the book is plain Markdown: docs/README.md"

bless: ## Rewrite the golden files; look at the diff.
	SIMILIS_BLESS=1 $(CARGO) test --release --workspace --features similis-cli/parquet --locked golden

clean:
	rm -rf "$(CARGO_TARGET_DIR)" "$(CACHE)/python" clusters.svg
