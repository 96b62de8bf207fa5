#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/run counts what test programs print: passed, failed, skipped.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
fake=$(realpath --relative-to=. "$tmp")
mkdir -p "$fake/tests/unit"
# ran STATUS LINE...: the last line of a run of a program that prints these lines, and what it says was skipped.
ran() {
    printf '#!/bin/sh\ncat <<END\n%s\nEND\nexit %s\n' "$(printf '%s\n' "${@:2}")" "$1" >"$fake/tests/unit/test_sim"
    chmod +x "$fake/tests/unit/test_sim"
    tests/run "$fake" unit/test_sim >"$tmp/out" 2>&1
    echo "$? $(tail -n 1 "$tmp/out")$(grep -m 1 '^skipped' "$tmp/out" | sed 's/^/; /')"
}
same "all pass" "0 2 passed, 0 failed" "$(ran 0 1..2 'ok 1 - one' 'ok 2 - two')"
same "one fails" "1 1 passed, 1 failed" "$(ran 1 1..2 'ok 1 - one' 'not ok 2 - two')"
same "a script skips one" "0 1 passed, 0 failed, 1 skipped; skipped: tests/unit/test_sim: two # SKIP why" "$(ran 0 1..2 'ok 1 - one' 'ok 2 - two # SKIP why')"
same "cmocka skips one" "0 1 passed, 0 failed, 1 skipped; skipped: tests/unit/test_sim: two" "$(ran 0 1..2 'ok 1 - one' 'not ok 2 # SKIP two')"
same "cmocka skips one, in later versions" "0 1 passed, 0 failed, 1 skipped; skipped: tests/unit/test_sim: two" "$(ran 0 1..2 'ok 1 - one' 'ok 2 # SKIP two')"
same "one is skipped and one fails" "1 0 passed, 1 failed, 1 skipped; skipped: tests/unit/test_sim: two" "$(ran 1 1..2 'not ok 1 - one' 'not ok 2 # SKIP two')"
same "one is missing" "1 1 passed, 1 failed" "$(ran 0 1..2 'ok 1 - one')"
finish
