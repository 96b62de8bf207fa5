# SPDX-License-Identifier: BSD-2-Clause
# make          build/heddle and the library          make demo     the main job on a shipped example
# make check    all tests                             make bench    benchmarks
# make install  honours DESTDIR, prefix and libdir    make deb      Debian packages (build/deb/)
# SAN=1         with ASan and UBSan (build-san/)
# make format   clang-format over the sources         make results  docs/results.md, the papers at full size
# The version stands in one place, where packaging tools look for it.
VERSION := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
SONAME  := libheddle.so.0

prefix  ?= /usr/local
libdir  ?= $(prefix)/lib
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
OPT     ?= -O3
BUILD   ?= build$(if $(SAN),-san)
ifdef SAN
SANITIZE := -fsanitize=address,undefined
SAN_CFLAGS := $(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
WARN    := -Wall -Wextra -Wpedantic -Werror
CPPFLAGS += -Iinclude -D_XOPEN_SOURCE=700 -DHD_VERSION='"$(VERSION)"'
CFLAGS  += -std=c11 $(OPT) -g $(WARN) -fopenmp -fPIC -fvisibility=hidden -MMD -MP $(SAN_CFLAGS)
LDFLAGS += -fopenmp $(SANITIZE)
LDLIBS  += -lz -lzstd -lm
# The linear program of the metric ratio needs CLP; HAVE_CLP= builds without it.
HAVE_CLP ?= $(shell pkg-config --exists clp 2>/dev/null && echo 1)
ifeq ($(HAVE_CLP),1)
CPPFLAGS += -DHD_HAVE_CLP $(shell pkg-config --cflags clp)
LDLIBS   += -lClp -lCoinUtils
endif

LIB_SRC := $(filter-out src/cli/% src/base/comm_mpi.c,$(wildcard src/*.c src/*/*.c src/*/*/*.c))
CLI_SRC := $(wildcard src/cli/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
TEST_SRC := $(wildcard tests/unit/test_*.c tests/prop/prop_*.c)
TEST_BIN := $(TEST_SRC:%.c=$(BUILD)/%)
BENCH_BIN := $(addprefix $(BUILD)/tests/bench/,kernel machine $(basename $(notdir $(wildcard tests/bench/ref_*.c))))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(BUILD)/%)

.PHONY: all demo check bench install deb clean format docs results test-programs
# heddle-mpi is built where an MPI compiler is found; MPICC=mpicc.mpich picks another one.
MPICC   ?= mpicc
HAVE_MPI := $(shell command -v $(MPICC) 2>/dev/null)
all: $(BUILD)/heddle $(if $(HAVE_MPI),$(BUILD)/heddle-mpi) $(BUILD)/libheddle.a $(BUILD)/libheddle.so $(BUILD)/heddle.pc

# ---- library and command ------------------------------------------------------------------------
# The library may include its own folders; the command sees public headers only.
$(BUILD)/src/cli/%.o: CPPFLAGS += -Isrc/cli
$(LIB_OBJ): CPPFLAGS += -Isrc
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/libheddle.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libheddle.so: $(LIB_OBJ)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -o $@.$(VERSION) $^ $(LDLIBS)
	ln -sf libheddle.so.$(VERSION) $(BUILD)/$(SONAME)
	ln -sf $(SONAME) $@

$(BUILD)/heddle: $(CLI_OBJ) $(BUILD)/libheddle.a
	$(CC) $(LDFLAGS) -o $@ $(CLI_OBJ) $(BUILD)/libheddle.a $(LDLIBS)

# The same main and library, with comm_mpi.o in place of the library's comm.o. The wrapper must call the compiler that
# made the rest, or two OpenMP runtimes would meet: Open MPI and MPICH take its name from the environment.
MPI_WITH_CC := OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
$(BUILD)/src/base/comm_mpi.o: src/base/comm_mpi.c
	@mkdir -p $(@D)
	$(MPI_WITH_CC) $(CPPFLAGS) -Isrc $(filter-out -Wpedantic,$(CFLAGS)) -c $< -o $@
$(BUILD)/heddle-mpi: $(CLI_OBJ) $(BUILD)/src/base/comm_mpi.o $(BUILD)/libheddle.a
	$(MPI_WITH_CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/heddle.pc: scripts/heddle.pc.in Makefile
	@mkdir -p $(@D)
	sed 's|@version@|$(VERSION)|; s|@libs@|$(LDLIBS) -fopenmp|' $< > $@

# ---- the README's commands ------------------------------------------------------------------------
# All processors, unless make was told how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
BUILDING = [ -x $(BUILD)/heddle ] || echo "heddle: building, a minute or two"
demo:
	@scripts/setup demo
	@$(BUILDING)
	@$(MAKE) --no-print-directory -s $(PARALLEL) all
	@scripts/demo $(BUILD)

check:
	@scripts/setup check
	@$(BUILDING)
	@$(MAKE) --no-print-directory -s $(PARALLEL) all test-programs
	@tests/run $(BUILD)

# JOBS=regex runs some, QUICK=1 small sizes; then results go to bench/part. REPS=1 runs each only once. A peer
# that cannot be installed or built becomes a row that says so.
bench:
	@scripts/setup bench || true
	@$(MAKE) --no-print-directory -s all
	@$(MAKE) --no-print-directory -s -k $(BENCH_BIN) $(BUILD)/tests/bench/peer_simgrid || true
	@python3 tests/bench/run.py $(BUILD) --jobs='$(value JOBS)' $(if $(QUICK),--quick) $(if $(REPS),--reps $(REPS))

# ---- tests ------------------------------------------------------------------------------------------
test-programs: $(TEST_BIN) $(FUZZ_BIN) $(BENCH_BIN) $(BUILD)/examples/minimal

# igraph is an oracle of these; its headers are not held to our warnings.
IGRAPH_TESTS := $(BUILD)/tests/unit/test_matching $(BUILD)/tests/unit/test_worst $(BUILD)/tests/bench/ref_worst
$(IGRAPH_TESTS): CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags igraph 2>/dev/null))
$(IGRAPH_TESTS): LDLIBS += -ligraph

$(BUILD)/tests/unit/%: tests/unit/%.c $(wildcard tests/unit/*.h) $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isrc -Itests/unit $(CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/libheddle.a -lcmocka $(LDLIBS)
$(BUILD)/tests/prop/%: tests/prop/%.c $(wildcard tests/unit/*.h) $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isrc -Itests/unit $(CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/libheddle.a -lcmocka $(LDLIBS)
# Programs of `make bench`: references and peers share nothing with the library; kernel is our side.
$(BUILD)/tests/bench/kernel: tests/bench/kernel.c tests/bench/bench.h $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/libheddle.a $(LDLIBS)
$(BUILD)/tests/bench/%: tests/bench/%.c tests/bench/bench.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $< -o $@ $(LDFLAGS) $(LDLIBS)
$(BUILD)/tests/bench/peer_simgrid: LDLIBS += -lsimgrid

# Fuzz targets run their corpus in make check; `make fuzz` builds the same files for libFuzzer.
$(BUILD)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/run_corpus.h $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isrc $(CFLAGS) -DRUN_CORPUS $< -o $@ $(LDFLAGS) $(BUILD)/libheddle.a $(LDLIBS)
# As an outsider would: public headers and the shared library only.
$(BUILD)/examples/minimal: examples/minimal.c $(BUILD)/libheddle.so
	@mkdir -p $(@D)
	$(CC) -Iinclude -std=c11 $(WARN) $(SANITIZE) $< -o $@ -L$(BUILD) -lheddle -Wl,-rpath,'$$ORIGIN/..'

# The library is compiled once for all targets; only they bring libFuzzer's main.
FUZZ_FLAGS := -std=c11 -O1 -g -Iinclude -Isrc -D_XOPEN_SOURCE=700 -DHD_VERSION='"$(VERSION)"' -fno-sanitize-recover=all -MMD -MP
FUZZ_OBJ := $(LIB_SRC:%.c=build-fuzz/%.o)
.PHONY: fuzz
fuzz: $(FUZZ_SRC:tests/fuzz/%.c=build-fuzz/%)
build-fuzz/src/%.o: src/%.c
	@mkdir -p $(@D)
	clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c $< -o $@
build-fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_OBJ)
	clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined $< $(FUZZ_OBJ) -o $@ $(LDLIBS)

# ---- generated documents --------------------------------------------------------------------------
docs: $(BUILD)/heddle
	scripts/docs $(BUILD)
# docs/results.md: all papers at full size, many minutes; tests compare the quick part of it.
results: $(BUILD)/heddle
	scripts/docs $(BUILD) results

# ---- install ----------------------------------------------------------------------------------------
install: all
	scripts/install $(BUILD) "$(DESTDIR)" "$(prefix)" "$(libdir)" $(VERSION)

# Packages for the machine at hand, from a copy of the sources; objects are kept for the next time.
deb:
	@scripts/setup deb
	@scripts/deb $(BUILD)

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build build-san build-fuzz

-include $(FUZZ_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_BIN:=.d)
