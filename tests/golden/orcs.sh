#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Bandwidth of random bisections beside an independent reading of ORCS's definition, on ten fabrics: both get the same
# files of network and table, draw their own patterns, and must agree within four standard errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

while read -r net table; do
    "$heddle" topo "$net" -o "$tmp/net.ibnet" >/dev/null && "$heddle" route "$tmp/net.ibnet" "$table" -o "$tmp/t.lft" >/dev/null || fail "$net $table" "no table"
    python3 -B tests/golden/orcs.py "$tmp/net.ibnet" "$tmp/t.lft" 200 7 >"$tmp/theirs"
    for metric in ebb minbw; do "$heddle" eval "$tmp/net.ibnet" "$tmp/t.lft" -p bisect -m $metric -n 2000 --json >"$tmp/$metric"; done
    check "$net $table" python3 - "$tmp" <<'PY'
import json, sys
ebb, ebb_error, least, least_error = map(float, open(sys.argv[1] + "/theirs").read().split())
for name, value, error in ("ebb", ebb, ebb_error), ("minbw", least, least_error):
    ours = json.load(open(sys.argv[1] + "/" + name))["rows"][0]
    slack = 4 * (error ** 2 + (ours["ci"] / 2 / 2.576) ** 2) ** .5 + 1e-6
    assert abs(ours["value"] - value) <= slack, (name, value, error, ours["value"], ours["ci"])
PY
done <<'LIST'
gft:n=9,m=9,r=18 dmodk
gft:n=12,m=4,r=16 dmodk
gft:n=8,m=16,r=24 dmodk
ft:m=8,n=3 dmodk
ft:m=8,n=3 minhop
kary:k=4,n=3 updown
torus:dims=4x4x4,hosts=2 dor
hypercube:n=6,hosts=1 psssp
random:switches=30,ports=12,hosts=4,seed=3 psssp
dragonfly:a=4,h=2,p=2 minhop
LIST
finish
