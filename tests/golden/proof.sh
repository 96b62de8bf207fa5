#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle check leaves nothing of a table out: endpoints that are not selected, every LID, every VL. Tables of small
# networks, each right but for a few entries.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
# turn LFT LID GUID=PORT...: the port of some switches (all: *) towards a LID; no port: the line goes.
turn() {
    python3 - "$@" <<'END'
import sys
ports = dict(p.split("=") for p in sys.argv[3:])
guid = ""
for line in open(sys.argv[1]):
    if line.startswith("Unicast"):
        guid = line.split("guid ")[1].split()[0][-1]
    elif line.startswith(sys.argv[2]):
        port = ports.get(guid, ports.get("*"))
        if port == "":
            continue
        line = line if port is None else line[:7] + port.zfill(3) + line[10:]
    sys.stdout.write(line)
END
}
# judge NET TABLE KEY...: exit status and values of check --json; null is None.
judge() {
    local net=$1 table=$2; shift 2
    "$heddle" check "$net" "$table" --json >"$tmp/json" 2>"$tmp/notes"
    echo "$? $(python3 -c 'import functools, json, sys
j = json.load(open(sys.argv[1]))
print(*(functools.reduce(lambda o, k: o[k], key.split("."), j) for key in sys.argv[2:]))' "$tmp/json" "$@")"
}
plain() { "$heddle" route "$1" "$2" -o - 2>/dev/null | grep -v '^# heddle'; }

# Storage. In the ring 0 1 2 3 port 3 leads to the next switch, port 4 to the one before. Hosts and storage together go
# all round in the last table.
ring=torus:dims=4,hosts=2
"$heddle" topo $ring --format ibnet 2>/dev/null | sed -E 's/node-0000([46])/oss-0000\1/' >"$tmp/ring.ibnet"
plain $ring updown >"$tmp/ring.lft"
other='other_endpoints.endpoints other_endpoints.unreachable other_endpoints.loops'
same "a table that serves storage" "0 30 0 2 0 0 True" "$(judge "$tmp/ring.ibnet" "$tmp/ring.lft" pairs unreachable $other deadlock_free)"
turn "$tmp/ring.lft" 0x0005 '*=' >"$tmp/hole.lft"
same "no entry for storage" "1 0 2 7 0" "$(judge "$tmp/ring.ibnet" "$tmp/hole.lft" unreachable $other)"
check "which is shown" sh -c "'$heddle' check '$tmp/ring.ibnet' '$tmp/hole.lft' | grep -q '^other endpoints  2; of 26 pairs with them 7 unreachable, 0 in loops, such as node-00000 to oss-00004'"
exits "and not deployed" 1 'not deployed: 7 pairs with storage' "$heddle" route "$tmp/ring.ibnet" "$tmp/hole.lft" --deploy "$tmp/deployed"
check "and is a finding" sh -c "'$heddle' advise '$tmp/ring.ibnet' '$tmp/hole.lft' | grep -q 'FAIL  other endpoints'"
turn "$tmp/ring.lft" 0x0005 0=3 1=4 >"$tmp/loop.lft"
same "storage in a loop" "1 0 2 0 4" "$(judge "$tmp/ring.ibnet" "$tmp/loop.lft" unreachable $other)"
check "those who choose read what is left out" sh -c "'$heddle' check '$tmp/ring.ibnet' '$tmp/hole.lft' --endpoints 'node-0000[0-2]' | grep -q '^other endpoints  5, not selected and not checked'"
cp "$tmp/ring.lft" "$tmp/round.lft"
for change in 0x0001:2=3 0x0003:3=3 0x0006:0=4 0x0008:1=4 0x0005:0=3 0x0007:1=3; do
    same "no credit loop yet" "0 True" "$(judge "$tmp/ring.ibnet" "$tmp/round.lft" unreachable deadlock_free | cut -d ' ' -f 1,3)"
    turn "$tmp/round.lft" ${change%:*} ${change#*:} >"$tmp/next.lft" && mv "$tmp/next.lft" "$tmp/round.lft"
done
same "storage closes a credit loop" "1 0 False" "$(judge "$tmp/ring.ibnet" "$tmp/round.lft" unreachable deadlock_free)"

# Aggregation nodes, of which a tree that has lost cables cannot serve all.
sharp=director:groups=2,leaves=2,directors=1,lines=2,spines=2,hosts=2,rails=2,sharp=on
kept='other_endpoints.aggregation_nodes other_endpoints.unreachable other_endpoints.aggregation_unserved other_endpoints.aggregation_deadlock_free'
same "pairs of them far apart" "0 10 0 2 True" "$(judge $sharp updown $kept)"
same "are served by others, in a credit loop" "0 True 10 0 0 False" "$(judge $sharp minhop deadlock_free $kept)"
plain $sharp minhop >"$tmp/sharp.lft"
lid=$(grep -m 1 'Channel Adapter.*Aggregation' "$tmp/sharp.lft" | cut -d ' ' -f 1)
turn "$tmp/sharp.lft" "$lid" '*=' >"$tmp/lost.lft"
same "one that no switch has an entry for" "1 10 4 13 False" "$(judge $sharp "$tmp/lost.lft" $kept)"
finish
