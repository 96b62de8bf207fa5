#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What ibdiagnet writes as a network and as a table: folders and archives with the documented columns in any order give
# the network that ibnetdiscover output gives, byte for byte; what is missing or broken is refused in one line.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
write() { python3 tests/golden/ibdiag.py "$@"; }
as_ibnet() { "$heddle" topo "$1" -o - --format ibnet; }

# ---- networks ---------------------------------------------------------------------------------------------
for net in ft:m=8,n=2 torus:dims=3x3,hosts=2 random:switches=9,ports=8,hosts=3,seed=2 rail:rails=2,units=2,hosts=3,spines=2; do
    "$heddle" topo "$net" -o "$tmp/net.ibnet"
    as_ibnet "$tmp/net.ibnet" >"$tmp/want"
    for order in 0 1 2; do
        rm -rf "$tmp/diag"
        write "$tmp/net.ibnet" "$tmp/diag" $order
        as_ibnet "$tmp/diag" >"$tmp/got"
        check "$net, columns in order $order" cmp "$tmp/want" "$tmp/got"
    done
    as_ibnet "$tmp/diag/ibdiagnet2.db_csv" >"$tmp/got"
    check "$net, the file of values alone" cmp "$tmp/want" "$tmp/got"
    sed -i '/^START_LINKS/,/^END_LINKS/d' "$tmp/diag/ibdiagnet2.db_csv"
    as_ibnet "$tmp/diag" >"$tmp/got"
    check "$net, links of net_dump" cmp "$tmp/want" "$tmp/got"
    same "$net, net_dump alone" "$("$heddle" topo "$tmp/net.ibnet" --json | grep -v '"net"')" \
        "$("$heddle" topo "$tmp/diag/ibdiagnet2.net_dump" --json | grep -v '"net"')"
    cp "$tmp/net.ibnet" "$tmp/diag/ibdiagnet2.ibnetdiscover"
    as_ibnet "$tmp/diag" >"$tmp/got"
    check "$net, the folder's ibnetdiscover output" cmp "$tmp/want" "$tmp/got"
done

# ---- archives and tables ----------------------------------------------------------------------------------
"$heddle" topo ft:m=8,n=2 -o "$tmp/net.ibnet"
"$heddle" route "$tmp/net.ibnet" ftree --format fdbs -o "$tmp/fdbs"
rm -rf "$tmp/diag"
write "$tmp/net.ibnet" "$tmp/diag" 2 "$tmp/fdbs"
as_ibnet "$tmp/net.ibnet" >"$tmp/want"
long=$tmp/$(printf 'a%.0s' $(seq 120))
mkdir "$long"
cp "$tmp"/diag/* "$long"
tar -C "$tmp" -cf "$tmp/pax.tar" --format=pax "${long##*/}"
tar -C "$tmp" -czf "$tmp/gnu.tgz" --format=gnu "${long##*/}"
tar -C "$tmp" -cf - --format=ustar diag | zstd -q >"$tmp/ustar.tar.zst"
gzip -k "$tmp/diag/ibdiagnet2.db_csv"
mkdir "$tmp/packed"
mv "$tmp/diag/ibdiagnet2.db_csv.gz" "$tmp/packed"
tar -C "$tmp" -cf "$tmp/inner.tar" packed
mkdir "$tmp/mac"
printf '\0\005\026\007' >"$tmp/mac/._ibdiagnet2.db_csv"
cp "$tmp/diag/ibdiagnet2.db_csv" "$tmp/mac"
tar -C "$tmp" -cf "$tmp/mac.tar" mac/._ibdiagnet2.db_csv mac/ibdiagnet2.db_csv
for file in diag packed pax.tar gnu.tgz ustar.tar.zst inner.tar mac mac.tar; do
    as_ibnet "$tmp/$file" >"$tmp/got"
    check "the network of $file" cmp "$tmp/want" "$tmp/got"
done
as_ibnet - <"$tmp/gnu.tgz" >"$tmp/got"
check "an archive from standard input" cmp "$tmp/want" "$tmp/got"
mkdir "$tmp/smdb"
mv "$tmp/diag/ibdiagnet2.db_csv" "$tmp/smdb/opensm-smdb.dump"
as_ibnet "$tmp/smdb" >"$tmp/got"
check "the network of opensm-smdb.dump" cmp "$tmp/want" "$tmp/got"
"$heddle" check "$tmp/net.ibnet" ftree --json | grep -v '"table"\|"net"' >"$tmp/want"
for file in gnu.tgz pax.tar ustar.tar.zst; do
    "$heddle" check "$tmp/$file" "$tmp/$file" --json | grep -v '"table"\|"net"' >"$tmp/got"
    check "network and tables of $file" cmp "$tmp/want" "$tmp/got"
done
"$heddle" check "$tmp/net.ibnet" "file:path=$tmp/gnu.tgz" --json | grep -v '"table"\|"net"' >"$tmp/got"
check "tables by the engine file" cmp "$tmp/want" "$tmp/got"

# ---- which folder of an archive -------------------------------------------------------------------------------
# Two days in one archive: the network of the first, which has no tables, and the tables of the second make no fabric.
in=$tmp/in
mkdir -p "$in/day/1" "$in/day/2" "$in/day/notes" "$in/one/old" "$in/one/notes" "$in/site/opensm" "$in/site/ibdiagnet2"
"$heddle" topo torus:dims=2x3,hosts=1 -o "$in/day/1/ibdiagnet2.ibnetdiscover"
cp "$in/day/1/ibdiagnet2.ibnetdiscover" "$in/one/old"
cp "$in/day/1/ibdiagnet2.ibnetdiscover" "$in/site/opensm/opensm-subnet.lst"
for folder in day/2 one site/ibdiagnet2; do
    cp "$tmp/net.ibnet" "$in/$folder/ibdiagnet2.ibnetdiscover"
    cp "$tmp/fdbs" "$in/$folder/ibdiagnet2.fdbs"
done
echo "not a network" | tee "$in/one/notes/files.lst" >"$in/one/notes/Module.pm"
tar -C "$in/day" -cf "$in/day.tar" 1 2 notes
tar -C "$in/day" -czf "$in/back.tgz" 2 1
tar -C "$in" -cf "$in/deep.tar" ./day/notes ./day//2
tar -C "$in" -cf "$in/one.tar" one/old one/notes one/ibdiagnet2.fdbs one/ibdiagnet2.ibnetdiscover
tar -C "$in" -cf "$in/site.tar" site
tar -C "$in" -cf "$in/apart.tar" one/ibdiagnet2.fdbs day/1
for file in day.tar back.tgz; do
    said="$file: has captures in several folders, '1', '2': expected one"
    exits "two captures in $file" 3 "$said" "$heddle" topo "$in/$file"
    exits "the tables of two captures in $file" 3 "$said" "$heddle" check "$tmp/net.ibnet" "$in/$file"
    exits "network and tables of two captures in $file" 3 "$said" "$heddle" check "$in/$file" "$in/$file"
done
from() { "$heddle" topo - <"$1"; }
exits "two captures from standard input" 3 "<stdin>: has captures in several folders, '1', '2'" from "$in/day.tar"
for file in deep.tar one.tar site.tar; do
    "$heddle" check "$in/$file" "$in/$file" --json | grep -v '"table"\|"net"' >"$tmp/got"
    check "one capture among other folders in $file" cmp "$tmp/want" "$tmp/got"
done
exits "tables of another folder than the network" 3 'apart.tar:day/1: no forwarding tables in it' "$heddle" check "$in/apart.tar" "$in/apart.tar"

# A folder and its archive are the same network, whatever order the archive has; a file that is added again counts.
mkdir "$in/same"
cp "$in/day/1/ibdiagnet2.ibnetdiscover" "$in/same/b.ibnetdiscover"
cp "$tmp/net.ibnet" "$in/same/a.ibnetdiscover"
tar -C "$in" -cf "$in/same.tar" same/b.ibnetdiscover same/a.ibnetdiscover
as_ibnet "$in/same" >"$tmp/folder"
as_ibnet "$in/same.tar" >"$tmp/got"
check "an archive is read as its folder is" cmp "$tmp/folder" "$tmp/got"
cp "$in/same/b.ibnetdiscover" "$in/same/a.ibnetdiscover"
tar -C "$in" -rf "$in/same.tar" same/a.ibnetdiscover
as_ibnet "$in/same" >"$tmp/folder"
as_ibnet "$in/same.tar" >"$tmp/got"
check "a file that was added again" cmp "$tmp/folder" "$tmp/got"
echo broken >"$in/same/a.ibnetdiscover"
mkdir "$in/many" # files of other programs may end like those of ibdiagnet
(cd "$in/many" && seq -f '%05g.pm' 1 17000 | xargs touch)
cp "$tmp/net.ibnet" "$in/many/net.ibnet"
tar -C "$in" -cf "$in/many.tar" many
check "many files that are none of it" "$heddle" topo "$in/many.tar"
tar -C "$in" -cf "$in/broken.tar" same
exits "messages name the folder" 3 'broken.tar:same/a.ibnetdiscover:1: ' "$heddle" topo "$in/broken.tar"

# Links lead to files of the archive only, and v7 has no mark.
mkdir "$in/hard" "$in/named" "$in/away"
cp "$tmp/net.ibnet" "$in/hard/net.txt"
ln "$in/hard/net.txt" "$in/hard/ibdiagnet2.ibnetdiscover"
ln -s ../hard/net.txt "$in/named/ibdiagnet2.ibnetdiscover"
ln -s /etc/hostname "$in/away/ibdiagnet2.ibnetdiscover"
tar -C "$in" -cf "$in/hard.tar" hard/net.txt hard/ibdiagnet2.ibnetdiscover
tar -C "$in" -cf "$in/named.tar" named hard/net.txt
tar -C "$in" -cf "$in/away.tar" away
tar -C "$in" -cf "$in/v7.tar" --format=v7 day/2
tar -cf "$in/empty.tar" -T /dev/null
head -c 300 "$in/v7.tar" >"$in/short.tar"
as_ibnet "$tmp/net.ibnet" >"$tmp/folder"
for file in hard.tar named.tar v7.tar; do
    as_ibnet "$in/$file" >"$tmp/got"
    check "the network of $file" cmp "$tmp/folder" "$tmp/got"
done
exits "a link that leads out of the archive" 3 "away.tar:away/ibdiagnet2.ibnetdiscover: is a link to 'etc/hostname', which is not a file of the archive" "$heddle" topo "$in/away.tar"
exits "an empty archive" 3 'empty.tar:1: zero byte in a text file: expected text, plain, gzip or zstd \(is it an empty archive' "$heddle" topo "$in/empty.tar"
exits "not even a header" 3 'short.tar:1: zero byte in a text file: expected text, plain, gzip or zstd$' "$heddle" topo "$in/short.tar"

# Files of which tar left out the holes: many of them, so that their list does not fit into a header.
python3 - "$in" <<'PYTHON'
import os, sys
os.mkdir(f"{sys.argv[1]}/holes")
with open(f"{sys.argv[1]}/holes/disk", "wb") as f:
    for i in range(1, 41): f.write(b"data") and f.truncate(i << 16) and f.seek(i << 16)
PYTHON
cp "$tmp/net.ibnet" "$in/holes/ibdiagnet2.ibnetdiscover"
for format in gnu pax; do
    tar -C "$in" -cf "$in/holes.tar" --format=$format --sparse holes/disk holes/ibdiagnet2.ibnetdiscover
    as_ibnet "$in/holes.tar" >"$tmp/got"
    check "the network behind a sparse file in $format" cmp "$tmp/folder" "$tmp/got"
done
cp --sparse=always "$in/holes/disk" "$in/holes/ibdiagnet2.ibnetdiscover"
for format in gnu pax; do
    tar -C "$in" -cf "$in/holes.tar" --format=$format --sparse holes/disk holes/ibdiagnet2.ibnetdiscover
    exits "a sparse network in $format" 3 'holes.tar:holes/ibdiagnet2.ibnetdiscover: a sparse file, without its holes: expected one with all its bytes$' "$heddle" topo "$in/holes.tar"
done

# 5 GiB of zeros before the files, in some kilobytes: no program of diagnostics leaves that behind.
python3 - "$tmp" <<'PYTHON'
import subprocess, sys, tarfile
pack = lambda data: subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
zeros = tarfile.TarInfo("diag/zeros")
zeros.size = 80 << 26
with open(f"{sys.argv[1]}/ustar.tar.zst", "rb") as f: rest = f.read()
with open(f"{sys.argv[1]}/bomb.tar.zst", "wb") as f: f.write(pack(zeros.tobuf(tarfile.GNU_FORMAT)) + 80 * pack(bytes(1 << 26)) + rest)
PYTHON
exits "an archive that unpacks to gigabytes before its files" 3 "bomb.tar.zst: more than 4294967296 bytes in the archive: expected less" "$heddle" topo "$tmp/bomb.tar.zst"

# ---- adaptive routing --------------------------------------------------------------------------------------
rm -rf "$tmp/diag"
write "$tmp/net.ibnet" "$tmp/diag" 1 "$tmp/fdbs"
far=$tmp/diag/ibdiagnet2.far
without() { "$heddle" "$@" --json | grep -v '"table"\|"net"'; }
groups_of() { grep -v '^# heddle table ' "$1"; } # a file that was read is called by its name
for engine in ar_updn ar_ftree; do
    "$heddle" route "$tmp/net.ibnet" $engine --format far -o "$far" -q >/dev/null
    "$heddle" route "$tmp/net.ibnet" "$far" --format far -o "$tmp/again" -q >/dev/null
    same "a far file of $engine written again" "$(groups_of "$far")" "$(groups_of "$tmp/again")"
    same "groups of a folder are those of $engine" "$(without check "$tmp/net.ibnet" $engine)" "$(without check "$tmp/diag" "$tmp/diag")"
done
"$heddle" route "$tmp/net.ibnet" ar_ftree -o "$tmp/named.far" -q >/dev/null
check "a file that ends in .far is one" cmp "$far" "$tmp/named.far"
choices() { "$heddle" check "$tmp/diag" "$1" --json | python3 -c 'import json,sys; print(*[json.load(sys.stdin)["adaptive"][k] for k in ("'"$2"'",)])'; }
same "entries with a choice" 224 "$(choices "$far" entries)"
sed 's/Free   /Bounded/' "$far" >"$tmp/bounded"
same "bounded LIDs choose too" 224 "$(choices "$tmp/bounded" entries)"
"$heddle" route "$tmp/net.ibnet" "$tmp/bounded" --format far -o "$tmp/again" -q >/dev/null
same "and stay bounded" "$(groups_of "$tmp/bounded")" "$(groups_of "$tmp/again")"
sed 's/Free   /HBF    /' "$far" >"$tmp/hash"
same "hashed ones as well" 224 "$(choices "$tmp/hash" entries)"
sed 's/Free   /Static /' "$far" >"$tmp/static"
same "static ones do not" 0 "$(choices "$tmp/static" entries)"
same "an empty group means the static port" 0 "$(sed '/^Groups/,/^LFT/s/^\([0-9]* *0 *0\).*/\1/' "$far" >"$tmp/none"; choices "$tmp/none" entries)"
sed 's/^\([0-9]* *0 *0 *[0-9]*,[0-9]*,\)\(.*\)/\1\n1 1 0 \2/' "$far" >"$tmp/sub"
same "sub groups are taken together" 224 "$(choices "$tmp/sub" entries)"
awk '{ print } /^-----/ && !n++ { for (g = 1; g <= 65535; g++) print g, 0, 0; print 65535, 1, 0 }' "$far" >"$tmp/most"
same "sub groups of a switch that has the most groups" 224 "$(choices "$tmp/most" entries)"
# ports to hosts in a group: some choice ends at the wrong host
sed '0,/^1 .*/s//1 0 0 1,5,6,7,8,/' "$far" >"$tmp/wrong"
faulty() { "$heddle" check "$tmp/diag" "$1" >"$tmp/out" 2>"$tmp/err"; echo $?; }
same "a choice that goes wrong" 1 "$(faulty "$tmp/wrong")"
check "is named" grep -q '^every choice     may fail: [0-9]* pairs unreachable, 0 in loops, such as .* to .* at L1-0000 port 1 -> ' "$tmp/out"
# a spine that sends packets for a host down to any leaf switch, which sends them up again
sed '/^Switch 0x0200000000100008/,/^Switch 0x0200000000100009/{s/^-----.*/&\n1 0 0 1,2,3,/;s/^\(0x0001  *1  *\)Static      0/\1Free        1/}' "$far" | sed '/^LID /{n;n;s/^1 0 0 1,2,3,$//}' | grep -v '^$' >"$tmp/turn"
same "a choice that turns from down to up" 1 "$(faulty "$tmp/turn")"
check "loops" grep -q 'in loops, such as .* to node-00000' "$tmp/out"
check "and is a credit loop" grep -q '^deadlock-free    no' "$tmp/out"
sim() { "$heddle" sim "$tmp/diag" "$@" -p bisect -n 2 --size 64KiB --messages 2 --json | grep -v '"table"'; }
"$heddle" route "$tmp/diag" ar_ftree --format far -o "$far" -q >/dev/null
for select in ar ecmp; do
    same "$select chooses among groups: all minimal ports" "$(sim ftree --select $select)" "$(sim "$tmp/diag" --select $select)"
done
sed 's/5,6,7,8,/5,/' "$far" >"$tmp/one"
if [ "$(sim "$tmp/one" --select ar)" != "$(sim "$far" --select ar)" ]; then pass "and a group of one port matters"; else fail "and a group of one port matters"; fi
exits "choices that do not arrive are not simulated" 3 'some choices of its groups of ports do not arrive' "$heddle" sim "$tmp/diag" "$tmp/wrong" --select ar -n 1
bad() { sed "$1" "$far" >"$tmp/bad"; }
bad 's/Free        1/Free        9/'
exits "a group that is not defined" 3 'bad:[0-9]+: group 9: expected one that Groups Definition lists' "$heddle" check "$tmp/diag" "$tmp/bad"
bad 's/Free        1/Loose       1/'
exits "a state that there is not" 3 "bad:[0-9]+: 'Loose +1': expected Static, Free, Bounded or HBF" "$heddle" check "$tmp/diag" "$tmp/bad"
bad 's/5,6,7,8,/5,6,99,/'
exits "a port that there is not" 3 "bad:[0-9]+: port 99: switch '.*' has 8 ports" "$heddle" check "$tmp/diag" "$tmp/bad"
bad 's/5,6,7,8,/five/'
exits "ports that are none" 3 "bad:[0-9]+: 'five': expected ports" "$heddle" check "$tmp/diag" "$tmp/bad"

# ---- a port that is cabled to another of the same switch ---------------------------------------------------
write "$tmp/net.ibnet" "$tmp/loop" 0
"$heddle" topo "$tmp/loop/ibdiagnet2.db_csv" >"$tmp/plain"
sed -i '/^END_LINKS/i 0x0200000000100000,7,0x0200000000100000,8' "$tmp/loop/ibdiagnet2.db_csv"
"$heddle" topo "$tmp/loop/ibdiagnet2.db_csv" >"$tmp/looped" 2>"$tmp/err"
check "is left out" cmp "$tmp/plain" "$tmp/looped"
check "with a note" grep -q 'db_csv:[0-9]*: port 7 of "0x0200000000100000" leads back to the same node: left out (1 line)' "$tmp/err"

# ---- what is broken ---------------------------------------------------------------------------------------
db=$tmp/db_csv
write "$tmp/net.ibnet" "$tmp/good" 0
edit() { sed "$1" "$tmp/good/ibdiagnet2.db_csv" >"$db"; }
edit 's/NodeGUID/NodeName/'
exits "a needed column is missing" 3 'db_csv:[0-9]+: section NODES has no column NodeGUID' "$heddle" topo "$db"
edit '/^END_PORTS/d'
exits "a section without an end" 3 'db_csv:[0-9]+: START_LINKS inside the section' "$heddle" topo "$db"
edit '/^END_LINKS/d'
exits "the last one" 3 'db_csv:[0-9]+: the file ends inside section LINKS' "$heddle" topo "$db"
edit '/^START_LINKS/,/^END_LINKS/d'
exits "no links at all" 3 'db_csv: no links: expected a section LINKS' "$heddle" topo "$db"
edit '/^START_NODES/,/^END_NODES/d'
exits "no nodes" 3 'db_csv:[0-9]+: node 0x[0-9a-f]+ has no row in NODES' "$heddle" topo "$db"
edit 's/^\("L1-0000",[0-9]*\),2,/\1,7,/'
exits "a kind of node that there is not" 3 'db_csv:[0-9]+: NodeType 7' "$heddle" topo "$db"
edit 's/^"L1-0000",8,/"L1-0000",2,/'
exits "a port beyond the last" 3 'db_csv:[0-9]+: port [0-9]+ of "S-.*": expected 1 to 2' "$heddle" topo "$db"
edit 's/^"L1-0000",8,/"L1-0000",eight,/'
exits "a number that is none" 3 "db_csv:[0-9]+: NumPorts 'eight'" "$heddle" topo "$db"
edit '/^START_LINKS/,/^END_LINKS/s/\(0x[0-9a-f]*\),[0-9]*,\(0x[0-9a-f]*\),/\1,1,\2,/'
exits "a port with two cables" 3 'db_csv:[0-9]+: port 1 of 0x[0-9a-f]+ is at line' "$heddle" topo "$db"
edit '/^START_LINKS/,/^END_LINKS/s/^\(0x[0-9a-f]*,[0-9]*\),.*/\1/'
exits "a row that is cut off" 3 'db_csv:[0-9]+: 2 values in section LINKS: expected at least 4' "$heddle" topo "$db"
mkdir "$tmp/empty"
exits "a folder with nothing in it" 3 'empty: has no network: expected ibdiagnet2.db_csv' "$heddle" topo "$tmp/empty"
exits "a folder without tables" 3 'good: no forwarding tables in it: expected ibdiagnet2.far or ibdiagnet2.fdbs' "$heddle" check "$tmp/good" "$tmp/good"
head -c 3000 "$tmp/pax.tar" >"$tmp/cut.tar"
exits "an archive that is cut off" 3 'cut.tar.*the archive ends early' "$heddle" topo "$tmp/cut.tar"
{ head -c 512 "$tmp/inner.tar"; head -c 2048 /dev/urandom | tr '\0' x; } >"$tmp/junk.tar"
exits "an archive that goes on with something else" 3 'junk.tar: a broken header in the archive' "$heddle" topo "$tmp/junk.tar"
finish
