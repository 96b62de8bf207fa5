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

# An exchanged cable makes no director of separate switches.
for swap in 'ft:m=8,n=3|L2-0035:7 L2-0037:8|8 groups of 4 leaf switches, 4 planes of 8 level-2 switches and 4 spines' \
    'pgft:m=6x6x4,w=1x3x2,p=1x2x3|L2-0024:14 L2-0034:14|4 groups of 6 leaf switches, 3 planes of 4 level-2 switches and 2 spines'; do
    IFS='|' read -r net ends words <<<"$swap"
    "$heddle" topo "$net" -o "$tmp/net.ibnet"
    python3 tests/prop/recable.py "$tmp/net.ibnet" "swap $ends" >"$tmp/recabled.ibnet"
    same "planes, one cable of two exchanged: $net" "3-level fat tree, $words" "$(kind "$tmp/recabled.ibnet")"
done
"$heddle" topo $fabric -o "$tmp/net.ibnet"

# Directors are counted by their chassis, also where one has no spines or a group has lost its way to them. A name that
# leaf switches or both blocks have is that of a site.
two=director:groups=3,leaves=6,spines=6,hosts=4,directors=2,lines=3
alone() { awk '/^sysimgguid/ { next } /^switchguid/ { sub(/\(.*/, "", $1); print "sysimgguid=" substr($1, 12) } { print }'; }
"$heddle" topo $two --fail "switch=$(printf '+director-1/S%d/U1' 1 2 3 4 5 6 | cut -c 2-)" -o "$tmp/spineless.ibnet" -q
same "a director without its spines" "3-level fat tree, 3 groups of 6 leaf switches, 2 directors of 9 line and 0 to 6 spine ASICs" \
    "$(kind "$tmp/spineless.ibnet")"
alone <"$tmp/spineless.ibnet" >"$tmp/names.ibnet"
same "whose spines advise misses" "54 uplinks of the tree lead to switches that are not present" \
    "$("$heddle" advise "$tmp/spineless.ibnet" -q | sed -n 's/^ *WARN  missing switches  //p')"
check "and which are to be restored" sh -c "'$heddle' advise '$tmp/spineless.ibnet' -q | tr -s ' \n' ' ' | grep -q 'restore the switches to which 54 uplinks led'"
same "by names alone" "$(kind "$tmp/spineless.ibnet")" "$(kind "$tmp/names.ibnet")"
ports=$(for line in 1/L4 1/L5 1/L6 2/L4 2/L5 2/L6; do for port in 7 8 9 10 11 12; do printf '+director-%s/U1:%d' $line $port; done; done | cut -c 2-)
"$heddle" topo $two --fail "link=$ports" -o "$tmp/island.ibnet" -q
same "a group that reaches no spine" "3-level fat tree, 3 groups of 6 leaf switches, 2 directors of 9 line and 6 spine ASICs" \
    "$(kind "$tmp/island.ibnet")"
for site in dc1/ dc1-; do
    "$heddle" topo director:groups=2,leaves=3,directors=2,lines=2,spines=4,hosts=4 -o - -q --format ibnet |
        sed -E 's#"director-([0-9]+)/([A-Z0-9]+)/U1"#"'$site'director-\1-\2"#; s#"leaf-#"'$site'leaf-#' | alone >"$tmp/site.ibnet"
    same "separate switches called $site" "3-level fat tree, 2 groups of 3 leaf switches, 2 planes of 4 level-2 switches and 4 spines" \
        "$(kind "$tmp/site.ibnet")"
    sed 's#"'$site'leaf#"leaf#' "$tmp/site.ibnet" >"$tmp/core.ibnet"
    same "all but the leaf switches" "$(kind "$tmp/site.ibnet")" "$(kind "$tmp/core.ibnet")"
done

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
check "dmodk on a whole one" sh -c "'$heddle' check $fabric dmodk | grep -q 'deadlock-free *yes'"
check "and not where a cable is missing" sh -c "! '$heddle' check $fabric dmodk --fail links=1 2>/dev/null"
check "dmodc too" sh -c "'$heddle' check $fabric dmodc --fail links=13,seed=1 | grep -q 'deadlock-free *yes'"

# Destinations that have to leave their channel are spread evenly.
least() { # SHARE NET...: dmodc has this share of settle's EBB
    local share=$1
    shift
    "$heddle" eval "$@" settle dmodc -n 200 --json | python3 -c '
import json, sys
value = {r["table"]: r["value"] for r in json.load(sys.stdin)["rows"]}
print(value)
sys.exit(value["dmodc"] < float(sys.argv[1]) * value["settle"])' "$share"
}
check "dmodc on a director fabric that lost many cables" \
    least 0.95 director:groups=5,leaves=8,directors=4,lines=4,spines=5,hosts=8 --fail links=40,seed=1
check "dmodc on a rail fabric that lost many cables" least 0.99 rail:rails=4,units=6,spines=8,uplinks=16,hosts=16 --fail links=20,seed=1

# Damaged trees: meeting the destination's path is better than every switch by itself.
tree=xgft:m=6x6x12,w=1x6x6
check "dmodc on a damaged tree beats dmodc as published" sh -c "'$heddle' eval $tree --fail links=43,seed=1 dmodc dmodc:rule=local -n 200 --json | python3 -c '
import json, sys
value = {r[\"table\"]: r[\"value\"] for r in json.load(sys.stdin)[\"rows\"]}
sys.exit(value[\"dmodc\"] < 1.03 * value[\"dmodc:rule=local\"])'"

# Storage has one port where compute hosts have four: nothing is missing there.
small=director:groups=2,leaves=3,directors=2,lines=2,spines=4,hosts=8,rails=4,storage=3
check "storage lacks no rails" sh -c "'$heddle' advise $small --quiet | tr -s ' \n' ' ' |
    grep -q 'roles 48 compute, 3 storage .*PASS rails every host has all 4 '"
check "a compute host that lacks one is named" sh -c "'$heddle' advise $small --fail 'link=node-0 mlx5_1:1' --quiet | tr -s ' \n' ' ' |
    grep -q 'WARN rails 1 of 12 hosts (3 of all 15 are not selected) has fewer than 4 ports: node-0 has 3 '"

# Aggregation nodes on spines cost no VLs: their paths give way, those of hosts stay as they are.
vls() { "$heddle" check "$@" --json 2>/dev/null | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["lanes"], j["deadlock_free"])'; }
sharp=director:groups=2,leaves=3,directors=2,lines=2,spines=4,hosts=8,rails=4,sharp=on
same "settle needs one VL beside aggregation nodes" "1 True" "$(vls $sharp settle)"
same "on a damaged fabric too" "1 True" "$(vls rail:rails=4,units=3,hosts=6,spines=4,uplinks=8,sharp=on --fail links=8,seed=3 settle)"
"$heddle" route $sharp settle -o "$tmp/one" >/dev/null
check "the table is free of credit loops in one VL" sh -c "grep -v '^# heddle' '$tmp/one' >'$tmp/bare' && '$heddle' check $sharp '$tmp/bare'"

# Aggregation nodes on spines are reached from other spines too, down and up again, without another VL.
everyone() { # NET ENGINE: pairs of all endpoints without a path, and VLs
    "$heddle" topo "$1" ${3:+--fail "$3"} -o "$tmp/every.ibnet" 2>/dev/null
    "$heddle" route "$tmp/every.ibnet" "$2" -o "$tmp/every" >/dev/null
    "$heddle" check "$tmp/every.ibnet" "$tmp/every" --endpoints . --json 2>/dev/null | python3 -c '
import json, sys
j = json.load(sys.stdin)
print(j["unreachable"], j["lanes"], j["deadlock_free"], j["switch_lids"]["unreachable"])'
}
for engine in dmodc ftree updown; do
    same "$engine serves aggregation nodes" "0 1 True 0" "$(everyone $sharp $engine)"
    same "$engine serves them on a damaged fabric" "0 1 True 0" "$(everyone rail:rails=4,units=3,hosts=6,spines=4,uplinks=8,sharp=on $engine links=8,seed=3)"
done

# A cable between two leaves is no part of a tree; without it the rest is one, and is seen as such.
"$heddle" topo gft:n=4,m=4,r=8 --format ibnet >"$tmp/net"
python3 - "$tmp/net" <<'PY'
import re, sys
lines = open(sys.argv[1]).read().split("\n")
leaf = [i for i, l in enumerate(lines) if re.match(r'Switch\s.*"L1-', l)][:2]
guid = [re.search(r'"(S-\w+)"', lines[i]).group(1) for i in leaf]
for k in (1, 0):
    lines[leaf[k]] = re.sub(r"^Switch\s+\d+", "Switch\t40", lines[leaf[k]])
    lines.insert(leaf[k] + 1, '[40]\t"%s"[40]\t\t# "x" lid 1 4xEDR' % guid[1 - k])
open(sys.argv[1], "w").write("\n".join(lines))
PY
check "a cable between two leaves is reported" sh -c "'$heddle' topo '$tmp/net' | grep -q 'extra  *L1-.* port 40 - L1-.* port 40'"
same "and does not hide the tree" "2-level fat tree, 8 leaf switches and 4 spines" "$(kind "$tmp/net")"
leaf=$("$heddle" topo "$tmp/net" | sed -n "s/.*extra  *\([^ ]*\) port 40.*/\1/p")
same "without it there is a tree" "tree pgft:m=4x8,w=1x4,p=1x1" "$(kind "$tmp/net" --fail "link=$leaf:40")"

# ---- fabrics that exist ----
roles() { "$heddle" topo "$1" --json 2>/dev/null | python3 -c 'import json, sys; r = json.load(sys.stdin)["roles"]; print(r["compute"], r["management"])'; }
hosts() { "$heddle" topo "$1" --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["hosts"])'; }
if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/hdr-directors.console.txt" ]; then
    real=$HEDDLE_CAPTURES/hdr-directors.console.txt
    same "hdr-directors in words" "3-level fat tree, 8 groups of 20 leaf switches, 4 directors of 40 line and 20 spine ASICs" \
        "$(kind "$real" 2>/dev/null)"
    same "hdr-directors: spare leaves are leaves, eight rails" "[160, 160, 80] 8" \
        "$("$heddle" topo "$real" --json 2>/dev/null | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["switches_per_level"], j["rails"])')"
    same "hdr-directors: two UFM hosts are no compute hosts" "2324 4" "$(roles "$real")"
    same "hdr-directors: hosts by cabling" "294" "$(hosts "$real")"
    check "hdr-directors: ftree and dmodc are within 3 % of settle" shares "$real"
else
    skip "hdr-directors" "HEDDLE_CAPTURES has no hdr-directors.console.txt"
fi
if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/ndr-rails.ibnet" ]; then
    real=$HEDDLE_CAPTURES/ndr-rails.ibnet
    same "ndr-rails: four management ports" "538 4" "$(roles "$real")"
    same "ndr-rails: hosts by cabling" "144" "$(hosts "$real")"
    same "ndr-rails: settle in one VL" "1 True" "$(vls "$real" settle)"
    check "ndr-rails: ftree and dmodc are within 3 % of settle" shares "$real"
    check "ndr-rails: updown keeps its roots" sh -c "'$heddle' eval '$real' updown -n 200 --json | python3 -c '
import json, sys
sys.exit(json.load(sys.stdin)[\"rows\"][0][\"value\"] < 0.74)'"
else
    skip "ndr-rails" "HEDDLE_CAPTURES has no ndr-rails.ibnet"
fi
finish
