#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle cables as users see it: every plan format against the same fabric, every kind of difference, and UFM's own
# comparison of a real fabric with its plans as the oracle.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
net=pgft:m=2x3,w=1x2,p=1x2
"$heddle" topo $net -o "$tmp/net"
"$heddle" topo $net --format ptp -o "$tmp/plan.csv"
same "a plan has one row per cable and a head" 19 "$(wc -l <"$tmp/plan.csv")"
check "a fabric is as its own plan" "$heddle" cables "$tmp/plan.csv" "$tmp/net"
check "and as its spec" "$heddle" cables $net "$tmp/net"
check "and as itself" "$heddle" cables "$tmp/net" "$tmp/net"
# difference NAME EXPECTED PLAN... FOUND: counts of wrong swapped missing slow extra dead
difference() {
    local name=$1 want=$2 rc=0; shift 2
    "$heddle" cables "$@" --json >"$tmp/json" 2>"$tmp/err" || rc=$?
    same "$name" "1 $want" "$rc $(python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
print(*(len(d[k]) for k in "wrong swapped missing slow extra dead".split()))' "$tmp/json")"
}
csv="$tmp/plan.csv"
sed '5d' "$csv" >"$tmp/less"
difference "a cable that is not planned is extra" "0 0 0 0 1 0" "$tmp/less" "$tmp/net"
"$heddle" topo $net --fail link=L1-0000:3 -o "$tmp/broken" 2>/dev/null
difference "a cable that is not found is missing" "0 0 1 0 0 0" "$csv" "$tmp/broken"
"$heddle" topo $net --fail switch=L2-0004 -o "$tmp/dead" 2>/dev/null
difference "a switch that is not found, and its cables" "0 0 6 0 0 1" "$csv" "$tmp/dead"
sed 's/^L1-0000,3,L2-0003,1,/L1-0000,3,L2-0004,1,/; t; s/^L1-0000,4,L2-0004,1,/L1-0000,4,L2-0003,1,/' "$csv" >"$tmp/swap"
difference "two ends exchanged" "0 1 0 0 0 0" "$tmp/swap" "$tmp/net"
sed 's/^L1-0000,3,/L1-0000,30,/' "$csv" >"$tmp/moved"
difference "a cable in another port" "1 0 0 0 0 0" "$tmp/moved" "$tmp/net"
sed 's/4xEDR$/4xHDR/' "$csv" | sed '3,$s/4xHDR$/4xEDR/' >"$tmp/fast"
difference "a cable slower than planned" "0 0 0 1 0 0" "$tmp/fast" "$tmp/net"
{ cat "$csv"; cat "$csv"; awk -F, '{ print $3 "," $4 "," $1 "," $2 "," $5 "," $6 }' "$csv" | tail -n +2; } >"$tmp/twice"
check "repeated heads and rows, from both ends" "$heddle" cables "$tmp/twice" "$tmp/net"
{ head -n 1 "$csv"; sed -n '2,9p' "$csv"; } >"$tmp/a" && { head -n 1 "$csv"; sed -n '10,$p' "$csv"; } >"$tmp/b"
check "a plan in two files" "$heddle" cables "$tmp/a" "$tmp/b" "$tmp/net"

# New names: networks have GUIDs, which say that a device is the same one.
renames() { "$heddle" cables "$@" 2>&1; echo "$?"; }
sed 's/"L1-0001"/"leaf,1"/' "$tmp/net" >"$tmp/renamed"
same "a switch with a new name is the same one" "renamed          1: L1-0001 is now leaf,1
0" "$(renames "$tmp/net" "$tmp/renamed" | tail -n 2)"
sed 's/"node-00002"/"gpu2 mlx5_0"/; s/"L1-0001"/"big:MCS8500\/L1\/U2"/' "$tmp/net" >"$tmp/renamed"
same "so is a host, and an ASIC of a director" "renamed          2: L1-0001 is now big:MCS8500/L1/U2, node-00002 is now gpu2 mlx5_0
0" "$(renames "$tmp/net" "$tmp/renamed" | tail -n 2)"
same "and in the other direction" "renamed          2: big:MCS8500/L1/U2 is now L1-0001, gpu2 mlx5_0 is now node-00002
0" "$(renames "$tmp/renamed" "$tmp/net" | tail -n 2)"
"$heddle" topo "$tmp/renamed" --fail link=node-00000:1 -o "$tmp/less" 2>/dev/null
difference "what is missing beside it is found" "0 0 1 0 0 1" "$tmp/net" "$tmp/less"
sed 's/200000000100001/200000000aaaaaa/g' "$tmp/net" >"$tmp/replaced"
check "a replaced switch has the old name and another GUID" "$heddle" cables "$tmp/net" "$tmp/replaced"
same "which is nothing to list" 0 "$("$heddle" cables "$tmp/net" "$tmp/replaced" | grep -c renamed)"
sed 's/200000000100001/200000000aaaaaa/g; s/"L1-0001"/"leaf"/' "$tmp/net" >"$tmp/other"
difference "another switch in its place is another one" "6 0 0 0 0 1" "$tmp/net" "$tmp/other"
sed 's/"L1-0001"/"x"/; s/"L1-0002"/"L1-0001"/; s/"x"/"L1-0002"/' "$tmp/net" >"$tmp/exchanged"
same "where names are exchanged, names decide" "1" "$(renames "$tmp/net" "$tmp/exchanged" | tail -n 1)"
"$heddle" topo pgft:m=4x3,w=1x2,p=1x2 -o "$tmp/larger"
sed 's/"node-000/"host-/' "$tmp/larger" >"$tmp/renamed"
same "of many the first eight are named" "1" "$("$heddle" cables "$tmp/larger" "$tmp/renamed" | grep -c '^renamed  *12: node-00000 is now host-00, .* and 4 more$')"

# Files for ibsim have no GUIDs: the numbers that nodes are given in their order do not identify them.
bare() { # SWITCH HOST
    printf 'Switch 4 "%s"\n[1] "%s"[1]\n[2] "h2"[1]\n[3] "swB"[3]\n\nSwitch 4 "swB"\n[1] "h3"[1]\n[2] "h4"[1]\n[3] "%s"[3]\n\n' "$1" "$2" "$1"
    printf 'Ca 1 "%s"\n[1] "%s"[%s]\n\n' "$2" "$1" 1 h2 "$1" 2 h3 swB 1 h4 swB 2
}
bare swA h1 >"$tmp/bare1"
bare zzz zebra >"$tmp/bare2"
difference "without GUIDs a new name is another device" "2 0 1 0 1 2" "$tmp/bare1" "$tmp/bare2"
check "and the same ones are the same" "$heddle" cables "$tmp/bare1" "$tmp/bare1"

two='s/^Ca\t1 "H-0200000100000000"/Ca\t2 "H-0200000100000000"/'
sed "$two" "$tmp/net" >"$tmp/ports"
sed "$two; s/^\[1\](200000100000001)/[2](200000100000001)/; s/\"H-0200000100000000\"\[1\]/\"H-0200000100000000\"[2]/" "$tmp/net" >"$tmp/moved"
same "the other port of an adapter is no new name" "18 0" "$("$heddle" cables "$tmp/ports" "$tmp/moved" | sed -n 's/^as planned *//p' | tr '\n' ' ')$("$heddle" cables "$tmp/ports" "$tmp/moved" | grep -c renamed)"

# Names that would be comments or formulas: quoted, or behind an apostrophe, and read back as they were.
sed "s/\"L1-0000\"/\"#leaf\"/; s/\"L1-0001\"/\"=cmd|'C calc'!A0\"/; s/\"node-00000\"/\"#a\"/; s/\"node-00001\"/\"=1+1\"/" "$tmp/net" |
    sed "s/\"node-00002\"/\"'=b\"/; s/\"node-00003\"/\"-a,b\"/; s/\"node-00004\"/\"@c\"/" >"$tmp/odd"
"$heddle" topo "$tmp/odd" --format ptp -o "$tmp/odd.csv"
same "no row is a comment, no field a formula" 0 "$(grep -cE '(^|,)"?([=@+-]|#[^"]*,)' "$tmp/odd.csv")"
check "a fabric with such names is as its own plan" "$heddle" cables "$tmp/odd.csv" "$tmp/odd"
"$heddle" route "$tmp/odd" minhop --format paths -o "$tmp/odd.paths"
same "no field of paths is a formula" 0 "$(grep -cE '(^|,)"?[=@+-]' "$tmp/odd.paths")"

check "aggregation nodes are not in a plan" sh -c "'$heddle' topo rail:rails=2,units=1,hosts=2,spines=2,uplinks=2,sharp=on --format ptp -o '$tmp/sharp' &&
    '$heddle' cables '$tmp/sharp' rail:rails=2,units=1,hosts=2,spines=2,uplinks=2,sharp=on"

# The other formats, made from the CSV.
awk -F, 'NR == 1 { print "#Fields:Rack,StartDevice,StartPort,EndDevice,EndPort,LinkType"; next }
    { p = $2 ~ /^[0-9]+$/ ? "Port " $2 : $2; q = $4 ~ /^[0-9]+$/ ? "Port " $4 : $4; print "7," toupper($1) "," p "," $3 "," q ", Data" }' "$csv" >"$tmp/plan.ndt"
check "NDT, with names in capitals" "$heddle" cables "$tmp/plan.ndt" "$tmp/net"
awk -F, 'NR > 1 { print "MQM8700 " $1 " P" $2 " -4x-25G-> MQM8700 " $3 " P" $4 }' "$csv" >"$tmp/plan.topo"
check "topo, a cable per line" "$heddle" cables "$tmp/plan.topo" "$tmp/net"
awk -F, 'NR > 1 { print "MQM8700 " $1 "\n   P" $2 " -4x-25G-> MQM8700 " $3 " P" $4 "\n" }' "$csv" >"$tmp/plan.topo"
check "topo, by systems" "$heddle" cables "$tmp/plan.topo" "$tmp/net"
{ echo 'graph G {'; awk -F, 'NR > 1 { printf "  \"%s\":\"%s\" -- \"%s\":\"%s\"%s\n", $1, $2, $3, $4, NR % 2 ? ";" : "" }' "$csv"; echo '}'; } >"$tmp/plan.dot"
check "DOT" "$heddle" cables "$tmp/plan.dot" "$tmp/net"
difference "topo with another rate" "0 0 0 18 0 0" <(sed 's/25G/50G/' "$tmp/plan.topo") "$tmp/net"

# Labels of directors and of twin ports.
cat >"$tmp/director" <<'NET'
switchguid=0x10(10)
Switch 41 "S-0000000000000010" # "MF0;leaf-01:MQM8700/U1" enhanced port 0 lid 1 lmc 0
[21] "S-0000000000000020"[20] # "MF0;big-A:MCS8500/L16/U2" lid 2 4xHDR
[23] "S-0000000000000040"[3] # "MF0;twin:MQM9700/U1" lid 4 4xHDR
switchguid=0x20(20)
Switch 41 "S-0000000000000020" # "MF0;big-A:MCS8500/L16/U2" enhanced port 0 lid 2 lmc 0
[20] "S-0000000000000010"[21] # "MF0;leaf-01:MQM8700/U1" lid 1 4xHDR
[21] "S-0000000000000030"[1] # "MF0;big-A:MCS8500/S1/U1" lid 3 4xHDR
switchguid=0x30(30)
Switch 41 "S-0000000000000030" # "MF0;big-A:MCS8500/S1/U1" enhanced port 0 lid 3 lmc 0
[1] "S-0000000000000020"[21] # "MF0;big-A:MCS8500/L16/U2" lid 2 4xHDR
switchguid=0x40(40)
Switch 65 "S-0000000000000040" # "MF0;twin:MQM9700/U1" enhanced port 0 lid 4 lmc 0
[3] "S-0000000000000010"[23] # "MF0;leaf-01:MQM8700/U1" lid 1 4xHDR
NET
printf '#StartDevice,StartPort,EndDevice,EndPort,LinkType\nLEAF-01,Port 21,BIG-A,Blade 16_Port 2/20,Data\ntwin,sw2p1,leaf-01,12/1,Data\n' >"$tmp/director.ndt"
check "blades, ASICs and cages have one form; cables inside a chassis are no difference" "$heddle" cables "$tmp/director.ndt" "$tmp/director"
"$heddle" topo director -o "$tmp/directors.net" >/dev/null
"$heddle" topo director --format ptp -o "$tmp/directors.csv"
check "nor where a plan names them" "$heddle" cables "$tmp/directors.csv" "$tmp/directors.net"
printf 'leaf-01,Port 22,GONE,Blade 1_Port 1/1,Data\nGONE,Blade 1_Port 1/2,GONE,Blade 2_Port 1/1,Data\n' | cat "$tmp/director.ndt" - >"$tmp/gone.ndt"
difference "and a chassis that is not found lacks only the cables that are plugged" "0 0 1 0 0 1" "$tmp/gone.ndt" "$tmp/director"

# LLDP, both forms.
mkdir "$tmp/lldp"
echo '{"lldp":[{"interface":[{"name":"swp1","chassis":[{"name":[{"value":"spine1"}]}],"port":[{"id":[{"type":"ifname","value":"swp9"}]}]},{"name":"swp2","chassis":[{"name":[{"value":"node2"}]}],"port":[{"id":[{"type":"mac","value":"00:01"}],"descr":[{"value":"eth0"}]}]}]}]}' >"$tmp/lldp/leaf1.json"
echo '{"lldp":{"interface":{"swp9":{"chassis":{"leaf1":{"id":{"type":"mac","value":"x"}}},"port":{"id":{"type":"ifname","value":"swp1"},"descr":"d"}}}}}' >"$tmp/lldp/spine1.json"
printf 'graph{"leaf1":"swp1" -- "spine1":"swp9"; "leaf1":"swp2" -- "node2":"eth0"}\n' >"$tmp/lldp.dot"
check "a folder of LLDP" "$heddle" cables "$tmp/lldp.dot" "$tmp/lldp"
check "one host of it" sh -c "'$heddle' cables '$tmp/lldp.dot' '$tmp/lldp/leaf1.json'"
sed 's/swp9/swp8/' "$tmp/lldp.dot" >"$tmp/lldp.other"
difference "a port that LLDP sees elsewhere" "1 0 0 0 0 0" "$tmp/lldp.other" "$tmp/lldp"

# What costs most comes first: 4 leaf switches with 4 endpoints and 2 cables up. A lost spine cuts their uplinks by half;
# of a cable up, a leaf loses half of its quarter; an endpoint is one of 16; a cable at half the rate costs half.
tree=pgft:m=4x4,w=1x2,p=1x1
"$heddle" topo $tree --format ptp -o "$tmp/tree.csv"
costs() {
    "$heddle" cables "$@" --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(*("%s %.5g" % (k, f["cost"]) for k in "dead missing wrong swapped slow extra".split() for f in d[k][:1]), sep=", ")'
}
for fault in switch=L2-0004 switch=L1-0000 link=L1-0000:5; do
    "$heddle" topo $tree --fail $fault -o "$tmp/tree.$fault" 2>/dev/null
done
same "the cost of a lost spine and of its cables" "dead 0.5, missing 0.125" "$(costs "$tmp/tree.csv" "$tmp/tree.switch=L2-0004")"
same "the cost of a lost leaf is that of its endpoints" "dead 0.25" "$(costs "$tmp/tree.csv" "$tmp/tree.switch=L1-0000" | cut -d , -f 1)"
same "the cost of a lost cable" "missing 0.125" "$(costs "$tmp/tree.csv" "$tmp/tree.link=L1-0000:5")"
sed 's/4xEDR$/4xHDR/' "$tmp/tree.csv" | awk '/^L1-0000,5,/ || NR == 1 { print; next } { sub(/HDR$/, "EDR"); print }' >"$tmp/tree.fast"
same "the cost of a slow one" "slow 0.0625" "$(costs "$tmp/tree.fast" $tree)"
awk -F, 'BEGIN { OFS = "," } NR > 1 && !n && /node/ { n = 1; print; $1 = $1 == "L1-0000" ? $1 : "absent"; $3 = $3 == "L1-0000" ? $3 : "absent"; $2 = 30; $4 = 1 } { print }' "$tmp/tree.csv" >"$tmp/tree.more"
"$heddle" topo $tree --fail link=L1-0001:5 -o "$tmp/tree.net" 2>/dev/null
same "the first is what costs most" "missing  L1-0001 port 5 - L2-0004 port 2" "$("$heddle" cables "$tmp/tree.more" "$tmp/tree.net" | sed -n '6s/ (.*//p')"
check "and says so" sh -c "'$heddle' cables '$tmp/tree.csv' '$tmp/tree.net' | grep -q ', up to 12 % of EBB'"
# Rates of plans: those of two lanes, and what is none.
sed '2s/4xEDR$/NDR200/; 3s/4xEDR$/HDR100/; 4s/4xEDR$/100 Gb\/s/; 5s/4xEDR$/N\/A/' "$csv" >"$tmp/names.csv"
difference "a rate of two lanes that is faster than what is found" "0 0 0 1 0 0" "$tmp/names.csv" "$tmp/net"
same "all of these rates are known" "" "$(cat "$tmp/err")"
sed '3s/4xEDR$/bananas/; 7s/4xEDR$/HDR300/' "$csv" >"$tmp/names.csv"
exits "a rate that is not known is said, and is no difference" 0 "names.csv:3: rate 'bananas' is not known \\(the first of 2\\): " \
    "$heddle" cables "$tmp/names.csv" "$tmp/net"
sed '2s/-4x-25G-/-3x-25G-/' "$tmp/plan.topo" >"$tmp/names.topo"
exits "nor is one of topo" 0 "names.topo:2: rate '-3x-25G->' is not known: " "$heddle" cables "$tmp/names.topo" "$tmp/net"
# Any number of columns, and heads of any length.
awk -F, '{ x = ""; for (i = 0; i < 900; i++) x = x "column" i ","; print $1 "," $2 "," x $3 "," $4 "," $5 }' "$csv" >"$tmp/wide.csv"
check "columns behind hundreds of others" "$heddle" cables "$tmp/wide.csv" "$tmp/net"
# Very many cables at one end, all of which have other ends than planned: minutes if each looked at all of the others.
python3 - "$tmp" <<'PY'
import sys
n = 150000
with open(sys.argv[1] + "/many.json", "w") as o:
    one = '{"name":"e","chassis":[{"name":[{"value":"l%d"}]}],"port":[{"id":[{"value":"s1"}]}]}'
    o.write('{"lldp":[{"interface":[' + ",".join(one % i for i in range(n)) + "]}]}")
with open(sys.argv[1] + "/many.csv", "w") as o:
    o.write("A-Node,A-Port,Z-Node,Z-Port\n" + "".join("many,e,l%d,s%d\n" % (i, 2 if i else 1) for i in range(n)))
PY
difference "150,000 cables at one port" "149999 0 0 0 0 0" "$tmp/many.csv" "$tmp/many.json"

exits "what is no plan" 3 "a plan is NDT or PTP CSV with a head, .topo of ibdm, DOT or a network" \
    sh -c "echo 'A,B,C' >$tmp/bad; exec '$heddle' cables $tmp/bad $tmp/net"
exits "a row that lacks a port" 3 "bad:2: expected two devices with their ports" \
    sh -c "printf 'A-Node,A-Port,Z-Node,Z-Port\na,1,b\n' >$tmp/bad; exec '$heddle' cables $tmp/bad $tmp/net"
exits "an edge without ports" 3 'bad:2: expected "node":"port" -- "node":"port"' \
    sh -c "printf 'graph G {\na -- b\n}\n' >$tmp/bad; exec '$heddle' cables $tmp/bad $tmp/net"
exits "JSON that is cut off" 3 "bad.json:1: JSON: expected" \
    sh -c "printf '{\"lldp\":[{\"interface\":[' >$tmp/bad.json; exec '$heddle' cables $csv $tmp/bad.json"
exits "JSON of something else" 3 "bad.json:1: expected output of 'lldpcli show neighbors" \
    sh -c "echo '{\"a\":1}' >$tmp/bad.json; exec '$heddle' cables $csv $tmp/bad.json"
exits "no cable at all" 3 "no cable is planned" sh -c "head -n 1 $csv >$tmp/empty; exec '$heddle' cables $tmp/empty $tmp/net"
exits "no fabric" 2 "expected PLAN... FOUND" "$heddle" cables "$csv"

if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/hdr-directors.expected.json" ]; then
    c=$HEDDLE_CAPTURES/hdr-directors
    "$heddle" cables "$c.hosts.ndt" "$c.switches.ndt" "$c.console.txt" --json >"$tmp/hdr.json" 2>/dev/null
    check "a real fabric: the same miswired, missing and extra cables as UFM finds" python3 - "$c.expected.json" "$tmp/hdr.json" <<'PY'
import json, sys
def end(text):  # UFM: DEVICE/PORT, of an adapter HOST/HOST DEVICE
    device, port = text.strip().split("/", 1)
    return (port if port.lower().startswith(device.lower()) else device + "/" + port).lower()
def cable(text):
    return frozenset(end(e) for e in text.split(" - "))
def name(e):
    node = e["node"]
    return (node.split(";")[1].split(":")[0] + "/" + str(e["port"]) if ";" in node else node if e["guid"] else e["label"]).lower()
def ours(entry):
    ends = [name(entry["from"]), name(entry["to"])]
    return frozenset(e.replace(" port ", "/") for e in ends)
ufm = json.load(open(sys.argv[1]))["report"]
doc = json.load(open(sys.argv[2]))
def planned(entry):
    fix = lambda e: e["label"].lower().replace(" port ", "/")
    return frozenset((fix(entry["from"]), fix(entry["to"])))
# UFM names a cable of the plan and one of the fabric; which of them it calls expected differs from entry to entry.
want = sorted(sorted(map(sorted, (cable(m["expected"]), cable(m["actual"])))) for m in ufm["miss_wired"])
got = sorted(sorted(map(sorted, (planned(w["planned"]), ours(w)))) for w in doc["wrong"])
assert want == got, (want, got)
assert sorted(map(sorted, map(cable, ufm["missing_in_ufm"]))) == sorted(map(sorted, map(planned, doc["missing"])))
spaces = lambda c: sorted(" ".join(e.split()) for e in c)
assert sorted(map(spaces, map(cable, ufm["missing_in_ndt"]))) == sorted(map(spaces, map(ours, doc["extra"])))
assert not doc["swapped"] and not doc["slow"]
PY
else
    skip "a real fabric, as UFM compares it" "HEDDLE_CAPTURES is not set"
fi
# The two ports of one adapter exchanged: each cable is named by its ports.
cat >"$tmp/dual.ibnet" <<'NET'
switchguid=0x1(1)
Switch 4 "S-0000000000000001" # "sw1" base port 0 lid 1 lmc 0
[1] "H-0000000000000010"[1](11) # "h1 HCA-1" lid 2 4xHDR
[3] "S-0000000000000002"[3] # "sw2" lid 6 4xHDR

switchguid=0x2(2)
Switch 4 "S-0000000000000002" # "sw2" base port 0 lid 6 lmc 0
[1] "H-0000000000000010"[2](12) # "h1 HCA-1" lid 4 4xHDR
[3] "S-0000000000000001"[3] # "sw1" lid 1 4xHDR

caguid=0x10
Ca 2 "H-0000000000000010" # "h1 HCA-1"
[1](11) "S-0000000000000001"[1] # lid 2 lmc 0 "sw1" lid 1 4xHDR
[2](12) "S-0000000000000002"[1] # lid 4 lmc 0 "sw2" lid 6 4xHDR
NET
sed -e 's/0010"\[1\](11)/@/;s/0010"\[2\](12)/0010"[1](11)/;s/@/0010"[2](12)/' \
    -e '/^\[1\](11)/s/0001"\[1\]/0002"[1]/' -e '/^\[2\](12)/s/0002"\[1\]/0001"[1]/' "$tmp/dual.ibnet" >"$tmp/exchanged.ibnet"
same "ports of one adapter exchanged" "h1 HCA-1 port 1 - sw2 port 1 and h1 HCA-1 port 2 - sw1 port 1, planned h1 HCA-1 port 1 - sw1 port 1 and h1 HCA-1 port 2 - sw2 port 1" \
    "$("$heddle" cables "$tmp/dual.ibnet" "$tmp/exchanged.ibnet" | tr -s ' \n' ' ' | grep -o 'h1 HCA-1 port.*sw2 port 1' | head -n 1)"
finish
