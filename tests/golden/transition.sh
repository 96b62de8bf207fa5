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
finish
