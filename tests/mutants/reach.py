# SPDX-License-Identifier: BSD-2-Clause
"""Which test programs run a line, from a build with gcov's counters: each is run by itself.
Kept in BUILD/mutants/reach until the program is newer, so that an interrupted run goes on where it was."""
import concurrent.futures
import json
import os
import shutil
import subprocess

LONG = ("prop_order",)  # takes minutes, and what it runs the unit tests run too
SLOWER = 4.0  # programs with counters, compiled without optimization


def programs(build):
    found = []
    for folder, start in (("unit", "test_"), ("prop", "prop_"), ("fuzz", "fuzz_")):
        names = sorted(f[:-2] for f in os.listdir("tests/" + folder) if f.startswith(start) and f.endswith(".c")
                       and f[:-2] not in LONG)
        found += [folder + "/" + n for n in names if os.path.exists(os.path.join(build, "tests", folder, n))]
    return found


def lines_run(bench, counted, name, slot):
    """As program_reach; lines are "src/a.c:7". Counters go to a folder of their own."""
    here = os.path.abspath(os.path.join(bench.own(slot), "counters"))
    shutil.rmtree(here, ignore_errors=True)
    strip = str(len(os.getcwd().strip("/").split("/")))
    passed, seconds = bench.measure([os.path.join(counted, "tests", name)],
                                    bench.environment(slot, GCOV_PREFIX=here, GCOV_PREFIX_STRIP=strip))
    data = []  # with the notes of the compiler beside each
    for at, _, files in os.walk(os.path.join(here, counted, "src")):
        for f in files:
            notes = os.path.relpath(os.path.join(at, f), here)[:-5] + ".gcno"
            os.symlink(os.path.abspath(notes), os.path.join(here, notes))
            data.append(os.path.join(at, f))
    out = subprocess.run(["gcov", "-j", "-t"] + data, capture_output=True, text=True).stdout if data else ""
    shutil.rmtree(bench.own(slot))
    lines = {"%s:%d" % (f["file"], line["line_number"]) for text in out.split("\n") if text.startswith("{")
             for f in json.loads(text)["files"] if f["file"].startswith("src/") for line in f["lines"] if line["count"]}
    return sorted(lines), seconds, passed


def program_reach(bench, counted, name):
    """[lines, CPU seconds, whether it passes] of a program; kept until the program is newer."""
    kept = os.path.join(bench.folder, "reach", name.replace("/", "-") + ".json")
    if os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(os.path.join(counted, "tests", name)):
        return json.load(open(kept))
    found = lines_run(bench, counted, name, name.replace("/", "-"))
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    with open(kept, "w") as f:
        json.dump(found, f)
    return found


def reach(bench, counted, jobs):
    """(source:line -> programs that run it, program -> CPU seconds); counted is the build with counters."""
    names, lines, cost = programs(counted), {}, {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, (run, seconds, passed) in zip(names, pool.map(lambda n: program_reach(bench, counted, n), names)):
            if passed:
                cost[name] = seconds / SLOWER
                for key in run:
                    lines.setdefault(key, []).append(name)
    return lines, cost
