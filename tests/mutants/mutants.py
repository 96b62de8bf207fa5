#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Mutants: one operator, constant or branch of the library is changed at a time, and a test must notice.
usage: mutants.py BUILD --reach COVBUILD [--count N] [--seed S] [--files REGEX] [--seconds S] [--jobs N] [--again]
                  [--golden]
       mutants.py BUILD --sample

Places are a deterministic sample by seed over all files. A mutant is compiled by itself and linked before the library
with the test programs that run the changed line (reach.py), until one fails: first the cheap ones, those that run
little else than this file, and those that noticed something in it before. With --golden what all of them pass is linked
into the command, and the golden tests that golden.txt lists for the source run that. A mutant that the compiler turns
into the same code is equivalent and not counted, nor is one that equivalent.txt argues to be. Results are appended to
BUILD/mutants/results.txt, and what is there for the same text of the file is not tried again, survivors only with
--again or --golden. Survivors are listed; then come the totals of each folder, and the last line has those of all.

--sample tries the changes of sample.txt, each with its test, and prints TAP: the tests of today notice all of them."""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import threading
import time

from places import changed_line, places, with_line
from reach import reach
from workbench import Workbench

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS, SECONDS = 16, 16.0  # of a mutant: programs tried, and their CPU seconds together
GOLDEN_SECONDS = 20.0  # the same of golden tests
FAILS = 1e9  # seconds of a golden test that is not asked


def rows(name):
    """Lines of a file of fields between |, without comments."""
    with open(os.path.join(HERE, name)) as f:
        return [[w.strip() for w in l.split(" | ")] for l in f if l.strip() and not l.startswith("#")]


def within(names, cost, seconds):
    """The first one, and those after it that all together take no longer."""
    some, total = [], 0.0
    for name in names:
        if not some or total + cost[name] <= seconds:
            some.append(name)
            total += cost[name]
    return some


class Results:
    """What is known: a line of the file is KEY TAB VERDICT TAB TEXT."""

    def __init__(self, path, again):
        self.path, self.known = path, {}
        if os.path.exists(path):
            for line in open(path):
                key, verdict, text = line.rstrip("\n").split("\t")
                if not (again and verdict == "survives"):
                    self.known[key] = (verdict, text)

    def add(self, key, verdict, text):
        self.known[key] = (verdict, text)
        with open(self.path, "a") as f:
            f.write("%s\t%s\t%s\n" % (key, verdict, text))


class Hunt:
    def __init__(self, bench, lines, cost, with_golden):
        self.with_golden, self.bench, self.lines, self.cost, self.noticed = with_golden, bench, lines, cost, {}
        self.scripts = {start: [n if "/" in n else "golden/" + n for n in names.split()]
                        for start, names in rows("golden.txt")}
        self.lock = threading.Lock()
        self.total, self.here = collections.Counter(), collections.Counter()  # lines of a program, and in a source
        for key, names in lines.items():
            self.total.update(names)
            self.here.update((key.rsplit(":", 1)[0], n) for n in names)

    def chosen(self, source, number):
        """Cheap programs first, and those that are about this source: much of what they run is in it. Rows of tables and
        the middle of long statements have no counter, and what runs anything of the source may notice them."""
        names = self.lines.get("%s:%d" % (source, number + 1)) or [n for s, n in self.here if s == source]
        share = {n: self.here[source, n] / self.total[n] for n in names}
        names.sort(key=lambda n: (self.cost[n] + 1) / share[n] ** 2 / (1 + 4 * self.noticed.get((source, n), 0)))
        return within(names[:TESTS], self.cost, SECONDS)

    def golden(self, source):
        """The golden tests of this source that pass without a change."""
        starts = [s for s in self.scripts if source.startswith(s)]
        names = self.scripts[max(starts, key=len)] if starts else []
        return within([n for n in names if self.golden_cost(n) < FAILS], self.cost, GOLDEN_SECONDS)

    def golden_cost(self, name):
        """CPU seconds, measured once per build; FAILS if it does without a change."""
        kept, heddle = (os.path.join(self.bench.folder, "golden.json"), os.path.join(self.bench.build, "heddle"))
        with self.lock:
            fresh = os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(heddle)
            known = json.load(open(kept)) if fresh else {}
            if name not in known:
                passed, seconds = self.bench.golden(name, os.path.abspath(self.bench.build), "golden", 60)
                known[name] = seconds if passed else FAILS
                with open(kept, "w") as f:
                    json.dump(known, f)
            self.cost[name] = known[name]
        return known[name]

    def judge(self, source, text, place, slot):
        """(verdict, tests)"""
        line = changed_line(text.split("\n")[place[0]], place)
        changed = line and with_line(text, place[0], line)
        objects = line and self.bench.sanitized(source, changed, slot)
        if not objects:
            return "invalid", ""
        tried = self.chosen(source, place[0])
        for name in tried:
            if self.bench.notices(name, objects, slot):
                self.noticed[source, name] = self.noticed.get((source, name), 0) + 1
                return "killed", name
        obj = self.bench.compile(source, changed, slot)
        if self.bench.unchanged(source, text, obj, slot):
            return "equivalent", ""
        tried = tried or ["no program runs this line"]
        if not self.with_golden:
            return "survives", " ".join(tried)
        if "hd_fail_memory" in line and self.bench.can_fail(source):
            if not self.bench.fails_well(source, obj, slot):
                return "killed", "inject/library"
            tried.append("inject/library")
        scripts = self.golden(source)
        folder = scripts and self.bench.command(source, obj, slot)
        for name in scripts:
            if not self.bench.golden(name, folder, slot, self.cost[name])[0]:
                return "killed", name
            tried.append(name)
        return "survives", " ".join(tried)


def candidates(options):
    """Every (key, source, text, place) in the order of the seed, which other files do not change."""
    argued = {tuple(r[:3]) for r in rows("equivalent.txt")}
    sources = subprocess.run(["git", "ls-files", "src/*.c"], capture_output=True, text=True).stdout.split()
    found = []
    for source in sources:
        if re.search(r"src/(cli|papers|opensm)/|comm_mpi", source) or not re.search(options.files, source):
            continue
        text = open(source).read()
        mark, lines = hashlib.sha1(text.encode()).hexdigest()[:12], text.split("\n")
        for p in places(text):
            changed = changed_line(lines[p[0]], p)
            if changed and (source, lines[p[0]].strip(), changed.strip()) not in argued:
                found.append(("%s:%d:%d:%s:%s" % (mark, p[0], p[1], p[2].strip(), p[3].strip()), source, text, p))
    found.sort(key=lambda c: hashlib.sha1(("%d %s %s" % (options.seed, c[1], c[0].split(":", 1)[1])).encode()).digest())
    return found


def hunt(options):
    bench = Workbench(options.build)
    lines, cost = reach(bench, options.reach, options.jobs)
    every = candidates(options)
    some = every[: options.count]
    bench.prepare(sorted({s for _, s, _, _ in some}), sorted(cost))
    results = Results(os.path.join(bench.folder, "results.txt"), options.again or options.golden)
    chase, slots, began = Hunt(bench, lines, cost, options.golden), queue.Queue(), time.time()
    for slot in range(options.jobs):
        slots.put(slot)

    def one(candidate):
        key, source, text, place = candidate
        if key in results.known or (options.seconds and time.time() - began > options.seconds):
            return
        slot = slots.get()
        verdict, tests = chase.judge(source, text, place, slot)
        slots.put(slot)
        line = text.split("\n")[place[0]]
        results.add(key, verdict, "%s:%d: | %s | %s | (%s)" % (source, place[0] + 1, line.strip(),
                    (changed_line(line, place) or "").strip(), tests))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, some))
    return report(options, [results.known[c[0]] for c in some if c[0] in results.known], len(every))


def report(options, known, places_of_all):
    count = {v: sum(k[0] == v for k in known) for v in ("killed", "survives", "equivalent", "invalid")}
    for text in sorted(t for v, t in known if v == "survives"):
        print("survives:", text)
    folders = sorted({t.split(":")[0].split("/")[1] for v, t in known if v in ("killed", "survives")})
    for folder in folders:
        here = collections.Counter(v for v, t in known if t.startswith("src/%s/" % folder))
        print("src/%-8s %3d of %3d killed" % (folder, here["killed"], here["killed"] + here["survives"]))
    tried, golden = count["killed"] + count["survives"], sum(v == "killed" and "(golden/" in t for v, t in known)
    print("%d mutants of %d places, seed %d: %d killed (%.1f %%), %d of them by golden tests, %d survive; "
          "besides %d equivalent, %d do not compile"
          % (tried, places_of_all, options.seed, count["killed"], 100.0 * count["killed"] / max(tried, 1), golden,
             count["survives"], count["equivalent"], count["invalid"]))
    return 0


def sample(options):
    """The sample, as TAP."""
    bench, listed = Workbench(options.build), rows("sample.txt")
    bench.prepare(sorted({r[0] for r in listed}), sorted({r[1] for r in listed}))
    for n, (source, program, old, new) in enumerate(listed, 1):
        text = open(source).read()
        times = text.count(old)
        obj = bench.compile(source, text.replace(old, new), 0) if times == 1 else None
        noticed = obj and not bench.passes(program, obj, 0)
        print("%sok %d - %s notices '%s' in %s" % ("" if noticed else "not ", n, program, new, source), flush=True)
        if times != 1:
            print("#   '%s' is there %d times: tests/mutants/sample.txt needs another place" % (old, times))
    print("1..%d" % len(listed))
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--reach", default="build-cov")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="")
    parser.add_argument("--seconds", type=float, default=0, help="begin no mutant after so long; 0: never")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--golden", action="store_true", help="golden tests, too; survivors are tried again")
    parser.add_argument("--sample", action="store_true")
    options = parser.parse_args()
    return sample(options) if options.sample else hunt(options)


if __name__ == "__main__":
    sys.exit(main())
