# Needs make, cargo and a Python of at least 3.10 (another one: `make PYTHON=python3.12 setup`).
# Everything else is installed into $(VENV).

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# In CI the committed Cargo.lock is what is built, or the build fails.
LOCKED := $(if $(CI),--locked)
RUST := Cargo.toml $(wildcard Cargo.lock) $(shell find src -name '*.rs')
TEST_RUST := cargo test $(LOCKED)
# PyO3 asks a Python for its version; one that is always the same spares rebuilds.
WITH_PYTHON := PYO3_PYTHON="$(CURDIR)/$(BIN)/python"

.DELETE_ON_ERROR:
.PHONY: help setup demo test lint bench bench-rust test-slow test-browser test-frameworks \
	test-portable test-arm test-memory fuzz \
	check-free-threaded docs docs-check wheel sdist-check clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 14

setup: $(VENV)/.built ## Make $(VENV) with the module, built for speed

demo: setup ## Train an agent and show how it plays
	$(BIN)/python -m oware demo

# In as many processes as there are processors, up to four, of which each goes on with what another has left.
test: setup $(VENV)/.test ## Run every test that is not slow, Rust first
	$(TEST_RUST)
	$(BIN)/python scripts/check_ignored.py $(LOCKED)
	$(BIN)/python -m pytest --numprocesses logical --maxprocesses 4 --dist worksteal

test-slow: setup $(VENV)/.test ## Run the slow tests only
	cargo test $(LOCKED) --release -- --ignored
	$(BIN)/python -m pytest -m slow

# Each framework by its extra, in an environment of their own, as they take gigabytes. One training takes longer
# than any other test may.
FRAMEWORKS := arena,minari,pettingzoo,sb3,open-spiel,torchrl,train,jax,ray,rllib
test-frameworks: ## Train with the frameworks that have an adapter
	$(MAKE) VENV=.venv-frameworks .venv-frameworks/.frameworks
	.venv-frameworks/bin/python -m pytest tests/frameworks -m "slow or not slow" -o faulthandler_timeout=3600

CHROMIUM ?= $(or $(shell command -v chromium),/usr/bin/chromium)
BROWSER := $(VENV)-browser
test-browser: setup $(BROWSER)/.installed ## Play on the board in JupyterLab and Notebook, in Chromium
	@test -x "$(CHROMIUM)" || { echo "No Chromium found: install Debian's chromium and fonts-dejavu-core," \
		"or set CHROMIUM." >&2; exit 1; }
	cd tests/browser && CHROMIUM="$(CHROMIUM)" PYTHONPATH="$(CURDIR)/python" \
		"$(abspath $(BROWSER))/bin/python" -m pytest

# The tests of what differs between processors, on ones that the machine does not have.
qemu-%:
	@command -v $@ >/dev/null || { echo "No $@ found: install Debian's qemu-user." >&2; exit 1; }

test-portable: qemu-x86_64 ## Run the Rust tests on an emulated processor without SSE4.1
	OWARE_TEST_KERNELS=portable,words CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu qemu64" \
		$(TEST_RUST) --lib --tests

test-arm: qemu-aarch64 ## Run the Rust tests on an emulated 64-bit ARM
	@command -v aarch64-linux-gnu-gcc >/dev/null || \
		{ echo "No aarch64-linux-gnu-gcc found: install Debian's gcc-aarch64-linux-gnu." >&2; exit 1; }
	@rustup target list --installed | grep -q aarch64-unknown-linux-gnu || \
		{ echo "No standard library for ARM found: rustup target add aarch64-unknown-linux-gnu." >&2; exit 1; }
	OWARE_TEST_KERNELS=neon,portable,words CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
		CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
		$(TEST_RUST) --target aarch64-unknown-linux-gnu --lib --tests

# Miri takes the instruction sets from the flags, lacks an instruction of AVX-512, and plays too slowly for whole
# games: those are for the sanitizer.
test-memory: ## Check the unsafe code with Miri and AddressSanitizer (nightly Rust)
	RUSTFLAGS="-Ctarget-feature=+avx2,+bmi1,+bmi2,+lzcnt,+popcnt" \
		cargo +nightly miri test $(LOCKED) --target-dir target/miri-avx2 --lib lanes
	RUSTFLAGS=-Zsanitizer=address OWARE_TEST_EFFORT=0.2 cargo +nightly test $(LOCKED) \
		--target x86_64-unknown-linux-gnu --target-dir target/address --lib --test kernels

check-free-threaded: ## Check that it compiles for a Python without a global lock
	mkdir -p target
	printf '%s\n' implementation=CPython version=3.14 shared=true abi3=false pointer_width=64 \
		build_flags=Py_GIL_DISABLED suppress_build_script_link_lines=true > target/free-threaded.cfg
	PYO3_CONFIG_FILE="$(CURDIR)/target/free-threaded.cfg" cargo check $(LOCKED) --all-features \
		--target-dir target/free-threaded

FUZZ_SECONDS ?= 600
fuzz: ## Fuzz the kernels for FUZZ_SECONDS (nightly Rust)
	@command -v cargo-fuzz >/dev/null || { echo "No cargo-fuzz found: cargo install cargo-fuzz." >&2; exit 1; }
	cargo +nightly fuzz run kernels -- -max_total_time=$(FUZZ_SECONDS) -timeout=60

lint: setup $(VENV)/.test $(VENV)/.lint ## Check format, lints, types and the stub
	cargo fmt --check
	@# The tests and benches are the same with the bindings and without.
	cargo clippy $(LOCKED) --lib -- -D warnings
	$(WITH_PYTHON) cargo clippy $(LOCKED) --all-targets --all-features -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/stubtest --mypy-config-file pyproject.toml oware._oware
	$(BIN)/basedpyright --pythonpath $(BIN)/python

docs-check: setup $(VENV)/.test ## Check the Rust documentation and the README
	$(WITH_PYTHON) RUSTDOCFLAGS="-D warnings" cargo doc $(LOCKED) --no-deps --all-features
	$(BIN)/python -m pytest tests/python/test_readme.py

docs: setup $(VENV)/.docs ## Build the site into docs/_build/html and check it
	$(BIN)/python scripts/draw_pictures.py --check
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --fresh-env --quiet -b html docs docs/_build/html
	$(BIN)/python scripts/check_site.py docs/_build/html

bench: setup $(VENV)/.test ## Measure how fast it is here, beside other libraries
	$(BIN)/python -m oware bench

bench-rust: ## Measure the Rust core by itself
	cargo bench $(LOCKED)

wheel: $(VENV)/.tools ## Build a wheel into dist/
	$(BIN)/maturin build $(LOCKED) --release --interpreter $(BIN)/python --out dist

# A target folder of its own: cargo would take the two copies of the package for one. Without optimisation, which
# takes most of a build's time: `make setup` has built the same sources with it.
sdist-check: export CARGO_PROFILE_RELEASE_LTO := off
sdist-check: export CARGO_PROFILE_RELEASE_OPT_LEVEL := 0
sdist-check: export CARGO_PROFILE_RELEASE_CODEGEN_UNITS := 16
sdist-check: $(VENV)/.tools ## Build an sdist and a wheel from it, install that in a fresh environment
	rm -rf target/sdist-check
	$(BIN)/maturin sdist --out target/sdist-check
	tar -xzmf target/sdist-check/oware-*.tar.gz -C target/sdist-check
	CARGO_TARGET_DIR="$(CURDIR)/target/sdist-build" $(PIP) wheel --no-deps \
		--wheel-dir target/sdist-check target/sdist-check/oware-*/
	$(BIN)/twine check --strict target/sdist-check/oware-*.tar.gz target/sdist-check/oware-*.whl
	$(BIN)/python -m venv target/sdist-check/venv
	target/sdist-check/venv/bin/python -m pip --disable-pip-version-check --quiet install \
		target/sdist-check/oware-*.whl
	cd target/sdist-check && venv/bin/python -c "import oware; print(oware.__version__)"
	target/sdist-check/venv/bin/oware --help >/dev/null

clean: ## Remove what was built and installed here
	cargo clean
	rm -rf $(VENV) $(BROWSER) .venv-frameworks dist docs/_build docs/notebooks python/oware/*.so
	find python tests scripts -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis

# Each stamp stands for one step, so that a second `make setup` takes no time.

$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "No Python of at least 3.10 found: set PYTHON." >&2; exit 1; }
	@command -v cargo >/dev/null || { echo "No cargo found: install Rust (rustup.rs)." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# pip before 25.1 cannot install dependency groups.
$(VENV)/.tools: $(VENV)/pyvenv.cfg
	$(PIP) install 'pip>=25.1' 'maturin>=1.9.4,<2' 'twine>=6.1'
	touch $@

$(VENV)/.built: pyproject.toml $(RUST) | $(VENV)/.tools
	VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop $(LOCKED) --release
	touch $@

# After the module, as two installs at once into one environment may break it.
$(VENV)/.test: pyproject.toml | $(VENV)/.built
	$(PIP) install --group test
	touch $@

$(VENV)/.frameworks: pyproject.toml | $(VENV)/.test
	VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop $(LOCKED) --release --extras $(FRAMEWORKS)
	$(PIP) install --group frameworks
	touch $@

# Without the module, which is built once and lies beside its Python files.
$(BROWSER)/.installed: pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m venv $(BROWSER)
	$(BROWSER)/bin/python -m pip --disable-pip-version-check --quiet install 'pip>=25.1'
	$(BROWSER)/bin/python -m pip --disable-pip-version-check --quiet install --group browser
	touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.test
	$(PIP) install --group docs
	touch $@

$(VENV)/.lint: pyproject.toml | $(VENV)/.test
	$(PIP) install --group lint
	touch $@
