#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The reference programs of `make bench` share nothing with the library, so they are oracles of it: bisection
# bandwidth of the same pairs, forwarding index, tables of psssp byte by byte, credit loops, worst cases.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
programs=$HEDDLE_BUILD/tests/bench
answer() { sed -n 's/.*"answer": "\([^"]*\)".*/\1/p'; }
# equal NAME A B: the same number, to nine digits.
equal() {
    if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a - b < 1e-9 && b - a < 1e-9) }'; then pass "$1"
    else fail "$1" "reference: $2" "heddle:    $3"; fi
}
value() { "$heddle" eval "$@" --json | sed -n 's/.*"value": \([^,]*\),.*/\1/p'; }
dump() { "$programs/kernel" dump "$1" "$2" "$tmp/plain" >/dev/null; }

# Bisection bandwidth: the reference draws the pairs and writes them down, heddle reads them.
for case in "gft:n=4,m=4,r=8 4x8 1x4 1x1" "xgft:m=3x4x5,w=1x3x2 3x4x5 1x3x2 1x1x1" "pgft:m=6x6x4,w=1x6x2,p=1x1x3 6x6x4 1x6x2 1x1x3" \
    "pgft:m=12x12,w=1x6,p=1x2 12x12 1x6 1x2"; do
    read -r net m w p <<<"$case"
    for seed in 1 2 3; do
        equal "ebb of $net by closed form, seed $seed" "$("$programs/ref_ebb_tree" "$m" "$w" "$p" 1 $seed "$tmp/pairs" | answer)" \
            "$(value "$net" dmodk -p "file:path=$tmp/pairs" -m ebb)"
    done
done
for case in "xgft:m=3x4x5,w=1x3x2 dmodk" "ft:m=8,n=3 psssp" "torus:dims=4x4,hosts=2 dor" "random:switches=20,ports=12,hosts=4 psssp" "deimos minhop"; do
    read -r net table <<<"$case"
    dump "$net" "$table"
    for seed in 1 2; do
        equal "ebb of $net $table, seed $seed" "$("$programs/ref_ebb" "$tmp/plain" 1 $seed "$tmp/pairs" | answer)" \
            "$(value "$net" "$table" -p "file:path=$tmp/pairs" -m ebb)"
    done
    equal "efi of $net $table" "$("$programs/ref_efi" "$tmp/plain" | answer)" "$(value "$net" "$table" -m efi)"
    [ -x "$programs/ref_worst" ] && equal "worst of $net $table" "$("$programs/ref_worst" "$tmp/plain" | answer)" "$(value "$net" "$table" -m worst)"
done

# psssp: Dijkstra's algorithm gives the same table.
for net in gft:n=4,m=4,r=8 ft:m=8,n=3 pgft:m=6x6x4,w=1x6x2,p=1x1x3 torus:dims=5x3,hosts=2 random:switches=20,ports=12,hosts=4 deimos; do
    dump "$net" psssp
    check "psssp of $net: every entry as Dijkstra's" "$programs/ref_sssp" "$tmp/plain" check
done
dump ft:m=8,n=3 minhop
exits "another table is told from it" 1 "^[0-9]+ entries differ" "$programs/ref_sssp" "$tmp/plain" check

# Credit loops, of tables that have them and tables that have none.
for case in "free ft:m=8,n=3 dmodk" "loop torus:dims=5x5,hosts=1 minhop" "loop torus:dims=4x4,hosts=2 psssp" \
    "free random:switches=20,ports=12,hosts=4 updown" "loop random:switches=20,ports=12,hosts=4 psssp" \
    "free mesh:dims=4x4,hosts=1 dor" "free torus:dims=5,hosts=1 updown"; do
    read -r verdict net table <<<"$case"
    dump "$net" "$table"
    same "credit loops of $net $table" "$verdict $verdict" \
        "$("$programs/ref_deps" "$tmp/plain" | answer) $("$programs/kernel" check "$net" "$table" | answer)"
done
finish
