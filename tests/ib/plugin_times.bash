#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/ib/plugin_times.bash BUILD NET ENGINE...: milliseconds from OpenSM's request for tables until it has them, on NET and
# after the loss of one cable, with the plug-in and each engine (opensm-NAME: OpenSM's own). For docs/opensm.md; no test.
set -u
cd "$(dirname "$0")/../.." || exit 1
case $1 in /*) HEDDLE_BUILD=$1 ;; *) HEDDLE_BUILD=$PWD/$1 ;; esac
net=$2
shift 2
. tests/tap.sh
. tests/ib/sim.bash
export LD_LIBRARY_PATH=$HEDDLE_BUILD
# between: milliseconds from each "building routing" to "tables configured" in OpenSM's log.
between() {
    awk '{ split($3, t, ":"); now = ((t[1] * 60 + t[2]) * 60 + t[3]) * 1000 + $4 / 1000 }
         /building routing with/ { from = now }
         /tables configured on all switches/ { printf "%s%.0f", n++ ? ", " : "", now - from }' "$run/osm.log"
}
"$heddle" topo "$net" --quiet --format ibnet -o "$tmp/net" >/dev/null
cable=$(awk '/^Switch/ { id = $3 } /^\[[0-9]+\]\t"S-/ { split($1, p, /[][]/); print id "[" p[2] "]"; exit }' "$tmp/net")
for engine in "$@"; do
    start_sim "$tmp/net" console
    name=heddle
    case $engine in opensm-*) name=${engine#opensm-} ;; esac
    [ $name != heddle ] || printf 'event_plugin_name heddle-opensm\nevent_plugin_options %s budget=60\n' "$engine" >>"$run/conf"
    start_osm -R $name -D 0x07 -t 2000
    for _ in $(seq 600); do
        grep -q 'SUBNET UP' "$run/osm.log" && break
        sleep 0.2
    done
    ibsim_do "Unlink $cable"
    for _ in $(seq 600); do
        [ "$(grep -c 'tables configured on all' "$run/osm.log")" -gt 1 ] && break
        sleep 0.2
    done
    printf '%-16s %s ms' "$engine" "$(between)"
    [ $name != heddle ] || printf '; of these by the plug-in: %s ms' \
        "$(sed -n 's/.*heddle: .*; \([0-9.]*\) ms$/\1/p' "$run/osm.log" | paste -sd, | sed 's/,/, /g')"
    echo
    stop_all
done
