#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle check leaves nothing of a table out: endpoints that are not selected, every LID, every VL. Tables of small
# networks, each right but for a few entries.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
options=
turn() { python3 tests/golden/turn.py "$@"; }
plain() { "$heddle" route "$1" "$2" -o - 2>/dev/null | grep -v '^# heddle'; }

# Storage. In the ring 0 1 2 3 port 3 leads to the next switch, port 4 to the one before. Hosts and storage together go
# all round in the last table.
ring=torus:dims=4,hosts=2
"$heddle" topo $ring --format ibnet 2>/dev/null | sed -E 's/node-0000([46])/oss-0000\1/' >"$tmp/ring.ibnet"
plain $ring updown >"$tmp/ring.lft"
other='other_endpoints.endpoints other_endpoints.unreachable other_endpoints.loops'
same "a table that serves storage" "0 30 0 2 0 0 True" "$(judge "$tmp/ring.ibnet" "$tmp/ring.lft" pairs unreachable $other deadlock_free)"
turn "$tmp/ring.lft" 0x0005 '*=' >"$tmp/hole.lft"
same "no entry for storage" "1 0 2 7 0" "$(judge "$tmp/ring.ibnet" "$tmp/hole.lft" unreachable $other)"
check "which is shown" sh -c "'$heddle' check '$tmp/ring.ibnet' '$tmp/hole.lft' | grep -q '^other endpoints  2; of 26 pairs with them 7 unreachable, 0 in loops, such as node-00000 to oss-00004'"
exits "and not deployed" 1 'not deployed: 7 pairs with storage' "$heddle" route "$tmp/ring.ibnet" "$tmp/hole.lft" --deploy "$tmp/deployed"
check "and is a finding" sh -c "'$heddle' advise '$tmp/ring.ibnet' '$tmp/hole.lft' | grep -q 'FAIL  other endpoints'"
turn "$tmp/ring.lft" 0x0005 0=3 1=4 >"$tmp/loop.lft"
same "storage in a loop" "1 0 2 0 4" "$(judge "$tmp/ring.ibnet" "$tmp/loop.lft" unreachable $other)"
check "those who choose read what is left out" sh -c "'$heddle' check '$tmp/ring.ibnet' '$tmp/hole.lft' --endpoints 'node-0000[0-2]' | grep -q '^other endpoints  5, not selected and not checked'"
cp "$tmp/ring.lft" "$tmp/round.lft"
for change in 0x0001:2=3 0x0003:3=3 0x0006:0=4 0x0008:1=4 0x0005:0=3 0x0007:1=3; do
    same "no credit loop yet" "0 True" "$(judge "$tmp/ring.ibnet" "$tmp/round.lft" unreachable deadlock_free | cut -d ' ' -f 1,3)"
    turn "$tmp/round.lft" ${change%:*} ${change#*:} >"$tmp/next.lft" && mv "$tmp/next.lft" "$tmp/round.lft"
done
same "storage closes a credit loop" "1 0 False" "$(judge "$tmp/ring.ibnet" "$tmp/round.lft" unreachable deadlock_free)"

# Aggregation nodes, of which a tree that has lost cables cannot serve all.
sharp=director:groups=2,leaves=2,directors=1,lines=2,spines=2,hosts=2,rails=2,sharp=on
kept='other_endpoints.aggregation_nodes other_endpoints.unreachable other_endpoints.aggregation_unserved other_endpoints.aggregation_deadlock_free'
same "all of them are served" "0 10 0 0 True" "$(judge $sharp updown $kept)"
same "in a credit loop, by other paths" "0 True 10 0 0 False" "$(judge $sharp minhop deadlock_free $kept)"
plain $sharp minhop >"$tmp/sharp.lft"
lid=$(grep -m 1 'Channel Adapter.*Aggregation' "$tmp/sharp.lft" | cut -d ' ' -f 1)
turn "$tmp/sharp.lft" "$lid" '*=' >"$tmp/lost.lft"
turn "$tmp/sharp.lft" "$lid" 9= >"$tmp/apart.lft"
same "pairs of them far apart" "0 10 0 1 False" "$(judge $sharp "$tmp/apart.lft" $kept)"
same "one that no switch has an entry for" "1 10 4 13 False" "$(judge $sharp "$tmp/lost.lft" $kept)"

# LIDs of which no switch has an entry: the network has them all the same. Port GUIDs say whose the others are.
"$heddle" topo torus:dims=4,hosts=1 --lmc 1 --format ibnet 2>/dev/null >"$tmp/two.ibnet"
plain "$tmp/two.ibnet" updown >"$tmp/two.lft"
further='further_lids.lids further_lids.unreachable further_lids.loops'
same "two LIDs per endpoint" "0 0 4 0 0" "$(judge "$tmp/two.ibnet" "$tmp/two.lft" unreachable $further)"
turn "$tmp/two.lft" 0x0004 '*=' >"$tmp/base.lft"
same "a base LID is missing" "1 3 4 0 0" "$(judge "$tmp/two.ibnet" "$tmp/base.lft" unreachable $further)"
sed -E 's/^(0x0004) .*/\1 UNREACHABLE/' "$tmp/two.lft" >"$tmp/base.lft"
same "or not reachable" "1 3 4 0 0" "$(judge "$tmp/two.ibnet" "$tmp/base.lft" unreachable $further)"
turn "$tmp/two.lft" 0x0005 '*=' >"$tmp/further.lft"
same "a further LID is missing" "1 0 4 4 0" "$(judge "$tmp/two.ibnet" "$tmp/further.lft" unreachable $further)"

# LMCs that differ.
cat >"$tmp/mixed.ibnet" <<'END'
switchguid=0x10(10)
Switch	4 "S-0000000000000010"		# "swA" base port 0 lid 1 lmc 0
[1]	"H-0000000000000100"[1](101)		# "h1" lid 4 4xEDR
[2]	"H-0000000000000200"[1](201)		# "h2" lid 3 4xEDR

caguid=0x100
Ca	1 "H-0000000000000100"		# "h1"
[1](101)	"S-0000000000000010"[1]		# lid 4 lmc 2 "swA" lid 1 4xEDR

caguid=0x200
Ca	1 "H-0000000000000200"		# "h2"
[1](201)	"S-0000000000000010"[2]		# lid 3 lmc 0 "swA" lid 1 4xEDR
END
printf '%s\n' 'Unicast lids [0-7] of switch Lid 1 guid 0x0000000000000010 (swA):' '0x0001 000' '0x0003 002' '0x0004 001' \
    '0x0005 001' '0x0006 001' '0x0007 001' >"$tmp/mixed.lft"
same "each endpoint has its own LMC" "0 0 3 0 0" "$(judge "$tmp/mixed.ibnet" "$tmp/mixed.lft" unreachable $further)"
for lid in 5 6 7; do
    grep -v "^0x000$lid" "$tmp/mixed.lft" >"$tmp/lacks.lft"
    same "further LID $lid of the only one that has any is missing" "1 0 3 1 0 $lid" "$(judge "$tmp/mixed.ibnet" "$tmp/lacks.lft" unreachable $further further_lids.lid)"
done
grep -v '^0x000[567]' "$tmp/mixed.lft" >"$tmp/lacks.lft"
same "all of them are" "1 0 3 3 0" "$(judge "$tmp/mixed.ibnet" "$tmp/lacks.lft" unreachable $further)"
grep -v '^0x000[4567]' "$tmp/mixed.lft" >"$tmp/lacks.lft"
same "and the base LID" "1 1 3 3 0" "$(judge "$tmp/mixed.ibnet" "$tmp/lacks.lft" unreachable $further)"
sed 's/^0x0006 001/0x0006 002/' "$tmp/mixed.lft" >"$tmp/wrong.lft"
same "one leads to the other host" "1 0 3 1 0 6" "$(judge "$tmp/mixed.ibnet" "$tmp/wrong.lft" unreachable $further further_lids.lid)"
"$heddle" route "$tmp/mixed.ibnet" minhop -o "$tmp/one.lft" >/dev/null 2>"$tmp/notes"
same "all LIDs are written" "" "$(cat "$tmp/notes")"
same "and read" "0 0 3 0 0" "$(judge "$tmp/mixed.ibnet" "$tmp/one.lft" unreachable $further)"
grep -v '^0x0007' "$tmp/one.lft" >"$tmp/lacks.lft"
same "one is missing from what was written" "1 0 3 1 0 7" "$(judge "$tmp/mixed.ibnet" "$tmp/lacks.lft" unreachable $further further_lids.lid)"
"$heddle" topo "$tmp/mixed.ibnet" --format ibnet 2>/dev/null >"$tmp/again.ibnet"
same "a copy of the network has the same LMCs" "1 0 3 1 0" "$(judge "$tmp/again.ibnet" "$tmp/lacks.lft" unreachable $further)"
sed 's/lid 4 lmc 2/lid 5 lmc 1/' "$tmp/mixed.ibnet" >"$tmp/odd.ibnet"
same "a base LID that is no multiple of 2" "0 0 1 0 0" "$(judge "$tmp/odd.ibnet" "$tmp/mixed.lft" unreachable $further)"
grep -v '^0x0006' "$tmp/mixed.lft" >"$tmp/lacks.lft"
same "and lacks its further LID" "1 0 1 1 0 6" "$(judge "$tmp/odd.ibnet" "$tmp/lacks.lft" unreachable $further further_lids.lid)"

# LIDs that nobody has stay free, though the larger LMC has room at both.
sed 's/lid 3 lmc 0/lid 8 lmc 0/; s/"h2" lid 3/"h2" lid 8/' "$tmp/mixed.ibnet" >"$tmp/room.ibnet"
sed 's/^0x0003/0x0008/' "$tmp/mixed.lft" >"$tmp/room.lft"
for format in lft lft-minimal far; do
    "$heddle" route "$tmp/room.ibnet" minhop --format $format -o "$tmp/room-own.$format" >/dev/null 2>"$tmp/notes"
    same "each endpoint has its own LIDs: $format" "0 0 3 0 0 6 " "$(judge "$tmp/room.ibnet" "$tmp/room-own.$format" unreachable $further) $(grep -c '^0x' "$tmp/room-own.$format") $(cat "$tmp/notes")"
    check "and they are the same: $format" sh -c "'$heddle' diff '$tmp/room.ibnet' '$tmp/room.lft' '$tmp/room-own.$format' | grep -q '^entries  *0 of 6 change'"
done
sed 's/lmc 2/lmc 0/' "$tmp/room.ibnet" >"$tmp/less.ibnet"
same "which the table says itself" "0 0 3 0 0 " "$(judge "$tmp/less.ibnet" "$tmp/room-own.lft" unreachable $further) $(cat "$tmp/notes")"
{ cat "$tmp/room.lft"; printf '%s\n' '0x0009 002' '0x000a 002' '0x000b 002'; } >"$tmp/wide.lft"
sed 's/$/ # Channel Adapter portguid 0x0000000000000201/; s/^\(0x000[4-7] .*\)201/\1101/; /^0x000[13]/s/ #.*//; /^Unicast/s/ #.*//' "$tmp/wide.lft" >"$tmp/more.lft"
check "a table with more of them is another" sh -c "'$heddle' diff '$tmp/room.ibnet' '$tmp/room.lft' '$tmp/more.lft' | grep -q '^entries  *3 of 9 change'"
exits "ibdmchk knows one LID of each port" 3 "ibdmchk supports one LID per port, 'h1' has 4" "$heddle" route "$tmp/room.ibnet" minhop --format fdbs -o -
"$heddle" route "$tmp/room.ibnet" minhop --deploy "$tmp/room" >/dev/null 2>"$tmp/notes"
same "OpenSM gives all the same number" "lmc 2, 9, 2 " "$(grep '^lmc' "$tmp/room/opensm.conf"), $(grep -c '^0x' "$tmp/room/tables.lft"), $(grep -cE ' 0x000(4 0x0007|8 0x000b)$' "$tmp/room/guid2lid") $(cat "$tmp/notes")"
check "for which there are no files for ibdmchk" test ! -e "$tmp/room/ibdm"
"$heddle" route "$tmp/room/net.ibnet" "$tmp/room/tables.lft" --format guid2lid -o "$tmp/again.guid2lid" >/dev/null 2>&1
check "guid2lid of these tables is the same" cmp "$tmp/room/guid2lid" "$tmp/again.guid2lid"

# Endpoints without a LID beside them get LIDs that nobody has, and those of the others are kept.
sed 's/lid 3 lmc 0/lid 0 lmc 0/; s/# "h2" lid 3/# "h2" lid 0/' "$tmp/mixed.ibnet" >"$tmp/down.ibnet"
"$heddle" route "$tmp/down.ibnet" minhop -o "$tmp/down.lft" >/dev/null 2>"$tmp/notes"
same "a port without a LID: nothing is given up" "" "$(cat "$tmp/notes")"
same "its table has all LIDs of the others" "0 0 0" "$(judge "$tmp/down.ibnet" "$tmp/down.lft" unreachable further_lids.unreachable)"
check "and its own is another" grep -q '^0x0008 002' "$tmp/down.lft"
"$heddle" route "$tmp/down.ibnet" "$tmp/mixed.lft" -o "$tmp/copy.lft" >/dev/null 2>&1
same "a capture written again keeps further LIDs" "3" "$(grep -c '^0x000[567] 001' "$tmp/copy.lft")"
grep -v '^0x0003' "$tmp/mixed.lft" >"$tmp/first.lft"
{ cat "$tmp/first.lft"; echo '0x0008 002 # Channel Adapter portguid 0x0000000000000201'; } >"$tmp/one-lid.lft"
{ cat "$tmp/one-lid.lft"; echo '0x0009 002 # Channel Adapter portguid 0x0000000000000201'; } >"$tmp/two-lids.lft"
check "LIDs that a file does not have do not repeat others" sh -c "'$heddle' diff '$tmp/down.ibnet' '$tmp/one-lid.lft' '$tmp/two-lids.lft' | grep -q '^entries  *1 of 7 change'"
check "nor do those that neither has" sh -c "'$heddle' diff '$tmp/down.ibnet' '$tmp/one-lid.lft' '$tmp/one-lid.lft' | grep -q '^entries  *0 of 6 change'"
printf '0x0000000000000010 0x0001 0x0001\n' >"$tmp/part.g2l"
sed 's/^0x0006 001/0x0006 002/' "$tmp/mixed.lft" >"$tmp/wrong.lft"
"$heddle" check "$tmp/mixed.ibnet" "$tmp/wrong.lft" --guid2lid "$tmp/part.g2l" >/dev/null 2>&1
same "ports that guid2lid does not name keep their LMC" 1 $?
printf '0x0000000000000201 0x0005 0x0005\n' >"$tmp/into.g2l"
"$heddle" topo "$tmp/mixed.ibnet" --guid2lid "$tmp/into.g2l" --format ibnet 2>/dev/null >"$tmp/into.ibnet"
check "unless one of its LIDs is taken" grep -q 'lid 4 lmc 0 "swA"' "$tmp/into.ibnet"
# Two subnets that share LIDs: all are assigned again, and one of them is by accident what it was.
for i in 1 2; do
    lid=$((2 * i)) lmc=$((2 * i - 2))
    printf '%s\n' "Switch 4 \"S-000000000000001$i\" # \"sw$i\" lid 1" "[1] \"H-000000000000010$i\"[1] # \"a$i\" lid 3 4xEDR" \
        "[2] \"H-000000000000020$i\"[1] # \"b$i\" lid $lid 4xEDR" '' "Ca 1 \"H-000000000000010$i\" # \"a$i\"" \
        "[1] \"S-000000000000001$i\"[1] # lid 3 lmc 0 \"sw$i\" lid 1 4xEDR" '' "Ca 1 \"H-000000000000020$i\" # \"b$i\"" \
        "[1] \"S-000000000000001$i\"[2] # lid $lid lmc $lmc \"sw$i\" lid 1 4xEDR" ''
done >"$tmp/subnets.ibnet"
"$heddle" route "$tmp/subnets.ibnet" minhop -o "$tmp/subnets.lft" >/dev/null 2>"$tmp/notes"
check "LMCs that are not kept are named" grep -q 'have LMCs up to 2, which are not kept' "$tmp/notes"
same "what is written for two subnets passes" "0 0 0" "$(judge "$tmp/subnets.ibnet" "$tmp/subnets.lft" unreachable further_lids.unreachable)"
"$heddle" route "$tmp/subnets.ibnet" minhop -o "$tmp/subnets.far" >/dev/null 2>"$tmp/notes"
check "also in far files" grep -q 'have LMCs up to 2, which are not kept' "$tmp/notes"
same "which are read again" "0 0 0 0" "$(judge "$tmp/subnets.ibnet" "$tmp/subnets.far" unreachable further_lids.unreachable switch_lids.unreachable)"
same "without a note" "" "$(cat "$tmp/notes")"
for row in ft:m=4,n=2/mlid torus:dims=5/lash; do
    "$heddle" route "${row%/*}" "${row#*/}" -o "$tmp/rules.far" >/dev/null 2>&1
    for table in "${row#*/}" "$tmp/rules.far"; do judge "${row%/*}" "$table" pairs unreachable max_hops lanes deadlock_free; done >"$tmp/both"
    same "with the variants and VLs of ${row#*/}" 1 "$(sort -u "$tmp/both" | wc -l)"
done

# In another subnet, the LID of an entry with a group is that of another port.
for guid in 02 03; do
    "$heddle" topo ft:m=4,n=2 --format ibnet 2>/dev/null | sed -E "s/2(00000[01]0)/${guid#0}\1/g"
done >"$tmp/twins.ibnet"
for guid in 02 03; do
    "$heddle" route ft:m=4,n=2 ar_ftree --format far -o - 2>/dev/null | sed "/^# /d; s/0x02/0x$guid/"
done >"$tmp/twins.far"
same "groups of two subnets" "0 2 112 48 0" "$(judge "$tmp/twins.ibnet" "$tmp/twins.far" components pairs adaptive.entries adaptive.unreachable)"

# A table of another fabric, whose GUIDs are in this one too.
plain torus:dims=5 updown >"$tmp/five.lft"
same "a table of a larger ring fits" "0 0" "$(judge torus:dims=4 "$tmp/five.lft" unreachable)"
check "but has other LIDs" grep -q "five.lft: the LIDs of some ports are not those of the network (4, first that of 'L1-0000': 0xb, in the network 0x9)" "$tmp/notes"

# The entry of a switch for itself.
own='switch_lids.unreachable switch_lids.loops'
plain torus:dims=4,hosts=1 updown >"$tmp/own.lft"
same "each leads to port 0" "0 0 0" "$(judge torus:dims=4,hosts=1 "$tmp/own.lft" $own)"
turn "$tmp/own.lft" 0x0006 1= >"$tmp/none.lft"
same "there is none" "1 3 0" "$(judge torus:dims=4,hosts=1 "$tmp/none.lft" $own)"
turn "$tmp/own.lft" 0x0006 1=2 >"$tmp/away.lft"
same "it leads away" "1 0 3" "$(judge torus:dims=4,hosts=1 "$tmp/away.lft" $own)"
same "and has a cable" "" "$(cat "$tmp/notes")"
for how in none away; do
    plain torus:dims=4,hosts=1 "$tmp/$how.lft" >"$tmp/copy.lft"
    same "such a table is written as it is: $how" "" "$(diff "$tmp/$how.lft" "$tmp/copy.lft")"
    check "and is not the good one: $how" sh -c "'$heddle' diff torus:dims=4,hosts=1 '$tmp/own.lft' '$tmp/$how.lft' --json | grep -q '\"entries_changed\": 1,'"
done
grep -vE ' 000 #' "$tmp/own.lft" >"$tmp/without.lft"
same "a file without any of them leaves them out" "0 0 0" "$(judge torus:dims=4,hosts=1 "$tmp/without.lft" $own)"

# rings FOLDER: tables of rings of one host per switch, where port 2 leads to the next switch and port 3 back.
cat >"$tmp/rings.py" <<'END'
import sys
FOLDER = sys.argv[1] + "/"
GUID, CA = 0x0200000000100000, 0x0200000100000000

def write(name, lines):
    with open(FOLDER + name, "w") as f:
        f.writelines(line + "\n" for line in lines)

def levels(n, level):
    return ["0x%016x %d %d" % (CA + 4 * s, d + 1, level(s, d)) for s in range(n) for d in range(n) if s != d]

def port(n, s, d, onward):
    k = (d - s) % n
    return 1 if k == 0 else 2 if k == 1 or (k < n - 1 and onward(s, d)) else 3

def table(n, lids):
    """lids: LID, place of its owner, port of a switch there, and whether a switch sends onward."""
    for s in range(n):
        yield "Unicast lids [0-999] of switch Lid 999 guid 0x%016x (x):" % (GUID + s)
        for lid, d, own, onward in lids:
            yield "0x%04x %03d" % (lid, own if s == d else port(n, s, d, onward))

# Adaptive: static ports and groups turn half of the ring each.
half = lambda s, d: s < 2
far = ["File version: 1"]
for s in range(4):
    far += ["Switch 0x%016x" % (GUID + s), "Groups Definition:", "Group   Sub Group   WHBF   Ports",
            "1       0           0      2,", "2       0           0      3,", "LFT Definition:", "PLFT_NUM: 0, top: 0x8",
            "LID     Static Port   Lid State   Group"]
    for d in range(4):
        group = 0 if (d - s) % 4 != 2 else 2 if s < 2 else 1
        far.append("0x%04x  %d             %s      %d" % (d + 1, port(4, s, d, half), "Free" if group else "Static", group))
write("half.far", far)
for sl in (0, 1):
    write("level%d.psl" % sl, levels(4, lambda s, d: sl))

# Choices for LIDs that no pair uses, of switches or further ones: {(LID, switch): ports}.
def choose(name, base, other, own, groups, static={}):
    sets = [(2, 3), (1, 2, 3)]
    lines = ["File version: 1"]
    for s in range(4):
        lines += ["Switch 0x%016x" % (GUID + s), "Groups Definition:", "Group   Sub Group   WHBF   Ports"]
        lines += ["%d       0           0      %s," % (i + 1, ",".join(map(str, p))) for i, p in enumerate(sets)]
        lines += ["LFT Definition:", "PLFT_NUM: 0, top: 0x20", "LID     Static Port   Lid State   Group"]
        for lid, d, there in [(base(d), d, 1) for d in range(4)] + [(other(d), d, own) for d in range(4)]:
            out = static.get((lid, s), there if s == d else port(4, s, d, lambda s, d: d > s))
            group = groups.get((lid, s))
            lines.append("0x%04x  %d             %s      %d" % (
                lid, out, "Bounded" if group else "Static", sets.index(group) + 1 if group else 0))
    write(name, lines)

both, host = (2, 3), (1, 2, 3)
for end, base, other, own in (("", lambda d: d + 1, lambda d: d + 5, 0), ("-further", lambda d: 2 * d + 2, lambda d: 2 * d + 3, 1)):
    first = other(0)
    choose(("further" if end else "switch") + ".far", base, other, own, {(other(d), (d + 2) % 4): both for d in range(4)})
    if not end: choose("pairs.far", base, other, own, {(base(d), (d + 2) % 4): both for d in range(4)})
    choose("single%s.far" % end, base, other, own, {(first, 2): both})
    choose("back%s.far" % end, base, other, own, {(first, 1): both, (first, 2): both})
    choose("host%s.far" % end, base, other, own, {(first, 2): host})
    choose("static%s.far" % end, base, other, own, {(first, 2): both}, {(first, 2): 255})
    choose("own%s.far" % end, base, other, own, {(first, 0): both})

# Paths longer than 256 channels, to two places; all others stay on one side of the first switch.
N = 260
write("long.lft", table(N, [(d + 1, d, 1, (lambda s, t: True) if d in (0, N // 2) else (lambda s, t: t > s)) for d in range(N)]))
write("long.psl", levels(N, lambda s, d: 3 if d not in (0, N // 2) else 1 if (d - s) % N >= 255 else 0 if d else 2))

# SL2VL tables: service level 1 to VL 15, of one switch and of all.
up = lambda s, d: d > s
write("line.lft", table(4, [(d + 1, d, 1, up) for d in range(4)]))
for name, which in (("one", (2,)), ("all", range(4)), ("none", ())):
    write(name + ".slvl", ["0x%016x %d %d 0x0%x%s" % (GUID + v, i, o, 15 if v in which else 0, " 0x00" * 7)
                           for v in range(4) for i in range(4) for o in range(1, 4)])

# Base LIDs, further LIDs and LIDs of switches, which go all round only together.
pairs, more, last = (lambda s, d: s < 2), (lambda s, d: s < 3), (lambda s, d: s < 2 or s == 3)
switch = {0: 1, 1: 10, 2: 11, 3: 12}
write("kinds.lft", table(4, [(2 * d + 2, d, 1, pairs) for d in range(4)] + [(2 * d + 3, d, 1, more) for d in range(4)] +
                            [(switch[d], d, 0, last) for d in range(4)]))
END
python3 "$tmp/rings.py" "$tmp"

four=torus:dims=4,hosts=1
same "choices alone close a credit loop" "1 False" "$(judge $four "$tmp/pairs.far" deadlock_free)"
check "and each wait has a pair" python3 -c 'import json, sys
cycle = json.load(open(sys.argv[1]))["cycle"]
sys.exit(not cycle or any(c.get("source", c.get("dest")) == c.get("dest") for c in cycle))' "$tmp/json"
same "static ports and choices wait for each other in VL 0" "1 False" "$(judge $four "file:path=$tmp/half.far,sl=$tmp/level0.psl" deadlock_free)"
same "and just so in VL 1" "1 False" "$(judge $four "file:path=$tmp/half.far,sl=$tmp/level1.psl" deadlock_free)"
sed 's/0x0[0-9a-f] .*/0x01 0x01 0x01 0x01 0x01 0x01 0x01 0x01/' "$tmp/none.slvl" | sed '1s/0x01$/0x00/' >"$tmp/any.slvl"
same "and whatever the service level" "0 None" "$(judge $four "file:path=$tmp/half.far,sl2vl=$tmp/any.slvl" deadlock_free)"
same "paths of any length have dependencies" "1 0 260 False" "$(judge torus:dims=260,hosts=1 "file:path=$tmp/long.lft,sl=$tmp/long.psl" unreachable max_hops deadlock_free)"
check "which are too long for loads" sh -c "'$heddle' route torus:dims=260,hosts=1 '$tmp/long.lft' 2>&1 >/dev/null | grep -q 'paths of up to 260 channels; pairs with more than 256 are left out of all loads'"
check "and check says so" sh -c "'$heddle' check torus:dims=260,hosts=1 '$tmp/long.lft' 2>&1 >/dev/null | grep -q 'paths of up to 260 channels'"
for which in none:0:0:1 one:1:8:1 all:1:12:1; do
    IFS=: read -r name status lost vls <<<"$which"
    same "VL 15 drops packets, at switches: $name" "$status $lost $vls" "$(judge $four "file:path=$tmp/line.lft,sl=$tmp/level1.psl,sl2vl=$tmp/$name.slvl" unreachable lanes)"
done
"$heddle" topo $four --lmc 1 --format ibnet 2>/dev/null >"$tmp/kinds.ibnet"
same "three kinds of LIDs together" "0 True True False" "$(judge "$tmp/kinds.ibnet" "$tmp/kinds.lft" deadlock_free further_lids.deadlock_free switch_lids.deadlock_free)"
"$heddle" topo torus:dims=5x5,hosts=1 --lmc 1 --format ibnet 2>/dev/null >"$tmp/several.ibnet"
"$heddle" route "$tmp/several.ibnet" dfsssp -o "$tmp/several.lft" >/dev/null
# The same with an LMC of 1 at two of them: only the last switch sends on what the others do not.
sed -E 's/lid 6 lmc 1/lid 6 lmc 0/; s/lid 8 lmc 1/lid 8 lmc 0/' "$tmp/kinds.ibnet" >"$tmp/two-kinds.ibnet"
turn "$tmp/kinds.lft" 0x0003 '*=' >"$tmp/lacks.lft"
same "LMC 1 at some: two further LIDs" "0 2 0 0" "$(judge "$tmp/two-kinds.ibnet" "$tmp/kinds.lft" $further)"
same "one of them is nowhere" "1 2 4 0 3" "$(judge "$tmp/two-kinds.ibnet" "$tmp/lacks.lft" $further further_lids.lid)"
turn "$tmp/kinds.lft" 0x0005 2=2 3=3 >"$tmp/turns.lft"
same "one of them loops" "1 2 0 2 5" "$(judge "$tmp/two-kinds.ibnet" "$tmp/turns.lft" $further further_lids.lid)"
same "several VLs: not known of LIDs without a pair" "0 True None None" "$(judge "$tmp/several.ibnet" "$tmp/several.lft" deadlock_free further_lids.deadlock_free switch_lids.deadlock_free)"
same "which is printed" "2" "$("$heddle" check "$tmp/several.ibnet" "$tmp/several.lft" | grep -c 'LIDs .*not known whether they are deadlock-free')"

# Further LIDs in other commands. Towards LID 5, of the host at switch 1, switches 2 and 3 turn round.
turn "$tmp/two.lft" 0x0005 2=2 3=2 >"$tmp/onward.lft"
turn "$tmp/two.lft" 0x0005 2=3 3=3 >"$tmp/back.lft"
check "diff compares them" sh -c "'$heddle' diff '$tmp/two.ibnet' '$tmp/back.lft' '$tmp/onward.lft' | grep -q '^entries  *2 of'"
"$heddle" route "$tmp/two.ibnet" "$tmp/onward.lft" -o "$tmp/copy.lft" >/dev/null
check "a copy has them" "$heddle" diff "$tmp/two.ibnet" "$tmp/onward.lft" "$tmp/copy.lft"
safe() { "$heddle" transition "$@" --json 2>/dev/null | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["verdict"], j["other_lids_loop"], j["other_lids_unproved"])'; }
same "a mixture that loops" "unproved 1 1" "$(safe "$tmp/two.ibnet" "$tmp/onward.lft" "$tmp/back.lft")"
same "the same entries" "any-order 0 0" "$(safe "$tmp/two.ibnet" "$tmp/onward.lft" "$tmp/copy.lft")"
turn "$tmp/own.lft" 0x0006 2=2 3=2 >"$tmp/onward.lft"
turn "$tmp/own.lft" 0x0006 2=3 3=3 >"$tmp/back.lft"
same "of the LID of a switch: shown, and the verdict is about endpoints" "any-order 1 1" "$(safe $four "$tmp/onward.lft" "$tmp/back.lft")"
same "of switches between two steps, with entries that nobody gave" "ordered 1 7" \
    "$(safe director:groups=2,leaves=3,directors=2,lines=2,spines=2,hosts=2 dmodc --without switch=director-2/S2/U1 --fail links=3,seed=1)"
tree="ft:m=4,n=3 --fail links=6,seed=2"
for engine in ftree updown; do "$heddle" route $tree $engine -o "$tmp/$engine.lft" >/dev/null 2>&1; done
same "steps whose mixtures do not loop, although one of the two tables would" "ordered 0 5" "$(safe $tree "$tmp/ftree.lft" "$tmp/updown.lft")"

# Of entries that change without a loop, nothing else is proved.
turn "$tmp/own.lft" 0x0007 0=2 >"$tmp/other.lft"
same "an entry for a switch changes" "any-order 0 1" "$(safe $four "$tmp/own.lft" "$tmp/other.lft")"
check "which is shown" sh -c "'$heddle' transition $four '$tmp/own.lft' '$tmp/other.lft' | grep -q '^NOT COVERED .* 1 LIDs of switches or further'"
check "and the verdict is about endpoints" sh -c "'$heddle' transition $four '$tmp/own.lft' '$tmp/other.lft' | grep -q 'is safe for packets between endpoints, proved'"
same "a table derives its entries for switches" "any-order 0 1" "$(safe $four "$tmp/other.lft" updown)"
turn "$tmp/two.lft" 0x0005 '*=' >"$tmp/lacks.lft"
sed -i '/^# heddle/d' "$tmp/lacks.lft"
same "a further LID loses its entries, which the new table cuts" "unproved 0 1" "$(safe "$tmp/two.ibnet" "$tmp/two.lft" "$tmp/lacks.lft")"

# Switches without hosts, which no pair needs an answer of.
tree=xgft:m=2x2,w=1x2
plain $tree dmodc >"$tmp/tree.lft"
mute='unanswered.entries'
same "every spine has all entries" "0 0" "$(judge $tree "$tmp/tree.lft" $mute)"
lid=$(grep -m 1 'Channel Adapter' "$tmp/tree.lft" | cut -d ' ' -f 1)
for guid in $(sed -n 's/^Unicast.*guid 0x[0-9a-f]*\([0-9a-f]\) .*/\1/p' "$tmp/tree.lft"); do
    turn "$tmp/tree.lft" "$lid" "$guid=" >"$tmp/mute.lft"
    [ "$(judge $tree "$tmp/mute.lft" $mute)" = "0 1" ] && break
done
same "a spine lacks one that no pair crosses" "0 1 0" "$(judge $tree "$tmp/mute.lft" $mute unreachable)"
check "which is shown" sh -c "'$heddle' check $tree '$tmp/mute.lft' | grep -q '^cannot answer .*: 1 entries are missing, such as '"

# Groups for LIDs that no pair uses. Towards the opposite side of the ring, both ways are as short.
some() { echo deadlock_free "$1.choices" "$1.unreachable" "$1.loops" "$1.deadlock_free"; }
same "every choice to a switch arrives, and all of them close a credit loop" "0 True 4 0 0 False" "$(judge $four "$tmp/switch.far" $(some switch_lids))"
check "which is shown" sh -c "'$heddle' check $four '$tmp/switch.far' | grep -q '^switch LIDs  *4, all reached by every choice; a credit loop is possible together with the pairs; 4 entries choose'"
same "choices to one switch alone close none" "0 True 1 0 0 True" "$(judge $four "$tmp/single.far" $(some switch_lids))"
same "a choice at a neighbour goes back" "1 True 2 0 2 False" "$(judge $four "$tmp/back.far" $(some switch_lids))"
same "a choice ends at a host" "1 True 1 1 0 True" "$(judge $four "$tmp/host.far" $(some switch_lids))"
same "a static port is missing where choices arrive" "1 True 1 1 0 True" "$(judge $four "$tmp/static.far" $(some switch_lids))"
same "a switch chooses a port for its own LID" "1 True 0 0 3 True" "$(judge $four "$tmp/own.far" $(some switch_lids))"
"$heddle" route $four "$tmp/switch.far" --format far -o "$tmp/copy.far" >/dev/null 2>"$tmp/notes"
same "groups of all LIDs are written" "4 4" "$(grep -c Bounded "$tmp/switch.far") $(grep -c Bounded "$tmp/copy.far")"
same "every choice to further LIDs arrives, and all of them close a credit loop" "1 True 4 0 0 False" "$(judge "$tmp/kinds.ibnet" "$tmp/further.far" $(some further_lids))"
same "choices to one further LID alone close none" "0 True 1 0 0 True" "$(judge "$tmp/kinds.ibnet" "$tmp/single-further.far" $(some further_lids))"
same "a choice to a further LID goes back" "1 True 2 0 2 False" "$(judge "$tmp/kinds.ibnet" "$tmp/back-further.far" $(some further_lids))"
same "a choice to a further LID ends at a host" "1 True 1 1 0 True" "$(judge "$tmp/kinds.ibnet" "$tmp/host-further.far" $(some further_lids))"
"$heddle" route "$tmp/kinds.ibnet" "$tmp/further.far" --format far -o "$tmp/copy.far" >/dev/null 2>"$tmp/notes"
same "they are written too" "4" "$(grep -c Bounded "$tmp/copy.far")"
same "nothing is left unproved" "0 0" "$(judge $four "$tmp/single.far" unproved_groups)"
# A change of groups is not proved, of whatever LIDs; which numbers they have does not matter.
sed -E 's/^1 (  .*2,3,)/7 \1/; s/(Bounded +)1$/\17/' "$tmp/single.far" >"$tmp/single-renamed.far"
sed -E 's/^1 (  .*2,3,)/7 \1/; s/(Bounded +)1$/\17/' "$tmp/single-further.far" >"$tmp/single-further-renamed.far"
for kind in four: kinds:-further; do
    net=$four end=${kind#*:}
    [ "$end" ] && net=$tmp/kinds.ibnet
    same "groups of other numbers$end" "any-order 0 0" "$(safe "$net" "$tmp/single$end.far" "$tmp/single$end-renamed.far")"
    same "one more group$end" "unproved 0 1" "$(safe "$net" "$tmp/single$end.far" "$tmp/back$end.far")"
    same "one group less$end" "unproved 0 1" "$(safe "$net" "$tmp/back$end.far" "$tmp/single$end.far")"
    same "another port of a group$end" "unproved 0 1" "$(safe "$net" "$tmp/single$end.far" "$tmp/host$end.far")"
    same "another static port$end" "unproved 0 1" "$(safe "$net" "$tmp/static$end.far" "$tmp/single$end.far")"
    check "which fails$end" sh -c "'$heddle' transition '$net' '$tmp/single$end.far' '$tmp/back$end.far' >/dev/null; [ \$? = 1 ]"
    check "and is shown$end" sh -c "'$heddle' transition '$net' '$tmp/single$end.far' '$tmp/back$end.far' | grep -q '^verdict  *unproved: a table is adaptive'"
done

# A table without entries for switches has none after a failure either.
tree=ft:m=4,n=2
"$heddle" route $tree ar_ftree -o "$tmp/whole.far" >/dev/null 2>&1
python3 -c 'import re, sys
text = open(sys.argv[1]).read()
for lid in re.findall(r"^(0x\S+)  0 ", text, re.M): text = re.sub(rf"^{lid} .*\n", "", text, flags=re.M)
print(text, end="")' "$tmp/whole.far" >"$tmp/pairs.far"
for how in old pfrn; do
    check "no switch LIDs, $how" sh -c "'$heddle' check $tree '$tmp/pairs.far' --fail link=L1-0000:3 --after-fail $how | grep -q '^switch LIDs  *none in this table'"
done

# Other LIDs after a failure. Nothing uses the cable between ports 4 of switches 0 and 2.
for net in four kinds; do
    [ $net = kinds ] && lmc=1 || lmc=0
    "$heddle" topo $four --lmc $lmc --format ibnet 2>/dev/null | awk '
        /^Switch/ { sub("\t3", "\t4"); other = /S-0200000000100000"/ ? "0200000000100002" : /S-0200000000100002"/ ? "0200000000100000" : "" }
        { print }
        /^\[3\]/ && other { print "[4]\t\"S-" other "\"[4]"; other = "" }' >"$tmp/spare-$net.ibnet"
done
link() { echo "--fail link=L1-0000:$1 --after-fail $2"; }
for how in old pfrn; do
    options=$(link 4 $how)
    for which in single:0 back:1 static:1; do
        for kind in four:switch_lids: kinds:further_lids:-further; do
            IFS=: read -r net keys end <<<"$kind"
            table=$tmp/${which%:*}$end.far
            before=$(options='' judge "$tmp/spare-$net.ibnet" "$table" $(some $keys) $keys.lids unproved_groups)
            same "$how tables keep what ${which%:*} has for $keys" "${which#*:} $before" "${before%% *} $(judge "$tmp/spare-$net.ibnet" "$table" $(some $keys) $keys.lids unproved_groups)"
        done
    done
    same "$how tables: a switch chooses a port for its own LID" "1 0 3" "$(judge "$tmp/spare-four.ibnet" "$tmp/own.far" $own)"
    same "$how tables: an entry leads away from its switch" "1 0 3" "$(judge "$tmp/spare-four.ibnet" "$tmp/away.lft" $own)"
    same "$how tables: a further LID is nowhere" "1 4 4 0 5" "$(judge "$tmp/spare-kinds.ibnet" "$tmp/lacks.lft" $further further_lids.lid)"
    # Towards what was removed, nothing is asked for. Static ports from 0 to 2 and back lead there.
    options="--fail switch=L1-0001 --after-fail $how"
    same "$how tables without a switch: further LIDs" "1 3 2 0 0" "$(judge "$tmp/spare-kinds.ibnet" "$tmp/single-further.far" $further further_lids.choices)"
    same "$how tables without a switch: its LID" "1 3 2 0 0" "$(judge "$tmp/spare-four.ibnet" "$tmp/single.far" switch_lids.lids $own switch_lids.choices)"
done
# Switch 2 chooses between both ways to 0, of which one ends at 3, or its host.
options=$(link 4 old)
same "a choice ends at a host: further LIDs" "1 True 1 1 0 True" "$(judge "$tmp/spare-kinds.ibnet" "$tmp/host-further.far" $(some further_lids))"
same "LIDs of switches" "1 True 1 1 0 True" "$(judge "$tmp/spare-four.ibnet" "$tmp/host.far" $(some switch_lids))"
options=$(link 3 old)
same "a choice leads to a switch that cannot go on: further LIDs" "1 True 1 3 0 True" "$(judge "$tmp/kinds.ibnet" "$tmp/single-further.far" $(some further_lids))"
same "LIDs of switches" "1 True 1 3 0 True" "$(judge $four "$tmp/single.far" $(some switch_lids))"
options=$(link 3 pfrn)
same "and none once that is known: further LIDs" "1 True 0 2 0 True" "$(judge "$tmp/kinds.ibnet" "$tmp/single-further.far" $(some further_lids))"
same "LIDs of switches" "1 True 0 2 0 True" "$(judge $four "$tmp/single.far" $(some switch_lids))"
options=

# A host of storage without an entry at one switch, static and adaptive.
"$heddle" topo ft:m=4,n=2 --format ibnet 2>/dev/null | sed 's/node-00003/storage-3/' >"$tmp/storage.ibnet"
"$heddle" route "$tmp/storage.ibnet" dmodk -o "$tmp/storage.lft" >/dev/null
"$heddle" route "$tmp/storage.ibnet" ar_updn -o "$tmp/storage.far" >/dev/null
awk '/^Unicast/ { here = /100001/ } !(here && /^0x0004/)' "$tmp/storage.lft" >"$tmp/hole.lft"
awk '/^Switch/ { here = /100001/ } !(here && /^0x0004/)' "$tmp/storage.far" >"$tmp/hole.far"
check "the headline is about pairs, not about a split fabric" sh -c "'$heddle' advise '$tmp/storage.ibnet' '$tmp/hole.lft' | grep -q 'does not serve every pair'"
same "every choice: one line" "1" "$("$heddle" check "$tmp/storage.ibnet" "$tmp/hole.far" | grep -c '^every choice')"
same "pairs are counted once" "not deployed: 7 pairs" "$("$heddle" route "$tmp/storage.ibnet" "$tmp/hole.far" --deploy "$tmp/deployed" 2>&1 | grep -o 'not deployed: [0-9]* pairs')"

# Two LIDs per port where the network states one: copies keep the entries, and diff compares them.
turn "$tmp/two.lft" 0x0005 2=2 3=2 >"$tmp/onward.two"
sed -E 's/lmc 1/lmc 0/' "$tmp/two.ibnet" >"$tmp/stated.ibnet"
same "further LIDs by the table alone" "0 0 4 0 0" "$(judge "$tmp/stated.ibnet" "$tmp/two.lft" unreachable $further)"
for format in lft lft-minimal far; do
    "$heddle" route "$tmp/stated.ibnet" "$tmp/onward.two" --format $format -o "$tmp/again.$format" >/dev/null 2>"$tmp/notes"
    same "a copy has all entries: $format" "48 " "$(grep -c '^0x' "$tmp/again.$format") $(cat "$tmp/notes")"
    same "and all LIDs are read: $format" "0 0 4 0 0 " "$(judge "$tmp/stated.ibnet" "$tmp/again.$format" unreachable $further) $(cat "$tmp/notes")"
    check "and the same: $format" sh -c "'$heddle' diff '$tmp/stated.ibnet' '$tmp/onward.two' '$tmp/again.$format' | grep -q '^entries  *0 of 48 change'"
    check "and not another: $format" sh -c "'$heddle' diff '$tmp/stated.ibnet' '$tmp/two.lft' '$tmp/again.$format' | grep -q '^entries  *[12] of 48 change'"
done
turn "$tmp/two.lft" 0x0005 '*=' >"$tmp/hole.two"
for order in "two.lft hole.two" "hole.two two.lft"; do
    check "one of them has no entry: $order" sh -c "'$heddle' diff '$tmp/stated.ibnet' '$tmp/${order% *}' '$tmp/${order#* }' | grep -q '^entries  *4 of 48 change'"
done
sed -E 's/^(# heddle further .*)=0x0005/\1=0x0007/' "$tmp/again.lft" >"$tmp/taken.lft"
exits "a further LID is given twice" 3 'taken.lft:[0-9]*: LID 0x0007 is given to two ports' "$heddle" check "$tmp/stated.ibnet" "$tmp/taken.lft"
sed -E 's/ lid [0-9]+( lmc [0-9])?/ lid 0 lmc 0/g' "$tmp/two.ibnet" >"$tmp/unstated.ibnet"
"$heddle" route "$tmp/unstated.ibnet" "$tmp/two.lft" -o "$tmp/again.lft" >/dev/null 2>"$tmp/notes"
check "what is not written is noted" grep -q 'entries for [1-4] further LIDs are not written: their ports have other LIDs' "$tmp/notes"

# Switches with two LIDs each, of which pairs use none.
tree=ft:m=4,n=2
"$heddle" topo $tree --format ibnet 2>/dev/null | awk '/^Switch/ { sub(/lid [0-9]+ lmc 0/, "lid " 98 + 2 * n++ " lmc 1") } { print }' >"$tmp/base.ibnet"
"$heddle" topo "$tmp/base.ibnet" --format ibnet >"$tmp/lmc.ibnet" 2>/dev/null
same "LMCs of switches are written" 6 "$(grep -c '^Switch.* lmc 1' "$tmp/lmc.ibnet")"
for format in lft lft-minimal; do
    "$heddle" route "$tmp/lmc.ibnet" minhop --format $format -o "$tmp/lmc.$format" >/dev/null
    same "and all their LIDs: $format" 6 "$(grep -c '^0x0063' "$tmp/lmc.$format")"
    same "which arrive: $format" "0 0 0 " "$(judge "$tmp/lmc.ibnet" "$tmp/lmc.$format" switch_lids.unreachable switch_lids.loops) $(cat "$tmp/notes")"
done
of_switches="switch_lids.lids switch_lids.unreachable switch_lids.loops switch_lids.lid"
sed 's/^0x0063 000/0x0063 001/' "$tmp/lmc.lft-minimal" >"$tmp/lmc-own.lft"
grep -v ^0x0063 "$tmp/lmc.lft-minimal" >"$tmp/lmc-none.lft"
sed '/^0x0063/d; /^Unicast/a 0x0063 003' "$tmp/lmc.lft-minimal" >"$tmp/lmc-up.lft"
# shellcheck disable=SC2086
for case in own:0:3 none:3:0 up:0:3; do
    IFS=: read -r name lost loops <<<"$case"
    [ $name = up ] && lost=$("$heddle" check "$tmp/lmc.ibnet" "$tmp/lmc-up.lft" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["switch_lids"]["unreachable"])')
    same "the second LID of one does not: $name" "1 12 $lost $loops 99" "$(judge "$tmp/lmc.ibnet" "$tmp/lmc-$name.lft" $of_switches)"
    "$heddle" route "$tmp/lmc.ibnet" "$tmp/lmc-$name.lft" -o "$tmp/again.lft" >/dev/null 2>&1
    same "nor in a copy: $name" "1 12 $lost $loops 99" "$(judge "$tmp/lmc.ibnet" "$tmp/again.lft" $of_switches)"
    check "which is the same: $name" sh -c "'$heddle' diff '$tmp/lmc.ibnet' '$tmp/lmc-$name.lft' '$tmp/again.lft' | grep -qx identical"
    check "transition says what is not covered: $name" sh -c "'$heddle' transition '$tmp/lmc.ibnet' '$tmp/lmc.lft' '$tmp/lmc-$name.lft' | grep -q 'packets to 1 LIDs of switches'"
done
sed 's/lmc 1/lmc 0/' "$tmp/lmc.ibnet" >"$tmp/one.ibnet"
grep -v '^# heddle' "$tmp/lmc.lft" | sed 's/^0x0063 000/0x0063 001/' >"$tmp/lmc-guid.lft"
same "GUIDs of a table tell its LIDs, too" "1 12 0 3 99" "$(judge "$tmp/one.ibnet" "$tmp/lmc-guid.lft" $of_switches)"
"$heddle" route "$tmp/lmc.ibnet" minhop --format guid2lid -o "$tmp/lmc.guid2lid" >/dev/null
"$heddle" topo "$tmp/one.ibnet" --guid2lid "$tmp/lmc.guid2lid" --format ibnet 2>/dev/null | grep -v '^#' >"$tmp/again.ibnet"
same "and those of guid2lid" "$(grep -v '^#' "$tmp/lmc.ibnet" | sed 1d)" "$(sed 1d "$tmp/again.ibnet")"
"$heddle" route "$tmp/lmc.ibnet" minhop --format far -o "$tmp/lmc.far" >/dev/null
same "tables of adaptive routing" "0 0 0" "$(judge "$tmp/lmc.ibnet" "$tmp/lmc.far" switch_lids.unreachable switch_lids.loops)"
sed 's/\(node-00000.* lid \)1 lmc/\199 lmc/; s/^\(\[1\](.*# lid \)1 lmc/\199 lmc/' "$tmp/lmc.ibnet" >"$tmp/taken.ibnet"
exits "a LID of a switch is nobody else's" 3 'taken.ibnet:[0-9]*: LID 99 belongs to line' "$heddle" check "$tmp/taken.ibnet" minhop
exits "ibdmchk knows one LID of each" 3 "ibdmchk supports one LID per port, 'L1-0000' has 2" "$heddle" route "$tmp/lmc.ibnet" minhop --format fdbs -o -

# LIDs that the network does not state, or that are written elsewhere: diff matches them by node and distance from the base
# LID. Every pair of tables differs in one entry, which check faults in the second one.
# told NET TABLE TABLE: exit status of diff, and how many entries differ.
told() {
    "$heddle" diff "$1" "$2" "$3" --json >"$tmp/json" 2>/dev/null
    echo "$? $(grep -o '"entries_changed": [0-9]*' "$tmp/json" | grep -o '[0-9]*$')"
}
"$heddle" topo $tree --lmc 1 --format ibnet 2>/dev/null >"$tmp/twin.ibnet"
plain "$tmp/twin.ibnet" updown | sed 's/ #.*//' >"$tmp/twin.lft"
sed 's/200000/300000/g' "$tmp/twin.ibnet" | cat "$tmp/twin.ibnet" - >"$tmp/twins.ibnet"
sed 's/200000/300000/' "$tmp/twin.lft" | cat "$tmp/twin.lft" - >"$tmp/twins.lft"
turn "$tmp/twins.lft" 0x0007 0200000000100000= >"$tmp/twins-hole.lft"
plain $tree updown >"$tmp/base.lft"
awk '{ print } /^Unicast/ { print "0x0020 " (++n < 5 ? "003" : n == 5 ? "000" : "001") " # Switch portguid 0x0200000000100004: \047L2-0004\047" }' "$tmp/base.lft" >"$tmp/named.lft"
turn "$tmp/named.lft" 0x0020 100000=1 >"$tmp/named-host.lft"
plain "$tmp/twin.ibnet" updown | sed 's/^0x0002/0x0062/; s/^0x0003/0x0063/' >"$tmp/moved.lft"
turn "$tmp/moved.lft" 0x0063 100002= >"$tmp/moved-hole.lft"
for case in twins:hole:twins named:host:base moved:hole:twin; do
    IFS=: read -r name how net <<<"$case"
    [ $net = base ] && net=$tree || net=$tmp/$net.ibnet
    same "a table that passes: $name" 0 "$("$heddle" check "$net" "$tmp/$name.lft" >/dev/null 2>&1; echo $?)"
    same "one that does not: $name" 1 "$("$heddle" check "$net" "$tmp/$name-$how.lft" >/dev/null 2>&1; echo $?)"
    same "differs from it: $name" "1 1" "$(told "$net" "$tmp/$name.lft" "$tmp/$name-$how.lft")"
    same "in both directions: $name" "1 1" "$(told "$net" "$tmp/$name-$how.lft" "$tmp/$name.lft")"
    same "and not from itself: $name" "0 0" "$(told "$net" "$tmp/$name-$how.lft" "$tmp/$name-$how.lft")"
done
"$heddle" route $tree "$tmp/named.lft" -o "$tmp/copy.lft" >/dev/null 2>"$tmp/notes"
check "a copy without a LID" grep -q 'entries for 1 further LIDs are not written' "$tmp/notes"
same "differs in its entries" "1 6" "$(told $tree "$tmp/named.lft" "$tmp/copy.lft")"
"$heddle" route "$tmp/twin.ibnet" "$tmp/moved-hole.lft" -o "$tmp/copy.lft" >/dev/null 2>"$tmp/notes"
same "a copy with other LIDs has all entries" "1 0 " "$(told "$tmp/twin.ibnet" "$tmp/moved-hole.lft" "$tmp/copy.lft") $(grep 'not written' "$tmp/notes")"

# Tables that give LIDs to other nodes have the same entries for each node, and are not the same in switches.
# based NET TABLE TABLE: exit status of diff, entries and base LIDs that differ, and whether the tables are identical.
based() {
    local rc=0
    "$heddle" diff "$1" "$2" "$3" --json >"$tmp/json" 2>/dev/null || rc=$?
    python3 -c 'import json, sys; d = json.load(open(sys.argv[2])); print(sys.argv[1], d["entries_changed"], d["lids_changed"], d["identical"])' $rc "$tmp/json"
}
sed 's/^0x0001 /0x0008x /; s/^0x0008 /0x0001 /; s/^0x0008x /0x0008 /' "$tmp/base.lft" >"$tmp/exchanged.lft"
same "two LIDs exchanged" "1 0 2 False" "$(based $tree "$tmp/base.lft" "$tmp/exchanged.lft")"
same "in the other direction" "1 0 2 False" "$(based $tree "$tmp/exchanged.lft" "$tmp/base.lft")"
same "which are the same in both files" "0 0 0 True" "$(based $tree "$tmp/exchanged.lft" "$tmp/exchanged.lft")"
same "an engine has no LIDs of its own" "0 0 0 True" "$(based $tree "$tmp/exchanged.lft" updown)"
same "a LID moved, and that behind it" "1 0 1 False" "$(based "$tmp/twin.ibnet" "$tmp/twin.lft" "$tmp/moved.lft")"
grep -v '^0x0008 ' "$tmp/exchanged.lft" >"$tmp/lacking.lft"
same "a node that has none in one of them" "1 6 1 False" "$(based $tree "$tmp/base.lft" "$tmp/lacking.lft")"
check "the lines say so" sh -c "'$heddle' diff $tree '$tmp/base.lft' '$tmp/exchanged.lft' -q >'$tmp/out'; grep -qx 'base LIDs        2 of 14 change (14.29 %)' '$tmp/out' && ! grep -q identical '$tmp/out'"

finish
