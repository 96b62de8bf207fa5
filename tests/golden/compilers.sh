#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Clean with clang as well as gcc (which built the rest), warnings as errors; and a whole build by clang links and runs.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
version=$(dpkg-parsechangelog -l debian/changelog -S Version)
for folder in src src/*/; do
    check "clang is content with ${folder%/}" sh -c "clang -std=c11 -Wall -Wextra -Wpedantic -Werror -fopenmp -fsyntax-only -Iinclude -Isrc -Isrc/cli -D_XOPEN_SOURCE=700 \
        -DHD_VERSION='\"$version\"' \$(ls ${folder%/}/*.c | grep -v comm_mpi)"
done
check "a build by clang links" make -s CC=clang OPT=-O0 BUILD="$tmp/clang" all "$tmp/clang/examples/minimal"
for program in heddle heddle-mpi; do
    [ $program = heddle ] || [ -x "$HEDDLE_BUILD/heddle-mpi" ] || { skip "$program built by clang" "no MPI compiler"; continue; }
    same "$program built by clang says the same" "$("$heddle" check torus:dims=4x4 lash)" "$("$tmp/clang/$program" check torus:dims=4x4 lash 2>&1)"
    same "$program has one OpenMP runtime" 1 "$(ldd "$tmp/clang/$program" | grep -cE 'libg?omp|libiomp')"
done
finish
