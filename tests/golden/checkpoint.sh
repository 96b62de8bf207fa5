#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Checkpoints: a damaged one is refused, and samples of one request are never added to those of another, whatever has
# changed between two runs that look alike.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
sponge_to() { local all; all=$(cat); printf "%s\n" "$all" >"$1"; }
value() { "$heddle" eval "$@" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"][0]["value"])'; }

"$heddle" eval ft:m=8,n=2 minhop -n 2000 --checkpoint "$tmp/whole" >/dev/null
# Heads of the file and of its record bit by bit, then one bit of every hundredth byte.
python3 - "$tmp/whole" "$tmp" <<'PY'
import sys
whole = open(sys.argv[1], "rb").read()
places = [(at, bit) for at in (0, 15, 16, 23, 24, 31, 32, 40, 69, 90) for bit in (0, 5, 7)]
places += [(at, at % 8) for at in range(100, len(whole), len(whole) // 40)] + [(len(whole) - 1, 7)]
for n, (at, bit) in enumerate(places):
    b = bytearray(whole)
    b[at] ^= 1 << bit
    open(f"{sys.argv[2]}/flip{n}", "wb").write(b)
open(sys.argv[2] + "/flip-longer", "wb").write(whole + b"\0")
open(sys.argv[2] + "/flip-shorter", "wb").write(whole[:-8])
open(sys.argv[2] + "/flip-double", "wb").write(whole + whole[24:])
PY
taken=0 flips=0
for file in "$tmp"/flip*; do
    flips=$((flips + 1)) rc=0
    "$heddle" eval ft:m=8,n=2 minhop -n 2000 --checkpoint "$file" >"$tmp/out" 2>"$tmp/err" || rc=$?
    [ $rc = 3 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] || taken=$((taken + 1))
done
same "of $flips damaged checkpoints none is used" 0 $taken
exits "and the message says why" 3 "the checksum does not match: damaged" "$heddle" eval ft:m=8,n=2 minhop -n 2000 --checkpoint "$tmp/flip35"
same "the undamaged one is" "$(value ft:m=8,n=2 minhop -n 4000)" "$(value ft:m=8,n=2 minhop -n 4000 --checkpoint "$tmp/whole")"

# changed NAME CHANGE ARGUMENT...: a run with a checkpoint, CHANGE, and the same command with more samples, which must give
# what it gives without a checkpoint.
changed() {
    local name=$1 change=$2 before; shift 2
    rm -f "$tmp/ck"
    before=$(value "$@" -n 300 --checkpoint "$tmp/ck")
    eval "$change"
    check "$name: the change matters" test "$before" != "$(value "$@" -n 300)"
    same "$name: samples of before are not used" "$(value "$@" -n 600)" "$(value "$@" -n 600 --checkpoint "$tmp/ck")"
}
"$heddle" route ft:m=8,n=2 wsr -o "$tmp/w.lft" >/dev/null
changed "the selection of a table" 'sed -i "s/^\(# heddle pairs [0-9]*\).*/\1 0*32/" "$tmp/w.lft"' ft:m=8,n=2 "$tmp/w.lft"
"$heddle" route ft:m=8,n=2 mlid -o "$tmp/m.lft" >/dev/null
check "a table with classes of sources" grep -q '^# heddle class' "$tmp/m.lft"
changed "the classes of sources" 'sed -i "s/^\(# heddle class[a-z]*\).*/\1 0*32/" "$tmp/m.lft"' ft:m=8,n=2 "$tmp/m.lft"
"$heddle" route ft:m=8,n=2 minhop -o "$tmp/t.lft" >/dev/null
changed "the entries of a table" '"$heddle" route ft:m=8,n=2 random -o "$tmp/t.lft" >/dev/null' ft:m=8,n=2 "$tmp/t.lft"
seq -f node-%05g 0 31 >"$tmp/index"
changed "the file behind a parameter" 'sort -R --random-source=README.md "$tmp/index" -o "$tmp/index"' ft:m=8,n=2 "dmodk:index=$tmp/index"
seq -f '%.0f' 0 31 | awk '{ print $1, ($1 + 5) % 32, 1 }' >"$tmp/traffic"
changed "a traffic file" 'awk "{ print \$1, 31 - \$1, 1 }" "$tmp/traffic" | sponge_to "$tmp/traffic"' ft:m=8,n=2 "$tmp/t.lft" -p "file:path=$tmp/traffic" -m maxload
"$heddle" topo ft:m=8,n=2 -o "$tmp/net"
changed "a slow cable" 'sed -i "0,/\"S-.*4x/s/\(\"S-.*\)4x[A-Z]*/\11xSDR/" "$tmp/net"' "$tmp/net" minhop
finish
