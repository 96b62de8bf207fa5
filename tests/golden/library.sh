#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The library as an outsider sees it: exported symbols, the example, an installed copy.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

declared=$(cat include/heddle/*.h | tr '\n' ' ' | grep -oP 'HD_API [^;(]*?\K\bhd_[a-z0-9_]+(?= *\()' | sort -u)
# The compiler's own: sanitizers, and the locks of named critical sections, which no C program can name.
exported=$(nm -D --defined-only "$HEDDLE_BUILD/libheddle.so" | awk '{ print $3 }' | grep -v '^__\(asan\|odr\|ubsan\)\|^\.gomp_critical_user_' | sort -u)
same "exported symbols are exactly the public functions" "$declared" "$exported"

same "the version of the headers is that of the package" "$(dpkg-parsechangelog -l debian/changelog -S Version)" \
    "$(printf '#include <heddle.h>\nHEDDLE_VERSION_MAJOR.HEDDLE_VERSION_MINOR.HEDDLE_VERSION_PATCH\n' | gcc -E -P -Iinclude - | tail -n 1 | tr -d ' ')"

# A program compiled with the headers of an older library of the same minor version finds every member where it was.
minor=$(sed -n 's/^#define HEDDLE_VERSION_M[AI][JN]OR //p' include/heddle/base.h | paste -s -d .)
python3 tests/golden/structs.py include/heddle/*.h | sort >"$tmp/structs"
same "structs of version $minor have kept their members; new ones are behind them" "" "$(while read -r name members; do
    case $(sed -n "s/^$name //p" "$tmp/structs") in "$members"*) ;; *) echo "$name" ;; esac
done <"tests/golden/structs-$minor.txt")"
same "all structs are listed (tests/golden/structs.py)" "" "$(cut -d ' ' -f 1 "tests/golden/structs-$minor.txt" | sort | comm -13 - <(cut -d ' ' -f 1 "$tmp/structs" | sort))"

same "examples/minimal.c runs" "ft:m=8,n=3: 128 endpoints, 80 switches, 384 cables
node-00000 is on L1-0000" "$("$HEDDLE_BUILD/examples/minimal")"

for header in include/heddle.h include/heddle/*.h; do
    check "$header compiles alone in C" gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c "$header"
    check "$header compiles alone in C++" g++ -std=c++11 -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ "$header"
done

# The lines README.md shows, in a main of their own.
{
    printf '#include <heddle.h>\n#include <err.h>\n#include <stdio.h>\nint main(void)\n{\n'
    sed -n '/^```c$/,/^```$/p' README.md | grep -v '^```'
    printf 'hd_routes_free(routes);\nhd_net_free(net);\nhd_ctx_free(ctx);\nreturn 0;\n}\n'
} >"$tmp/readme.c"
san=
case $HEDDLE_BUILD in *-san) san=-fsanitize=address,undefined ;; esac
check "the example of README.md builds" gcc -std=gnu11 -Wall -Wextra -Werror -Iinclude $san "$tmp/readme.c" \
    -L"$HEDDLE_BUILD" -lheddle -Wl,-rpath,"$HEDDLE_BUILD" -o "$tmp/readme"
cp examples/fabric.ibnet "$tmp/"
same "and prints what eval does" "$("$heddle" eval examples/fabric.ibnet ftree --json | sed -n 's/.*"value": \([0-9.]*\).*/\1/p' | xargs printf '%.3f')" \
    "$(cd "$tmp" && ./readme)"

# An engine of one's own, as a plug-in of the command.
check "examples/own_engine.c builds" gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -shared -fPIC \
    examples/own_engine.c -o "$tmp/own.so"
same "check proves it" "true 0" "$("$heddle" check torus:dims=4x4 bfs --plugin "$tmp/own.so" --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(str(d["nonminimal"] == 0).lower(), d["unreachable"])')"
check "eval compares it with others" sh -c "'$heddle' eval examples/fabric.ibnet bfs ftree -n 10 --plugin '$tmp/own.so' | grep -q ' bfs '"
check "advise compares it too" sh -c "'$heddle' advise ft:m=4,n=2 --plugin '$tmp/own.so' | grep -q bfs"
check "help explains it" sh -c "'$heddle' help bfs --plugin '$tmp/own.so' | grep -q 'breadth-first search'"
check "a file in this folder, as loaders name it" sh -c "cd '$tmp' && '$heddle' list engine --plugin own.so | grep -q '^bfs '"
exits "twice is once too often" 2 "own.so: registry: there is already engine bfs" "$heddle" list engine --plugin "$tmp/own.so" --plugin "$tmp/own.so"
exits "not there" 3 "cannot be loaded as a plug-in" "$heddle" list --plugin "$tmp/none.so"
exits "not a shared object" 3 "cannot be loaded as a plug-in" "$heddle" list --plugin README.md
echo 'int x;' | gcc -shared -fPIC -x c - -o "$tmp/empty.so"
exits "not a plug-in" 3 "not a plug-in: expected heddle_plugin" "$heddle" list --plugin "$tmp/empty.so"
sed 's/= HEDDLE_VERSION;/= 90000;/' examples/own_engine.c | gcc -Iinclude -shared -fPIC -x c - -o "$tmp/old.so"
exits "of another version" 3 "compiled for heddle 9.0.0" "$heddle" list --plugin "$tmp/old.so"

# A pattern and a metric of one's own.
check "examples/own_pattern.c builds" gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -shared -fPIC \
    examples/own_pattern.c -o "$tmp/pattern.so"
own="--plugin $tmp/pattern.so"
# shellcheck disable=SC2086
{
    same "eval: three senders share the link of a receiver" "0.333333333 1000" "$("$heddle" eval ft:m=8,n=1 dmodk -p incast -m ebb $own --json |
        python3 -c 'import json, sys; r = json.load(sys.stdin)["rows"][0]; print("%.9f" % r["value"], r["samples"])')"
    same "two do, in groups of three, and each has half" "1" "$("$heddle" eval ft:m=8,n=1 dmodk -p incast:group=3 -m half $own --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"][0]["value"])')"
    same "on any number of threads" "$("$heddle" eval examples/fabric.ibnet ftree -p incast -n 300 $own --threads 1)" \
        "$("$heddle" eval examples/fabric.ibnet ftree -p incast -n 300 $own --threads 3)"
    exits "too few ranks" 3 "needs at least 9 ranks, there are 8" "$heddle" eval ft:m=4,n=2 dmodk -p incast:group=9 $own
    check "sim runs it" sh -c "'$heddle' sim ft:m=4,n=2 dmodk -p incast -n 1 $own | grep -q 'incast:group=4'"
    same "advise has a column for each, which its command prints" "pattern_incast metric_half True" "$("$heddle" advise ft:m=4,n=2 minhop $own --json |
        python3 -c '
import json, shlex, subprocess, sys
f = json.load(sys.stdin)["options"][0]["figures"]
print(*(q for q in f if q in ("pattern_incast", "metric_half")), end=" ")
def printed(command):
    words = shlex.split(command)
    return json.loads(subprocess.check_output([sys.argv[1], *words[1:], "--json"]))["rows"][0]["value"]
print(all(printed(f[q]["command"]) == f[q]["value"] for q in ("pattern_incast", "metric_half")))' "$heddle")"
    check "help explains both" sh -c "'$heddle' help incast $own | grep -q 'ranks of a group' && '$heddle' help half $own | grep -q 'half of their link'"
}

# A struct that a caller allocates can grow: some function knows its size. Others never change, or are the library's own.
same "every struct of the public headers has a rule for growing" "" "$(python3 - <<'PY'
import glob, re
fixed = "vacant plug lost_cable cabling_fault choice_check list param desc hsd pair_sums second advice shared shape level_info dependency unserved lid_check other_check flows ranks binding order_verdict mesh_row job_busy job_pair running_job".split()
library = "design design_row design_prices mesh_plan net cabling transition maintenance nodes order schedule measurement measure_pair sim_sample sizes pattern_in metric_in routes_format net_format order_format jobs interference".split()
rows = "engine pattern metric".split()
text = "".join(open(f).read() for f in glob.glob("include/heddle/*.h"))
sized = re.findall(r"struct hd_(\w+) \*\w+,\s+size_t \w+_size", text)
for tag in re.findall(r"^struct hd_(\w+) \{", text, re.M):
    if tag not in fixed + library + rows + sized:
        print("struct hd_" + tag)
PY
)"

make -s BUILD="${HEDDLE_BUILD#"$PWD"/}" install DESTDIR="$tmp/stage" prefix=/usr >/dev/null 2>"$tmp/install.err"
check "make install honours DESTDIR and prefix" test -x "$tmp/stage/usr/bin/heddle" -a -f "$tmp/stage/usr/include/heddle.h"
same "the installed command runs" "heddle $(dpkg-parsechangelog -l debian/changelog -S Version)" "$("$tmp/stage/usr/bin/heddle" version)"
export PKG_CONFIG_PATH=$tmp/stage/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/stage
if [ "${HEDDLE_BUILD%-san}" = "$HEDDLE_BUILD" ]; then
    check "the example builds against the installed library with pkg-config" \
        sh -c "gcc examples/minimal.c \$(pkg-config --cflags --libs heddle) -o '$tmp/minimal'"
    check "and against the static one" \
        sh -c "gcc examples/minimal.c \$(pkg-config --cflags heddle) '$tmp/stage/usr/lib/libheddle.a' \$(pkg-config --static --libs-only-l --libs-only-other heddle | sed 's/-lheddle//') -o '$tmp/static'"
    same "and runs" "kary:k=2,n=2: 4 endpoints, 4 switches, 8 cables" \
        "$(LD_LIBRARY_PATH=$tmp/stage/usr/lib "$tmp/minimal" kary:k=2,n=2 | head -n 1)"
fi
for page in "$tmp"/stage/usr/share/man/man*/*; do
    check "$(basename "$page") is clean roff" sh -c "! mandoc -Tlint -W warning '$page' | grep -v 'lower case character'"
done
check "bash completion parses" bash -n "$tmp/stage/usr/share/bash-completion/completions/heddle"
finish
