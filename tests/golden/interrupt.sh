#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Interrupted in the middle: sampling ends with what it has, everything else ends at once and leaves nothing behind;
# on a terminal, what takes long says how long.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

# interrupted SIGNAL COMMAND...: starts it, waits until it has worked for .3 s of processor time, which is past the start,
# sends the signal; standard output, then the exit code and standard error.
interrupted() {
    python3 - "$@" <<'PY'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
for _ in range(6000):
    stat = open(f"/proc/{p.pid}/stat").read().rsplit(")", 1)[1].split()
    if int(stat[11]) + int(stat[12]) >= 0.3 * os.sysconf("SC_CLK_TCK") or p.poll() is not None:
        break
    time.sleep(0.01)
p.send_signal(getattr(signal, sys.argv[1]))
out, err = p.communicate()
sys.stdout.write(out)
print("exit", p.returncode)
sys.stdout.write(err)
PY
}
count='import json, sys
lines = sys.stdin.read()
row, rest = json.JSONDecoder().raw_decode(lines)
r = (row.get("rows") or [row])[0]
n = r.get("samples", r.get("runs"))
print(0 < n < 10**8, lines[rest:].strip().replace("\n", " / "))'
ended="the results are those of the work done so far"
for signal in SIGINT:130 SIGTERM:143; do
    same "eval, ${signal%:*}" "True exit ${signal#*:} / heddle: interrupted: $ended" \
        "$(interrupted ${signal%:*} "$heddle" eval ft:m=8,n=3 minhop -n 100000000 --json --threads 2 | python3 -c "$count")"
done
same "sim" "True exit 130 / heddle: interrupted: $ended" \
    "$(interrupted SIGINT "$heddle" sim ft:m=4,n=2 minhop -n 1000000 --size 4K --json --threads 2 | python3 -c "$count")"
for signal in SIGINT:130 SIGTERM:143; do
    same "sim, within a run that would take days, ${signal%:*}" "True exit ${signal#*:} / heddle: interrupted: $ended" \
        "$(interrupted ${signal%:*} "$heddle" sim ft:m=4,n=2 minhop -p alltoall --size 900000000000000 --json --threads 1 | python3 -c "$count")"
done
share() { awk '$1 ~ /^xgft/ { printf "%.2f\n", $6 }'; }
two=(sim xgft:m=2x2,w=1x1 minhop -p shift --stages 1 --ranks adversarial --size)
same "its senders have got what they get in the end" "$("$heddle" "${two[@]}" 4M | share)" \
    "$(interrupted SIGINT "$heddle" "${two[@]}" 900000000000000 | share)"
interrupted SIGINT "$heddle" eval ft:m=8,n=3 minhop dmodk -n 100000000 --checkpoint "$tmp/ck" >"$tmp/out"
check "further tables are not begun" grep -q 'dmodk .*interrupted before' "$tmp/out"
n=$(od -An -t u8 -j 32 -N 8 "$tmp/ck" | tr -d ' ')
same "and its checkpoint is resumed" "$("$heddle" eval ft:m=8,n=3 minhop -n $((n + 500)))" \
    "$("$heddle" eval ft:m=8,n=3 minhop -n $((n + 500)) --checkpoint "$tmp/ck")"

same "order" "exit 130 / heddle: interrupted: $ended" \
    "$(interrupted SIGINT "$heddle" order xgft:m=12x12,w=1x6 random --for alltoall -o "$tmp/ranks" --threads 1 | sed -n '/^exit/,$p' | paste -sd '|' | sed 's,|, / ,g')"
check "and the order is complete" test "$(grep -c "^rank" "$tmp/ranks")" = 144
interrupted SIGINT "$heddle" paper hoefler2009-fig4a --full --threads 1 >"$tmp/paper"
check "paper" grep -q "interrupted: $ended" "$tmp/paper"

for signal in SIGINT:2 SIGTERM:15; do
    same "advise, ${signal%:*}: no report, one line" "exit -${signal#*:} / heddle: interrupted: no file was written" \
        "$(interrupted ${signal%:*} "$heddle" advise ft:m=24,n=3 -o "$tmp/advice" --threads 2 | paste -sd '|' | sed 's,|, / ,g')"
    check "and no folder" test ! -e "$tmp/advice"
done
for file in ck none; do
    same "before the first sample, with a checkpoint: $file" "exit -2 / heddle: interrupted: $([ $file = ck ] &&
        echo "the checkpoint keeps the work done so far" || echo "no file was written")" \
        "$(interrupted SIGINT "$heddle" eval ft:m=24,n=3 wsr -n 100 --checkpoint "$tmp/$file" --threads 1 | paste -sd '|' | sed 's,|, / ,g')"
done
# waiting SIGNAL COMMAND...: the same, once the command has slept for a while, as it does where nothing comes from a pipe.
waiting() {
    python3 - "$@" <<'PY'
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
slept = 0
while slept < 20 and p.poll() is None:
    slept = slept + 1 if open(f"/proc/{p.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "S" else 0
    time.sleep(0.03)
p.send_signal(getattr(signal, sys.argv[1]))
try:
    p.wait(30)
except subprocess.TimeoutExpired:
    print("goes on")
    p.kill()
out, err = p.communicate()
print(out + f"exit {p.returncode} / {err}".strip())
PY
}
mkfifo "$tmp/nobody" "$tmp/silent"
sleep 600 3<>"$tmp/silent" >/dev/null 2>&1 &
silent=$!
none="heddle: interrupted: no file was written"
for pipe in nobody silent; do
    for signal in SIGINT:2 SIGTERM:15; do
        same "sim, before a trace has come, $pipe writes, ${signal%:*}" "exit -${signal#*:} / $none" \
            "$(waiting ${signal%:*} "$heddle" sim ft:m=4,n=2 minhop --trace "$tmp/$pipe" --channels "$tmp/channels")"
    done
    same "eval, before traffic has come, $pipe writes" "exit -2 / $none" \
        "$(waiting SIGINT "$heddle" eval ft:m=4,n=2 minhop -p "file:path=$tmp/$pipe")"
done
check "and no file" test ! -e "$tmp/channels"
kill $silent

# mpirun passes a signal on to all processes: one of them says so, all end, and no file is left.
# It kills after a second what has not ended, and on a busy machine a process may not have run by then.
mpirun --mca odls_base_sigkill_timeout 10 --timeout 120 --oversubscribe --allow-run-as-root -n 2 \
    "$HEDDLE_BUILD/heddle-mpi" advise ft:m=24,n=3 -o "$tmp/advice" \
    --threads 1 >"$tmp/out" 2>"$tmp/err" &
job=$!
for _ in $(seq 300); do victims=$(pgrep -P "$job" -f 'heddle-mpi advise'); [ "$(echo "$victims" | wc -w)" = 2 ] && break; sleep 0.1; done
# Both are past their start when they have worked for .3 s.
worked() { awk -v ticks="$(getconf CLK_TCK)" '$14 + $15 < 0.3 * ticks { exit 1 }' $(printf '/proc/%s/stat ' $victims); }
for _ in $(seq 600); do worked && break; sleep 0.1; done
kill -TERM $job
rc=0; wait $job || rc=$?
alive() { ps -o stat= -p "$(echo $victims | tr ' ' ',')" | grep -vc Z; } # mpirun does not wait for them
for _ in $(seq 100); do [ "$(alive)" = 0 ] && break; sleep 0.1; done
same "processes of MPI end together: no output, one line of ours" "0 1 0" \
    "$(wc -c <"$tmp/out") $(grep -c '^heddle: interrupted: no file was written' "$tmp/err") $(alive)"
check "with a status that says so" test "$rc" != 0
check "and no file" test ! -e "$tmp/advice"

script -qec "$heddle eval xgft:m=18x18x18,w=1x18x18 dmodk -n 4000 --threads 1" "$tmp/typescript" >/dev/null 2>&1
check "progress on a terminal" grep -q 'samples .* %' "$tmp/typescript"
script -qec "$heddle sim ft:m=8,n=3 dmodk -p alltoall --size 64K --threads 1" "$tmp/typescript" >/dev/null 2>&1
check "progress within a run" grep -q 'runs  *[1-9][0-9]* %' "$tmp/typescript"
# shown_then_interrupted PATTERN ARGUMENTS: on a terminal until it has shown PATTERN, however long that takes.
shown_then_interrupted() {
    : >"$tmp/typescript"
    script -qefc "exec $heddle $2" "$tmp/typescript" </dev/null >/dev/null 2>&1 &
    for _ in $(seq 1200); do grep -q "$1" "$tmp/typescript" && break; sleep 0.1; done
    pkill -TERM -P $! # a background command ignores SIGINT
    wait $!
}
shown_then_interrupted 'runs  *0 %' "sim ft:m=4,n=2 minhop -p alltoall --size 900000000000000 --threads 1"
check "even of one that would take days" grep -q 'runs  *0 %' "$tmp/typescript"
shown_then_interrupted 'samples .* %' "eval ft:m=8,n=3 minhop -n 100000000 --threads 1"
check "a terminal says at once that the end is near" grep -q 'ending with what there is; interrupt again to end at once' "$tmp/typescript"
finish
