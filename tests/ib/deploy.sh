#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle route --deploy, and what the real OpenSM makes of it by the command its README gives: tables, LIDs and lanes.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "deploy" ibsim opensm dump_fts saquery smpquery

# deployed NET ENGINE: the folder $tmp/d through OpenSM; options as the README has them.
deployed() {
    rm -rf "$tmp/d"
    check "$1 $2: deployed" "$heddle" route "$1" "$2" --deploy "$tmp/d" --quiet
    command=$(sed -n 's/^ *\(cat .*\) >>\/etc\/opensm\/opensm.conf$/\1/p' "$tmp/d/README")
    start_sim "$tmp/d/net.ibnet"
    cp "$tmp/d/guid2lid" "$OSM_CACHE_DIR/"
    { # the site has a configuration of its own
        printf 'routing_engine updn\nlmc 1\nsm_priority 3\nforce_log_flush TRUE\n'
        eval "$command"
    } >"$run/deployed.conf"
    conf=$run/deployed.conf
    start_osm # not in check: it sets $osm
    same "$1 $2: OpenSM runs with it" 0 $?
    check "$1 $2: by the engine that loads tables" grep -q 'file tables configured on all switches' "$run/osm.log"
    client dump_fts -a >"$tmp/now"
    same "$1 $2: the switches have our tables" "$(entries "$tmp/d/tables.lft" | md5sum)" "$(entries "$tmp/now" | md5sum)"
    same "$1 $2: heddle diff agrees" 0 "$("$heddle" diff "$tmp/d/net.ibnet" "$tmp/d/tables.lft" "$tmp/now" --json --quiet | field entries_changed)"
}
# levels NAME: the service level of some pairs as the subnet manager tells it is the lane of ours.
levels() {
    local bad=0 seen= pair ours theirs
    for pair in $2; do
        guid=$(printf '0x%016x' $((0x0200000100000000 + 4 * (${pair%:*} - 1))))
        ours=$(sed -n "s/^$guid ${pair#*:} //p" "$tmp/d/ibdm/psl")
        theirs=$(client saquery -p --src-to-dst $pair | sed -n 's/.*[^a-z]sl\.*0x\([0-9a-f]*\)$/\1/p')
        seen="$seen $ours"
        [ -n "$ours" ] && [ "$ours" = "$theirs" ] || { bad=$((bad + 1)); echo "#   $pair: lane '$ours', service level '$theirs'"; }
    done
    same "$1: service levels are our lanes" 0 $bad
    check "$1: of several lanes ($seen)" test "$(echo $seen | tr ' ' '\n' | sort -u | wc -l)" -gt 1
}
deployed ft:m=4,n=3 ftree
check "files of the folder" test -s "$tmp/d/tables.lft" -a -s "$tmp/d/roots" -a -s "$tmp/d/cns" -a -s "$tmp/d/order" -a -s "$tmp/d/ibdm/opensm.fdbs"
"$heddle" route ft:m=4,n=3 ftree --format lid-matrix -o "$tmp/lid-matrix" >/dev/null
check "no lanes, no policy" test ! -e "$tmp/d/qos-policy.conf"
stop_all
# To keep it, the lines of opensm.conf must do without options. With a wrong name for the table OpenSM would take its
# own engine and still say "file tables configured".
start_sim "$tmp/d/net.ibnet"
cp "$tmp/d/guid2lid" "$OSM_CACHE_DIR/"
{ cat "$tmp/d/opensm.conf"; echo "force_log_flush TRUE"; } >"$run/deployed.conf"
conf=$run/deployed.conf
start_osm
client dump_fts -a >"$tmp/now"
same "the lines of opensm.conf alone load our tables" "$(entries "$tmp/d/tables.lft" | md5sum)" "$(entries "$tmp/now" | md5sum)"
"$heddle" route ft:m=4,n=3 minhop --quiet -o "$tmp/default.lft" >/dev/null
check "which are not those of OpenSM's own engine" test "$(entries "$tmp/d/tables.lft" | md5sum)" != "$(entries "$tmp/default.lft" | md5sum)"
stop_all
start_sim "$tmp/d/net.ibnet"
conf=conf
cp "$tmp/d/guid2lid" "$OSM_CACHE_DIR/"
(cd "$run" && LD_PRELOAD=$preload timeout 20 opensm -F conf -o -e -f osm.log --dump_files_dir "$run" -D 0x43 -R minhop -M "$tmp/lid-matrix" </dev/null >osm.out 2>&1)
same "our lid matrix is OpenSM's own" "$(sed 's/ *#.*//' "$tmp/lid-matrix" | sort | md5sum)" "$(sed 's/ *#.*//' "$run/opensm-lid-matrix.dump" | sort | md5sum)"
same "our opensm.fdbs names the hops OpenSM names" \
    "$("$heddle" route "$tmp/d/net.ibnet" opensm:engine=minhop --format fdbs | sort | md5sum)" "$(sort "$run/opensm.fdbs" | md5sum)"
same "our subnet list tells the network OpenSM tells" \
    "$("$heddle" topo "$tmp/d/ibdm/opensm-subnet.lst" --format ibnet | grep -v '^sysimg' | sed 's/4x[A-Z]*$//' | md5sum)" \
    "$("$heddle" topo "$run/opensm-subnet.lst" --format ibnet | grep -v '^sysimg' | sed 's/4x[A-Z]*$//' | md5sum)"
stop_all
for n in roots:a cns:u order:X; do
    start_sim "$tmp/d/net.ibnet"
    sweep -R ftree,no_fallback -"${n#*:}" "$tmp/d/${n%:*}"
    same "OpenSM takes our ${n%:*}" 0 $?
    stop_all
done

deployed torus:dims=5x5,hosts=1 lash
levels "torus, lash" "1:2 1:12 3:5 3:25 20:14 25:1 13:14 5:3 5:10"
same "SL2VL of a switch port as the configuration has it" "|0|1|2|0|0|0|0|0|0|0|0|0|0|0|0|0|" \
    "$(client smpquery sl2vl 26 1 | sed -n 's/ //g; s/.*in1,out.*:|/|/p' | head -n 1)"
stop_all
deployed torus:dims=4x4,hosts=2 dfsssp
levels "torus, dfsssp" "1:31 1:12 3:25 20:14 32:1 7:28 11:22 9:27 31:2"
stop_all

# ---- several LIDs: the folder says who must pick, and where the source decides what
"$heddle" route ft:m=8,n=2 opt --deploy "$tmp/opt" --quiet >/dev/null
check "the source picks the LID" grep -q 'UCX_IB_LID_PATH_BITS' "$tmp/opt/README"
same "and what it picks is in path-bits" "$("$heddle" route ft:m=8,n=2 opt --format path-bits | md5sum)" "$(md5sum <"$tmp/opt/path-bits")"
"$heddle" route ft:m=8,n=2 omrmn --deploy "$tmp/omrmn" --quiet >/dev/null
check "all LIDs are shared" grep -q 'UCX_IB_NUM_PATHS=4' "$tmp/omrmn/README"
check "nobody picks, no file" test ! -e "$tmp/omrmn/path-bits"
check "one LID, nothing to pick" sh -c "! grep -q 'Who picks' '$tmp/d/README'"

# ---- refusals
exits "routes that can deadlock" 1 "not deployed: the routes can deadlock" "$heddle" route torus:dims=5x5 dor --deploy "$tmp/no"
check "nothing was written" test ! -e "$tmp/no"
check "by force" "$heddle" route torus:dims=5x5 dor --deploy "$tmp/forced" --force
check "and the README says so" grep -q 'CHECK FAILED' "$tmp/forced/README"
"$heddle" route gft:n=2,m=2,r=4 dmodk --format lft-minimal | awk '/^Unicast/ { n++ } !(n == 1 && /^0x0008/)' >"$tmp/hole.lft"
exits "routes with a hole" 1 "not deployed: 2 pairs have no path .*--force deploys" "$heddle" route gft:n=2,m=2,r=4 "$tmp/hole.lft" --deploy "$tmp/no"
exits "unknown VLs" 1 "the VLs are not known" "$heddle" route torus:dims=5x5 opensm:engine=lash,ask=1 --deploy "$tmp/no" --quiet
exits "more LIDs than there are" 3 "LID" "$heddle" route ft:m=24,n=3 omrmn --deploy "$tmp/no"
exits "more variants than an LMC spans" 3 "" "$heddle" route xgft:m=16x16x16,w=1x16x16 omrmn --deploy "$tmp/no"
check "nothing was written then either" test ! -e "$tmp/no"
exits "a file in the way" 4 "cannot make this folder" "$heddle" route ft:m=4,n=2 dmodk --deploy "$tmp/hole.lft"
finish
