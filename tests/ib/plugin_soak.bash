#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/ib/plugin_soak.bash BUILD [FAULTS [SWEEPS]]: the plug-in under the real OpenSM for long: FAULTS (default 200) random
# losses and returns on a tree, a torus and a random fabric, each judged as in plugin_faults.py; then SWEEPS (default 1000)
# sweeps, during which the memory of OpenSM and of the worker must not grow. With BUILD=build-san plug-in and worker run
# under ASan and UBSan. With ENGINES="minhop ftree", the same faults are repeated under these engines of OpenSM itself, to
# compare the entries that change. Prints one line each; exit status 1 when anything was wrong.
set -u
cd "$(dirname "$0")/../.." || exit 1
case $1 in /*) HEDDLE_BUILD=$1 ;; *) HEDDLE_BUILD=$PWD/$1 ;; esac
export HEDDLE_BUILD
faults=${2:-200} sweeps=${3:-1000} status=0
. tests/tap.sh
. tests/ib/sim.bash
if [ -z "$preload" ] || [ ! -e "$HEDDLE_BUILD/libheddle-opensm.so" ] || ! command -v opensm ibsim >/dev/null; then
    echo "plug-in      skipped: OpenSM, its headers or ibsim are not installed"
    exit 0
fi
export LD_LIBRARY_PATH=$HEDDLE_BUILD UMAD2SIM=$preload
# The sanitizers must be loaded first where the plug-in has them. What they find in OpenSM and in ibsim's preload library
# (buffers that are read beyond their end, or sent while another thread frees them) is not ours: only reports that name
# the plug-in or the worker count.
case $HEDDLE_BUILD in
*-san)
    preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so) $preload"
    export ASAN_OPTIONS=detect_leaks=0:halt_on_error=0:replace_intrin=0:replace_str=0:quarantine_size_mb=4:log_path=$tmp/asan
    ;;
esac
# up NET OPTIONS...: OpenSM with the plug-in.
up() {
    "$heddle" topo "$1" --quiet --format ibnet -o "$tmp/net" >/dev/null
    shift
    start_sim "$tmp/net" console
    printf 'event_plugin_name heddle-opensm\nevent_plugin_options %s budget=60 log=%s metrics=%s\n' "$*" "$run/sweeps.jsonl" \
        "$run/heddle.prom" >>"$run/conf"
    start_osm -R heddle -D 0x43
}
# own NET ENGINE: OpenSM with an engine of its own.
own() {
    "$heddle" topo "$1" --quiet --format ibnet -o "$tmp/net" >/dev/null
    start_sim "$tmp/net" console
    start_osm -R "$2" -D 0x43
}
# judge NAME TEXT: TEXT is "" if all is well.
judge() {
    if [ -z "$2" ]; then printf '%-12s ok: %s\n' plug-in "$1"
    else
        printf '%-12s FAILED: %s\n%s\n' plug-in "$1" "$2"
        status=1
    fi
}
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

for case in "ft:m=8,n=3 dmodc,updown maxlanes=1" "ft:m=8,n=3 dmodc,updown maxlanes=1 keep=on" "torus:dims=4x4x3,hosts=2 settle,updown maxlanes=1 keep=on" \
    "random:switches=40,ports=8,hosts=3 settle,nue,updown maxlanes=1"; do
    # shellcheck disable=SC2086
    if up $case; then
        found=$(python3 tests/ib/plugin_faults.py "$run" "$heddle" $(((faults + 3) / 4)) 7 "$osm") && verdict= || verdict=${found:-plugin_faults.py ended}
        kill -0 "$osm" || verdict="OpenSM ended"
        judge "$case: $(echo "$found" | tail -n 1)" "$verdict"
    else judge "${case%% *}" "$(tail -n 3 "$run/osm.log")"; fi
    stop_all
done
for net in ${ENGINES:+ft:m=8,n=3 torus:dims=4x4x3,hosts=2 random:switches=40,ports=8,hosts=3}; do
    for engine in $ENGINES; do
        if own "$net" "$engine"; then
            echo "opensm       $net $engine: $(python3 tests/ib/plugin_faults.py "$run" "$heddle" $(((faults + 3) / 4)) 7 "$osm" | tail -n 1)"
        else echo "opensm       $net $engine: $(grep -m 1 -E 'cannot build|No routing engine' "$run/osm.log" | cut -c 1-90)"; fi
        stop_all
    done
done

[ "$sweeps" -gt 0 ] || exit $status
up ft:m=8,n=3 dmodc,updown maxlanes=1
worker=$(pgrep -P "$osm" -f heddle-opensm-worker)
done=0 early=
while [ $done -lt "$sweeps" ] && kill -0 "$osm" 2>/dev/null; do
    before=$(grep -c 'SUBNET UP' "$run/osm.log")
    kill -HUP "$osm"
    for _ in $(seq 200); do
        [ "$(grep -c 'SUBNET UP' "$run/osm.log")" -gt "$before" ] && break
        sleep 0.02
    done
    done=$((done + 1))
    [ $done = $((sweeps / 5)) ] && early="$(memory "$osm") $(memory "$worker")"
done
late="$(memory "$osm") $(memory "$worker")"
verdict=$(echo "$early $late" | awk '$3 > 1.2 * $1 + 20000 || $4 > 1.2 * $2 + 2000 || NF < 4 { print "memory grew (KiB, OpenSM and worker): " $0 }')
[ "$(grep -c 'ROUTING FALLS BACK' "$run/osm.log")" = 0 ] || verdict="$verdict fell back"
judge "$done sweeps; KiB of OpenSM and worker: $early after a fifth, $late at the end" "$verdict"
stop_all
judge "sanitizers" "$(grep -l 'heddle' "$tmp"/asan* 2>/dev/null | head -n 1 | xargs -r head -n 40)"
exit $status
