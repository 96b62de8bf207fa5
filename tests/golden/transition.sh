#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle transition: verdicts, exit status and JSON; the example of docs/transition.md; tables read from files on a fabric
# that has lost a cable; the steps that are written to a folder.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
# verdict ARGUMENTS...: exit status and the fields of the contract
verdict() {
    "$heddle" transition "$@" --json >"$tmp/json"
    echo "$? $(python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); print(d["verdict"], d["steps"], len(d["drain"]), d["loops"], d["drops"], d["credit_loops"], str(d["old_levels"]).lower())' "$tmp/json")"
}
same "equal tables: nothing to load" "0 any-order 0 0 0 0 0 true" "$(verdict ft:m=8,n=2 minhop minhop)"
same "shortest paths of a tree: any order" "0 any-order 1 0 0 0 0 true" "$(verdict ft:m=8,n=3 minhop updown)"
same "two tables that close a credit loop together: steps" "0 ordered 3 0 0 0 1 true" "$(verdict mesh:dims=4x4,hosts=1 dor updown)"
same "a table that can deadlock cannot be replaced safely" 1 "$(verdict torus:dims=6,hosts=1 minhop updown | cut -c 1)"
"$heddle" transition torus:dims=6,hosts=1 minhop updown >"$tmp/text"
check "and that is said" grep -q 'the old table alone' "$tmp/text"
same "VLs that only new connections have" "0 any-order 1 0 0 0 1 false" "$(verdict torus:dims=4x4,hosts=1 dfsssp lash)"
"$heddle" transition torus:dims=4x4,hosts=1 dfsssp lash >"$tmp/text"
check "are not covered, which is said" grep -q '^NOT COVERED .*service level' "$tmp/text"

sed -n '/^    \$ heddle transition mesh/,/^$/p' docs/transition.md | sed '1d;$d;s/^    //' >"$tmp/shown"
"$heddle" transition mesh:dims=4x4,hosts=1 dor updown | head -n "$(wc -l <"$tmp/shown")" >"$tmp/printed"
check "docs/transition.md shows what is printed" cmp "$tmp/shown" "$tmp/printed"
for threads in 1 3; do "$heddle" transition mesh:dims=4x4,hosts=1 dor updown --threads $threads >"$tmp/t$threads"; done
check "any number of threads, the same answer" cmp "$tmp/t1" "$tmp/t3"

# A fault: the old table has entries for a port that has no cable any more.
"$heddle" route ft:m=8,n=2 dmodk -o "$tmp/old.lft" >/dev/null
same "what a fault has cut is exempt, what is healed is not dropped" "0 any-order 1" \
    "$(verdict ft:m=8,n=2 "$tmp/old.lft" dmodc --fail links=1 2>/dev/null | cut -d ' ' -f 1-3)"
exits "tables with different numbers of LIDs" 3 'path variants' "$heddle" transition ft:m=4,n=2 dmodk mlid
exits "a table is missing" 2 'expected NET OLD NEW, or' "$heddle" transition ft:m=4,n=2 dmodk

# Steps as files.
"$heddle" transition mesh:dims=4x4,hosts=1 dor updown -o "$tmp/steps" >/dev/null
same "one file per step, and a README" "README step-1.lft step-2.lft step-3.lft" "$(cd "$tmp/steps" && echo *)"
from=dor
for step in "$tmp/steps"/step-?.lft; do
    same "$(basename "$step") is safe in any order after $(basename $from)" "0 any-order 1 0 0 0 0 true" "$(verdict mesh:dims=4x4,hosts=1 $from "$step")"
    from=$step
done
same "the last is the new table" "0 any-order 0 0 0 0 0 true" "$(verdict mesh:dims=4x4,hosts=1 $from updown)"
"$heddle" transition ft:m=8,n=3 minhop updown -o "$tmp/steps" >/dev/null
same "steps of an earlier run that are not needed are removed" "README step-1.lft" "$(cd "$tmp/steps" && echo *)"
echo mine >"$tmp/steps/step-2.lft"
exits "but nothing that heddle did not write" 3 'step-2.lft' "$heddle" transition mesh:dims=4x4,hosts=1 dor updown -o "$tmp/steps"
same "it stays" mine "$(cat "$tmp/steps/step-2.lft")"
"$heddle" transition torus:dims=6,hosts=1 minhop updown -o "$tmp/none" >/dev/null
check "nothing is written for what is unproved" test ! -e "$tmp/none"
exits "-o is a folder" 2 'folder' "$heddle" transition ft:m=4,n=2 dmodk minhop -o -

# What is not proved is in the README as on the terminal.
same_rest() { # same_rest NAME ARGUMENTS: what is not covered, said twice
    "$heddle" transition "${@:2}" -o "$tmp/rest" >"$tmp/text"
    sed -n 's/^NOT COVERED  */NOT COVERED: /p' "$tmp/text" >"$tmp/said"
    check "$1: something is not covered" grep -q 'loops of packets to [1-9]' "$tmp/said"
    same "$1: the README says what" "$(cat "$tmp/said")" "$(sed -n 's/^\(NOT COVERED.*\)\.$/\1/p' "$tmp/rest/README")"
    check "$1: and claims no more" grep -q 'no credit loop arises among' "$tmp/rest/README"
}
"$heddle" topo ft:m=4,n=2 -o "$tmp/whole.ibnet"
"$heddle" route "$tmp/whole.ibnet" dmodk -o "$tmp/whole.lft" >/dev/null
"$heddle" topo "$tmp/whole.ibnet" --fail link=L1-0000:3 -o "$tmp/less.ibnet"
same_rest "after a failure" "$tmp/less.ibnet" "$tmp/whole.lft" dmodc
same_rest "out and back" ft:m=4,n=3 dmodk --without link=L2-0008:3

# A switch out and back.
net=xgft:m=4x4x4,w=1x4x4 spine=$("$heddle" topo xgft:m=4x4x4,w=1x4x4 --format ibnet -o - | grep '^Switch' | tail -n 1 | cut -d '"' -f 4)
same "drained in any order" "0 any-order 1 0 0 0 0 true" "$(verdict $net dmodk --without "switch=$spine")"
"$heddle" transition $net dmodk --without "switch=$spine" -o "$tmp/drained" >/dev/null
same "tables out and back" "README back-1.lft back-2.lft out-1.lft" "$(cd "$tmp/drained" && echo *)"
check "with the switch every pair is served" "$heddle" check $net "$tmp/drained/out-1.lft"
check "and without it" "$heddle" check $net "$tmp/drained/out-1.lft" --fail "switch=$spine"
check "and its return leads back to the table in use before" sh -c "'$heddle' transition $net '$tmp/drained/back-2.lft' dmodk | grep -q 'tables are the same'"
exits "a switch with endpoints cannot be drained" 3 '4 endpoints would be cut off' "$heddle" transition $net dmodk --without switch=L1-0001
exits "nor one that is not there" 3 'no switch is called' "$heddle" transition $net dmodk --without switch=nowhere

# Endpoints that are not selected by default.
"$heddle" topo xgft:m=4x4,w=1x4 --format ibnet -o - 2>/dev/null | sed -E 's/node-000(00|04|08|12)/oss-000\1/' >"$tmp/storage.ibnet"
"$heddle" route xgft:m=4x4,w=1x4 dmodk -o "$tmp/whole.lft" >/dev/null
same "a spine that only storage uses is drained" "0 any-order 1 0 0 0 0 true" \
    "$(verdict "$tmp/storage.ibnet" "$tmp/whole.lft" --without switch=L2-0004 2>/dev/null)"
check "what is chosen is what counts, which is said" sh -c "'$heddle' transition ft:m=4,n=2 minhop updown --endpoints 'node-0000[0-3]' |
    grep -q '^pairs            12 of selected endpoints'"
ring=torus:dims=4,hosts=1
"$heddle" topo $ring --format ibnet -o - 2>/dev/null | sed s/node-00003/oss-00003/ >"$tmp/ring.ibnet"
"$heddle" route $ring updown -o - 2>/dev/null | grep -v '^# heddle' >"$tmp/ring.lft"
turn() { python3 tests/golden/turn.py "$@"; }
grep '^0x0004' "$tmp/ring.lft" | cut -c 1-10 | tr '\n' ' ' >"$tmp/row"
same "the row of one endpoint of a ring" "0x0004 003 0x0004 003 0x0004 002 0x0004 001 " "$(cat "$tmp/row")"
turn "$tmp/ring.lft" 0x0004 0x0200000000100000=2 0x0200000000100001=2 >"$tmp/other.lft"
same "can loop if it is that of a host" "1 1" "$(verdict $ring "$tmp/ring.lft" "$tmp/other.lft" | cut -d ' ' -f 1,5)"
same "and just so if it is that of storage" "1 1" "$(verdict "$tmp/ring.ibnet" "$tmp/ring.lft" "$tmp/other.lft" | cut -d ' ' -f 1,5)"

# What beside entries changes.
same "groups of ports of adaptive routing are not proved" "1 unproved 0 0 0 0 0 true" "$(verdict ft:m=8,n=2 updown ar_updn)"
"$heddle" transition ft:m=8,n=2 updown ar_updn >"$tmp/text"
check "which is said" grep -q '^verdict .*unproved: a table is adaptive' "$tmp/text"
same "VLs alone are a change" "0 any-order 1 0 0 0 0 true" "$(verdict random:switches=8,ports=6,hosts=2,seed=1 dfsssp dfsssp:lanes=dest)"
same "counted as by diff" "16 240 0" "$(python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); print(d["vls_changed"], d["pairs"], d["changed"])' "$tmp/json")"
sed -E 's/^0x0001 /0xffff /; s/^0x0004 /0x0001 /; s/^0xffff /0x0004 /' "$tmp/ring.lft" >"$tmp/swapped.lft"
exits "two endpoints that have exchanged their LIDs" 3 "LID 0x0004 is that of 'node-00003' in .*ring.lft and of 'node-00000' in .*swapped.lft: switches forward by LID" \
    "$heddle" transition $ring "$tmp/ring.lft" "$tmp/swapped.lft"
exits "a table with other LIDs than the network" 3 "in the network and of 'node-00000' in .*swapped.lft" "$heddle" transition $ring "$tmp/swapped.lft" updown
sed -E 's/^0x0004 /0x000a /' "$tmp/ring.lft" >"$tmp/moved.lft"
exits "an endpoint with another LID" 3 "'node-00003' has LID 0x0004 in .*ring.lft and 0x000a in .*moved.lft" "$heddle" transition $ring "$tmp/ring.lft" "$tmp/moved.lft"
"$heddle" route ft:m=4,n=2 mlid -o "$tmp/mlid.lft" >/dev/null
same "more LIDs, assigned as they would be written" "0 any-order 0 0 0 0 0 true" "$(verdict ft:m=4,n=2 "$tmp/mlid.lft" mlid)"

# Nothing to do, in a folder with steps of an earlier transition.
"$heddle" transition mesh:dims=4x4,hosts=1 dor updown -o "$tmp/again" >/dev/null
"$heddle" transition mesh:dims=4x4,hosts=1 updown updown -o "$tmp/again" >/dev/null
same "no step is left that could be loaded" README "$(cd "$tmp/again" && echo *)"
check "and that is what it says" grep -q 'nothing to load' "$tmp/again/README"
"$heddle" transition mesh:dims=4x4,hosts=1 dor updown -o "$tmp/again" >/dev/null
"$heddle" transition $net dmodk --without "switch=$spine" -o "$tmp/again" >/dev/null
same "nor a step of another kind" "README back-1.lft back-2.lft out-1.lft" "$(cd "$tmp/again" && echo *)"

# The whole of maintenance.
sharp=director:groups=2,leaves=3,sharp=on,storage=3
same "a switch goes with its aggregation node" "0 any-order" "$(verdict $sharp dmodc --without switch=director-4/S20/U1 2>/dev/null | cut -d ' ' -f 1-2)"
same "to updown nothing is cut between aggregation nodes" "0 any-order" "$(verdict $sharp dmodc updown 2>/dev/null | cut -d ' ' -f 1-2)"
random=random:switches=7,ports=6,hosts=2,seed=2
same "the verdict is the worst of all steps" "1 unproved" "$(verdict $random dfsssp --without link=L1-0000:4 2>/dev/null | cut -d ' ' -f 1-2)"
"$heddle" transition $random dfsssp --without link=L1-0000:4 >"$tmp/text" 2>/dev/null
check "as text too" grep -q '^verdict  *unproved: .*(on return)$' "$tmp/text"
same "a cable has no entries to write first" "2 true" "$("$heddle" transition ft:m=4,n=2 dmodk --without link=L1-0000:3 --json 2>/dev/null |
    python3 -c 'import json,sys; d = json.load(sys.stdin); print(d["steps_back"], str(d["old_levels_back"]).lower())')"
exits "an engine with more LIDs than the table in use" 3 'path variants' "$heddle" transition ft:m=4,n=2 updown dfsssp:lmc=7 --lmc 7 --without link=L1-0000:3

# Aggregation nodes on a tree that has lost a cable, where no table serves all of their packets without credit loops.
lost="$sharp --fail links=1,seed=1"
# covered ARGUMENTS...: exit status, verdict, and whether all packets of aggregation nodes are proved
covered() {
    "$heddle" transition "$@" --json >"$tmp/json" 2>/dev/null
    echo "$? $(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["verdict"], d["steps"], d["aggregation_covered"])' "$tmp/json")"
}
# shellcheck disable=SC2086
{
    "$heddle" check $lost minhop >"$tmp/text" 2>/dev/null
    same "check proves the table" 0 $?
    check "and not all packets of aggregation nodes" grep -q 'with packets of aggregation nodes a credit loop is possible' "$tmp/text"
    same "there is nothing to change" "0 any-order 0 True" "$(covered $lost minhop minhop)"
    same "a change is proved as far" "0 any-order 1 False" "$(covered $lost minhop updown)"
    same "with all of them where that is possible" "0 any-order 1 True" "$(covered $sharp dmodc updown)"
    "$heddle" transition $lost minhop updown -o "$tmp/nodes" >"$tmp/text" 2>/dev/null
    for threads in 1 3; do "$heddle" transition $lost minhop updown --threads $threads >"$tmp/t$threads" 2>/dev/null; done
}
left='credit loops of aggregation nodes, and their paths beyond adjacent switches'
check "which is said" grep -qx "NOT COVERED      $left" "$tmp/text"
check "and in the README" grep -qx "NOT COVERED: $left\." "$tmp/nodes/README"
check "on any number of threads" cmp "$tmp/t1" "$tmp/t3"
# One in place of the first of two hosts of a leaf switch.
"$heddle" topo ft:m=4,n=2 --format ibnet 2>/dev/null | sed 's/node-00000/Mellanox Technologies Aggregation Node/' >"$tmp/an.ibnet"
"$heddle" route "$tmp/an.ibnet" updown -o - 2>/dev/null | grep -v '^# heddle' >"$tmp/an.lft"
same "it has LID 1, at port 1, and its neighbour LID 2" "0x0001 001 0x0002 002 " "$(grep -m 2 -E '^0x000[12]' "$tmp/an.lft" | cut -c 1-10 | tr '\n' ' ')"
turn "$tmp/an.lft" 0x0001 0x0200000000100001= >"$tmp/far.lft"
same "cut far away, as check allows" "0 any-order 1 False" "$(covered "$tmp/an.ibnet" "$tmp/an.lft" "$tmp/far.lft")"
turn "$tmp/an.lft" 0x0001 0x0200000000100000=2 >"$tmp/near.lft"
same "cut beside it" "1 unproved 0 False" "$(covered "$tmp/an.ibnet" "$tmp/an.lft" "$tmp/near.lft")"
"$heddle" transition "$tmp/an.ibnet" "$tmp/an.lft" "$tmp/near.lft" >"$tmp/text"
check "which the verdict says" grep -q '^verdict .*the new table itself cuts pairs' "$tmp/text"
turn "$tmp/an.lft" 0x0001 0x0200000000100000=3 >"$tmp/loop.lft"
same "in a loop beside it" "1 unproved 0 False" "$(covered "$tmp/an.ibnet" "$tmp/an.lft" "$tmp/loop.lft")"
turn "$tmp/an.lft" 0x0002 0x0200000000100000=1 >"$tmp/host.lft"
same "its neighbour is a host like others" "1 unproved 0 False" "$(covered "$tmp/an.ibnet" "$tmp/an.lft" "$tmp/host.lft")"
finish
