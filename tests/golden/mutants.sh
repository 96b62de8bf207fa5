#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A few changes of the sources, each of which the test named beside it in tests/mutants/sample.txt notices: a test that
# has become weaker shows here. `make mutants` tries hundreds.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
if grep -qaE '__asan_init|__tsan_init|__gcov_' "$heddle"; then
    skip "changes of the sources are noticed" "the flags of this build belong to its own make"
    finish
fi
exec python3 tests/mutants/mutants.py "${HEDDLE_BUILD#"$PWD"/}" --sample
