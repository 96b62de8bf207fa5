#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Traffic of NCCL and of mixtures of experts as users meet it: the flows of every pattern against rules written a second
# time, refusals, and the same bytes on any number of threads.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

python3 tests/golden/nccl.py "$heddle" "$tmp" >"$tmp/found" 2>&1
same "rings, trees, PAT and schedules follow NCCL's rules" "" "$(grep -v '^same' "$tmp/found")"
check "on six fabrics" sh -c "[ \$(grep -c '^same' '$tmp/found') -eq 66 ]"
rails=rail:rails=4,units=2,hosts=4,spines=2,uplinks=2
for p in nccl-alltoall:rounds=3 moe:tokens=8 moe:mode=low-latency,tokens=8,ep=16; do
    same "$p: two threads print the same bytes" "$("$heddle" eval $rails dmodk minhop -p $p -m maxload -n 40 --threads 1)" \
        "$("$heddle" eval $rails dmodk minhop -p $p -m maxload -n 40 --threads 2)"
done
exits "one host" 3 "nccl-ring: all 4 ranks are on one host" "$heddle" eval rail:rails=4,units=1,hosts=1,spines=1,uplinks=1 minhop -p nccl-ring
exits "groups within a host" 3 "moe: the 4 ranks of a group are on one host" "$heddle" eval $rails dmodk -p moe:ep=4
exits "too many flows" 3 "flows at once, set ep=" "$heddle" eval $rails dmodk -p moe:gpus=1024
exits "an unknown order of rails" 3 "expected one of aligned" "$heddle" eval $rails dmodk -p nccl-ring:rails=x
python3 tests/golden/predict.py "$heddle" >"$tmp/close" 2>&1
same "predicted times agree with simulated ones" "48 cases, 39 within 10 %" "$(cat "$tmp/close")"
same "nothing is predicted where switches choose" null "$("$heddle" sim $rails minhop -p nccl-ring --size 64KiB --select ar --json |
    python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["rows"][0]["predicted_ns"]))')"
check "simulated" "$heddle" sim $rails dmodk -p nccl-tree --size 64KiB --messages 2
finish
