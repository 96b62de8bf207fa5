#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Service levels and SL2VL tables from files: whose pairs they are, what is not known without them, and that commands
# which compare or copy tables lose none.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
# free NET TABLE: exit status and deadlock_free of check --json; null is None.
free() {
    "$heddle" check "$@" --json >"$tmp/json" 2>"$tmp/notes"
    echo "$? $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["deadlock_free"])' "$tmp/json")"
}
plain() { "$heddle" route "$@" -o - 2>/dev/null | grep -v '^# heddle'; }

# A torus that needs two VLs, with two hosts at each switch; LIDs of endpoints are 1 to 32.
torus=torus:dims=4x4,hosts=2
"$heddle" topo $torus --format ibnet 2>/dev/null >"$tmp/torus.ibnet"
plain $torus dfsssp >"$tmp/torus.lft"
"$heddle" route $torus dfsssp --format psl -o "$tmp/torus.psl" >/dev/null
table=file:path=$tmp/torus.lft,sl=$tmp
same "in one VL there is a credit loop" "1 False" "$(free $torus "$tmp/torus.lft")"
same "with these levels there is none" "0 True" "$(free $torus "$table/torus.psl")"
awk 'NR % 31 != 5' "$tmp/torus.psl" >"$tmp/lacks.psl"
same "a pair of every source has no level" "0 None" "$(free $torus "$table/lacks.psl")"
check "which is noted" grep -q 'lacks.psl: no service level for some pairs: VLs are unknown' "$tmp/notes"
sources=$(cut -d ' ' -f 1 "$tmp/torus.psl" | uniq | awk 'NR % 2')
grep -F "$sources" "$tmp/torus.psl" >"$tmp/half.psl"
same "one host of each switch has no levels" "496 0 None" "$(wc -l <"$tmp/half.psl") $(free $torus "$table/half.psl")"
sed '7d' "$tmp/torus.psl" >"$tmp/but-one.psl"
same "one pair has none" "0 None" "$(free $torus "$table/but-one.psl")"

# Adapters with two ports, which a PSL file does not tell apart: what it has of one is that of the other.
cat >"$tmp/ports.ibnet" <<'END'
Switch	4 "S-0000000000000010"		# "s1" base port 0 lid 5 lmc 0
[1]	"H-0000000000000100"[1](101)		# "h1" lid 1 4xEDR
[2]	"H-0000000000000200"[1](201)		# "h2" lid 3 4xEDR
[3]	"S-0000000000000020"[3]		# "s2" lid 6 4xEDR

Switch	4 "S-0000000000000020"		# "s2" base port 0 lid 6 lmc 0
[1]	"H-0000000000000100"[2](102)		# "h1" lid 2 4xEDR
[2]	"H-0000000000000200"[2](202)		# "h2" lid 4 4xEDR
[3]	"S-0000000000000010"[3]		# "s1" lid 5 4xEDR

Ca	2 "H-0000000000000100"		# "h1"
[1](101)	"S-0000000000000010"[1]		# lid 1 lmc 0 "s1" lid 5 4xEDR
[2](102)	"S-0000000000000020"[1]		# lid 2 lmc 0 "s2" lid 6 4xEDR

Ca	2 "H-0000000000000200"		# "h2"
[1](201)	"S-0000000000000010"[2]		# lid 3 lmc 0 "s1" lid 5 4xEDR
[2](202)	"S-0000000000000020"[2]		# lid 4 lmc 0 "s2" lid 6 4xEDR
END
plain "$tmp/ports.ibnet" minhop >"$tmp/ports.lft"
"$heddle" route "$tmp/ports.ibnet" minhop --format psl -o "$tmp/ports.psl" >/dev/null
same "two ports: each LID is listed once per adapter" "8" "$(sort -u "$tmp/ports.psl" | wc -l)"
sed 's/0$/1/' "$tmp/ports.psl" >"$tmp/ports1.psl"
"$heddle" check "$tmp/ports.ibnet" "file:path=$tmp/ports.lft,sl=$tmp/ports1.psl" --json >"$tmp/json" 2>"$tmp/notes"
same "and nothing is unknown" "0 " "$? $(cat "$tmp/notes")"
check "with the VL that it says" grep -q '"lanes": 2' "$tmp/json"

# LIDs of a PSL file are those of the table. Here the endpoints have them in reverse, and the network has none.
python3 - "$tmp" <<'END'
import re, sys
folder = sys.argv[1] + "/"
turn = lambda lid: 33 - lid if 1 <= lid <= 32 else lid
lines = []
for line in open(folder + "torus.lft"):
    lines.append("0x%04x%s" % (turn(int(line[:6], 16)), line[6:]) if line.startswith("0x") else line)
open(folder + "turned.lft", "w").writelines(lines)
with open(folder + "turned.psl", "w") as out:
    for line in open(folder + "torus.psl"):
        guid, lid, level = line.split()
        out.write("%s %d %s\n" % (guid, turn(int(lid)), level))
text = open(folder + "torus.ibnet").read()
open(folder + "none.ibnet", "w").write(re.sub(r" lid \d+( lmc \d+)?", " lid 0 lmc 0", text))
open(folder + "turned.ibnet", "w").write(re.sub(r"\blid (\d+)", lambda m: "lid %d" % turn(int(m[1])), text))
END
for net in none turned; do
    same "LIDs of the table, network: $net" "0 True" "$(free "$tmp/$net.ibnet" "file:path=$tmp/turned.lft,sl=$tmp/turned.psl")"
    same "those of another table mean other pairs, network: $net" "0 None" "$(free "$tmp/$net.ibnet" "file:path=$tmp/turned.lft,sl=$tmp/torus.psl")"
done

# Two subnets that have the same LIDs: a LID means the port of the subnet of its source.
for guid in 02 03; do
    sed "s/200000/${guid#0}00000/g" "$tmp/torus.ibnet"
done >"$tmp/twins.ibnet"
for guid in 02 03; do
    sed "s/0x02/0x$guid/" "$tmp/torus.lft"
done >"$tmp/twins.lft"
sed 's/^0x02/0x03/' "$tmp/torus.psl" | cat "$tmp/torus.psl" - >"$tmp/twins.psl"
same "levels of two subnets" "0 True" "$(free "$tmp/twins.ibnet" "file:path=$tmp/twins.lft,sl=$tmp/twins.psl")"
same "and of one alone" "0 None" "$(free "$tmp/twins.ibnet" "file:path=$tmp/twins.lft,sl=$tmp/torus.psl")"

# What diff sees of VLs: SL2VL tables of ports, and endpoints that are not selected.
# slvl NAME WHERE: every level has VL 0; level 1 is dropped, by VL 15, at lines for which awk says so.
slvl() {
    "$heddle" route $torus dfsssp --format slvl -o - 2>/dev/null | awk '{
        printf "%s %s %s 0x0%s", $1, $2, $3, ('"$2"') ? "f" : "0"
        for (i = 0; i < 7; i++) printf " 0x00"
        print "" }' >"$tmp/$1.slvl"
}
# differs NAME: exit status of diff from the file with one VL to that with other tables, and what changes.
differs() {
    "$heddle" diff $torus "$table/one.psl,sl2vl=$tmp/all0.slvl" "$table/one.psl,sl2vl=$tmp/$1.slvl" --json >"$tmp/json"
    echo "$? $(python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); print(*(j[k] for k in ("identical", "entries_changed", "lanes_changed", "sl2vl_changed")))' "$tmp/json")"
}
sed 's/[01]$/1/' "$tmp/torus.psl" >"$tmp/one.psl"
slvl all0 0
slvl all0-too 0
slvl drops '$1 == "0x0200000000100000" && $3 == 1'
same "the same SL2VL tables" "0 True 0 0 False" "$(differs all0-too)"
same "those towards one host drop packets" "1 False 0 31 True" "$(differs drops)"
lost=$("$heddle" check $torus "$table/one.psl,sl2vl=$tmp/drops.slvl" --json | grep -o '"unreachable": [0-9]*' | head -n 1)
same "as many as check says" '"unreachable": 31' "$lost"
cp "$tmp/all0.slvl" "$tmp/kept.slvl"
cp "$tmp/drops.slvl" "$tmp/all0.slvl"
same "both have tables of ports, and the same" "0 True 0 0 False" "$(differs drops)"
sed '1,/ 1 2 0x/s/ 0x00$/ 0x01/' "$tmp/drops.slvl" >"$tmp/level.slvl"
same "a level that nobody uses" "1 False 0 0 True" "$(differs level)"
check "which is shown" sh -c "'$heddle' diff $torus '$table/one.psl,sl2vl=$tmp/all0.slvl' '$table/one.psl,sl2vl=$tmp/level.slvl' | grep -q '^SL2VL tables     differ at some ports'"
awk '$2 == $3 { sub(/0x00$/, "0x01") } { print }' "$tmp/drops.slvl" >"$tmp/back.slvl"
same "lines for packets back to where they came from" 96 "$(grep -c ' 0x01$' "$tmp/back.slvl")"
same "which there are none of" "0 True 0 0 False" "$(differs back)"
cp "$tmp/kept.slvl" "$tmp/all0.slvl"
for format in fdbs psl slvl; do "$heddle" route $torus torus2qos --format $format -o "$tmp/ours.$format" >/dev/null; done
check "what an engine's files say is what it made" sh -c "'$heddle' diff $torus torus2qos 'file:path=$tmp/ours.fdbs,sl=$tmp/ours.psl,sl2vl=$tmp/ours.slvl' | grep -qx identical"

sed 's/node-00007/oss-00007/' "$tmp/torus.ibnet" >"$tmp/storage.ibnet"
storage=$(sed -n 's/^caguid=//p' "$tmp/torus.ibnet" | sed -n 8p)
sed -E "s/^(0x0*${storage#0x} .*) [0-9]\$/\1 5/" "$tmp/torus.psl" >"$tmp/storage.psl"
same "storage has levels of its own" 31 "$(grep -c ' 5$' "$tmp/storage.psl")"
"$heddle" diff "$tmp/storage.ibnet" "$table/torus.psl" "$table/storage.psl" >"$tmp/out"
same "and its VLs differ" 1 $?
check "which is shown" grep -q '^VLs of others    31 of 62 change' "$tmp/out"
check "beside pairs of hosts" grep -q '^VLs of pairs     0 of 930 change' "$tmp/out"
check "with itself the table is identical" sh -c "'$heddle' diff '$tmp/storage.ibnet' '$table/storage.psl' '$table/storage.psl' | grep -qx identical"

# Copies. Levels in use have VLs below that of level 0, which nobody uses.
sed -E '1,40s/ 0x00/ 0x50/; 41,$s/ 0x00/ 0x51/' "$tmp/all0.slvl" >"$tmp/copied.slvl"
levels=$table/one.psl,sl2vl=$tmp/copied.slvl
"$heddle" route $torus "$levels" -o "$tmp/copy.lft" >/dev/null
same "a copy has the same VLs" "$(free $torus "$levels")" "$(free $torus "$tmp/copy.lft")"
check "and is identical" sh -c "'$heddle' diff $torus '$levels' '$tmp/copy.lft' | grep -qx identical"
sed -E '0,/^# heddle endpoints/s/^(# heddle endpoints) 0x[^=]*/\1 0x99/' "$tmp/copy.lft" >"$tmp/gone.lft"
exits "an endpoint that is not in the lists has level 0" 3 "uses a VL beyond the 2 of '# heddle lanes'" "$heddle" check $torus "$tmp/gone.lft"

# Ports without a table are not those with the only table that there is: the file ends early, or a switch did not answer.
same "one table everywhere is one VL" "1 False" "$(free $torus "$table/torus.psl,sl2vl=$tmp/all0.slvl")"
for lines in 1 600; do
    head -n $lines "$tmp/all0.slvl" >"$tmp/cut.slvl"
    same "of $lines lines nothing is proved" "0 None 1" "$(free $torus "$table/torus.psl,sl2vl=$tmp/cut.slvl") $(grep -c 'cut.slvl: no SL2VL table for some ports: VLs are unknown' "$tmp/notes")"
done

# Tables of adapters: what they send to VL 15 goes nowhere. One host has 31 pairs.
# adapters LINES...: as $tmp/torus.slvl, whose levels are their VLs, and lines behind it.
adapters() {
    awk '{ print $1, $2, $3, "0x01", "0x23", "0x45", "0x67", "0x89", "0xab", "0xcd", "0xef" }' "$tmp/all0.slvl"
    printf '%s\n' "$@"
} >"$tmp/torus.slvl"
lost() { judge $torus "$table/torus.psl,sl2vl=$tmp/torus.slvl" unreachable deadlock_free; }
none=" 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15"
zeros=" 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
host=0x0200000100000000
level0=$(grep -c "^$host .* 0$" "$tmp/torus.psl")
adapters
same "no table of an adapter" "0 0 True" "$(lost)"
adapters "Channel Adapter 0x0200000100000001, base LID 1, \"x\"" "0 0 : 15$none"
same "by the GUID of the port, as OpenSM's dump" "1 31 True" "$(lost)"
adapters "Channel Adapter $host, base LID 1, \"x\"" "1 1 : 15$none"
same "by the GUID of the adapter" "1 31 True" "$(lost)"
adapters "$host 0 1 0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff"
same "in the form of ibdiagnet" "1 31 True" "$(lost)"
adapters "$host 0 2 0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff"
same "of a port that is not there" "0 0 True" "$(lost)"
adapters "Channel Adapter $host, base LID 1, \"x\"" "1 1 : 15$zeros"
same "of one service level" "1 $level0 True" "$(lost)"
"$heddle" route $torus "$table/torus.psl,sl2vl=$tmp/torus.slvl" -o "$tmp/mute.lft" >/dev/null 2>&1
same "and in a copy" "1 $level0 True" "$(judge $torus "$tmp/mute.lft" unreachable deadlock_free)"
check "diff shows the pairs" sh -c "'$heddle' diff $torus '$table/torus.psl' '$tmp/mute.lft' | grep -q '^VLs of pairs     $level0 of 992 change'"
adapters "Channel Adapter $host, base LID 1, \"x\"" "1 1 : 0 0 0${none% 15 15}"
same "of a level that nobody uses" "0 0 True" "$(lost)"
check "which changes nothing" sh -c "'$heddle' diff $torus '$table/torus.psl' '$table/torus.psl,sl2vl=$tmp/torus.slvl' | grep -qx identical"
adapters "Channel Adapter $host, base LID 1, \"x\"" "1 1 : 15$none"
same "also of levels that are not known" "1 31 None" "$(judge $torus "file:path=$tmp/torus.lft,sl2vl=$tmp/torus.slvl" unreachable deadlock_free)"
"$heddle" route $torus "file:path=$tmp/torus.lft,sl2vl=$tmp/torus.slvl" -o "$tmp/mute.lft" >/dev/null 2>&1
same "and in their copy" "1 31 None" "$(judge $torus "$tmp/mute.lft" unreachable deadlock_free)"
adapters "Channel Adapter $host, base LID 1, \"x\"" "1 1 : 0$none"
same "unless some level is left" "0 0 None" "$(judge $torus "file:path=$tmp/torus.lft,sl2vl=$tmp/torus.slvl" unreachable deadlock_free)"
adapters "Channel Adapter $host, base LID 1, \"x\"" "1 1 : 15$none"
(cat "$tmp/all0.slvl"; tail -n 2 "$tmp/torus.slvl") >"$tmp/mute.slvl"
same "and are no matter with one VL" "1 31 False" "$(judge $torus "file:path=$tmp/torus.lft,sl2vl=$tmp/mute.slvl" unreachable deadlock_free)"
for switch in 200000 200001; do
    for pair in "1 2" "1 3" "2 1" "2 3" "3 1" "3 2"; do echo "0x$switch $pair 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00"; done
done >"$tmp/ports.slvl"
two=file:path=$tmp/ports.lft,sl=$tmp/ports1.psl,sl2vl=$tmp/ports.slvl
echo 'Channel Adapter 0x100000, base LID 1, "h1"' >>"$tmp/ports.slvl"
for port in 2 1; do
    echo "$port $port : 15$none" >>"$tmp/ports.slvl"
    same "an adapter with two ports, from port $port on" "1 $((9 - 3 * port))" "$(judge "$tmp/ports.ibnet" "$two" unreachable)"
done

# Switches that drop every level, where none is known: the two hosts of a leaf lose the four of other leaves behind one
# of its ports, whose levels are their VLs or all have VL 0.
tree=ft:m=4,n=2
"$heddle" topo $tree --format ibnet -o "$tmp/tree.ibnet" 2>/dev/null
plain $tree updown >"$tmp/tree.lft"
# tables VLS FIRST: FIRST at port 3 of the first switch, VLS at all others.
tables() {
    for switch in 0 1 2 3 4 5; do
        for in in 0 1 2 3 4; do
            for out in 0 1 2 3 4; do
                vls=$1
                [ $out$switch = 30 ] && vls=$2
                echo "0x020000000010000$switch $in $out $vls"
            done
        done
    done
} >"$tmp/tree.slvl"
unknown() { judge $tree "file:path=$tmp/tree.lft,sl2vl=$tmp/tree.slvl" unreachable deadlock_free; }
own="0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67"
same0="0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00"
all15="0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff"
low15="0xff 0xff 0xff 0xff 0x00 0x00 0x00 0x00"
high15="0x00 0x00 0x00 0x00 0xff 0xff 0xff 0xff"
for vls in "$own" "$same0"; do
    tables "$vls" "$all15"
    same "a port that drops every level, beside $vls" "1 6 True" "$(unknown)"
    tables "$vls" "$low15"
    same "or half of them" "0 0 True" "$(unknown)"
done
# Levels that are not known: the tables of ports differ all the same, also from one that is that of all ports.
tables "$own" "$own"
cp "$tmp/tree.slvl" "$tmp/alike.slvl"
alike=file:path=$tmp/tree.lft,sl2vl=$tmp/alike.slvl
for vls in "0x01 0x23 0x45 0x66 0x01 0x23 0x45 0x67" "$low15" "$all15"; do
    tables "$own" "$vls"
    for pair in "$alike file:path=$tmp/tree.lft,sl2vl=$tmp/tree.slvl" "file:path=$tmp/tree.lft,sl2vl=$tmp/tree.slvl $alike"; do
        # shellcheck disable=SC2086
        same "diff sees one table that is another: $vls" "1 SL2VL tables     differ at some ports" "$("$heddle" diff $tree $pair 2>/dev/null >"$tmp/out"; echo "$? $(grep ^SL2VL "$tmp/out")")"
    done
    head -n 90 "$tmp/tree.slvl" >"$tmp/few.slvl"
    exits "or of which most is missing: $vls" 1 '' "$heddle" diff $tree "$alike" "file:path=$tmp/tree.lft,sl2vl=$tmp/few.slvl"
done
"$heddle" route $tree "$alike" -o "$tmp/alike.lft" >/dev/null 2>&1
check "and a copy of it is the same" sh -c "'$heddle' diff $tree '$alike' '$tmp/alike.lft' | grep -qx 'entries that both list are identical'"
tables "$own" "$low15"
sed -i -E "s/^(0x0200000000100004 1 [234]) .*/\1 $high15/" "$tmp/tree.slvl"
lost=$(unknown)
sed -i -E "s/^(0x0200000000100004 1 [234]) .*/\1 $low15/" "$tmp/tree.slvl"
same "half at each of two switches, or the same half at both" "1 6 True, 0 0 True" "$lost, $(unknown)"
tables "$own" "$all15"
sed -i '/^0x0200000000100005/d' "$tmp/tree.slvl"
same "a switch that did not answer hides nothing of the others" "1 6 True" "$(unknown)"
"$heddle" route $tree "file:path=$tmp/tree.lft,sl2vl=$tmp/tree.slvl" -o "$tmp/part.lft" >/dev/null 2>&1
same "nor in a copy" "1 6 True" "$(judge $tree "$tmp/part.lft" unreachable deadlock_free)"
# Of levels and tables what is known counts, whatever is not: here level 0 of all pairs, which one port drops.
"$heddle" route $tree updown --format psl -o "$tmp/tree.psl" >/dev/null
levels=file:path=$tmp/tree.lft,sl=$tmp/tree.psl,sl2vl=$tmp/tree.slvl
tables "$own" "$low15"
sed -i '/^0x0200000000100005/d' "$tmp/tree.slvl"
some() { judge $tree "$1" unreachable lanes deadlock_free; }
same "a level that is dropped, and a switch that did not answer" "1 6 None True" "$(some "$levels")"
"$heddle" route $tree "$levels" -o "$tmp/some.lft" >/dev/null 2>&1
same "also in a copy" "1 6 None True" "$(some "$tmp/some.lft")"
"$heddle" route $tree "$tmp/some.lft" -o "$tmp/again.lft" >/dev/null 2>&1
same "and in one of it" "" "$(diff <(grep -v '# heddle table' "$tmp/some.lft") <(grep -v '# heddle table' "$tmp/again.lft"))"
first=$(head -n 1 "$tmp/tree.psl" | cut -d ' ' -f 1)
sed '1d' "$tmp/tree.psl" >"$tmp/but.psl"
same "and a pair without a level, with it" "1 6 None True" "$(some "${levels/tree.psl/but.psl}")"
sed "/^$first /d" "$tmp/tree.psl" >"$tmp/but.psl"
same "an adapter without levels may have any" "1 3 None True" "$(some "${levels/tree.psl/but.psl}")"
"$heddle" route $tree "${levels/tree.psl/but.psl}" -o "$tmp/some.lft" >/dev/null 2>&1
same "which a copy lists by source" "1 3 None True 8" "$(some "$tmp/some.lft") $(grep -c '^# heddle pair-level' "$tmp/some.lft")"
sed 's/[0-9]*$/15/; 1d' "$tmp/tree.psl" >"$tmp/but15.psl"
same "and level 15 is VL 15, of all pairs but one" "1 55 None True" "$(some "file:path=$tmp/tree.lft,sl=$tmp/but15.psl")"
exits "levels are no more than 16, for one that is not known" 3 'expected values below 17, V or V\*N' "$heddle" check $tree <(sed 's/^\(# heddle pair-level 0\) .*/\1 17*8/' "$tmp/some.lft")
exits "one list of two" 3 "expected this list only after SL2VL tables or 'lanes 0 unknown'" "$heddle" check $tree <(sed '/^# heddle pair-level 0/a # heddle leaf-level 0x0200000000100000 0*8' "$tmp/some.lft")
exits "and that as a whole" 3 "expected all of '# heddle pair-level'" "$heddle" check $tree <(sed '/^# heddle pair-level 0/d' "$tmp/some.lft")
# An aggregation node in place of the first host: who shares its switch must reach it, hosts farther away need not.
sed 's/node-00000/Mellanox Technologies Aggregation Node/' "$tmp/tree.ibnet" >"$tmp/an.ibnet"
tables "$own" "$own"
nodes() { judge "$tmp/an.ibnet" "file:path=$tmp/tree.lft,sl2vl=$tmp/tree.slvl" unreachable other_endpoints.unreachable other_endpoints.aggregation_unserved; }
same "an aggregation node is reached" "0 0 0 0" "$(nodes)"
sed -i -E "s/^(0x0200000000100000 [0-4] 1) .*/\1 $low15/" "$tmp/tree.slvl"
same "by some level at least" "0 0 0 0" "$(nodes)"
sed -i -E "s/^(0x0200000000100000 [0-4] 1) .*/\1 $all15/" "$tmp/tree.slvl"
same "or not by its neighbour, and six others" "1 0 1 6" "$(nodes)"
sed -i -E "/^0x0200000000100000 2 1 /s/0xff/0x00/g" "$tmp/tree.slvl"
same "or by these alone" "0 0 0 6" "$(nodes)"
tables "$own" "$own"
sed -i -E "s/^(0x0200000000100000 1 [0-4]) .*/\1 $all15/" "$tmp/tree.slvl"
same "what it sends" "1 0 1 6" "$(nodes)"

# Transitions to what drops these packets.
tables "$own" "$own"
cp "$tmp/tree.slvl" "$tmp/own.slvl"
verdict() {
    "$heddle" transition $tree "$1" "$2" -q >"$tmp/out"
    echo "$? $(sed -n 's/^verdict  *//p' "$tmp/out")"
}
# moves NET OLD NEW KEY...: exit status of the transition from own.slvl to tree.slvl, and what JSON says.
moves() {
    "$heddle" transition "$1" "file:path=$2,sl2vl=$tmp/own.slvl" "file:path=$3,sl2vl=$tmp/tree.slvl" ${options:-} --json >"$tmp/json" 2>/dev/null
    echo "$? $(python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(*(j[k] for k in sys.argv[2:]))' "$tmp/json" "${@:4}")"
}
plain $tree updown | awk '/^Unicast/ { last = /0003 / } last && /node-00000/ { $2 = "004" } { print }' >"$tmp/turned.lft"
sed -i -E "s/^(0x0200000000100000 [0-4] 1) .*/\1 $all15/" "$tmp/tree.slvl"
for new in tree turned; do
    same "no transition cuts an aggregation node off from its neighbour: $new" "1 unproved" "$(moves "$tmp/an.ibnet" "$tmp/tree.lft" "$tmp/$new.lft" verdict)"
done
sed -i -E "/^0x0200000000100000 2 1 /s/0xff/0x00/g" "$tmp/tree.slvl"
same "farther ones are not covered" "0 any-order False" "$(moves "$tmp/an.ibnet" "$tmp/tree.lft" "$tmp/tree.lft" verdict aggregation_covered)"

# Two LIDs per host: the first switch sends the second ones of others up by port 3, and the first ones by 4.
"$heddle" topo $tree --lmc 1 --format ibnet -o "$tmp/two.ibnet" 2>/dev/null
plain "$tmp/two.ibnet" updown | awk '
    /^Unicast/ { first = /0000 / }
    first && /Channel/ && $2 > 2 { $2 = "00" 3 + (substr($1, 6) ~ /[02468ace]/) }
    { print }' >"$tmp/two.lft"
plain "$tmp/two.ibnet" ar_ftree --format far | awk '
    /^Switch/ { first = $2 ~ /0000$/ }
    first && $3 == "Free" { $2 = 4; if (substr($1, 6) ~ /[02468ace]/) { $3 = "Static"; $4 = 0 } }
    { print }' >"$tmp/two.far"
further() { judge "$tmp/two.ibnet" "file:path=$tmp/two.$1,sl2vl=$tmp/tree.slvl" unreachable further_lids.lids further_lids.paths further_lids.unreachable further_lids.loops; }
tables "$own" "$low15"
for form in lft far; do same "further LIDs are reached by some level: $form" "0 0 8 32 0 0" "$(further $form)"; done
tables "$own" "$all15"
for form in lft far; do same "unless a port drops all of them: $form" "1 0 8 32 6 0" "$(further $form)"; done
check "the first is named" sh -c "'$heddle' check '$tmp/two.ibnet' 'file:path=$tmp/two.lft,sl2vl=$tmp/tree.slvl' | grep -qx 'further LIDs     8; of 32 paths 6 unreachable, 0 in loops, such as L1-0000 to LID 7 of node-00002'"
sed -i -E "/^0x0200000000100000 1 3 /s/0xff/0x00/g" "$tmp/tree.slvl"
for form in lft far; do same "or those of one host of a switch: $form" "1 0 8 32 6 0" "$(further $form)"; done
tables "$own" "$own"
sed -i -E "s/^(0x020000000010000[45] 1 [2-4]) .*/\1 $all15/" "$tmp/tree.slvl"
sed -i -E "/^0x0200000000100005/s/0xff/0x00/g" "$tmp/tree.slvl"
for form in lft far; do same "or a switch on the way: $form" "1 0 8 32 6 0" "$(further $form)"; done

# Hosts that were not chosen need not arrive.
chosen_hosts() { options="--endpoints node-0000[$1-7]" further lft; }
tables "$own" "$own"
sed -i -E "s/^(0x020000000010000[45] 1 [0-4]) .*/\1 $all15/" "$tmp/tree.slvl"
same "switches on the way from hosts that were not chosen" "0 0 8 32 0 0" "$(chosen_hosts 2)"
same "or from some that were" "1 6 8 32 6 0" "$(chosen_hosts 1)"
tables "$own" "$own"
sed -i -E "s/^(0x0200000000100000 1 [0-4]) .*/\1 $all15/" "$tmp/tree.slvl"
two=$tmp/two.lft,use=first
same "a transition cuts what a host sends" "1 unproved 7" "$(moves "$tmp/two.ibnet" "$two" "$two" verdict other_lids_cut)"
same "unless it was not chosen" "0 0" "$(options='--endpoints node-0000[1-7]' moves "$tmp/two.ibnet" "$two" "$two" other_lids_cut)"
tables "$own" "$all15"
same "choices towards further LIDs are not proved in a transition" "1 unproved" "$(moves "$tmp/two.ibnet" "$tmp/two.far" "$tmp/two.far" verdict)"

# Adaptive routing: both ports upwards are chosen, and the static one of the first switch is 4, beside the port that drops.
plain $tree ar_ftree --format far | awk '/^Switch/ { first = $2 ~ /0000$/ } first && $3 == "Free" { $2 = 4 } { print }' >"$tmp/up.far"
# chosen OPTION: exit status, pairs that static ports cut, and those that some choice cuts.
chosen() { judge "${fabric:-$tree}" "file:path=$tmp/up.far,sl2vl=$tmp/tree.slvl$1" unreachable adaptive.unreachable adaptive.loops; }
tables "$own" "$own"
same "every choice of ports arrives" "0 0 0 0" "$(chosen)"
tables "$own" "$all15"
same "unless one of them drops every level" "1 0 12 0" "$(chosen)"
same "no transition leads there" "1 unproved" "$(moves $tree "$tmp/up.far" "$tmp/up.far" verdict)"
same "nor from a table whose levels are not known" "1 unproved" "$(verdict "$tmp/up.far" "file:path=$tmp/up.far,sl2vl=$tmp/tree.slvl" | sed 's/:.*//')"
for level in 0 5; do sed '1d' "$tmp/tree.psl" | sed "s/[0-9]*\$/$level/" >"$tmp/$level.psl"; done
tables "$own" "0x01 0x23 0x4f 0x67 0x01 0x23 0x45 0x67"
same "levels that choices drop, of all pairs but one" "1 unproved" "$(verdict "file:path=$tmp/up.far,sl=$tmp/0.psl,sl2vl=$tmp/tree.slvl" "file:path=$tmp/up.far,sl=$tmp/5.psl,sl2vl=$tmp/tree.slvl" | sed 's/:.*//')"
cp "$tmp/own.slvl" "$tmp/tree.slvl"
same "tables that are the same need none" "0 any-order" "$(moves $tree "$tmp/up.far" "$tmp/up.far" verdict)"
tables "$own" "$all15"
check "which is named" sh -c "'$heddle' check $tree 'file:path=$tmp/up.far,sl2vl=$tmp/tree.slvl' | grep -q '^every choice     may fail: 12 pairs unreachable, 0 in loops, such as node-00000 to node-00002 at L1-0000 port 3 -> L2-0004'"
tables "$own" "$low15"
same "some level is left" "0 0 0 0" "$(chosen)"
for level in 7 8; do
    "$heddle" route $tree updown --format psl -o - 2>/dev/null | sed "s/[0-9]*\$/$level/" >"$tmp/level$level.psl"
    same "level $level, of which the lower ones are dropped" "$((level == 7)) 0 $((level == 7 ? 12 : 0)) 0" "$(chosen ",sl=$tmp/level$level.psl")"
done
sed -i -E "s/^(0x0200000000100000 [012] 4) .*/\1 $high15/" "$tmp/tree.slvl"
same "either port drops half of them: none is safe from both" "1 0 12 0" "$(chosen)"
tables "$own" "$own"
sed -i -E "s/^(0x0200000000100004 1 2) .*/\1 $all15/" "$tmp/tree.slvl"
same "a turn behind the choice" "1 0 4 0" "$(chosen)"
check "is named too" sh -c "'$heddle' check $tree 'file:path=$tmp/up.far,sl2vl=$tmp/tree.slvl' | grep -q 'such as node-00000 to node-00002 at L2-0004 port 2 -> L1-0001'"
sed 's/node-00000/oss-00000/' "$tmp/tree.ibnet" >"$tmp/oss.ibnet"
same "pairs of storage are counted apart" "1 0 2 0" "$(fabric=$tmp/oss.ibnet chosen)"
check "with their number" grep -q '"choices": 2' "$tmp/json"
for to in "$levels" "$tmp/some.lft" "file:path=$tmp/tree.lft,sl=$tmp/but15.psl"; do
    same "no transition leads to what drops levels that are known" "1 unproved: the new table itself cuts pairs that the old one serves" "$(verdict "$tmp/tree.lft" "$to")"
done
tables "$own" "$all15"
sed -i '/^0x0200000000100005/d' "$tmp/tree.slvl"
for to in "file:path=$tmp/tree.lft,sl2vl=$tmp/tree.slvl" "$tmp/part.lft"; do
    same "no transition leads there" "1 unproved: the new table itself cuts pairs that the old one serves" "$(verdict "$tmp/tree.lft" "$to")"
    same "back from there pairs only come" "0 any-order: the tables are the same" "$(verdict "$to" "$tmp/tree.lft")"
done
# Two cables in a row between three switches: each table turns from the cable to the one beside it, which the other does
# not, and straight on no packet passes.
twice() { # PORT PORT: of the first two switches towards the second host
    for switch in "10 9 $1" "20 1 $2" "30 1 9"; do
        read -r guid first second <<<"$switch"
        printf 'Unicast lids [0x0-0x7] of switch guid 0x%016x (x):\n0x0001 %03d\n0x0002 %03d\n' 0x$guid "$first" "$second"
    done
}
twice 1 5 >"$tmp/twice1.lft"
twice 2 6 >"$tmp/twice2.lft"
for pass in "1 5" "2 6"; do
    for switch in "10 1 2 9" "20 1 2 5 6" "30 1 2 9"; do
        read -r guid ports <<<"$switch"
        for in in $ports; do
            for out in $ports; do
                vls=$same0
                case "$guid $in $out" in "20 1 6" | "20 2 5") vls=$all15 ;; "30 9 "*) [ "$pass" = "2 6" ] && continue ;; esac
                printf '0x%016x %d %d %s\n' 0x$guid "$in" "$out" "$vls"
            done
        done
    done >"$tmp/twice.slvl"
    tree=tests/data/twice.ibnet
    same "what no level passes cuts pairs in mixtures: $(wc -l <"$tmp/twice.slvl") ports" \
        "1 unproved: not safe in any order, and no safe order was found" \
        "$(verdict "file:path=$tmp/twice1.lft,sl2vl=$tmp/twice.slvl" "file:path=$tmp/twice2.lft,sl2vl=$tmp/twice.slvl")"
    tree=ft:m=4,n=2
done

# What adapters drop of some levels says nothing of ports without a table.
"$heddle" topo torus:dims=5,hosts=1 --format ibnet -o "$tmp/five.ibnet" 2>/dev/null
plain "$tmp/five.ibnet" minhop >"$tmp/five.lft"
"$heddle" route "$tmp/five.ibnet" dfsssp --format slvl -o - 2>/dev/null |
    awk '$2 != 1 { print $1, $2, $3, "0x11 0x11 0x11 0x11 0x11 0x11 0x11 0x11" }' >"$tmp/five.slvl"
sed -n 's/^caguid=//p' "$tmp/five.ibnet" | while read -r guid; do echo "$guid 0 1 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x0f"; done >>"$tmp/five.slvl"
same "no table of the ports of hosts, but of their adapters" "0 0 None" \
    "$(judge "$tmp/five.ibnet" "file:path=$tmp/five.lft,sl2vl=$tmp/five.slvl" unreachable deadlock_free)"

# A ring in two VLs. With levels and SL2VL tables exchanged both, every pair has the VL that it had; but a connection that
# keeps its level has the other one at each switch that has the new table, and together all may have one.
plain "$tmp/five.ibnet" dfsssp >"$tmp/five.lft"
"$heddle" route "$tmp/five.ibnet" dfsssp --format psl -o "$tmp/five.psl" >/dev/null
sed 's/0$/X/; s/1$/0/; s/X$/1/' "$tmp/five.psl" >"$tmp/turned.psl"
sed 's/[01]$/0/' "$tmp/five.psl" >"$tmp/zero.psl"
# ring NAME VLS...: the VLs of all levels at all ports.
ring() {
    for switch in 0 1 2 3 4; do
        for pair in "1 2" "1 3" "2 1" "2 3" "3 1" "3 2"; do echo "0x020000000010000$switch $pair ${*:2}"; done
    done >"$tmp/$1.slvl"
}
zeros="0x00 0x00 0x00 0x00 0x00 0x00 0x00"
ring plain 0x01 0x23 0x45 0x67 0x00 0x00 0x00 0x00
ring turned 0x10 0x23 0x45 0x67 0x00 0x00 0x00 0x00
ring unused 0x01 0x32 0x45 0x67 0x00 0x00 0x00 0x00
ring drops 0x0f $zeros
ring ones 0x11 0x11 0x11 0x11 0x11 0x11 0x11 0x11
ring zeros 0x00 $zeros
levels() { echo "file:path=$tmp/five.lft${1:+,sl=$tmp/$1.psl}${2:+,sl2vl=$tmp/$2.slvl}"; } # PSL SL2VL
changes() { # OLD NEW: what diff and transition say, briefly
    "$heddle" diff "$tmp/five.ibnet" "$1" "$2" >"$tmp/out" 2>/dev/null
    echo "$? $(sed -n 's/^VLs of pairs  *\([0-9]*\) .*/\1/p' "$tmp/out") $(grep -c ^SL2VL "$tmp/out")"
    "$heddle" transition "$tmp/five.ibnet" "$1" "$2" -q >"$tmp/out"
    echo "$? $(sed -n 's/^verdict  *\([a-z-]*\):.*/\1/p; s/^VLs changed  *\([0-9]*\) .*/\1/p; s/^can drop  *\([0-9]*\).*/drops \1/p; s/^credit loops  *//p' "$tmp/out" | tr '\n' ' ')"
}
old=$(levels five plain) new=$(levels turned turned)
same "both have two VLs" "0 2 True, 0 2 True" "$(judge "$tmp/five.ibnet" "$old" lanes deadlock_free), $(judge "$tmp/five.ibnet" "$new" lanes deadlock_free)"
for to in old new; do "$heddle" route "$tmp/five.ibnet" "${!to}" -o "$tmp/$to.lft" >/dev/null; done
not_the_same="1 20 1
1 unproved 20 drops 0 not known: with one VL there are some "
all_the_same="0 0 0
0 any-order drops 0 on 0 VLs "
same "levels and tables exchanged are no copy" "$not_the_same" "$(changes "$old" "$new")"
same "nor in copies" "$not_the_same" "$(changes "$tmp/old.lft" "$tmp/new.lft")"
same "which are like what they were made from" "$all_the_same $all_the_same" "$(changes "$new" "$tmp/new.lft") $(changes "$tmp/old.lft" "$old")"
same "without tables levels are VLs" "$all_the_same" "$(changes "$(levels five)" "$old")"
same "but not those of these tables" "${not_the_same/20 1/20 0}" "$(changes "$(levels five)" "$new")"
same "levels exchanged, the same tables" "1 20 0
0 any-order 20 drops 0 on 2 VLs " "$(changes "$old" "$(levels turned plain)")"
same "tables exchanged, the same levels" "$not_the_same" "$(changes "$old" "$(levels five turned)")"
same "tables of levels that nobody uses" "1 0 1
0 any-order drops 0 on 0 VLs " "$(changes "$old" "$(levels five unused)")"
same "a level of the old table that the new one drops" "1 2 1
1 unproved 2 drops 1 not known: with one VL there are some " "$(changes "$old" "$(levels zero drops)")"
same "one VL, and another one, of all levels" "1 0 1
1 unproved 20 drops 0 not known: with one VL there are some " "$(changes "$(levels '' zeros)" "$(levels '' ones)")"
same "one VL of all levels is that of any" "0 0 0
1 unproved drops 0 on 1 VL " "$(changes "$(levels '' zeros)" "$(levels zero zeros)")"
"$heddle" route "$tmp/five.ibnet" "$(levels '' zeros)" -o "$tmp/zeros.lft" >/dev/null
"$heddle" route "$tmp/five.ibnet" "$(levels five zeros)" -o "$tmp/both.lft" >/dev/null
same "levels that are not known are so in a copy" "1 0 1
1 unproved 20 drops 0 not known: with one VL there are some " "$(changes "$tmp/zeros.lft" "$(levels '' ones)")"
same "and those that are known are too" "1 20 0
1 unproved 20 drops 0 on 1 VL " "$(changes "$tmp/both.lft" "$(levels turned zeros)")"
edited() { "$heddle" check "$tmp/five.ibnet" <(sed "$1" "$tmp/new.lft"); } # COMMANDS of sed, for a copy
exits "a copy whose tables do not give its VLs" 3 "'# heddle sl2vl' contradicts the VLs of '# heddle lanes 2 leaf'" edited 's/^# heddle sl2vl .*/# heddle sl2vl 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1/'
exits "with no levels beside them" 3 "'# heddle sl2vl' contradicts" edited '/^# heddle leaf-level/d'
exits "with two tables" 3 "'# heddle sl2vl' contradicts" edited 's/^# heddle sl2vl [01].*/&\n# heddle sl2vl 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1/; /^# heddle sl2vl-of .*3 /s/ 1/ 2/'
check "a switch without one has that of the others" edited '/^# heddle sl2vl-of .*3 /d'
exits "tables by destination" 3 "expected this line only after '# heddle lanes', and not of rule 'dest'" edited 's/^# heddle lanes .*/# heddle lanes 2 dest/'

"$heddle" route $tree updown --format psl -o - 2>/dev/null | sed 's/[0-9]*$/15/' >"$tmp/tree15.psl"
same "level 15 is VL 15 without tables" "1 56 True" "$(judge $tree "file:path=$tmp/tree.lft,sl=$tmp/tree15.psl" unreachable deadlock_free)"
tables "$own 0x89 0xab 0xcd 0xef" "0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef"
sed -i -E 's/ 0x01 0x23 0x45 0x67.*/ 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef/' "$tmp/tree.slvl"
same "as with the tables that say so" "1 56 True" "$(judge $tree "file:path=$tmp/tree.lft,sl=$tmp/tree15.psl,sl2vl=$tmp/tree.slvl" unreachable deadlock_free)"
"$heddle" route $tree updown -o "$tmp/own.lft" >/dev/null
sed -E 's/^# heddle lanes .*/# heddle lanes 16 dest/' "$tmp/own.lft" >"$tmp/own16.lft"
exits "VL 15 is no VL of pairs" 3 'expected at most 15 VLs: VL 15 is of management packets alone' "$heddle" check $tree "$tmp/own16.lft"

# Figures of such tables count what is dropped, and say how much: as many pairs as check has unreachable, once.
# warned COMMAND TABLE OPTION...: exit status, and what it notes of VL 15.
warned() {
    "$heddle" "$1" "$tmp/tree.ibnet" "$2" "${@:3}" >/dev/null 2>"$tmp/notes"
    echo "$? $(grep -o 'VL 15 drops.*' "$tmp/notes")"
}
"$heddle" route $tree updown --format psl -o "$tmp/tree.psl" >/dev/null
cut=file:path=$tmp/tree.lft,sl2vl=$tmp/tree.slvl
drops="VL 15 drops the packets of 6 pairs: loads and simulations count them as if they arrived, 'heddle check' as unreachable"
tables "$own" "$all15"
same "eval" "0 $drops" "$(warned eval "$cut,sl=$tmp/tree.psl" -m ebb -m maxload)"
same "with the pairs that check counts" "1 6 True" "$(judge $tree "$cut,sl=$tmp/tree.psl" unreachable deadlock_free)"
same "eval, levels not known" "0 $drops" "$(warned eval "$cut")"
same "sim" "0 $drops" "$(warned sim "$cut,sl=$tmp/tree.psl" -n 1)"
same "order" "0 $drops" "$(warned order "$cut,sl=$tmp/tree.psl")"
same "advise" "1 $drops" "$(warned advise "$cut,sl=$tmp/tree.psl")"
"$heddle" route $tree "$cut,sl=$tmp/tree.psl" -o "$tmp/cut.lft" >/dev/null 2>&1
same "eval of a copy" "0 $drops" "$(warned eval "$tmp/cut.lft")"
same "of chosen endpoints, their pairs" "0 ${drops/6 pairs/1 pair}" "$(warned eval "$cut" --endpoints 'node-0000[0237]')"
tables "$own" "$high15"
same "nothing where no pair uses the levels" "0 " "$(warned eval "$cut,sl=$tmp/tree.psl")"
same "or may use others" "0 " "$(warned eval "$cut")"

# Levels that are not the VLs stay what they are in all that is written.
grid=torus:dims=4x4,hosts=2
plain $grid dfsssp >"$tmp/grid.lft"
"$heddle" route $grid dfsssp --format psl -o - 2>/dev/null | awk '{ print $1, $2, $3 + 5 }' >"$tmp/grid.psl"
"$heddle" route $grid dfsssp --format slvl -o - 2>/dev/null | awk '{ print $1, $2, $3, "0x00 0x00 0x00 0x12 0x00 0x00 0x00 0x00" }' >"$tmp/grid.slvl"
grid_table="file:path=$tmp/grid.lft,sl=$tmp/grid.psl,sl2vl=$tmp/grid.slvl"
"$heddle" route $grid "$grid_table" --deploy "$tmp/levels" >/dev/null 2>&1
for format in psl slvl; do "$heddle" route $grid "$grid_table" --format $format -o "$tmp/again.$format" >/dev/null 2>&1; done
for copy in "$tmp/levels/tables.lft" "file:path=$tmp/grid.lft,sl=$tmp/levels/ibdm/psl,sl2vl=$tmp/levels/ibdm/slvl" \
    "file:path=$tmp/grid.lft,sl=$tmp/again.psl,sl2vl=$tmp/again.slvl"; do
    same "a copy with the same levels" "0 identical" "$("$heddle" diff $grid "$grid_table" "$copy" >"$tmp/out" 2>&1; echo "$? $(grep -o '^identical\|^entries that both list are identical' "$tmp/out" | sed 's/.* //')")"
done
check "OpenSM gets their VLs" grep -qx 'qos_sl2vl 0,0,0,0,0,0,1,2,0,0,0,0,0,0,0,0' "$tmp/levels/opensm.conf"
same "and the levels of the policy" "0 1 2 3 4 5 6 7" "$(sed -n 's/^    sl: //p' "$tmp/levels/qos-policy.conf" | tr '\n' ' ' | sed 's/ $//')"
"$heddle" route $grid dfsssp --keep "$grid_table" -o "$tmp/kept.lft" >/dev/null 2>&1
check "they are kept where nothing fails" sh -c "'$heddle' diff $grid '$grid_table' '$tmp/kept.lft' | grep -q 'VLs of pairs     0 of 992'"
check "and where a cable is taken out" sh -c "'$heddle' transition $grid '$grid_table' --without link=L1-0000:5 | grep -q '^verdict          ordered'"
"$heddle" route $grid dfsssp --keep "$grid_table" --fail links=3 -o "$tmp/kept.lft" >"$tmp/out" 2>&1
same "as far as VLs are" "$("$heddle" route $grid dfsssp --keep dfsssp --fail links=3 2>/dev/null | grep '^VLs of pairs')" "$(grep '^VLs of pairs' "$tmp/out")"

# A ring in a folder of ibdiagnet: VLs by port of arrival break the credit loop at every level.
ring=torus:dims=5,hosts=1
mkdir "$tmp/folder"
plain $ring dor >"$tmp/folder/ibdiagnet2.fdbs"
"$heddle" route $ring dor --format slvl -o - 2>/dev/null | awk '{
    v = substr($1, 18) + 0
    vl = (v == 0 && $2 == 3 && $3 == 2) || (v == 4 && $2 == 2 && $3 == 3)
    printf "%s %s %s", $1, $2, $3
    for (i = 0; i < 8; i++) printf " 0x%d%d", vl, vl
    print "" }' >"$tmp/folder/ibdiagnet2.slvl"
same "a folder with SL2VL tables" "0 True" "$(free $ring "$tmp/folder")"
for format in lft far; do
    "$heddle" route $ring "$tmp/folder" -o "$tmp/folder.$format" >/dev/null 2>&1
    same "a copy of it proves as much: $format" "0 True " "$(free $ring "$tmp/folder.$format") $(cat "$tmp/notes")"
    sed '/^# heddle sl2vl-of .*3 /d' "$tmp/folder.$format" >"$tmp/lacks.lft"
    same "with tables of some ports less is known: $format" "0 None 1" "$(free $ring "$tmp/lacks.lft") $(grep -c 'no SL2VL table for some ports' "$tmp/notes")"
done
check "diff sees the tables" sh -c "'$heddle' diff $ring '$tmp/folder' '$tmp/folder.lft' | grep -qx 'entries that both list are identical'"
sed 's/^\(# heddle sl2vl\) 0/\1 1/' "$tmp/folder.lft" >"$tmp/other.lft"
check "and others" sh -c "'$heddle' diff $ring '$tmp/folder' '$tmp/other.lft' | grep -q '^SL2VL tables     differ'"

finish
