#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle transition and route --keep beside the paths of pairs: further LIDs of endpoints (LMC), LIDs of switches, and
# VLs that change along the path. What counts is what switches hold when the files are loaded.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
# verdict ARGUMENTS...: exit status and the fields of the contract
verdict() {
    "$heddle" transition "$@" --json >"$tmp/json" 2>/dev/null
    echo "$? $(python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); print(d["verdict"], d["steps"], d["loops"], d["drops"], d["other_lids_loop"], d["other_lids_unproved"])' "$tmp/json")"
}
turn() { python3 tests/golden/turn.py "$@"; }
# lines FILE: entries, without comments
lines() { grep '^0x' "$1" | cut -c 1-10; }

# A mesh with two LIDs per endpoint: 0x001a and 0x001b are those of node-00012, whose switch is L1-000c.
"$heddle" topo mesh:dims=4x4,hosts=1 --lmc 1 --format ibnet 2>/dev/null >"$tmp/mesh.ibnet"
net=$tmp/mesh.ibnet
for engine in dor updown; do "$heddle" route "$net" $engine -o - 2>/dev/null | grep -v '^# heddle' >"$tmp/$engine.lft"; done
turn "$tmp/dor.lft" 0x001b 10000e=2 10000f=5 >"$tmp/turned.lft"
check "a further LID that goes another way" "$heddle" check "$net" "$tmp/turned.lft" -q
same "may loop on the way to what a file has" "1 unproved 0 0 0 1 1" "$(verdict "$net" "$tmp/turned.lft" "$tmp/dor.lft")"
same "and just so to what an engine repeats" "1 unproved 0 0 0 1 1" "$(verdict "$net" "$tmp/turned.lft" dor)"
same "and back" "1 unproved 0 0 0 1 1" "$(verdict "$net" dor "$tmp/turned.lft")"
same "a file that repeats is what the engine has" "0 any-order 0 0 0 0 0" "$(verdict "$net" "$tmp/dor.lft" dor)"
grep -v '^0x001b' "$tmp/dor.lft" >"$tmp/lacks.lft"
same "a LID that the new table lacks is cut" "1 unproved 0 0 0 0 1" "$(verdict "$net" "$tmp/dor.lft" "$tmp/lacks.lft")"
same "which was cut already: no loss" "0 any-order 0 0 0 0 0" "$(verdict "$net" "$tmp/lacks.lft" "$tmp/lacks.lft")"
same "not covered is one that the old table lacks" "0 any-order 1 0 0 0 1" "$(verdict "$net" "$tmp/lacks.lft" dor)"
turn "$tmp/dor.lft" 0x001b 100000=2 100001=3 >"$tmp/loop.lft"
turn "$tmp/loop.lft" 0x0002 100005=5 >"$tmp/looped.lft"
check "a further LID that loops in both tables" sh -c "! '$heddle' check '$net' '$tmp/loop.lft' -q >/dev/null"
same "loops in every mixture" "1 unproved 0 0 0 1" "$(verdict "$net" "$tmp/loop.lft" "$tmp/looped.lft" | cut -d ' ' -f 1-6)"

# Steps.
same "tables that need steps" "0 ordered 3 0 0 0 0" "$(verdict "$net" dor updown -o "$tmp/engines")"
same "need as many as files, which have entries for switches" "0 ordered 3 0 0 0 16" "$(verdict "$net" "$tmp/dor.lft" "$tmp/updown.lft" -o "$tmp/files")"
for i in 1 2 3; do
    check "step $i is the same, further LIDs and all" cmp <(lines "$tmp/engines/step-$i.lft") <(lines "$tmp/files/step-$i.lft")
done
# the further LIDs, which are odd, of one table among the entries of another
python3 - "$tmp/updown.lft" "$tmp/dor.lft" >"$tmp/both.lft" <<'END'
import sys
for new, old in zip(open(sys.argv[1]), open(sys.argv[2])):
    sys.stdout.write(old if "Channel Adapter" in new and int(new[:6], 16) % 2 else new)
END
same "further LIDs that do not change" "0 ordered 3 0 0" "$(verdict "$net" "$tmp/dor.lft" "$tmp/both.lft" -o "$tmp/steps" | cut -d ' ' -f 1-5)"
further() { grep 'Channel Adapter' "$1" | cut -c 1-10 | grep -E '^0x...[13579bdf]'; }
for i in 1 2 3; do
    check "stay as they are in step $i" cmp <(further "$tmp/dor.lft") <(further "$tmp/steps/step-$i.lft")
done

# What is kept.
kept() { # OLD ARGUMENTS...: entries that are said to change, and those that do
    "$heddle" route "$net" dor --keep "$@" -o "$tmp/kept.lft" --json 2>/dev/null >"$tmp/json"
    python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["keep"]["entries_changed"])' "$tmp/json"
    diff <(lines "$1") <(lines "$tmp/kept.lft") | grep -c '^<'
}
same "--keep keeps further LIDs" "0 0" "$(kept "$tmp/turned.lft" | xargs)"
kept "$tmp/turned.lft" --fail link=L1-0005:2 >"$tmp/counts"
same "and repairs them: entries that change" "$(head -n 1 "$tmp/counts")" "$(tail -n 1 "$tmp/counts")"
check "after which all are reached" "$heddle" check "$net" "$tmp/kept.lft" --fail link=L1-0005:2 -q
same "--without takes them along" "0 any-order" "$(verdict "$net" "$tmp/turned.lft" --without link=L1-0005:2 -o "$tmp/out" | cut -d ' ' -f 1-2)"
same "so that they do not loop" "0 any-order" "$(verdict "$net" "$tmp/turned.lft" "$tmp/out/out-1.lft" | cut -d ' ' -f 1-2)"
same "nor on return" "0 any-order" "$(verdict "$net" "$tmp/out/out-1.lft" "$tmp/turned.lft" | cut -d ' ' -f 1-2)"

# LIDs of switches.
tree=ft:m=4,n=2
"$heddle" route $tree dmodk -o - 2>/dev/null | grep -v '^# heddle' >"$tmp/tree.lft"
grep -q '^0x0009 000 # Switch' "$tmp/tree.lft" && turn "$tmp/tree.lft" 0x0009 100000=1 >"$tmp/own.lft"
check "a switch that sends its own LID on" sh -c "! '$heddle' check $tree '$tmp/own.lft' -q >/dev/null"
same "is cut by such a table" "1 unproved 0 0 0 0 1" "$(verdict $tree "$tmp/tree.lft" "$tmp/own.lft")"
same "in JSON" 1 "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["other_lids_cut"])' "$tmp/json")"
"$heddle" transition $tree "$tmp/tree.lft" "$tmp/own.lft" >"$tmp/text" 2>/dev/null
check "as the verdict says" grep -q '^verdict .*unproved: the new table itself cuts LIDs of switches or further LIDs' "$tmp/text"
check "with their number" grep -qx 'cut              1 LIDs of switches or further LIDs' "$tmp/text"
same "what was cut before is exempt" "0 any-order 1 0 0 0 1" "$(verdict $tree "$tmp/own.lft" "$tmp/tree.lft")"
turn "$tmp/tree.lft" 0x0009 100000=3 >"$tmp/round.lft"
same "up, whence it comes back" "1 unproved 0 0 0 0 1" "$(verdict $tree "$tmp/tree.lft" "$tmp/round.lft")"
turn "$tmp/tree.lft" 0x0009 100000=0 '*=' >"$tmp/alone.lft"
same "a switch that no other one has an entry for" "1 unproved 0 0 0 0 1" "$(verdict $tree "$tmp/tree.lft" "$tmp/alone.lft")"
turn "$tmp/tree.lft" 0x000a 100000=4 >"$tmp/other.lft"
same "another way to a switch is not covered" "0 any-order 1 0 0 0 1" "$(verdict $tree "$tmp/tree.lft" "$tmp/other.lft")"
same "maintenance goes back to a table that does not reach one" 0 "$(verdict $tree "$tmp/alone.lft" --without link=L1-0001:3 | cut -d ' ' -f 1)"
grep -v '# Switch' "$tmp/tree.lft" >"$tmp/none.lft"
switches=$(grep -c '^Unicast' "$tmp/tree.lft")
same "no entry for any switch" "0 any-order 1 0 0 0 $switches" "$(verdict $tree "$tmp/tree.lft" "$tmp/none.lft")"
same "then all of them" "0 any-order 1 0 0 0 $switches" "$(verdict $tree "$tmp/none.lft" "$tmp/tree.lft")"
same "and never any" "0 any-order 0 0 0 0 0" "$(verdict $tree "$tmp/none.lft" "$tmp/none.lft")"

# LIDs of a switch beyond its base LID: L2-0004 has 0x0020 and 0x0021.
"$heddle" topo $tree --format ibnet 2>/dev/null | sed -E 's/("L2-0004".*) lid 13 lmc 0/\1 lid 32 lmc 1/; s/"L2-0004" lid 13 /"L2-0004" lid 32 /' >"$tmp/more.ibnet"
more=$tmp/more.ibnet
"$heddle" route "$more" updown -o - 2>/dev/null | grep -v '^# heddle' >"$tmp/more.lft"
lost() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["other_lids_cut"])' "$tmp/json"; }
turn "$tmp/more.lft" 0x0021 100000= >"$tmp/hole.lft"
same "a switch has two LIDs" 2 "$(grep -c '^0x002[01] 000' "$tmp/more.lft")"
same "which an engine repeats" "0 any-order 0 0 0 0 0" "$(verdict "$more" "$tmp/more.lft" updown)"
same "one leaf loses the second" "1 unproved 0 0 0 0 1, 1" "$(verdict "$more" "$tmp/more.lft" "$tmp/hole.lft"), $(lost)"
turn "$tmp/more.lft" 0x0021 '*=' >"$tmp/nowhere.lft"
same "or all do" "1 unproved 0 0 0 0 1, 1" "$(verdict "$more" "$tmp/more.lft" "$tmp/nowhere.lft"), $(lost)"
turn "$tmp/more.lft" 0x0021 100000=4 100005=1 >"$tmp/circle.lft"
same "or send it in a circle" "1 unproved 0 0 0 0 1, 1" "$(verdict "$more" "$tmp/more.lft" "$tmp/circle.lft"), $(lost)"
turn "$tmp/more.lft" 0x0021 100004=1 >"$tmp/onward.lft"
same "or the switch sends it on" "1 unproved 0 0 0 0 1, 1" "$(verdict "$more" "$tmp/more.lft" "$tmp/onward.lft"), $(lost)"
same "what was cut before is exempt" "0 any-order 1 0 0 0 1, 0" "$(verdict "$more" "$tmp/hole.lft" "$tmp/more.lft"), $(lost)"
turn "$tmp/more.lft" 0x0021 100000=4 100005=2 >"$tmp/far.lft"
turn "$tmp/more.lft" 0x0021 100000=3 100005=1 >"$tmp/near.lft"
same "a loop of mixtures alone" "0 any-order 1 0 0 1 1, 0" "$(verdict "$more" "$tmp/far.lft" "$tmp/near.lft"), $(lost)"

# Steps have entries for them too: 0x0029 of L1-0005 goes along dor in both tables, and its base LID 0x0028 does not.
"$heddle" topo mesh:dims=4x4,hosts=1 --format ibnet 2>/dev/null | sed -E 's/("L1-0005".*) lid 22 lmc 0/\1 lid 40 lmc 1/; s/"L1-0005" lid 22 /"L1-0005" lid 40 /' >"$tmp/grid.ibnet"
for engine in dor updown; do "$heddle" route "$tmp/grid.ibnet" $engine -o - 2>/dev/null | grep -v '^# heddle' >"$tmp/grid-$engine.lft"; done
awk 'FNR == 1 { file++ } /^Unicast/ { guid = $9 } /^0x0029/ { if (file == 1) kept[guid] = $0; else $0 = kept[guid] } file == 2' "$tmp/grid-dor.lft" "$tmp/grid-updown.lft" >"$tmp/grid-new.lft"
second() { grep '^0x0029' "$1" | cut -c 1-10; }
same "0x0029 is the same" 16 "$(paste <(second "$tmp/grid-dor.lft") <(second "$tmp/grid-new.lft") | awk '$2 == $4' | grep -c .)"
same "in tables that need steps" "0 ordered" "$(verdict "$tmp/grid.ibnet" "$tmp/grid-dor.lft" "$tmp/grid-new.lft" -o "$tmp/grid" | cut -d ' ' -f 1-2)"
for step in "$tmp"/grid/step-*.lft; do
    check "and in ${step##*/}" cmp <(second "$tmp/grid-dor.lft") <(second "$step")
done
check "--without keeps it" "$heddle" transition "$tmp/grid.ibnet" "$tmp/grid-dor.lft" --without link=L1-0001:2 -o "$tmp/away" -q
check "also on the way back" cmp <(second "$tmp/grid-dor.lft") <(second "$tmp/away/back-1.lft")

# Pairs that change LIDs. Of the two LIDs of node-00007, 0x0010 and 0x0011, no switch has entries for the second.
"$heddle" route $tree mlid -o "$tmp/mlid.lft" >/dev/null 2>&1
# by LID N [EXCEPT]: the table by which all sources use the first LIDs, N = 0, or the second
by() { sed -E "s/^# heddle class .*/# heddle class $1 $1 $1 $1 $1 $1 $1 $1/; /^${2:-none} /d" "$tmp/mlid.lft" >"$tmp/by$1${2:-}.lft"; }
by 0 0x0011
by 1 0x0011
by 0
by 1
for entries in 0x0011 ""; do
    same "the first LIDs serve all pairs" 0 "$(judge $tree "$tmp/by0$entries.lft" unreachable | cut -d ' ' -f 2)"
    same "to a LID that nobody has entries for: from ${entries:-a table with all entries}" "1 unproved 0 0 1 0 0" "$(verdict $tree "$tmp/by0$entries.lft" "$tmp/by10x0011.lft")"
done
"$heddle" transition $tree "$tmp/by00x0011.lft" "$tmp/by10x0011.lft" >"$tmp/text" 2>/dev/null
check "which the new table itself cuts" grep -q '^verdict .*the new table itself cuts pairs' "$tmp/text"
same "to a LID whose entries only come" "1 unproved 0 0 1 0 0" "$(verdict $tree "$tmp/by00x0011.lft" "$tmp/by1.lft")"
same "to a LID that all switches have" "0 any-order 1 0 0 0 0" "$(verdict $tree "$tmp/by0.lft" "$tmp/by1.lft")"
same "what the old table did not serve is exempt" "0 any-order 1 0 0 0 0" "$(verdict $tree "$tmp/by10x0011.lft" "$tmp/by0.lft")"

# VLs that change along the path.
for format in psl slvl; do "$heddle" route $tree dmodk --format $format -o "$tmp/$format" >/dev/null 2>&1; done
awk '{ $4 = $1 ~ /100000$/ ? "0xf0" : "0x00"; print }' "$tmp/slvl" >"$tmp/drop.slvl"
awk '{ $4 = "0x00"; print }' "$tmp/slvl" >"$tmp/keep.slvl"
levels=file:path=$tmp/tree.lft,sl=$tmp/psl,sl2vl=$tmp
check "VL 15 at one switch" sh -c "! '$heddle' check $tree $levels/drop.slvl -q >/dev/null"
same "cuts pairs" "1 unproved 0 0 8 0 0" "$(verdict $tree "$levels/keep.slvl" "$levels/drop.slvl")"
"$heddle" transition $tree "$levels/keep.slvl" "$levels/drop.slvl" >"$tmp/text" 2>/dev/null
check "by the new table itself" grep -q '^verdict .*the new table itself cuts pairs' "$tmp/text"
same "what was cut before is exempt" "0 any-order 1 0 0 0 0" "$(verdict $tree "$levels/drop.slvl" "$levels/keep.slvl")"
same "and so is what stays cut" "0 any-order 0 0 0 0 0" "$(verdict $tree "$levels/drop.slvl" "$levels/drop.slvl")"
torus=torus:dims=4x4,hosts=2
for format in lft-minimal psl slvl; do "$heddle" route $torus dfsssp --format $format -o "$tmp/torus.$format" >/dev/null 2>&1; done
awk '{ if ($1 ~ /100000$/ && $2 == 1) for (i = 4; i <= NF; i++) $i = "0x00"; print }' "$tmp/torus.slvl" >"$tmp/other.slvl"
levels=file:path=$tmp/torus.lft-minimal,sl=$tmp/torus.psl,sl2vl=$tmp
for slvl in torus other; do check "VLs that $slvl.slvl tells apart are proved" "$heddle" check $torus "$levels/$slvl.slvl" -q; done
"$heddle" transition $torus "$levels/torus.slvl" "$levels/other.slvl" >"$tmp/text" 2>/dev/null
same "taken as one they are not, and no table is blamed" 1 "$(grep -c '^verdict .*unproved: not safe in any order' "$tmp/text")"
finish
