#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Out of memory is a status: whichever allocation of a command fails, the command ends with exit status 4 and one line,
# or does without and prints the same bytes as ever.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

if ldd "$heddle" | grep -qE 'lib(asan|ubsan|tsan)' || grep -qa __asan_init "$heddle"; then
    skip "every failing allocation" "the sanitizer has its own allocator"
    finish
fi
${CC:-cc} -std=c11 -Wall -Wextra -Werror -shared -fPIC tests/golden/failing_malloc.c -o "$tmp/failing.so" || fail "the failing allocator compiles"
shim="LD_PRELOAD=$tmp/failing.so"

# survives NAME COMMAND...: every allocation of the command fails once.
survives() {
    local name=$1 at rc expected wrong=0; shift
    expected=$(env "$shim" COUNT_TO="$tmp/count" "$@" 2>/dev/null) || { fail "$name" "fails even with memory: $*"; return; }
    read -r count <"$tmp/count"
    for ((at = 1; at <= count; at++)); do
        rc=0
        env "$shim" FAIL_AT=$at "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
        case $rc in
        0) [ "$(cat "$tmp/out")" = "$expected" ] && continue ;;
        4) grep -qE 'out of memory|[Cc]annot allocate memory' "$tmp/err" && [ "$(wc -l <"$tmp/err")" = 1 ] && continue ;;
        esac
        wrong=1
        fail "$name: allocation $at of $count" "command: $*" "exit status $rc" "$(head -n 3 "$tmp/err")"
    done
    if [ "$count" -gt 20 ] && [ $wrong = 0 ]; then pass "$name: each of $count allocations may fail"; fi
    [ "$count" -gt 20 ] || fail "$name" "only $count allocations were counted"
}

common="--threads 1 --seed 1"
survives "eval" "$heddle" eval ft:m=4,n=2 dmodk dor smodk -n 2 --loads "$tmp/loads" --samples "$tmp/samples" $common
survives "eval -m ratio" "$heddle" eval mesh:dims=3,hosts=1 minhop -p permutation -m ratio -n 2 $common
survives "sim" "$heddle" sim ft:m=4,n=2 dmodk -n 1 --size 4096 --channels "$tmp/channels" --samples "$tmp/samples" --series "$tmp/series" $common
survives "order" "$heddle" order ft:m=4,n=2 dmodk --for ring --choose 6 --also node-00007, --schedule "$tmp/schedule" $common
survives "topo" "$heddle" topo ft:m=4,n=2 $common
survives "route" "$heddle" route ft:m=4,n=2 dmodk -o - $common
survives "fdbs" "$heddle" route ft:m=4,n=2 dmodk --format fdbs -o - $common
survives "diff" "$heddle" diff ft:m=4,n=2 dmodk updown --json $common
survives "advise" "$heddle" advise mesh:dims=2,hosts=1 --json $common
survives "check" "$heddle" check torus:dims=4,hosts=1 minhop --json $common
# Memory that there is not is reported before the work begins.
exits "a network larger than the memory" 4 "the network needs about [0-9.]+ GB of memory, and [0-9.]+ GB are available" bash -c "ulimit -v 1000000; '$heddle' topo ft:m=16,n=7"
finish
