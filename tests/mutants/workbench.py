# SPDX-License-Identifier: BSD-2-Clause
"""Compiles one source of the library with a change, links it before the library with a test program, and runs that.

Flags come from make itself, optimization is -O1 and there is no debug information. Test programs are compiled once. The
object with the change is sanitized, as all of them are in build-san, and so are arenas: what reads or writes a byte too
many is noticed as it would be there.
A program that takes four times the CPU time it needs without a change, and a second more, is ended: it hangs.
A golden test ("golden/cli") runs the command instead, linked in the same manner, and is ended by its first failure."""
import atexit
import contextlib
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading

MEMORY = 8 << 30
COMMAND = "heddle"  # what golden tests run
INJECT = "tests/inject/library"  # fails allocations, and whatever else can fail
ARENA = "src/base/arena.c"
SANITIZE = "-fsanitize=address -O0"


class Workbench:
    def __init__(self, build):
        self.build, self.folder = build, os.path.join(build, "mutants")
        os.makedirs(self.folder, exist_ok=True)
        self.linker = "-fuse-ld=gold " if shutil.which("ld.gold") else ""
        self.compile_of, self.link_of, self.lock, self.original = {}, {}, threading.Lock(), {}
        self.arena, self.simulated = None, threading.Lock()
        self.scratch = tempfile.mkdtemp(prefix="heddle-mutants-")
        atexit.register(shutil.rmtree, self.scratch, True)

    def prepare(self, sources, programs):
        """Asks make how it compiles these sources and links these programs ("unit/test_sim")."""
        sources = sorted(set(sources) | {ARENA})
        objects = [os.path.join(self.build, s[:-2] + ".o") for s in sources]
        targets = [os.path.join(self.build, "tests", p) for p in programs]
        whole = [os.path.join(self.build, w) for w in (COMMAND, INJECT)]
        touched = [w for s in list(sources) + ["src/cli/main.c", INJECT + ".c"] + ["tests/%s.c" % p for p in programs]
                   for w in ("-W", s)]
        out = subprocess.run(["make", "-n", "V=1", "BUILD=" + self.build] + touched + objects + whole + targets,
                             capture_output=True, text=True).stdout.split("\n")
        for source in sources:
            mark = " -c %s -o " % source
            self.compile_of[source] = [l.strip().split(mark)[0] for l in out if mark in l][-1]
        for program, target in zip(list(programs) + [COMMAND, INJECT], targets + whole):
            mark = " -o %s " % target
            self.link_of[program] = [l.strip() for l in out if mark in l][-1].split(mark)

    def tidy(self, command):
        command = re.sub(r" -MT \S+| -MF \S+| -MMD| -MP| -g\b|^ccache ", " ", command)
        return re.sub(r" -O\d", " -O1", command) + " -w "

    def run(self, command, seconds=600, cpu=600, memory=MEMORY, **kw):
        try:
            return subprocess.run(command, shell=isinstance(command, str), timeout=seconds,
                                  preexec_fn=limits(cpu, memory), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, **kw).returncode
        except subprocess.TimeoutExpired:
            return -1

    def own(self, slot):
        folder = os.path.join(self.folder, "slot%s" % slot)
        os.makedirs(folder, exist_ok=True)
        return folder

    def compile(self, source, text, slot, flags=""):
        """The object of this text, or None if it does not compile."""
        name = "sanitized" if flags else "mutant"
        mutant, obj = (os.path.join(self.own(slot), name + end) for end in (".c", ".o"))
        with open(mutant, "w") as f:
            f.write('#line 1 "%s"\n' % source + text)
        command = self.tidy(self.compile_of[source]) + flags
        ok = self.run("%s -I%s -c %s -o %s" % (command, os.path.dirname(source), mutant, obj)) == 0
        return obj if ok else None

    def unchanged(self, source, text, obj, slot):
        """Whether the compiler made the same code of the change."""
        made = digest(obj)
        with self.lock:
            if source not in self.original:
                self.original[source] = digest(self.compile(source, text, str(slot) + "o"))
            return made == self.original[source]

    def sanitized(self, source, text, slot):
        """The objects to link in place of the library's, or None if this does not compile."""
        with self.lock:
            if not self.arena:
                self.arena = self.compile(ARENA, open(ARENA).read(), "arena", SANITIZE + " -DHD_ARENA_CHUNK=0")
        own = self.compile(source, text, slot, SANITIZE + " -DHD_ARENA_CHUNK=0")
        return own and "%s %s %s" % (SANITIZE, own, self.arena if source != ARENA else "")

    def baseline(self, program, slot):
        """(whether a program passes, CPU seconds) with sanitized arenas and no change; kept while it is the same."""
        kept = os.path.join(self.folder, program.replace("/", "-") + ".baseline.json")
        built = os.path.join(self.build, "tests", program)
        if not os.path.exists(kept) or os.path.getmtime(kept) < os.path.getmtime(built):
            slot = "%s-%s" % (slot, program.replace("/", "-"))
            made = self.link(program, self.sanitized(ARENA, open(ARENA).read(), slot), slot)
            found = self.measure([made], self.environment(slot), memory=-1)
            shutil.rmtree(self.own(slot))
            with open(kept, "w") as f:
                json.dump(found, f)
        return json.load(open(kept))

    def notices(self, program, objects, slot):
        """Whether a program that passes without the change fails, or hangs, with it."""
        passed, seconds = self.baseline(program, slot)
        return passed and not self.execute(self.link(program, objects, slot), slot, 1 + 4 * seconds, -1)

    def test_object(self, program):
        obj = os.path.join(self.folder, program.replace("/", "-") + ".o")
        with self.lock:
            built = os.path.join(self.build, "tests", program)
            if not os.path.exists(obj) or os.path.getmtime(obj) < os.path.getmtime(built):
                head, tail = self.link_of[program]
                command = self.tidy(head) + " ".join(re.findall(r"-D\S+", tail))
                if self.run(command + " -c -o " + obj) != 0:
                    raise RuntimeError("cannot compile tests/%s.c" % program)
        return obj

    def link(self, program, obj, slot):
        made = os.path.join(self.own(slot), "program")
        command = "gcc %s-Wl,-S %s %s -o %s %s" % (self.linker, self.test_object(program), obj, made,
                                                  self.link_of[program][1])
        if self.run(command) != 0:
            raise RuntimeError("cannot link tests/%s.c" % program)
        return made

    def environment(self, slot, **more):
        """prop_faults tries fewer fault sets than by itself."""
        scratch = os.path.join(self.scratch, "tmp%s" % slot)
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        return dict(os.environ, TMPDIR=scratch, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", HEDDLE_FAULT_SETS="100",
                    ASAN_OPTIONS="allocator_may_return_null=1:hard_rss_limit_mb=%d" % (MEMORY >> 20), **more)

    def execute(self, path, slot, cpu, memory=MEMORY):
        """Runs a test program; True if it passes. The sanitizer reserves terabytes of addresses."""
        return self.run([path], seconds=60 + 20 * cpu, cpu=cpu, memory=memory, env=self.environment(slot),
                        stdin=subprocess.DEVNULL) == 0

    def link_whole(self, program, source, obj, made):
        """Links a program that takes all objects of the library by name."""
        head, tail = self.link_of[program]
        objects = (" %s " % tail).replace(" %s/%s.o " % (self.build, source[:-2]), " %s " % obj)
        if obj not in objects or self.run("%s %s-Wl,-S -o %s %s" % (head, self.linker, made, objects)) != 0:
            raise RuntimeError("cannot link " + program)

    def can_fail(self, source):
        """Whether the program that fails calls takes this object (arenas and output are its own there)."""
        return "%s/%s.o " % (self.build, source[:-2]) in self.link_of[INJECT][1]

    def fails_well(self, source, obj, slot):
        """Whether the library still answers for each call that fails."""
        made = os.path.abspath(os.path.join(self.own(slot), "library"))
        self.link_whole(INJECT, source, obj, made)
        shim = os.path.abspath(os.path.join(self.build, "tests/inject/shim.so"))
        env = self.environment(slot, LD_PRELOAD=shim)
        return self.run([made, "1000"], cpu=100, env=env, stdin=subprocess.DEVNULL) == 0

    def command(self, source, obj, slot):
        """A folder like the build's, whose command has this object of a source."""
        folder = os.path.abspath(os.path.join(self.own(slot), "build"))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name in os.listdir(self.build):
            if name not in (COMMAND, "mutants"):
                os.symlink(os.path.abspath(os.path.join(self.build, name)), os.path.join(folder, name))
        self.link_whole(COMMAND, source, obj, os.path.join(folder, COMMAND))
        return folder

    def golden(self, name, folder, slot, cost):
        """Runs a golden test with the command of a folder, up to its first failure: (whether it passes, CPU seconds)"""
        with self.simulated if name.startswith("ib/") else contextlib.nullcontext():  # names of sockets are shared
            return self.script(name, folder, slot, cost)

    def script(self, name, folder, slot, cost):
        ok, planned = 0, -1
        test = subprocess.Popen(["bash", "tests/%s.sh" % name], env=self.environment(slot, HEDDLE_BUILD=folder),
                                preexec_fn=limits(10 + cost), start_new_session=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
        late = threading.Timer(60 + 20 * cost, os.killpg, (test.pid, signal.SIGKILL))
        late.start()
        for line in test.stdout:
            if line.startswith("not ok "):
                os.killpg(test.pid, signal.SIGKILL)
                break
            ok += line.startswith("ok ")
            planned = int(line[3:]) if re.match(r"1\.\.\d+$", line) else planned
        _, status, used = os.wait4(test.pid, 0)
        late.cancel()
        test.returncode = os.waitstatus_to_exitcode(status)
        return test.returncode == 0 and ok == planned, used.ru_utime + used.ru_stime

    def passes(self, program, obj, slot):
        return self.execute(self.link(program, obj, slot), slot, 30)

    def measure(self, argv, env, seconds=600, memory=MEMORY):
        """(whether it passes, CPU seconds with all that it starts)"""
        job = subprocess.Popen(argv, env=env, preexec_fn=limits(seconds, memory), start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
        return job.returncode == 0, used.ru_utime + used.ru_stime


def limits(cpu, memory=MEMORY):
    """What a child sets for itself: CPU seconds of each process, memory, and no core."""
    def set_them():
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 5))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_them


def digest(obj):
    """The code of an object, without names of files and lines."""
    dump = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", obj], capture_output=True, text=True).stdout
    with tempfile.NamedTemporaryFile() as data:  # objcopy fails on a pipe, and as root removes /dev/stdout then
        subprocess.run(["objcopy", "-O", "binary", "-j", ".rodata*", "-j", ".data*", obj, data.name],
                       capture_output=True)
        with open(data.name, "rb") as written:
            code = written.read()
    return hashlib.sha1(code + "\n".join(dump.split("\n")[3:]).encode()).hexdigest()
