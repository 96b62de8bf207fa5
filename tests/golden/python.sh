#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The package for Python, by its own tests; each of them is a result here.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
if [ ! -e "$HEDDLE_BUILD/python/heddle/_heddle.abi3.so" ]; then
    skip "the package for Python" "not built: python3-cffi, python3-numpy or python3-dev is missing"
    finish
fi
python=$(cut -d ' ' -f 1 "$HEDDLE_BUILD/flags/python")
if ! "$python" -c 'import pytest, pandas, networkx' 2>/dev/null; then
    skip "the package for Python" "python3-pytest, python3-pandas or python3-networkx is not installed"
    finish
fi
PYTHONPATH=$HEDDLE_BUILD/python PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -p no:cacheprovider -v --tb=short --color=no \
    python/tests >"$tmp/log" 2>&1
status=$?
while read -r name result _; do
    case $result in
    PASSED) pass "${name##*::}" ;;
    SKIPPED) skip "${name##*::}" "see its test" ;;
    *) fail "${name##*::}" "$(grep -A 40 -F "${name##*::}" "$tmp/log" | grep -m 8 -E '^E |^python|Error')" ;;
    esac
done < <(grep -E '^python/tests/.*::.* (PASSED|FAILED|ERROR|SKIPPED)' "$tmp/log")
if [ "$tap_n" = 0 ]; then fail "tests are found" "$(tail -n 5 "$tmp/log")"; fi
same "the tests end" 0 $status
finish
