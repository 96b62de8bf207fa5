#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Files as people send them: captured from a terminal, cut off, with warnings between the lines. They read as the clean
# file does, one line reports what was skipped, and what is wrong inside a record is refused as ever. Captures of real
# fabrics are in the folder that HEDDLE_CAPTURES names, where there is one.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

text() { "$heddle" topo "$1" --format ibnet 2>"$tmp/notes"; }
# reads_as NAME FILE CLEAN NOTE: the same network, and the notes on standard error.
reads_as() {
    text "$3" >"$tmp/clean"
    text "$2" >"$tmp/got"
    check "$1: the same network" cmp "$tmp/got" "$tmp/clean"
    same "$1: what is reported" "$4" "$(sed "s|$tmp/||g" "$tmp/notes")"
}

net=$tmp/net.ibnet
"$heddle" topo ft:m=4,n=2 --format ibnet -o "$net"

{ printf '\357\273\277=~=~= PuTTY log =~=~=\r\n\r\r\n[root@ufm ~]# ibnetdiscover\r\n'; sed 's/\t//g; s/$/\r/' "$net"; printf '[root@ufm ~]# '; } >"$tmp/putty"
reads_as "PuTTY log without tabs" "$tmp/putty" "$net" "heddle: putty:1: 3 lines are not part of the format and skipped, the first of them here"
awk '1; NR % 10 == 0 { print "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 7)" }' "$net" >"$tmp/warnings"
reads_as "warnings between the lines" "$tmp/warnings" "$net" \
    "heddle: warnings:11: $(($(wc -l <"$tmp/warnings") - $(wc -l <"$net"))) lines are not part of the format and skipped, the first of them here"
awk '{ printf "%s%s\r\r\n", NR % 24 == 0 ? "--More--\r        \r\033[K" : "", $0 }' "$net" >"$tmp/pager"
reads_as "pager, colours and carriage returns" "$tmp/pager" "$net" ""
tr '\n' '\r' <"$net" >"$tmp/returns"
reads_as "carriage returns alone" "$tmp/returns" "$net" ""

# ibnetdiscover lists adapters last: their cables are in the records of the switches.
grep -n '^caguid' "$net" | sed -n '3{s/:.*//;p}' >"$tmp/at"
head -n "$(cat "$tmp/at")" "$net" >"$tmp/cut"
sed 's/^sysimgguid.*//' "$net" >"$tmp/net0"
sed 's/^sysimgguid.*//' "$tmp/cut" >"$tmp/cut0"
reads_as "the records of six hosts are lost" "$tmp/cut0" "$tmp/net0" \
    "heddle: cut0:$(cat "$tmp/at"): the file ends early: 6 adapters have no whole record, the lines of the switches complete them"
head -c -40 "$tmp/net0" >"$tmp/half"
reads_as "cut inside the last line" "$tmp/half" "$tmp/net0" "heddle: half:$(wc -l <"$net"): the file ends early: 1 adapter has no whole record, the lines of the switches complete it
heddle: half:$(wc -l <"$net"): 1 line is not part of the format and skipped, the first of them here"
last=$(grep -n '^Switch' "$net" | tail -n 1 | sed 's/:.*//')
head -n $((last + 2)) "$net" >"$tmp/switches"
exits "cut among the switches" 3 "^heddle: $tmp/switches:[0-9]+: port [0-9]+ of .* which has no record: expected both ends" "$heddle" topo "$tmp/switches"
sed '12s/^/oops /' "$net" >"$tmp/oops"
exits "a bad line inside a record" 3 "^heddle: $tmp/oops:12: 'oops': expected a Switch, Ca or Rt record" "$heddle" topo "$tmp/oops"
sed '10s/"H-/"H-\n/' "$net" >"$tmp/oops"
exits "a port line cut inside a record" 3 "^heddle: $tmp/oops:10: expected \\[port\\]" "$heddle" topo "$tmp/oops"
exits "a file of something else" 3 "^heddle: CHANGELOG.md:3: 'All': expected a Switch, Ca or Rt record" "$heddle" topo CHANGELOG.md

# ---- fabrics that exist ----
if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/hdr-directors.console.txt" ]; then
    real=$HEDDLE_CAPTURES/hdr-directors.console.txt
    sed '1,2d; s/\r$//; s/^Switch\([0-9]\)/Switch\t\1/; /^\r/d' "$real" >"$tmp/hdr"
    reads_as "hdr-directors from a terminal" "$real" "$tmp/hdr" "heddle: $real:1: 2 lines are not part of the format and skipped, the first of them here"
    same "hdr-directors: switches, cables" "400 8723" "$("$heddle" topo "$real" 2>/dev/null | awk '$1 == "switches" { s = $2 } $1 == "cables" { print s, $2 }')"
else
    skip "hdr-directors from a terminal" "HEDDLE_CAPTURES has no hdr-directors.console.txt"
fi
if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/ndr-rails.ibnet" ]; then
    real=$HEDDLE_CAPTURES/ndr-rails.ibnet
    { echo "Last login: Wed Aug  6"; sed 's/\t/ /g; s/$/\r/' "$real"; echo "user@head\$ exit"; } >"$tmp/ndr"
    reads_as "ndr-rails made a capture" "$tmp/ndr" "$real" "heddle: ndr:1: 2 lines are not part of the format and skipped, the first of them here"
else
    skip "ndr-rails made a capture" "HEDDLE_CAPTURES has no ndr-rails.ibnet"
fi
finish
