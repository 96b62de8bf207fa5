#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Everything that the diagnostic programs print of one fabric, on the real ibsim and with the LIDs of the real OpenSM, is
# the same network; the LID that dump_fts leaves out is no fault.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "forms of one fabric" ibsim opensm ibnetdiscover iblinkinfo dump_fts

"$heddle" topo gft:n=4,m=4,r=12 --format ibnet -o "$tmp/net" # 64 nodes, so that the last LID is 64
if ! start_sim "$tmp/net" || ! start_osm -R minhop; then
    fail "OpenSM on ibsim" "$(tail -n 3 "$run"/*.log)"
    finish
fi
client ibnetdiscover >"$run/records"
client ibnetdiscover --cache "$run/cached" >"$run/out"
client ibnetdiscover -p >"$run/ports"
client iblinkinfo >"$run/links"
client iblinkinfo -l >"$run/links-l"
client iblinkinfo -p >"$run/links-p"
client iblinkinfo --switches-only -l >"$run/switches-l"
client iblinkinfo --switches-only >"$run/switches"
client dump_fts >"$run/fts"
stop_all
# network FILE: as ibnetdiscover text; the forms of one line per port do not tell system GUIDs.
network() { "$heddle" topo "$1" --format ibnet | grep -v '^sysimgguid'; }
network "$run/records" >"$tmp/whole"
for form in cached ports links links-l links-p switches-l; do
    network "$run/$form" >"$tmp/got" 2>"$tmp/err"
    check "$form: the same network" cmp "$tmp/got" "$tmp/whole"
    same "$form: nothing to report" "" "$(cat "$tmp/err")"
done
check "cached: system GUIDs as well" sh -c '"$1" topo "$2/cached" --format ibnet >"$2/a"; "$1" topo "$2/records" --format ibnet | cmp - "$2/a"' - "$heddle" "$run"
exits "blocks of switches alone" 3 "switches:2: LID [0-9]+ at the other end has no line of its own: expected adapters as well as switches" \
    "$heddle" topo "$run/switches"
exits "the last LID" 0 "fts: dump_fts and ibroute leave out the last LID" "$heddle" check "$run/records" "$run/fts"
finish
