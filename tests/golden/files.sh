#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What commands do to files: they never touch what is not theirs, write all of it or nothing, leave nothing behind.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
net=ft:m=4,n=2

# ---- folders ----------------------------------------------------------------------------------------------
mkdir "$tmp/etc" "$tmp/etc/ibdm"
for file in opensm.conf README qos-policy.conf roots path-bits ibdm/psl; do echo mine >"$tmp/etc/$file"; done
exits "a folder with files of an administrator" 3 'not written by heddle, .*etc/opensm.conf, .*etc/README' "$heddle" route torus:dims=4x4 updown --deploy "$tmp/etc"
same "keeps them all" 6 "$(grep -lrx mine "$tmp/etc" | wc -l)"
same "and gets nothing else" 6 "$(find "$tmp/etc" -type f | wc -l)"
rm "$tmp/etc/opensm.conf" "$tmp/etc/README"
check "files with other names are no hindrance" "$heddle" route torus:dims=4x4 updown --deploy "$tmp/etc" -q
same "and stay" 4 "$(grep -lrx mine "$tmp/etc" | wc -l)"
check "what heddle wrote is replaced" "$heddle" route torus:dims=4x4 minhop --deploy "$tmp/etc" -q --force
echo "# edited" >>"$tmp/etc/opensm.conf"
exits "but not what was edited since" 3 'changed since, .*etc/opensm.conf$' "$heddle" route torus:dims=4x4 updown --deploy "$tmp/etc"
check "a table whose variants senders draw is deployed" "$heddle" route $net omrmn --deploy "$tmp/drawn" -q
same "without path bits" "" "$(find "$tmp/drawn" -name path-bits)"
mkdir "$tmp/adv"
echo mine >"$tmp/adv/README"
echo mine >"$tmp/adv/cables"
exits "the same of advice" 3 'adv/README' "$heddle" advise $net -q -o "$tmp/adv"
same "which keeps README and cables" "mine mine" "$(cat "$tmp/adv/README" "$tmp/adv/cables" | tr '\n' ' ' | sed 's/ $//')"
rm "$tmp/adv/README"
ln -s "$tmp/victim" "$tmp/adv/report.html"
exits "a link in the folder is not followed" 3 'adv/report.html' "$heddle" advise $net -q -o "$tmp/adv"
check "nor what it points to made" test ! -e "$tmp/victim"
exits "a folder that another process writes to" 4 'another process is writing' flock "$tmp/etc" "$heddle" route $net dmodk --deploy "$tmp/etc"
exits "standard output is no folder" 2 'takes a folder' "$heddle" route $net dmodk --deploy -
check "a result beside the folder" "$heddle" route $net dmodk --deploy "$tmp/both" -o "$tmp/both.lft"
exits "but not one of its files" 3 'two results cannot both go to this file' "$heddle" route $net dmodk --deploy "$tmp/new" -o "$tmp/new/tables.lft"
check "which is not even made" test ! -e "$tmp/new"
"$heddle" route $net minhop --deploy "$tmp/two" -q >/dev/null
for file in opensm.conf README .heddle; do
    ln -sf "two/$file" "$tmp/lead"
    exits "nor by a link to one of its files: $file" 3 'two results cannot both go to this file' "$heddle" route $net dmodk --format roots -o "$tmp/lead" --deploy "$tmp/two"
done
exits "nor by a descriptor of one" 3 'two results cannot both go to this file' sh -c '"$1" route ft:m=4,n=2 minhop -o /dev/fd/5 --deploy "$2" 5>>"$2/README"' sh "$heddle" "$tmp/two"
check "which are as before" "$heddle" route $net minhop --deploy "$tmp/two" -q --force
cp -r "$tmp/two" "$tmp/two.was"
exits "the README of a deployment is not replaced by that of a transition" 3 "written there by deploy, so not replaced: .*two/README " "$heddle" transition $net minhop dmodk -q -o "$tmp/two"
exits "nor by that of advice" 3 "written there by deploy, so not replaced: .*two/README " "$heddle" advise $net -q -o "$tmp/two"
check "and all is as before" diff -r "$tmp/two.was" "$tmp/two"
check "the command that wrote it replaces it" "$heddle" route $net minhop --deploy "$tmp/two" -q --force
advised="pgft:m=4x4,w=1x4,p=1x2 minhop --fail links=2"
"$heddle" advise $advised -q -o "$tmp/kept" >/dev/null
cp -r "$tmp/kept" "$tmp/kept.was"
exits "nor is the deployment of advice replaced by another one" 3 "written there by advise, so not replaced: .*kept/deploy/tables.lft" "$heddle" route $advised --force --deploy "$tmp/kept/deploy"
check "which is as before" diff -r "$tmp/kept.was" "$tmp/kept"
check "and replaced by advice again" "$heddle" advise $advised -q -o "$tmp/kept"
mkdir "$tmp/linked" "$tmp/elsewhere"
ln -s ../elsewhere "$tmp/linked/deploy"
exits "a link in place of a folder is not followed" 3 'not written by heddle, so not replaced: .*linked/deploy' "$heddle" advise $net -q -o "$tmp/linked"
same "and nothing is written" "deploy" "$(ls -A "$tmp/linked" "$tmp/elsewhere" | grep -v : | grep .)"
mkdir -p "$tmp/left/ranks"
"$heddle" advise torus:dims=1,hosts=1 -q -o "$tmp/left" >/dev/null
check "ranks of an earlier run are warned of" grep -q 'ranks/ is left over from an earlier run' "$tmp/left/README"

"$heddle" topo $net -o "$tmp/f.ibnet"
"$heddle" advise "$tmp/f.ibnet" -q -o "$tmp/renamed" >/dev/null
sed -i 's/"node-00003"/"gpu 3#new"/' "$tmp/f.ibnet"
cp "$tmp/renamed/ranks/guids" "$tmp/guids"
"$heddle" advise "$tmp/f.ibnet" -q -o "$tmp/renamed" >/dev/null
same "rank files that names no longer allow are not left from an earlier run" "no yes" \
    "$([ -e "$tmp/renamed/ranks/ca-order" ] && echo yes || echo no) $([ -e "$tmp/renamed/ranks/guids" ] && echo yes || echo no)"
sed 's/"gpu 3#new"/"gp(u3"/' "$tmp/f.ibnet" >"$tmp/odd.ibnet"
"$heddle" advise "$tmp/odd.ibnet" -o "$tmp/odd" >/dev/null 2>"$tmp/err"
same "a host that launchers cannot name is left out of their files alone" "7 7 8 8" \
    "$(for file in names openmpi guids ca-order; do grep -vc '^#' "$tmp/odd/ranks/$file"; done | tr '\n' ' ' | sed 's/ $//')"
check "and reported" grep -q "1 host is left out of files for launchers, the first is 'gp(u3'" "$tmp/err"
"$heddle" advise "$tmp/odd.ibnet" --nodes "$tmp/odd/ranks/guids" -o "$tmp/asked" >/dev/null 2>"$tmp/err"
check "not where it was asked for" grep -q "no files for openmpi, .* in ranks: host name 'gp(u3'" "$tmp/err"

ln -s loop2 "$tmp/loop1"
ln -s loop1 "$tmp/loop2"
exits "a link that leads to itself as a network" 3 'loop1: cannot open: Too many levels of symbolic links' "$heddle" topo "$tmp/loop1"
exits "and as a table" 3 'loop1: cannot open: Too many levels of symbolic links' "$heddle" check $net "$tmp/loop1"
ln -s nowhere "$tmp/dangling"
exits "a link that leads nowhere" 3 'dangling: cannot open: No such file' "$heddle" topo "$tmp/dangling"

# ---- names and paths --------------------------------------------------------------------------------------
mkdir "$tmp/a b'c"
"$heddle" route $net dmodk --deploy "$tmp/a b'c/d" -q >/dev/null
copy=$(sed -n "s/^ *cp \(.*\) .var.cache.opensm.guid2lid$/\1/p" "$tmp/a b'c/d/README")
check "the README's commands work in a folder with blanks and quotes" sh -c "cmp $copy \"\$1\"" sh "$tmp/a b'c/d/guid2lid"
line=$'x\nlog_flags 0xFF\n.net'
"$heddle" topo $net -o "$tmp/$line"
"$heddle" route "$tmp/$line" minhop --deploy "$tmp/line" -q >/dev/null
same "a line end in a name writes no line of its own" 0 "$(cat "$tmp/line/opensm.conf" "$tmp/line/README" | grep -c '^log_flags')"
exits "a line end in the folder's name" 3 'control characters' "$heddle" route $net dmodk --deploy "$tmp/d"$'\n'"routing_engine x"
"$heddle" route $net minhop -o "$tmp/plain.lft" >/dev/null
table=$'t\nUnicast lids [0-14] of switch Lid 9 guid 0x0200000000100000 (x):\n0x000f 001 # y'
cp "$tmp/plain.lft" "$tmp/$table"
for format in lft lft-minimal far; do
    for file in plain.lft "$table"; do "$heddle" route $net "$tmp/$file" --format $format 2>/dev/null | grep -v '^# heddle table' | cksum; done >"$tmp/sums"
    same "line ends in the name of a table change no $format" 1 "$(sort -u "$tmp/sums" | wc -l)"
done
"$heddle" route $net "$tmp/$table" --deploy "$tmp/tabled" -q >/dev/null
same "nor tables to deploy" 0 "$(grep -c '^Unicast lids .*(x):' "$tmp/tabled/tables.lft")"
exits "a # in the folder's name, which ends a line of OpenSM" 3 'OpenSM cannot read a path with a #' "$heddle" route $net dmodk --deploy "$tmp/tables#new"
exits "a control character beyond ASCII, which a terminal obeys" 3 'a path with control characters cannot be used' "$heddle" route $net dmodk --deploy "$tmp/c1"$'\xc2\x9b31m'
check "no folder is made" test ! -e "$tmp/tables#new"
"$heddle" advise $net -q -o "$tmp/advice#new" >/dev/null
same "advice in such a folder has no tables, and says why" "1 0" \
    "$(grep -c '^No tables are written: .*OpenSM cannot read a path with a #' "$tmp/advice#new/README") $(find "$tmp/advice#new" -name opensm.conf | wc -l)"
long=$tmp/$(printf 'x%.0s' $(seq 200))/$(printf 'y%.0s' $(seq 200))/$(printf 'z%.0s' $(seq 200))/$(printf 'u%.0s' $(seq 200))
mkdir -p "$long"
room=$((1021 - ${#long} - 1 - 21)) # of a last folder, with "lfts_file " and "/tables.lft" beside it
last=$(printf 'v%.0s' $(seq "$room"))
check "the longest folder that OpenSM can read" "$heddle" route $net dmodk --deploy "$long/$last" -q
exits "and one byte more" 3 'OpenSM cannot read a path of 10[0-9][0-9] bytes' "$heddle" route $net dmodk --deploy "$long/${last}v"
"$heddle" topo $net -o "$long/n.ibnet"
cp "$tmp/plain.lft" "$long/t.lft"
"$heddle" route "$long/n.ibnet" "$long/t.lft" --deploy "$tmp/short" -q >/dev/null
check "long names of inputs make no line longer than OpenSM reads" awk 'length > 1021 { exit 1 }' "$tmp/short/opensm.conf"
if command -v opensm >/dev/null; then
    opensm -f "$tmp/log" -F "$long/$last/opensm.conf" -c "$tmp/understood" >/dev/null 2>&1
    same "OpenSM reads that path whole" "$(realpath "$long/$last")/tables.lft" "$(sed -n 's/^lfts_file //p' "$tmp/understood")"
else
    skip "OpenSM reads that path whole" "opensm is not installed"
fi
exits "a line end in a command" 2 "unknown command 'x[?]y" "$heddle" $'x\ny'
exits "an escape sequence in an option" 2 "unknown option '--[?]" "$heddle" topo $'--\033]0;x\007'

# ---- inputs and results -----------------------------------------------------------------------------------
cd "$tmp" || exit 1
printf 'node-00001\nnode-00000\n' >hosts
ln hosts same
ln -s hosts link
for result in hosts ./hosts "$tmp/hosts" same link; do
    exits "a node list is not overwritten as $result" 2 'would overwrite an input file' "$heddle" order $net --nodes hosts -o "$result"
done
same "and stays" 'node-00001 node-00000' "$(tr '\n' ' ' <hosts | sed 's/ $//')"
echo '0x1 "x"' >map
"$heddle" topo $net -o net
"$heddle" route $net dmodk -o lft >/dev/null
exits "nor a name map" 2 'would overwrite' "$heddle" topo $net --node-name-map map -o map
exits "nor the network" 2 'would overwrite' "$heddle" topo net -o net
exits "nor a table in a spec" 2 'would overwrite' "$heddle" eval net file:path=lft,use=first -n 5 --samples lft
exits "nor another job" 2 'would overwrite' "$heddle" order $net --nodes hosts --also same -o same
exits "nor a file in the folder that is deployed to" 3 'is an input of this command' "$heddle" route both/net.ibnet updown --deploy both
cp net a.ibnet
exits "nor standard input" 3 'a.ibnet: is an input of this command' sh -c "'$heddle' topo - --format dot -o a.ibnet <a.ibnet"
exits "nor that by another name" 2 'would overwrite an input file' sh -c "'$heddle' topo /dev/stdin --format dot -o a.ibnet <a.ibnet"
check "it stays" cmp net a.ibnet
python3 "$OLDPWD/tests/golden/ibdiag.py" a.ibnet diag 0
sum=$(cksum <diag/ibdiagnet2.db_csv)
exits "nor a file of a folder" 3 'ibdiagnet2.db_csv: is an input of this command' "$heddle" topo diag --format dot -o diag/ibdiagnet2.db_csv
same "which stays" "$sum" "$(cksum <diag/ibdiagnet2.db_csv)"
printf 'node-00000\nnode-00001\n' >running
echo j1 running >jobs
exits "nor a file that a list names" 3 'running: is an input of this command' "$heddle" order $net --nodes 'node-0000[2-7]' --with jobs -o running
check "a checkpoint is read and replaced" sh -c "'$heddle' eval $net dmodk -n 5 --checkpoint state && '$heddle' eval $net dmodk -n 5 --checkpoint state"
exits "two results need two files" 2 '--loads and --samples cannot both go to ./x' "$heddle" eval $net dmodk -n 5 --samples ./x --loads x
exits "also where one is there" 2 'cannot both go to' "$heddle" eval $net dmodk -n 5 --samples lft --loads ./lft
exits "an order and its schedule appear together" 4 'nosuch/s: cannot write' "$heddle" order $net -o order --schedule nosuch/s
check "or not at all" test ! -e order
check "both" sh -c "'$heddle' order $net -o order --schedule schedule --renumber index && test -s order -a -s schedule -a -s index"
mkdir f
echo mine >f/roots
same "nothing is printed where a file cannot be put in place" 0 "$("$heddle" route $net minhop -o - --deploy f 2>/dev/null | wc -l)"
same "nor by a name of standard output" 0 "$("$heddle" order $net --for ring -o /dev/stdout --schedule nosuch/s 2>/dev/null | wc -l)"
same "nor without a name" 0 "$("$heddle" order $net --for ring --format names --schedule nosuch/s 2>/dev/null | wc -l)"
mkdir captures
for i in $(seq 1000 1800); do ln net captures/$i.ibnet; done
check "a long report of good captures" sh -c "test \$('$heddle' watch captures --json | wc -c) -gt 200000"
echo garbage >captures/bad
same "nor is its beginning where the last one is bad" 0 "$("$heddle" watch captures --json 2>/dev/null | wc -c)"
cp running first && { echo job ./first; for i in $(seq 100 290); do printf 'a-job-with-a-rather-long-name-%d node-%05d,node-00127\n' "$i" $((i % 60 + 64)); done; } >many
long=(order ft:m=8,n=3 --with many --nodes 'node-[00002-00063]' --json)
check "a long report of jobs" sh -c 'test "$("$@" | wc -c)" -gt 200000' sh "$heddle" "${long[@]}"
same "nor where the order would replace what a list names" 0 "$("$heddle" "${long[@]}" -o first 2>/dev/null | wc -c)"
long=(eval ft:m=4,n=2 minhop -n 20000 --samples -)
check "long samples of one table" sh -c 'test "$("$@" | wc -c)" -gt 200000' sh "$heddle" "${long[@]}"
same "nor of two, one of them bad" 0 "$("$heddle" "${long[@]:0:3}" captures/bad "${long[@]:3}" 2>/dev/null | wc -c)"
same "what can is printed whole" "$("$heddle" route $net minhop -o -)" "$("$heddle" route $net minhop -o - --deploy f2)"
exits "a full standard output" 4 'standard output: cannot write' sh -c "'$heddle' route $net minhop -o - --deploy f3 >/dev/full"
check "leaves the files whole" "$heddle" check $net f3/tables.lft
exits "a device that is full" 4 '/dev/full: cannot write: No space left' "$heddle" eval $net dmodk -n 5 --samples /dev/full --loads beside-it
same "leaves the file beside it whole, too" "$("$heddle" eval $net dmodk -n 5 --loads - | cksum)" "$(cksum <beside-it)"
for n in 3 5 7 14; do
    exits "a descriptor that nobody opened is not one of heddle's own: $n" 4 "/dev/fd/$n: cannot write: Bad file descriptor" "$heddle" route $net minhop -o /dev/fd/$n --deploy "own$n"
done
check "which leaves nothing" test ! -e own3 -a ! -e own5 -a ! -e own7 -a ! -e own14
"$heddle" topo $net -o s
exits "an input does not grow by its descriptor" 3 '/dev/fd/0: is an input of this command' sh -c "'$heddle' topo - -o /dev/fd/0 0<>s"
exits "nor does one that a list names" 3 '/dev/fd/5: is an input of this command' sh -c "'$heddle' order $net --nodes 'node-0000[2-7]' --always --with jobs -o /dev/fd/5 5>>running"
same "both are as before" "$(cksum <net) node-00000 node-00001" "$(cksum <s) $(tr '\n' ' ' <running | sed 's/ $//')"
left=s.tmp999999-$(python3 -c 'import functools, socket
print("%08x" % functools.reduce(lambda h, c: (h ^ c) * 16777619 & 0xffffffff, socket.gethostname().encode(), 2166136261))')-000001
cp s "$left"
check "a temporary file that somebody rescues" "$heddle" topo "$left" -o s
check "is not removed as it is read" test -e "$left"
check "but by the next run" "$heddle" topo $net -o s
check "that does not read it" test ! -e "$left"
exits "CSV files too" 4 'nosuch/x: cannot write' "$heddle" sim $net dmodk -n 1 --samples runs --series nosuch/x
check "none is left" test ! -e runs

# ---- descriptors and what is under /dev --------------------------------------------------------------------
"$heddle" route $net dmodk -o table >/dev/null
for path in /dev/fd/1 /dev/fd/5 /proc/self/fd/1 "$tmp/onto" /dev//fd/1 //dev/./fd//5 /proc/.//self/fd/1 /dev//stdout; do
    ln -sf /proc/self/fd/1 onto
    echo mine >joined
    "$heddle" route $net dmodk -o "$path" >>joined 5>>joined
    same "$path: lines that were there stay, and the table follows" "mine $(cksum <table)" \
        "$(head -n 1 joined) $(tail -n +2 joined | cksum)"
    "$heddle" route $net dmodk -o "$path" >joined 5>&1
    check "$path: the table alone, as with -" cmp table joined
    exits "$path: JSON beside it" 2 '--json and --samples cannot both go to standard output' sh -c "'$heddle' eval $net dmodk -n 5 --json --samples '$path' 5>&1 >joined 5>&1"
    exits "$path: another result beside it" 2 'cannot both go to standard output' sh -c "'$heddle' eval $net dmodk -n 5 --samples '$path' --loads - >joined 5>&1"
done
ln -s /dev/fd folder
with_pid() { bash -c 'exec "$0" "${@//PID/$$}"' "$@"; } # in place of PID that of the command itself
for path in /dev/../dev/fd folder ./folder/ /dev/fd/../fd /proc/self/root/proc/self/fd /proc/self/task/PID/fd /proc/PID/fd; do
    echo mine >joined
    with_pid "$heddle" route $net dmodk -o "$path/5" 5>>joined
    same "$path: lines that were there stay, and the table follows" "mine $(cksum <table)" \
        "$(head -n 1 joined) $(tail -n +2 joined | cksum)"
    for n in 3 5 7; do # one of them is that of the temporary file of --loads
        exits "$path/$n: nobody opened that" 4 '/[357]: cannot write: Bad file descriptor' with_pid "$heddle" eval $net dmodk -n 5 --loads la --samples "$path/$n"
    done
done
same "which leaves nothing" "" "$(find . -name 'la*')"
mkdir -p 1/fd && ln -s 2 self
"$heddle" topo $net -o 1/fd/1
check "a file in a folder that is called like that of descriptors" cmp 1/fd/1 net
exits "two results to one descriptor" 2 'cannot both go to' "$heddle" eval $net dmodk -n 5 --samples /dev/fd/2 --loads /dev/stderr
mkfifo pipe && ln -s pipe pipe-too
exits "two results to one pipe" 2 'cannot both go to' "$heddle" eval $net dmodk -n 5 --samples pipe --loads pipe-too
echo mine >log
exits "a result does not replace the file of standard output" 3 'joined: standard output goes to this file' sh -c "'$heddle' route $net dmodk -o joined >joined"
rc=0
"$heddle" route $net dmodk -o log 2>>log >/dev/null || rc=$?
same "nor that of standard error" "3 mine heddle: log: standard error goes to this file, which would be replaced" "$rc $(paste -sd' ' log)"
mkdir files && echo mine >files/README
rc=0
"$heddle" route $net dmodk --deploy files -q >>files/README 2>err || rc=$?
same "nor one in a folder" "3 mine" "$rc $(cat files/README)"
{ rm gone; "$heddle" topo $net -o onto; cat <&9 >found; } >gone 9<gone # standard output without a name
check "a link to standard output is never replaced" sh -c 'test -L onto && cmp found net'
ln -s nothing dangling
exits "nor is one to nothing" 4 'dangling: cannot write: No such file' "$heddle" topo $net -o dangling
ln -s loop-a loop-b
ln -s loop-b loop-a
exits "links in a loop are called that" 4 'loop-a: cannot write: Too many levels' "$heddle" topo $net -o loop-a
echo mine >other
sleep 600 5>>other &
"$heddle" topo $net -o "/proc/$!/fd/5"
same "a descriptor of another process: its file has the result at the end" "mine $(cksum <net)" \
    "$(head -n 1 other) $(tail -n +2 other | cksum)"
check "and is the same file" test other -ef "/proc/$!/fd/5"
kill $!
wait $! 2>/dev/null
if [ -w /dev/shm ] && shm=$(mktemp -d /dev/shm/heddle-test-XXXXXX); then
    trap 'rm -rf "$tmp" "$shm"' EXIT
    "$heddle" route ft:m=8,n=2 dmodk -o "$shm/x" >/dev/null
    "$heddle" route $net dmodk -o "$shm/x" >/dev/null
    check "a file under /dev is replaced as any other" cmp table "$shm/x"
else
    skip "a file under /dev is replaced as any other" "/dev/shm cannot be written to"
fi

# ---- modes, descriptors, signals ---------------------------------------------------------------------------
chmod 600 lft
"$heddle" route $net dmodk -o lft >/dev/null
same "a private file stays private" 600 "$(stat -c %a lft)"
(umask 027 && "$heddle" route $net dmodk -o fresh >/dev/null)
same "a new one follows the umask" 640 "$(stat -c %a fresh)"
# acl FILE [ENTRIES]: sets the access control list, of (tag, permissions, id), or prints it.
acl() {
    python3 - "$@" 2>&1 <<'PY'
import os
import struct
import sys
name = 'system.posix_acl_' + ('default' if os.path.isdir(sys.argv[1]) else 'access')
if len(sys.argv) > 2:
    entries = [tuple(int(x) for x in e.split(',')) for e in sys.argv[2].split()]
    os.setxattr(sys.argv[1], name, struct.pack('<I', 2) + b''.join(struct.pack('<HHI', t, p, i % 2**32) for t, p, i in entries))
else:
    try:
        print(os.getxattr(sys.argv[1], name).hex())
    except OSError:
        print('none')
PY
}
"$heddle" route $net dmodk -o listed >/dev/null
if acl listed "1,6,-1 2,6,65534 4,0,-1 16,6,-1 32,0,-1" >/dev/null; then # for a user, and not for the group
    list=$(acl listed)
    "$heddle" route $net minhop -o listed >/dev/null
    same "an access control list stays" "$list 660" "$(acl listed) $(stat -c %a listed)"
    mkdir default
    "$heddle" route $net dmodk -o default/lft >/dev/null
    chmod 640 default/lft
    acl default "1,7,-1 2,7,65534 4,0,-1 16,7,-1 32,0,-1"
    "$heddle" route $net minhop -o default/lft >/dev/null
    same "a folder's default list is not for a file that had none" "none 640" "$(acl default/lft) $(stat -c %a default/lft)"
else
    skip "an access control list stays" "the file system has none"
    skip "a folder's default list is not for a file that had none" "the file system has none"
fi
"$heddle" route $net dmodk -o closed >&-
check "a table written with standard output closed" cmp lft closed
"$heddle" order "$OLDPWD/examples/fabric.ibnet" -o ranks 2>&- >/dev/null <&-
check "and with standard error closed" sh -c "! grep -q heddle: ranks"
for limit in 12 18 64; do # descriptors
    check "a folder of many files with $limit descriptors" sh -c "ulimit -n $limit; exec '$heddle' advise '$OLDPWD/examples/fabric.ibnet' -q -o few >few.out"
done
exits "a file that is larger than files may be" 4 'tables.lft: cannot write: File too large' sh -c "ulimit -f 1; exec '$heddle' route ft:m=8,n=2 minhop --deploy large"
check "leaves nothing" test ! -e large
exits "standard output that is full" 4 'standard output: cannot write' sh -c "'$heddle' topo $net >/dev/full"
ulimit -c 0
for signal in INT TERM HUP QUIT ALRM USR1 USR2 XCPU; do
    env --default-signal=INT,HUP,QUIT "$heddle" eval $net dmodk -n 1000000000 --threads 1 --samples "late-$signal" >/dev/null 2>&1 &
    until compgen -G "late-$signal.tmp*" >/dev/null || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
    kill -$signal $!
    wait $! 2>/dev/null
    same "SIG$signal leaves no temporary file" "" "$(find . -name "late-$signal.tmp*")"
    case $signal in
    INT | TERM) ;; # keep what there is
    *) check "and none with part of the samples" test ! -e "late-$signal" ;;
    esac
done
same "no temporary file is left" "" "$(find "$tmp" -name '*.tmp*')"
(limit 300000 && exec "$heddle" check ft:m=16,n=3 dmodk --threads 64) >out 2>err
rc=$?
check "threads that cannot be started are fewer, or a limit" test $rc = 0 -o $rc = 4
finish
