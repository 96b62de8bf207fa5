#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle plot as users see it: every kind of chart, whole SVG files, the same bytes on any threads.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
net=xgft:m=4x4x3,w=1x3x2
for kind in fabric heat load bandwidth order whatif; do
    check "plot $kind" "$heddle" plot $kind $net minhop -o "$tmp/$kind.svg" --threads 1
    check "plot $kind is well-formed" xmllint --noout "$tmp/$kind.svg"
    same "plot $kind: the same bytes with two threads, on standard output" "$(md5sum <"$tmp/$kind.svg")" \
        "$("$heddle" plot $kind $net minhop --threads 2 | md5sum)"
done
# 36 cables between leaves and the middle, 18 between the middle and the top, each drawn once, in some colour.
same "plot fabric draws every cable" 54 "$(grep -o '<path class="s[0-6]" d="[^"]*' "$tmp/fabric.svg" | tr -cd M | wc -c)"
same "plot load counts every channel" 108 "$(grep -oE '[0-9]+ channels' "$tmp/load.svg" | awk '{ n += $1 } END { print n }')"
"$heddle" plot bandwidth $net minhop dmodk random -o "$tmp/three.svg"
same "plot bandwidth has a row for each table" "dmodk minhop random" "$(grep -oE '>(minhop|dmodk|random)<' "$tmp/three.svg" | tr -d '<>' | sort | tr '\n' ' ' | sed 's/ $//')"
value=$("$heddle" eval $net random -p bisect -m ebb -n 1000 --json | python3 -c 'import json, sys; print("%.4f" % json.load(sys.stdin)["rows"][0]["value"])')
check "and the mean that eval has" grep -q ">$value</text>" "$tmp/three.svg"
"$heddle" plot load $net minhop random -o "$tmp/two.svg"
check "plot load compares with the second table" grep -q '>random</text>' "$tmp/two.svg"
check "another pattern gives another picture" sh -c "! '$heddle' plot fabric $net minhop -p allpairs | cmp -s - '$tmp/fabric.svg'"
check "without a table the recommended one is drawn" sh -c "'$heddle' plot fabric $net | grep -q 'Load of every cable: '"
exits "unknown chart" 2 "plot: unknown chart 'pie': expected fabric, heat" "$heddle" plot pie $net
exits "unknown pattern" 2 "pattern ring: expected bisect or allpairs" "$heddle" plot fabric $net minhop -p ring
exits "a table that does not apply" 3 "does not apply" "$heddle" plot fabric $net dor -o "$tmp/none.svg"
check "and nothing is written" test ! -e "$tmp/none.svg"
exits "nothing to draw: one endpoint" 3 "no chart bandwidth: nothing was sampled" "$heddle" plot bandwidth gft:n=1,m=1,r=1
finish
