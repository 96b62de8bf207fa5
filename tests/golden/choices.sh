#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Which pairs the proof of adaptive routing is about: those of aggregation nodes nearby, no endpoint to itself, and the
# LID that a source uses; LIDs that none uses are checked apart. A far file without groups must be judged as the same
# entries of an LFT dump are.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
plain() { "$heddle" route "$1" "$2" --format "$3" -o - 2>/dev/null | grep -v '^# heddle'; }
# choose FAR GUID LID PORTS: at the switch whose GUID ends like this, a group of these ports for the LID.
choose() {
    awk -v guid="$2" -v lid="$3" -v ports="$4" '
        /^Switch/ { here = $2 ~ guid "$" }
        here && /^LFT Definition/ { print "99      0           0      " ports "," }
        here && $1 == lid { $3 = "Free"; $4 = 99 }
        { print }' "$1"
}

# An aggregation node on the first leaf switch of a tree, in place of a host. Ports 1 and 2 are of hosts, 3 and 4 up.
tree=ft:m=4,n=2
"$heddle" topo $tree --format ibnet 2>/dev/null | sed 's/node-00000/Mellanox Technologies Aggregation Node/' >"$tmp/an.ibnet"
plain $tree ftree far >"$tmp/an.far"
others='other_endpoints.aggregation_nodes other_endpoints.unreachable other_endpoints.choices adaptive.unreachable other_endpoints.aggregation_deadlock_free'
same "static ports lead to it" "0 1 0 True" "$(judge "$tmp/an.ibnet" "$tmp/an.far" other_endpoints.aggregation_nodes other_endpoints.unreachable other_endpoints.aggregation_deadlock_free)"
check "and no switch chooses" sh -c "! grep -q '\"adaptive\"' '$tmp/json'"
choose "$tmp/an.far" 100001 0x0001 3,4 >"$tmp/up.far"
same "and any way up" "0 1 0 0 0 True" "$(judge "$tmp/an.ibnet" "$tmp/up.far" $others)"
choose "$tmp/an.far" 100000 0x0001 2 >"$tmp/wrong.far"
same "its own switch sends to another host" "1 1 0 1 0 True" "$(judge "$tmp/an.ibnet" "$tmp/wrong.far" $others)"
check "which is shown" sh -c "'$heddle' check '$tmp/an.ibnet' '$tmp/wrong.far' | grep -q '^every choice     may fail: such as node-00001 to Mellanox Technologies Aggregation Node at L1-0000 port 2 -> node-00001'"
choose "$tmp/an.far" 100000 0x0001 1,2 >"$tmp/either.far"
check "also beside the right port" sh -c "'$heddle' check '$tmp/an.ibnet' '$tmp/either.far' | grep -q '^every choice     may fail: such as node-00001 to Mellanox Technologies Aggregation Node at L1-0000 port 2 -> node-00001'"
same "as for a host" "1 0 7" "$(judge $tree "$tmp/wrong.far" unreachable adaptive.unreachable)"
choose "$tmp/an.far" 100000 0x0002 1 >"$tmp/from.far"
same "choices towards hosts count for packets from it" "1 1 0 1 6" "$(judge "$tmp/an.ibnet" "$tmp/from.far" $others | cut -d ' ' -f 1-5)"
choose "$tmp/an.far" 100001 0x0001 1 >"$tmp/away.far"
same "switches far away need no path to it" "0 1 0 0 0" "$(judge "$tmp/an.ibnet" "$tmp/away.far" $others | cut -d ' ' -f 1-5)"

# The only endpoint of a switch, and of the network: nobody sends to it.
cat >"$tmp/lone.ibnet" <<'END'
Switch	2 "S-0000000000000010"		# "s0" base port 0 lid 3 lmc 0
[1]	"S-0000000000000011"[1]		# "s1" lid 2 4xEDR

Switch	2 "S-0000000000000011"		# "s1" base port 0 lid 2 lmc 0
[1]	"S-0000000000000010"[1]		# "s0" lid 3 4xEDR
[2]	"H-0000000000000100"[1](101)		# "h" lid 1 4xEDR

Ca	1 "H-0000000000000100"		# "h"
[1](101)	"S-0000000000000011"[2]		# lid 1 lmc 0 "s1" lid 2 4xEDR
END
for form in lft far; do
    plain "$tmp/lone.ibnet" minhop $form | sed -E 's/^(0x0001 +)0*2/\11/' >"$tmp/lone.$form"
    same "to itself an endpoint sends nothing: $form" "0 0 True" "$(judge "$tmp/lone.ibnet" "$tmp/lone.$form" unreachable deadlock_free)"
done

# Two LIDs per port, of which a source uses one.
"$heddle" topo torus:dims=4,hosts=1 --lmc 1 --format ibnet 2>/dev/null >"$tmp/two.ibnet"
for form in lft far; do plain "$tmp/two.ibnet" updown $form >"$tmp/two.$form"; done
for hole in "00 0x0005" "01 0x0004" "02 0x0005" "02 0x0009" "03 0x0004" "03 0x0002"; do
    read -r guid lid <<<"$hole"
    for form in lft far; do
        awk -v guid="$guid" -v lid="$lid" '/^Switch|^Unicast/ { here = $0 ~ "0x[0-9a-f]*" guid "( |$)" } !(here && $1 == lid)' \
            "$tmp/two.$form" >"$tmp/hole.$form"
        judge "$tmp/two.ibnet" "file:path=$tmp/hole.$form,use=source" pairs unreachable loops deadlock_free
    done >"$tmp/both"
    cat "$tmp/both" >>"$tmp/verdicts"
    same "one verdict on both forms without the entry of switch $guid for $lid" 1 "$(sort -u "$tmp/both" | wc -l)"
done
same "some of these entries no pair uses: exit status, pairs and those unreachable" 2 "$(cut -d ' ' -f 1-2 "$tmp/verdicts" | sort -u | wc -l)"

# LIDs that no source uses are further ones. Of two hosts with LIDs 2 and 3, 4 and 5, the first uses 4 and the second 3.
"$heddle" topo mesh:dims=2,hosts=1 --lmc 1 --format ibnet 2>/dev/null >"$tmp/pair.ibnet"
for form in lft far; do plain "$tmp/pair.ibnet" updown $form >"$tmp/pair.$form"; done
# without LID PATTERN FORM: no entry for it at switches with such a line.
without() { awk -v lid="$1" -v at="$2" '/^Switch|^Unicast/ { here = $0 ~ at } !(here && $1 == lid)' "${4:-$tmp/pair}.$3"; }
unused() { judge "$1" "file:path=$2,use=source" pairs unreachable further_lids.lids further_lids.paths further_lids.unreachable further_lids.loops; }
for form in lft far; do
    same "they are counted and reached: $form" "0 2 0 2 4 0 0" "$(unused "$tmp/pair.ibnet" "$tmp/pair.$form")"
    without 0x0002 . $form >"$tmp/none.$form"
    same "or not reached by any switch: $form" "1 2 0 2 4 2 0" "$(unused "$tmp/pair.ibnet" "$tmp/none.$form")"
    without 0x0002 100001 $form >"$tmp/one.$form"
    same "or by one: $form" "1 2 0 2 4 1 0" "$(unused "$tmp/pair.ibnet" "$tmp/one.$form")"
    without 0x0004 100001 $form >"$tmp/home.$form"
    same "beside those that are used: $form" "1 2 1 2 4 0 0" "$(unused "$tmp/pair.ibnet" "$tmp/home.$form")"
done
check "the first is named" sh -c "'$heddle' check '$tmp/pair.ibnet' 'file:path=$tmp/one.lft,use=source' | grep -qx 'further LIDs     2; of 4 paths 1 unreachable, 0 in loops, such as L1-0001 to LID 2 of node-00000'"
out=$(awk '$1 == "0x0004" { print $2; exit }' "$tmp/pair.lft")
awk -v out="$out" '/^Unicast/ { first = !seen++ } first && $1 == "0x0002" { $2 = out } { print }' "$tmp/pair.lft" >"$tmp/round.lft"
same "or sent back and forth" "1 2 0 2 4 0 2" "$(unused "$tmp/pair.ibnet" "$tmp/round.lft")"
choose "$tmp/pair.far" 100000 0x0002 "$((10#$out)),1" >"$tmp/round.far"
same "or by some choice" "1 2 0 2 4 0 2" "$(unused "$tmp/pair.ibnet" "$tmp/round.far")"
for use in all first; do
    judge "$tmp/pair.ibnet" "file:path=$tmp/none.lft,use=$use" pairs unreachable
done >"$tmp/out"
same "as with other uses of the LIDs" "1 4 1, 1 2 1" "$(paste -s -d , "$tmp/out" | sed 's/,/, /g')"

# Who has fewer LIDs than others has none beside the one that is used. What left out endpoints use is not checked.
sed 's/lid 4 lmc 1/lid 4 lmc 0/' "$tmp/pair.ibnet" >"$tmp/less.ibnet"
grep -v '^0x0005' "$tmp/pair.lft" >"$tmp/less.lft"
same "an endpoint with one LID" "0 2 0 1 2 0 0" "$(unused "$tmp/less.ibnet" "$tmp/less.lft")"
for lid in 3 4 5 8; do
    grep -v "^0x000$lid" "$tmp/two.lft" >"$tmp/holes.lft"
    same "of the first and the third host nobody sends to LID $lid" "0 0 0" \
        "$(options="--endpoints node-0000[02]" judge "$tmp/two.ibnet" "file:path=$tmp/holes.lft,use=source" unreachable further_lids.unreachable)"
done
# The first host is an aggregation node, the third one the only other source that would use LID 6, its own.
sed 's/node-00000/Mellanox Technologies Aggregation Node/' "$tmp/two.ibnet" >"$tmp/node.ibnet"
for at in 100000 100003; do
    without 0x0006 $at lft "$tmp/two" >"$tmp/apart.lft"
    judge "$tmp/node.ibnet" "file:path=$tmp/apart.lft,use=source" other_endpoints.unreachable other_endpoints.aggregation_unserved further_lids.lids further_lids.paths further_lids.unreachable
done >"$tmp/out"
same "an aggregation node two cables away need not reach it, hosts must" "0 0 1 1 3 0, 1 0 1 1 3 1" "$(paste -s -d , "$tmp/out" | sed 's/,/, /g')"

finish
