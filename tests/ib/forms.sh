#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Everything that the diagnostic programs print of one fabric, on the real ibsim and with the LIDs of the real OpenSM, is
# the same network; the LID that dump_fts leaves out is no fault.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "forms of one fabric" ibsim opensm ibnetdiscover iblinkinfo dump_fts perfquery ibqueryerrors

"$heddle" topo gft:n=4,m=4,r=12 --format ibnet -o "$tmp/net" # 64 nodes, so that the last LID is 64
if ! start_sim "$tmp/net" console || ! start_osm -R minhop; then
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
# counters: a port that waits, and has errors
lid=$(sed -n 's/^Switch.*"S-0200000000100000".* lid \([0-9]*\) .*/\1/p' "$run/records")
client ibqueryerrors >"$run/errors1"
client perfquery -l "$lid" 1-8 >"$run/perf1"
ibsim_do 'PerformanceSet "S-0200000000100000"[3] PortCounters.PortXmitWait=195312500' \
    'PerformanceSet "S-0200000000100000"[3] PortCounters.SymbolErrorCounter=500'
for _ in $(seq 100); do
    client perfquery "$lid" 3 | grep -q 'SymbolErrorCounter:\.*500' && break
    sleep 0.05
done
client ibqueryerrors --data --report-port >"$run/errors2"
client ibqueryerrors --ca >"$run/adapters1"
client perfquery -l "$lid" 1-8 >"$run/perf2"
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
# what_waits BEFORE AFTER: links, their causes and what they lost
what_waits() {
    "$heddle" explain "$run/records" minhop --counters "$run/$1,$run/$2" --seconds 10 --json |
        python3 -c 'import json, sys
for l in json.load(sys.stdin)["links"]: print(l["from"]["guid"], l["from"]["port"], l["cause"], l["lost"], l["errors"])'
}
same "perfquery: the port that waits" "0x0200000000100000 3 sick-link 20 500" "$(what_waits perf1 perf2)"
same "ibqueryerrors: the same" "0x0200000000100000 3 sick-link 20 500" "$(what_waits errors1 errors2)"
same "ibqueryerrors of adapters alone: switches were not 0" "" "$(what_waits adapters1 errors2 2>"$tmp/err")"
check "which is said" grep -q 'adapters1: ibqueryerrors asked only adapters: ports of switches that it does not list are not known' "$tmp/err"
exits "the last LID" 0 "fts: dump_fts and ibroute leave out the last LID" "$heddle" check "$run/records" "$run/fts"
finish
