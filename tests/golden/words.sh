#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The documents, the help and the messages use the field's words (docs/glossary.md): phrases that only this project would
# understand are found, with what to write instead. In sources the string literals count, joined where the compiler would
# join them; comments and single words, which are names and keys, do not.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

# Regular expression, where a blank is any white space; what to write instead; an example that must be found. Those whose
# replacement begins with "users:" hold for README, tutorial, help and messages only.
phrases=(
    '\btold\b ## reported, stated ## what is left out is told'
    '\btell(s|ing)?\b ## says, states, reports; distinguishes ## names that tell nothing'
    '\banew\b ## again; rerouted ## routed anew'
    '\b(stands?|stood)\b(?! (for|out|alone)\b)(?!-) ## is, are ## it stands twice'
    '\b(on|along) (the|its|their|a) way\b ## along the path ## lanes change on the way'
    '\bways? (up|down|back|between|from|into)\b ## path up, path down, rollback ## all ways up are used'
    '\b(no|without a|have a|has a|of a|every) way\b(?! to (tell|know)) ## path ## pairs without a way'
    '\bmend(s|ed|ing)?\b ## repair ## cables to mend'
    '(?<![<.])\bcircles?\b(?! ?[{=.]| cx) ## cycle ## they wait in a circle'
    '\b(that|which|who) counts?\b(?! (the|all|as|how|from|every)\b) ## selected ## endpoints that count'
    '\bonly (endpoints|hosts|pairs|nodes|ports)\b[^.;,]{0,40} count\b ## restrict to ... ## only endpoints of this rail count'
    '\b(an?|one|two|each|\d+|N) (line|row|LID|rank|byte|entry|flow|port|record|look-?up|packet|host|column|name|step|number|event|parent|message|node|destination|hop|cable|bit|search|list|file|path|table|tree|count|word|thread|one) an? (line|row|LID|rank|byte|entry|flow|port|second|endpoint|switch|destination|pair|node|host|leaf|level|channel|rail|run|stage|thread|job|routing|direction|interval|cable|packet|sample|message|file|pod|column|table|link|fabric|dimension|core|variant)\b(?! (sends?|goes|consists|has|can|may|needs|uses|takes)\b) ## one X per Y ## a line a port'
    '\b(lines|rows|LIDs|ranks|bytes|entries|flows|ports|look-?ups|packets|columns|steps|events|instructions|messages|nodes|destinations|hops|cables|bits|hosts|paths|words|digits|numbers|endpoints) an? (line|row|LID|rank|byte|entry|flow|port|second|endpoint|switch|destination|pair|node|host|leaf|level|channel|rail|run|stage|thread|job|routing|direction|interval|cable|packet|sample|message|pod|column|table|link|fabric|dimension|core|variant)\b(?! (sends?|goes|consists|has|can|may|needs|uses|takes)\b) ## Xs per Y ## several LIDs a port'
    '\bthinner\b ## oversubscribed ## thinner towards the top'
    '\band those back\b ## rollback steps ## the steps, and those back'
    "\btoday's\b ## current ## today's order"
    '\beverybody\b ## all-to-all, every endpoint ## everybody to everybody'
    '\b(joined|joins)\b ## connected, separated by, connects ## parts joined by cables'
    '\bat hand\b ## current, given ## the order at hand'
    '\b(whoever|nobody|whosoever)\b ## any sender, no endpoint ## nobody sends twice'
    '\b(be|is|are|was) had\b ## is available, can be reached ## what cannot be had'
    '\bour (own )?orders?\b ## proposed rank order ## our order'
    '\b(goes|go|going|run|runs) round\b ## form a cycle ## the entries go round'
    '\bcables? (that are )?gone\b ## missing cables ## five cables gone'
    '\bso many\b ## this many, a number ## at most so many'
    '\bwhole numbers?\b ## integer ## whole number 0 to 3'
    '\bgiven out\b ## assigned ## LIDs are given out'
    '\bhurts?\b ## contend, slow down ## pairs hurt each other'
    '\bclash(es)?\b ## contention, collision ## free of clashes'
    '\byardstick\b ## baseline ## the yardstick for the others'
    '\bits kin\b ## such as ## InfiniBand and its kin'
    '\bspeaks? of\b ## refers to, reports ## what metrics speak of'
    '\bconnected parts?\b ## component ## a connected part'
    '\bfree of deadlocks?\b ## deadlock-free ## proved free of deadlock'
    '\bfalls? idle\b ## becomes idle ## channels that fall idle'
    '\bas it is now\b ## in its current state ## the fabric as it is now'
    '(?<!irtual[ ])(?<!hysical[ ])(?<!heddle[ ])(?<![.][ ])(?<![`\x27"_a-z-])[Ll]anes?(?![`\x27"=%_a-z-]) ## users: VL, VLs ## 2 lanes'
)

printf '%s\n' "${phrases[@]}" >"$tmp/phrases"
cat >"$tmp/scan.py" <<'PY'
"""scan.py PHRASES AREA FILE...: prints 'file:line: "text": write ...' for every phrase found. AREA users adds the phrases
for users; a file *.c or *.h is read for its string literals."""
import re, sys

table = []
for line in open(sys.argv[1]):
    pattern, instead, example = (x.strip() for x in line.split(" ## "))
    users = instead.startswith("users:")
    if not users or sys.argv[2] == "users":
        table.append((re.compile(pattern.replace(" ", r"\s+"), 0 if users else re.I), instead.replace("users: ", "")))

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|^[ \t]*#[ \t]*include[^\n]*|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'', re.S | re.M)

def literals(source):
    """(text, line) of every string; those with nothing but white space, comments or macros in capitals between are one."""
    text, line, end = None, 0, 0
    for m in TOKEN.finditer(source):
        if m.group(1) is None:
            continue
        between = re.sub(r"/\*.*?\*/|//[^\n]*", "", source[end:m.start()], flags=re.S)
        word = m.group(1).replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
        if text is not None and not between.strip():
            text += word
        else:
            if text is not None:
                yield text, line
            text, line = word, source.count("\n", 0, m.start()) + 1
        end = m.end()
    if text is not None:
        yield text, line

def pieces(name):
    with open(name, encoding="utf-8") as f:
        source = f.read()
    if not name.endswith((".c", ".h")):
        yield source, 1, True
    else:
        for text, line in literals(source):
            if re.search(r"\s", text.strip()):
                yield text, line, False

for name in sys.argv[3:]:
    for text, first, prose in pieces(name):
        for pattern, instead in table:
            for m in pattern.finditer(text):
                line = first + (text.count("\n", 0, m.start()) if prose else 0)
                print('%s:%d: "%s": write %s' % (name, line, " ".join(m.group(0).split()), instead))
PY
scan() { python3 "$tmp/scan.py" "$tmp/phrases" "$@"; }
# clean NAME AREA FILE...: no phrase is found; every one that is becomes a line.
clean() {
    local name=$1 found; shift
    if ! found=$(scan "$@" 2>&1); then fail "$name" "$found"
    elif [ -z "$found" ]; then pass "$name"
    else mapfile -t found <<<"$found"; fail "$name" "${found[@]}"; fi
}

# What is looked for is found, each phrase by its example; and only that.
while IFS= read -r row; do
    printf 'A sentence before.\n\nAnd %s in it.\n' "${row##* ## }" >"$tmp/planted.md"
    check "found: ${row##* ## }" bash -c 'grep -q "planted.md:3: " <<<"$0"' "$(scan users "$tmp/planted.md")"
done <"$tmp/phrases"
printf 'A phrase over\ntwo lines: pairs that are routed\nanew; it stands\ntwice.\n' >"$tmp/planted.md"
same "a line break does not hide a phrase" "planted.md:3 planted.md:3" "$(scan all "$tmp/planted.md" | sed 's|.*/\(.*:[0-9]*\):.*|\1|' | xargs)"
cat >"$tmp/good.md" <<'MD'
Virtual lanes, 4x has four physical lanes, `maxlanes=8`, `lanes`; <circle cx="3"> and .circle{r:3}; 0 stands for none and stands
out; a host that counts the hops; one line per port; both ways; intelligent; each switch a leaf; the only one that counts all; messages
a host sends; "7. lane: 3", which OpenSM prints.
MD
clean "words that only look like phrases are not found" users "$tmp/good.md"
cat >"$tmp/planted.c" <<'C'
#include "anew/told.h"
/* told in a comment, "anew" too */
const char *key = "lanes", *good = "2 VLs";
const char *s = "the endpoints that "
                "count", *t = "say \"anew\" twice";
C
same "string literals are read, joined, without comments and names" "planted.c:4 planted.c:5" "$(scan users "$tmp/planted.c" | sed 's|.*/\(.*:[0-9]*\):.*|\1|' | xargs)"

# The documents. docs/results.md is a run of many minutes; its sentences are string literals of the sources below.
for file in README.md docs/tutorial.md; do clean "$file" users "$file"; done
for file in CONTRIBUTING.md CHANGELOG.md examples/README.md docs/*.md; do
    case $file in docs/results.md | docs/tutorial.md | docs/reference.md) ;; *) clean "$file" all "$file" ;; esac
done
"$heddle" help --format markdown >"$tmp/help.md"
check "there is help to read" sh -c "[ \$(wc -l <'$tmp/help.md') -gt 500 ]"
clean "heddle help --format markdown" users "$tmp/help.md"

# The messages, folder by folder.
mapfile -t folders < <(find src include examples -name '*.[ch]' -printf '%h\n' | sort -u)
check "there are folders of sources" test "${#folders[@]}" -gt 10
for folder in "${folders[@]}"; do
    clean "messages of $folder" users "$folder"/*.[ch]
done

# What the documents name in the tree is there; *_mine and prog.c are the reader's own, osm_* is OpenSM's.
cat >"$tmp/names.py" <<'PY'
"""names.py FILE...: prints 'file: name' for every file, and every hd_ or HD_ name, in `code` that the tree does not have."""
import os, re, sys

files, words = set(), set()
for folder, folders, names in os.walk("."):
    folders[:] = [f for f in folders if f != ".git" and not re.match("build|debian/", f)]
    files |= {os.path.join(folder, name)[2:] for name in names}
bases = {f.rsplit("/", 1)[-1] for f in files}
for name in files:
    if name.endswith((".c", ".h")):
        with open(name, encoding="utf-8") as f:
            words |= set(re.findall(r"\b(?:hd|HD|HEDDLE)_[A-Za-z0-9_]+", f.read()))
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:
        text = re.sub(r"(?s)```.*?```", "", f.read())
    for code in re.findall(r"`([^`]+)`", text):
        for path in re.findall(r"[A-Za-z0-9_./]+\.(?:c|h|sh|py)\b", code):
            there = path in files or any(f.endswith("/" + path) for f in files) if "/" in path else path in bases
            if not there and "_mine" not in path and "NAME" not in path and path != "prog.c" and not path.startswith("osm_"):
                print(f"{name}: {path}")
        for word in re.findall(r"\b(?:hd|HD|HEDDLE)_[A-Za-z0-9_]+", code):
            if word not in words and "_mine" not in word:
                print(f"{name}: {word}")
PY
same "files and names that the documents mention exist" "" "$(python3 "$tmp/names.py" README.md CONTRIBUTING.md docs/[a-qs-z]*.md 2>&1)"
printf 'See `nowhere.c` and `hd_no_such`, `engine_mine.c` and `hd_net_check`.\n' >"$tmp/planted.md"
same "and those that do not are found" "nowhere.c hd_no_such" "$(python3 "$tmp/names.py" "$tmp/planted.md" | sed 's/.*: //' | xargs)"
finish
