#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Switches without a cable, or cabled with each other alone, change nothing of what is said about a fabric and of how it
# is routed: its kind, the engines that apply, paths and loads. They are reported.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

# add FILE NAME [PORT:NAME:PORT]...: a switch. The last two digits of a name are those of its GUID.
add() {
    local file=$1 name=$2 cable; shift 2
    printf '\nswitchguid=0x30000000000%s\nSwitch\t8 "S-00030000000000%s"\t\t# "%s" base port 0 lid 400%s lmc 0\n' \
        "${name: -2}" "${name: -2}" "$name" "${name: -2}" >>"$file"
    for cable; do
        IFS=: read -r port far farport <<<"$cable"
        printf '[%s]\t"S-00030000000000%s"[%s]\t\t# "%s" lid 400%s 4xEDR\n' "$port" "${far: -2}" "$farport" "$far" "${far: -2}" >>"$file"
    done
}
# What check and eval say of the paths, without the name of the network and the channels of the unused switches.
said() {
    "$heddle" check "$1" "$2" 2>&1 | grep -v '^network\|^unused'
    "$heddle" eval "$1" "$2" -p bisect -m ebb,maxload -n 20 2>&1 | grep -v '^network'
}

for spec in ft:m=4,n=2 pgft:m=3x2x2,w=1x2x2,p=1x2x1 torus:dims=4x3,hosts=2 dragonfly:a=4,h=1,p=1; do
    "$heddle" topo "$spec" -o "$tmp/plain" >/dev/null
    for kind in lone lones pair ring; do
        cp "$tmp/plain" "$tmp/$kind"
    done
    add "$tmp/lone" L1-0090
    add "$tmp/lones" spare90; add "$tmp/lones" spare91; add "$tmp/lones" spare92
    add "$tmp/pair" s90 1:s91:1 2:s91:2; add "$tmp/pair" s91 1:s90:1 2:s90:2; add "$tmp/pair" s92
    add "$tmp/ring" s90 1:s91:2 2:s92:1; add "$tmp/ring" s91 1:s92:2 2:s90:1; add "$tmp/ring" s92 1:s90:2 2:s91:1
    for kind in lone lones pair ring; do
        same "$spec, $kind: the kind" "$("$heddle" topo "$tmp/plain" | grep '^kind\|^Clos\|^RLFT\|^diameter')" \
            "$("$heddle" topo "$tmp/$kind" | grep '^kind\|^Clos\|^RLFT\|^diameter')"
        for engine in dmodk dmodc dor updown; do
            said "$tmp/plain" $engine | sed "s|$tmp/plain|NET|" >"$tmp/a"
            said "$tmp/$kind" $engine | sed "s|$tmp/$kind|NET|" >"$tmp/b"
            check "$spec, $kind: $engine" diff "$tmp/a" "$tmp/b"
        done
        check "$spec, $kind: drawn" "$heddle" topo "$tmp/$kind" --format svg -o "$tmp/svg"
        check "$spec, $kind: advised" sh -c "'$heddle' advise '$tmp/$kind' | grep -q 'WARN  stray switches'"
    done
    check "$spec: spares are named" sh -c "'$heddle' topo '$tmp/lones' | grep -q 'dead     spare91 has no cable'"
done
# What fails is what endpoints use, and rates are those of cables in use.
"$heddle" topo xgft:m=4x4x4,w=1x2x2 -o "$tmp/plain" >/dev/null
cp "$tmp/plain" "$tmp/pair"
add "$tmp/pair" s90 1:s91:1 2:s91:2; add "$tmp/pair" s91 1:s90:1 2:s90:2; add "$tmp/pair" s92
sed -i '/"s9[01]" lid/s/4xEDR/4xQDR/' "$tmp/pair"
for what in 'one cable lost' 'one switch lost' 'missing cables' 'slow cables'; do
    same "advise: $what" "$("$heddle" advise "$tmp/plain" -q | grep "$what")" "$("$heddle" advise "$tmp/pair" -q | grep "$what")"
done
same "bounds" "$("$heddle" eval "$tmp/plain" dmodk -n 5 --json | grep bound)" "$("$heddle" eval "$tmp/pair" dmodk -n 5 --json | grep bound)"
same "levels" "$("$heddle" topo "$tmp/plain" | sed -n '/^level/,$p')" "$("$heddle" topo "$tmp/pair" | sed -n '/^level/,/^$/p')"
same "and how many are on none" "switches         31 (3 used by no endpoint) 3" "$("$heddle" topo "$tmp/pair" | grep '^switches') $("$heddle" topo "$tmp/pair" --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["unused_switches"])')"
same "in words of advise" 1 "$("$heddle" advise "$tmp/pair" -q | grep -c 'switches *31: 16 on level 1, 8 on level 2, 4 on level 3, 3 used by no endpoint')"
same "for htsim" "$("$heddle" topo "$tmp/plain" --format htsim -o -)" "$("$heddle" topo "$tmp/pair" --format htsim -o -)"
# A switch that is gone, and one that is nowhere: as many switches as places.
"$heddle" topo torus:dims=4x4,hosts=1 --fail switch=L1-0005 -o "$tmp/plain" >/dev/null
cp "$tmp/plain" "$tmp/lone"
add "$tmp/lone" spare90
for engine in dor torus2qos updown; do
    said "$tmp/plain" $engine | sed "s|$tmp/plain|NET|" >"$tmp/a"
    said "$tmp/lone" $engine | sed "s|$tmp/lone|NET|" >"$tmp/b"
    check "a spare beside a gap of a torus: $engine" diff "$tmp/a" "$tmp/b"
done
finish
