#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Clean with clang as well as gcc (which built the rest), warnings as errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
version=$(dpkg-parsechangelog -l debian/changelog -S Version)
for folder in src src/*/; do
    check "clang is content with ${folder%/}" sh -c "clang -std=c11 -Wall -Wextra -Wpedantic -Werror -fopenmp -fsyntax-only -Iinclude -Isrc -Isrc/cli -D_XOPEN_SOURCE=700 \
        -DHD_VERSION='\"$version\"' \$(ls ${folder%/}/*.c | grep -v comm_mpi)"
done
finish
