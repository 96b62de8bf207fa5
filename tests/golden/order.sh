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
for pattern in ring shift recdbl; do
    name=${pattern/shift/alltoall}
    same "eval of the written order says the same of $pattern" \
        "$("$heddle" order $tree --nodes 'node-00[000-050]' | awk -v p=$name '$1 == p { print $5 }')" \
        "$("$heddle" eval $tree dmodk -p $pattern -m hsd --ranks "$tmp/order" --json | python3 -c 'import json, sys; print("%.3f" % json.load(sys.stdin)["rows"][0]["value"])')"
done
check "a torus gets a table that applies" sh -c "'$heddle' order torus:dims=4x4,hosts=2 --for ring | grep -q psssp"
check "a damaged tree too" sh -c "'$heddle' order $tree --fail links=3,seed=1 | head -n 1 | grep -q dmodc"

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
"$heddle" order pgft:m=18x18,w=1x9,p=1x2 --nodes 'node-00[000-100,200-206]' --renumber "$tmp/index" >"$tmp/out"
same "renumbered tables of 108 nodes, a multiple of 18, have HSD 1" 1.000 "$(sed -n 's/^renumbered.* has HSD \([0-9.]*\),.*/\1/p' "$tmp/out")"
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
exits "a node twice" 3 "twice:3: node node-00001 occurs twice" "$heddle" order $tree --nodes "$tmp/twice"
exits "a node the fabric does not have" 3 "'gpu7': no node of the fabric" "$heddle" order $tree --nodes 'node-00001,gpu7'
exits "more ranks than slots" 3 "300 ranks are too many: the 144 nodes have 288 slots" "$heddle" order $tree --per-node 2 -n 300
exits "a rail that does not exist" 3 "rail" "$heddle" order $tree --rail 3
exits "more nodes than are free" 3 "200 nodes wanted, 144 are free" "$heddle" order $tree --choose 200
exits "an unknown goal" 2 "expected tree, ring" "$heddle" order $tree --for speed
exits "an unknown format" 2 "did you mean 'openmpi'" "$heddle" order $tree --format openmp
exits "two jobs on one node" 3 "node-00003 is in both jobs" "$heddle" order $tree --nodes 'node-0000[0-3]' --also 'node-0000[3-5]'
exits "the second other job overlaps" 3 "node-00003 is in both jobs" "$heddle" order $tree --nodes 'node-0000[0-3]' --also node-00009, --also 'node-0000[3-5]'
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
"$heddle" order ft:m=4,n=2 --for random --format torchrun >"$tmp/torch"
"$heddle" order ft:m=4,n=2 --format torchrun -o "$tmp/it's a file" >"$tmp/out"
check "a path in a printed command is quoted" grep -qF "'$tmp/it'\''s a file')" "$tmp/out"
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
    exits_mpi() { timeout 120 mpirun --oversubscribe -n 2 "$mpi" "$@" >/dev/null 2>"$tmp/err"; echo $?; }
    same "a machine the fabric does not have is exit 3" 3 "$(exits_mpi measure ft:m=4,n=2 dmodk)"
    check "and named" grep -q 'which the fabric does not have: give --nodes' "$tmp/err"
    same "more ranks than slots is exit 3" 3 "$(exits_mpi measure ft:m=4,n=2 dmodk --nodes node-00001,)"
else
    skip "measure runs on one machine" "no MPI"
fi
finish
