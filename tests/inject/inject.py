#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""inject.py BUILD [--every] [--class C[:HOW]]... [--only REGEX] [--part M/N] [--jobs N]: fail the calls of commands.

Each command of commands.txt runs undisturbed first, under shim.so, which counts its calls of each class: allocations,
reads, writes, opens, closes, fsyncs, renames, new folders, mmaps, forks and threads. Then it runs again and again, and
each time one of these calls fails. A run keeps the promise if
    it ends with the status, the output and the files of the undisturbed run, or
    it ends with status 4 (3 for inputs that cannot be read), says why in one line, prints no other data (a part of it
    where it is larger than what is kept, or cannot be written), and leaves every file as it was: nothing new, nothing gone, no temporary
    file. A checkpoint may be there, and the command resumes from it. Where every rename fails from one on, so that files
    which are in place cannot be taken back, the message names each of them and the copy beside it of what was there.
A run may also be killed before a call that puts files on disk. Then each file must be the old one or the new one, whole,
and the same command, run again, must end as if it had not been killed, with no temporary file left. Or it gets SIGTERM as
such a call has been carried out. Then all files must be the old ones or all be the new ones, with nothing beside them.
--every fails every call; without it, once, the first call of every call site (four callers deep) that no command before
has failed, which is what `make check` has time for, and every rename that replaces files; --part m/n takes every n-th of
them from the m-th on. Prints TAP, one result per command, and the totals.
"""
import argparse, collections, concurrent.futures, gzip, os, re, shlex, shutil, subprocess, sys, tempfile, threading

HERE = os.path.dirname(os.path.abspath(__file__))
# How each class fails: INTR and SHORT must not change anything.
HOWS = {"alloc": ["once", "on"], "read": ["once", "intr", "short"], "write": ["once", "on", "intr", "short", "kill"],
        "open": ["once", "kill", "term"], "close": ["once", "kill", "term"], "fsync": ["once", "on", "kill", "term"],
        "rename": ["once", "on", "kill", "term"], "folder": ["once", "kill", "term"], "mmap": ["once"], "fork": ["once", "on"],
        "thread": ["once", "on"]}
OFTEN = {("alloc", "on"), ("write", "kill"), ("open", "kill"), ("close", "term")}  # with --every only
GOING_ON = {"eval", "sim", "paper", "order", "measure"}  # an interrupt ends them with the results so far
KEPT = 2048  # of a stream before its beginning is written: HD_OUT_KEPT of SMALL_OUT in the Makefile, 64 MiB elsewhere
READING = {"read", "open"}  # an input that cannot be read is status 3

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("build")
options.add_argument("--every", action="store_true", help="every call, not one per call site")
options.add_argument("--part", default="0/1", metavar="M/N", help="every N-th of the runs from the M-th on")
options.add_argument("--class", dest="classes", action="append", default=[], metavar="C[:HOW]")
options.add_argument("--only", default="", metavar="REGEX", help="commands whose name matches")
options.add_argument("--at", type=int, help="only call number AT")
options.add_argument("--jobs", type=int, default=2)
options.add_argument("--show", type=int, default=5, help="failures to show per command")
options.add_argument("--trace", action="store_true", help="show where the call of each failure shown was")
options = options.parse_args()
build = os.path.abspath(options.build)
sanitized = subprocess.run(["grep", "-qa", "__asan_init", build + "/tests/inject/heddle"]).returncode == 0


class Row:
    def __init__(self, name, command, earlier=None):
        self.name, self.earlier = name, shlex.split(earlier) if earlier else None
        words = shlex.split(command)
        self.stdin = None
        if "<" in words:
            at = words.index("<")
            self.stdin, words = words[at + 1], words[:at]
        if words[0] == "heddle" and "--threads" not in words:
            words += ["--threads", "1"]
        self.words = words
        self.checkpoint = "./" + words[words.index("--checkpoint") + 1] if "--checkpoint" in words else None

    def needs(self):
        if self.name.startswith("mpi"):
            return [build + "/heddle-mpi"]
        return {"ib opensm": ["opensm", "ibsim"], "ib ibdmchk": ["ibdmchk"]}.get(self.name, [])


def program(row, word):
    if word != "heddle":
        return word
    return build + ("/heddle-mpi" if row.name.startswith("mpi") else "/tests/inject/heddle")


def read_table():
    inputs, rows = [], []
    for line in open(HERE + "/commands.txt"):
        if line.startswith("#") or not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(" | ")]
        row = Row(*cells)
        if row.name.startswith("in "):
            inputs.append(row)
        else:
            rows.append(row)
    return inputs, rows


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("INJECT", "OMP_", "LD_PRELOAD"))}
    env.update(OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C", **more)
    if sanitized:
        env["ASAN_OPTIONS"] = "verify_asan_link_order=0:allocator_may_return_null=1:exitcode=99"
        env["LSAN_OPTIONS"] = "exitcode=98:print_suppressions=0:suppressions=" + HERE + "/lsan.supp"
    return env


def make_inputs(rows, folder):
    """Files that the rows read, in folder/in."""
    inside = folder + "/in"
    os.mkdir(inside)
    for row in rows:
        done = subprocess.run([build + "/heddle", *row.words[1:]], cwd=folder, capture_output=True, text=True, env=environment())
        if done.returncode:
            print("# input %s is not made: %s" % (row.name, done.stderr.strip()))
    text = open(inside + "/ft.ibnet", "rb").read()
    with gzip.GzipFile(inside + "/ft.ibnet.gz", "wb", mtime=0) as f:
        f.write(text)
    subprocess.run(["zstd", "-q", inside + "/ft.ibnet", "-o", inside + "/ft.ibnet.zst"], check=False)
    plane = [text.decode()] * 2
    for i in range(2):
        plane[i] = re.sub(r"\"node-(\d+)\"", r'"node-\1 mlx5_%d"' % i, plane[i])
    for a, b in (("020000000", "030000000"), ("20000000", "30000000"), ("02000001", "03000001"), ("2000001", "3000001"),
                 ('"L', '"M')):
        plane[1] = plane[1].replace(a, b)
    with open(inside + "/two.ibnet", "w") as f:
        f.write("".join(plane))
    with open(inside + "/rails.ibnet", "w") as f:
        f.write(re.sub(r"lid \d+", "lid 0", "".join(plane)))
    corpus = os.path.dirname(os.path.abspath(__file__)) + "/../fuzz/corpus_"
    for name in ("capture-cut", "linkinfo", "cache", "values"):
        shutil.copy(corpus + "ibnet/valid-" + name, inside + "/" + name)
    shutil.copy(corpus + "bundle/valid-ustar", inside + "/bundle")
    shutil.copy(corpus + "traffic/goal", inside + "/goal")
    os.mkdir(inside + "/chakra")
    for rank, part in enumerate(open(corpus + "chakra/collectives").read().split("\n%%\n")):
        with open(inside + "/chakra/job.%d.json" % rank, "w") as f:
            f.write(part)
    os.mkdir(inside + "/captures")
    for name in ("broken", "ft"):
        shutil.copy(inside + "/" + name + ".ibnet", inside + "/captures")
    make_levels(inside)
    names = open(inside + "/names").read().split()
    guids = re.findall(r"^Ca.*\"H-([0-9a-f]{16})\"", text.decode(), re.M)
    for name, content in (("map", "".join("0x%s host%d\n" % (g, i) for i, g in enumerate(guids))),
                          ("traffic", "".join("%s %s %d\n" % (a, b, i + 1) for i, (a, b) in enumerate(zip(names, names[1:])))),
                          ("trace", "0 1 4096 -\n1 2 4096 1\n2 3 65536 -\n"),
                          ("jobs", "one node-0000[0,2] ring\ntwo node-0000[1,3,5]\n"),
                          ("errors1", "## Summary: 14 nodes checked, 0 bad nodes found\n## Suppressed:\n"),
                          ("errors2", "   GUID 0x200000000100000 port 3: [PortXmitWait == 195312500]\n"
                                      "   GUID 0x200000000100001 port 3: [SymbolErrorCounter == 500]\n"),
                          ("half", "\n".join("node-%05d" % i for i in range(4)) + "\n")):
        with open(inside + "/" + name, "w") as f:
            f.write(content)
    subprocess.run([build + "/heddle", "order", "in/ft.ibnet", "--format", "guids", "-o", "in/guids"], cwd=folder,
                   env=environment(), stdout=subprocess.DEVNULL)
    subprocess.run(["cc", "-shared", "-fPIC", "-I" + HERE + "/../../include", HERE + "/../../examples/own_engine.c",
                    "-o", inside + "/own.so"], check=True)


def make_levels(inside):
    """Service levels that are not the VLs, some that are not known, and ports that send levels to VL 15."""
    pairs = [line.split() for line in open(inside + "/torus.psl") if line.strip()]
    ports = [line.split()[:3] for line in open(inside + "/torus.slvl")]
    levels = ["%s %s %d\n" % (guid, lid, int(level) + 5) for guid, lid, level in pairs]
    at_5 = " 0x00 0x00 0x00 0x12 0x34 0x56 0x70 0x00\n"
    at_ports = [" ".join(port) + (at_5 if i % 7 else " 0x00 0x00 0x0f 0xff 0x00 0x00 0x00 0xff\n") for i, port in enumerate(ports)]
    tree = ["0x020000000010000%d %d %d" % (v, i, o) + (" 0xff" if (v, o) == (0, 3) else " 0x01") * 8 + "\n"
            for v in range(6) for i in range(5) for o in range(5)]
    for name, lines in (("levels.psl", levels), ("some.psl", levels[1:]), ("drops.slvl", at_ports), ("tree.slvl", tree),
                        ("levels.slvl", [" ".join(port) + at_5 for port in ports])):
        with open(inside + "/" + name, "w") as f:
            f.write("".join(lines))


def snapshot(folder):
    """Names and contents of all that a command may have written."""
    found = {}
    for path, folders, files in os.walk(folder):
        short = os.path.relpath(path, folder)
        folders[:] = [name for name in folders if not os.path.islink(os.path.join(path, name))]
        for name in folders:
            found[os.path.join(short, name) + "/"] = None
        for name in files:
            full = os.path.join(path, name)
            found[os.path.join(short, name)] = open(full, "rb").read()
    return found


def restore(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    os.symlink("../in", folder + "/in")
    for name in sorted(files):
        full = os.path.join(folder, name)
        if name.endswith("/"):
            os.makedirs(full, exist_ok=True)
        else:
            with open(full, "wb") as f:
                f.write(files[name])


class Place:
    """A folder in which one worker runs commands."""

    def __init__(self, scratch, number):
        self.folder, self.report = "%s/work%d" % (scratch, number), "%s/report%d" % (scratch, number)
        self.now = None
        self.row = None

    def begin(self, row):
        """Runs the command undisturbed, once per row and worker: some files name the folder they are in. What is wrong."""
        if self.row is row:
            return None
        self.row, self.before = row, {}
        if row.earlier:
            restore(self.folder, {})
            done = subprocess.run([program(row, row.earlier[0]), *row.earlier[1:]], cwd=self.folder, capture_output=True,
                                  env=environment())
            if done.returncode:
                return "earlier: " + done.stderr.decode()
            self.now = self.before = snapshot(self.folder)
        if os.path.exists(self.report):
            os.unlink(self.report)
        self.expected = self.run(row, self.before, INJECT_REPORT=self.report)
        if self.expected[0] not in (0, 1) or not os.path.exists(self.report):
            return "undisturbed: status %s: %s" % (self.expected[0], self.expected[2].strip())
        again = self.run(row, self.before)
        if again[:2] != self.expected[:2] or again[3] != self.expected[3]:
            return "two undisturbed runs differ"
        return None

    def run(self, row, before, **env):
        if self.now != before:
            restore(self.folder, before)
        stdin = open(os.path.join(self.folder, row.stdin)) if row.stdin else subprocess.DEVNULL
        words = [program(row, row.words[0]), *row.words[1:]]
        if row.name.startswith("mpi"):
            env["INJECT_OWN"] = "1"  # what MPI does without memory is its own affair
        try:
            done = subprocess.run(words, cwd=self.folder, stdin=stdin, capture_output=True, timeout=120,
                                  env=environment(LD_PRELOAD=build + "/tests/inject/shim.so", **env))
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, out, err = "hang", b"", b""
        self.now = snapshot(self.folder)
        return status, out, err.decode(errors="replace"), self.now


def file_changes(before, after):
    return ["%s %s" % ("new" if name not in before else "gone" if name not in after else "changed", name)
            for name in sorted(before.keys() | after.keys())
            if (name in before) != (name in after) or before.get(name) != after.get(name)]


def is_kept(before, after, said):
    """Whether what was replaced or removed is now beside it, and the message says so. Lists of our own files know both."""
    copies = {}
    for change in file_changes(before, after):
        how, name = change.split(" ", 1)
        copy = re.fullmatch(r"(.*)(\.old\d+-).*", name)
        if how == "new" and copy and copy[2] in said:
            copies[copy[1]] = after[name]
        elif how == "new":
            return False
    changed = {name for name in before if after.get(name) != before[name] and not name.endswith("/.heddle")}
    if not changed <= copies.keys() or any(copies[name] != before.get(name) for name in copies):
        return False
    return " more" in said or all(name.removeprefix("./") in said for name in changed)


def verdict(row, expected, before, kind, how, result):
    """What is wrong with a run, or None."""
    status, out, err, files = result
    if status != expected[0] and row.checkpoint in files:
        files = {**files, row.checkpoint: before.get(row.checkpoint)}
        before = {row.checkpoint: None, **before}
    if status == expected[0] and out == expected[1] and files == expected[3]:
        return None
    if status == expected[0]:
        if out != expected[1]:
            return "status %s, other output" % status
        return "status %s, other files: %s" % (status, ", ".join(file_changes(expected[3], files)[:4]))
    said = [line for line in err.splitlines() if line not in expected[2].splitlines()]
    if kind == "thread":  # the OpenMP run-time library says why before it gives up; what follows is ours
        said = [line for line in said if line and not line.startswith("libgomp: ")]
    if how in ("intr", "short"):
        return "status %s: %s" % (status, "; ".join(said)[:200])
    if status != 4 and not (status == 3 and kind in READING):
        return "status %s: %s" % (status, "; ".join(said)[:300])
    if len(said) != 1 or not re.match("heddle: .", said[0]) or "(null)" in err:
        return "status %s, not one line: %s" % (status, "; ".join(said)[:300] or "nothing")
    begins = kind == "write" or len(expected[1]) > KEPT
    if out and not (begins and expected[1].startswith(out)):
        return "status %s, and output" % status
    if (kind, how) == ("rename", "on") and is_kept(before, files, said[0]):
        return None
    # A summary that cannot be printed is no reason to take back files that are in place and whole.
    if files != before and not (kind == "write" and files == expected[3]):
        return "status %s, files changed: %s" % (status, ", ".join(file_changes(before, files)[:4]))
    return None


def killed(here, row, result):
    """What is wrong after a run that was killed, or None."""
    before, expected, left = here.before, here.expected, result[3]
    torn = [name for name in left if not re.search(r"\.(tmp|old)\d", name) and name != row.checkpoint
            and left[name] not in (before.get(name), expected[3].get(name))]
    if result[0] != -9 or torn:
        return "status %s, neither old nor new: %s" % (result[0], ", ".join(torn[:4]))
    for _ in range(2):  # the list of our own files (.heddle) has those of several runs
        again = here.run(row, left)
        left = again[3]
        other = [change for change in file_changes(expected[3], left) if not change.endswith("/.heddle")]
        if again[:2] != expected[:2] or other:
            return "then status %s: %s %s" % (again[0], again[2].strip(), ", ".join(other[:4]))
    return None


def interrupted(here, result):
    """What is wrong after a run that SIGTERM ended, or None."""
    before, expected = here.before, here.expected
    if result[0] not in (-15, 143, expected[0]) or result[3] not in (before, expected[3]):
        return "status %s, files changed: %s" % (result[0], ", ".join(file_changes(before, result[3])[:4]))
    return None


def is_mixed(before, after, left):
    """Whether some files are the old ones and others the new ones."""
    changed = [name for name in after if after[name] != before.get(name)]
    return 0 < sum(left.get(name) == after[name] for name in changed) < len(changed)


def wanted(row, kind):
    """Ways in which calls of a class fail in this run."""
    hows = [how for how in HOWS[kind] if how not in ("kill", "term") or not row.name.startswith(("mpi", "ib"))]
    if row.words[0] != "heddle" or row.words[1] in GOING_ON:
        hows = [how for how in hows if how != "term"]
    if not options.classes:
        return [how for how in hows if options.every or (kind, how) not in OFTEN]
    return [how for how in hows if kind in options.classes or "%s:%s" % (kind, how) in options.classes]


def in_part(run_number):
    first, step = map(int, options.part.split("/"))
    return run_number % step == first


def plan(row, report, seen):
    """(class, how, n) of the runs of a command."""
    calls = collections.defaultdict(list)
    for line in open(report):
        kind, site = line.split()
        calls[kind].append(site)
    for kind in HOWS:
        if row.name.startswith("thread") != (kind == "thread"):
            continue
        for how in wanted(row, kind):
            for n, site in enumerate(calls[kind], 1):
                if options.at and options.at != n:
                    continue
                # What a rename leaves depends on those before it.
                each = options.every or (kind == "rename" and how in ("once", "on") and row.earlier)
                if not each and (kind, how, site) in seen:
                    continue
                seen.add((kind, how, site) if not each else (row.name, kind, how, n))
                if in_part(len(seen)):
                    yield kind, how, n


def place_of_call(row, before, inject, scratch):
    path = scratch + "/trace"
    Place(scratch, 9).run(row, before, INJECT=inject, INJECT_TRACE=path)
    addresses = open(path).read().split()
    lines = subprocess.run(["addr2line", "-Cfpsi", "-e", program(row, "heddle"), *addresses], capture_output=True, text=True).stdout
    print("".join("#      %s\n" % line for line in lines.splitlines() if "shim" not in line)[:-1])


def main():
    scratch = tempfile.mkdtemp(prefix="inject", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    inputs, rows = read_table()
    make_inputs(inputs, scratch)
    original = snapshot(scratch + "/in")
    places = [Place(scratch, i) for i in range(options.jobs)]
    local, free = threading.local(), list(places)
    totals, seen, number, bad_rows = collections.Counter(), set(), 0, 0

    def place():
        if not hasattr(local, "place"):
            local.place = free.pop()
        return local.place

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def begin(row):
            here = place()
            fault = here.begin(row)
            return fault, None if fault else list(plan(row, here.report, seen))

        for row in rows:
            if not re.search(options.only, row.name):
                continue
            number += 1
            missing = [p for p in row.needs() if not shutil.which(p)]
            if missing:
                print("ok %d - %s # SKIP no %s" % (number, row.name, missing[0]), flush=True)
                continue
            fault, runs = pool.submit(begin, row).result()
            if fault:
                bad_rows += 1
                print("not ok %d - %s\n#   %s" % (number, row.name, fault), flush=True)
                continue
            faults = []

            def one(run):
                kind, how, n = run
                here = place()
                fault = here.begin(row)
                if fault:
                    return run, fault, False
                before, expected = here.before, here.expected
                result = here.run(row, before, INJECT="%s:%d:%s" % (kind, n, how))
                if how == "kill":
                    mixed = is_mixed(before, expected[3], result[3])
                    totals["kill", "mixed"] += mixed
                    return run, killed(here, row, result), False
                if how == "term":
                    return run, interrupted(here, result), result[0] == expected[0]
                fault = verdict(row, expected, before, kind, how, result)
                if not fault and row.checkpoint and result[0] != expected[0]:
                    again = here.run(row, result[3])
                    if again[:2] != expected[:2] or again[3] != expected[3]:
                        fault = "does not resume"
                return run, fault, result[0] == expected[0]

            for (kind, how, n), fault, same in pool.map(one, runs):
                totals[how if how in ("kill", "term") else kind,
                       "same" if same and not fault else "failed" if not fault else "fault"] += 1
                if fault:
                    faults.append("%s:%d:%s %s" % (kind, n, how, fault))
            print("%sok %d - %s: %d calls failed" % ("not " if faults else "", number, row.name, len(runs)))
            bad_rows += bool(faults)
            for fault in faults[:options.show]:
                print("#   " + fault)
                if options.trace:
                    place_of_call(row, places[0].before, fault.split()[0], scratch)
            if len(faults) > options.show:
                print("#   and %d more" % (len(faults) - options.show))
            sys.stdout.flush()
    number += 1
    print("%sok %d - inputs are as they were" % ("" if snapshot(scratch + "/in") == original else "not ", number))
    for kind in HOWS:
        n = {key: totals[kind, key] for key in ("same", "failed", "fault")}
        if sum(n.values()):
            print("# %-6s %6d calls failed: %d as ever, %d with status and message, %d wrong" % (kind, sum(n.values()), *n.values()))
    print("# kill   %6d calls: %d recovered, %d did not; %d of them between two renames" % (
        totals["kill", "failed"] + totals["kill", "fault"], totals["kill", "failed"], totals["kill", "fault"],
        totals["kill", "mixed"]))
    print("# term   %6d calls: %d ended with all files old or all new, %d did not" % (
        sum(totals["term", key] for key in ("same", "failed", "fault")), totals["term", "same"] + totals["term", "failed"],
        totals["term", "fault"]))
    print("1..%d" % number)
    shutil.rmtree(scratch)
    return 0


sys.exit(main())
