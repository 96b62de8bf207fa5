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
sed G "$net" >"$tmp/double"
reads_as "a blank line after every line" "$tmp/double" "$net" ""
sed '/^\[2\]/G' "$net" >"$tmp/double"
reads_as "a blank line inside records" "$tmp/double" "$net" ""

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

# ---- ibnetdiscover --cache ----
gunzip -c tests/data/opensm/t4.ibnetdiscover-cache.gz >"$tmp/cached"
reads_as "the cache of ibnetdiscover" "$tmp/cached" tests/data/opensm/t4.ibnetdiscover ""
head -c 5000 "$tmp/cached" >"$tmp/short"
exits "a cache cut off" 3 "^heddle: $tmp/short: cache of ibnetdiscover ends after [0-9]+ of 184 nodes and ports" "$heddle" topo "$tmp/short"
{ head -c 4 "$tmp/cached"; printf '\2'; tail -c +6 "$tmp/cached"; } >"$tmp/newer"
exits "a cache of another version" 3 "^heddle: $tmp/newer: cache of ibnetdiscover, version 2: expected 1, or the text that ibnetdiscover prints" "$heddle" topo "$tmp/newer"
{ head -c 8 "$tmp/cached"; printf '\377\377\377\377'; tail -c +13 "$tmp/cached"; } >"$tmp/huge"
exits "a cache that announces too much" 3 "^heddle: $tmp/huge: cache of ibnetdiscover with 4294967295 nodes" "$heddle" topo "$tmp/huge"

# ---- names ----
sed 's/"L1-0000"/"MF0;leaf10:MSB7700\/U1"/; s/"L1-0001"/"MF0;leaf9:MSB7700\/U1"/; s/"L1-000[23]"/"Infiniscale-IV Mellanox Technologies"/
    s/"node-00000"/"MF0;skyway1:MGA100\/gw1"/; s/"node-00001"/"localhost mlx5_0"/; s/"node-\(0000[2-7]\)"/"n\1.site.org mlx5_0"/' "$net" >"$tmp/named"
same "Slurm: labels in order, short names, no gateway and no localhost" "SwitchName=Infiniscale-IV_0x0200000000100002 Nodes=n[00004-00005]
SwitchName=Infiniscale-IV_0x0200000000100003 Nodes=n[00006-00007]
SwitchName=leaf9 Nodes=n[00002-00003]
SwitchName=top Switches=Infiniscale-IV_0x0200000[000100002-000100003],leaf9" "$("$heddle" topo "$tmp/named" --format slurm 2>"$tmp/err" | grep -v '^#')"
same "Slurm: what is reported" "heddle: 1 host is left out, the first is 'localhost': gateways and hosts without a name of their own
heddle: 6 host names are shortened to what precedes the domain
heddle: 2 names were changed to what Slurm allows" "$(cat "$tmp/err")"
same "rank files: short names, no gateway and no localhost" "$(seq -f 'n%05.0f' 2 7)" "$("$heddle" order "$tmp/named" minhop --format names 2>"$tmp/err" | sort)"
same "rank files: what is reported" "heddle: 1 host is left out of the nodes, the first is 'localhost': no name of its own, or not all rails" "$(cat "$tmp/err")"
# Adapters that never got a name are no nodes, one alone or several; nor is a name that two hosts have.
factory="MT4129 ConnectX7   Mellanox Technologies"
for which in 6 '[67]'; do
    sed "s/n0000$which.site.org mlx5_0/$factory/" "$tmp/named" >"$tmp/factory"
    left=$((6 - $(grep -c "^Ca.*$factory" "$tmp/factory")))
    for format in slurm slurm-yaml k8s-labels volcano topograph; do
        "$heddle" topo "$tmp/factory" --format $format >"$tmp/out" 2>"$tmp/err"
        same "$format: no factory name among the nodes, $which" 0 "$(grep -ci mt4129 "$tmp/out")"
        check "$format: and it is counted, $which" grep -q "^heddle: $((7 - left)) hosts are left out, the first is '" "$tmp/err"
    done
    same "rank files: neither, $which" $left "$("$heddle" order "$tmp/factory" minhop --format names --quiet | grep -c '^n0000')"
done
# A name that Slurm allows is its host's, whatever others become by being changed.
sed 's/n00002.site.org/a b/; s/n00006.site.org/a_b/' "$tmp/named" >"$tmp/claimed"
for format in slurm slurm-yaml slurm-yaml-26.05 topograph; do
    same "$format: a name stays with its host" "$(sed 's/n00002.site.org/a_b_2/; s/n00006.site.org/a_b/' "$tmp/named" >"$tmp/plain"
        "$heddle" topo "$tmp/plain" --format $format --quiet | grep -v '^ *#')" \
        "$("$heddle" topo "$tmp/claimed" --format $format --quiet | grep -v '^ *#' | sed "s|$tmp/claimed|$tmp/plain|")"
done
sed 's/n0000[67].site.org/twin/' "$tmp/named" >"$tmp/doubles"
same "Slurm: a name of two hosts" "0 n[00002-00003] n[00004-00005]" \
    "$("$heddle" topo "$tmp/doubles" --format slurm --quiet >"$tmp/out"; grep -c twin "$tmp/out") $(grep -o 'Nodes=.*' "$tmp/out" | sed 's/Nodes=//' | sort | xargs)"
sed 's/n0000[67].site.org/twin/; s/n0000[45].site.org/pair/' "$tmp/named" >"$tmp/doubles"
same "Slurm: most hosts have the name of another" "Nodes=n[00002-00003] Nodes=pair Nodes=twin" \
    "$("$heddle" topo "$tmp/doubles" --format slurm --quiet | grep -o 'Nodes=.*' | sort | xargs)"
sed 's/n00003.site.org/n00002.other.org/' "$tmp/named" >"$tmp/domains"
same "names that only the domain distinguishes keep it" "n00002.other.org n00002.site.org n00004.site.org" \
    "$("$heddle" order "$tmp/domains" minhop --format names --quiet | sort | head -n 3 | xargs)"
check "a label names a switch" "$heddle" topo "$tmp/named" --fail switch=leaf10
same "text has labels" "missing  leaf9 port 3 - L2-0004 port 2" "$("$heddle" topo "$tmp/named" --fail link=leaf9:3 2>/dev/null | grep -o 'missing  .*')"
same "JSON has the whole names" "MF0;leaf10:MSB7700/U1" "$("$heddle" topo "$tmp/named" --format json | grep -o 'MF0;leaf10[^"]*' | head -n 1)"
same "a drawing shows labels" "0 1" "$("$heddle" topo "$tmp/named" --format svg | awk '/MF0;leaf/ { m = 1 } />leaf10</ { l = 1 } END { print m + 0, l + 0 }')"

# ---- two subnets in one file: LIDs are distinct in each ----
sed 's/0200000/0300000/g; s/guid=0x2000/guid=0x3000/; s/(2000/(3000/; s/"node/"other/g; s/"L/"M/g' "$net" | cat "$net" - >"$tmp/two"
same "two subnets are two components" "2" "$("$heddle" topo "$tmp/two" | awk '$1 == "components" { print $2 }')"
for part in 0 1; do "$heddle" route "$tmp/two" minhop --part $part -o "$tmp/part$part" >/dev/null; done
grep -hv '^#' "$tmp/part0" "$tmp/part1" >"$tmp/tables"
check "the tables of both, with GUIDs" "$heddle" check "$tmp/two" "$tmp/tables"
same "they are the tables of the whole" "entries          0 of 336 change (0.00 %)" "$("$heddle" diff "$tmp/two" "$tmp/tables" minhop | grep entries)"
sed 's/#.*//' "$tmp/tables" >"$tmp/bare"
same "by LID alone as well" "entries          0 of 336 change (0.00 %)" "$("$heddle" diff "$tmp/two" "$tmp/bare" minhop | grep entries)"
"$heddle" route "$tmp/two" minhop -o "$tmp/whole" >/dev/null
same "one table for both has LIDs of its own" "entries          0 of 336 change (0.00 %)" "$("$heddle" diff "$tmp/two" "$tmp/whole" minhop | grep entries)"
exits "LIDs twice in one component" 3 "^heddle: $tmp/twice:[0-9]+: LID 1 belongs to line [0-9]+ already: expected distinct LIDs in each" \
    sh -c 'sed "s/lid 2 /lid 1 /" "$1" >"$2/twice"; exec "$3" topo "$2/twice"' - "$net" "$tmp" "$heddle"

# ---- dump_fts and ibroute leave out the last LID if it is a multiple of 64 ----
"$heddle" topo gft:n=4,m=4,r=12 --format ibnet >"$tmp/switch_last"
sed 's/lid 64 /lid _ /g; s/lid 48 /lid 64 /g; s/lid _ /lid 48 /g' "$tmp/switch_last" >"$tmp/host_last"
for last in switch_last host_last; do
    "$heddle" route "$tmp/$last" minhop -o "$tmp/full" >/dev/null
    sed '/^#/d; s/\[0-64\]/[0x0-0x40]/' "$tmp/full" >"$tmp/listed"
    grep -v '^0x0040' "$tmp/listed" >"$tmp/fts"
    exits "$last: not a fault" 0 "^heddle: $tmp/fts: dump_fts and ibroute leave out the last LID .* here 0x40 of " "$heddle" check "$tmp/$last" "$tmp/fts"
    same "$last: one line reports it" 1 "$(wc -l <"$tmp/err")"
    sed 's/\[0x0-0x40\]/[0-64]/' "$tmp/fts" >"$tmp/other"
    "$heddle" check "$tmp/$last" "$tmp/other" >"$tmp/out" 2>&1
    same "$last: a fault in another dump" 1 $?
    awk '/^0x0040/ && n++ { next } 1' "$tmp/listed" >"$tmp/other"
    "$heddle" check "$tmp/$last" "$tmp/other" >"$tmp/out" 2>&1
    same "$last: a fault if one switch lists it" 1 $?
    sed '0,/0x0-0x40/s//0x0-0x3f/' "$tmp/fts" >"$tmp/other"
    "$heddle" check "$tmp/$last" "$tmp/other" >"$tmp/out" 2>&1
    same "$last: a fault if the titles differ" 1 $?
done

exits "a rule for rails that matches nothing" 3 "^heddle: .*rails: '\\(gpu\\).*' matches no adapter: expected one that matches names such as 'node-00000'" \
    "$heddle" topo "$net" --rails '(gpu).*'

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
