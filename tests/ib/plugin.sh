#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle as a routing engine of the real OpenSM, on the real ibsim: tables are those of `heddle route` on the same fabric,
# service levels those of its VLs, faults heal, and whatever becomes of the worker process, OpenSM lives and routes.
# PLUGIN_FAULTS is the number of faults (default 12).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "the plug-in for OpenSM" ibsim opensm ibnetdiscover dump_fts saquery python3
if [ ! -e "$HEDDLE_BUILD/libheddle-opensm.so" ]; then
    skip "the plug-in for OpenSM" "it is not built: the headers of OpenSM (libopensm-dev) are not installed"
    finish
fi
export LD_LIBRARY_PATH=$HEDDLE_BUILD UMAD2SIM=$preload

# up NAME NET OPTIONS...: OpenSM comes up on NET with the plug-in and these options; OSM has options of OpenSM itself, SITE
# further lines of its configuration, PARTITIONS its partitions.
up() {
    local name=$1
    "$heddle" topo "$2" --quiet --format ibnet -o "$tmp/net" >/dev/null
    shift 2
    start_sim "$tmp/net" console
    printf 'event_plugin_name heddle-opensm\nevent_plugin_options %s log=%s metrics=%s\n' "$*" "$run/sweeps.jsonl" \
        "$run/heddle.prom" >>"$run/conf"
    printf '%s\n' "${SITE:-}" >>"$run/conf"
    [ -z "${PARTITIONS:-}" ] || printf '%s\n' "$PARTITIONS" >"$run/none" # the file that the configuration names
    # shellcheck disable=SC2086
    if start_osm -R heddle -D 0x43 ${OSM:-}; then pass "$name"
    else
        fail "$name" "$(tail -n 3 "$run/osm.log")"
        finish
    fi
}
said() { grep -c -- "$1" "$run/osm.log"; }
# await FILE TEXT [BEFORE]: until it is there, or there more often than BEFORE times.
await() {
    for _ in $(seq 150); do
        [ "$(grep -c -- "$2" "$1" 2>/dev/null || true)" -gt "${3:-0}" ] && return 0
        sleep 0.05
    done
    return 1
}
# resweep: one more heavy sweep, complete.
resweep() {
    local before
    before=$(said 'SUBNET UP')
    kill -HUP "$osm"
    await "$run/osm.log" 'SUBNET UP' "$before"
}
# keys: of the first line of a log, in their order.
keys() { python3 -c 'import json, sys
def names(o): return {k: names(v) for k, v in o.items()} if isinstance(o, dict) else None
print(names(json.loads(sys.stdin.readline())))'; }
worker() { pgrep -P "$osm" -f heddle-opensm-worker; }
# after TEXT THEN: seconds in OpenSM's log from the last line with TEXT to the first one after it with THEN.
after() {
    awk -v first="$1" -v then="$2" 'index($0, "heddle: " first) { split($3, t, ":"); at = t[1] * 3600 + t[2] * 60 + t[3] + $4 / 1e6; for_it = 1 }
        for_it && index($0, "heddle: " then) { split($3, t, ":"); took = t[1] * 3600 + t[2] * 60 + t[3] + $4 / 1e6 - at; for_it = 0 }
        END { print took < 0 ? took + 86400 : took }' "$run/osm.log"
}
# as_route NAME ENGINE...: what OpenSM handed over is what heddle route computes for ibnetdiscover's output.
as_route() {
    local name=$1; shift
    client ibnetdiscover >"$tmp/found"
    "$heddle" route "$tmp/found" "$@" --quiet -o "$tmp/ours.lft" >/dev/null
    entries "$tmp/ours.lft" >"$tmp/ours.txt"
    entries "$run/opensm-lfts.dump" >"$tmp/theirs.txt"
    if [ -s "$tmp/ours.txt" ] && cmp -s "$tmp/ours.txt" "$tmp/theirs.txt"; then pass "$name: $(wc -l <"$tmp/ours.txt") entries as heddle route has them"
    else fail "$name: entries as heddle route has them" "$(diff "$tmp/ours.txt" "$tmp/theirs.txt" | head -n 4)"; fi
}

# A tree: the default engines; tables on the switches, log, metrics; then faults.
up "a tree comes up under the plug-in" ft:m=4,n=3 maxlanes=1
as_route "a tree, default engines" dmodc
same "heddle watch reads the log" "dmodc, 720 entries in 20 blocks" "$("$heddle" watch "$run" --quiet 2>/dev/null | grep -o 'dmodc, [^,]*')"
client dump_fts -a >"$tmp/now"
same "the switches hold them" "$(md5sum <"$tmp/ours.txt")" "$(entries "$tmp/now" | md5sum)"
check "one line in OpenSM's log" grep -q 'heddle: 20 new switches, 32 new cables, 16 new endpoints; dmodc, 1 VL, proved for 240 pairs' "$run/osm.log"
same "one line of JSON" "dmodc true 16" "$(field engine <"$run/sweeps.jsonl") $(field tables <"$run/sweeps.jsonl") $(field endpoints <"$run/sweeps.jsonl")"
workers_keys=$(keys <"$run/sweeps.jsonl")
same "metrics" 20 "$(sed -n 's/^heddle_switches //p' "$run/heddle.prom")"
if found=$(python3 tests/ib/plugin_faults.py "$run" "$heddle" "${PLUGIN_FAULTS:-12}" 1 "$osm"); then pass "faults heal: $(echo "$found" | tail -n 1)"
else fail "faults heal" "$found"; fi
check "OpenSM is alive" kill -0 "$osm"
last=$(worker)
stop_all
for _ in $(seq 20); do kill -0 "$last" 2>/dev/null && sleep 0.1; done
check "the worker ends with OpenSM" test ! -e "/proc/$last"

# One loss leaves switches that no path up and down leads from to the subnet manager: the next one, between two of them, is
# reported all the same.
export SIM_HOST=H-0200000100000000 # on the leaf that loses the first cable
up "a tree with the subnet manager on a leaf" ft:m=4,n=3
ibsim_do 'Unlink "S-0200000000100000"[3]'
check "the entries that have to wait follow" await "$run/osm.log" 'build_tables: heddle: fabric unchanged'
await "$run/osm.log" 'SUBNET UP' 2
same "no entry is missing" 0 "$(sed -n 's/^heddle_entries_missing //p' "$run/heddle.prom")"
ibsim_do 'Unlink "S-0200000000100008"[3]'
check "the second loss is reported and healed" await "$run/osm.log" 'build_tables: heddle: 1 cable lost (cable L2-0008'
stop_all

# A loss during the pause after another one is healed at once, and begins another pause.
up "a tree that loses two cables" ft:m=4,n=3
ibsim_do 'Unlink "S-0200000000100000"[3]'
await "$run/osm.log" 'build_tables: heddle: 1 cable lost'
sleep 1.5
ibsim_do 'Unlink "S-0200000000100003"[3]'
await "$run/osm.log" 'build_tables: heddle: 1 cable lost' 1
check "entries follow after the second one" await "$run/osm.log" 'build_tables: heddle: fabric unchanged' "$(said 'build_tables: heddle: fabric unchanged')"
took=$(after '1 cable lost' 'fabric unchanged')
check "after a whole pause ($took s)" awk "BEGIN { exit !($took > 1.9) }"
unset SIM_HOST
stop_all

# VLs by pair, on a torus; four LIDs per port, on a tree.
up "a torus comes up under the plug-in" torus:dims=4x4x4,hosts=2 dfsssp:maxlanes=7 budget=20
as_route "a torus, dfsssp" dfsssp:maxlanes=7
"$heddle" route "$tmp/found" dfsssp:maxlanes=7 --quiet --format psl -o "$tmp/psl" >/dev/null
"$heddle" topo "$tmp/found" --quiet --format json -o "$tmp/found.json" >/dev/null
python3 - "$tmp/psl" "$tmp/found" >"$tmp/sample" <<'PY'
import random, re, sys
lid, here = {}, None
for line in open(sys.argv[2]):
    node = re.match(r'Ca\s+\d+ "H-([0-9a-f]+)"', line)
    port = re.match(r'\[1\]\([0-9a-f]+\).*# lid (\d+)', line)
    here = int(node[1], 16) if node else (here if line.strip() else None)
    if port and here: lid[here] = int(port[1])
rows = [line.split() for line in open(sys.argv[1]) if line.startswith("0x")]
by_level = {}
for guid, dest, level in rows: by_level.setdefault(level, []).append((lid[int(guid, 16)], int(dest, 0), level))
for level in sorted(by_level):
    for row in random.Random(1).sample(by_level[level], 3): print(*row)
PY
while read -r s d level; do
    client saquery -p --src-to-dst "$s:$d" >"$tmp/record"
    echo "$s $d $(sed -n 's/.*\bsl\.\.*\(0x\)*\([0-9]*\)$/\2/p' "$tmp/record")"
done <"$tmp/sample" >"$tmp/asked"
same "path records have the VL of the pair as service level ($(wc -l <"$tmp/sample") pairs)" "$(cat "$tmp/sample")" "$(cat "$tmp/asked")"
stop_all
OSM='-l 2' up "a tree with four LIDs per port" ft:m=4,n=3 ftree
as_route "LMC 2, ftree" ftree
stop_all

# Service levels of a site: partitions have 1 and 6. Tables with several VLs use those that are left to them, and map no
# others; with one VL, path records have the level of the partition.
levels_of() { # PAIR...
    for pair; do client saquery -p --src-to-dst "$pair" | sed -n 's/.*\bsl\.\.*\(0x\)*\([0-9]*\)$/\2/p'; done | sort -u | paste -sd ' '
}
SITE='qos TRUE
qos_max_vls 8
qos_sl2vl 0,1,0,0,0,0,6,0,0,0,0,0,0,0,0,0'
PARTITIONS='Default=0x7fff,ipoib,sl=1 : ALL=full;
storage=0x0002,sl=6 : ALL=full;'
up "a torus whose site has service levels of its own" torus:dims=5x5,hosts=1 dfsssp:maxlanes=4 levels=2-4,7
same "pairs have levels that are left to routing" "2 3 4" "$(levels_of 1:{2..20})"
same "which alone are mapped to their VLs" "0|1|2|3|4|0|6|0|0|0|0|0|0|0|0|0|" "$(client smpquery sl2vl 30 1 | sed -n '3s/.*: |//p' | tr -d ' ')"
stop_all
up "and with one VL" torus:dims=5x5,hosts=1 settle maxlanes=1
same "the level is that of the partition" 6 "$(levels_of 1:5 2:9 3:11)"
stop_all
unset SITE PARTITIONS

# A router is served like a host.
"$heddle" topo ft:m=4,n=3 --quiet --format ibnet -o "$tmp/router.ibnet" >/dev/null
sed -i -e '/^caguid=0x200000100000014/{N;s/caguid/rtguid/;s/Ca/Rt/}' -e 's/"H-0200000100000014"/"R-0200000100000014"/' "$tmp/router.ibnet"
up "a tree with a router" "$tmp/router.ibnet"
as_route "a router, default engines" dmodc
same "OpenSM sees the router" 1 "$(grep -c '^Rt' "$tmp/found")"
same "all pairs are served, the router's too" "240 0" "$("$heddle" check "$tmp/found" "$run/opensm-lfts.dump" --endpoints . --quiet | sed -n 's/^\(pairs\|unreachable\) *//p' | paste -sd ' ')"
stop_all

# Steps: where a change is not safe in any order of blocks, intermediate tables are, and end at the same tables; but a
# loss is healed at once.
up "a network changes in steps" random:switches=10,ports=6,hosts=2,seed=1 settle maxlanes=1 steps=1
ibsim_do 'Unlink "S-0200000000100000"[4]'
await "$run/osm.log" 'build_tables: heddle: .* ms' 1
await "$run/osm.log" 'SUBNET UP' 1
same "a loss is healed at once, safe or not" "1 0" "$(said 'NOT safe') $(said 'a step: more follows')"
ibsim_do 'Relink "S-0200000000100000"[4]'
await "$run/osm.log" 'heddle: .* safe in any order, EBB' # the last, which is no step
await "$run/osm.log" 'SUBNET UP' $(($(said 'build_tables: heddle: .* ms') - 1))
same "no step is unsafe" 1 "$(said 'NOT safe')"
check "there are steps" grep -q 'safe in any order, a step: more follows' "$run/osm.log"
sleep 0.3
as_route "after the last step" settle:maxlanes=1
stop_all

# A standby subnet manager on another host takes over after a fault, with the tables that the first one had.
export SIM_HOST=node-00000 # without a name both would be on the first node
OSM="-p 5" up "a subnet manager with a standby" ft:m=4,n=3 settle,updown
mkdir -p "$run/second/cache"
printf 'sminfo_polling_timeout 100\npolling_retry_number 2\n' >>"$run/conf"
(cd "$run/second" && SIM_HOST=node-00003 OSM_TMP_DIR=$run/second OSM_CACHE_DIR=$run/second/cache LD_PRELOAD=$preload \
    exec opensm -F ../conf -R heddle -e -s 1 -f osm.log -D 0x43 -p 1 </dev/null >osm.out 2>&1) &
standby=$!
await "$run/second/osm.log" 'STANDBY'
entries "$run/opensm-lfts.dump" >"$tmp/before"
whole=$(md5sum <"$tmp/before") count=$(wc -l <"$tmp/before")
ibsim_do 'Unlink "S-0200000000100000"[3]'
await "$run/osm.log" 'heddle: 1 cable lost'
# dumped_anew DUMP FILE: its entries in FILE. The dump comes last, after SUBNET UP, and is complete when it has as many
# entries as before.
dumped_anew() {
    for _ in $(seq 600); do
        [ ! -f "$1" ] || entries "$1" >"$2"
        [ -f "$2" ] && [ "$(wc -l <"$2")" = "$count" ] && [ "$(md5sum <"$2")" != "$whole" ] && break
        sleep 0.05
    done
}
dumped_anew "$run/opensm-lfts.dump" "$tmp/after"
kill -9 "$osm"
wait "$osm" 2>/dev/null
osm=$standby
check "the standby takes over" await "$run/second/osm.log" 'SUBNET UP'
dumped_anew "$run/second/opensm-lfts.dump" "$tmp/second"
same "its tables are the same" "$(md5sum <"$tmp/after")" "$(md5sum <"$tmp/second")"
unset SIM_HOST
stop_all

# Whatever becomes of the worker. Killed: the next sweep starts another one. Stopped: within its budget.
up "a tree with a budget of four seconds" ft:m=4,n=2 dmodc budget=4
first=$(worker)
kill -9 "$first"
check "the sweep after the worker was killed" resweep
same "another worker routed it" "2 0" "$(said 'build_tables: heddle: .* dmodc') $(said 'FALLS BACK')"
kill -STOP "$(worker)"
check "the sweep with a worker that was stopped" resweep
same "it was given up" 1 "$(said 'did not answer within 2 s; trying again')"
same "a new worker routed it" "3 0" "$(said 'build_tables: heddle: .* dmodc') $(said 'FALLS BACK')"
stop_all

# Starved: 60 MB of address space are too little for it. Corrupt: replies of every wrong kind.
printf '#!/bin/bash\nulimit -v 8000\nexec "$PLUGIN_WORKER"\n' >"$tmp/starved"
chmod +x "$tmp/starved"
export PLUGIN_WORKER=$HEDDLE_BUILD/heddle-opensm-worker PLUGIN_BAD=$tmp/bad
up "a worker without memory" ft:m=4,n=2 dmodc worker="$tmp/starved"
check "OpenSM falls back" grep -q 'ROUTING FALLS BACK.*the worker process' "$run/osm.log"
check "the metrics follow" await "$run/heddle.prom" heddle_last_request
same "no tables in the metrics, and every fallback" "0 $(said 'FALLS BACK')" "$(sed -n 's/^heddle_\(tables\|fallbacks_total\) //p' "$run/heddle.prom" | sort | paste -sd ' ')"
same "with the keys of a worker's line" "$workers_keys" "$(keys <"$run/sweeps.jsonl")"
same "one line of JSON for each" "$(said 'FALLS BACK') false" "$(wc -l <"$run/sweeps.jsonl") $(tail -n 1 "$run/sweeps.jsonl" | field tables)"
check "heddle watch reads it" sh -c "'$heddle' watch '$run' --quiet | grep -q 'NO TABLES: the worker process .* ms$'"
rm "$run/heddle.prom"
ln -s "$tmp/nowhere/heddle.prom" "$run/heddle.prom"
truncate -s 8M "$run/sweeps.jsonl"
mkdir "$run/sweeps.jsonl.1"
resweep
check "a log that cannot be renamed is reported" await "$run/osm.out" 'heddle: .*sweeps.jsonl: Is a directory'
same "and does not grow" 8388608 "$(stat -c %s "$run/sweeps.jsonl")"
check "so are metrics behind a link to nothing" await "$run/osm.out" 'heddle: .*heddle.prom: cannot write: No such file'
check "which stays" test -L "$run/heddle.prom"
check "OpenSM is alive after it" kill -0 "$osm"
stop_all

# A slow file server: metrics of a fallback that come late do not replace those of the request after it.
printf '#!/bin/bash\n[ -e "%s" ] || exit 1\nexec "$PLUGIN_WORKER"\n' "$tmp/good" >"$tmp/once"
chmod +x "$tmp/once"
${CC:-cc} -std=c11 -shared -fPIC tests/ib/slow_open.c -o "$tmp/slow.so" -ldl
export SLOW_FILE=heddle.prom. SLOW_SECONDS=3
preload="$preload $tmp/slow.so" up "a slow file server" ft:m=4,n=2 dmodc worker="$tmp/once"
touch "$tmp/good"
resweep
check "metrics of the request after the fallback" await "$run/heddle.prom" '^heddle_tables 1'
check "those of the fallback are late" await "$run/osm.out" 'slow_open: .* at last'
sleep 0.3
same "and are left out" "1 1" "$(sed -n 's/^heddle_\(tables\|fallbacks_total\) //p' "$run/heddle.prom" | paste -sd ' ')"
unset SLOW_FILE SLOW_SECONDS
stop_all
check "the plug-in stays loaded while a thread of it waits for a file" sh -c "readelf -d '$HEDDLE_BUILD/libheddle-opensm.so' | grep -q NODELETE"
up "a worker with corrupt replies" ft:m=4,n=2 dmodc worker="$PWD/tests/ib/bad_worker.py"
for _ in $(seq 25); do
    grep -q 'build_tables: heddle: .* dmodc' "$run/osm.log" && break
    resweep
done
same "each was refused by name" 18 "$(grep -E 'FALLS BACK|trying again' "$run/osm.log" | grep -c -E 'not sealed|do not add up|sends LID|service levels|own reason|another fabric|process ended|too large')"
await "$run/heddle.prom" '^heddle_tables 1' # it comes after the tables
same "fallbacks of all workers are counted" "$(said 'FALLS BACK')" "$(sed -n 's/^heddle_fallbacks_total //p' "$run/heddle.prom")"
check "control characters do not reach the log" sh -c "! LC_ALL=C grep -q \"\$(printf '\\177\\|\\302\\233')\" '$run/osm.log'"
check "a line longer than OpenSM takes was cut" grep -q 'build_tables: heddle: xxx' "$run/osm.log"
same "no descriptor of theirs is left" 0 "$(find "/proc/$osm/fd" -lname '*memfd:bad*' | wc -l)"
check "the real worker routed in the end" grep -q 'build_tables: heddle: .* dmodc' "$run/osm.log"
check "without what the one before it had not ended" grep -q 'dmodc.*not used: entries for switches: ended' "$run/osm.log"
stop_all

# Nothing that fits: an unknown option, an engine that does not apply.
up "an engine that does not apply" torus:dims=3x3,hosts=1 dmodc maxlanes=1 budgt=3
check "is said in the line" grep -q "ROUTING FALLS BACK.*event_plugin_options: 'budgt'" "$run/osm.log"
stop_all
finish
