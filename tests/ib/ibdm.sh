#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A second opinion: ibdmchk on credit loops and missing paths, ibdmsh on the hottest link. They share no code with us.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "a second opinion" ibdmchk ibdmsh ibsim opensm

# ---- credit loops: both verdicts, fabric by fabric and table by table
verdicts() { "$heddle" check "$1" "$2" --with-ibdmchk --quiet --json 2>"$tmp/err" | python3 -c 'import json, sys
c = json.load(sys.stdin); i = c["ibdmchk"]
print(c["deadlock_free"], i["deadlock_free"], c["unreachable"] + c["loops"] == 0, i["connected"], c["lanes"])'; }
cases=0 cyclic=0 laned=0
agree() {
    local ours theirs arrive all lanes
    read -r ours theirs arrive all lanes <<<"$(verdicts "$1" "$2")"
    same "$1 $2: deadlock free, all arrive" "$ours $arrive" "$theirs $all"
    cases=$((cases + 1))
    [ "$ours" = False ] && cyclic=$((cyclic + 1))
    [ "${lanes:-1}" != 1 ] && laned=$((laned + 1))
}
while read -r net tables; do
    for table in $tables; do agree "$net" "$table"; done
done <<'EOF2'
gft:n=4,m=4,r=8 dmodk minhop ftree updown
ft:m=4,n=3 dmodc random psssp lash
pgft:m=4x4,w=1x2,p=1x2 ftree p2sssp
torus:dims=5x5 minhop dor lash updown random dfsssp
torus:dims=4x4x4 dor lash psssp
mesh:dims=4x4,hosts=2 dor minhop random
hypercube:n=4 minhop dor random lash
random:switches=12,ports=8,hosts=4,seed=3 minhop updown random lash dfsssp
dragonfly minhop updown lash
tests/data/opensm/rnd516.net.gz tests/data/opensm/rnd516.updn-credit-loop.lfts.gz
torus:dims=5x5 opensm:engine=lash opensm:engine=minhop opensm:engine=nue,vls=2
torus:dims=4x4 opensm:engine=dfsssp
torus:dims=5x5 opensm:engine=torus-2QoS
EOF2
check "at least 30 cases, some cyclic, some with lanes ($cases, $cyclic, $laned)" test $cases -ge 30 -a $cyclic -ge 5 -a $laned -ge 5

# ---- service levels at random: by pair, and with lanes that change from port to port
free=0 bound=0
for net in torus:dims=4x4,hosts=1 torus:dims=4x3,hosts=2; do
    "$heddle" topo $net --format json -o "$tmp/net.json" >/dev/null
    "$heddle" route $net minhop -o "$tmp/minhop.lft" >/dev/null
    for seed in 2 3 4 7 9 11 12 13; do
        for kind in pair hop; do
            python3 tests/ib/levels.py "$tmp/net.json" $seed $kind "$tmp/levels.psl" "$tmp/sl2vl.dump"
            table=file:path=$tmp/minhop.lft,sl=$tmp/levels.psl
            [ $kind = hop ] && table=$table,sl2vl=$tmp/sl2vl.dump
            read -r ours theirs _ <<<"$(verdicts $net "$table")"
            same "$net, levels by $kind $seed: deadlock free" "$theirs" "$ours"
            if [ "$ours" = True ]; then free=$((free + 1)); else bound=$((bound + 1)); fi
            "$heddle" route $net "$table" --quiet -o "$tmp/kept.lft" >/dev/null
            same "$net, levels by $kind $seed: the same from a table that keeps them" \
                "$("$heddle" check $net "$table" --quiet | sed '/^table/d')" "$("$heddle" check $net "$tmp/kept.lft" | sed '/^table/d')"
        done
    done
done
check "some of them free of deadlock, some not ($free, $bound)" test $free -ge 5 -a $bound -ge 5
exits "VLs that change along the path have no policy" 3 "VLs that change along the path cannot be expressed" \
    "$heddle" route $net "file:path=$tmp/minhop.lft,sl=$tmp/levels.psl,sl2vl=$tmp/sl2vl.dump" --deploy "$tmp/no" --force
check "and nothing was written" test ! -e "$tmp/no"

# ---- a hole, and a cable that leads back
net=gft:n=4,m=4,r=8
"$heddle" route $net dmodk --format lft-minimal -o "$tmp/good.lft" >/dev/null
awk '/^Unicast/ { n++ } !(n == 1 && /^0x0020/)' "$tmp/good.lft" >"$tmp/hole.lft"
same "a hole: neither says that all arrive" "True False False" "$(verdicts $net "$tmp/hole.lft" | awk '{ print $1, $3, $4 }')"
exits "VLs must be known" 3 "the VLs of .* are not known" "$heddle" check torus:dims=5x5 opensm:engine=lash,ask=1 --with-ibdmchk --quiet
exits "one LID per port only" 3 "ibdmchk supports one LID per port" "$heddle" check ft:m=4,n=3 mlid --with-ibdmchk

# ---- the hottest link of every stage of a shift, by ibdmsh and by hsd
# hottest NET TABLE STAGES: for each of these stages the largest number of flows on a switch's port, by ibdmsh.
hottest() {
    "$heddle" route "$1" "$2" --format subnet -o "$tmp/subnet" >/dev/null
    "$heddle" route "$1" "$2" --format fdbs -o "$tmp/fdbs" >/dev/null
    cat >"$tmp/stages.tcl" <<EOF2
set f [new_IBFabric]
IBFabric_parseSubnetLinks \$f $tmp/subnet
IBFabric_parseFdbFile \$f $tmp/fdbs
foreach s {$3} {
    ibdmCongInit \$f
    for {set i 0} {\$i < $4} {incr i} { ibdmCongTrace \$f [expr \$i + 1] [expr (\$i + \$s) % $4 + 1] }
    set most 0
    foreach {all n} [regexp -all -inline {NUM:([0-9]+)} [ibdmCongDump \$f]] { if {\$n > \$most} { set most \$n } }
    puts "stage \$s \$most"
    ibdmCongCleanup \$f
}
exit
EOF2
    timeout 60 ibdmsh "$tmp/stages.tcl" 2>/dev/null | sed -n 's/^stage //p'
}
for case in "xgft:m=12x12,w=1x12 144" "xgft:m=18x18,w=1x18 324"; do
    read -r net n <<<"$case"
    for table in dmodk random; do
        "$heddle" eval $net $table -p shift -m hsd --samples "$tmp/samples.csv" >/dev/null
        stages=$(seq 1 $((n / 18 + 1)) $((n - 1)) | tr '\n' ' ')
        ours=$(for s in $stages; do echo "$s $(sed -n "$((s + 1))s/.*,//p" "$tmp/samples.csv")"; done)
        same "$n endpoints, $table: the hottest link of $(echo $stages | wc -w) stages" "$ours" "$(hottest $net $table "$stages" $n)"
    done
done
finish
