# SPDX-License-Identifier: BSD-2-Clause
"""Which test programs run a line, from a build with gcov's counters: each is run by itself, and the lines whose counters
have grown are its own. Kept in BUILD/mutants/reach.json until a test program or the library is newer."""
import json
import os
import subprocess

LONG = ("prop_order",)  # takes minutes, and what it runs the unit tests run too


def programs(build):
    found = []
    for folder, start in (("unit", "test_"), ("prop", "prop_"), ("fuzz", "fuzz_")):
        names = sorted(f[:-2] for f in os.listdir("tests/" + folder) if f.startswith(start) and f.endswith(".c")
                       and f[:-2] not in LONG)
        found += [folder + "/" + n for n in names if os.path.exists(os.path.join(build, "tests", folder, n))]
    return found


def counters(build):
    """(source, line) -> how often."""
    data = []
    for at, _, files in os.walk(os.path.join(build, "src")):
        data += [os.path.join(at, f) for f in files if f.endswith(".gcda")]
    out = subprocess.run(["gcov", "-j", "-t"] + data, capture_output=True, text=True).stdout if data else ""
    found = {}
    for text in out.split("\n"):
        for f in json.loads(text)["files"] if text.startswith("{") else []:
            if f["file"].startswith("src/"):
                for line in f["lines"]:
                    key = "%s:%d" % (f["file"], line["line_number"])
                    found[key] = found.get(key, 0) + line["count"]
    return found


def reach(bench, counted):
    """(source:line -> programs that run it, program -> CPU seconds); counted is the build with counters."""
    kept = os.path.join(bench.folder, "reach.json")
    names = programs(counted)
    newest = max(os.path.getmtime(os.path.join(counted, "tests", n)) for n in names)
    if os.path.exists(kept) and os.path.getmtime(kept) > newest:
        return json.load(open(kept))
    before, lines = counters(counted), {}
    for name in names:
        bench.execute(os.path.join(counted, "tests", name), 0, 60)
        after = counters(counted)
        for key, count in after.items():
            if count > before.get(key, 0):
                lines.setdefault(key, []).append(name)
        before = after
    found = [lines, bench.costs(names)]
    with open(kept, "w") as f:
        json.dump(found, f)
    return found
