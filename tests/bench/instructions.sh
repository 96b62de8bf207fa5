#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Instructions of the hot kernels, counted by callgrind, stay below tests/bench/instructions.txt: a slip shows
# without a clock. A kernel is run once and twice; the difference is one run, without start-up.
#     tests/bench/instructions.sh --count BUILD      prints what they take now, one line per kernel: name, tab, count
#     tests/bench/instructions.sh --write BUILD      writes new bounds: 1.15 times that
cd "$(dirname "$0")/../.." || exit 1
bounds=tests/bench/instructions.txt
[ -n "${1:-}" ] && HEDDLE_BUILD=$PWD/${2:-build}
kernel=$HEDDLE_BUILD/tests/bench/kernel
# count TIMES ARGUMENT...: instructions of the whole program; its line of figures goes to $tmp/figures.
count() {
    local times=$1; shift
    OMP_NUM_THREADS=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$kernel" -r "$times" "$@" 2>"$tmp/grind" >"$tmp/figures"
    sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$tmp/grind"
}
# per_unit UNIT ARGUMENT...: instructions a unit of work.
per_unit() {
    local unit=$1 one two; shift
    one=$(count 1 "$@") two=$(count 2 "$@")
    python3 - "$unit" "$one" "$two" "$tmp/figures" <<'END'
import json, sys
unit, one, two, path = sys.argv[1:]
figures = json.load(open(path))
assert figures["unit"] == unit, f"the kernel counts {figures['unit']}, not {unit}"
print(f"{(int(two) - int(one)) / (figures['work'] / 2):.3f}")
END
}
# within VALUE BOUND: the test itself.
within() { awk -v v="$1" -v b="$2" 'BEGIN { exit !(v > 0 && v <= b) }'; }

# counted: every kernel's name and count.
counted() {
    while IFS=$'\t' read -r name unit _ arguments; do
        case $name in '#'* | '') continue ;; esac
        # shellcheck disable=SC2086
        value=$(per_unit "$unit" $arguments) || exit 1
        printf '%s\t%s\n' "$name" "$value"
    done <$bounds
}

if [ -n "${1:-}" ]; then
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    counted >"$tmp/counts" || exit 1
    case $1 in
    --count) cat "$tmp/counts" ;;
    --write)
        awk -F'\t' -v OFS='\t' 'NR == FNR { count[$1] = $2; next } $1 in count { $3 = sprintf("%.2f", 1.15 * count[$1]) } 1' \
            "$tmp/counts" $bounds >"$tmp/new" && cp "$tmp/new" $bounds ;;
    *) echo "usage: tests/bench/instructions.sh [--count|--write BUILD]" >&2; exit 2 ;;
    esac
    exit
fi

. tests/tap.sh
case $HEDDLE_BUILD in *-san) skip "instructions of the hot kernels" "callgrind cannot run a build with sanitizers"; finish ;; esac
command -v valgrind >/dev/null || { skip "instructions of the hot kernels" "valgrind is not installed"; finish; }
while IFS=$'\t' read -r name unit bound arguments; do
    case $name in '#'* | '') continue ;; esac
    # shellcheck disable=SC2086
    value=$(per_unit "$unit" $arguments)
    if within "$value" "$bound"; then pass "$name: $value instructions for one of its $unit, at most $bound"
    else fail "$name: at most $bound instructions for one of its $unit" "it takes $value" "see where: valgrind --tool=callgrind $kernel $arguments"; fi
    # A bound far above the count would let anything pass.
    if within "$value" "$(awk -v b="$bound" 'BEGIN { print b / 1.5 }')"; then
        fail "$name: the bound is near" "it takes $value, the bound is $bound" "count again: make accept INSTRUCTIONS=1"
    else pass "$name: the bound is near"; fi
done <$bounds
finish
