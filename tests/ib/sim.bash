# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests that run the real OpenSM on the real ibsim; tests/tap.sh comes first.
sim= osm=
trap 'stop_all; rm -rf "$tmp"' EXIT
preload=$(ls /usr/lib/*/umad2sim/libumad2sim.so /usr/lib*/umad2sim/libumad2sim.so /usr/local/lib/umad2sim/libumad2sim.so 2>/dev/null | head -n 1)
PATH=$PATH:/usr/sbin:/sbin
[ -x "$heddle" ] || { echo "not ok 1 - run by tests/run"; echo 1..1; exit 1; }
# needs NAME PROGRAM...: skips the whole script where one is missing.
needs() {
    local name=$1; shift
    for program in "$@"; do
        command -v "$program" >/dev/null && [ -n "$preload" ] && continue
        skip "$name" "$program or ibsim's preload library is not installed"
        finish
    done
}
# start_sim FILE [console]: ibsim in a folder of its own ($run), on a socket of its own; with a console, ibsim_do COMMAND
# reaches it.
start_sim() {
    local from=/dev/null quiet=-n
    run=$(mktemp -d "$tmp/run.XXXXXX")
    export IBSIM_SOCKNAME="heddle-$$-${run##*.}" OSM_CACHE_DIR=$run/cache OSM_TMP_DIR=$run
    mkdir "$OSM_CACHE_DIR"
    printf 'force_log_flush TRUE\npartition_config_file %s/none\nprefix_routes_file %s/none\n' "$run" "$run" >"$run/conf"
    if [ "${2:-}" = console ]; then
        from=$run/console quiet=
        mkfifo "$from"
    fi
    (cd "$run" && exec ibsim -s $quiet -N 20000 -S 4000 -P 200000 -L 49152 "$1" <>"$from" >ibsim.log 2>&1) &
    sim=$!
    for _ in $(seq 600); do
        grep -q 'simulator ready' "$run/ibsim.log" 2>/dev/null && return 0
        kill -0 "$sim" 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}
ibsim_do() { printf '%s\n' "$@" >"$run/console"; }
# stop PID: asks it to end and insists: an opensm without its ibsim does not listen.
stop() {
    [ -n "$1" ] || return 0
    kill "$1" 2>/dev/null
    for _ in $(seq 60); do
        kill -0 "$1" 2>/dev/null || break
        sleep 0.05
    done
    kill -9 "$1" 2>/dev/null
    wait "$1" 2>/dev/null
}
stop_osm() { stop "$osm"; osm=; }
stop_all() { stop_osm; stop "$sim"; sim=; }
# client PROGRAM...: a diagnostic program on the simulated fabric.
client() { (cd "$run" && LD_PRELOAD=$preload timeout 20 "$@" 2>client.log); }
# start_osm OPTION...: OpenSM up with the engine asked for; its number is $osm, its log $run/osm.log.
start_osm() {
    rm -f "$run/osm.log"
    (cd "$run" && LD_PRELOAD=$preload exec opensm -F "${conf:-conf}" -s 0 -e -f osm.log -D 0x03 -n 64 "$@" </dev/null >osm.out 2>&1) &
    osm=$!
    for _ in $(seq 600); do
        grep -q 'SUBNET UP' "$run/osm.log" 2>/dev/null && return 0
        grep -q 'No routing engine able' "$run/osm.log" 2>/dev/null && return 1
        kill -0 "$osm" 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}
# sweep OPTION...: the same, and ended: what it set up stays.
sweep() {
    start_osm "$@"
    local rc=$?
    stop_osm
    grep -q ' tables configured on all switches' "$run/osm.log" && return $rc
}
# entries FILE...: "switch LID port" of OpenSM's dump, of dump_fts or of ours, sorted; holes left out.
entries() {
    awk '/Unicast lids/ { match($0, / guid 0x[0-9a-f]+/); sw = substr($0, RSTART + 6, RLENGTH - 6) }
         /^0x/ && $2 ~ /^[0-9]+$/ && $2 < 255 { print sw, $1, $2 + 0 }' "$@" | sort
}
field() { python3 -c 'import json, sys
v = json.load(sys.stdin)
for k in sys.argv[1].split("."): v = v[int(k)] if isinstance(v, list) else v[k]
print(json.dumps(v) if isinstance(v, (bool, type(None), list, dict)) else v)' "$1"; }
