#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle transition where switches send packets to VL 15 at service levels that no file tells.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
verdict() { # OLD NEW [NET]: exit status, verdict, and LIDs with which mixtures can drop packets
    "$heddle" transition "$tmp/${3:-twice}.ibnet" "$1" "$2" --json >"$tmp/json" 2>/dev/null
    "$heddle" transition "$tmp/${3:-twice}.ibnet" "$1" "$2" -q >"$tmp/out" 2>/dev/null
    echo "$? $(sed -n 's/^verdict  *\([a-z-]*\).*/\1/p' "$tmp/out") $(sed -n 's/^can drop  *\([0-9]*\).*/\1/p' "$tmp/out")"
}
# others KEY...: of the same
others() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(*(d["other_lids_" + key] for key in sys.argv[2:]))' "$tmp/json" "$@"; }
# Two cables in a row between three switches, and two LIDs of the second host.
cp tests/data/twice.ibnet "$tmp"
sed 's/lid 2 lmc 0/lid 2 lmc 1/' "$tmp/twice.ibnet" >"$tmp/further.ibnet"
# lft PORT PORT [PORT PORT]: of the first two switches towards the second host, and towards its second LID
lft() {
    for switch in "10 9 $1 ${3:-}" "20 1 $2 ${4:-}" "30 1 9 ${4:+9}"; do
        read -r guid first second third <<<"$switch"
        printf 'Unicast lids [0x0-0x7] of switch guid 0x%016x (x):\n0x0001 %03d\n0x0002 %03d\n' "0x$guid" "$first" "$second"
        [ -z "$third" ] || printf '0x0003 %03d\n' "$third"
    done
}
lft 1 5 >"$tmp/old.lft"
lft 2 6 >"$tmp/new.lft"
declare -A vls=(
    [all]="0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00"
    [low]="0x00 0x00 0x00 0x00 0xff 0xff 0xff 0xff"
    [high]="0xff 0xff 0xff 0xff 0x00 0x00 0x00 0x00"
    [none]="0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff"
)
# slvl "GUID IN OUT LEVELS"...: what passes there; elsewhere every level does
slvl() {
    for switch in "10 1 2 9" "20 1 2 5 6" "30 1 2 9"; do
        read -r guid ports <<<"$switch"
        for in in $ports; do
            for out in $ports; do
                local levels=all turn
                for turn in "$@"; do [ "${turn% *}" = "$guid $in $out" ] && levels=${turn##* }; done
                printf '0x%016x %d %d %s\n' "0x$guid" "$in" "$out" "${vls[$levels]}"
            done
        done
    done
}
# between OLD NEW: by SL2VL tables of both sides
between() { verdict "file:path=$tmp/old.lft,sl2vl=$tmp/$1.slvl" "file:path=$tmp/new.lft,sl2vl=$tmp/$2.slvl"; }

# The first switch turns to port 1 by the old table and to 2 by the new one; the second, from 1 to 6 in mixtures alone.
slvl >"$tmp/all.slvl"
slvl "10 9 1 high" "10 9 2 low" "20 1 6 low" "20 2 5 high" >"$tmp/parts.slvl"
slvl "10 9 1 high" "20 1 6 low" >"$tmp/mixed.slvl"
slvl "10 9 1 high" "20 1 6 high" "20 2 5 high" >"$tmp/same.slvl"
slvl "10 9 1 high" "20 2 5 low" >"$tmp/other.slvl"
slvl "10 9 1 high" >"$tmp/first.slvl"
slvl "20 1 6 low" >"$tmp/second.slvl"
same "every level passes" "0 any-order 0" "$(between all all)"
same "each switch drops half of the levels, two in a row all" "1 unproved 1" "$(between parts parts)"
same "in mixtures alone" "0 ordered 1" "$(between mixed mixed)"
same "or for levels that have arrived so far" "0 ordered 1" "$(between other other)"
same "the same half is dropped at both" "0 any-order 0" "$(between same same)"
same "one half by the old tables and the other by the new ones" "0 ordered 1" "$(between first second)"
same "and the other way round" "0 ordered 1" "$(between second first)"
same "half of them at one switch" "0 any-order 0" "$(between first first)"

# The second LID of h2, by which no pair sends.
# to ENTRIES OLD NEW: that LID by ENTRIES in the new table, and SL2VL tables; what is cut, and what is not covered
to() {
    # shellcheck disable=SC2086
    lft 1 5 $1 >"$tmp/to.lft"
    echo "$(verdict "file:path=$tmp/from.lft,sl2vl=$tmp/$2.slvl" "file:path=$tmp/to.lft,sl2vl=$tmp/$3.slvl" further), $(others cut unproved)"
}
lft 1 5 1 5 >"$tmp/from.lft"
slvl "20 2 6 none" >"$tmp/none26.slvl"
slvl "20 2 6 low" >"$tmp/low26.slvl"
slvl "20 2 6 high" >"$tmp/high26.slvl"
same "another way" "0 any-order 0, 0 1" "$(to "2 6" all all)"
same "that VL 15 closes" "1 unproved 0, 1 1" "$(to "2 6" all none26)"
check "the verdict says what is cut" grep -q '^verdict .*the new table itself cuts LIDs of switches or further LIDs' "$tmp/out"
same "already so far, for others" "1 unproved 0, 1 1" "$(to "2 6" none26 none26)"
same "nothing there" "0 any-order 0, 0 0" "$(to "1 5" all none26)"
lft 1 5 2 6 >"$tmp/from.lft"
same "the same way, which VL 15 closes" "1 unproved 0, 1 1" "$(to "2 6" all none26)"
same "what was closed before is exempt" "0 any-order 0, 0 0" "$(to "2 6" none26 none26)"
same "some levels are not covered" "0 any-order 0, 0 1" "$(to "2 6" all low26)"
same "but those that were dropped before" "0 any-order 0, 0 0" "$(to "2 6" low26 low26)"
same "other levels than before" "1 unproved 0, 1 1" "$(to "2 6" low26 high26)"
same "levels come back" "0 any-order 0, 0 0" "$(to "2 6" low26 all)"

for threads in 1 2; do
    "$heddle" transition "$tmp/twice.ibnet" "file:path=$tmp/old.lft,sl2vl=$tmp/mixed.slvl" "file:path=$tmp/new.lft,sl2vl=$tmp/mixed.slvl" --threads $threads >"$tmp/t$threads" 2>/dev/null
done
check "any number of threads, the same answer" cmp "$tmp/t1" "$tmp/t2"
finish
