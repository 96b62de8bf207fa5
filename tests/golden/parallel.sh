#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The same bytes from any number of threads and processes; a killed run resumes where it stood.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
mpi=$HEDDLE_BUILD/heddle-mpi
run="mpirun --oversubscribe --allow-run-as-root -n"

request="eval ft:m=8,n=3 dmodk minhop -p permutation -m minbw -n 1700 --json"
one=$("$heddle" $request --threads 1)
for threads in 2 3 7; do
    same "$threads threads print what one does" "$one" "$("$heddle" $request --threads $threads)"
done
for ranks in 1 2 3 4; do
    same "$ranks processes print what one does" "$one" "$($run $ranks "$mpi" $request --threads 1 2>/dev/null)"
done
ci="eval ft:m=8,n=2 dmodk --ci 0.004"
same "3 processes stop where one does" "$("$heddle" $ci)" "$($run 3 "$mpi" $ci --threads 1 2>/dev/null)"
"$heddle" eval ft:m=4,n=2 dmodk -n 600 --loads "$tmp/loads1" --samples "$tmp/samples1" >/dev/null
$run 3 "$mpi" eval ft:m=4,n=2 dmodk -n 600 --loads "$tmp/loads3" --samples "$tmp/samples3" >/dev/null 2>&1
check "loads of 3 processes are those of one" cmp "$tmp/loads1" "$tmp/loads3"
check "samples of 3 processes are those of one" cmp "$tmp/samples1" "$tmp/samples3"
same "600 samples and a header" 601 "$(wc -l <"$tmp/samples1")"
rc=0; $run 2 "$mpi" eval nosuch dmodk >"$tmp/out" 2>"$tmp/err" || rc=$?
same "bad input is exit 3 under MPI too" 3 "$rc"
same "and said once" 1 "$(grep -c 'neither a known topology' "$tmp/err")"

# Ranks must work on the same input. Each has a folder of its own here, as on machines that share no file system.
mkdir "$tmp/0" "$tmp/1"
"$heddle" topo ft:m=8,n=2 -o "$tmp/0/net"
cp "$tmp/0/net" "$tmp/1"
"$heddle" route "$tmp/0/net" minhop -o "$tmp/0/table" >/dev/null
apart() { timeout 60 mpirun --oversubscribe --allow-run-as-root -n 1 -wdir "$tmp/0" "$mpi" "$@" : -n 1 -wdir "$tmp/1" "$mpi" "$@" >"$tmp/out" 2>"$tmp/err"; }
# parted NAME PATTERN ARGUMENT...: one line, exit 3, no output and no file, and no rank waits for another.
parted() {
    local name=$1 pattern=$2 rc=0; shift 2
    apart "$@" || rc=$?
    same "$name: exit 3, no output, one line" "3 0 1" "$rc $(wc -c <"$tmp/out") $(grep -c '^heddle: ' "$tmp/err")"
    check "$name: the line says what and where" grep -q "^heddle: $pattern" "$tmp/err"
}
for command in "eval net table -n 200" "sim net table -n 2" "check net table" "route net table -o new"; do
    parted "${command%% *}, a file that rank 1 lacks" "rank 1: table: neither a known engine nor a file" $command
done
mv "$tmp/0/table" "$tmp/1"
parted "a file that rank 0 lacks" "table: neither" eval net table -n 200
"$heddle" route "$tmp/0/net" random -o "$tmp/0/table" >/dev/null
for command in "eval net table -n 200" "sim net table -n 2" "check net table" "route net table -o new"; do
    parted "${command%% *}, another file on rank 1" "ranks 0 and 1 have read different input" $command
done
cp "$tmp/0/net" "$tmp/0/other"
"$heddle" topo ft:m=8,n=2 --fail links=1 -o "$tmp/1/other"
for command in "route other minhop -o -" "topo other --format dot" "plot load other minhop" "order other --for ring --format names" "order other --for ring --schedule -"; do
    parted "$command, another file on rank 1" "ranks 0 and 1 have read different input" $command
done
check "nothing was written" test ! -e "$tmp/0/new" -a ! -e "$tmp/1/new"
printf 'junk\n' >"$tmp/1/net"
parted "a network that rank 1 cannot read" "rank 1: net" eval net minhop -n 200
same "standard input is read once and shared" "$("$heddle" eval - minhop -n 200 <"$tmp/0/net")" \
    "$(timeout 60 $run 3 "$mpi" eval - minhop -n 200 <"$tmp/0/net" 2>/dev/null)"
gzip -k "$tmp/0/net"
same "compressed too" "$("$heddle" eval - minhop -n 200 <"$tmp/0/net")" \
    "$(timeout 60 $run 2 "$mpi" eval - minhop -n 200 <"$tmp/0/net.gz" 2>/dev/null)"
mkfifo "$tmp/0/pipe" "$tmp/1/pipe"
parted "a named pipe, of which each would get a part" "pipe: is a named pipe, which 2 processes cannot all read" eval pipe minhop
same "the pseudo-terminal of mpirun changes nothing" "$("$heddle" advise "$tmp/0/net" minhop)" "$($run 1 "$mpi" advise "$tmp/0/net" minhop 2>"$tmp/err")"

# One process of three is killed in the middle: the job must end, not hang.
# (Bounded all the same: a failure here must not become an endless test.)
mpirun --timeout 120 --oversubscribe --allow-run-as-root -n 3 "$mpi" eval xgft:m=18x18x36,w=1x18x18 dmodk -n 100000000 --threads 1 >"$tmp/out" 2>"$tmp/err" &
job=$!
for _ in $(seq 300); do victim=$(pgrep -P "$job" -f 'heddle-mpi eval' | head -n 1); [ -n "$victim" ] && break; sleep 0.1; done
check "a process to kill was found" test -n "$victim"
sleep 0.5
[ -n "$victim" ] && kill -9 "$victim"
rc=0; wait $job || rc=$?
check "a killed process ends the job" test "$rc" != 0
check "with a message" grep -q . "$tmp/err"

# Kill -9 in the middle of a long run, shown to be in the middle, then resume: the result of an unbroken run.
long="eval xgft:m=12x12x24,w=1x12x12 dmodk -p permutation -m minbw -n 20000 --threads 1"
whole=$("$heddle" $long)
"$heddle" $long --checkpoint "$tmp/cp" >"$tmp/out" 2>/dev/null &
job=$!
for _ in $(seq 600); do [ -s "$tmp/cp" ] && break; sleep 0.02; done
kill -9 $job
wait $job 2>/dev/null
check "the run was killed in the middle: nothing was printed" test ! -s "$tmp/out" -a -s "$tmp/cp"
next=$(od -An -t u8 -j 32 -N 8 "$tmp/cp" | tr -d ' ')
check "some samples were done, not all ($next)" test "$next" -gt 0 -a "$next" -lt 20000
same "resumed, it gives the unbroken result" "$whole" "$("$heddle" $long --checkpoint "$tmp/cp")"
same "and once more, from the finished file" "$whole" "$("$heddle" $long --checkpoint "$tmp/cp")"
same "3 processes resume it too" "$whole" "$($run 3 "$mpi" $long --checkpoint "$tmp/cp" 2>/dev/null)"
exits "fewer samples than the checkpoint holds" 3 "more than the 10 asked for" "$heddle" eval xgft:m=12x12x24,w=1x12x12 dmodk -p permutation -m minbw -n 10 --checkpoint "$tmp/cp"
echo junk >"$tmp/junk"
exits "a file that is no checkpoint" 3 "not a checkpoint" "$heddle" eval ft dmodk --checkpoint "$tmp/junk"
exits "checkpoint with --samples" 2 "excludes --loads and --samples" "$heddle" eval ft dmodk --checkpoint "$tmp/x" --samples "$tmp/y"
finish
