#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Static analysis by gcc finds nothing in the sources that is not known; clang-tidy and cppcheck, which take longer, are
# for `make analyze`. Other versions of gcc warn of other things, so the list is for one.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
version=12
case $(gcc -dumpversion 2>/dev/null) in
$version | $version.*) check "gcc -fanalyzer" scripts/analyze "$HEDDLE_BUILD/analyze" gcc ;;
*) skip "gcc -fanalyzer" "what is known is known of gcc $version" ;;
esac
finish
