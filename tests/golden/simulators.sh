#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What other simulators read and write: traces in GOAL, networks for ns-3 and htsim, paths of all pairs.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
net=ft:m=4,n=2

# ---- GOAL ---------------------------------------------------------------------------------------------
# Ranks 1 and 2 forward what they get from 0 to 3, which answers when it has both.
cat >"$tmp/join.goal" <<'GOAL'
num_ranks 4

rank 0 {
l0: calc 5000
l1: send 1048576b to 1 tag 0 cpu 0 nic 0
l1 requires l0
l2: send 524288b to 2 tag 0
l3: recv 4096b from 3 tag 9
}
rank 1 {
s requires r
r: recv 1048576b from 0 tag 0
s: send 1048576b to 3 tag 0
}
rank 2 {
r: recv 524288b from 0 tag 0
s: send 524288b to 3 tag 1
s requires r
}
rank 3 {
a: recv 1048576b from 1 tag 0
b: recv 524288b from 2 tag 1
c: send 4096b to 0 tag 9
c requires a
c requires b
}
GOAL
figures() { "$heddle" sim $net dmodk --trace "$1" --json | python3 -c 'import json, sys; r = json.load(sys.stdin)["rows"][0]; print(r["time_ns"], r["packets"])'; }
# The longer chain ends last, so the answer waits for its third message; the same as lines.
printf '0 1 1048576 -\n0 2 524288 -\n1 3 1048576 1\n2 3 524288 2\n3 0 4096 3\n' >"$tmp/late.trace"
printf '0 1 1048576 -\n0 2 524288 -\n1 3 1048576 1\n2 3 524288 2\n3 0 4096 4\n' >"$tmp/early.trace"
same "a message that waits for two begins after the later one" "$(figures "$tmp/late.trace")" "$(figures "$tmp/join.goal")"
check "which is not what waiting for the other gives" test "$(figures "$tmp/early.trace")" != "$(figures "$tmp/join.goal")"
same "the same on two threads, four runs" "$("$heddle" sim $net dmodk --trace "$tmp/join.goal" -n 4 --json --threads 1)" "$("$heddle" sim $net dmodk --trace "$tmp/join.goal" -n 4 --json --threads 2)"
bad() { # NAME MESSAGE LINES...
    printf '%s\n' "${@:3}" >"$tmp/bad.goal"
    exits "GOAL: $1" 3 "bad.goal.*$2" "$heddle" sim $net dmodk --trace "$tmp/bad.goal"
}
bad "operations that wait for each other" "4 operations wait for each other" "num_ranks 2" "rank 0 {" "a: send 8b to 1" "b: recv 8b from 1" "a requires b" "}" "rank 1 {" "a: send 8b to 0" "b: recv 8b from 0" "a requires b" "}"
bad "a send that nobody receives" ":3: no recv of rank 1 from rank 0 with tag 5 matches this send" "num_ranks 2" "rank 0 {" "a: send 8b to 1 tag 5" "}"
bad "a label that there is not" ":4: 'b': no operation of rank 0 has that label" "num_ranks 2" "rank 0 {" "a: calc 1" "a requires b" "}"
bad "a rank that there is not" ":3: '2': expected a rank from 0 to 1" "num_ranks 2" "rank 0 {" "a: send 8b to 2" "}"
bad "more ranks than endpoints" ":1: num_ranks 9: there are 8 endpoints" "num_ranks 9"
bad "a block without an end" "the block of rank 0 has no end" "num_ranks 2" "rank 0 {" "a: calc 1"
bad "a size without its unit" ":3: expected 'send BYTESb to RANK'" "num_ranks 2" "rank 0 {" "a: send 8 to 1" "}"
bad "no message at all" "no message between ranks" "num_ranks 2" "rank 0 {" "a: calc 1" "}"
bad "two blocks of a rank" ":4: rank 0 has a second block" "num_ranks 2" "rank 0 {" "}" "rank 0 {" "}"

# ---- networks -----------------------------------------------------------------------------------------
"$heddle" topo torus:dims=3x3,hosts=2 --format ns3 >"$tmp/ns3"
"$heddle" topo torus:dims=3x3,hosts=2 --json >"$tmp/json"
check "ns-3: nodes, switches and links as counted, every host on one switch" python3 - "$tmp/ns3" "$tmp/json" <<'PY'
import json, sys
lines = open(sys.argv[1]).read().splitlines()
j = json.load(open(sys.argv[2]))
nodes, switches, links = map(int, lines[0].split())
ids = set(map(int, lines[1].split()))
assert (nodes, switches, links) == (j["endpoints"] + j["switches"], j["switches"], j["cables"]), lines[0]
assert ids == set(range(j["endpoints"], nodes)) and len(lines) == 2 + links
ends = [tuple(map(int, x.split()[:2])) for x in lines[2:]]
for h in range(j["endpoints"]):
    assert sum(h in e for e in ends) == 1
assert all(x.split()[2].endswith("Gbps") and x.split()[3].endswith("ms") and x.split()[4] == "0" for x in lines[2:])
PY
same "htsim: a tree of two tiers, 4:1" "Nodes 32|Tiers 2|Podsize 32|Tier 0|Downlink_speed_Gbps 100|Radix_Down 8|Radix_Up 2|Downlink_Latency_ns 500|Switch_Latency_ns 0|Oversubscribed 4|Tier 1|Downlink_speed_Gbps 100|Radix_Down 4|Downlink_Latency_ns 500|Switch_Latency_ns 0" \
    "$("$heddle" topo xgft:m=8x4,w=1x2 --format htsim | grep . | paste -sd'|')"
same "htsim: three tiers, pods of 16" "Podsize 16" "$("$heddle" topo ft:m=8,n=3 --format htsim | grep Pod)"
exits "htsim: no tree" 3 "does not fit: not a tree of two or three levels" "$heddle" topo torus:dims=4x4 --format htsim
exits "htsim: parallel cables" 3 "does not fit: parallel cables" "$heddle" topo pgft:m=12x12,w=1x6,p=1x2 --format htsim
exits "htsim: a damaged tree" 3 "does not fit: not complete" "$heddle" topo ft:m=8,n=2 --fail links=1,seed=1 --format htsim

# ---- paths --------------------------------------------------------------------------------------------
"$heddle" route $net dmodk --format paths -o "$tmp/paths.csv" >/dev/null
"$heddle" check $net dmodk --json >"$tmp/json"
check "paths: every pair once, with as many channels as check counts" python3 - "$tmp/paths.csv" "$tmp/json" <<'PY'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
j = json.load(open(sys.argv[2]))
assert len(rows) == len({(r["from"], r["to"]) for r in rows}) == j["pairs"] == 56
assert all(len(r["ports"].split()) == int(r["hops"]) - 1 for r in rows)
first = {}
for r in rows:  # a source has one leaf switch, and the last port of a destination is its own
    assert first.setdefault(("leaf", r["from"]), r["ports"].split()[0].split(":")[0]) == r["ports"].split()[0].split(":")[0]
    assert first.setdefault(("port", r["to"]), r["ports"].split()[-1]) == r["ports"].split()[-1]
PY
finish
