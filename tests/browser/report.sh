#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Reports of small fabrics of every kind in a real browser: Debian's chromium, driven by chromedriver.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
for tool in chromium chromedriver; do
    if ! command -v $tool >/dev/null; then
        skip "reports in a browser" "$tool is not installed"
        finish
    fi
done
# report NAME NET [OPTIONS]: the page of an advice; exit 1 says that the fabric has a fault, not that there is no page.
report() {
    local name=$1; shift
    "$heddle" advise "$@" -q --threads 2 -o "$tmp/$name" >"$tmp/out" 2>"$tmp/err"
    if [ $? -gt 1 ] || ! mv "$tmp/$name/report.html" "$tmp/$name.html"; then
        fail "report of $*" "$(head -n 3 "$tmp/err")"
        finish
    fi
}
"$heddle" topo ft:m=8,n=2 -o "$tmp/fabric.ibnet" -q >/dev/null
# Names that would be markup.
sed -n 's/^switchguid=0x\([0-9a-f]*\).*/\1/p' "$tmp/fabric.ibnet" |
    awk '{ print "0x" $1 " \"<script>x" NR "</script>&\xc3\xa9\"" }' >"$tmp/name-map"
report tree ft:m=8,n=2 minhop
report degraded xgft:m=6x6x3,w=1x6x2 --fail links=5,seed=1
report torus torus:dims=4x4x2
report dragonfly dragonfly:h=2 minhop
report irregular random:switches=12,ports=8,hosts=4,seed=3 updown
report pods xgft:m=2x13x12,w=1x4x2 minhop
report switch xgft:m=8,w=1
report paper pgft:m=18x18x6,w=1x18x3,p=1x1x6 # 1,944 endpoints: its length on paper alone
report names "$tmp/fabric.ibnet" --node-name-map "$tmp/name-map"
# Every chart, and drawings of every kind.
for kind in fabric heat load bandwidth order whatif choices; do
    "$heddle" plot $kind xgft:m=4x4x3,w=1x3x2 minhop -q -o "$tmp/$kind.svg"
done
n=0
for net in ft:m=4,n=3 ft:m=24,n=3 torus:dims=4x4x4 torus:dims=8x8 dragonfly:h=2 dragonfly:h=8 dragonfly+:h=4 slimfly:q=5 \
    mesh:dims=7 hypercube:n=6 rail: director: random:switches=12,ports=8,hosts=4,seed=3 "$tmp/fabric.ibnet"; do
    n=$((n + 1))
    "$heddle" topo "$net" -q -o "$tmp/drawing$n.svg" >/dev/null
done
"$heddle" design --endpoints 128 --radix 16 -q -o "$tmp/design.svg" >/dev/null
python3 -B tests/browser/page.py "$tmp"/{tree,degraded,torus,dragonfly,irregular,pods,switch,names,paper}.html "$tmp"/*.svg docs/*.svg
