#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Orders for training jobs: times against a second writing of the groups, what is refused, and degenerate jobs.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

python3 tests/golden/mesh.py "$heddle" >"$tmp/found" 2>&1
same "times follow from the definition of the groups" "" "$(grep -v '^same' "$tmp/found")"
check "of ten meshes" sh -c "[ \$(grep -c '^same' '$tmp/found') -eq 10 ]"
rails=rail:rails=4,units=3,hosts=8,spines=2,uplinks=2
same "two threads print the same bytes" "$("$heddle" order $rails minhop --mesh tp=4,pp=4,dp=6 --json --threads 1)" \
    "$("$heddle" order $rails minhop --mesh tp=4,pp=4,dp=6 --json --threads 2)"
"$heddle" order $rails minhop --mesh tp=4,pp=4,dp=6 --json -o "$tmp/ranks" --format openmpi >"$tmp/plan.json"
same "a rank per rail where nothing is said" "96" "$(grep -c '^rank' "$tmp/ranks")"
check "the rank file has the order found" python3 - "$tmp" <<'PY'
import json, re, sys
hosts = json.load(open(sys.argv[1] + "/plan.json"))["hosts"]
ranks = re.findall(r"rank (\d+)=(\S+)", open(sys.argv[1] + "/ranks").read())
assert [hosts[int(r) // 4] for r, _ in ranks] == [h for _, h in ranks]
PY
for shape in xgft:m=8x6,w=1x4:pp=4,dp=12 xgft:m=8x6,w=1x4:pp=6,ep=8,dp=8 $rails:tp=4,pp=4,dp=6; do
    check "a fifth better than a random order where cables are scarce: $shape" sh -c "'$heddle' order '${shape%:*}' minhop --mesh '${shape##*:}' --json |
        python3 -c 'import json, sys; r = json.load(sys.stdin)[\"mesh\"][\"rows\"]; sys.exit(r[0][\"step_ms\"] * 1.2 > r[2][\"step_ms\"] or r[2][\"order\"] != \"random\")'"
done
# reaches FABRIC ARGUMENTS...: whether the order found takes as long as the bound.
reaches() { "$heddle" order "$@" --json 2>"$tmp/err" | python3 -c 'import json, sys; m = json.load(sys.stdin)["mesh"]; sys.exit(m["rows"][0]["step_ms"] > m["bound"]["step_ms"] * 1.000001)'; }
# Two hosts with four adapters each on a leaf switch, every sixth host is not part of the job: leaf switches with one node
# and with two, and nine cables up for eight adapters, so that several rails of a host share channels.
"$heddle" topo xgft:m=8x40,w=1x9 --format ibnet | python3 -c '
import re, sys
print(re.sub(r"node-(\d+)", lambda m: "host%02d mlx5_%d" % divmod(int(m[1]), 4), sys.stdin.read()), end="")' >"$tmp/pairs.ibnet"
for i in $(seq 0 75); do [ $((i % 6)) = 5 ] || printf 'host%02d\n' "$i"; done >"$tmp/pairs"
check "experts on leaf switches with one node and with two: the bound" reaches "$tmp/pairs.ibnet" dmodk --nodes "$tmp/pairs" --mesh tp=1,pp=4,ep=32,dp=64 --bytes tp=0,dp=7GiB,pp=2GiB,ep=20GiB
if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/hdr-directors.console.txt" ]; then
    real=$HEDDLE_CAPTURES/hdr-directors.console.txt
    "$heddle" order "$real" --before alphabetical --for alphabetical --format names 2>/dev/null | grep -v '#' >"$tmp/real"
    head -n 140 "$tmp/real" >"$tmp/nodes"
    check "hdr-directors, MT-NLG: the bound" reaches "$real" --nodes "$tmp/nodes" --mesh tp=8,pp=35,dp=4 --bytes tp=0,dp=7GiB,pp=2GiB
    head -n 192 "$tmp/real" >"$tmp/nodes"
    check "hdr-directors, BLOOM: the bound" reaches "$real" --nodes "$tmp/nodes" --mesh tp=4,pp=12,dp=32,order=deepspeed --bytes tp=0,dp=13GiB,pp=3GiB
else
    skip "hdr-directors: the bound" "HEDDLE_CAPTURES has no hdr-directors.console.txt"
fi
check "one rank a node is one" sh -c "'$heddle' order ft:m=4,n=2 --mesh pp=8 | grep -q ', 1 rank per node: '"
exits "a mesh of other ranks" 3 "tp\*cp\*pp\*dp is 8 ranks, expected 96: 24 hosts with 4 each" "$heddle" order $rails --mesh tp=8
exits "experts that do not divide" 3 "ep=5 divides neither dp=6 nor" "$heddle" order $rails minhop --mesh tp=4,pp=4,dp=6,ep=5
exits "an unknown kind of group" 3 "unknown key 'zp'" "$heddle" order $rails minhop --mesh zp=4
exits "bytes that are none" 3 "expected" "$heddle" order $rails minhop --mesh tp=4,pp=4,dp=6 --bytes dp=lots
exits "bytes without a mesh" 2 "bytes are those of a mesh" "$heddle" order $rails minhop --bytes dp=1GiB
exits "a mesh and another goal" 2 "for and --mesh exclude each other" "$heddle" order $rails minhop --mesh tp=4,pp=4,dp=6 --for ring
check "no gain of a mesh is no gain" sh -c "'$heddle' order ft:m=4,n=2 dmodk --mesh dp=8 | grep -q '^verdict: keep the current order: not worth it for a step of the mesh;'"
printf 'node-00000 slots=4\nnode-00001 slots=2\n' >"$tmp/uneven"
exits "nodes with different numbers of ranks" 3 "different numbers of ranks" "$heddle" order ft:m=4,n=2 dmodk --nodes "$tmp/uneven" --mesh tp=2,dp=3
check "one node" sh -c "'$heddle' order ft:m=4,n=2 dmodk --nodes node-00000 --per-node 8 --mesh tp=8 | grep -q 'any order will do'"
check "two nodes" "$heddle" order ft:m=4,n=2 dmodk --nodes 'node-[00000-00001]' --per-node 3 --mesh tp=3,dp=2
check "an odd number" "$heddle" order ft:m=4,n=2 dmodk --nodes 'node-[00000-00004]' --mesh pp=5
finish
