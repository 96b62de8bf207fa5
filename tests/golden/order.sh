#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle order and heddle-mpi measure as users see them; the programs that start ranks must take our files and put
# every rank where they say.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
mpi=$HEDDLE_BUILD/heddle-mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tree=pgft:m=12x12,w=1x6,p=1x2

# ---- the table and JSON -------------------------------------------------------------------------------
"$heddle" order $tree --before random >"$tmp/table"
check "tree order of a whole tree is exact" grep -q '^HSD 1 for every Shift stage, because' "$tmp/table"
same "and counted: alltoall" "1.000 1.000 1.000 1.000" "$(awk '$1 == "alltoall" { print $5, $6, $7, $8 }' "$tmp/table")"
"$heddle" order $tree --nodes 'node-00[000-050]' --for alltoall --json >"$tmp/json"
check "JSON has hosts, before, after and bound" python3 - "$tmp/json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["schema"] == 1 and len(j["hosts"]) == 51 == len(set(j["hosts"])) and j["ranks"] == 51 and j["left_out"] == 93
for p in ("ring", "alltoall", "recdbl", "recdbl-tree", "binomial"):
    assert 1 <= j["after"][p]["hsd"] <= j["after"][p]["max"] and 0 < j["after"][p]["bandwidth"] <= 1 and j["bound"][p] >= 1
assert j["after"]["alltoall"]["hsd"] <= j["before"]["alltoall"]["hsd"] and j["after"]["alltoall"]["hsd"] >= j["bound"]["alltoall"]
PY
same "the same bytes with three threads" "$(cat "$tmp/json")" "$("$heddle" order $tree --nodes 'node-00[000-050]' --for alltoall --json --threads 3)"
"$heddle" order $tree --nodes 'node-00[000-050]' --format names >"$tmp/order"
check "EBB of the job is what eval says of its endpoints, not of the fabric" python3 - "$tmp/json" "$heddle" $tree "$tmp/order" <<'PY'
import json, subprocess, sys
job = json.load(open(sys.argv[1]))
json_of = lambda *more: json.loads(subprocess.run([sys.argv[2], "eval", sys.argv[3], "dmodk", "-p", "bisect", "-m", "ebb", "--json", *more], capture_output=True, text=True).stdout)["rows"][0]["value"]
open(sys.argv[4] + ".listed", "w").writelines("node-%05d\n" % i for i in range(51))
assert job["verdict"]["ebb"] == json_of("--ranks", sys.argv[4] + ".listed"), job["verdict"]["ebb"]
assert job["verdict"]["ebb_samples"] == 1000 and abs(job["verdict"]["ebb"] - json_of()) > 0.02
PY
check "and is printed" grep -q "^EBB of the job: 0\.[0-9]* of a port's rate in 1000 random bisections" "$tmp/table"
same "one node has none" "None" "$("$heddle" order $tree --nodes node-00000 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"]["ebb"])')"
for pattern in ring shift recdbl; do
    name=${pattern/shift/alltoall}
    same "eval of the written order says the same of $pattern" \
        "$("$heddle" order $tree --nodes 'node-00[000-050]' | awk -v p=$name '$1 == p { print $5 }')" \
        "$("$heddle" eval $tree dmodk -p $pattern -m hsd --ranks "$tmp/order" --json | python3 -c 'import json, sys; print("%.3f" % json.load(sys.stdin)["rows"][0]["value"])')"
done
claim() { "$heddle" order "$@" --json | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["exact"], j["claim"])'; }
one="True HSD 1 for every stage of anything, because all nodes are on one switch"
same "nodes on one switch: HSD 1 for anything" "$one" "$(claim xgft:m=4,w=1)"
same "one switch in each rail: the same" "$one in each rail" "$(claim rail:units=1,hosts=4,rails=2)"
for spec in director:groups=2,leaves=4,spines=4,lines=1,hosts=8,rails=8 \
    director:groups=1,leaves=2,directors=1,spines=1,lines=1,hosts=4,rails=2; do
    same "as many leaves as rails, but not one to a rail: no claim" "False None" "$(claim $spec minhop)"
done
check "a torus gets a table that applies" sh -c "'$heddle' order torus:dims=4x4,hosts=2 --for ring | head -n 1 | grep -q settle"
check "a damaged tree too" sh -c "'$heddle' order $tree --fail links=3,seed=1 | head -n 1 | grep -q dmodc"

# ---- the verdict --------------------------------------------------------------------------------------
shuffled=$("$heddle" order $tree --for random --format names | paste -sd,)
"$heddle" order $tree --nodes "$shuffled" --for ring -o "$tmp/better" >"$tmp/out"
check "an order that helps is recommended, with its gain" grep -q '^verdict: use this order: ring x[0-9]' "$tmp/out"
check "a gain has its confidence" grep -Eq '^ring .* x[0-9.]+ +high$' "$tmp/out"
"$heddle" order $tree -o "$tmp/kept" --format names >"$tmp/out"
check "one that was requested by name is neither" sh -c "'$heddle' order $tree --for random | grep -q '^verdict: this order was requested: '"
check "an order that does not help is not" grep -q '^verdict: keep the current order: not worth it for ring, alltoall' "$tmp/out"
printf 'node-%05d\n' 6 0 1 2 3 4 5 >"$tmp/seven" # one leaf: every order is as good
"$heddle" order $tree --nodes "$tmp/seven" -o "$tmp/kept" --format names >"$tmp/out"
same "then the file has the current order" "$(cat "$tmp/seven")" "$(cat "$tmp/kept")"
check "and the output says so" grep -qF "$tmp/kept has the current order (given), unchanged" "$tmp/out"
"$heddle" order $tree --nodes "$tmp/seven" --always -o "$tmp/kept" --format names >"$tmp/out"
same "unless it must not" "$(sort "$tmp/seven")" "$(cat "$tmp/kept")"
"$heddle" order $tree --nodes "$tmp/seven" --format names >"$tmp/kept" 2>"$tmp/err"
same "on standard output too" "$(cat "$tmp/seven")" "$(cat "$tmp/kept")"
check "and standard error says so" grep -q 'the current order (given) is no worse and is kept' "$tmp/err"
"$heddle" order $tree --nodes "$shuffled" --for ring --json -o "$tmp/better" >"$tmp/json"
check "the verdict in JSON" python3 - "$tmp/json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
v = j["verdict"]
assert v["use"] is True and v["written"] == "after", v
for p in ("ring", "alltoall", "recdbl", "binomial"):
    assert abs(v[p]["gain"] - j["after"][p]["bandwidth"] / j["before"][p]["bandwidth"]) < 1e-9, p
assert [v[p]["confidence"] for p in ("ring", "recdbl", "alltoall")] == ["high", "medium", "low"]
PY
"$heddle" order $tree ar_updn --nodes "$shuffled" --json >"$tmp/json"
check "adaptive routing lowers the confidence" sh -c "! grep -q '\"confidence\": \"high\"' '$tmp/json'"

# ---- nodes with different numbers of rails: those that all have count, whichever node comes first --------
"$heddle" topo $tree -o - | sed 's/"node-00000"/"fat01 mlx5_0"/; s/"node-00001"/"fat01 mlx5_1"/' >"$tmp/fat"
sed 's/fat01/zfat01/' "$tmp/fat" >"$tmp/zfat"
exits "one host with two adapters, first of all" 0 "^heddle: 1 rail is not used: node node-00002 has no endpoint on rail 1, which node fat01 has" "$heddle" order "$tmp/fat"
exits "and last of all" 0 "^heddle: 1 rail is not used: node node-00002 has no endpoint on rail 1, which node zfat01 has" "$heddle" order "$tmp/zfat"
for nodes in fat01,node-00002 node-00002,fat01; do
    same "listed: $nodes" "1 rail" "$("$heddle" order "$tmp/fat" --nodes $nodes --json --quiet | python3 -c 'import json, sys; print(json.load(sys.stdin)["rails"], "rail")')"
done
sed 's/"node-00003"/"solo mlx5_1"/' "$tmp/fat" >"$tmp/solo"
exits "nodes without a rail in common" 3 "^heddle: no rail is common to all nodes: node solo has no endpoint on rail 0, which node node-00002 has" \
    "$heddle" order "$tmp/solo" --nodes node-00002,solo

# A colon or comma ends the name of a file within a directive of Open MPI 5.
(
    cd "$tmp" || exit
    for file in a:b,PE=4 a:b a,b; do
        for options in "--format openmpi" "--format seq" "--bind core" "--bind socket:2"; do
            # shellcheck disable=SC2086
            "$heddle" order ft:m=4,n=2 minhop $options -o $file | grep "^Open MPI [45]" | sed "s/$file/FILE/; s/mpirun .*file FILE .*/good/"
        done
    done | sort | uniq -c | tr -s ' '
) >"$tmp/lines"
same "no command for Open MPI 5 where it would cut the name of the file" " 12 Open MPI 4: good
 12 Open MPI 5: no command to copy: the name of the file has a colon or comma" "$(cat "$tmp/lines")"

# ---- allocation, isolation, renumbering ---------------------------------------------------------------
check "choosing fits a closed form" sh -c "'$heddle' order $tree --nodes 'node-00[000-100]' --choose 36 --for alltoall | grep -q '^chosen: .*HSD 1'"
check "jobs on different leaves share nothing" sh -c "'$heddle' order $tree --nodes 'node-00[000-011]' --also 'node-00[012-023]' | grep -q 'share no channel'"
check "jobs on the same leaves share channels" sh -c "'$heddle' order $tree --nodes 'node-00[000-005,012-017]' --also 'node-00[006-011,024-029]' | grep -q 'share 6 channels'"
"$heddle" order $tree --nodes 'node-00[000-005,012-017]' --also 'node-00[006-011,024-029]' --also 'node-00[036-047]' --also 'node-00[110-120]' --json >"$tmp/json"
check "several other jobs, each by itself" python3 - "$tmp/json" <<'PY'
import json, sys
s = json.load(open(sys.argv[1]))["shared"]
assert [x["job"] for x in s] == ["node-00[006-011,024-029]", "node-00[036-047]", "node-00[110-120]"], s
assert [x["isolated"] for x in s] == [False, True, True] and s[0]["channels"] == 6, s
PY
printf 'JOBID NODELIST\n101 node-00[000-005,012-017]\n102 node-00[006-011,024-029]\n103 (Priority)\n105 node-00[036-047]\n' >"$tmp/jobs"
"$heddle" order $tree --nodes 'node-00[018-023,030-035]' --with "$tmp/jobs" >"$tmp/out" 2>"$tmp/err"
check "running jobs: how far this one is isolated" grep -q '^with 3 running jobs: channels shared with 1, isolation 0\.917 (slowed down by 1\.091' "$tmp/out"
check "and from which it is not" grep -Eq '^102 +12 +6 +1\.091 +1\.091 +L1-0002' "$tmp/out"
check "jobs that wait are left out" grep -q '1 job without nodes is left out' "$tmp/err"
"$heddle" order $tree --nodes 'node-00[000-005,012-017]' --with "$tmp/jobs" --json >"$tmp/json" 2>"$tmp/err"
check "this job among them is not its own neighbour" grep -q 'job 101 has the nodes of this one' "$tmp/err"
check "running jobs in JSON" python3 - "$tmp/json" <<'PY'
import json, sys
w = json.load(open(sys.argv[1]))["with"]
assert w["jobs"] == 2 and w["shares"] == 1 and [x["job"] for x in w["rows"]] == ["102"], w
assert abs(w["isolation"] * w["slowdown"] - 1) < 1e-9 and w["rows"][0]["channels"] == 6 and w["pairs"] == [], w
PY
same "a place among running jobs, as a list for Slurm" "node-[00048-00071]" "$("$heddle" order $tree --with "$tmp/jobs" --choose 24 --format nodelist 2>/dev/null)"
: >"$tmp/idle"
same "an idle machine has no running jobs" "$("$heddle" order $tree --choose 24 --format nodelist 2>/dev/null)" \
    "$("$heddle" order $tree --with "$tmp/idle" --choose 24 --format nodelist 2>/dev/null)"
exits "no room beside running jobs" 3 "120 nodes wanted, 108 are free" "$heddle" order $tree --with "$tmp/jobs" --choose 120
printf '7 node-00[000-143]\n' >"$tmp/full"
exits "no node is free" 3 "no node is free: all 144 of them run jobs" "$heddle" order $tree --with "$tmp/full" --choose 1
printf '7 node-00001\n8 gpu7\n' >"$tmp/wrong"
exits "a job on nodes that do not exist" 3 "wrong:2: job 8: 'gpu7': no node of the fabric" "$heddle" order $tree --with "$tmp/wrong"
# A line of a few bytes can list a whole fabric, and thousands of jobs one file.
for i in $(seq 20); do echo "$i node-[00000-65535]"; done >"$tmp/wrong"
exits "jobs with more nodes than any machine runs" 3 "wrong:17: more than 1048576 nodes in the jobs up to this one" "$heddle" order ft:m=64,n=3 dmodk --nodes 'node-0000[0-7]' --with "$tmp/wrong"
echo node-00009 >"$tmp/one"
for i in $(seq 3000); do echo "$i $tmp/one"; done >"$tmp/many"
exits "3,000 jobs that name a file are read soon" 4 "3000 jobs are more than can be compared" timeout 60 "$heddle" order ft:m=64,n=3 dmodk --nodes 'node-0000[0-7]' --with "$tmp/many"
seq -f '%.0f node-[00000-00001]' 38000 >"$tmp/many"
exits "38,000 small jobs take little memory" 4 "38000 jobs are more than can be compared" \
    bash -c "$(sanitized || echo "ulimit -v 1000000;") OMP_NUM_THREADS=2 '$heddle' order ft:m=16,n=3 dmodk --nodes 'node-0000[0-7]' --with '$tmp/many'"
exits "the list of jobs is not overwritten" 2 "would overwrite" "$heddle" order $tree --with "$tmp/jobs" -o "$tmp/jobs"
"$heddle" order pgft:m=18x18,w=1x9,p=1x2 --nodes 'node-00[000-100,200-206]' --renumber "$tmp/index" >"$tmp/out"
same "renumbered tables of 108 nodes, a multiple of 18, have HSD 1" 1.000 "$(sed -n 's/^renumbered.* has HSD \([0-9.]*\),.*/\1/p' "$tmp/out")"
# The figure is that of the order, wherever its file is.
figure() { sed -n 's/^renumbered.* has HSD \([0-9.]*\),.*/\1/p'; }
renumber() { timeout 60 "$heddle" order pgft:m=18x18,w=1x9,p=1x2 --nodes 'node-00[000-100,200-205]' "${@:2}" --renumber "$1" 2>/dev/null; }
renumber "$tmp/plain" >"$tmp/out"
mkfifo "$tmp/fifo"
cat "$tmp/fifo" >"$tmp/piped" &
same "renumbered tables, the index in a pipe: the figure" "$(figure <"$tmp/out")" "$(renumber "$tmp/fifo" | figure)"
wait $!
check "and the index" cmp "$tmp/plain" "$tmp/piped"
long=$tmp/$(printf 'x%.0s' $(seq 200))/$(printf 'y%.0s' $(seq 200))
mkdir -p "$long"
for file in "$tmp/a,x=1" "$long/index"; do
    same "the index in ${file: -8}" "$(figure <"$tmp/out")" "$(renumber "$file" | figure)"
    check "is written there" cmp "$tmp/plain" "$file"
done
same "the index beside ranks that are bound" "$(figure <"$tmp/out")" "$(renumber "$tmp/bound" --bind core -o "$tmp/ranks" | figure)"
check "lists port GUIDs, too" cmp "$tmp/plain" "$tmp/bound"
if [ -x "$HEDDLE_BUILD/heddle-mpi" ] && command -v mpirun >/dev/null; then
    heddle="mpirun --oversubscribe --allow-run-as-root -n 2 $HEDDLE_BUILD/heddle-mpi"
    same "the index of two processes" "$(figure <"$tmp/out")" \
        "$(timeout 60 $heddle order pgft:m=18x18,w=1x9,p=1x2 --nodes 'node-00[000-100,200-205]' --renumber "$tmp/mpi" 2>/dev/null | figure)"
    check "is the same" cmp "$tmp/plain" "$tmp/mpi"
    heddle=$HEDDLE_BUILD/heddle
else
    skip "the index of two processes" "no MPI"
fi
"$heddle" eval pgft:m=18x18,w=1x9,p=1x2 "dmodk:index=$tmp/index" -p shift -m hsd --ranks "$tmp/index" --json >"$tmp/json"
check "and the file serves eval as it is" grep -q '"value": 1,' "$tmp/json"

# ---- ranks --------------------------------------------------------------------------------------------
"$heddle" order $tree --per-node 4 --count ranks --before random --json >"$tmp/json"
check "ranks share their node's cable: 4 flows of 575 stages but one leave it" python3 - "$tmp/json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["counted"] == "ranks" and j["ranks"] == 576 and j["after"]["recdbl-tree"]["hsd"] is None
assert abs(j["bound"]["alltoall"] - 4 * 572 / 575) < 1e-9 and abs(j["after"]["alltoall"]["hsd"] - j["bound"]["alltoall"]) < 1e-9, j["bound"]
assert j["before"]["alltoall"]["hsd"] > 2 * j["after"]["alltoall"]["hsd"]
PY

# ---- schedules ----------------------------------------------------------------------------------------
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror examples/read_schedule.c -o "$tmp/read" || fail "the reader compiles"
"$heddle" order $tree --nodes 'node-00[000-050]' --schedule "$tmp/s.txt" >/dev/null
"$heddle" order $tree --nodes 'node-00[000-050]' --schedule "$tmp/s.bin" >/dev/null
same "the example reads text and binary alike" "$("$tmp/read" "$tmp/s.txt")" "$("$tmp/read" "$tmp/s.bin")"
same "every pair once" 2550 "$("$tmp/read" "$tmp/s.bin" | awk '{ print $5 }')"
same "a rank sends to all others and hears from all" "50 50" "$("$tmp/read" "$tmp/s.txt" 7 | awk '/send/ { s[$NF] } /receive/ { r[$NF] } END { print length(s), length(r) }')"
"$heddle" order $tree --for recdbl --schedule "$tmp/r.txt" >"$tmp/out"
check "recursive doubling along the tree, HSD 1" grep -q 'HSD 1.000 on average' "$tmp/out"
check "and readable" "$tmp/read" "$tmp/r.txt"

# ---- bad input ----------------------------------------------------------------------------------------
printf 'node-00001\nnode-00002\nnode-00001\n' >"$tmp/twice"
printf 'switchguid=0x1(1)\nSwitch 4 "S-0000000000000001" # "a" base port 0 lid 1 lmc 0\n[1] "S-0000000000000002"[1] # "b" lid 2 4xEDR\n
switchguid=0x2(2)\nSwitch 4 "S-0000000000000002" # "b" base port 0 lid 2 lmc 0\n[1] "S-0000000000000001"[1] # "a" lid 1 4xEDR\n' >"$tmp/bare"
exits "no node at all" 3 "bare: no nodes: the network has no endpoint" "$heddle" order "$tmp/bare"
exits "nor with a goal" 3 "bare: no nodes" "$heddle" order "$tmp/bare" --for ring --format names -o "$tmp/none"
exits "a node twice" 3 "twice:3: node node-00001 occurs twice" "$heddle" order $tree --nodes "$tmp/twice"
exits "a node the fabric does not have" 3 "'gpu7': no node of the fabric" "$heddle" order $tree --nodes 'node-00001,gpu7'
exits "more ranks than a job has" 3 "131070000 ranks are too many: expected at most 100000000" "$heddle" order ft:m=20,n=3 --per-node 65535
exits "more ranks than one slot" 3 "2 ranks are too many: the 1 node has 1 slot$" "$heddle" order ft:m=4,n=2 --nodes node-00000 -n 2
exits "more ranks than slots" 3 "300 ranks are too many: the 144 nodes have 288 slots" "$heddle" order $tree --per-node 2 -n 300
exits "a rail that does not exist" 3 "rail" "$heddle" order $tree --rail 3
exits "more nodes than are free" 3 "200 nodes wanted, 144 are free" "$heddle" order $tree --choose 200
exits "an unknown goal" 2 "expected tree, ring" "$heddle" order $tree --for speed
exits "an unknown format" 2 "did you mean 'openmpi'" "$heddle" order $tree --format openmp
exits "two jobs on one node" 3 "node-00003 is in both jobs" "$heddle" order $tree --nodes 'node-0000[0-3]' --also 'node-0000[3-5]'
exits "the second other job overlaps" 3 "node-00003 is in both jobs" "$heddle" order $tree --nodes 'node-0000[0-3]' --also node-00009, --also 'node-0000[3-5]'
exits "binding to what" 2 "expected none, core, socket:2" "$heddle" order $tree --bind cores
exits "binding to no socket" 2 "expected none, core, socket:2" "$heddle" order $tree --bind socket:0
exits "binding more ranks than cores" 3 "9 ranks per node are too many to bind: a node has 2 x 4 cores" "$heddle" order $tree --per-node 9 --bind numa:2x4 -o "$tmp/never"
exits "binding where nothing is bound" 2 "bind is for --format openmpi" "$heddle" order $tree --bind core --format slurm
exits "counting what" 2 "expected nodes or ranks" "$heddle" order $tree --count cores
exits "neither file nor node" 3 "node-0001: neither a file nor a node of the fabric, did you mean 'node-00001'" "$heddle" order $tree --nodes node-0001
check "one node by its name" sh -c "'$heddle' order $tree --nodes node-00001 | grep -q ', 1 node:'"
for format in openmpi torchrun; do # as advise -o writes them
    "$heddle" order $tree --nodes 'node-00[000-050]' --format $format >"$tmp/ranks"
    same "ranks/$format is a list of nodes" "$(cat "$tmp/order")" "$("$heddle" order $tree --nodes "$tmp/ranks" --for given --format names)"
done
exits "no such file" 3 "nosuch" "$heddle" order $tree --nodes "$tmp/nosuch"
exits "measure without MPI" 4 "heddle-mpi measure" "$heddle" measure

# ---- real consumers -----------------------------------------------------------------------------------
# Hosts that exist only by name: an agent in place of ssh runs their daemons here and tells them who they are.
cat >"$tmp/agent" <<'SH'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
FAKE_HOST=$1; export FAKE_HOST; shift
exec sh -c "$*"
SH
chmod +x "$tmp/agent"
"$heddle" order ft:m=4,n=2 --for random --format names >"$tmp/names"
nl -v 0 -w 1 -s ' ' "$tmp/names" >"$tmp/expected"
# placed ARGUMENTS: "rank host" lines of eight ranks. Daemons that all run here may fail to reach each other on a busy
# machine, which says nothing of our file: up to three tries.
placed() {
    local try got
    for try in 1 2 3; do
        got=$(timeout 120 mpirun --oversubscribe --mca plm_rsh_agent "$tmp/agent" --mca plm_rsh_no_tree_spawn 1 --mca routed direct \
            -n 8 "$@" sh -c 'echo $OMPI_COMM_WORLD_RANK $FAKE_HOST' 2>/dev/null | grep -E '^[0-9]+ ' | sort -n)
        [ "$(wc -l <<<"$got")" = 8 ] && break
    done
    echo "$got"
}
if command -v mpirun >/dev/null && mpirun --version 2>/dev/null | grep -q 'Open MPI.* 4'; then
    "$heddle" order ft:m=4,n=2 --for random --format seq -o "$tmp/seq" >"$tmp/out"
    check "command lines for Open MPI 4 and 5 are printed" grep -q "Open MPI 5: mpirun -n 8 --map-by seq:file=$tmp/seq" "$tmp/out"
    same "mpirun --map-by seq puts ranks where the list says" "$(cat "$tmp/expected")" "$(placed --hostfile "$tmp/seq" --map-by seq --bind-to none)"
    "$heddle" order ft:m=4,n=2 --for random --format openmpi -o "$tmp/rankfile" >/dev/null
    sed 's/$/ slots=1/' "$tmp/names" | sort >"$tmp/hosts"
    same "mpirun --rankfile too" "$(cat "$tmp/expected")" "$(placed --hostfile "$tmp/hosts" --rankfile "$tmp/rankfile")"
    "$heddle" topo ft:m=4,n=2 --format ibnet | sed "s/node-00000/$(hostname)/" >"$tmp/here.ibnet"
    # bound OPTIONS -- ARGUMENTS: which processors two ranks of this machine may use, under a rankfile made with OPTIONS.
    bound() {
        local options=()
        while [ "$1" != -- ]; do options+=("$1") && shift; done
        "$heddle" order "$tmp/here.ibnet" --nodes "$(hostname)" --per-node 2 "${options[@]}" -o "$tmp/rankfile" >/dev/null
        timeout 120 mpirun --oversubscribe -n 2 "${@:2}" --rankfile "$tmp/rankfile" sh -c 'taskset -cp $$' 2>/dev/null | sed 's/.*: //' | sort | paste -sd' '
    }
    if [ "$(nproc)" -ge 2 ]; then
        all=$(taskset -cp $$ | sed 's/.*: //')
        same "the command line that is printed binds nothing" "$all $all" "$(bound -- --mca rtc ^hwloc)"
        same "--bind core binds rank i to core i" "0 1" "$(bound --bind core --)"
        same "--bind numa shares out the cores of a domain" "0 1" "$(bound --bind numa:1x2 --)"
        # reported ARGUMENTS: what mpirun says of the bindings under the rankfile that bound made last.
        reported() { timeout 120 mpirun --report-bindings --oversubscribe -n 2 "$@" --rankfile "$tmp/rankfile" true 2>&1 | sed -n 's/.* MCW rank \([01]\) .*core \([0-9]*\)\[.*/\1:\2/p' | sort | paste -sd' '; }
        same "mpirun --report-bindings says so: a core each" "0:0 1:1" "$(reported)"
        bound -- --mca rtc ^hwloc >/dev/null
        same "and none with the command line that is printed" "" "$(reported --mca rtc ^hwloc)"
    else
        skip "bindings" "one processor"
    fi
else
    skip "mpirun places ranks as written" "no Open MPI 4"
fi
hydra=$(command -v mpiexec.hydra || command -v mpiexec.mpich)
if [ -n "$hydra" ]; then
    "$heddle" order ft:m=4,n=2 --for random --format mpich --per-node 2 >"$tmp/mpich"
    for _ in 1 2 3; do # its proxies may mix up what ranks print
        timeout 120 "$hydra" -launcher fork -f "$tmp/mpich" -n 16 sh -c 'echo $PMI_RANK $MPIR_CVAR_CH3_INTERFACE_HOSTNAME' 2>"$tmp/err" >"$tmp/out"
        got=$(sort -n "$tmp/out")
        [ "$(grep -cE '^[0-9]+ node-[0-9]{5}$' "$tmp/out")" = 16 ] && break
    done
    same "MPICH's mpiexec puts two ranks on each host, in order" "$(awk '{ print NR * 2 - 2, $1; print NR * 2 - 1, $1 }' "$tmp/names")" "$got"
else
    skip "mpiexec of MPICH places ranks as written" "not installed"
fi
if command -v scontrol >/dev/null; then
    "$heddle" order ft:m=4,n=2 --for random --format slurm >"$tmp/slurm"
    printf 'ClusterName=test\nSlurmctldHost=localhost\nNodeName=x\n' >"$tmp/slurm.conf"
    export SLURM_CONF=$tmp/slurm.conf
    list=$(scontrol show hostlist "$tmp/slurm" 2>/dev/null)
    if [ -n "$list" ]; then same "scontrol reads the host file" "$(cat "$tmp/names")" "$(scontrol show hostnames "$list")"
    else skip "scontrol reads the host file" "scontrol wants a configuration"; fi
else
    skip "scontrol reads the host file" "not installed"
fi
slurmd=$(command -v slurmd || command -v slurmd-wlm)
stepd=$(command -v slurmstepd || command -v slurmstepd-wlm)
if [ -n "$slurmd" ] && [ -n "$stepd" ] && [ "$(id -u)" = 0 ] && command -v slurmctld srun >/dev/null; then
    # A cluster of eight nodes on this machine, which ends with the test.
    mkdir "$tmp/slurmd"
    port=$((20000 + $$ % 20000))
    {
        printf '%s\n' ClusterName=test "SlurmctldHost=$(hostname)(127.0.0.1)" SlurmctldPort=$port AuthType=auth/none CredType=cred/none \
            SlurmUser=root SlurmdUser=root "StateSaveLocation=$tmp/slurmd" "SlurmdSpoolDir=$tmp/slurmd/%n" "SlurmctldPidFile=$tmp/slurmd/pid" \
            "SlurmdPidFile=$tmp/slurmd/%n.pid" SelectType=select/cons_tres SelectTypeParameters=CR_CPU ProctrackType=proctrack/linuxproc \
            SlurmdParameters=config_overrides TaskPlugin=task/none SwitchType=switch/none MpiDefault=none MailProg=/bin/true ReturnToService=2
        for i in 0 1 2 3 4 5 6 7; do
            echo "NodeName=node-0000$i NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((port + 1 + i)) CPUs=2 State=UNKNOWN"
        done
        echo "PartitionName=all Nodes=ALL Default=YES"
    } >"$tmp/slurmd/slurm.conf"
    export SLURM_CONF=$tmp/slurmd/slurm.conf
    slurmctld -D -c -f "$SLURM_CONF" >/dev/null 2>&1 &
    daemons=$!
    for i in 0 1 2 3 4 5 6 7; do
        "$slurmd" -D -N node-0000$i -f "$SLURM_CONF" -d "$stepd" >"$tmp/slurmd/$i.log" 2>&1 &
        daemons="$daemons $!"
    done
    trap 'kill -9 $daemons 2>/dev/null; rm -rf "$tmp"' EXIT
    for _ in $(seq 100); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 8 ] && break
        kill -0 $! 2>/dev/null || break # slurmd may refuse to start, as in some containers
        sleep 0.2
    done
    "$heddle" order ft:m=4,n=2 --for random --per-node 2 --format slurm -o "$tmp/slurm" >"$tmp/out"
    line=$(sed -n 's/ srun / timeout 60 srun /; s/^\(SLURM_HOSTFILE=.*\) PROGRAM$/\1/p' "$tmp/out")
    if kill -0 $! 2>/dev/null; then
        eval "$line sh -c 'echo \$SLURM_PROCID \$SLURMD_NODENAME'" 2>"$tmp/err" | sort -n >"$tmp/got"
        same "srun puts two tasks on each host, in order" "$(awk '{ print NR * 2 - 2, $1; print NR * 2 - 1, $1 }' "$tmp/names")" "$(cat "$tmp/got")"
    else
        skip "srun puts tasks where the file says" "slurmd does not start: $(tail -n 1 "$tmp/slurmd/7.log")"
    fi
    # On a busy machine a slurmd may wait for a step for ever.
    # shellcheck disable=SC2086
    {
        kill $daemons 2>/dev/null
        for _ in $(seq 100); do
            kill -0 $daemons 2>/dev/null || break
            sleep 0.1
        done
        kill -9 $daemons 2>/dev/null
    }
    wait
    daemons=
    unset SLURM_CONF
else
    skip "srun puts tasks where the file says" "no slurmd, or not root"
fi
same "ranks spread over sockets" "0:* 0:* 1:*" "$("$heddle" order ft:m=4,n=2 --nodes node-00000 --per-node 3 --bind socket:2 -o - | sed 's/.*slot=//' | paste -sd' ')"
same "cores of NUMA domains: two ranks share the first, one has the second" "0-1 2-3 4-7" "$("$heddle" order ft:m=4,n=2 --nodes node-00000 --per-node 3 --bind numa:2x4 -o - | sed 's/.*slot=//' | paste -sd' ')"
"$heddle" order ft:m=4,n=2 --for random --format torchrun >"$tmp/torch"
"$heddle" order ft:m=4,n=2 --for random --format torchrun -o "$tmp/nodes.torch" | sed -n 's/^on every host: //p' >"$tmp/line"
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "$FAKE_HOST"\n' >"$tmp/bin/hostname"
printf '#!/bin/sh\necho "$@"\n' >"$tmp/bin/torchrun"
chmod +x "$tmp/bin/hostname" "$tmp/bin/torchrun"
third=$(awk '$2 == 3 { print $1 }' "$tmp/torch")
for name in "$third" "$third.cluster.example"; do
    check "the line for torchrun finds the rank of $name" sh -c "FAKE_HOST='$name' PATH='$tmp/bin:$PATH' sh '$tmp/line' | grep -q -e '--node-rank 3 '"
done
check "and starts nothing on a host that is not in the list" sh -c "! FAKE_HOST=login1 PATH='$tmp/bin:$PATH' sh '$tmp/line' 2>/dev/null"

# As NCCL reads them: name:port:rail:plane, what is absent is -1.
cat >"$tmp/hca.py" <<'PY'
import sys
for line in open(sys.argv[1]):
    if line.startswith("NCCL_IB_HCA=="):
        fields = [(e.split(":") + ["", "", ""])[:4] for e in line.strip().split("==")[1].split(",")]
        print(" ".join("%s/%s/%s/%s" % tuple(x or -1 for x in f) for f in fields))
    elif line.startswith("NCCL_CROSS_NIC="):
        print(line.strip())
PY
rails=rail:rails=2,units=2,leaves=1,hosts=4,spines=2,uplinks=2
"$heddle" order $rails --format nccl >"$tmp/nccl"
same "NCCL: two rails of one fabric" "mlx5_0/1/0/-1 mlx5_1/1/1/-1 NCCL_CROSS_NIC=0" "$(python3 "$tmp/hca.py" "$tmp/nccl" | paste -sd' ')"
same "and the file is one that a shell takes" "=mlx5_0:1:0,mlx5_1:1:1 0" "$(sh -c "set -a; . '$tmp/nccl'; echo \$NCCL_IB_HCA \$NCCL_CROSS_NIC")"
"$heddle" order kary:k=2,n=2,planes=2 --format nccl >"$tmp/nccl"
same "NCCL: planes that no cable connects" "mlx5_0/1/0/0 mlx5_1/1/1/1 NCCL_CROSS_NIC=0" "$(python3 "$tmp/hca.py" "$tmp/nccl" | paste -sd' ')"
"$heddle" topo $rails --format ibnet | sed 's/node-3 mlx5_0/node-3 mlx5_x/; s/node-3 mlx5_1/node-3 mlx5_0/; s/node-3 mlx5_x/node-3 mlx5_1/' >"$tmp/odd.ibnet"
"$heddle" order "$tmp/odd.ibnet" --format nccl >"$tmp/nccl" 2>/dev/null
check "NCCL: a leaf switch that serves two rails" grep -q '^NCCL_CROSS_NIC=2' "$tmp/nccl"
"$heddle" topo $rails --format ibnet | sed 's/node-3 mlx5_1/node-3 mlx5_2/; s/node-3 mlx5_0/node-3 mlx5_1/' >"$tmp/odd.ibnet"
"$heddle" order "$tmp/odd.ibnet" --rails port --format nccl >"$tmp/nccl" 2>/dev/null
check "NCCL: where a device is on different rails, a line per node" grep -q '^# node-3: NCCL_IB_HCA==' "$tmp/nccl"
"$heddle" order ft:m=4,n=2 --format dlrover >"$tmp/groups.json"
same "dlrover's groups are strings by node, one per leaf switch" "8 4" "$(python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); assert all(isinstance(x, str) for x in j.values()); print(len(j), len(set(j.values())))' "$tmp/groups.json")"
"$heddle" order ft:m=4,n=2 --format torchrun -o "$tmp/it's a file" >"$tmp/out"
check "a path in a printed command is quoted" grep -qF "'$tmp/it'\''s a file');" "$tmp/out"
mkdir "$tmp/words"
here=$PWD
cd "$tmp/words" || exit 1
"$heddle" order rail:hosts=4 --for ring --always --format nccl -o env >"$tmp/out"
check "a shell takes the file and not the program of that name" grep -qF "set -a; . ./env" "$tmp/out"
"$heddle" order ft:m=4,n=2 --for ring --always --format torchrun -o r=2 >"$tmp/out"
check "awk takes a name with = for a file" grep -qF " }' ./r=2); " "$tmp/out"
"$heddle" order ft:m=4,n=2 --for ring --always -o $'a\nb' >"$tmp/out"
same "no command for a file whose name is no line" "no command to copy: the name of the file has control characters" "$(tail -n 1 "$tmp/out")"
printf 'node-00000 slots=3\nnode-00005 slots=1\nnode-00001 slots=2\nnode-00007 slots=7\n' >unequal
printf 'node-00005 slots=2\nnode-00001 slots=4\n' >two
for format in torchrun names; do
    for case in "-n 5 --per-node 2;1 to 2" "--nodes unequal;1 to 7" "--nodes unequal -n 5;2 to 3"; do
        # shellcheck disable=SC2086
        same "$format, ${case%;*}: no command that starts as many ranks on every node" \
            "no command to copy: it would start as many ranks on every node, which have ${case#*;}" \
            "$("$heddle" order ft:m=4,n=2 ${case%;*} --always --format $format -o unlike | tail -n 1)"
    done
    check "$format: as many as there are in the file" grep -q 'nnodes 2 .*nproc-per-node 2 ' \
        <("$heddle" order ft:m=4,n=2 -n 4 --per-node 2 --format $format -o alike)
    check "$format: as many as there are in the order that is kept" grep -q 'nnodes 2 .*nproc-per-node 2 ' \
        <("$heddle" order ft:m=4,n=2 --nodes two -n 4 --format $format -o kept)
done
cd "$here" || exit 1
same "torchrun's table numbers the nodes" "$(awk '{ print $2, $1 }' "$tmp/expected")" "$(grep -v '#' "$tmp/torch")"
same "GUIDs are those of the names" "$(cat "$tmp/names")" "$("$heddle" order ft:m=4,n=2 --nodes <("$heddle" order ft:m=4,n=2 --for random --format guids) --for given --format names)"

# ---- measure ------------------------------------------------------------------------------------------
if [ -x "$mpi" ]; then
    printf 'node-0000%d\n' 0 2 4 6 >"$tmp/four"
    timeout 120 mpirun --oversubscribe -n 4 "$mpi" measure ft:m=4,n=2 dmodk --nodes "$tmp/four" --rounds 3 --messages 2 --size 4KiB --json >"$tmp/m.json" 2>"$tmp/err"
    check "measure runs on one machine" python3 - "$tmp/m.json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["ranks"] == 4 and j["size"] == 4096 and len(j["rounds"]) == 3 and 0 < j["min"] <= j["average"] <= j["max"]
for r in j["rounds"]:
    assert sorted(p[0] for p in r["pairs"]) == sorted(p[1] for p in r["pairs"]) == [0, 1, 2, 3]
    assert all(q[0] != q[1] and 0 < q[3] <= 1 and q[2] > 0 for q in r["pairs"])
PY
    timeout 120 mpirun --oversubscribe -n 4 "$mpi" measure ft:m=4,n=2 dmodk --nodes "$tmp/four" -p bridge --rounds 1 --messages 2 --size 4KiB --json >"$tmp/m.json" 2>"$tmp/err"
    check "the bridge pattern on the machine" python3 - "$tmp/m.json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
assert {(p[0], p[1]) for p in j["rounds"][0]["pairs"]} == {(0, 1), (1, 0), (2, 3), (3, 2)}, j
assert j["slow_pairs"] == [] or {"from_host", "to_host", "expected"} <= set(j["slow_pairs"][0])
PY
    timeout 120 mpirun --oversubscribe -n 4 "$mpi" measure ft:m=4,n=2 dmodk --nodes "$tmp/four" -p shift --rounds 3 --messages 2 --size 4KiB --pairs "$tmp/pairs.csv" --heat "$tmp/heat.svg" --json >"$tmp/m.json" 2>"$tmp/err"
    check "pairs as CSV beside the prediction, and bus bandwidth" python3 - "$tmp/m.json" "$tmp/pairs.csv" <<'PY'
import csv, json, sys
j = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2])))
assert {(int(r["from"]), int(r["to"])) for r in rows} == {(a, b) for a in range(4) for b in range(4) if a != b}, rows
assert {r["from_host"] for r in rows} == {"node-00000", "node-00002", "node-00004", "node-00006"}
pairs = {(i, p[0], p[1]): p[2:] for i, r in enumerate(j["rounds"]) for p in r["pairs"]}
for r in rows:
    mbps, predicted = pairs[int(r["round"]), int(r["from"]), int(r["to"])]
    assert abs(float(r["mbps"]) - mbps) < 0.001 and abs(float(r["predicted"]) - predicted) < 1e-6, r
    assert abs(float(r["ratio"]) * float(r["expected"]) - mbps) < 0.02 * mbps + 0.01, r
slow = {(int(r["round"]), int(r["from"]), int(r["to"])) for r in rows if r["slow"] == "1"}
assert slow == {(p["round"], p["from"], p["to"]) for p in j["slow_pairs"]}, slow
assert abs(j["bus"] - 3 / sum(1 / r["min"] for r in j["rounds"])) < 1e-6 * j["bus"], j["bus"]
PY
    check "the heat map has a cell for each pair" sh -c "xmllint --noout '$tmp/heat.svg' && [ \$(grep -c '<title>rank' '$tmp/heat.svg') = 12 ]"
    timeout 120 mpirun --oversubscribe -n 2 "$mpi" measure --rounds 1 --messages 1 --size 1KiB --pairs "$tmp/pairs.csv" --json >"$tmp/m.json" 2>"$tmp/err"
    same "without tables nothing is predicted" "0,,,,0,, null" "$(sed -n 2p "$tmp/pairs.csv" | cut -d, -f1,7-) $(grep -o '"bus": [^,]*' "$tmp/m.json" | cut -d' ' -f2)"
    exits_mpi() { timeout 120 mpirun --oversubscribe -n 2 "$mpi" "$@" >/dev/null 2>"$tmp/err"; echo $?; }
    same "a machine the fabric does not have is exit 3" 3 "$(exits_mpi measure ft:m=4,n=2 dmodk)"
    check "and named" grep -q 'which the fabric does not have: give --nodes' "$tmp/err"
    same "more ranks than slots is exit 3" 3 "$(exits_mpi measure ft:m=4,n=2 dmodk --nodes node-00001,)"
else
    skip "measure runs on one machine" "no MPI"
fi
finish
