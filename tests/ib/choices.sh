#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The choice that is one line of opensm.conf: what advise predicts is what OpenSM's own engine then reaches, on five
# fabrics; --with-opensm runs it.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "choices of advise" ibsim opensm

get() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$tmp/$1" "$2"; }
while read -r engine net; do
    "$heddle" advise "$net" --json --quiet >"$tmp/advice"
    same "$net: the choice" "$engine" "$(get advice '[c["routing_engine"] for c in r["choices"] if c["name"] == "opensm.conf"][0]')"
    same "$net: routing_engine $engine is what is predicted" \
        "$("$heddle" eval "$net" "opensm:engine=$engine" -p bisect -m ebb -n 1000 --json --quiet | field rows.0.value)" \
        "$(get advice 'r["choices"][0]["value"]')"
done <<'EOF'
dfsssp examples/fabric.ibnet
dfsssp pgft:m=6x6x4,w=1x3x2,p=1x2x3
dfsssp tests/data/opensm/pgft-random50.net.gz
minhop gft:n=8,m=8,r=16
torus-2QoS torus:dims=4x4,hosts=2
EOF

"$heddle" advise examples/fabric.ibnet --with-opensm --json --quiet >"$tmp/run"
"$heddle" advise examples/fabric.ibnet --json --quiet >"$tmp/advice"
same "measured, the same choice" "dfsssp True" "$(get run '"%s %s" % (r["choices"][0]["routing_engine"], r["choices"][0]["measured_by_opensm"])')"
same "with the figure that was predicted" "$(get advice 'r["choices"][0]["value"]')" "$(get run 'r["choices"][0]["value"]')"
same "and the same best table" "$(get advice 'r["best"]')" "$(get run 'r["best"]')"
same "OpenSM's ftree refuses this fabric" "True" "$(get run '[o["why_not"] for o in r["options"] if o["label"] == "OpenSM ftree"][0].startswith("does not apply: ERR")')"
finish
