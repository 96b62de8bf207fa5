#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A fabric of two planes that no cable joins, a rail of every host on each: whole trees, not damaged ones.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
"$heddle" topo gft:n=4,m=4,r=4 -o "$tmp/plane"
{
    sed 's/lid [0-9]*/lid 0/g; s/"node-\([0-9]*\)"/"node-\1 mlx5_0"/' "$tmp/plane"
    sed 's/lid [0-9]*/lid 0/g; s/"node-\([0-9]*\)"/"node-\1 mlx5_1"/; s/020000000/030000000/g; s/20000000/30000000/g; s/02000001/03000001/g; s/2000001/3000001/g; s/"L\([12]\)-/"M\1-/g' "$tmp/plane"
} >"$tmp/fabric"
"$heddle" topo "$tmp/fabric" --json >"$tmp/topo.json"
field() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$tmp/topo.json" "$1"; }
same "two parts" 2 "$(field parts)"
same "two rails" 2 "$(field rails)"
same "sixteen hosts" 16 "$(field hosts)"
same "nothing is missing" "0 0" "$(field missing) $(field absent)"
same "each plane is rearrangeable" rearrangeable "$(field clos)"
same "an RLFT or not as one plane is" "yes no: a top switch has 36 ports down, expected 24, which is what the other switches have in all " \
    "$(for net in m=4x8,w=1x4,p=1x1 m=12x18,w=1x6,p=1x2; do "$heddle" topo pgft:$net,planes=2 | sed -n 's/^RLFT  *//p'; done | tr '\n' ' ')"
# Two fabrics of different hosts in one file: one is no damaged copy of the other, though it has about as many leaf switches.
sizes() { # LEAVES SPINES LEAVES SPINES: cables that lead to switches that are not present
    "$heddle" topo "pgft:m=6x$1,w=1x$2,p=1x1" -o "$tmp/one"
    "$heddle" topo "pgft:m=6x$3,w=1x$4,p=1x1" -o "$tmp/two"
    {
        sed 's/lid [0-9]*/lid 0/g' "$tmp/one"
        sed 's/lid [0-9]*/lid 0/g; s/"node-/"other-/; s/020000000/030000000/g; s/20000000/30000000/g; s/02000001/03000001/g; s/2000001/3000001/g; s/"L\([12]\)-/"M\1-/g' "$tmp/two"
    } >"$tmp/sizes"
    "$heddle" topo "$tmp/sizes" --json | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["parts"], j["missing"], j["absent"])'
}
same "one of 10 leaf switches and 4 spines beside one of 11 and 8" "2 0 0" "$(sizes 10 4 11 8)"
same "one of 17 leaf switches and 6 spines beside one of 16 and 8" "2 0 0" "$(sizes 17 6 16 8)"
for choice in "--rail 0" "--rail 1" "--part 0" "--part 1"; do
    for engine in dmodk smodk updown psssp; do
        check "$engine with $choice" "$heddle" check "$tmp/fabric" $engine $choice
        same "$engine with $choice serves every flow" "" "$("$heddle" eval "$tmp/fabric" $engine $choice -n 50 2>&1 >/dev/null)"
    done
done
want=$("$heddle" eval gft:n=4,m=4,r=4 dmodk -n 200 --json | grep '"value"')
same "a plane measures as its tree does" "$want" "$("$heddle" eval "$tmp/fabric" dmodk --rail 0 -n 200 --json | grep '"value"')"
# systems with an ASIC in each plane: the same system image GUID in both
sed 's/sysimgguid=0x3\(00000000.*\)/sysimgguid=0x2\1/' "$tmp/fabric" >"$tmp/xdr"
planes() { "$heddle" topo "$1" --json | python3 -c 'import json, sys
p = json.load(sys.stdin).get("planes")
end = lambda e: "%s:%s" % (e["node"], e["port"])
print(p and [p["count"], p["systems"]] + [(d["part"], d["kind"], end(d["from"]), end(d["to"])) for d in p["differences"]])'; }
same "planes of systems with two ASICs, alike" "[2, 8]" "$(planes "$tmp/xdr")"
same "other fabrics have none" "None None" "$(planes "$tmp/fabric") $(planes "$tmp/plane")"
check "in words" grep -q '^planes           2, 8 systems with an ASIC in each; .* all are alike' <("$heddle" topo "$tmp/xdr")
"$heddle" topo "$tmp/xdr" --fail link=M1-0001:5 -o "$tmp/cut" -q
same "a cable that one plane lacks" "[2, 8, (1, 'missing', 'M1-0001:5', 'M2-0004:2')]" "$(planes "$tmp/cut")"
check "is named" grep -q 'part 1 lacks M1-0001 port 5 - M2-0004 port 2' <("$heddle" topo "$tmp/cut")
"$heddle" topo "$tmp/xdr" --fail link=M1-0001:1 -o "$tmp/lost" -q
same "and a host that is not in it" "[2, 8, (1, 'missing', 'M1-0001:1', 'node-00004:None')]" "$(planes "$tmp/lost")"
"$heddle" eval "$tmp/fabric" dmodk -n 50 >/dev/null 2>"$tmp/err"
check "flows between planes are told" grep -q 'flows have no path.*--rail' "$tmp/err"
finish
