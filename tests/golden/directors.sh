#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Trees that are no PGFT: what they are called, and that tree engines use all their cables.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
fabric=director:groups=4,leaves=16,directors=3,lines=4,spines=12,hosts=9,rails=3

kind() { "$heddle" topo "$@" | sed -n 's/^kind  *//p'; }
form="3-level fat tree, 4 groups of 16 leaf switches, 3 directors of 16 line and 12 spine ASICs"
same "a director fabric in words" "$form" "$(kind $fabric)"
"$heddle" topo $fabric -o "$tmp/net.ibnet"
same "the same when it is read from a file" "$form" "$(kind "$tmp/net.ibnet")"
same "JSON: a tree with that form" "tree|$form" \
    "$("$heddle" topo "$tmp/net.ibnet" --json | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["kind"] + "|" + j["form"])')"

# EBB of the engines, as a share of settle's.
shares() {
    "$heddle" eval "$@" settle ftree dmodc -n 200 --json | python3 -c '
import json, sys
value = {r["table"]: r["value"] for r in json.load(sys.stdin)["rows"]}
print("settle %.3f" % value["settle"], *("%s %.3f" % (e, value[e] / value["settle"]) for e in ("ftree", "dmodc")))
sys.exit(min(value[e] / value["settle"] for e in ("ftree", "dmodc")) < 0.97)'
}
check "ftree and dmodc are within 3 % of settle" shares $fabric
check "with 1 % of the cables lost" shares $fabric --fail links=13,seed=1
check "and where a spine is dead" shares $fabric --fail switches=1,seed=5
check "deadlock-free in one VL" sh -c "'$heddle' check $fabric ftree --fail links=13,seed=1 | grep -q 'deadlock-free *yes'"
check "dmodc too" sh -c "'$heddle' check $fabric dmodc --fail links=13,seed=1 | grep -q 'deadlock-free *yes'"

# Damaged trees: meeting the destination's path is better than every switch by itself.
tree=xgft:m=6x6x12,w=1x6x6
check "dmodc on a damaged tree beats dmodc as published" sh -c "'$heddle' eval $tree --fail links=43,seed=1 dmodc dmodc:rule=local -n 200 --json | python3 -c '
import json, sys
value = {r[\"table\"]: r[\"value\"] for r in json.load(sys.stdin)[\"rows\"]}
sys.exit(value[\"dmodc\"] < 1.03 * value[\"dmodc:rule=local\"])'"

# ---- fabrics that exist ----
if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/hdr-directors.console.txt" ]; then
    real=$HEDDLE_CAPTURES/hdr-directors.console.txt
    same "hdr-directors in words" "3-level fat tree, 8 groups of 20 leaf switches, 4 directors of 40 line and 20 spine ASICs" \
        "$(kind "$real" 2>/dev/null)"
    same "hdr-directors: spare leaves are leaves, eight rails" "[160, 160, 80] 8" \
        "$("$heddle" topo "$real" --json 2>/dev/null | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["switches_per_level"], j["rails"])')"
    check "hdr-directors: ftree and dmodc are within 3 % of settle" shares "$real"
else
    skip "hdr-directors" "HEDDLE_CAPTURES has no hdr-directors.console.txt"
fi
if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/ndr-rails.ibnet" ]; then
    real=$HEDDLE_CAPTURES/ndr-rails.ibnet
    check "ndr-rails: ftree and dmodc are within 3 % of settle" shares "$real"
    check "ndr-rails: updown keeps its roots" sh -c "'$heddle' eval '$real' updown -n 200 --json | python3 -c '
import json, sys
sys.exit(json.load(sys.stdin)[\"rows\"][0][\"value\"] < 0.74)'"
else
    skip "ndr-rails" "HEDDLE_CAPTURES has no ndr-rails.ibnet"
fi
finish
