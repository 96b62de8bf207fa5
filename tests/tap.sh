# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the shell tests: results as TAP, each check with what was expected and what came.
heddle=${HEDDLE_COMMAND:-$HEDDLE_BUILD/heddle}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# A sanitized rank answers for our leaks, not for Open MPI's, and only a whole call stack shows whose it is.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}fast_unwind_on_malloc=0"
export LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}suppressions=$PWD/tests/openmpi.supp:print_suppressions=0"
tap_n=0
pass() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1"; }
fail() { tap_n=$((tap_n + 1)); echo "not ok $tap_n - $1"; shift; for line in "$@"; do echo "#   $line"; done; }
skip() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1 # SKIP $2"; }
# check NAME COMMAND...: passes when the command succeeds.
check() {
    local name=$1 out; shift
    if out=$("$@" 2>&1); then pass "$name"; else fail "$name" "command: $*" "$(printf '%s' "$out" | tail -n 5)"; fi
}
# same NAME EXPECTED ACTUAL: two strings must be equal.
same() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected: $2" "got:      $3"; fi; }
# exits NAME CODE PATTERN COMMAND...: exit code, and standard error in one line matching PATTERN.
exits() {
    local name=$1 code=$2 pattern=$3 rc=0 lines; shift 3
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || rc=$?
    lines=$(wc -l <"$tmp/err")
    if [ $rc != "$code" ]; then fail "$name" "command: $*" "exit code $rc, expected $code" "$(head -n 3 "$tmp/err")"
    elif ! grep -qE -- "$pattern" "$tmp/err"; then fail "$name" "command: $*" "expected message: $pattern" "got: $(head -n 3 "$tmp/err")"
    elif [ "$code" -ge 2 ] && [ "$lines" != 1 ]; then fail "$name" "command: $*" "expected one line, got $lines"
    else pass "$name"; fi
}
# limit KBYTES: of address space, in a subshell; sanitizers reserve terabytes of it.
sanitized() { grep -qa __asan_init "$heddle"; }
limit() { sanitized || ulimit -v "$1"; }
# judge NET TABLE KEY...: exit status and values of check --json; null is None, and a key that is not there is said. Options
# of check: $options.
judge() {
    local net=$1 table=$2; shift 2
    # shellcheck disable=SC2086
    "$heddle" check "$net" "$table" ${options:-} --json >"$tmp/json" 2>"$tmp/notes"
    echo "$? $(python3 -c 'import functools, json, sys
j = json.load(open(sys.argv[1]))
get = lambda o, k: o[k] if isinstance(o, dict) and k in o else "no " + k
print(*(functools.reduce(get, key.split("."), j) for key in sys.argv[2:]))' "$tmp/json" "$@")"
}
finish() { echo "1..$tap_n"; exit 0; }
