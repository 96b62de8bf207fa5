# SPDX-License-Identifier: BSD-2-Clause
# make                 build/heddle, build/heddle-mpi where MPI is installed, build/libheddle.{a,so}, and OpenSM's plug-in
#                      build/libheddle-opensm.so with its worker where OpenSM's headers are installed, and
#                      build/python/heddle where Python has cffi and NumPy
# make demo            the main job on the shipped example; installs the Debian packages it needs, and names them
# make check           all tests; likewise
# make install         honours DESTDIR, prefix and libdir; takes what was built as it was built
# make deb             Debian packages, in build/deb
# make wheel           wheel and source archive of the package for Python, in build/wheel
# make bench           benchmarks; JOBS=regex runs some, QUICK=1 small sizes, REPS=1 each once
# make accept          regenerate what follows from a changed engine, help text or message: the matrix of the
#                      property tests, docs/reference.md, README.md, docs/tutorial.md and the picture;
#                      INSTRUCTIONS=1: also the instruction counts of the kernels
# make site            all documents as static HTML, in build/site; needs python3-markdown
# make docs            the documents of these alone
# make results         docs/results.md, the papers at full size: many minutes
# make test-programs   what make check runs, without running it; then tests/run build [NAME]
# make fuzz            the fuzz targets with libFuzzer, in build-fuzz; HOURS=n: run all in turn, n hours together
# make soak            run each of them for TIME seconds (default 60) on its corpus, fail every call of every command, and
#                      lose and find cables under OpenSM with the plug-in
# make coverage        lines and branches that the tests reach, in build-cov; TESTS='unit/ golden/cli' runs some, and
#                      KEEP=1 adds to what was counted before
# make mutants         one change of the sources at a time, to see whether tests notice: COUNT (default 200), SEED,
#                      FILES=regex; SECONDS=n begins none after n seconds, AGAIN=1 tries survivors again, GOLDEN=1 also
#                      with golden tests
# make analyze         gcc -fanalyzer, clang-tidy and cppcheck over the sources, in build-analyze
# make tsan            unit and property tests under ThreadSanitizer, in build-tsan
# make cross           unit tests for a big-endian and a 32-bit processor under qemu-user, in build-s390x and build-i386
# make format          clang-format over the sources
# make clean           remove build and every build-...
#
# V=1                  whole commands instead of one short line each; make -s prints neither
# WERROR=1             warnings are errors, as in continuous integration
# SAN=1                with ASan and UBSan, in build-san
# CC, CFLAGS, OPT      compiler (default gcc), further flags, optimization (default -O3)
# HARDEN=              without stack protector, _FORTIFY_SOURCE and read-only relocations
# BUILD                folder of everything built (default build)
# HAVE_CLP=            without CLP, the linear programs of the metric ratio, though it is installed
# HAVE_METIS=          without METIS, an order that 'order --mesh' compares with, though it is installed
# HAVE_MPI=            without heddle-mpi; MPICC=mpicc.mpich takes another MPI compiler
# PYTHON=              without the package for Python; PYTHON=python3.12 takes another one, PYTHON_DIR is where it is installed
# HAVE_OPENSM=         without the plug-in for OpenSM; OPENSM_INCLUDE is the folder of opensm/ and iba/
#
# A change of any of these, or of what is installed, rebuilds what depends on it and nothing else.

# The version is in one place, where packaging tools look for it.
VERSION := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
SONAME  := libheddle.so.0

prefix  ?= /usr/local
libdir  ?= $(prefix)/lib
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
OPT     ?= -O3
BUILD   ?= build$(if $(SAN),-san)
ifdef SAN
SANITIZE := -fsanitize=address,undefined
SAN_CFLAGS := $(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -DHD_ARENA_CHUNK=0
endif
# What costs nothing measurable and stops many an exploit. Sanitizers and -O0 do without it: they replace the same
# functions, or have none to inline. Level 3 of _FORTIFY_SOURCE is as much as the compiler knows of it.
HARDEN  ?= $(if $(SAN)$(filter -O0,$(OPT)),,1)
ifneq ($(HARDEN),)
FORTIFY := $(shell echo '\#include <stdio.h>' | $(CC) -O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -E - \
    >/dev/null 2>&1 && echo 3 || echo 2)
HARDEN_CFLAGS := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(FORTIFY)
HARDEN_LDFLAGS := -Wl,-z,relro -Wl,-z,now
endif
WARN    := -Wall -Wextra -Wpedantic $(if $(filter-out 0,$(WERROR)),-Werror)
override CPPFLAGS += -Iinclude -D_XOPEN_SOURCE=700 -DHD_VERSION='"$(VERSION)"'
override CFLAGS += -std=c11 $(OPT) -g $(WARN) -fopenmp -fPIC -fvisibility=hidden -MMD -MP $(SAN_CFLAGS) $(HARDEN_CFLAGS)
override LDFLAGS += -fopenmp $(SANITIZE) $(HARDEN_LDFLAGS)
override LDLIBS += -lz -lzstd -lm
# Headers of other libraries are not held to our warnings.
foreign = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(1) 2>/dev/null))
# The linear program of the metric ratio needs CLP; HAVE_CLP= builds without it.
HAVE_CLP ?= $(shell pkg-config --exists clp 2>/dev/null && echo 1)
ifeq ($(HAVE_CLP),1)
CLP_CPPFLAGS := -DHD_HAVE_CLP $(call foreign,clp)
override LDLIBS += -lClp -lCoinUtils
endif
# An order for training jobs is compared with that of METIS; HAVE_METIS= builds without it. It has no file for pkg-config.
HAVE_METIS ?= $(shell $(CC) $(CPPFLAGS) -include metis.h -E -x c /dev/null >/dev/null 2>&1 && echo 1)
ifeq ($(HAVE_METIS),1)
METIS_CPPFLAGS := -DHD_HAVE_METIS
override LDLIBS += -lmetis
endif
# What was built without is installed without: `make install` alone takes what is there.
ifeq ($(MAKECMDGOALS),install)
built_without = $(if $(wildcard $(BUILD)/$(1)),,$(wildcard $(BUILD)/heddle))
endif
# heddle-mpi is built where an MPI compiler is found; MPICC=mpicc.mpich picks another one.
MPICC   ?= mpicc
HAVE_MPI ?= $(if $(call built_without,heddle-mpi),,$(shell command -v $(MPICC) 2>/dev/null))

# The plug-in for OpenSM is built where its headers are found, and for their version alone.
OPENSM_INCLUDE ?= /usr/include/infiniband
HAVE_OPENSM ?= $(if $(call built_without,libheddle-opensm.so),,$(shell sed -n 's/^.define OSM_VERSION "OpenSM \(.*\)"/\1/p' \
    $(OPENSM_INCLUDE)/opensm/osm_version.h 2>/dev/null))

# The Python package is built where an interpreter has cffi, NumPy and the headers of Python; PYTHON= builds without it.
ifeq ($(origin PYTHON),undefined)
PYTHON := $(if $(SAN)$(call built_without,python),,$(shell for p in python3 /usr/bin/python3; do $$p scripts/has-python 2>/dev/null && echo $$p && break; done))
endif
PYTHON_DIR ?= $(if $(PYTHON),$(shell $(PYTHON) scripts/has-python --site '$(prefix)'))

LIB_SRC := $(filter-out src/cli/% src/papers/% src/opensm/% src/base/comm_mpi.c,$(wildcard src/*.c src/*/*.c src/*/*/*.c))
CLI_SRC := $(wildcard src/cli/*.c src/papers/*.c)
PAGE_TEXT := src/report/page_text
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/$(PAGE_TEXT).o
GLOSSARY_TEXT := src/cli/glossary_text
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o) $(BUILD)/$(GLOSSARY_TEXT).o
OPENSM_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/opensm/*.c))
WORKER_OBJ := $(BUILD)/src/opensm/worker_main.o
PLUGIN_OBJ := $(filter-out $(WORKER_OBJ),$(OPENSM_OBJ)) $(BUILD)/src/live/live_options.o $(BUILD)/src/base/c_locale.o \
	$(BUILD)/src/base/characters.o
PLUGIN := $(BUILD)/libheddle-opensm.so $(BUILD)/heddle-opensm-worker
PYTHON_MODULE := $(BUILD)/python/heddle/_heddle.abi3.so
PYTHON_FILES := $(PYTHON_MODULE) $(patsubst %,$(BUILD)/%,$(wildcard python/heddle/*.py) python/heddle/py.typed)
TEST_SRC := $(wildcard tests/unit/test_*.c tests/prop/prop_*.c)
TEST_BIN := $(TEST_SRC:%.c=$(BUILD)/%)
BENCH_BIN := $(addprefix $(BUILD)/tests/bench/,kernel machine $(basename $(notdir $(wildcard tests/bench/ref_*.c))))
INJECT_BIN := $(addprefix $(BUILD)/tests/inject/,shim.so heddle library)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(BUILD)/%)

.PHONY: all help demo check bench install deb clean format docs results accept test-programs fuzz soak no-mpi force \
    coverage mutants analyze tsan cross no-opensm no-python wheel site
all: $(BUILD)/heddle $(if $(HAVE_MPI),$(BUILD)/heddle-mpi,no-mpi) $(if $(HAVE_OPENSM),$(PLUGIN),no-opensm) $(if $(PYTHON),$(PYTHON_FILES),no-python) \
    $(BUILD)/libheddle.a $(BUILD)/libheddle.so $(BUILD)/heddle.pc
no-mpi:
	@rm -f $(BUILD)/heddle-mpi
no-opensm:
	@rm -f $(PLUGIN)
no-python:
	@rm -rf $(BUILD)/python

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

# $(call quiet,WHAT,FILE) before a command prints "WHAT FILE" in its place, nothing under make -s; V=1 shows the command.
SILENT := $(findstring s,$(firstword -$(MAKEFLAGS)))
quiet = $(if $(V),,@$(if $(SILENT),,printf '  %-5s %s\n' $(1) $(2); ))

# With little in every buffer, small outputs grow and are written in parts.
SMALL_OUT := -DHD_OUT_BUFFER=512 -DHD_OUT_KEPT=2048

# ---- what objects and programs depend on beside their sources --------------------------------------
# $(BUILD)/flags/NAME holds $(key_NAME) and is rewritten when that has changed, so that its file time is as good as
# a source's. The compiler's version is part of it: packages are upgraded under a build.
FUZZ_FLAGS := -std=c11 -O1 -g -Iinclude -Isrc -Itests/unit -D_XOPEN_SOURCE=700 -DHD_VERSION='"$(VERSION)"' \
    -DHD_ARENA_CHUNK=0 -DHD_IN_BUFFER=512 $(SMALL_OUT) -DHD_ANNEAL_MOVES=20 -fno-sanitize-recover=all -MMD -MP
key_compile := $(shell $(CC) --version 2>/dev/null | head -n 1) $(CC) $(CPPFLAGS) $(CFLAGS)
key_clp     := $(CLP_CPPFLAGS) $(if $(HAVE_CLP),$(shell pkg-config --modversion clp 2>/dev/null))
key_metis   := $(METIS_CPPFLAGS)
key_link    := $(CC) $(LDFLAGS) $(LDLIBS) $(LIB_OBJ) $(CLI_OBJ)
key_mpi     := $(HAVE_MPI) $(if $(HAVE_MPI),$(shell $(MPICC) -show 2>/dev/null))
key_opensm  := $(OPENSM_INCLUDE) $(HAVE_OPENSM)
key_python  := $(PYTHON) $(if $(PYTHON),$(shell $(PYTHON) scripts/has-python --version))
key_cmocka  := $(shell pkg-config --modversion cmocka 2>/dev/null)
key_igraph  := $(shell pkg-config --modversion --cflags igraph 2>/dev/null)
key_fuzz    := $(shell clang --version 2>/dev/null | head -n 1) $(FUZZ_FLAGS)
STAMPS := $(addprefix $(BUILD)/flags/,compile clp metis link mpi opensm python cmocka igraph) build-fuzz/flags/fuzz
changed = $(subst x$(strip $(key_$(notdir $(1))))x,,x$(strip $(file <$(1)))x)
# make install alone takes what is there: root may have another environment than the user who built it.
ifneq ($(MAKECMDGOALS),install)
$(foreach stamp,$(STAMPS),$(if $(call changed,$(stamp)),$(eval $(stamp): force)))
endif
$(STAMPS):
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(strip $(key_$(@F))))' >$@
COMPILE := $(BUILD)/flags/compile
LINK    := $(BUILD)/flags/link

# ---- library and command ------------------------------------------------------------------------
# WITH is what one object or program needs beyond CPPFLAGS, LIBS beyond LDLIBS. The library may include its own folders;
# the command sees public headers only.
$(CLI_OBJ): private WITH += -Isrc/cli -Isrc/papers
$(LIB_OBJ): private WITH += -Isrc
# Only sources that ask for CLP or METIS are compiled again when it comes or goes; no header may.
users = $(foreach f,$(shell grep -l $(1) $(LIB_SRC) $(TEST_SRC)),$(BUILD)/$(basename $(f))$(if $(filter src/%,$(f)),.o))
CLP_USERS := $(call users,HD_HAVE_CLP)
METIS_USERS := $(call users,HD_HAVE_METIS)
$(CLP_USERS): private WITH += $(CLP_CPPFLAGS)
$(CLP_USERS): $(BUILD)/flags/clp
$(METIS_USERS): private WITH += $(METIS_CPPFLAGS)
$(METIS_USERS): $(BUILD)/flags/metis
$(BUILD)/%.o: %.c $(COMPILE)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(CC) $(CPPFLAGS) $(WITH) $(CFLAGS) -c $< -o $@

# Style sheet and script of the report's page, as C strings.
$(BUILD)/$(PAGE_TEXT).c build-fuzz/$(PAGE_TEXT).c: src/report/page.css src/report/page.js scripts/embed.awk
	@mkdir -p $(@D)
	$(call quiet,EMBED,$@)awk -f scripts/embed.awk name=hd_page_style src/report/page.css name=hd_page_script src/report/page.js >$@
$(BUILD)/$(PAGE_TEXT).o: $(BUILD)/$(PAGE_TEXT).c $(COMPILE)
	$(call quiet,CC,$<)$(CC) $(CPPFLAGS) $(WITH) $(CFLAGS) -c $< -o $@

# The words of the glossary, for 'heddle help WORD'.
$(BUILD)/$(GLOSSARY_TEXT).c: docs/glossary.md scripts/glossary.awk
	@mkdir -p $(@D)
	$(call quiet,EMBED,$@)awk -f scripts/glossary.awk $< >$@
$(BUILD)/$(GLOSSARY_TEXT).o: $(BUILD)/$(GLOSSARY_TEXT).c $(COMPILE)
	$(call quiet,CC,$<)$(CC) $(CPPFLAGS) $(WITH) $(CFLAGS) -c $< -o $@

$(BUILD)/libheddle.a: $(LIB_OBJ) $(LINK)
	@rm -f $@
	$(call quiet,AR,$@)$(AR) rcs $@ $(LIB_OBJ)

$(BUILD)/libheddle.so: $(LIB_OBJ) $(LINK)
	$(call quiet,LD,$@)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -o $@.$(VERSION) $(LIB_OBJ) $(LDLIBS)
	@ln -sf libheddle.so.$(VERSION) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $@

# All of the library, and its public functions exported: plug-ins (--plugin) call them in the command itself.
$(BUILD)/heddle: $(CLI_OBJ) $(LIB_OBJ) $(LINK)
	$(call quiet,LD,$@)$(CC) $(LDFLAGS) -pie -rdynamic -o $@ $(CLI_OBJ) $(LIB_OBJ) $(LDLIBS) -ldl

# The same main and library, with comm_mpi.o in place of the library's comm.o. The wrapper must call the compiler that
# made the rest, or two OpenMP runtimes would meet: Open MPI and MPICH take its name from the environment.
MPI_WITH_CC := OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
MPI_OBJ := $(BUILD)/src/base/comm_mpi.o
$(MPI_OBJ): $(BUILD)/%.o: %.c $(COMPILE) $(BUILD)/flags/mpi
	@mkdir -p $(@D)
	$(call quiet,MPICC,$<)$(MPI_WITH_CC) $(CPPFLAGS) -Isrc $(filter-out -Wpedantic,$(CFLAGS)) -c $< -o $@
$(BUILD)/heddle-mpi: $(CLI_OBJ) $(MPI_OBJ) $(LIB_OBJ) $(LINK) $(BUILD)/flags/mpi
	$(call quiet,LD,$@)$(MPI_WITH_CC) $(LDFLAGS) -pie -rdynamic -o $@ $(CLI_OBJ) $(MPI_OBJ) \
	    $(filter-out $(BUILD)/src/base/comm.o,$(LIB_OBJ)) $(LDLIBS) -ldl

# The plug-in is loaded into OpenSM, which has the symbols that it uses; it takes nothing of the library but the reader of
# its options. What computes is the worker, a program of its own. OpenSM unloads plug-ins before it ends; a thread that is
# stuck in a file system may still be in its code (plugin_fallback.c), so that stays (nodelete).
$(OPENSM_OBJ): private WITH += -Isrc -D_GNU_SOURCE -isystem $(OPENSM_INCLUDE)
$(OPENSM_OBJ): $(BUILD)/flags/opensm
$(BUILD)/libheddle-opensm.so: $(PLUGIN_OBJ) $(LINK)
	$(call quiet,LD,$@)$(CC) $(SANITIZE) $(HARDEN_LDFLAGS) $(filter --coverage,$(LDFLAGS)) -shared -Wl,-soname,$(@F) \
	    -Wl,-z,nodelete -o $@ $(PLUGIN_OBJ)
$(BUILD)/heddle-opensm-worker: $(WORKER_OBJ) $(LIB_OBJ) $(LINK)
	$(call quiet,LD,$@)$(CC) $(LDFLAGS) -pie -o $@ $(WORKER_OBJ) $(LIB_OBJ) $(LDLIBS)

# The extension module holds the library, so that the package is whole wherever it is copied. It is for every Python 3.7 or
# later; its source is made from the public headers.
$(BUILD)/python/_heddle.c: python/binding.py $(wildcard include/*.h include/heddle/*.h) $(BUILD)/flags/python
	@mkdir -p $(@D)
	$(call quiet,CFFI,$@)$(PYTHON) python/binding.py include $@
$(PYTHON_MODULE): $(BUILD)/python/_heddle.c $(BUILD)/libheddle.a $(LINK)
	@mkdir -p $(@D)
	$(call quiet,LD,$@)$(CC) -std=c11 -O1 -fPIC -DPy_LIMITED_API=0x03070000 $(CPPFLAGS) \
	    -isystem $(shell $(PYTHON) scripts/has-python --include) $(LDFLAGS) -shared -o $@ $< $(BUILD)/libheddle.a $(LDLIBS)
$(BUILD)/python/heddle/%: python/heddle/%
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/heddle.pc: scripts/heddle.pc.in $(LINK)
	@mkdir -p $(@D)
	@sed 's|@version@|$(VERSION)|; s|@libs@|$(LDLIBS) -fopenmp|' $< > $@

# ---- the README's commands ------------------------------------------------------------------------
# All processors, unless -j says how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
building = [ -x $(BUILD)/$(1) ] || echo "heddle: building, a minute or two"
demo:
	@scripts/setup demo
	@$(call building,heddle)
	@$(MAKE) --no-print-directory -s $(PARALLEL) all
	@scripts/demo $(BUILD)

check:
	@scripts/setup check
	@$(call building,tests/unit/test_base)
	@$(MAKE) --no-print-directory -s $(PARALLEL) all test-programs
	@tests/run $(BUILD)

# A part (JOBS, QUICK) writes its results to bench/part. A peer that cannot be installed or built becomes a row that
# says so.
bench:
	@scripts/setup bench || true
	@$(MAKE) --no-print-directory -s all
	@$(MAKE) --no-print-directory -s -k $(BENCH_BIN) $(BUILD)/tests/bench/peer_simgrid || true
	@python3 tests/bench/run.py $(BUILD) --jobs='$(value JOBS)' $(if $(QUICK),--quick) $(if $(REPS),--reps $(REPS))

# ---- tests ------------------------------------------------------------------------------------------
test-programs: $(TEST_BIN) $(FUZZ_BIN) $(BENCH_BIN) $(INJECT_BIN) $(BUILD)/examples/minimal

# igraph is an oracle of these.
IGRAPH_TESTS := $(BUILD)/tests/unit/test_matching $(BUILD)/tests/unit/test_worst $(BUILD)/tests/unit/test_pair_cover \
    $(BUILD)/tests/bench/ref_worst
$(IGRAPH_TESTS): private WITH += $(call foreign,igraph)
$(IGRAPH_TESTS): private LIBS := -ligraph
$(IGRAPH_TESTS): $(BUILD)/flags/igraph

# One source and its headers make a program; those it includes are in PROGRAM.d.
PROGRAM = $(CC) $(CPPFLAGS) $(WITH) $(CFLAGS) -MT $@ -MF $@.d $< -o $@ $(LDFLAGS)
$(BUILD)/tests/unit/% $(BUILD)/tests/prop/% $(BUILD)/tests/fuzz/%: private WITH += -Isrc -Itests/unit
$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/libheddle.a $(COMPILE) $(LINK) $(BUILD)/flags/cmocka
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(PROGRAM) $(LIBS) $(BUILD)/libheddle.a -lcmocka $(LDLIBS)
$(BUILD)/tests/prop/%: tests/prop/%.c $(BUILD)/libheddle.a $(COMPILE) $(LINK) $(BUILD)/flags/cmocka
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(PROGRAM) $(BUILD)/libheddle.a -lcmocka $(LIBS) $(LDLIBS)
# The papers are part of the command, not of the library.
PAPER_OBJ := $(filter $(BUILD)/src/papers/%,$(CLI_OBJ))
$(BUILD)/tests/unit/test_paper: $(PAPER_OBJ)
$(BUILD)/tests/unit/test_paper: private LIBS := $(PAPER_OBJ)
# Programs of `make bench`: references and peers share nothing with the library; kernel is our side.
$(BUILD)/tests/bench/kernel: tests/bench/kernel.c $(BUILD)/libheddle.a $(COMPILE) $(LINK)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(PROGRAM) $(BUILD)/libheddle.a $(LDLIBS)
$(BUILD)/tests/bench/%: tests/bench/%.c $(COMPILE) $(LINK)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(PROGRAM) $(LIBS) $(LDLIBS)
$(BUILD)/tests/bench/peer_simgrid: private LIBS := -lsimgrid

# Failing calls: the command and a program that calls the library, both with arenas in which every request is an
# allocation of its own and with small buffers, and the shim that is preloaded into them.
INJECT_SMALL := $(addprefix $(BUILD)/tests/inject/,arena.o out.o)
INJECT_OBJ := $(INJECT_SMALL) $(filter-out $(INJECT_SMALL:$(BUILD)/tests/inject/%=$(BUILD)/src/base/%),$(LIB_OBJ))
$(INJECT_SMALL): $(BUILD)/tests/inject/%.o: src/base/%.c $(COMPILE)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(CC) $(CPPFLAGS) -Isrc -DHD_ARENA_CHUNK=0 $(SMALL_OUT) $(CFLAGS) -c $< -o $@
$(BUILD)/tests/inject/heddle: $(CLI_OBJ) $(INJECT_OBJ) $(LINK)
	$(call quiet,LD,$@)$(CC) $(LDFLAGS) -rdynamic -o $@ $(CLI_OBJ) $(INJECT_OBJ) $(LDLIBS) -ldl
LIBRARY_CASES := $(addprefix $(BUILD)/tests/inject/,library_fabric.o library_jobs.o)
$(BUILD)/tests/inject/library: tests/inject/library.c $(LIBRARY_CASES) $(INJECT_OBJ) $(COMPILE) $(LINK)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(PROGRAM) -rdynamic $(LIBRARY_CASES) $(INJECT_OBJ) $(LDLIBS) -ldl
$(BUILD)/tests/inject/shim.so: tests/inject/shim.c tests/inject/inject.h $(COMPILE)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(CC) -std=c11 -O2 -g $(WARN) -Wno-pedantic -shared -fPIC $< -o $@ -ldl

# Fuzz targets run their corpus in make check; `make fuzz` builds the same files for libFuzzer.
$(BUILD)/tests/fuzz/%: tests/fuzz/%.c $(BUILD)/libheddle.a $(COMPILE) $(LINK)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(PROGRAM) -DRUN_CORPUS $(BUILD)/libheddle.a $(LDLIBS)
# As an outsider would: public headers and the shared library only.
$(BUILD)/examples/minimal: examples/minimal.c $(BUILD)/libheddle.so
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(CC) -Iinclude -std=c11 $(WARN) $(SANITIZE) $< -o $@ -L$(BUILD) -lheddle -Wl,-rpath,'$$ORIGIN/..'

# The library is compiled once for all targets; only they bring libFuzzer's main.
FUZZ_OBJ := $(LIB_SRC:%.c=build-fuzz/%.o) build-fuzz/$(PAGE_TEXT).o
FUZZERS := $(FUZZ_SRC:tests/fuzz/%.c=build-fuzz/%)
fuzz: $(FUZZERS)
	$(if $(HOURS),@scripts/fuzz build-fuzz $(shell awk 'BEGIN { n = int($(HOURS) * 3600 / $(words $(FUZZERS))); print n ? n : 1 }'))
.SECONDARY: $(FUZZ_OBJ)
build-fuzz/src/%.o: src/%.c build-fuzz/flags/fuzz
	@mkdir -p $(@D)
	$(call quiet,CC,$<)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c $< -o $@
build-fuzz/$(PAGE_TEXT).o: build-fuzz/$(PAGE_TEXT).c build-fuzz/flags/fuzz
	$(call quiet,CC,$<)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c $< -o $@
build-fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_OBJ)
	$(call quiet,CC,$<)clang $(FUZZ_FLAGS) -MT $@ -MF $@.d -fsanitize=fuzzer,address,undefined $< $(FUZZ_OBJ) -o $@ $(filter-out -lClp -lCoinUtils -lmetis,$(LDLIBS))

TIME ?= 60
soak: fuzz $(addprefix $(BUILD)/tests/prop/prop_,order faults keep transition) $(INJECT_BIN)
	@scripts/soak $(BUILD) build-fuzz $(TIME)

# ---- figures of the tests, and other builds -----------------------------------------------------------
# Each is a build of its own in its own folder, by make itself; a change of flags rebuilds there and nowhere else.
OTHER = $(MAKE) --no-print-directory -s HAVE_MPI= PYTHON= BENCH_BIN= INJECT_BIN= HARDEN=
# Counters of gcov; atomic, or threads would lose counts.
COUNTED = $(OTHER) BUILD=build-cov OPT=-O0 CFLAGS='--coverage -fprofile-update=atomic -DHD_COUNTED' LDFLAGS=--coverage \
    HAVE_MPI='$(HAVE_MPI)' INJECT_BIN='$(INJECT_BIN:$(BUILD)/%=build-cov/%)'
coverage:
	@scripts/setup coverage
	@$(COUNTED) all test-programs
	@KEEP='$(KEEP)' scripts/coverage build-cov $(TESTS)

# gcc's runtime of OpenMP looks like races to ThreadSanitizer; clang's tells it what is none (libarcher).
tsan:
	@$(OTHER) BUILD=build-tsan CC=clang OPT=-O1 SANITIZE=-fsanitize=thread CFLAGS='-fsanitize=thread -DHD_ARENA_CHUNK=0' \
	    build-tsan/heddle build-tsan/libheddle.a test-programs
	@TSAN_OPTIONS='ignore_noninstrumented_modules=1 halt_on_error=1' OMP_NUM_THREADS=4 tests/run build-tsan $(or $(TESTS),unit/ prop/)

analyze:
	@scripts/setup coverage
	@scripts/analyze build-analyze $(or $(TOOLS),gcc tidy cppcheck)

cross:
	@scripts/setup cross
	@scripts/cross s390x
	@scripts/cross i386

# Test programs are chosen by the lines that they run in the build with counters.
COUNT ?= 200
SEED  ?= 1
mutants: test-programs
	@$(COUNTED) test-programs
	@python3 tests/mutants/mutants.py $(BUILD) --reach build-cov --count $(COUNT) --seed $(SEED) --jobs $(shell nproc) \
	    $(if $(FILES),--files '$(FILES)') $(if $(SECONDS),--seconds $(SECONDS)) $(if $(AGAIN),--again) \
	    $(if $(GOLDEN),--golden)

# ---- generated documents --------------------------------------------------------------------------
docs: $(BUILD)/heddle
	scripts/docs $(BUILD)
# docs/results.md: all papers at full size, many minutes; tests compare the quick part of it.
results: $(BUILD)/heddle
	scripts/docs $(BUILD) results

site:
	@for p in python3 /usr/bin/python3; do $$p -c 'import markdown' 2>/dev/null && break; done; $$p scripts/site $(BUILD)/site

accept: $(BUILD)/heddle $(BUILD)/tests/prop/prop_routes $(if $(INSTRUCTIONS),$(BUILD)/tests/bench/kernel)
	HEDDLE_MATRIX=print $(BUILD)/tests/prop/prop_routes >$(BUILD)/matrix.txt
	@mv $(BUILD)/matrix.txt tests/prop/matrix.txt
	scripts/docs $(BUILD)
	$(if $(INSTRUCTIONS),tests/bench/instructions.sh --write $(BUILD))
	@git --no-pager diff --stat -- tests/prop/matrix.txt tests/bench/instructions.txt README.md docs 2>/dev/null || true

# ---- install ----------------------------------------------------------------------------------------
install: all
	$(call quiet,INST,$(DESTDIR)$(prefix))scripts/install $(BUILD) "$(DESTDIR)" "$(prefix)" "$(libdir)" $(VERSION) "$(PYTHON_DIR)"

# Packages for this machine, from a copy of the sources; objects are kept for the next time.
deb:
	@scripts/setup deb
	@scripts/deb $(BUILD)

wheel: $(if $(PYTHON),$(PYTHON_FILES))
	@scripts/wheel $(BUILD) '$(or $(PYTHON),$(error make wheel needs python3-cffi, python3-dev and python3-numpy))'

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build build-*

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(OPENSM_OBJ:.o=.d) $(MPI_OBJ:.o=.d) $(INJECT_SMALL:.o=.d) $(LIBRARY_CASES:.o=.d) $(addsuffix .d,$(TEST_BIN) $(FUZZ_BIN) $(BENCH_BIN) $(FUZZERS) $(INJECT_BIN)) $(FUZZ_OBJ:.o=.d)
