# SPDX-License-Identifier: BSD-2-Clause
"""Compiles one source of the library with a change, links it before the library with a test program, and runs that.

Flags come from make itself, optimization is -O1 and there is no debug information. Test programs are compiled once.
A program that takes ten times the CPU time it needs without a change, and ten seconds more, is ended: it hangs."""
import hashlib
import os
import re
import resource
import shutil
import subprocess
import threading

MEMORY = 8 << 30


class Workbench:
    def __init__(self, build):
        self.build, self.folder = build, os.path.join(build, "mutants")
        os.makedirs(self.folder, exist_ok=True)
        self.linker = "-fuse-ld=gold " if shutil.which("ld.gold") else ""
        self.compile_of, self.link_of, self.lock, self.original = {}, {}, threading.Lock(), {}

    def prepare(self, sources, programs):
        """Asks make how it compiles these sources and links these programs ("unit/test_sim")."""
        objects = [os.path.join(self.build, s[:-2] + ".o") for s in sources]
        targets = [os.path.join(self.build, "tests", p) for p in programs]
        touched = [w for s in list(sources) + ["tests/%s.c" % p for p in programs] for w in ("-W", s)]
        out = subprocess.run(["make", "-n", "V=1", "BUILD=" + self.build] + touched + objects + targets,
                             capture_output=True, text=True).stdout.split("\n")
        for source in sources:
            mark = " -c %s -o " % source
            self.compile_of[source] = [l.strip().split(mark)[0] for l in out if mark in l][-1]
        for program, target in zip(programs, targets):
            mark = " -o %s " % target
            self.link_of[program] = [l.strip() for l in out if mark in l][-1].split(mark)

    def tidy(self, command):
        command = re.sub(r" -MT \S+| -MF \S+| -MMD| -MP| -g\b|^ccache ", " ", command)
        return re.sub(r" -O\d", " -O1", command) + " -w "

    def run(self, command, seconds=600, cpu=600, **kw):
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            return subprocess.run(command, shell=isinstance(command, str), timeout=seconds, preexec_fn=limits,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw).returncode
        except subprocess.TimeoutExpired:
            return -1

    def own(self, slot):
        folder = os.path.join(self.folder, "slot%s" % slot)
        os.makedirs(folder, exist_ok=True)
        return folder

    def compile(self, source, text, slot):
        """The object of this text, or None if it does not compile."""
        mutant, obj = (os.path.join(self.own(slot), "mutant" + end) for end in (".c", ".o"))
        with open(mutant, "w") as f:
            f.write('#line 1 "%s"\n' % source + text)
        command = self.tidy(self.compile_of[source])
        ok = self.run("%s -I%s -c %s -o %s" % (command, os.path.dirname(source), mutant, obj)) == 0
        return obj if ok else None

    def unchanged(self, source, text, obj, slot):
        """Whether the compiler made the same code of the change."""
        made = digest(obj)
        with self.lock:
            if source not in self.original:
                self.original[source] = digest(self.compile(source, text, str(slot) + "o"))
            return made == self.original[source]

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

    def execute(self, path, slot, cost):
        """Runs a test program; True if it passes. prop_faults tries fewer fault sets than by itself."""
        scratch = os.path.join(self.own(slot), "tmp")
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        env = dict(os.environ, TMPDIR=scratch, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", HEDDLE_FAULT_SETS="100")
        cpu = 10 + 10 * cost
        return self.run([path], seconds=60 + 20 * cpu, cpu=cpu, env=env, stdin=subprocess.DEVNULL) == 0

    def passes(self, program, obj, slot, cost):
        return self.execute(self.link(program, obj, slot), slot, cost)

    def costs(self, programs):
        """CPU seconds of each program without a change; those that fail by themselves are left out."""
        found = {}
        for program in programs:
            path = os.path.join(self.build, "tests", program)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if os.path.exists(path) and self.execute(path, 0, 60):
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                found[program] = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return found


def digest(obj):
    """The code of an object, without names of files and lines."""
    dump = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", obj], capture_output=True, text=True).stdout
    data = subprocess.run(["objcopy", "-O", "binary", "-j", ".rodata*", "-j", ".data*", obj, "/dev/stdout"],
                          capture_output=True).stdout
    return hashlib.sha1(data + "\n".join(dump.split("\n")[3:]).encode()).hexdigest()
