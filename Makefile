# What people and CI call. `make test` needs cargo, python3 and chromium, which it installs on Debian if it is missing.

# Where the Python environments live, in the user's cache folder. Compiled files live in the clone's own target/.
CACHE ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/similis
export CARGO_TARGET_DIR ?= $(CURDIR)/target
CARGO ?= cargo

# Seconds for each target of `make fuzz`, and mutated files of `make fuzz-files` (100,000 take about an hour).
FUZZ_SECONDS ?= 60
FUZZ_FILES ?= 10000

# Property tests draw the same inputs in every run, so that a commit passes or fails; `make test-random` draws others.
export PROPTEST_RNG_SEED ?= 1
RUNS ?= 10

.PHONY: demo web figures test test-all test-random test-packages store-version test-checked coverage fuzz fuzz-files kills lint bench peers toy-sets quality docs gallery pictures bless clean

demo: ## Cluster the shipped points and draw them.
	$(CARGO) run --release -- cluster testdata/two-scales.csv --n-clusters 2 --plot clusters.svg

web: ## The page of similis serve, built from web/ into the files that the command embeds; needs Node.
	cd web && npm ci --silent && npm run --silent build

figures: ## The paper's figures, made again: sheets and tables go to docs/pictures.
	$(CARGO) run --release -- figures "$(CACHE)/figures"
	cd "$(CACHE)/figures" && cp figures.svg models.svg agreement.md models.md "$(CURDIR)/docs/pictures/"

test: ## Every test: one profile, one compilation of the dependencies; then the Python package's, by its wheel, reports and the page in a browser, schemas, and the site.
	$(CARGO) test --release --workspace --features similis-cli/parquet --locked
	python/check "$(CACHE)"
	$(CARGO) build --release --locked
	crates/similis-cli/tests/browser.sh "$(CARGO_TARGET_DIR)/release/similis" "$(CACHE)/python/bin/python"
	"$(CACHE)/python/bin/python" crates/similis-cli/tests/schemas.py "$(CARGO_TARGET_DIR)/release/similis"
	website/build "$(CACHE)" "$(SITE)"
	python3 website/in_browser.py "$(SITE)"
	"$(CACHE)/python/bin/python" gallery/run.py 01 05 08
	python3 release/test_cut.py

test-all: test test-packages ## Every test, the whole gallery, and installations from packages in fresh environments.

test-packages: ## The whole gallery, and what would be published, installed in fresh environments.
	python/install "$(CACHE)"
	"$(CACHE)/python/bin/python" gallery/run.py
	"$(CACHE)/python/bin/pip" install --quiet "ray>=2.40"
	"$(CACHE)/python/bin/pytest" --quiet --config-file python/pyproject.toml --rootdir python python/tests/ray_tests.py
	rm -rf "$(CACHE)/told" && "$(CACHE)/python/bin/python" website/pictures.py "$(CACHE)/told"
	test "$$(ls "$(CACHE)/told")" = "$$(ls docs/pictures/told)"
	release/check "$(CACHE)"

test-random: ## The Rust tests RUNS times, with other inputs of property tests each time; a failure names its seed.
	for run in $$(seq $(RUNS)); do seed=$$(python3 -c 'import secrets; print(secrets.randbits(32))'); \
	  PROPTEST_RNG_SEED=$$seed $(CARGO) test --release --workspace --features similis-cli/parquet --locked || \
	  { echo "seed: PROPTEST_RNG_SEED=$$seed"; exit 1; }; done

store-version: ## Keep models and outputs of this version in testdata/versions, where later versions must read them.
	$(CARGO) build --release --locked
	python/install "$(CACHE)"
	"$(CACHE)/python/bin/python" crates/similis-cli/tests/schemas.py "$(CARGO_TARGET_DIR)/release/similis" --store

# The same profile but for our own two crates, so that dependencies are not compiled again.
CHECKED = $(foreach crate,similis similis-cli,$(foreach check,overflow-checks debug-assertions,--config profile.release.package.$(crate).$(check)=true))

test-checked: ## The Rust tests again, with overflow checks and debug assertions.
	$(CARGO) test --release --workspace --features similis-cli/parquet --locked $(CHECKED)

# Runs that tests kill leave counts cut short, which are left out.
coverage: ## Share of the lines that the Rust tests reach; needs cargo-llvm-cov and the toolchain's component llvm-tools.
	$(CARGO) llvm-cov --release -p similis -p similis-cli --features similis-cli/parquet --locked \
	  --failure-mode all --fail-under-lines 90 --summary-only

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

docs: ## The site (docs/ as pages, Python reference, gallery) and the Rust reference: SITE, by default in the cache folder.
	website/build "$(CACHE)" "$(SITE)"
	RUSTDOCFLAGS="--html-in-header $(CURDIR)/crates/similis/katex-header.html" $(CARGO) doc -p similis -p similis-cli --no-deps --locked --release
	@echo "the site is $(SITE)/index.html, the Rust reference $(CARGO_TARGET_DIR)/doc/similis/index.html"

SITE ?= $(CACHE)/site-pages

gallery: ## Run the scripts of the gallery and write its notebooks, with outputs.
	python/install "$(CACHE)"
	"$(CACHE)/python/bin/pip" install --quiet jupytext nbclient ipykernel
	"$(CACHE)/python/bin/python" gallery/notebooks.py

# In the Python package's environment, which has the wheel and matplotlib.
pictures: ## The ten pictures of "How it works, told with pictures", and the social picture from its SVG.
	python/install "$(CACHE)"
	"$(CACHE)/python/bin/python" website/pictures.py docs/pictures/told
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,640 \
	  --screenshot=docs/assets/social.png "file://$(CURDIR)/docs/assets/social.svg"

bless: ## Rewrite the golden files; look at the diff.
	SIMILIS_BLESS=1 $(CARGO) test --release --workspace --features similis-cli/parquet --locked golden

clean:
	rm -rf "$(CARGO_TARGET_DIR)" "$(CACHE)/python" "$(CACHE)/site" "$(SITE)" clusters.svg
