#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The reference programs of `make bench` share nothing with the library, so they are oracles of it: bisection
# bandwidth of the same pairs, forwarding index, tables of psssp byte by byte, credit loops, worst cases, packets.
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

# Trees and their tables from the formulas, files as sscanf reads them.
for case in "gft:n=4,m=4,r=8 4x8 1x4 1x1" "xgft:m=3x4x5,w=1x3x2 3x4x5 1x3x2 1x1x1" "pgft:m=6x6x4,w=1x6x2,p=1x1x3 6x6x4 1x6x2 1x1x3" \
    "xgft:m=5,w=1 5 1 1"; do
    read -r net m w p <<<"$case"
    size=$("$programs/kernel" open "$net" | answer)
    same "ports of $net" "$size" "$("$programs/ref_tree" open "$m" "$w" "$p" | answer)"
    "$heddle" topo "$net" -q --format ibnet -o "$tmp/net.ibnet" >/dev/null
    same "$net from a file" "$size" "$("$programs/ref_ibnet" "$tmp/net.ibnet" | answer)"
    table=$("$programs/kernel" route "$net" dmodk | answer)
    same "dmodk of $net" "$table" "$("$programs/ref_tree" route "$m" "$w" "$p" | answer)"
    dump "$net" dmodc
    same "dmodc of $net" "$table" "$("$programs/ref_dmodc" "$tmp/plain" | answer)"
    "$heddle" route "$net" dmodk -q --format lft -o "$tmp/net.lft" >/dev/null
    same "entries of $net in a dump" "$(grep -c '^0x' "$tmp/net.lft") entries of ${size%% *} switches" \
        "$("$programs/ref_lft" "$tmp/net.lft" 1 | answer)"
done

# Packets: the same pairs, simulated by one heap of events. Turns begin at random places, so shares agree within 1 %.
for case in "gft:n=16,m=16,r=32 dmodk" "pgft:m=6x6x4,w=1x6x2,p=1x1x3 dmodk" "ft:m=8,n=3 psssp" "torus:dims=5x3,hosts=2 updown" \
    "random:switches=20,ports=12,hosts=4 updown"; do
    read -r net table <<<"$case"
    dump "$net" "$table"
    for seed in 1 2; do
        theirs=$("$programs/ref_sim" "$tmp/plain" 1 131072 $seed "$tmp/pairs" | answer)
        ours=$("$programs/kernel" sim "$net" "$table" "file:path=$tmp/pairs" 1 131072 | answer)
        if awk -v a="$theirs" -v b="$ours" 'BEGIN { exit !(a > 0 && b > 0 && a - b < 0.01 * a && b - a < 0.01 * a) }'
        then pass "packets of $net $table, seed $seed"
        else fail "packets of $net $table, seed $seed" "reference: $theirs" "heddle:    $ours"; fi
    done
done

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
