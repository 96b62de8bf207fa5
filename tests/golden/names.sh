#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Names are hostile: any host on the fabric chooses its own description, and a file may have any name. Whatever they hold,
# every network format stays well formed for its own readers, and the names come out of it as they went in, or changed
# to what the format allows.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

folder="$tmp/it's \"a\" \$(touch x_was_run) <b>&
#=cmd"
mkdir "$folder"
python3 - "$folder" <<'PY'
import re
import sys
names = [b'quote" and \'apostrophe\'', b'$(touch x_was_run)', b'`id`;id|id', b'</script><script>alert(1)</script>', b'=cmd|calc', b'#leading',
         b'-rf', b'back\\slash\\n', b'bad \xff\xfe\xc3( utf8', b'n' * 64, b'control \x01\x1b[31m\x7f', b'bell \x07 \x7f', b'a,b;c:d{e}[f]', b'%s%n%d',
         b']]>&amp;<!--', b'\xe2\x80\xae right to left', b'key: value', b'@', b'*', b'true', b' blanks  inside ',
         b'C1 \xc2\x9b31m \x9b31m \xdb\x9b']
with open(sys.argv[1] + '/net', 'wb') as f:
    f.write(b'Switch %d "S-1" # "%s" base port 0 lid 100 lmc 0\n' % (len(names), b'sw </title>"$(x)" #'))
    for i in range(len(names)):
        f.write(b'[%d] "H-%d"[1]\n' % (i + 1, i))
    for i, n in enumerate(names):
        f.write(b'\nCa 1 "H-%d" # "%s"\n[1] "S-1"[%d] # lid %d lmc 0 "x" lid 100 4xEDR\n' % (i, n, i + 1, i + 1))
with open(sys.argv[1] + '/names.py', 'w') as f:
    # A line with an escape sequence is one that a terminal showed: sequences and other control characters are gone.
    seen = [bytes(c for c in re.sub(rb'\x1b\[[0-9;]*m', b'', n) if c >= 32 and c != 127) if b'\x1b' in n else
            bytes(32 if c < 32 or c == 127 else c for c in n) for n in names]
    seen = [n.replace(b'\xc2\x9b', b'  ').replace(b' \x9b', b'  ').replace(b'\xe2\x80\xae', b'   ') for n in seen]
    f.write('names = %r\n' % ([n.decode(errors='replace') for n in seen],))
PY
for format in ibnet dot graphml json slurm slurm-yaml svg; do
    "$heddle" topo "$folder/net" --format $format -o "$tmp/out.$format" 2>/dev/null
done
# reads NAME MODULE CODE: Python reads out.FORMAT, if it has the module, and the code prints yes.
reads() {
    local name=$1 module=$2 code=$3 out
    if ! python3 -c "import $module" 2>/dev/null; then skip "$name" "python3 has no $module"; return; fi
    out=$(python3 - "$tmp" "$folder" 2>&1 <<PY
import sys
sys.path.insert(0, sys.argv[2])
from names import names
out = sys.argv[1] + "/out."
import $module
$code
PY
)
    same "$name" yes "$out"
}
reads "JSON holds every name" json 'n = json.load(open(out + "json"))["nodes"]
print("yes" if {x["name"] for x in n if x["kind"] == "host"} == set(names) else n)'
reads "GraphML holds every name" xml.dom.minidom 'd = xml.dom.minidom.parse(out + "graphml")
n = {e.firstChild.data for e in d.getElementsByTagName("data") if e.getAttribute("key") == "name"}
print("yes" if set(names) <= n else set(names) - n)'
reads "SVG is markup without a script" xml.dom.minidom 'd = xml.dom.minidom.parse(out + "svg")
print("yes" if not d.getElementsByTagName("script") and "net" in d.getElementsByTagName("title")[0].firstChild.data else "no")'
reads "topology.conf has names that Slurm takes" re 'lines = open(out + "slurm").read().split("\n")
bad = [l for l in lines if l and not l.startswith("#") and not re.fullmatch(r"SwitchName=[\w.-]{1,64} (Nodes|Switches)=[\w.,\[\]-]+", l)]
print("yes" if not bad and sum(l.startswith("SwitchName") for l in lines) == 1 else bad)'
reads "topology.yaml is YAML" yaml 't = yaml.safe_load(open(out + "slurm-yaml"))[0]["tree"]["switches"]
print("yes" if len(t) == 1 and isinstance(t[0]["nodes"], str) else t)'
if command -v dot >/dev/null; then
    check "Graphviz reads its file" sh -c "dot -Tplain '$tmp/out.dot' >'$tmp/plain'"
    same "with a node for each name" 23 "$(grep -c '^node ' "$tmp/plain")"
else
    skip "Graphviz reads its file" "dot is not installed"
fi
"$heddle" topo "$tmp/out.ibnet" --format json -o "$tmp/out.again" 2>/dev/null
reads "what is written as ibnetdiscover text is read back, quotes as apostrophes" json 'n = json.load(open(out + "again"))["nodes"]
print("yes" if {x["name"] for x in n if x["kind"] == "host"} == {x.replace(chr(34), chr(39)) for x in names} else n)'
# ---- a folder of advice on it: its README has the file's name, which may end no line
"$heddle" advise "$folder/net" minhop -o "$tmp/advice" >/dev/null 2>&1
same "the README names the network on one line" "1 0" \
    "$(head -n 1 "$tmp/advice/README" | grep -c 'it.s "a" .*?#=cmd/net$') $(tr -d '\n' <"$tmp/advice/README" | grep -c '[[:cntrl:]]')"
# ---- names of files in what is printed: lines of their own and commands of a terminal
python3 - "$folder" "$tmp" <<'PY'
import shutil
import sys
folder, tmp = (p.encode() for p in sys.argv[1:])
for name in (b'1.net', b'2 \x1b[31m\nbegun \xc2\x9b1m.net'):
    shutil.copy(folder + b'/net', tmp + b'/' + name)
PY
hostile=$tmp/$(cd "$tmp" && echo 2*)
"$heddle" route "$hostile" minhop -o "$hostile.lft" >/dev/null 2>&1
mkdir "$tmp/captures"
cp "$tmp/1.net" "$hostile" "$tmp/captures"
# prints NAME COMMAND...: no control characters but line ends, and no line that a name began.
prints() {
    local name=$1; shift
    "$@" >"$tmp/text" 2>/dev/null
    same "$name: names in it do not act" "yes 0 0" \
        "$([ -s "$tmp/text" ] && echo yes) $(LC_ALL=C tr -d '\n -~' <"$tmp/text" | LC_ALL=C sed 's/\xdb\x9b//g' | LC_ALL=C grep -c '[[:cntrl:]\x80-\x9f]') $(grep -c '^begun' "$tmp/text")"
}
prints topo "$heddle" topo "$hostile"
prints route "$heddle" route "$hostile" "$hostile.lft"
prints keep "$heddle" route "$hostile" minhop --keep "$hostile.lft"
prints check "$heddle" check "$hostile" "$hostile.lft"
prints diff "$heddle" diff "$hostile" "$hostile.lft" minhop
prints transition "$heddle" transition "$hostile" "$hostile.lft" minhop
prints eval "$heddle" eval "$hostile" "$hostile.lft" -n 2
prints sim "$heddle" sim "$hostile" "$hostile.lft" -n 1
prints order "$heddle" order "$hostile" "$hostile.lft"
prints advise "$heddle" advise "$hostile"
prints watch "$heddle" watch "$tmp/captures"
prints "watch --json" "$heddle" watch "$tmp/captures" --json
cp "$tmp/out.ibnet" "$tmp/$(printf 'a\342\200\256b')"
same "a direction in JSON is escaped" 1 "$("$heddle" topo "$tmp/$(printf 'a\342\200\256b')" --format json -o - 2>/dev/null | grep -c '"spec".*/a\\u202eb"')"
"$heddle" topo "$folder/net" -o "$tmp/again.ibnet" 2>/dev/null
"$heddle" topo "$tmp/again.ibnet" -o "$tmp/third.ibnet" 2>/dev/null
check "names are the same, written and read again" cmp <(grep '^Ca' "$tmp/again.ibnet") <(grep '^Ca' "$tmp/third.ibnet")
same "and have no direction" 0 "$(LC_ALL=C grep -c "$(printf '\342\200\256')" "$tmp/again.ibnet")"
# Files whose names begin with a dash: what is shown is run by a shell and by heddle as it stands.
(cd "$tmp" && "$heddle" topo ft:m=4,n=2 -o ./-x.ibnet && "$heddle" route ft:m=4,n=2 minhop -o ./-x.lft >/dev/null) 2>/dev/null
(cd "$tmp" && "$heddle" advise --json -- -x.ibnet -x.lft) >"$tmp/dash.json" 2>/dev/null
python3 - "$tmp/dash.json" >"$tmp/dash.sh" <<'PY'
import json, sys
def commands(x):
    if isinstance(x, str) and x.startswith("heddle eval "): yield x
    for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else []: yield from commands(y)
for command in sorted(set(commands(json.load(open(sys.argv[1])))))[:3]: print(command)
PY
check "commands to copy have networks" grep -q ' ./-x.ibnet ' "$tmp/dash.sh"
check "and tables" grep -q ' ./-x.lft ' "$tmp/dash.sh"
check "and run" sh -ec "cd '$tmp' && heddle() { '$heddle' \"\$@\"; } && . ./dash.sh"
same "files of orders too" 1 "$(cd "$tmp" && "$heddle" order ft:m=4,n=2 -o -x.ranks | grep -c -e '--rankfile ./-x.ranks ')"
same "standard input stays what it is" 0 "$("$heddle" advise - --json <"$tmp/out.ibnet" 2>/dev/null | grep -c 'heddle.* ./- ')"
exits "messages" 3 'host name .C1' "$heddle" order "$folder/net" --nodes 'C1   31m  31m ۛ' --format names
same "have no C1 controls" 0 "$(LC_ALL=C grep -c "$(printf '\302\233')" "$tmp/err")"
# ---- every rail has a description of its own
"$heddle" topo rail:rails=2,units=1,hosts=2,spines=1,uplinks=1 -o "$tmp/rails"
check "the host's name on both rails is one for ca-order" "$heddle" order "$tmp/rails" --format ca-order
sed -i 's/node-1 mlx5_1/node-1 #x mlx5_1/' "$tmp/rails"
exits "a # in one of the second rail is not" 3 "host name 'node-1 #x mlx5_1'" "$heddle" order "$tmp/rails" --rails '(node-[0-9]*).*(mlx5_[01])' --format ca-order
check "nothing was executed" test ! -e x_was_run -a ! -e "$tmp/x_was_run"
# Long names are cut between characters, wherever the last one begins: of neighbours, and of nodes.
python3 - "$tmp/long" <<'PY'
import sys
names = ['a' * k + mark * 60 for k in range(61, 65) for mark in ('\u00fc', '\u2013', '\U0001f600')]
with open(sys.argv[1], 'w', encoding='utf-8') as f:
    f.write('Switch %d "S-1" # "%s"\n' % (len(names), names[0]) + ''.join('[%d] "H-%d"[1]\n' % (i + 1, i) for i in range(len(names))))
    f.write(''.join('\nCa 1 "H-%d" # "%s"\n[1] "S-1"[%d]\n' % (i, n, i + 1) for i, n in enumerate(names)))
PY
"$heddle" topo "$tmp/long" -o "$tmp/cut" 2>/dev/null
check "names that are cut are UTF-8" iconv -f UTF-8 -t UTF-8 "$tmp/cut" -o "$tmp/same"
"$heddle" topo "$tmp/cut" -o "$tmp/again" 2>/dev/null
check "and are cut once" cmp "$tmp/cut" "$tmp/again"
finish
