#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Patterns, rank orders and hot-spot degrees as users meet them.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

rlft=pgft:m=12x12,w=1x6,p=1x2
# value NAME EXPECTED ARGUMENTS...: value and max of an evaluation, and its samples.
value() {
    local name=$1 expected=$2; shift 2
    same "$name" "$expected" "$("$heddle" eval "$@" --json 2>&1 |
        python3 -c 'import json, sys; r = json.load(sys.stdin)["rows"][0]; print(r["value"], r["max"], r["samples"])' 2>&1)"
}
value "shift in order has no hot spot" "1 1 143" $rlft dmodk -p shift -m hsd
value "topology-aware recursive doubling" "1 1 10" $rlft dmodk -p recdbl-tree -m hsd
value "the worst ring" "11 11 1" $rlft dmodk -p ring -m hsd --ranks adversarial
value "all to all" "143 143 1" $rlft dmodk -p alltoall -m maxload
value "a broadcast by name: 1 1 2, then 1 1 2" "1.3333333333333333 2 6" gft:n=4,m=2,r=2 dmodk -p collective:op=broadcast,alg=vdgeijn,size=small -m hsd
for i in 0 1 2 3; do echo "node-0000$i"; done >"$tmp/job"
value "a job on one leaf" "1 1 3" $rlft dmodk -p shift -m hsd --ranks "$tmp/job"
printf '0 3 2.5\nnode-00001 node-00002 0.25\n' >"$tmp/matrix"
value "a traffic matrix" "2.5 2.5 1" $rlft dmodk -p file:path="$tmp/matrix" -m maxload
same "specs print back" "bridge:pairing=random clustered:size=8 uniform:p=0.1 collective:op=allreduce" \
    "$(for p in bridge:pairing=random clustered uniform collective; do
        "$heddle" eval gft:n=4,m=4,r=4 dmodk -p $p -n 3 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"][0]["pattern"])'
    done | tr '\n' ' ' | sed 's/ $//')"
for p in bridge:pairing=random uniform:p=0.2 clustered:size=5 shift; do
    for t in 2 5; do
        same "$p: $t threads print the same bytes" "$("$heddle" eval ft:m=8,n=2 dmodk smodk -p $p -m maxload -n 300 --threads 1)" \
            "$("$heddle" eval ft:m=8,n=2 dmodk smodk -p $p -m maxload -n 300 --threads $t)"
    done
done

check "a pattern that applies to none of several tables" "$heddle" eval torus:dims=3,hosts=2 minhop updown -p recdbl-tree
head -n 1 "$tmp/job" >"$tmp/alone"
exits "one rank" 3 "at least 2 ranks, there is 1" "$heddle" eval $rlft dmodk -p ring -m hsd --ranks "$tmp/alone"
cat "$tmp/job" "$tmp/alone" >"$tmp/twice"
exits "a rank named twice" 3 "twice:5: 'node-00000' is listed already" "$heddle" eval $rlft dmodk -p ring -m hsd --ranks "$tmp/twice"
exits "a mistyped order" 3 "did you mean 'adversarial'" "$heddle" eval $rlft dmodk -p ring -m hsd --ranks adverserial
exits "unknown algorithm lists what there is" 3 "expected one of old, rabenseifner, ring" "$heddle" eval $rlft dmodk -p collective:op=allreduce,alg=tree
printf '0 1 1\n0 2 -3\n' >"$tmp/bad"
exits "a negative weight" 3 "bad:2: '-3': expected a weight, a finite number from 0" "$heddle" eval $rlft dmodk -p file:path="$tmp/bad"
exits "unknown pairing" 3 "expected one of aligned" "$heddle" eval $rlft dmodk -p bridge:pairing=x
exits "bridge on one switch" 3 "at least two switches with ranks" "$heddle" eval gft:n=4,m=1,r=1 dmodk -p bridge
finish
