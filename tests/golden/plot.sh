#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle plot as users see it: every kind of chart, whole SVG files, the same bytes on any threads.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
net=xgft:m=4x4x3,w=1x3x2
for kind in fabric heat load bandwidth order whatif choices; do
    check "plot $kind" "$heddle" plot $kind $net minhop -o "$tmp/$kind.svg" --threads 1
    check "plot $kind is well-formed" xmllint --noout "$tmp/$kind.svg"
    same "plot $kind: the same bytes with two threads, on standard output" "$(md5sum <"$tmp/$kind.svg")" \
        "$("$heddle" plot $kind $net minhop --threads 2 | md5sum)"
done
# Pictures as librsvg draws them, and with it Inkscape's viewers, LaTeX and slides: colours are in the file itself.
cat >"$tmp/colours.py" <<'PY'
"""Colours of a PNG, by how many pixels have them: the ground, how many are dark, how many are neither grey nor white;
then whether some pixel has each of the colours given."""
import struct, sys, zlib
data, at, idat = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR": width, height, depth, form = struct.unpack(">IIBB", data[at + 8:at + 18])
    if kind == b"IDAT": idat += data[at + 8:at + 8 + size]
    at += size + 12
n, raw, before, dark, coloured, first, seen = {2: 3, 6: 4}[form], zlib.decompress(idat), None, 0, 0, None, set()
for y in range(height):
    line = bytearray(raw[y * (width * n + 1):(y + 1) * (width * n + 1)])
    how, row = line[0], line[1:]
    before = before or bytearray(width * n)
    for i in range(len(row)):
        a, b, c = row[i - n] if i >= n else 0, before[i], before[i - n] if i >= n else 0
        p = a + b - c
        paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[how]) & 255
    before = row
    for x in range(width):
        r, g, b = row[x * n:x * n + 3]
        first = first or (r, g, b)
        dark += r + g + b < 60
        coloured += max(r, g, b) - min(r, g, b) > 60
    seen |= {tuple(row[x * n:x * n + 3]) for x in range(width)}
print(first == (255, 255, 255), dark < 0.02 * width * height, coloured > 100,
      *(tuple(bytes.fromhex(colour)) in seen for colour in sys.argv[2:]))
PY
for kind in fabric heat load bandwidth order whatif choices; do
    same "plot $kind needs no variables" 0 "$(grep -c 'var(\|calc(' "$tmp/$kind.svg")"
    check "plot $kind follows a dark ground" grep -q '@media (prefers-color-scheme:dark){.*#10151c' "$tmp/$kind.svg"
    command -v rsvg-convert >/dev/null || { skip "plot $kind in librsvg" "rsvg-convert is not installed"; continue; }
    rsvg-convert -w 400 "$tmp/$kind.svg" -o "$tmp/$kind.png"
    same "plot $kind in librsvg: white ground, coloured marks, not black" "True True True" "$(python3 "$tmp/colours.py" "$tmp/$kind.png")"
done
for drawn in ft:m=4,n=3 torus:dims=4x4x4 dragonfly:h=2 random:switches=12,ports=8,hosts=4,seed=3 design; do
    command -v rsvg-convert >/dev/null || { skip "drawing of $drawn in librsvg" "rsvg-convert is not installed"; continue; }
    if [ $drawn = design ]; then
        "$heddle" design --endpoints 64 --radix 16 -q -o "$tmp/net.svg" >/dev/null
    else
        "$heddle" topo $drawn -q -o "$tmp/net.svg"
    fi
    rsvg-convert -w 300 "$tmp/net.svg" -o "$tmp/net.png"
    same "drawing of $drawn in librsvg: white ground, coloured marks, not black" "True True True" "$(python3 "$tmp/colours.py" "$tmp/net.png")"
done
# The legend of the heat map is inside: its last figure ends before the picture does.
check "plot heat holds its legend" python3 - "$tmp/heat.svg" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
width = float(re.search(r'<svg[^>]* width="([0-9.]+)"', text)[1])
right = max(float(x) + 24 + 4 * len(t) for x, t in re.findall(r'<text[^>]* x="([0-9.]+)" y="[0-9.]+"[^>]*>([^<]*)</text>', text) if re.fullmatch("[0-9.]+", t))
assert right <= width, (right, width)
PY
# The choices of advise, beside what the fabric has: values and gains as it prints them.
"$heddle" advise $net minhop -q >"$tmp/advice"
for choice in opensm.conf plug-in file; do
    check "plot choices has $choice" grep -q ">$choice: " "$tmp/choices.svg"
done
check "plot choices has the current table" grep -q '>the current table<' "$tmp/choices.svg"
gain=$(sed -n 's/.*: \(0[.0-9]*\), +\([0-9]*\) % +-\([0-9]*\) %.*/\1 \2 \3/p' "$tmp/advice" | head -n 1)
set -- $gain
check "plot choices has the figures of advise" sh -c "test '$1' && grep -q '>$1<' '$tmp/choices.svg' && grep -q '>+$2 ± $3 %<' '$tmp/choices.svg'"
check "missing cables are dotted, and the legend says so" sh -c "'$heddle' plot fabric torus:dims=4x4x3 minhop --fail links=2,seed=1 -q | tee '$tmp/gone.svg' |
    grep -q '>dotted: missing cables (2)<' && grep -q 'class=\"hd-gone\"' '$tmp/gone.svg'"
# 36 cables between leaves and the middle, 18 between the middle and the top, each drawn once, in some colour.
# Slow cables: one between switches, one of an endpoint.
"$heddle" topo xgft:m=4x4,w=1x2 --format ibnet | sed -E '/^\[5\].*\[2\]/s/4xEDR/1xEDR/; /^\[2\].*\[5\]/s/4xEDR/1xEDR/
    /"node-00010"/s/4xEDR/4xSDR/; /^\[1\].*"S-0200000000100002"\[3\]/s/4xEDR/4xSDR/' >"$tmp/slow.ibnet"
"$heddle" topo "$tmp/slow.ibnet" -o "$tmp/slow-topo.svg" && "$heddle" plot fabric "$tmp/slow.ibnet" minhop -o "$tmp/slow-plot.svg"
for kind in topo plot; do
    same "slow cables in $kind: a line and an endpoint, in a colour of both grounds" "1 1 1 1" "$(for want in \
        '<path class="hd-slow" d="M[^M]*"' '<path class="hd-slow-ep" d="M[^M]*"' '#0a9396' '#3fd0d4'; do
        printf '%s ' "$(grep -cE -m 1 -- "$want" "$tmp/slow-$kind.svg")"; done | sed 's/ $//')"
    check "slow cables in $kind: the file is XML" xmllint --noout "$tmp/slow-$kind.svg"
    command -v rsvg-convert >/dev/null || { skip "slow cables in librsvg" "rsvg-convert is not installed"; continue; }
    rsvg-convert "$tmp/slow-$kind.svg" -o "$tmp/slow.png"
    same "slow cables in $kind in librsvg have their colour" "True True True True" "$(python3 "$tmp/colours.py" "$tmp/slow.png" 0a9396)"
done
check "the legend of topo has both" sh -c "grep -q '>slow cable (1)<' '$tmp/slow-topo.svg' && grep -q '>endpoint on a slow cable (1)<' '$tmp/slow-topo.svg'"
check "and that of plot" sh -c "grep -q '>broad: slow cables (1)<' '$tmp/slow-plot.svg' && grep -q '>endpoints on slow cables (1)<' '$tmp/slow-plot.svg'"
same "plot fabric draws every cable" 54 "$(grep -o '<path class="s[0-6]" d="[^"]*' "$tmp/fabric.svg" | tr -cd M | wc -c)"
same "plot load counts every channel" 108 "$(grep -oE '[0-9]+ channels' "$tmp/load.svg" | awk '{ n += $1 } END { print n }')"
"$heddle" plot bandwidth $net minhop dmodk random -o "$tmp/three.svg"
same "plot bandwidth has a row for each table" "dmodk minhop random" "$(grep -oE '>(minhop|dmodk|random)<' "$tmp/three.svg" | tr -d '<>' | sort | tr '\n' ' ' | sed 's/ $//')"
value=$("$heddle" eval $net random -p bisect -m ebb -n 1000 --json | python3 -c 'import json, sys; print("%.4f" % json.load(sys.stdin)["rows"][0]["value"])')
check "and the mean that eval has" grep -q ">$value</text>" "$tmp/three.svg"
"$heddle" plot load $net minhop random -o "$tmp/two.svg"
check "plot load compares with the second table" grep -q '>random</text>' "$tmp/two.svg"
check "another pattern gives another picture" sh -c "! '$heddle' plot fabric $net minhop -p allpairs | cmp -s - '$tmp/fabric.svg'"
check "without a table the recommended one is drawn" sh -c "'$heddle' plot fabric $net | grep -q 'Load of every cable: '"
for kind in order whatif; do
    same "plot $kind without a table draws that of heddle order" "$("$heddle" plot $kind $net dmodk | md5sum)" "$("$heddle" plot $kind $net | md5sum)"
    same "plot $kind, where dmodk does not apply" "$("$heddle" plot $kind torus:dims=4x4 settle | md5sum)" "$("$heddle" plot $kind torus:dims=4x4 | md5sum)"
done
exits "unknown chart" 2 "plot: unknown chart 'pie': expected fabric, heat" "$heddle" plot pie $net
exits "unknown pattern" 2 "pattern ring: expected bisect or allpairs" "$heddle" plot fabric $net minhop -p ring
exits "a table that does not apply" 3 "does not apply" "$heddle" plot fabric $net dor -o "$tmp/none.svg"
check "and nothing is written" test ! -e "$tmp/none.svg"
exits "nothing to draw: one endpoint" 3 "no chart bandwidth: nothing was sampled" "$heddle" plot bandwidth gft:n=1,m=1,r=1
finish
