#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Static analysis by gcc and cppcheck finds nothing in the sources that is not known; clang-tidy, which takes longer, reads
# every 32nd file here and what changed last, and all of them in `make analyze`. Other versions warn of other things, so
# the list is for one of each.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
version=12
case $(gcc -dumpversion 2>/dev/null) in
$version | $version.*) check "gcc -fanalyzer" scripts/analyze "$HEDDLE_BUILD/analyze" gcc ;;
*) skip "gcc -fanalyzer" "what is known is known of gcc $version" ;;
esac
case $(cppcheck --version 2>/dev/null) in
"Cppcheck 2.10"*) check "cppcheck" scripts/analyze "$HEDDLE_BUILD/analyze" cppcheck ;;
*) skip "cppcheck" "what is known is known of cppcheck 2.10" ;;
esac
case $(clang-tidy --version 2>/dev/null) in
*"LLVM version 14."*) check "clang-tidy of every 32nd file" env PART=0/32 scripts/analyze "$HEDDLE_BUILD/analyze" tidy ;;
*) skip "clang-tidy of every 32nd file" "what is known is known of LLVM 14" ;;
esac
finish
