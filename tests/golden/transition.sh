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
exits "a table is missing" 2 'expected NET OLD NEW' "$heddle" transition ft:m=4,n=2 dmodk
finish
