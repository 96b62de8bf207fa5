#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/ib/plugin_fabrics.bash BUILD NET ENGINE [NET ENGINE]...: OpenSM comes up on each fabric under the plug-in; what it
# handed over is what `heddle route` computes for ibnetdiscover's output, the switches hold it (dump_fts), path records
# have the service level of the pair (for a sample, where there are several VLs), and ibdmchk and heddle check find no
# fault. One line per fabric; exit status 1 when anything differs. For fabrics too large for tests/ib/plugin.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
case $1 in /*) HEDDLE_BUILD=$1 ;; *) HEDDLE_BUILD=$PWD/$1 ;; esac
shift
status=0
. tests/tap.sh
. tests/ib/sim.bash
export LD_LIBRARY_PATH=$HEDDLE_BUILD
# sample PSL FABRIC: "source destination level" of 12 pairs per level, by LID.
sample() {
    python3 - "$1" "$2" <<'PY'
import random, re, sys
lid, here = {}, None
for line in open(sys.argv[2]):
    node = re.match(r'Ca\s+\d+ "H-([0-9a-f]+)"', line)
    port = re.match(r'\[1\]\([0-9a-f]+\).*# lid (\d+)', line)
    here = int(node[1], 16) if node else (here if line.strip() else None)
    if port and here: lid[here] = int(port[1])
by_level = {}
for line in open(sys.argv[1]):
    if line.startswith("0x"):
        guid, dest, level = line.split()
        if int(guid, 16) in lid: by_level.setdefault(level, []).append((lid[int(guid, 16)], int(dest, 0), level))
for level in sorted(by_level):
    for row in random.Random(1).sample(by_level[level], min(12, len(by_level[level]))): print(*row)
PY
}
# levels ENGINE: how many path records of the sample differ, and of how many.
levels() {
    "$heddle" route "$tmp/found" "$1" --quiet --format psl -o "$tmp/psl" >/dev/null 2>&1 || { echo "0 of 0"; return; }
    sample "$tmp/psl" "$tmp/found" >"$tmp/sample"
    while read -r s d level; do
        client saquery -p --src-to-dst "$s:$d" >"$tmp/record"
        echo "$s $d $(sed -n 's/.*\bsl\.\.*\(0x\)*\([0-9]*\)$/\2/p' "$tmp/record")"
    done <"$tmp/sample" >"$tmp/asked"
    echo "$(diff "$tmp/sample" "$tmp/asked" | grep -c '^<') of $(wc -l <"$tmp/sample")"
}
while [ $# -ge 2 ]; do
    net=$1 engine=$2
    shift 2
    "$heddle" topo "$net" --quiet --format ibnet -o "$tmp/net" >/dev/null
    start_sim "$tmp/net"
    printf 'event_plugin_name heddle-opensm\nevent_plugin_options %s budget=120\n' "$engine" >>"$run/conf"
    start_osm -R heddle -D 0x43 -t 2000
    for _ in $(seq 600); do
        [ -s "$run/opensm-lfts.dump" ] && grep -q 'SUBNET UP' "$run/osm.log" && break
        sleep 0.5
    done
    client ibnetdiscover >"$tmp/found"
    "$heddle" route "$tmp/found" "$engine" --quiet -o "$tmp/ours.lft" >/dev/null 2>&1
    entries "$tmp/ours.lft" >"$tmp/ours.txt"
    entries "$run/opensm-lfts.dump" >"$tmp/theirs.txt"
    (cd "$run" && LD_PRELOAD=$preload dump_fts -a >"$tmp/now" 2>/dev/null)
    last=$(awk '{ print $2 }' "$tmp/ours.txt" | sort | tail -n 1) # dump_fts leaves it out if it is a multiple of 64
    entries "$tmp/now" | grep -v " $last " >"$tmp/held.txt"
    differ=$(diff "$tmp/ours.txt" "$tmp/theirs.txt" | grep -c '^[<>]') held=$(grep -v " $last " "$tmp/ours.txt" | diff - "$tmp/held.txt" | grep -c '^[<>]')
    records=$(levels "$engine")
    if "$heddle" check "$tmp/found" "$tmp/ours.lft" --with-ibdmchk >"$tmp/check" 2>&1; then verdict="no fault"; else verdict="FAULTS"; fi
    echo "$(basename "$net") $engine: $(wc -l <"$tmp/ours.txt") entries, $differ differ, $held on the switches; path records $records differ; check and ibdmchk: $verdict"
    [ "$differ $held ${records%% *} $verdict" = "0 0 0 no fault" ] && [ -s "$tmp/ours.txt" ] || { status=1; tail -n 4 "$tmp/check"; tail -n 2 "$run/osm.log" | cut -c 1-200; }
    stop_all
done
exit $status
