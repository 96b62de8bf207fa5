#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A miswired fabric of 648 hosts on the real ibsim, swept by the real OpenSM and discovered by the real ibnetdiscover:
# advise names every fault in its first step, with the ports of both ends. cables648.py lists the faults.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "faults of 648 hosts" ibsim opensm ibnetdiscover

python3 tests/ib/cables648.py "$tmp/drawn.net"
if ! start_sim "$tmp/drawn.net"; then fail "ibsim starts" "$(tail -n 3 "$run/ibsim.log")"; finish; fi
if sweep; then pass "OpenSM routes it"; else fail "OpenSM routes it" "$(tail -n 3 "$run/osm.log")"; fi
client ibnetdiscover >"$tmp/found.net"
stop_all
"$heddle" advise "$tmp/found.net" --quiet --json >"$tmp/advice.json"
first=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["steps"][0]["what"])' "$tmp/advice.json")
# named NAME TEXT...: all of them are in the first step.
named() {
    local name=$1 text; shift
    for text; do
        case $first in *"$text"*) ;; *) fail "$name" "expected: $text" "in: $first"; return ;; esac
    done
    pass "$name"
}
named "the first step repairs the cabling" "Repair the cabling"
named "a cable that is out, 1" "leaf03 port 23 - spine05 port 3"
named "a cable that is out, 2" "leaf17 port 20 - spine02 port 17"
named "a cable that is out, 3" "leaf30 port 32 - spine14 port 30"
named "swapped cables" "leaf05 port 28 - spine11 port 6 and leaf06 port 29 - spine10 port 5"
named "two leaf switches connected to each other" "leaf14 port 36 - leaf15 port 36: remove it" \
    "leaf14 port 36 - spine18 port 14" "leaf15 port 36 - spine18 port 15"
named "one lane of four" "leaf08 port 21 - spine03 port 8 (1xEDR, not 4xEDR)"
named "a slow cable" "leaf20 port 25 - spine07 port 20 (4xQDR, not 4xEDR)"
named "a slow host" "leaf12 port 2 - node200 (4xFDR, not 4xEDR)"
named "a host that is off" "check 1 host that is not in the fabric: node100 at leaf06 port 10"
named "hosts in each other's place" "leaf24 port 3 - node399 and leaf23 port 3 - node417"
named "a dead spine" "spine16, which is not in the fabric, 36 cables led to it: leaf01 port 34"
same "nothing else" "5 missing cables, 1 missing host, 2 swaps, 1 wrong, 0 extra, 3 slow, 1 dead" \
    "$("$heddle" topo "$tmp/found.net" --json | python3 -c '
import json, sys
c = json.load(sys.stdin)["cabling"]
hosts = [x for x in c["missing"] if x["to"]["guid"] is None]
print("%d missing cables, %d missing host, %d swaps, %d wrong, %d extra, %d slow, %d dead" % (
    len(c["missing"]) - len(hosts), len(hosts), *(len(c[k]) for k in ("swapped", "wrong", "extra", "slow", "dead"))))')"
kind() { "$heddle" topo "$@" | sed -n 's/^kind  *//p'; }
same "the tree is seen" "2-level fat tree, 36 leaf switches and 17 spines" "$(kind "$tmp/found.net")"
same "without the wrong cable it is a tree with cables missing" "tree pgft:m=18x36,w=1x17,p=1x1" \
    "$(kind "$tmp/found.net" --fail link=leaf14:36)"
check "a removed cable is not blamed" sh -c "! '$heddle' topo '$tmp/found.net' --fail link=leaf14:36 | grep -q 'leaf14 port 36 - leaf15'"
check "tree engines apply" sh -c "'$heddle' check '$tmp/found.net' ftree && '$heddle' check '$tmp/found.net' dmodc"
finish
