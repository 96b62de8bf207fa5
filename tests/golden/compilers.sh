#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Compilers and the build itself. Every compiler that is installed beside the one that built the rest accepts the sources,
# warnings as errors; whole builds by clang and by gcc 11, the oldest supported, link, run and say the same. In the tree of
# the clang build: a change of flags or libraries rebuilds what depends on it and nothing else.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL WERROR
version=$(dpkg-parsechangelog -l debian/changelog -S Version)
folders=$(find src -name '*.c' ! -name comm_mpi.c ! -path 'src/opensm/*' -printf '%h\n' | sort -u)
# accepts COMPILER FOLDER...: all its sources compile, as far as warnings go. A clang without an OpenMP of its own borrows
# a header: only the declarations matter here.
mkdir "$tmp/omp"
cp "$(find /usr/lib/llvm-*/lib/clang/*/include -name omp.h | head -n 1)" "$tmp/omp/"
accepts() {
    local cc=$1 files; shift
    files=$(find "$@" -maxdepth 1 -name '*.c' ! -name comm_mpi.c)
    # shellcheck disable=SC2086
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -fopenmp -fsyntax-only -Iinclude -Isrc -Isrc/cli -Isrc/papers -idirafter "$tmp/omp" \
        -D_XOPEN_SOURCE=700 -DHD_VERSION="\"$version\"" $flags $files
}
flags=
for folder in $folders; do
    check "clang accepts $folder" accepts clang "$folder"
done
if [ -e /usr/include/infiniband/opensm/osm_version.h ]; then
    flags="-D_GNU_SOURCE -isystem /usr/include/infiniband" check "clang accepts src/opensm" accepts clang src/opensm
else
    skip "clang accepts src/opensm" "libopensm-dev is not installed"
fi
# shellcheck disable=SC2086
for cc in $(cd /usr/bin && ls gcc-[1-9][0-9] clang-[1-9][0-9] 2>/dev/null); do
    [ "${cc#*-}" -ge 11 ] || continue
    case $cc in clang-1[0-3]) continue ;; esac
    [ "$(readlink -f "$(command -v "$cc")")" = "$(readlink -f "$(command -v "${cc%-*}")")" ] || check "$cc accepts all sources" accepts "$cc" $folders
done

# ---- libraries that are not installed -------------------------------------------------------------------------------------
# optional NAME COMMAND...: what make decides about an optional library where the command finds no header and no .pc file.
optional() { local name=$1; shift; "$@" make -pn BUILD="$tmp/none" 2>/dev/null | sed -n "s/^${name}_CPPFLAGS := *//p"; }
printf '#!/bin/sh\nexec %s -nostdinc "$@"\n' "$(command -v gcc)" >"$tmp/bare-cc"
chmod +x "$tmp/bare-cc"
same "without its header METIS is left out" "" "$(optional METIS env CC="$tmp/bare-cc")"
same "without its file for pkg-config CLP is left out" "" "$(optional CLP env PKG_CONFIG_LIBDIR="$tmp")"
if printf '#include <metis.h>\n' | gcc -E - >/dev/null 2>&1; then
    same "with its header METIS is taken" -DHD_HAVE_METIS "$(optional METIS env)"
fi

# ---- whole builds -------------------------------------------------------------------------------------------------------
# build ARGUMENT...: make in the tree of the clang build; without the parts that other packages decide about.
build() { make -s -j"$(nproc)" CC=clang OPT=-O0 BUILD="$tmp/clang" HAVE_OPENSM= PYTHON= "$@"; }
check "a build by clang links" build all "$tmp/clang/examples/minimal" "$tmp/clang/tests/unit/test_bottleneck"
for program in heddle heddle-mpi; do
    [ $program = heddle ] || [ -x "$HEDDLE_BUILD/heddle-mpi" ] || { skip "$program built by clang" "no MPI compiler"; continue; }
    same "$program built by clang says the same" "$("$heddle" check torus:dims=4x4 lash)" "$("$tmp/clang/$program" check torus:dims=4x4 lash 2>&1)"
    same "$program has one OpenMP runtime" 1 "$(ldd "$tmp/clang/$program" | grep -cE 'libg?omp|libiomp')"
done
if command -v gcc-11 >/dev/null; then
    check "a build by gcc 11 links" make -s -j"$(nproc)" CC=gcc-11 OPT=-O0 WERROR=1 BUILD="$tmp/gcc" all
    same "and says the same" "$("$heddle" eval ft:m=8,n=3 dmodk -n 20)" "$("$tmp/gcc/heddle" eval ft:m=8,n=3 dmodk -n 20 2>&1)"
else
    skip "a build by gcc 11 links" "gcc-11 is not installed"
fi

# ---- what older compilers lack --------------------------------------------------------------------------------------------
# The closed form of trees without shuffled vectors, in place of the library's object: every sample bit by bit, with two
# and four bytes per channel number, one to five levels, and several paths per pair.
source=$(grep -rl HD_NO_SHUFFLE src --include='*.c')
libraries=$(sed -n 's/^Libs.private: //p' "$tmp/clang/heddle.pc")
command=$(find "$tmp/clang/src" -name '*.o' ! -name comm_mpi.o | grep -vF "$(ar t "$tmp/clang/libheddle.a" | sed 's|^|/|')") # not in the library
flags="-std=c11 -O1 -fopenmp -Iinclude -Isrc -Itests/unit -D_XOPEN_SOURCE=700"
# shellcheck disable=SC2086
{
    check "the plain path compiles" clang $flags -Wall -Wextra -Wpedantic -Werror -DHD_NO_SHUFFLE -c "$source" -o "$tmp/plain.o"
    check "and links" clang -fopenmp $command "$tmp/plain.o" "$tmp/clang/libheddle.a" $libraries -o "$tmp/plain"
    check "and into its unit test" clang $flags tests/unit/test_bottleneck.c "$tmp/plain.o" "$tmp/clang/libheddle.a" -lcmocka $libraries -o "$tmp/test_plain"
}
check "which passes" "$tmp/test_plain"
for job in "ft:m=8,n=1 dmodk" "ft:m=8,n=2 smodk" "pgft:m=4x4x4,w=1x4x4,p=1x1x1 dmodk" "kary:k=2,n=5 dmodk" "ft:m=8,n=3 wsr" "ft:m=48,n=3 dmodk"; do
    # shellcheck disable=SC2086
    same "plain path, every sample: $job" "$("$heddle" eval $job -n 50 --samples - | md5sum)" "$("$tmp/plain" eval $job -n 50 --samples - 2>&1 | md5sum)"
done

# ---- rebuilding what depends on a change, and nothing else -----------------------------------------------------------------
# compiled, linked ARGUMENT...: how many sources make would compile, which programs and libraries it would link.
plan() { build -n V=1 "$@" all; }
compiled() { plan "$@" | grep -c -- ' -c '; }
linked() { plan "$@" | grep -v -- ' -c ' | grep -oE "(-o|rcs) $tmp/clang/[a-z.-]+" | sed 's|.*/||; s/\.so\..*/.so/' | sort | xargs; }
sources=$(find "$tmp/clang/src" -name '*.o' | wc -l)
mpi=
[ -x "$tmp/clang/heddle-mpi" ] && mpi="heddle-mpi "
all="heddle ${mpi}libheddle.a libheddle.so"
same "nothing is left to do after a build" "" "$(build -n all "$tmp/clang/tests/unit/test_bottleneck" | grep -v "rm -r\?f .*\(heddle-mpi\|heddle-opensm\|python\)")"
same "another optimization compiles all sources" "$sources" "$(compiled OPT=-O1)"
same "so do further flags" "$sources" "$(compiled CFLAGS=-DNDEBUG)"
same "another compiler does" "$sources" "$(compiled CC=gcc)"
same "another library links all and compiles nothing" "0, $all" "$(compiled LDLIBS=-ldl), $(linked LDLIBS=-ldl)"
same "a header compiles the tests that include it" 1 "$(build -n V=1 -W tests/unit/testing.h "$tmp/clang/tests/unit/test_bottleneck" | grep -c test_bottleneck.c)"
same "and no others" "" "$(build -n V=1 -W tests/unit/markup.h "$tmp/clang/tests/unit/test_bottleneck")"
same "warnings are no errors" "" "$(plan -B | grep -- -Werror)"
same "but with WERROR=1" "$sources" "$(plan WERROR=1 | grep -c -- '-Werror.* -c ')"
same "make install takes what was built" "" "$(make -n V=1 BUILD="$tmp/clang" install DESTDIR="$tmp/none" | grep -E -- ' -o | -c ')"
if ldd "$tmp/clang/heddle" | grep -q libmetis; then
    same "one source depends on METIS, and all that is linked" "1, $all" "$(compiled HAVE_METIS=), $(linked HAVE_METIS=)"
else
    skip "one source depends on METIS" "METIS is not installed"
fi
if ldd "$tmp/clang/heddle" | grep -q libClp; then
    same "one source depends on CLP, and all that is linked" "1, $all" "$(compiled HAVE_CLP=), $(linked HAVE_CLP=)"
    check "a build without CLP in a tree built with it" build HAVE_CLP= HAVE_MPI= all
    same "links without" "" "$(ldd "$tmp/clang/heddle" | grep libClp)"
    check "and leaves no heddle-mpi" test ! -e "$tmp/clang/heddle-mpi"
    check "a build with CLP in a tree built without" build all
    check "links it" sh -c "ldd '$tmp/clang/heddle' | grep -q libClp"
else
    skip "one source depends on CLP" "CLP is not installed"
fi
for target in $(sed -n 's/^\.PHONY: //p' Makefile); do
    case $target in all | help | no-* | force) continue ;; esac
    check "make help names $target" sh -c "make help | grep -q '^make $target '"
done
finish
