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
    name, tier = re.search(r"^  name: (\S+)\nspec:\n  tier: (\d)", text, re.M).groups()
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
"$heddle" topo gft:n=2,m=1,r=1 --format topograph >"$tmp/one"
same "one leaf switch" "L1-0000" "$(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1]))["instances"][0]["network_layers"])' "$tmp/one")"
finish
