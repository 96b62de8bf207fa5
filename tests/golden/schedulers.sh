#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The tree that schedulers get: labels, Kueue, Volcano and topograph name the same switches above the same nodes as Slurm.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
net=xgft:m=2x3x2,w=1x2x2
for format in k8s-labels kueue volcano topograph slurm; do
    check "$format is written" "$heddle" topo $net --format $format -o "$tmp/$format"
done
check "all of them are one tree" python3 - "$tmp" <<'PY'
import json, re, sys
folder = sys.argv[1] + "/"
layers = {i["id"]: i["network_layers"] for i in json.load(open(folder + "topograph"))["instances"]}
assert len(layers) == 12 and all(len(l) == 3 for l in layers.values())
labels = {}
for line in open(folder + "k8s-labels"):
    words = line.split()
    assert words[:4] == ["kubectl", "label", "--overwrite", "node"]
    tiers = dict(w.split("=") for w in words[5:])
    labels[words[4]] = [tiers["fabric.topograph.run/tier-%d" % i] for i in range(len(tiers))]
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", v) for v in tiers.values())
assert labels == layers
parent = {}
for text in open(folder + "volcano").read().split("---\n"):
    name, tier = re.search(r'^  name: "(\S+)"\nspec:\n  tier: (\d)', text, re.M).groups()
    kinds = set(re.findall(r"type: (\w+)", text))
    assert kinds == ({"Node"} if tier == "1" else {"HyperNode"}), (name, kinds)
    for member in re.findall(r'^        name: "(.*)"', text, re.M): parent[member] = name
for node, chain in layers.items():
    at = node
    for switch in chain:
        at = parent[at]
        assert at == switch.lower(), (node, chain)
    assert at not in parent
levels = re.findall(r"nodeLabel: (\S+)", open(folder + "kueue").read())
assert levels == ["fabric.topograph.run/tier-%d" % i for i in (2, 1, 0)] + ["kubernetes.io/hostname"]
slurm = dict(re.findall(r"SwitchName=(\S+) (?:Nodes|Switches)=(\S+)", open(folder + "slurm").read()))
assert set(slurm) == {s for chain in layers.values() for s in chain}
PY
# ---- topology.yaml ------------------------------------------------------------------------------------
# What topology.yaml(5) and Slurm's plugins ask of a file: a name first, one kind per topology, names that are unique, every
# host once, blocks no smaller than the base size, sizes that double, a ring of 16, boxes within the torus.
cat >"$tmp/kinds.py" <<'PY'
import re, sys, yaml
def hosts(text):
    names = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        m = re.fullmatch(r"(.*)\[(.*)\]", part)
        for piece in m[2].split(",") if m else [None]:
            if not m: names.append(part); continue
            low, _, high = piece.partition("-")
            names += [m[1] + str(i).zfill(len(low)) for i in range(int(low), int(high or low) + 1)]
    return names
topologies = yaml.safe_load(open(sys.argv[1]))
kinds = []
assert [t["cluster_default"] for t in topologies] == [True] + [False] * (len(topologies) - 1)
for t in topologies:
    keys = list(t)
    assert keys[:2] == ["topology", "cluster_default"] and len(keys) == 3 and len(t["topology"]) <= 64
    kind, body = keys[2], t[keys[2]]
    kinds.append(kind)
    if kind == "tree":
        leaves = {s["switch"]: hosts(s["nodes"]) for s in body["switches"] if "nodes" in s}
        every = [h for l in leaves.values() for h in l]
        assert len(set(every)) == len(every)
    elif kind == "block":
        blocks = {b["block"]: hosts(b["nodes"]) for b in body["blocks"]}
        sizes = body["block_sizes"]
        assert len(body["blocks"]) == len(blocks) > 1 and sorted(h for b in blocks.values() for h in b) == sorted(every)
        assert all(sum(not set(l).isdisjoint(b) for b in blocks.values()) == 1 for l in leaves.values())
        assert sizes[0] == min(map(len, blocks.values())) > 1 and sizes[-1] <= sizes[0] * len(blocks) < 2 * sizes[-1]
        assert all(b == 2 * a for a, b in zip(sizes, sizes[1:]))
    elif kind == "ring":
        (ring,) = body["rings"]
        assert set(ring) == {"ring", "nodes"} and sorted(hosts(ring["nodes"])) == sorted(every) and len(every) <= 16
    elif kind == "torus3d":
        (torus,) = body["toruses"]
        d = torus["dims"]
        assert list(d) == ["x", "y", "z"] and d["x"] * d["y"] * d["z"] == len(every)
        assert sorted(hosts(torus["nodes"])) == sorted(every) and torus["placements"][0]["dims"] == d
        volumes = [p["dims"]["x"] * p["dims"]["y"] * p["dims"]["z"] for p in torus["placements"]]
        assert volumes[-1] == 1 and all(a > b and a % b == 0 for a, b in zip(volumes, volumes[1:]))
        assert all(d[i] % p["dims"][i] == 0 for p in torus["placements"] for i in d)
print(*kinds)
PY
valid() { # NET FORMAT KINDS
    "$heddle" topo "$1" --format "$2" -o "$tmp/topology.yaml" 2>"$tmp/notes"
    same "$1: $2 has $3" "$3" "$(python3 "$tmp/kinds.py" "$tmp/topology.yaml" 2>&1)"
}
if python3 -c 'import yaml' 2>/dev/null; then
    for net in xgft:m=2x3x2,w=1x2x2 xgft:m=1x3x2,w=1x2x2 rail:rails=2,units=3,hosts=4,spines=2,uplinks=2 torus:dims=4x4x2,hosts=2; do
        valid $net slurm-yaml "tree block"
    done
    same "leaf switches of one host: the subtrees above them are blocks" "3,6" "$("$heddle" topo xgft:m=1x3x2,w=1x2x2 --format slurm-yaml |
        sed -n '/block_sizes/,/blocks:/s/ *- //p' | paste -sd,)"
    valid gft:n=2,m=1,r=1 slurm-yaml tree
    check "and says why there are no blocks" grep -q "no blocks: neither leaf switches nor subtrees" "$tmp/notes"
    valid torus:dims=4x4x2,hosts=1 slurm-yaml-26.05 "tree torus3d"
    valid torus:dims=3x5,hosts=1 slurm-yaml-26.05 "tree torus3d"
    valid torus:dims=24,hosts=1 slurm-yaml-26.05 "tree torus3d"
    valid torus:dims=16,hosts=1 slurm-yaml-26.05 "tree ring"
    valid torus:dims=4x4,hosts=2 slurm-yaml-26.05 "tree block"
    valid mesh:dims=4x4,hosts=1 slurm-yaml-26.05 tree
    check "and says why there is no torus" grep -q "neither ring nor torus3d: not a torus" "$tmp/notes"
    check "hosts of a ring and of a torus are in the order of their switches" sh -c "'$heddle' topo torus:dims=5x3,hosts=1 --format slurm-yaml-26.05 | grep -q 'nodes: \"node-00000,node-00001,node-00002,node-00003,node-00004,node-00005,'"
else
    skip "topology.yaml" "python3-yaml is not installed"
fi

"$heddle" topo gft:n=2,m=1,r=1 --format topograph >"$tmp/one"
same "one leaf switch" "L1-0000" "$(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1]))["instances"][0]["network_layers"])' "$tmp/one")"
# ---- names that a switch or a host may have, and an object of Kubernetes may not -------------------------------
"$heddle" topo ft:m=4,n=2 -o "$tmp/net"
sed -i -e 's/"L1-0000"/"leaf_1"/g; s/"L1-0001"/"leaf-1"/g; s/"L1-0002"/"true"/g; s/"L1-0003"/"--"/g' \
    -e 's/"node-00000"/"--all"/g; s/"node-00001"/"Node_2"/g; s/"node-00002"/"node-2"/g; s/"node-00003"/"a__b"/g' "$tmp/net"
for counts in 'k8s-labels:1 switch has 3 hosts have' 'volcano:2 switches have 3 hosts have' kueue: topograph:; do # leaf_1 is a value of a label, and no object
    format=${counts%:*}
    "$heddle" topo "$tmp/net" --format $format -o "$tmp/$format" 2>"$tmp/notes"
    same "$format: names that were changed are counted" "${counts#*:}" \
        "$(sed -n 's/.*: \([0-9]* \(switch\|host\)[es]* ha[a-z]*\) a name.*Kubernetes.*/\1/p' "$tmp/notes" | paste -sd ' ')"
done
same "nodes have names, no options" "a--b node-00004 node-00005 node-00006 node-00007 node-2 node-2-2 x--all" \
    "$(awk '$4 == "node" { print $5 }' "$tmp/k8s-labels" | sort | paste -sd ' ')"
same "labels begin and end with letters and digits" "leaf-1 leaf_1 true x--x" \
    "$(grep -o 'tier-0=.*' "$tmp/k8s-labels" | sed 's/ .*//; s/.*=//' | sort -u | paste -sd ' ')"
same "HyperNodes are distinct strings" '"leaf-1" "leaf-1-2" "top" "true" "x--x"' \
    "$(sed -n 's/^  name: //p' "$tmp/volcano" | sort | paste -sd ' ')"
same "as their members are" '"a--b" "leaf-1" "leaf-1-2" "node-2" "node-2-2" "true" "x--all" "x--x"' \
    "$(sed -n 's/^        name: //p' "$tmp/volcano" | grep -v node-0 | sort | paste -sd ' ')"
sed 's/"leaf_1"/"a b"/g' "$tmp/net" >"$tmp/blank"
for format in k8s-labels:Kubernetes kueue:Kueue volcano:Volcano topograph:topograph; do
    "$heddle" topo "$tmp/blank" --format ${format%:*} -o "$tmp/out" 2>"$tmp/notes"
    check "${format%:*}: names are changed for ${format#*:}" grep -qx "heddle: 1 name was changed for ${format#*:}" "$tmp/notes"
done
# What a file needs is said of the program that reads it.
"$heddle" topo ft:m=4,n=2 --format ibnet | sed 's/"node-[0-9]*"/"localhost mlx5_0"/' >"$tmp/nameless"
sed '/^caguid/,/^$/d; /"H-/d' "$tmp/nameless" >"$tmp/hostless"
for format in k8s-labels:Kubernetes kueue:Kueue volcano:Volcano topograph:topograph slurm:Slurm slurm-yaml:Slurm; do
    same "${format%:*}: ${format#*:} needs a host with a name" \
        "heddle: $tmp/nameless: no host has a name of its own ('localhost'): ${format#*:} needs at least one" \
        "$("$heddle" topo "$tmp/nameless" --format ${format%:*} 2>&1)"
    same "${format%:*}: ${format#*:} needs a host" \
        "heddle: $tmp/hostless: no endpoint is selected: ${format#*:} needs at least one host" \
        "$("$heddle" topo "$tmp/hostless" --format ${format%:*} 2>&1)"
done
finish
