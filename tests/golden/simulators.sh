#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What other simulators read and write: traces in GOAL and of Chakra, networks for ns-3, SimAI and htsim, paths of all pairs.
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
bad "words behind the number of ranks" ":1: expected 'num_ranks N' and nothing else in its line" "num_ranks 2 rank 0 { a: send 8b to 1 }"
bad "a label twice" ":4: label 'a' of rank 0 is defined in line 3 already" "num_ranks 2" "rank 0 {" "a: calc 1" "a: calc 2" "b: calc 1" "}"
bad "a fault after comments and blank lines" ":5: 'x': expected send, recv or calc" "" "// a trace" "num_ranks 2 // ranks" "rank 0 {" "a: x" "}"
bad "no message at all" "no message between ranks" "num_ranks 2" "rank 0 {" "a: calc 1" "}"
# c begins with b, which begins when a has arrived, whichever line says so first; a receive begins before it ends.
begins() { printf '%s\n' "num_ranks 4" "rank 0 {" "a: send 1048576b to 1" "b: send 1048576b to 2" "c: send 1048576b to 3" "$@" "}" "rank 1 {" "r: recv 1048576b from 0" "}" "rank 2 {" "r: recv 1048576b from 0" "}" "rank 3 {" "r: recv 1048576b from 0" "}" >"$tmp/begins.goal" && figures "$tmp/begins.goal"; }
ends=$(begins "b requires a" "c requires a")
same "irequires: as soon as the other begins" "$ends" "$(begins "b requires a" "c irequires b")"
same "irequires before what the other waits for" "$ends" "$(begins "c irequires b" "b requires a")"
check "which is not after its end" test "$(begins "b requires a" "c requires b")" != "$ends"
check "nor at once" test "$(begins "b requires a")" != "$ends"
printf '%s\n' "num_ranks 2" "rank 0 {" "r: recv 8b from 1" "s: send 8b to 1" "s irequires r" "}" "rank 1 {" "r: recv 8b from 0" "s: send 8b to 0" "s requires r" "}" >"$tmp/posted.goal"
check "a send may begin with a receive whose message answers it" "$heddle" sim $net dmodk --trace "$tmp/posted.goal"
bad "an operation that waits for itself" "1 operation waits for itself" "num_ranks 2" "rank 0 {" "a: send 8b to 1" "c: calc 8" "c requires c" "}" "rank 1 {" "b: recv 8b from 0" "}"
bad "operations that begin with each other" "operations wait for each other" "num_ranks 2" "rank 0 {" "a: send 8b to 1" "b: calc 1" "a irequires b" "b irequires a" "}" "rank 1 {" "r: recv 8b from 0" "}"
# Each level doubled the waits of the one before, and each line looked at all of them.
awk 'BEGIN { print "num_ranks 2\nrank 1 {\nr: recv 8b from 0\n}\nrank 0 {\nl0: calc 1\nl1: calc 1\nl1 requires l0"
    for (i = 2; i <= 20000; i++) printf "l%d: %s\nl%d irequires l%d\nl%d irequires l%d\n", i, i < 20000 ? "calc 1" : "send 8b to 1", i, i - 1, i, i - 1
    print "}" }' >"$tmp/chain.goal"
check "20,000 operations that begin together take seconds at most" timeout 20 "$heddle" sim $net dmodk --trace "$tmp/chain.goal"
bad "two blocks of a rank" ":4: rank 0 has a second block" "num_ranks 2" "rank 0 {" "}" "rank 0 {" "}"

# ---- Chakra -------------------------------------------------------------------------------------------
# The same job twice: as chakra_jsonizer writes it and as a workload graph; then collectives beside the same messages in GOAL.
cat >"$tmp/chakra.py" <<'PY'
import json, os, sys
out = sys.argv[1]
def put(name, rank, nodes, graph=False):
    os.makedirs(f"{out}/{name}", exist_ok=True)
    with open(f"{out}/{name}/job.{rank}.json", "w") as f:
        if graph:
            json.dump({"workload_graph": [{"Id": i, "Name": "n", "NodeType": {"comp": 4, "send": 5, "recv": 6}[t], "data_deps": d, **a}
                                          for i, t, d, a in nodes]}, f)
            return
        f.write(json.dumps({"version": "0.0.4"}, indent=2))
        for i, t, d, a in nodes:
            n = {"name": "n", "type": {"comp": "COMP_NODE"}.get(t, f"COMM_{t.upper()}_NODE"), "durationMicros": "5"}
            if i: n["id"] = str(i)
            if d: n["dataDeps"] = [str(x) for x in d]
            n["attr"] = [{"name": "is_cpu_op", "boolVal": False}] + [
                {"name": k, "stringVal": v} if k == "pg_name" else {"name": k, "int64Val": str(v)} for k, v in a.items()]
            f.write(json.dumps(n, indent=2))
def send(i, to, size, tag, *d): return i, "send", list(d), dict(comm_size=size, comm_dst=to, comm_tag=tag)
def recv(i, fr, size, tag, *d): return i, "recv", list(d), dict(comm_size=size, comm_src=fr, comm_tag=tag)
for graph in (False, True):
    name = "graph" if graph else "join"
    put(name, 0, [(0, "comp", [], {}), send(1, 1, 1048576, 0, 0), send(2, 2, 524288, 0), recv(3, 3, 4096, 9)], graph)
    put(name, 1, [send(7, 3, 1048576, 0, 4), recv(4, 0, 1048576, 0)], graph)
    put(name, 2, [recv(0, 0, 524288, 0), send(1, 3, 524288, 1, 0)], graph)
    put(name, 3, [recv(0, 1, 1048576, 0), recv(1, 2, 524288, 1), send(2, 0, 4096, 9, 0, 1)], graph)
def coll(i, kind, size, group, *d): return i, "coll", list(d), dict(comm_type=kind, comm_size=size, pg_name=group)
# An all-reduce of ranks 0 to 4, then all-gather and reduce-scatter of the even ones, an all-to-all and a barrier of all 8.
for r in range(8):
    nodes, last = [], []
    if r < 5: nodes.append(coll(0, 0, 50000, "a")); last = [0]
    if r % 2 == 0: nodes += [coll(1, 2, 3000, "b", *last), coll(2, 7, 40000, "b", 1)]; last = [2]
    nodes += [coll(5, 6, 80000, "c", *last), coll(6, 9, 0, "c", 5)]
    put("coll", r, nodes)
    put("late", r, nodes + {0: [send(7, 7, 512, 0, 6)], 7: [recv(7, 0, 512, 0, 6)]}.get(r, []))
    put("differ", r, [coll(0, 0, 5, "a"), coll(1, 0, 5 + (r == 3), "a", 0)])
ops = [[] for _ in range(8)]
def op(r, label, text, needs):
    ops[r].append(f"{label}: {text}")
    ops[r].extend(f"{label} requires {n}" for n in needs)
def ring(name, members, steps, size, before):
    n = len(members)
    for i, r in enumerate(members):
        for s in range(steps):
            own = [f"{name}s{s - 1}", f"{name}r{s - 1}"] if s else before[r]
            op(r, f"{name}s{s}", f"send {size}b to {members[(i + 1) % n]} tag {ord(name)}", own)
            op(r, f"{name}r{s}", f"recv {size}b from {members[i - 1]} tag {ord(name)}", [])
        before[r] = [f"{name}s{steps - 1}", f"{name}r{steps - 1}"]
before = {r: [] for r in range(8)}
ring("a", [0, 1, 2, 3, 4], 8, 10000, before)
ring("b", [0, 2, 4, 6], 3, 3000, before)
ring("d", [0, 2, 4, 6], 3, 10000, before)
for r in range(8):
    for k in range(1, 8):
        op(r, f"x{k}", f"send 10000b to {(r + k) % 8} tag 1", [f"x{k - 1}"] if k > 1 else before[r])
        op(r, f"y{k}", f"recv 10000b from {(r - k) % 8} tag 1", [])
with open(f"{out}/coll.goal", "w") as f:
    print("num_ranks 8", file=f)
    for r in range(8): print(f"rank {r} {{", *ops[r], "}", sep="\n", file=f)
PY
python3 "$tmp/chakra.py" "$tmp"
same "Chakra: what chakra_jsonizer writes is the same job as GOAL" "$(figures "$tmp/join.goal")" "$(figures "$tmp/join")"
same "Chakra: so is a workload graph" "$(figures "$tmp/join.goal")" "$(figures "$tmp/graph")"
same "Chakra: collectives are the messages of their rings and rounds" "$(figures "$tmp/coll.goal")" "$(figures "$tmp/coll")"
cp -r "$tmp/coll" "$tmp/numbers"
sed -i -e 's/"stringVal": *"a"/"int32Val": 1/; s/"stringVal": *"b"/"int32Val": 2/; s/"stringVal": *"c"/"int32Val": 3/' "$tmp"/numbers/*.json
check "Chakra: groups that are numbers" sh -c "grep -q '\"int32Val\": 2' '$tmp'/numbers/*.0.json"
same "Chakra: are groups like others" "$(figures "$tmp/coll.goal")" "$(figures "$tmp/numbers")"
check "Chakra: what follows a barrier waits for all" test "$(figures "$tmp/late" | cut -d' ' -f1)" -gt "$(figures "$tmp/coll" | cut -d' ' -f1)"
same "Chakra: the same on two threads" "$("$heddle" sim $net dmodk --trace "$tmp/coll" --json --threads 1)" "$("$heddle" sim $net dmodk --trace "$tmp/coll" --json --threads 2)"
wrong() { # NAME MESSAGE FILE TEXT: a trace of two ranks with one file replaced
    rm -rf "$tmp/wrong"; mkdir "$tmp/wrong"
    echo '{}{"type":"COMM_SEND_NODE","attr":[{"name":"comm_dst","int32Val":1}]}' >"$tmp/wrong/t.0.json"
    echo '{}{"type":"COMM_RECV_NODE","attr":[{"name":"comm_src","int32Val":0}]}' >"$tmp/wrong/t.1.json"
    [ -z "$3" ] || printf '%s' "$4" >"$tmp/wrong/$3"
    exits "Chakra: $1" 3 "$2" "$heddle" sim $net dmodk --trace "$tmp/wrong"
}
check "Chakra: what is 0 may be missing" sh -c "mkdir '$tmp/short'; cd '$tmp/short'; echo '{}{\"type\":5,\"comm_dst\":1}' >t.0.json; echo '{}{\"type\":6}{\"id\":1}' >t.1.json; sed -i 's/6}/6,\"comm_src\":0}/' t.1.json; '$heddle' sim $net dmodk --trace '$tmp/short'"
wrong "a receive without its send" "t.1.json:1: no send of rank 0 to rank 1 with tag 0 matches this recv" t.0.json '{}{"type":4}'
wrong "a rank that is missing" "wrong: no file of rank 2" t.3.json '{}'
wrong "two files of a rank" "u.1.json: a second file of rank 1" u.1.json '{}'
wrong "JSON that is cut" "t.1.json:1: JSON: expected" t.1.json '{}{"type":"COMM_RE'
wrong "an unknown type" "t.1.json:1: type: expected a number from 0 to 7" t.1.json '{}{"type":"COMM_RECEIVE"}'
wrong "a peer that there is not" "t.1.json:1: comm_src: expected a number from 0 to 1" t.1.json '{}{"type":6,"comm_src":7}'
wrong "no peer" "t.1.json:1: expected an attribute comm_src" t.1.json '{}{"type":6}'
wrong "a node that waits for one that there is not" "t.1.json:1: no node of this file has id 4" t.1.json '{}{"type":6,"comm_src":0,"dataDeps":[4]}'
wrong "two nodes with one id" "t.1.json: two nodes have id 0" t.1.json '{}{"type":6,"comm_src":0}{"type":4}'
wrong "nodes that wait for each other" "wrong: 2 operations wait for each other" t.1.json '{}{"type":6,"comm_src":0}{"id":1,"dataDeps":[2]}{"id":2,"dataDeps":[1]}'
exits "Chakra: collectives that differ" 3 "job.3.json:.*: rank 3 of process group 'a' has other collectives than rank 0" "$heddle" sim $net dmodk --trace "$tmp/differ"
wrong "a collective without a root" "t.1.json:1: expected all-reduce" t.1.json '{}{"type":7,"comm_type":5}'
wrong "a trace of PyTorch" "t.1.json:1: a trace of PyTorch" t.1.json '{"schema":"1.1","nodes":[]}'
rm -rf "$tmp/empty"; mkdir "$tmp/empty"
exits "Chakra: a folder without traces" 3 "empty: expected files NAME.RANK.json" "$heddle" sim $net dmodk --trace "$tmp/empty"
exits "Chakra: one file" 3 "t.0.json: a file of JSON: expected the folder" "$heddle" sim $net dmodk --trace "$tmp/wrong/t.0.json"
exits "Chakra: more ranks than endpoints" 3 "coll: 8 ranks: there are 4 endpoints" "$heddle" sim gft:n=2,m=2,r=2 dmodk --trace "$tmp/coll"

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
"$heddle" topo rail:rails=4,units=2,hosts=3,spines=2,uplinks=2 --format simai >"$tmp/simai"
check "SimAI: GPUs by host, an NVSwitch each, one leaf per GPU, rails of a unit on different leaves" python3 - "$tmp/simai" <<'PY'
import sys
lines = open(sys.argv[1]).read().splitlines()
nodes, per_host, nvswitches, switches, links, gpu = lines[0].split()
nodes, per_host, nvswitches, switches, links = map(int, (nodes, per_host, nvswitches, switches, links))
gpus = nodes - nvswitches - switches
assert gpu == "H100" and per_host == 4 and nvswitches * per_host == gpus == 24 and len(lines) == 2 + links
assert list(map(int, lines[1].split())) == list(range(gpus, nodes))  # NVSwitches come first
near = {}
for a, b, rate, delay, loss in (l.split() for l in lines[2:]):
    assert rate.endswith("Gbps") and delay.endswith("ms") and loss == "0"
    if int(a) < gpus: near.setdefault(int(a), []).append(int(b))
for g in range(gpus):
    nv, leaf = near[g]
    assert nv == gpus + g // per_host and leaf >= gpus + nvswitches
for h in range(0, gpus, per_host):
    assert len({near[h + i][1] for i in range(per_host)}) == per_host
PY
same "SimAI: one adapter per host, no NVSwitch" "8 1 0 4 8 H100" "$("$heddle" topo gft:n=2,m=2,r=2 --format simai | head -n 1)"
"$heddle" topo rail:rails=2,units=1,hosts=3,spines=1,uplinks=1 --endpoints 'node-[12]|mlx5_0' --format simai >"$tmp/simai" 2>"$tmp/notes"
same "SimAI: a host that lacks an adapter is left out" "9 2 2 3 10 H100" "$(head -n 1 "$tmp/simai")"
check "SimAI: and noted" grep -q "simai: 1 host, such as .*, without the 2 adapters that the others have: left out" "$tmp/notes"
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
