#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Our network files in the real ibsim, discovered by the real ibnetdiscover and read back: the same network.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
sim=
trap 'stop_sim; rm -rf "$tmp"' EXIT
preload=$(ls /usr/lib/*/umad2sim/libumad2sim.so /usr/lib*/umad2sim/libumad2sim.so /usr/local/lib/umad2sim/libumad2sim.so 2>/dev/null | head -n 1)
for program in ibsim ibnetdiscover; do
    if ! command -v "$program" >/dev/null || [ -z "$preload" ]; then
        skip "networks through ibsim" "ibsim, its preload library or ibnetdiscover is not installed"
        finish
    fi
done

# start_sim FILE: ibsim on an abstract socket of its own, in a folder of its own, since clients leave sys-<pid> there.
start_sim() {
    run=$(mktemp -d "$tmp/run.XXXXXX")
    export IBSIM_SOCKNAME="heddle-$$-${run##*.}"
    (cd "$run" && exec ibsim -s -n -N 20000 -S 4000 -P 200000 -L 49152 "$1" </dev/null >ibsim.log 2>&1) &
    sim=$!
    for _ in $(seq 300); do
        grep -q 'simulator ready' "$run/ibsim.log" 2>/dev/null && return 0
        kill -0 "$sim" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}
stop_sim() {
    [ -n "$sim" ] || return 0
    kill "$sim" 2>/dev/null
    wait "$sim" 2>/dev/null
    sim=
}
discover() { (cd "$run" && LD_PRELOAD=$preload timeout 60 ibnetdiscover "$@" 2>client.log); }
ibnet() { "$heddle" topo "$1" --format ibnet -o "$2" >/dev/null 2>"$tmp/err" </dev/null; }

# round_trip NAME NET
round_trip() {
    local name=$1 net=$2 a=$tmp/a.net b=$tmp/b.net
    rm -f "$a" "$b" "$tmp"/found*
    if ! ibnet "$net" "$a"; then fail "$name: written" "$(head -n 3 "$tmp/err")"; return; fi
    if ! start_sim "$a"; then
        fail "$name: loaded by ibsim" "$(grep -v '^parsing' "$run/ibsim.log" | tail -n 3)"
        stop_sim
        return
    fi
    # A warning of the parser would mean that ibsim did not get all of it.
    if grep -E 'parse|connect_ports.*(not|find|bad)' "$run/ibsim.log" | grep -vE '^parsing:|: parsed [0-9]+ lines' >"$tmp/warnings"; then
        fail "$name: loaded by ibsim without a warning" "$(head -n 3 "$tmp/warnings")"
    else
        pass "$name: loaded by ibsim without a warning"
    fi
    discover >"$tmp/found.net"
    discover -p >"$tmp/found.ports"
    stop_sim
    if ibnet "$tmp/found.net" "$b" && cmp -s "$a" "$b"; then pass "$name: same network after ibnetdiscover"
    else fail "$name: same network after ibnetdiscover" "$(head -n 1 "$tmp/err")" "$(diff "$a" "$b" 2>&1 | head -n 4)"; fi
    # The port form tells neither system GUIDs nor LMC.
    local lost='/^sysimgguid=/d; s/ lmc [0-7]/ lmc 0/'
    if ibnet "$tmp/found.ports" "$b" && diff <(sed "$lost" "$a") <(sed "$lost" "$b") >"$tmp/diff"; then pass "$name: same network after ibnetdiscover -p"
    else fail "$name: same network after ibnetdiscover -p" "$(head -n 1 "$tmp/err")" "$(head -n 4 "$tmp/diff" 2>/dev/null)"; fi
}

for net in gft:n=4,m=4,r=8 ft:m=4,n=3 pgft:m=4x4,w=1x2,p=1x2 xgft:m=5,w=1; do round_trip "$net" "$net"; done
round_trip "516 endpoints at random" tests/data/opensm/rnd516.net.gz

# All that a generated network has not: two-port adapters, a router, an aggregation node, an LMC, names that
# would upset ibsim were they written as they are. (ibsim gives routers neither LID nor speed.)
cat >"$tmp/mixed.net" <<'EOF'
sysimgguid=0x77
switchguid=0x10
Switch	36 "S1"	# "rows=99 "core" e=77" base port 0 lid 40 lmc 0
[1]	"H1"[1]	# "h1" lid 4 4xHDR
[2]	"R1"[2]	# "r1" lid 0 4xSDR
[36]	"S2"[8]	# "s2" lid 41 12xEDR
[35]	"S2"[7]	# "s2" lid 41 4xFDR

switchguid=0x20
Switch	8 "S2"	# "s2" base port 0 lid 41 lmc 0
[1]	"H1"[2]	# "h1" lid 6 4xHDR
[2]	"A1"[1]	# "a1" lid 10 4xQDR
[8]	"S1"[36]	# "s1" lid 40 12xEDR
[7]	"S1"[35]	# "s1" lid 40 4xFDR

sysimgguid=0x99
caguid=0x100
Ca	2 "H1"	# "host one s=8"
[1]	"S1"[1]	# lid 4 lmc 1 "s1" lid 40 4xHDR
[2]	"S2"[1]	# lid 6 lmc 1 "s2" lid 41 4xHDR

rtguid=0x200
Rt	2 "R1"	# "router"
[2]	"S1"[2]	# lid 0 lmc 0 "s1" lid 40 4xSDR

caguid=0x300
Ca	1 "A1"	# "Mellanox Technologies Aggregation Node"
[1]	"S2"[2]	# lid 10 lmc 1 "s2" lid 41 4xQDR
EOF
round_trip "mixed fabric" "$tmp/mixed.net"
printf 'Switch 4 "alone"\n' >"$tmp/alone.net"
round_trip "one switch alone" "$tmp/alone.net"
finish
