#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Faults of the cabling: a sample of the fabrics of tests/prop/prop_cabling.py and of the grids of prop_cabling_grids.py,
# whose faults must be reported and nothing else (HEDDLE_CABLINGS=500, as in make soak, takes more); no false alarm on topologies and captures.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

check "director and rail fabrics with faults" python3 tests/prop/prop_cabling.py "$heddle" "${HEDDLE_CABLINGS:-30}"
check "two of five spines with a cable to a leaf are spines nevertheless" python3 tests/prop/prop_cabling.py "$heddle" 1 9 46
check "a spine with two stray cables of ten" python3 tests/prop/prop_cabling.py "$heddle" 1 21 292
check "a spine with a stray cable, which only two others are like" python3 tests/prop/prop_cabling.py "$heddle" 1 21 436
check "settle where a stray cable joins two groups" python3 tests/prop/prop_cabling.py "$heddle" 1 1 80
check "grids with faults" python3 tests/prop/prop_cabling_grids.py "$heddle" "${HEDDLE_CABLINGS:-15}"
check "swapped cables that cross in a HyperX" python3 tests/prop/prop_cabling_grids.py "$heddle" 1 1 499

# faults NET: kinds and numbers of what is reported.
faults() {
    "$heddle" topo "$@" --json 2>/dev/null | python3 -c '
import json, sys
print(" ".join("%s=%d" % (k, len(v)) for k, v in json.load(sys.stdin)["cabling"].items() if v) or "none")'
}
same "four groups of a dragonfly, one without a switch: no cable is called extra" none \
    "$(faults dragonfly:a=6,p=2,h=2,g=4 --fail switches=1,seed=1)"
for net in gft:n=4,m=4,r=8 ft:m=8,n=3 ft:m=4,n=3 pgft:m=4x6,w=1x2,p=1x3 pgft:m=6x6x4,w=1x3x2,p=1x2x3 pgft:m=8x4x6,w=1x2x4,p=1x3x2 \
    kary:k=3,n=3 torus:dims=4x4x4 torus:dims=5x3 mesh hypercube:n=5 hyperx dragonfly dragonfly+ slimfly random deimos odin ranger director:groups=2,leaves=3,sharp=on,storage=3 \
    director:groups=2,leaves=9,directors=1,lines=5,spines=10,hosts=6 rail:leaves=2,hosts=5,sharp=on,storage=5; do
    "$heddle" topo $net -o "$tmp/net.ibnet"
    same "$net is whole, generated and read" "none none" "$(faults $net) $(faults "$tmp/net.ibnet")"
done
for net in deimos:hosts=12x0x12,cables=1 deimos:hosts=0x12x12,cables=2; do
    "$heddle" topo $net -o "$tmp/net.ibnet"
    same "chassis that meet by few cables are no tree with stray ones: $net" "none none" "$(faults $net) $(faults "$tmp/net.ibnet")"
done
# A switch that lost all cables to its group still has those to other groups, which say whose it is. Of two of them it is
# not known, which is no PASS.
lone() { # NET LINKS: what advise says of its cables without these links
    "$heddle" topo "$1" --fail "link=$2" -o "$tmp/net.ibnet" -q
    "$heddle" advise "$tmp/net.ibnet" -q | tr -s ' \n' ' ' | grep -o '[A-Z]* missing cables [^:]*'
}
same "a switch of a dragonfly without local cables" "WARN missing cables 3 of 90 switch-to-switch cables" \
    "$(lone dragonfly:a=4,p=2,h=2 L1-0009:3+L1-0009:4+L1-0009:5)"
same "lacks three" "missing L1-0008 port 3 - L1-0009 port 3 missing L1-0009 port 4 - L1-0010 port 4 missing L1-0009 port 5 - L1-0011 port 4 " \
    "$("$heddle" topo "$tmp/net.ibnet" | sed -n 's/^  missing  */missing /p' | tr '\n' ' ')"
same "or seven" "missing=7" "$(faults dragonfly:a=8,p=4,h=4 --fail "link=$(seq -s+ -f 'L1-0019:%g' 5 11)")"
same "two of them" "WARN missing cables not known" \
    "$(lone dragonfly:a=4,p=2,h=2 L1-0009:3+L1-0009:4+L1-0009:5+L1-0021:3+L1-0021:4+L1-0021:5)"
# A group that is filled in part lacks nothing.
part() { # NET SWITCHES: what advise says of its cables without these switches and their hosts
    "$heddle" topo "$1" --fail "switch=$2" -o "$tmp/net.ibnet" -q
    "$heddle" advise "$tmp/net.ibnet" -q | tr -s ' \n' ' ' | grep -o '[A-Z]* missing cables [^:]*'
}
for switches in L1-0034+L1-0035 L1-0033+L1-0034+L1-0035; do
    same "the last group of a dragonfly without $switches" "PASS missing cables none" "$(part dragonfly:a=4,p=2,h=2 $switches)"
done
# The same network has two names: ports tell which.
for net in torus:dims=4x4x4 torus:dims=4x4x4,cables=3 torus:dims=4x4 hypercube:n=6 hypercube:n=4; do
    "$heddle" topo $net -o "$tmp/net.ibnet"
    same "$net keeps its name" "${net%%,*}" "$("$heddle" topo "$tmp/net.ibnet" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["shape"])')"
done
same "a torus lacks what was taken" "missing=3" "$(faults torus:dims=5x4 --fail links=3)"
for fail in torus:dims=5x4,1 torus:dims=5x5,1 mesh:dims=5x5,2 hyperx:dims=5x4,1; do
    "$heddle" topo ${fail%,*} --fail switches=3,seed=${fail##*,} -o "$tmp/net.ibnet" 2>/dev/null
    same "three switches of a grid are gone: $fail" "dead=3" "$(faults "$tmp/net.ibnet")"
done
# What is left of these is a smaller grid that lacks other cables as well as it is the larger one without two switches.
for seed in 10 17 37 48; do
    "$heddle" topo torus:dims=2x7 --fail switches=2,links=2,seed=$seed -o "$tmp/net.ibnet" 2>/dev/null
    same "nothing is missing where it may be another grid: $seed" "none" "$(faults "$tmp/net.ibnet")"
done
for fail in hyperx:dims=5x2,2,1 hyperx:dims=6x2,2,22 hyperx:dims=4x2,cables=2,2,2 hyperx:dims=3x7,3,17 hyperx:dims=3x4,3,6; do
    net=${fail%,*,*} seed=${fail##*,} dead=${fail%,*}
    "$heddle" topo $net --fail switches=${dead##*,},seed=$seed -o "$tmp/net.ibnet" 2>/dev/null
    same "switches are gone, and no cable is missing: $fail" "none" "$(faults "$tmp/net.ibnet")"
done
# Some switches number their ports differently: that is no damage, and one missing cable is still one.
for net in mesh:dims=6x6 torus:dims=8x8 hyperx:dims=6x6; do
    "$heddle" topo $net --fail links=1,seed=3 -o "$tmp/net.ibnet" 2>/dev/null
    python3 - "$tmp/net.ibnet" <<'END' >"$tmp/odd.ibnet"
import re, sys
text = open(sys.argv[1]).read()
ids = re.findall(r'^Switch\s+\d+ "(S-\w+)"', text, re.M)[::7]
block = None
for line in text.splitlines():
    m = re.match(r'(\w+)\s+(\d+) "([SH]-\w+)"', line)
    if m:
        block = m.group(3)
        if block in ids:
            line = line.replace(m.group(2), str(int(m.group(2)) + 1), 1)
    elif line.startswith("[") and block in ids:
        line = re.sub(r"^\[(\d+)\]", lambda k: "[%d]" % (int(k.group(1)) + 1), line)
    print(re.sub(r'"(S-\w+)"\[(\d+)\]', lambda k: '"%s"[%d]' % (k.group(1), int(k.group(2)) + (k.group(1) in ids)), line))
END
    same "ports that begin at 2 on some switches: $net" "${net%%,*} missing=1" "$("$heddle" topo "$tmp/odd.ibnet" --json 2>/dev/null | \
        python3 -c 'import json, sys; print(json.load(sys.stdin)["shape"])') $(faults "$tmp/odd.ibnet")"
done
# dead NET [SWITCH]: what is said of switches that are gone, this one too, up to the second comma.
dead() { "$heddle" topo "$1" ${2:+--fail "switch=$2"} 2>/dev/null | sed -n 's/^  dead *\([^,]*, [^,]*\),.*/\1/p'; }
for switch in L2-0016 L2-0019 L2-0023 L1-0001 L1-0014; do
    same "$switch is dead, be it the first or last" "$switch, which is not in the fabric" "$(dead gft:n=8,m=8,r=16 $switch)"
done
rails=rail:units=3,rails=4,hosts=8,spines=6,uplinks=12
for switch in leaf-1-3 leaf-2-1 spine-1 spine-6; do
    same "$switch is dead, with parallel cables" "$switch, which is not in the fabric" "$(dead $rails $switch)"
done
# Where numbers begin with no 0, the name before leaf-1-10 is leaf-1-9.
"$heddle" topo director:groups=4,leaves=12,hosts=2 --fail switch=leaf-1-9 -o "$tmp/net.ibnet" -q
same "a dead leaf before number 10" "leaf-1-9, which is not in the fabric" "$(dead "$tmp/net.ibnet")"
sed -E 's/"leaf-([0-9])-([1-9])"/"leaf-\1-0\2"/g' "$tmp/net.ibnet" >"$tmp/padded.ibnet"
same "where numbers have two digits" "leaf-1-09, which is not in the fabric" "$(dead "$tmp/padded.ibnet")"
same "a dead spine before number 10" "spine-9, which is not in the fabric" \
    "$(dead rail:units=2,rails=4,hosts=8,spines=12,uplinks=12 spine-9)"
# Several in a row are counted from both ends, and those of one chassis not from the number 1 of the next.
for net in leaves=6,hosts=2,directors=3,lines=4,spines=8/3,4 leaves=6,hosts=2,directors=2,lines=6,spines=6/4,5,6; do
    lines=${net#*/}
    same "line cards $lines at the end of a chassis are gone" \
        "$(printf 'director-1/L%s/U1, which is not in the fabric\n' ${lines//,/ })" \
        "$(dead director:groups=4,${net%/*} "$(printf '+director-1/L%s/U1' ${lines//,/ } | cut -c 2-)")"
done
# Ports that are free on all leaves behind those of the spines may be one of the first spine's, or none.
wide() {
    "$heddle" topo "$1" --fail "switch=$2" -o "$tmp/net.ibnet" -q
    sed -E '/"(leaf-|L1-)/s/^Switch.[0-9]*/Switch 40/' "$tmp/net.ibnet" >"$tmp/wide.ibnet"
    "$heddle" topo "$tmp/wide.ibnet" -q | sed -nE 's/^  dead *(.*) cables led.*/\1/p'
}
same "one spine is dead, not each of its cables" "a switch that is not in the fabric, 16" "$(wide pgft:m=12x8,w=1x4,p=1x3 L2-0008)"
same "number 1 has the first port" "spine-1, which is not in the fabric, 32" "$(wide rail:units=2,rails=4,hosts=8,spines=6,uplinks=24 spine-1)"
same "leaves side by side are dead" "L1-0009, which is not in the fabric
L1-0010, which is not in the fabric" "$(dead pgft:m=4x32,w=1x4 L1-0009+L1-0010)"
# Ports that spines keep free between two units of leaves, of which the names leave out none.
"$heddle" topo pgft:m=4x32,w=1x4 --fail switch=L1-0014+L1-0015+L1-0016 -o "$tmp/net.ibnet" -q
python3 - "$tmp/net.ibnet" >"$tmp/units.ibnet" <<'PY'
import re, sys
name = lambda i: "leaf-1-%d" % (i + 1) if i < 14 else "leaf-2-%d" % (i - 16)
print(re.sub(r"L1-(\d{4})", lambda m: name(int(m[1])), open(sys.argv[1]).read()))
PY
same "ports between units of leaves are kept free" "" "$(dead "$tmp/units.ibnet")"
same "a leaf at the end of the row may never have been there" "" "$(dead gft:n=8,m=8,r=16 L1-0015)"
same "a line ASIC is dead" "dead=1" "$(faults director:groups=4,leaves=6,hosts=2 --fail switch=director-2/L3/U1)"
for net in director:groups=3,leaves=6,hosts=2 rail:units=3,rails=3,hosts=2 ft:m=8,n=3 torus:dims=5x4x3 torus:dims=4x4 hypercube:n=5 \
    hyperx:dims=4x4,hosts=2 dragonfly:h=3 dragonfly:h=3,global=consecutive; do
    "$heddle" topo $net -o "$tmp/whole.ibnet"
    "$heddle" topo $net --fail links=2,seed=4 --repair -o "$tmp/repaired.ibnet"
    check "$net: lost cables come back in the same ports" cmp "$tmp/whole.ibnet" "$tmp/repaired.ibnet"
done
# A group of leaves is small, but others have the place.
same "a dead leaf in a group of eight" "leaf-3-4, which is not in the fabric" \
    "$(dead director:groups=4,leaves=8,hosts=2,lines=4,spines=4 leaf-3-4)"
same "two of eight may never have been bought" "" "$(dead pgft:m=4x8x4,w=1x4x4,p=1x1x1 L1-0027+L1-0028)"
# vacant NET SWITCH...: whether all cables are there and which places are free, to advise, once these switches are gone.
vacant() {
    "$heddle" topo "$1" --fail "switch=$2" -o "$tmp/net.ibnet" -q
    "$heddle" advise "$tmp/net.ibnet" --json -q --no-progress | python3 -c '
import json, sys
told = {f["subject"]: f["verdict"] + " " + f["text"] for f in json.load(sys.stdin)["findings"]}
print("all" if "all" in told["missing cables"] else "not all", told.get("vacant places", "").replace(", by ports and names: switches that are gone or never were there", ""))'
}
same "leaves that are too many to be dead" "not all PASS 4 between leaf switches: L1-0003, L1-0009, L1-0010 and 1 more" \
    "$(vacant gft:n=2,m=4,r=24 L1-0003+L1-0009+L1-0010+L1-0017)"
same "or those of one group of eight" "not all PASS 2 between leaf switches: L1-0027, L1-0028" \
    "$(vacant pgft:m=4x8x4,w=1x4x4,p=1x1x1 L1-0027+L1-0028)"
same "leaves that were not bought yet" "all " "$(vacant gft:n=2,m=4,r=24 "$(printf '+L1-%04d' {16..23} | cut -c 2-)")"
same "spines that were not bought yet" "all " "$(vacant pgft:m=4x16,w=1x8 L2-0020+L2-0021+L2-0022+L2-0023)"
same "the third spine of all directors" "not all WARN 2 between uplinks: director-1/S3/U1, director-2/S3/U1" \
    "$(vacant director:groups=2,leaves=4,hosts=2,directors=2,lines=4,spines=8 director-1/S3/U1+director-2/S3/U1)"
# lost NET PORT...: cables of ports of a leaf that are missing.
lost() { "$heddle" topo "$1" --fail "link=$2" -q | sed -n 's/^  missing *//p'; }
# Where half of its spines lack a leaf, it has fewer ports by their rule, and those are told from what they meet.
same "the first or second of two parallel cables" \
    "leaf-2-3 port 9 - spine-1 port 7
leaf-2-3 port 10 - spine-2 port 7
leaf-2-3 port 11 - spine-3 port 7
leaf-2-3 port 12 - spine-4 port 7
leaf-2-3 port 17 - spine-3 port 23" \
    "$(lost rail:rails=4,units=4,spines=6,uplinks=12,hosts=8 leaf-2-3:9+leaf-2-3:10+leaf-2-3:11+leaf-2-3:12+leaf-2-3:17)"
same "the last of three" \
    "L1-0000 port 15 - L2-0010 port 1
L1-0000 port 19 - L2-0010 port 9
L1-0000 port 20 - L2-0011 port 9
L1-0000 port 24 - L2-0011 port 17" \
    "$(lost pgft:m=12x8,w=1x4,p=1x3 L1-0000:15+L1-0000:19+L1-0000:20+L1-0000:24)"
# A switch that somebody added to a leaf, with a host of its own: reported, and not cut off by a repair.
"$heddle" topo gft:n=8,m=8,r=16 -o "$tmp/net.ibnet"
python3 - "$tmp/net.ibnet" >"$tmp/added.ibnet" <<'PY'
import sys
text = open(sys.argv[1]).read()
leaf = 'Switch\t16 "S-0200000000100000"'
head, tail = text.split(leaf, 1)
line, rest = tail.split("\n", 1)
print(head + leaf.replace("16", "20") + line + '\n[17]\t"S-00000000000000aa"[1]\t# "added" lid 900 4xEDR\n' + rest)
print('switchguid=0xaa(aa)\nSwitch\t8 "S-00000000000000aa"\t# "added" base port 0 lid 900 lmc 0')
print('[1]\t"S-0200000000100000"[17]\t# "L1-0000" lid 129 4xEDR\n[2]\t"H-00000000000000bb"[1](bc)\t# "behind" lid 901 4xEDR\n')
print('caguid=0xbb\nCa\t1 "H-00000000000000bb"\t# "behind"\n[1](bc)\t"S-00000000000000aa"[2]\t# lid 901 lmc 0 "added" lid 900 4xEDR')
PY
same "a switch that was added is reported" "extra=1" "$(faults "$tmp/added.ibnet")"
same "and repairs do not cut it off" 1 "$("$heddle" topo "$tmp/added.ibnet" --repair --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["parts"])')"
# So is a leaf switch that lost all uplinks and hangs on a stray cable: nobody is told to cut it off, and it passes nowhere.
stray() { # NET EDIT...: what is said where switches have two more ports
    "$heddle" topo "$1" -o - -q | sed 's/^Switch\t8 /Switch\t10 /' >"$tmp/net.ibnet"
    python3 tests/prop/recable.py "$tmp/net.ibnet" "${@:2}" >"$tmp/stray.ibnet"
    "$heddle" advise "$tmp/stray.ibnet" -q | tr -s ' \n' ' ' | grep -oE 'Repair the cabling: [^:]*|[A-Z]* (uneven|missing) cables [^:]*: L1-[0-9]* lacks [0-9]*|[A-Z]* missing cables none'
}
cuts=(); for port in 5 6 7 8; do cuts+=("cut L1-0002:$port"); done
same "a leaf switch that lost its uplinks and hangs on another" \
    "Repair the cabling: keep 1 cable that belongs nowhere until what is behind it has uplinks WARN uneven cables 4 more would complete the tree, if it was not built without them: L1-0002 lacks 4 " \
    "$(stray pgft:m=4x12,w=1x4,p=1x1 "${cuts[@]}" 'add L1-0002:7 L1-0003:9' | tr '\n' ' ')"
same "also one of three levels" \
    "Repair the cabling: keep 1 cable that belongs nowhere until what is behind it has uplinks WARN uneven cables 4 more would complete the tree, if it was not built without them: L1-0002 lacks 4 " \
    "$(stray pgft:m=4x6x6,w=1x4x4,p=1x1x1 "${cuts[@]}" 'add L1-0002:7 L1-0003:9' | tr '\n' ' ')"
# recabled NET EDIT...: what is said of NET after edits of tests/prop/recable.py.
recabled() {
    local net=$1; shift
    "$heddle" topo "$net" -o "$tmp/net.ibnet"
    python3 tests/prop/recable.py "$tmp/net.ibnet" "$@" >"$tmp/recabled.ibnet"
    "$heddle" topo "$tmp/recabled.ibnet" 2>&1 | sed -n 's/^  \(missing\|swapped\|wrong\|extra\|dead\|slow\)  */\1 /p'
}
# Rails 2 and 3 of a host are exchanged, and so many adapters beside have the name that they left the factory with.
"$heddle" topo rail:hosts=16,spines=4,uplinks=8 -o "$tmp/net.ibnet"
for factory in 0 8 16 24 32 48; do
    python3 - "$tmp/net.ibnet" $factory >"$tmp/factory.ibnet" <<'PY'
import random, re, sys
text, pattern = open(sys.argv[1]).read(), r'"(node-(\d+) (mlx5_\d))"'
names = sorted({m[0] for m in re.findall(pattern, text) if m[1] != "5"})
blank = set(random.Random(1).sample(names, int(sys.argv[2])))
crossed = {"node-5 mlx5_2": "node-5 mlx5_3", "node-5 mlx5_3": "node-5 mlx5_2"}
print(re.sub(pattern, lambda m: '"%s"' % ("MT4129 ConnectX7   Mellanox Technologies" if m[1] in blank else crossed.get(m[1], m[1])), text))
PY
    same "swapped rails beside $factory adapters with factory names" "swapped=1" "$(faults "$tmp/factory.ibnet")"
done
# A swapped cable and one between groups beside it look like a clique.
"$heddle" topo dragonfly:a=4,p=2,h=2 -o "$tmp/net.ibnet"
for swap in 'L1-0030:7 L1-0016:4' 'L1-0004:7 L1-0010:3' 'L1-0002:3 L1-0019:3' 'L1-0006:7 L1-0013:5'; do
    python3 tests/prop/recable.py "$tmp/net.ibnet" "swap $swap" >"$tmp/recabled.ibnet"
    same "groups of four after a swap: $swap" "dragonfly: 9 groups of 4 switches" "$("$heddle" topo "$tmp/recabled.ibnet" | sed -n 's/^kind  *//p')"
done
same "cables between groups in order are swapped" \
    "swapped L1-0007 port 9 - L1-0086 port 9 and L1-0040 port 10 - L1-0024 port 10: exchange L1-0086 port 9 and L1-0024 port 10" \
    "$(recabled dragonfly:h=3,global=consecutive 'swap L1-0007:9 L1-0040:10')"
tree=gft:n=8,m=8,r=16
same "nothing was recabled" "" "$(recabled $tree)"
# Two switches of different planes whose cables were exchanged have a parent of each other.
same "cables of two planes with parallel ones to two spines" \
    "wrong L2-0024 port 14 - L3-0039 port 4, should be L2-0024 port 14 - L3-0037
wrong L2-0034 port 14 - L3-0037 port 1, should be L2-0034 port 14 - L3-0039" \
    "$(recabled pgft:m=6x6x4,w=1x3x2,p=1x2x3 'swap L2-0024:14 L2-0034:14')"
same "with two parallel ones" \
    "wrong L2-0024 port 9 - L3-0038 port 8, should be L2-0024 port 9 - L3-0036
wrong L2-0034 port 9 - L3-0036 port 5, should be L2-0034 port 9 - L3-0038" \
    "$(recabled pgft:m=6x6x4,w=1x3x2,p=1x1x2 'swap L2-0024:9 L2-0034:9')"
same "without parallel ones" \
    "wrong L2-0024 port 7 - L3-0038 port 4, should be L2-0024 port 7 - L3-0036
wrong L2-0034 port 7 - L3-0036 port 1, should be L2-0034 port 7 - L3-0038" \
    "$(recabled pgft:m=6x6x4,w=1x3x2,p=1x1x1 'swap L2-0024:7 L2-0034:7')"
same "in one group, where ports tell the planes" \
    "wrong L2-0014 port 3 - L3-0019 port 4, should be L2-0014 port 3 - L3-0016
wrong L2-0015 port 4 - L3-0016 port 4, should be L2-0015 port 4 - L3-0019" \
    "$(recabled ft:m=4,n=3 'swap L2-0014:3 L2-0015:4')"
same "an exchanged one of three parallel cables" \
    "wrong L1-0000 port 7 - L2-0007 port 4, should be L1-0000 port 7 - L2-0006
wrong L1-0003 port 8 - L2-0006 port 1, should be L1-0003 port 8 - L2-0007" \
    "$(recabled pgft:m=6x6,w=1x2,p=1x3 'swap L1-0000:7 L1-0003:8')"
same "they are three, and two are elsewhere" "pgft:m=6x6,w=1x2,p=1x3 2" \
    "$("$heddle" topo "$tmp/recabled.ibnet" --json | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["shape"], j["missing"])')"
check "such a tree is not called oversubscribed" sh -c "'$heddle' advise '$tmp/recabled.ibnet' --quiet |
    grep -q 'fat tree, short of full bisection: pgft:m=6x6,w=1x2,p=1x3'"
same "the cable of a host in place of an uplink" \
    "swapped L2-0019 port 6 - L1-0003 port 3 and node-00026 - L1-0005 port 12: exchange L1-0003 port 3 and L1-0005 port 12" \
    "$(recabled $tree 'swap L1-0003:3 L1-0005:12')"
same "a host on a spine, and two leaves cabled to each other" \
    "swapped L1-0005 port 12 - L1-0003 port 3 and node-00026 - L2-0019 port 6: exchange L1-0003 port 3 and L2-0019 port 6" \
    "$(recabled $tree 'swap L1-0003:3 L2-0019:6')"
same "a host in another port of its leaf does no harm" "" "$(recabled $tree 'swap L1-0003:3 L1-0003:12')"
same "one host on the wrong leaf" "wrong L1-0004 port 4 - node-00076, should be L1-0009 port 5 - node-00076" \
    "$(recabled $tree 'cut L1-0004:4' 'move L1-0009:5 L1-0004:4')"
rails=rail:units=3,rails=4,hosts=12,spines=8
same "one adapter on the wrong rail" "wrong leaf-1-4 port 7 - node-4 mlx5_2, should be leaf-1-3 port 5 - node-4 mlx5_2" \
    "$(recabled $rails 'cut leaf-1-4:7' 'move leaf-1-3:5 leaf-1-4:7')"
same "one adapter in the wrong unit" "wrong leaf-2-4 port 7 - node-4 mlx5_3, should be leaf-1-4 port 5 - node-4 mlx5_3" \
    "$(recabled $rails 'cut leaf-2-4:7' 'move leaf-1-4:5 leaf-2-4:7')"
# Two hosts with two adapters on each leaf: exchanged ones leave three of one name on two leaves, which are no rails.
pairs=director:groups=2,leaves=6,spines=6,hosts=4,rails=2,directors=2,lines=3
for swap in 'leaf-2-1:1 leaf-1-4:2' 'leaf-2-5:3 leaf-1-1:2'; do
    same "no pair is named where there are no rails: $swap" "" "$(recabled $pairs "swap $swap")"
done
# One cable across a line of four or five makes no ring of all of them.
for mesh in 'mesh:dims=4x4,hosts=1|L1-0013:4 L1-0001:5' 'mesh:dims=5x4,hosts=1|L1-0016:4 L1-0001:5' 'mesh:dims=4x6,hosts=1|L1-0021:4 L1-0001:5'; do
    IFS='|' read -r net ends <<<"$mesh"
    same "a cable across a mesh: $net" "extra L1-0001 port 5 - ${ends%%:*} port 4" "$(recabled "$net" "add $ends")"
done
# Where unit 1 alone has rails, and the hosts of the other leaves have both adapters on one leaf, its swaps are found.
few_rails() { # UNITS SWAP
    "$heddle" topo "rail:units=$1,rails=4,hosts=16,spines=4,uplinks=16" -o - -q | python3 -c '
import re, sys
def cpu(m): return "\"cpu-%s-%d mlx5_%d\"" % (m[2], int(m[1]) // 2, int(m[1]) % 2) if int(m[1]) >= 16 else m[0]
sys.stdout.write(re.sub(r"\"node-(\d+) mlx5_(\d)\"", cpu, sys.stdin.read()))' >"$tmp/net.ibnet"
    python3 tests/prop/recable.py "$tmp/net.ibnet" "swap $2" >"$tmp/recabled.ibnet"
    "$heddle" topo "$tmp/recabled.ibnet" 2>&1 | sed -n 's/^  swapped  */swapped /p'
}
for units in 2 3; do
    same "two adapters of a host of the only rails: $units units" \
        "swapped leaf-1-3 port 5 - node-4 mlx5_0 and leaf-1-1 port 5 - node-4 mlx5_2: exchange node-4 mlx5_0 and node-4 mlx5_2" \
        "$(few_rails $units 'leaf-1-1:5 leaf-1-3:5')"
done
same "no pair is named on the leaves beside" "" "$(few_rails 2 'leaf-2-1:1 leaf-2-3:2')"
torus=torus:dims=4x4x4
same "two cables of a torus that were swapped" \
    "swapped L1-0000 port 4 - L1-0009 port 3 and L1-0010 port 4 - L1-0003 port 3: exchange L1-0009 port 3 and L1-0003 port 3" \
    "$(recabled $torus 'swap L1-0003:3 L1-0009:3')"
same "it is a torus nevertheless" $torus "$("$heddle" topo "$tmp/recabled.ibnet" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["shape"])')"
check "torus2qos does not" sh -c "'$heddle' route '$tmp/recabled.ibnet' torus2qos -o '$tmp/table' 2>&1 | grep -q 'cables that connect no neighbours: 2'"
check "and dor routes it" "$heddle" route "$tmp/recabled.ibnet" dor -o "$tmp/table"
"$heddle" topo "$tmp/recabled.ibnet" --repair -o "$tmp/repaired.ibnet"
same "repaired, too" "none $torus" "$(faults "$tmp/repaired.ibnet") $("$heddle" topo "$tmp/repaired.ibnet" --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["shape"])')"
same "the cable of a host in place of one of a torus" \
    "swapped L1-0000 port 4 - L1-0009 port 1 and node-00018 - L1-0003 port 3: exchange L1-0009 port 1 and L1-0003 port 3" \
    "$(recabled $torus 'swap L1-0003:3 L1-0009:1')"
# What undoing an exchange or moving a cable restores is no cable that is missing beside: neither uneven nor dotted.
beside() { # after recabled: what is uneven, and what the drawing says is missing
    "$heddle" advise "$tmp/recabled.ibnet" -q 2>/dev/null | tr -s ' \n' ' ' | grep -o 'uneven cables [0-9]* more'
    "$heddle" topo "$tmp/recabled.ibnet" --format svg -o - -q 2>/dev/null | grep -o 'missing cable ([0-9]*)'
}
for swap in 'gft:n=6,m=6,r=10|swap L1-0008:7 L1-0009:9|swapped' 'torus:dims=4x4,hosts=2|swap L1-0003:3 L1-0009:3|swapped' \
    'pgft:m=6x6,w=1x2,p=1x3|swap L1-0000:7 L1-0003:8|wrong wrong'; do
    IFS='|' read -r net edit kinds <<<"$swap"
    same "$edit of $net" "$kinds" "$(recabled "$net" "$edit" | cut -d ' ' -f 1 | tr '\n' ' ' | sed 's/ $//')"
    same "and nothing beside" "" "$(beside)"
done
recabled gft:n=6,m=6,r=10 'swap L1-0008:7 L1-0009:9' 'cut L1-0002:8' >/dev/null
same "a cable is missing beside" "missing cable (1)" "$(beside)"
# A cable that is to be removed is none of those that there should be.
recabled $rails 'cut leaf-1-1:1' 'cut leaf-2-2:1' 'add leaf-1-1:1 leaf-2-2:1' >/dev/null
same "an extra cable is not counted as present" \
    "$("$heddle" advise $rails -q 2>/dev/null | grep -o 'all [0-9]* switch-to-switch cables are present')" \
    "$("$heddle" advise "$tmp/recabled.ibnet" -q 2>/dev/null | grep -o 'all [0-9]* switch-to-switch cables are present')"
# mended NAME NET CUT RECABLED...: repaired, hosts are where they were, with their LIDs, and so is all else; - cuts nothing.
mended() {
    local name=$1 net=$2 cut=$3; shift 3
    "$heddle" topo "$net" -o "$tmp/net.ibnet"
    cp "$tmp/net.ibnet" "$tmp/cut.ibnet"
    [ "$cut" = - ] || python3 tests/prop/recable.py "$tmp/net.ibnet" "cut $cut" >"$tmp/cut.ibnet"
    "$heddle" topo "$tmp/cut.ibnet" -o "$tmp/whole.ibnet" 2>/dev/null
    python3 tests/prop/recable.py "$tmp/cut.ibnet" "$@" >"$tmp/recabled.ibnet"
    "$heddle" topo "$tmp/recabled.ibnet" --repair -o "$tmp/repaired.ibnet" 2>/dev/null
    check "$name: repaired" cmp "$tmp/repaired.ibnet" "$tmp/whole.ibnet"
    same "$name: has the structure of what was written, and no fault" \
        "$("$heddle" topo "$tmp/repaired.ibnet" | sed 1d)" "$("$heddle" topo "$tmp/recabled.ibnet" --repair 2>/dev/null | sed 1d)"
}
mended "two hosts of a tree" $tree - 'swap L1-0003:3 L1-0009:5'
mended "the cable of a host in place of an uplink" $tree - 'swap L1-0003:3 L1-0005:12'
mended "a host on a spine" $tree - 'swap L1-0003:3 L2-0019:6'
mended "one host on the wrong leaf" $tree L1-0004:4 'move L1-0009:5 L1-0004:4'
mended "two adapters of a host" $rails - 'swap leaf-1-3:5 leaf-1-4:5'
mended "one adapter on the wrong rail" $rails leaf-1-4:7 'move leaf-1-3:5 leaf-1-4:7'
mended "two swaps, of hosts and of switches" $tree - 'swap L1-0003:3 L1-0009:5' 'swap L1-0001:9 L1-0002:10'
mended "the cable of a host in place of one of a torus" $torus - 'swap L1-0003:3 L1-0009:1'
brings() { "$heddle" advise "$@" --quiet 2>/dev/null | tr -s ' \n' ' ' | grep -o 'Rerouted ([a-z]*), random pairs then get [0-9.]* of a link[a-z, ]*'; }
recabled rail:hosts=16,spines=4,uplinks=8 'swap leaf-3-3:9 leaf-3-4:9' >/dev/null
same "advise says what that brings" "Rerouted (dmodk), random pairs then get 0.573 of a link, as before" "$(brings "$tmp/recabled.ibnet")"
same "and that it is without what is dead" "With the cables alone, rerouted (dmodc), random pairs then get " \
    "$("$heddle" topo $tree --fail switch=L2-0019 -o "$tmp/net.ibnet"
    python3 tests/prop/recable.py "$tmp/net.ibnet" 'swap L1-0001:9 L1-0002:11' >"$tmp/recabled.ibnet"
    "$heddle" advise "$tmp/recabled.ibnet" --quiet 2>/dev/null | tr -s ' \n' ' ' | grep -o 'With the cables alone, [^0]*')"
same "and nothing of a dead switch" "" "$(brings $tree --fail switch=L2-0019)"
same "a host in another place at 1x" "slow=1 swapped=1 none" "$(recabled $tree 'swap L1-0003:3 L1-0009:5' >/dev/null
    sed '/"node-00026" lid [0-9]* 4xEDR/s/4xEDR/1xEDR/; /^Ca.*"node-00026"/{n;s/4xEDR/1xEDR/}' "$tmp/recabled.ibnet" >"$tmp/slow.ibnet"
    faults "$tmp/slow.ibnet" | tr ' ' '\n' | sort | tr '\n' ' '; faults "$tmp/slow.ibnet" --repair)"
for net in 'dragonfly:h=3 --fail switch=L1-0012+L1-0013+L1-0014+L1-0015+L1-0016+L1-0017' 'dragonfly:a=4,h=1,p=1,g=4' \
    'dragonfly:a=7,h=1,p=1,g=4 --fail switches=1,seed=79' 'dragonfly:a=5,h=2,p=1,g=3 --fail switches=1,seed=255'; do
    # shellcheck disable=SC2086
    same "no rule of global ports where groups contradict it: $net" "none" "$(faults $net)"
done
same "topo and advise have one word for an extra cable" "extra 1" "$(recabled $rails 'cut leaf-1-1:1' 'cut leaf-2-2:1' 'add leaf-1-1:1 leaf-2-2:1' |
    cut -d ' ' -f 1) $("$heddle" advise "$tmp/recabled.ibnet" --quiet 2>/dev/null | grep -c 'WARN  extra cables  *1 belongs nowhere')"
# A leaf that has lost a cable to half of its spines has no majority of its own; that of the other leaves counts.
same "one cable to each of two of four spines" "missing=2" "$(faults rail:hosts=16,spines=4,uplinks=8 --fail link=leaf-1-2:17+leaf-1-2:18)"
same "six of twelve cables of a spine" "missing=5" "$(faults pgft:m=12x12,w=1x6,p=1x1 --fail link=L2-0012:1+L2-0012:2+L2-0012:3+L2-0012:4+L2-0012:5)"
# Where half of the leaves have a cable, nobody knows; one that a quarter has is no mistake.
four=link=L1-0001:9+L1-0002:9+L1-0004:9+L1-0005:9
same "a port that four of eight leaves use" "none" "$(faults pgft:m=8x8,w=1x2,p=1x4 --fail $four)"
uneven() { "$heddle" advise "$@" -q 2>/dev/null | grep -cE 'uneven cables|missing cables.*present'; }
same "which advise says" "1 1" "$(uneven pgft:m=8x8,w=1x2,p=1x4 --fail $four) $("$heddle" advise pgft:m=8x8,w=1x2,p=1x4 --fail $four -q | grep -c 'WARN  uneven cables .*4 more would complete the tree')"
same "as it does of a leaf with two of six cables" 1 "$("$heddle" advise xgft:m=12x12,w=1x6 --fail link=L1-0001:13+L1-0001:14+L1-0001:15+L1-0001:16 -q |
    tr -s ' \n' ' ' | grep -c 'WARN uneven cables 4 more would complete the tree, if it was not built without them: L1-0001 lacks 4')"
for net in dragonfly+:leaves=4,spines=4,p=4,h=2,g=5 slimfly:q=5; do
    same "which cables there should be is not known: $net" 1 "$("$heddle" advise $net --fail links=1 -q | grep -c 'missing cables *not known')"
done
same "a director's leaf with half of its cables" "1 1" "$(uneven director:groups=4,leaves=10,directors=2,lines=4,spines=8,hosts=8 \
    --fail link=leaf-2-5:9+leaf-2-5:10+leaf-2-5:11+leaf-2-5:12) $("$heddle" advise director:groups=4,leaves=10,directors=2,lines=4,spines=8,hosts=8 \
    --fail link=leaf-2-5:9+leaf-2-5:10+leaf-2-5:11+leaf-2-5:12 -q | tr -s ' \n' ' ' | grep -c 'uneven cables 4 more would complete the tree.*: leaf-2-5 lacks 4 ')"
# A leaf, and the middle switches of a subtree, without any cable up: neither is complete, and no switch is gone.
cut_off() { "$heddle" advise "$@" -q 2>/dev/null | tr -s ' \n' ' ' | grep -oE 'WARN missing [^:]*: [^)]*\)|cables are present|restore the switches|missing switches'; }
same "a leaf that lost all its uplinks" "WARN missing uplinks 1 switch has none: L1-0000 (level 1 of 2)" \
    "$(cut_off gft:n=4,m=4,r=6 --fail link=L1-0000:5+L1-0000:6+L1-0000:7+L1-0000:8)"
same "the switches above four leaves" "WARN missing uplinks 2 switches have none: L2-0008 (level 2 of 3)" \
    "$(cut_off ft:m=4,n=3 --fail link=L2-0008:3+L2-0008:4+L2-0009:3+L2-0009:4)"
{
    "$heddle" topo pgft:m=2x2,w=1x1,p=1x1 --format ibnet -o - -q | sed 's/"\(node-[0-9]*\)/"\1 mlx5_0/'
    "$heddle" topo pgft:m=4,w=1,p=1 --format ibnet -o - -q | sed 's/"\(node-[0-9]*\)/"\1 mlx5_1/; s/0200000/0300000/g; s/200000/300000/g; s/L1-/other-/'
} >"$tmp/planes.ibnet"
same "planes of different heights lack none" "cables are present" "$(cut_off "$tmp/planes.ibnet")"
{
    "$heddle" topo ft:m=4,n=3 --fail link=L1-0000:3+L1-0000:4 --format ibnet -o - -q | sed 's/"\(node-[0-9]*\)/"\1 mlx5_0/'
    "$heddle" topo gft:n=4,m=4,r=4 --format ibnet -o - -q | sed 's/"\(node-[0-9]*\)/"\1 mlx5_1/; s/0200000/0300000/g; s/200000/300000/g; s/"L/"B/'
} >"$tmp/planes.ibnet"
same "nor does the lower plane if a leaf of the other is cut off" "WARN missing uplinks 1 switch has none: L1-0000 (level 1 of 3)" \
    "$(cut_off "$tmp/planes.ibnet" | grep uplinks)"
# Two planes alike, of which one lost its last spines: only the other shows that they were there. A plane with fewer leaf
# switches may have fewer spines.
planes() { # NET NET
    "$heddle" topo "$1" --format ibnet -o - -q 2>/dev/null | sed 's/"\(node-[0-9]*\)/"\1 mlx5_0/'
    "$heddle" topo "$2" --format ibnet -o - -q 2>/dev/null |
        sed 's/"\(node-[0-9]*\)/"\1 mlx5_1/; s/0200000/0300000/g; s/200000/300000/g; s/"L/"B/'
}
for lost in 1 2; do
    "$heddle" topo pgft:m=8x6,w=1x4,p=1x1 --fail "switch=L2-0009$([ $lost = 2 ] && echo +L2-0008)" -o "$tmp/lower" -q
    planes pgft:m=8x6,w=1x4,p=1x1 "$tmp/lower" >"$tmp/planes.ibnet"
    same "the last $lost of four spines of one of two planes" "WARN $((6 * lost)) uplinks" \
        "$("$heddle" advise "$tmp/planes.ibnet" -q | sed -n 's/^ *WARN  missing switches  \([0-9]* uplinks\) .*/WARN \1/p')"
    check "are to be restored" sh -c "'$heddle' advise '$tmp/planes.ibnet' -q | tr -s ' \n' ' ' | grep -q 'restore the switches to which $((6 * lost)) uplinks led'"
done
planes pgft:m=8x6,w=1x4,p=1x1 pgft:m=8x4,w=1x3,p=1x1 >"$tmp/planes.ibnet"
same "a smaller plane with fewer spines" "cables are present" "$(cut_off "$tmp/planes.ibnet")"
todo() { "$heddle" advise "$@" -q 2>/dev/null | tr -s ' \n' ' ' | sed 's/.*To do 1\. //; s/\. .*//'; }
same "what is cut off is to be reconnected whatever else is wrong" \
    "Repair the cabling: put back 1 missing cable: L1-0009 port 6 - L2-0041 port 2; reconnect 1 switch that has no uplink: L1-0003 (level 1 of 3)" \
    "$(todo ft:m=8,n=3 --fail link=L1-0003:5+L1-0003:6+L1-0003:7+L1-0003:8+L1-0009:6)"
# Hosts that are off do not stand for cables between switches.
same "a leaf with three of eight cables beside hosts that are off" "1 1" "$(uneven ft:m=16,n=2 \
    --fail link=L1-0003:9+L1-0003:10+L1-0003:11+L1-0003:12+L1-0003:13+L1-0005:4+L1-0006:4+L1-0007:4+L1-0008:4+L1-0009:4) $("$heddle" advise ft:m=16,n=2 \
    --fail link=L1-0003:9+L1-0003:10+L1-0003:11+L1-0003:12+L1-0003:13+L1-0005:4+L1-0006:4+L1-0007:4+L1-0008:4+L1-0009:4 -q 2>/dev/null | grep -c 'uneven cables  *5 more')"
# A switch left with one cable is no level of its own.
"$heddle" topo ft:m=6,n=3 --fail link=L2-0029:1+L2-0029:2+L2-0029:3+L2-0029:4+L2-0029:5 -o "$tmp/dangling.ibnet"
same "a middle switch with one cable left" "" "$(cut_off "$tmp/dangling.ibnet")"
check "is of the middle level" sh -c "'$heddle' topo '$tmp/dangling.ibnet' | grep -q '^    2        18 '"
"$heddle" topo ft:m=8,n=2 --fail link=L1-0003:1+L1-0003:2+L1-0003:3+L1-0003:4+L1-0003:5+L1-0003:6+L1-0003:7 -o "$tmp/dangling.ibnet" -q 2>/dev/null
check "as an empty leaf with one cable left is a leaf" sh -c "'$heddle' topo '$tmp/dangling.ibnet' | grep -q '^    1         8 '"
# A spine with one cable left is no empty leaf, and what else is gone is no reason to take it for one; nor is an empty
# leaf with one cable left a spine. Where the port leads at the other switches decides.
left() { # NET FAILURES: the kind and the faults
    "$heddle" topo "$1" --fail "$2" -o "$tmp/left.ibnet" -q 2>/dev/null
    "$heddle" topo "$tmp/left.ibnet" -q | sed -n 's/^kind  *//p; s/^  \(missing\|extra\)  */\1 /p' | tr '\n' ' '
}
same "a spine with one cable left beside a dead one" \
    "tree pgft:m=8x6x2,w=1x2x6,p=1x1x1 missing L2-0013 port 10 - L3-0025 port 1 " \
    "$(left pgft:m=8x6x2,w=1x2x6,p=1x1x1 'switch=L3-0017 then link=L3-0025:1')"
check "whose uplinks are missed too" sh -c "'$heddle' advise '$tmp/left.ibnet' -q | grep -q 'missing switches  2 uplinks '"
same "beside three dead ones" "tree pgft:m=8x8x2,w=1x4x2,p=1x1x1 missing L2-0018 port 10 - L3-0029 port 1 " \
    "$(left pgft:m=8x8x2,w=1x4x2,p=1x1x1 'switch=L3-0027+L3-0030+L3-0025 then link=L3-0029:1')"
same "where no other switch has that port" "tree pgft:m=4x4x2,w=1x2x2,p=1x1x1 missing L2-0010 port 6 - L3-0013 port 2 " \
    "$(left xgft:m=4x4x2,w=1x2x2 'switch=L3-0015 then link=L3-0013:2')"
same "an empty leaf of three levels with one cable left" "tree pgft:m=3x3x6,w=1x3x3,p=1x1x1" \
    "$(left ft:m=6,n=3 link=L1-0003:1+L1-0003:2+L1-0003:3+L1-0003:4+L1-0003:5 | sed 's/ missing.*//; s/ $//')"
same "a middle switch with one, above few spines" "tree pgft:m=4x4x2,w=1x2x2,p=1x1x1" \
    "$(left xgft:m=4x4x2,w=1x2x2 link=L2-0008:1+L2-0008:2+L2-0008:3+L2-0008:4+L2-0008:5 | sed 's/ missing.*//; s/ $//')"
# A spine whose last cable leads to an empty leaf is no fourth level, and no switch is dead that is there.
stubs() { # PYTHON CONDITION on leaf a and spine b of the cables that stay, EMPTY LEAF: kind and faults
    "$heddle" topo pgft:m=4x8,w=1x4,p=1x1 --fail "link=$(python3 -c "
print('+'.join('L1-%04d:%d' % (a, p) for a in range(8) for p in range(1, 9) if not ($1 if p > 4 else a != $2)))")" -o "$tmp/left.ibnet" -q 2>/dev/null
    "$heddle" topo "$tmp/left.ibnet" -q | sed -n 's/^kind  *//p; s/^  \(missing\|extra\|dead\)  */\1 /p' | tr '\n' ' '
}
same "a spine with a cable to an empty leaf alone" "tree pgft:m=4x8,w=1x4,p=1x1 " "$(stubs 'p != 7 or a == 7' 7)"
same "a spine and an empty leaf with one cable each" "tree pgft:m=4x8,w=1x4,p=1x1 " "$(stubs '(p != 8 or a == 2) and (a != 1 or p == 5)' 1)"
# Two exchanges in a small tree are found. More than can be told apart is not known, which is no PASS, and makes no
# directors of separate switches.
same "two exchanges in a tree of 128 cables" "swapped L1-0001 port 6 - L2-0025 port 1 swapped L2-0024 port 7 - L3-0043 port 3 " \
    "$(recabled kary:k=4,n=3 'swap L1-0001:6 L1-0008:6' 'swap L2-0024:7 L2-0026:8' | sed 's/ and .*//' | tr '\n' ' ')"
recabled kary:k=4,n=3 'swap L1-0001:6 L1-0008:6' 'swap L1-0003:7 L1-0013:7' 'swap L2-0024:7 L2-0026:8' 'swap L2-0017:6 L2-0023:7' >"$tmp/said"
same "four are an irregular tree" "3-level fat tree, irregularly cabled" "$("$heddle" topo "$tmp/recabled.ibnet" | sed -n 's/^kind  *//p')"
same "of which nothing is known" "WARN missing cables not known" "$("$heddle" advise "$tmp/recabled.ibnet" -q | tr -s ' ' | grep -o '[A-Z]* missing cables not known')"
check "and which does not pass" sh -c "'$heddle' advise '$tmp/recabled.ibnet' -q | head -1 | grep -q '^WARN '"
# A host alone on a spine, in place of a cable, has nobody beside it that would tell its place.
same "a host in a spine's port" "missing L1-0005 port 11 - L2-0018 wrong L2-0018 port 6 - node-00026, should be L1-0003 port 3 - node-00026 " \
    "$(recabled ft:m=16,n=2 'cut L2-0018:6' 'move L1-0003:3 L2-0018:6' | tr '\n' ' ')"
same "is moved back" "none" "$(faults "$tmp/recabled.ibnet" --repair)"
same "one fault, and several, in the words of topo" "1 cabling fault: 2 cabling faults, most valuable repair first: " \
    "$(for ports in 9 9+L1-0003:10; do "$heddle" topo ft:m=16,n=2 --fail link=L1-0003:$ports | grep cabling; done | tr "\n" " ")"
# Slower hosts that fill leaves, or have names of their own, were built so; one among fast ones was not.
# rated NET RATE NAMES...: the kinds of faults where the hosts that match a pattern have another rate.
rated() {
    "$heddle" topo "$1" -o - -q | python3 -c '
import re, sys
host = None
for line in sys.stdin:
    line = line.replace("4xEDR", "4xHDR")
    if line.startswith("Ca"): host = re.search("# \"([^\"]*)", line)[1]
    elif line.startswith("Switch"): host = None
    name = host or (re.search("\"H-.*# \"([^\"]*)", line) or [0, ""])[1]
    for rate, names in zip(sys.argv[1::2], sys.argv[2::2]):
        if line.startswith("[") and re.fullmatch(names, name): line = line.replace("4xHDR", rate)
    sys.stdout.write(line)' "${@:2}" >"$tmp/rated.ibnet"
    faults "$tmp/rated.ibnet"
}
same "eight of 32 leaves with splitter cables" "none" "$(rated pgft:m=16x32,w=1x16,p=1x1 2xHDR 'node-0(00..|01[01].|012[0-7])')"
check "are mixed rates" sh -c "'$heddle' advise '$tmp/rated.ibnet' -q | grep -q 'WARN  mixed rates *compute hosts: 128 2xHDR, 384 4xHDR; no cable among them counts as slow'"
same "one slow host among fast ones is a fault" "slow=1" "$(rated gft:n=8,m=8,r=16 2xHDR node-00013)"
same "as is one that is slower than its slow leaf" "slow=1" "$(rated gft:n=8,m=8,r=16 2xHDR 'node-0000[0-24-7]' 1xHDR node-00003)"
same "and three on a leaf of three" "slow=3" "$(rated gft:n=3,m=8,r=16 2xHDR 'node-0000[0-2]')"
same "or half of a leaf" "slow=4" "$(rated gft:n=8,m=8,r=16 2xHDR 'node-000(0[0-3])')"
"$heddle" topo gft:n=8,m=8,r=16 -o - -q | sed 's/"node-00\(..\)0"/"old\1"/' >"$tmp/old.ibnet"
same "hosts of another name, one or two on most leaves" "none" "$(rated "$tmp/old.ibnet" 2xHDR 'old.*')"
same "one of which is slower" "slow=1" "$(rated "$tmp/old.ibnet" 2xHDR 'old0[0-46-9]|old1.' 1xHDR old05)"
# So was a switch all cables of which are slower; one cable at the rate of the others shows that it could have more.
older() { # NET SWITCH RATE [PORT RATE]: the kinds of faults where a switch has another rate, but for one port
    "$heddle" topo "$1" -o - -q | sed "/\"$2\" lid/s/4xEDR/$3/; /^Switch.*# \"$2\"/,/^\$/s/4xEDR/$3/" >"$tmp/rated.ibnet"
    [ -z "${4:-}" ] || sed -i "/\[$4\].*\"$2\" lid/s/$3/$5/; /^Switch.*# \"$2\"/,/^\$/{/^\[$4\]/s/$3/$5/}" "$tmp/rated.ibnet"
    faults "$tmp/rated.ibnet"
}
same "a leaf switch of an older generation" "none" "$(older gft:n=6,m=6,r=10 L1-0003 4xFDR)"
same "is named" "compute hosts: 6 4xFDR, 54 4xEDR; level 1 to 2: 6 4xFDR, 54 4xEDR; no cable among them counts as slow; switches of a lower rate: L1-0003 4xFDR" \
    "$("$heddle" advise "$tmp/rated.ibnet" -q | tr -s ' \n' ' ' | sed 's/.*WARN mixed rates //; s/ PASS.*//')"
same "a spine likewise" "none" "$(older gft:n=6,m=6,r=10 L2-0012 4xFDR)"
same "one of whose cables is slower still" "slow=1" "$(older gft:n=6,m=6,r=10 L2-0012 4xFDR 4 1xFDR)"
same "one of whose cables is as fast as those of the others" "slow=9" "$(older gft:n=6,m=6,r=10 L2-0012 4xFDR 4 4xEDR)"
same "two generations, or split ports" "none none" "$(older gft:n=6,m=6,r=10 L2-0012 4xQDR) $(older gft:n=6,m=6,r=10 L2-0012 2xEDR)"
# What no switch was built with among these: one lane, SDR, what is older; or one ASIC of a chassis.
for rate in 1xEDR 4xSDR 4xDDR 1xFDR; do
    same "a spine whose cables are all $rate" "slow=10" "$(older gft:n=6,m=6,r=10 L2-0012 $rate)"
done
"$heddle" topo gft:n=6,m=6,r=10 -o - -q | sed 's/^sysimgguid=0x20000000010000[a-f]/sysimgguid=0x20000000010000a/' >"$tmp/chassis.ibnet"
same "a spine ASIC of a chassis, the others of which are faster" "slow=10" "$(older "$tmp/chassis.ibnet" L2-0012 4xFDR)"
same "a switch of a torus" "none" "$(older torus:dims=4x4,hosts=2 L1-0005 4xFDR)"
# What the rules of ports and the shape both ask for is one cable.
"$heddle" topo kary:k=4,n=3 --fail link=L1-0002:7+L1-0002:8+L1-0003:7 -o "$tmp/net.ibnet"
same "three cables of a small tree are three" "missing=3" "$(faults "$tmp/net.ibnet")"
check "and advise counts them so" sh -c "'$heddle' advise '$tmp/net.ibnet' -q | grep -q 'missing cables *3 of 128 switch-to-switch'"
for seed in 2 3 4 5 6 7 8 9; do
    "$heddle" topo kary:k=4,n=2 --fail links=4,seed=$seed -o "$tmp/net.ibnet"
    check "no more than four are missing: $seed" test "$("$heddle" topo "$tmp/net.ibnet" | grep -c '^  missing ')" -le 4
done
same "repaired it is whole" "none" "$(faults director:groups=3,leaves=6,hosts=2 --fail links=9 --repair)"

if [ -n "${HEDDLE_CAPTURES:-}" ] && [ -f "$HEDDLE_CAPTURES/ndr-rails.ibnet" ]; then
    same "ndr-rails: the leaf and the cables that are gone, the swapped rails of one host, and nothing else" "missing=26 swapped=1 dead=1" "$(faults "$HEDDLE_CAPTURES/ndr-rails.ibnet")"
    check "ndr-rails: the leaf is named" sh -c "'$heddle' topo '$HEDDLE_CAPTURES/ndr-rails.ibnet' | grep -q 'dead *A09-P1-IBLEAF-03-01, which is not in the fabric, 18 cables'"
    same "hdr-directors: five cables are gone, and nothing else" "missing=5" "$(faults "$HEDDLE_CAPTURES/hdr-directors.console.txt")"
else
    skip "captures" "HEDDLE_CAPTURES has no ndr-rails.ibnet"
fi
finish
