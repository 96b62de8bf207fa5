#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Network formats as programs we did not write read them: Graphviz, libxml2, Python's json, networkx and
# yaml, Slurm's host lists, and its controller where that is installed.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

"$heddle" topo gft:n=1,m=1,r=1 >"$tmp/out" 2>"$tmp/err"
if grep -q '^heddle: topo: neither a topology nor a file' "$tmp/err"; then
    skip "formats" "this build has no command 'topo'"
    finish
fi

write() { "$heddle" topo "$1" --format "$2" -o "$3" 2>"$tmp/err" || cat "$tmp/err" >&2; }
have() { command -v "$1" >/dev/null; }
python_has() { python3 -c "import $1" 2>/dev/null; }

# net, switches, endpoints, cables
nets="gft:n=4,m=4,r=8 12 32 64
ft:m=4,n=3 20 16 48
pgft:m=4x4,w=1x2,p=1x2 6 16 32
ft:m=6,n=1 1 6 6
gft:n=1,m=1,r=1 2 1 2
ft:m=4,n=4,partial=random:5 56 5 101"

while read -r net switches endpoints cables; do
    nodes=$((switches + endpoints))
    for format in dot graphml json slurm slurm-yaml svg; do write "$net" $format "$tmp/net.$format"; done

    same "$net: Graphviz lays out every node and edge" "$nodes $cables" \
        "$(dot -Tplain "$tmp/net.dot" | awk '$1 == "node" { n++ } $1 == "edge" { e++ } END { print n + 0, e + 0 }')"
    same "$net: gvpr finds a GUID on every node" "$nodes" \
        "$(gvpr 'N [$.guid != ""] { print($.name) }' "$tmp/net.dot" | wc -l)"
    check "$net: GraphML is XML" xmllint --noout "$tmp/net.graphml"
    same "$net: GraphML nodes and edges" "$nodes $cables" \
        "$(xmllint --xpath 'concat(count(//*[local-name()="node"]), " ", count(//*[local-name()="edge"]))' "$tmp/net.graphml")"
    check "$net: SVG is XML" xmllint --noout "$tmp/net.svg"
    check "$net: JSON" python3 -m json.tool "$tmp/net.json" /dev/null
    same "$net: JSON nodes, links and their ends" "$switches $endpoints $cables True True" "$(python3 - "$tmp/net.json" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
nodes, links = d["nodes"], d["links"]
ids = [n["id"] for n in nodes] == list(range(len(nodes)))
ends = all(0 <= l["source"] < len(nodes) and 0 <= l["target"] < len(nodes) for l in links)
apart = len({(l["source"], l["target"], l["key"]) for l in links}) == len(links)
sw = sum(n["kind"] == "switch" for n in nodes)
print(sw, len(nodes) - sw, len(links), ids and ends, apart)
PY
)"
    if python_has networkx; then
        same "$net: networkx reads GraphML and JSON alike" "$nodes $cables $nodes $cables" "$(python3 - "$tmp/net" <<'PY'
import json, sys, networkx as nx
g = nx.read_graphml(sys.argv[1] + ".graphml", force_multigraph=True)
data = json.load(open(sys.argv[1] + ".json"))
try:
    j = nx.node_link_graph(data, edges="links")
except TypeError:
    j = nx.node_link_graph(data)
print(g.number_of_nodes(), g.number_of_edges(), j.number_of_nodes(), j.number_of_edges())
PY
)"
    else
        skip "$net: networkx reads GraphML and JSON alike" "python3-networkx is not installed"
    fi
done <<<"$nets"

# ---- Slurm -----------------------------------------------------------------------------------------
hosts_of() { python3 -c 'import json, sys
print("\n".join(sorted({n["host"] for n in json.load(open(sys.argv[1]))["nodes"] if n.get("selected")})))' "$1"; }

mkdir "$tmp/slurm"
printf 'ClusterName=test\nSlurmctldHost=localhost\n' >"$tmp/slurm/client.conf"
while read -r net; do
    for format in json slurm slurm-yaml; do write "$net" $format "$tmp/net.$format"; done
    hosts_of "$tmp/net.json" >"$tmp/hosts"
    lists=$(sed -n 's/.* Nodes=//p' "$tmp/net.slurm" | paste -sd,)
    same "$net: scontrol expands the lists to the hosts" "$(md5sum <"$tmp/hosts")" \
        "$(SLURM_CONF=$tmp/slurm/client.conf scontrol show hostnames "$lists" | LC_ALL=C sort | md5sum)"
    if python_has yaml; then
        same "$net: topology.yaml tells what topology.conf tells" "$(grep -v '^#' "$tmp/net.slurm")" "$(python3 - "$tmp/net.slurm-yaml" <<'PY'
import sys, yaml
topology, blocks = yaml.safe_load(open(sys.argv[1]))
assert list(topology) == ["topology", "cluster_default", "tree"] and topology["cluster_default"] is True
for s in topology["tree"]["switches"]:
    print("SwitchName=%s %s" % (s["switch"], "Nodes=" + s["nodes"] if "nodes" in s else "Switches=" + s["children"]))
PY
)"
    else
        skip "$net: topology.yaml tells what topology.conf tells" "python3-yaml is not installed"
    fi
done <<'NETS'
gft:n=4,m=4,r=8
ft:m=8,n=3
kary:k=2,n=4
xgft:m=24x24x48,w=1x24x24
NETS

# The controller itself: every switch it understood, with the hosts below it.
if have slurmctld; then
    net=ft:m=8,n=3
    write $net slurm "$tmp/slurm/topology.conf"
    write $net json "$tmp/net.json"
    cat >"$tmp/slurm/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$((20000 + $$ % 20000))
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
StateSaveLocation=$tmp/slurm
SlurmctldPidFile=$tmp/slurm/pid
SlurmctldLogFile=$tmp/slurm/log
TopologyPlugin=topology/tree
SelectType=select/cons_tres
ProctrackType=proctrack/linuxproc
MailProg=/bin/true
NodeName=$(hosts_of "$tmp/net.json" | paste -sd,) NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
CONF
    export SLURM_CONF=$tmp/slurm/slurm.conf
    slurmctld -D -c -f "$SLURM_CONF" >"$tmp/slurm/out" 2>&1 &
    daemon=$!
    for _ in $(seq 100); do
        scontrol show topology >"$tmp/topology" 2>/dev/null && break
        sleep 0.1
    done
    kill $daemon
    wait $daemon 2>/dev/null
    same "slurmctld: switches by level" "32 8 1" \
        "$(for l in 0 1 2; do grep -c "Level=$l " "$tmp/topology"; done | paste -sd' ')"
    same "slurmctld: the top reaches every host" "128" \
        "$(scontrol show hostnames "$(sed -n 's/^SwitchName=top .*Nodes=\([^ ]*\).*/\1/p' "$tmp/topology")" | wc -l)"
    same "slurmctld: a pod reaches its hosts" "node-[00016-00031]" \
        "$(sed -n 's/^SwitchName=pod2-0001 .*Nodes=\([^ ]*\).*/\1/p' "$tmp/topology")"
    same "slurmctld: no complaint about the topology" "" "$(grep -iE 'topology|switch' "$tmp/slurm/log" | grep -iE 'warn|error|fatal')"
    unset SLURM_CONF
else
    skip "slurmctld reads topology.conf" "slurmctld is not installed"
fi

# ---- drawings of large networks ----------------------------------------------------------------------
for net in xgft:m=24x24x48,w=1x24x24 kary:k=2,n=11 ft:m=16,n=3; do
    write $net svg "$tmp/net.svg"
    check "$net: SVG is XML" xmllint --noout "$tmp/net.svg"
    check "$net: SVG stays under a megabyte" test "$(stat -c %s "$tmp/net.svg")" -lt 1000000
done

# ---- rates: what is not known or differs is noted, once each
cat >"$tmp/rates.net" <<'EOF2'
switchguid=0x10
Switch 4 "S1" # "a" base port 0 lid 1 lmc 0
[1] "H1"[1] # "h1" lid 2 4xQDR
[2] "H2"[1] # "h2" lid 3 4xFOO
[3] "H3"[1] # "h3" lid 4 4xHDR

caguid=0x20
Ca 1 "H1" # "h1"
[1] "S1"[1] # lid 2 lmc 0 "a" lid 1 4xHDR

caguid=0x30
Ca 1 "H2" # "h2"
[1] "S1"[2] # lid 3 lmc 0 "a" lid 1 4xFOO

caguid=0x40
Ca 1 "H3" # "h3"
[1] "S1"[3] # lid 4 lmc 0 "a" lid 1 4xHDR
EOF2
"$heddle" topo "$tmp/rates.net" >/dev/null 2>"$tmp/err"
same "an unknown rate and ends that differ: a note each" "heddle: rates.net:4: link rate '4xFOO' is not known; the most common rate is assumed (2 lines)
heddle: rates.net:3: this cable is 4xQDR here and 4xHDR at line 9: the slower rate is used (1 cable)" "$(sed "s|$tmp/||" "$tmp/err")"
same "the slower rate is used" 1 "$("$heddle" topo "$tmp/rates.net" --quiet --format ibnet | grep -c '"h1" lid 2 4xQDR')"
exits "what was noted does not hide a failure" 3 "nobody" "$heddle" check "$tmp/rates.net" nobody
sed 's/Switch 4/Switch 99999999999/' "$tmp/rates.net" >"$tmp/ports.net"
exits "a number of ports as it was written" 3 "ports.net:2: Switch with 99999999999 ports: expected 1 to 254" "$heddle" topo "$tmp/ports.net"
printf 'CA 1 1 0x21 4x FOO - SW 2 1 0x10 ( %sa%s - %sb%s )\nSW 2 1 0x10 4x QDR - CA 1 1 0x21 ( %sb%s - %sa%s )\n' \' \' \' \' \' \' \' \' >"$tmp/ports.p"
"$heddle" topo "$tmp/ports.p" >/dev/null 2>"$tmp/err"
same "in the form of a line a port too" 1 "$(grep -c "ports.p:1: link rate '4xFOO' is not known" "$tmp/err")"
"$heddle" route ft:m=4,n=2 dmodk --format subnet | sed 's/SPD=25/SPD=77/' >"$tmp/subnet.lst"
"$heddle" topo "$tmp/subnet.lst" >/dev/null 2>"$tmp/err"
same "and in opensm-subnet.lst" 1 "$(grep -c "subnet.lst:1: link rate 'SPD=77' is not known" "$tmp/err")"
# Adapters that no cable reaches are left out, and counted.
printf '%s\n' 'Switch 4 "S-0000000000000001" # "sw" lid 1' '[1] "H-0000000000000010"[1] # "a" lid 2 4xEDR' '' \
    'Ca 1 "H-0000000000000010" # "a"' '[1] "S-0000000000000001"[1] # lid 2 lmc 0 "sw" lid 1 4xEDR' '' \
    'Ca 1 "H-0000000000000020" # "b"' '' >"$tmp/idle.ibnet"
"$heddle" topo "$tmp/idle.ibnet" >"$tmp/out" 2>"$tmp/err"
same "an adapter without a cable" "heddle: $tmp/idle.ibnet:7: 'b' has no cable and is left out" "$(cat "$tmp/err")"
printf '%s\n' 'Ca 1 "H-0000000000000030" # "c"' '' 'Ca 1 "H-0000000000000040" # "d"' >>"$tmp/idle.ibnet"
"$heddle" topo "$tmp/idle.ibnet" >"$tmp/out" 2>"$tmp/err"
same "several" "heddle: $tmp/idle.ibnet:7: 'b' and 2 more adapters have no cable and are left out" "$(cat "$tmp/err")"

finish
