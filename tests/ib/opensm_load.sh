#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Our tables of every destination-based engine, loaded by the real OpenSM, are what the switches end up
# with, entry by entry; packets of the real ibtracert follow our paths. With LMC 2 and with LIDs of our own too.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "tables through OpenSM" ibsim opensm dump_fts ibtracert

# engines NET: those that apply and give one path a destination.
engines() {
    local name
    for name in $("$heddle" list engine | awk '{ print $1 }'); do
        case $name in file | opensm) continue ;; esac
        "$heddle" route "$1" "$name" --quiet -o "$tmp/try.lft" >"$tmp/out" 2>/dev/null || continue
        grep -q '^variants *1 ' "$tmp/out" && echo "$name"
    done
}
# load NAME TABLE OPTION...: TABLE through OpenSM and back from the switches.
load() {
    local name=$1 table=$2; shift 2
    if ! sweep -R file,no_fallback -U "$table" "$@"; then fail "$name: loaded" "$(tail -n 2 "$run/osm.log")"; return; fi
    client dump_fts -a >"$tmp/now"
    entries "$table" >"$tmp/ours.txt"
    entries "$tmp/now" >"$tmp/theirs.txt"
    if [ -s "$tmp/ours.txt" ] && cmp -s "$tmp/ours.txt" "$tmp/theirs.txt"; then pass "$name: $(wc -l <"$tmp/ours.txt") entries as ours"
    else fail "$name: entries as ours" "$(diff "$tmp/ours.txt" "$tmp/theirs.txt" | head -n 4)"; fi
}
# follow NAME NET TABLE: ibtracert between some pairs against a walk through the table.
follow() {
    local bad=0 n=0 slid dlid expected
    "$heddle" topo "$2" --format json --quiet -o "$tmp/net.json" >/dev/null
    while read -r slid dlid expected; do
        n=$((n + 1))
        got=$(client ibtracert "$slid" "$dlid" | sed -n 's/^\[\([0-9]*\)\] -> .*{0x\([0-9a-f]*\)}.*/\1>\2/p' | tr '\n' ' ')
        [ "$got" = "$expected " ] || { bad=$((bad + 1)); echo "#   $slid to $dlid: expected $expected, got $got"; }
    done < <(python3 tests/ib/walk.py "$tmp/net.json" "$3" 6)
    if [ $bad = 0 ] && [ $n -gt 1 ]; then pass "$1: ibtracert follows our path for $n pairs"
    else fail "$1: ibtracert follows our path" "$bad of $n pairs differ"; fi
}

# with_lmc NAME NET ENGINE...: tables with several LIDs a port, loaded where our guid2lid gives them out.
with_lmc() {
    local name=$1 net=$2 lmc; shift 2
    "$heddle" route "$net" "$@" --quiet -o "$tmp/lmc.lft" >/dev/null
    "$heddle" route "$net" "$@" --quiet --format guid2lid -o "$tmp/guid2lid" >/dev/null
    lmc=$(sed -n 's/^# heddle variants .* lmc \([0-9]\).*/\1/p' "$tmp/lmc.lft")
    start_sim "$tmp/net"
    cp "$tmp/guid2lid" "$OSM_CACHE_DIR/guid2lid"
    load "$name $*, LMC $lmc" "$tmp/lmc.lft" -l "$lmc"
    follow "$name $*, LMC $lmc" "$net" "$tmp/lmc.lft"
    grep . "$tmp/guid2lid" | sort >"$tmp/wanted"
    grep . "$OSM_CACHE_DIR/guid2lid" | sort >"$tmp/given"
    check "$name $*: all LIDs as our guid2lid has them" cmp "$tmp/wanted" "$tmp/given"
    stop_all
}

"$heddle" topo tests/data/opensm/rnd516.net.gz --quiet --format ibnet -o "$tmp/rnd516.net" >/dev/null
for net in gft:n=4,m=4,r=8 ft:m=8,n=3 ft:m=8,n=3,partial=random:50 torus:dims=4x4,hosts=2 "$tmp/rnd516.net"; do
    name=${net##*/}
    "$heddle" topo "$net" --quiet --format ibnet -o "$tmp/net" >/dev/null
    start_sim "$tmp/net"
    last=
    for engine in $(engines "$net"); do
        "$heddle" route "$net" "$engine" --quiet -o "$tmp/$engine.lft" >/dev/null
        load "$name $engine" "$tmp/$engine.lft"
        last=$engine
    done
    follow "$name $last" "$net" "$tmp/$last.lft"
    stop_all
    # The same with four LIDs a port, given out by our guid2lid.
    with_lmc "$name" "$net" minhop --lmc 2
done

# Without GUIDs, and with four LIDs a port; LIDs given out by our guid2lid.
net=ft:m=4,n=3
"$heddle" topo $net --format ibnet -o "$tmp/net" >/dev/null
start_sim "$tmp/net"
"$heddle" route $net ftree --format lft-minimal -o "$tmp/minimal.lft" >/dev/null
load "$net, minimal form" "$tmp/minimal.lft"
stop_all
with_lmc $net $net mlid
with_lmc $net $net opensm:engine=minhop,lmc=2,use=all

# LIDs far from those OpenSM would give out by itself, and a table found by port GUIDs although LIDs differ.
"$heddle" route $net ftree --format guid2lid | while read -r guid lid _; do
    [ -n "$guid" ] && printf '%s 0x%04x 0x%04x\n\n' "$guid" $((lid * 37 + 1000)) $((lid * 37 + 1000))
done >"$tmp/far"
start_sim "$tmp/net"
cp "$tmp/far" "$OSM_CACHE_DIR/guid2lid"
"$heddle" route $net ftree --guid2lid "$tmp/far" -o "$tmp/far.lft" >/dev/null
load "$net ftree, LIDs from a guid2lid file" "$tmp/far.lft"
same "LIDs are those of the file" "$("$heddle" topo "$tmp/net" --guid2lid "$tmp/far" --format ibnet | md5sum)" \
    "$(client ibnetdiscover >"$tmp/found"; "$heddle" topo "$tmp/found" --format ibnet | md5sum)"
"$heddle" route $net ftree -o "$tmp/near.lft" >/dev/null
sweep -R file,no_fallback -U "$tmp/near.lft"
client dump_fts >"$tmp/now"
same "a table made for other LIDs is found by its port GUIDs" "$(entries "$tmp/far.lft" | md5sum)" "$(entries "$tmp/now" | md5sum)"
stop_all
finish
