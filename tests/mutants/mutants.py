#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Mutants: one operator, constant or branch of the library is changed at a time, and the unit tests of that part must
notice. usage: mutants.py BUILD [--count N] [--seed S] [--files REGEX]

A mutant is compiled by itself and linked in place of its object before the library, so that a build of one file and the
link of a few tests is all it costs. Mutants are a deterministic sample by seed over all places of all files; one that
the compiler turns into the same code as the original is counted as equivalent, without running anything. Which tests
are run is taken from the calls of the file: those tests that link it into their program and whose name or includes
mention its folder, cheapest first, at most TESTS of them. Survivors are listed with file, line and change; the last
line has the totals. Works in BUILD/mutants and leaves sources and objects alone."""
import argparse
import hashlib
import os
import random
import re
import subprocess
import sys
import time

TESTS = 4        # unit tests tried for a mutant
SECONDS = 60     # a mutant that runs longer than that is noticed: it hangs

# Places that can be changed: what is found, what it becomes.
CHANGES = [
    (r"(?<![<>=!+\-*/%&|^])==(?!=)", ["!="]),
    (r"!=(?!=)", ["=="]),
    (r"(?<=\w) < (?=\w)", [" <= ", " >= "]),
    (r"(?<=\w) > (?=\w)", [" >= ", " <= "]),
    (r" <= ", [" < "]),
    (r" >= ", [" > "]),
    (r" && ", [" || "]),
    (r" \|\| ", [" && "]),
    (r"(?<=[\w)\]]) \+ (?=[\w(])", [" - "]),
    (r"(?<=[\w)\]]) - (?=[\w(])", [" + "]),
    (r"(?<=[\w)\]]) \* (?=[\w(])", [" + "]),
    (r"(?<=[\w)\]]) / (?=[\w(])", [" * "]),
    (r"(?<=[\w)\]]) % (?=[\w(])", [" / "]),
    (r"\+\+", ["--"]),
    (r" \+= ", [" -= "]),
    (r" \|= ", [" &= "]),
    (r"(?<![\w.\"'x])0(?![\w.xX\"'])", ["1"]),
    (r"(?<![\w.\"'])1(?![\w.\"'])", ["0", "2"]),
    (r"\bif \(", ["if (!("]),
    (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]),
    (r"\bcontinue;", ["break;"]),
    (r"\breturn HD_OK;", ["return HD_LIMIT;"]),
]


def places(text):
    """Every (line number, column, old, new) outside comments, strings, includes, tables of text and assertions."""
    found, comment = [], False
    for number, line in enumerate(text.split("\n")):
        code = line
        if comment or line.lstrip().startswith("/*") or line.startswith("#"):
            comment = (comment or "/*" in line) and "*/" not in line
            continue
        code = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', lambda m: "~" * len(m.group()), code)
        code = re.sub(r"/\*.*?\*/", lambda m: "~" * len(m.group()), code)
        if "/*" in code:
            comment = True
            code = code[: code.index("/*")]
        if re.match(r"\s*(static )?(const|enum|struct|typedef|inline)\b", code) and "=" not in code:
            continue
        for pattern, values in CHANGES:
            for m in re.finditer(pattern, code):
                for new in values:
                    found.append((number, m.start(), m.group(), new))
    return found


def mutate(text, place):
    number, column, old, new = place
    lines = text.split("\n")
    line = lines[number]
    if new == "if (!(":  # negate the whole condition: find its end
        depth, end = 0, column + len(old) - 1
        for end in range(column + len(old) - 1, len(line)):
            depth += (line[end] == "(") - (line[end] == ")")
            if depth == 0:
                break
        if depth:
            return None
        lines[number] = line[:column] + new + line[column + len(old) : end] + ")" + line[end:]
    else:
        lines[number] = line[:column] + new + line[column + len(old) :]
    return "\n".join(lines)


def commands(build):
    """How make compiles an object and links a test, from make itself."""
    def ask(target, touch):
        out = subprocess.run(["make", "-n", "V=1", "BUILD=" + build, "-W", touch, target], capture_output=True, text=True)
        return [l.strip() for l in out.stdout.split("\n") if " -o " in l]
    return ask


def related(build, source):
    """Unit tests of a file, most closely related first: those that include its header or are called like it."""
    stem, folder = os.path.splitext(os.path.basename(source))[0], source.split("/")[1]
    words = [w for w in re.split(r"_", stem) if len(w) > 2]
    names = set(re.findall(r"\b(hd_\w+)\(", open(source).read()))
    own = {n for n in names if re.search(r"^(?!static)\w[\w *]*\b%s\(" % n, open(source).read(), re.M)}
    scored = []
    for test in sorted(os.listdir("tests/unit")):
        path = os.path.join("tests/unit", test)
        if not test.startswith("test_") or not test.endswith(".c"):
            continue
        text = open(path).read()
        program = os.path.join(build, "tests/unit", test[:-2])
        score = 3 * sum(w in test for w in words) + 3 * sum(n in text for n in own) + (folder in test)
        score += 2 * text.count('"' + stem.split("_", 1)[-1].replace("_", "-")) if stem.startswith("engine_") else 0
        score += text.count(stem.split("_", 1)[-1]) > 0
        if score and os.path.exists(program):
            scored.append((-score, os.path.getsize(program), test[:-2]))
    return [t for _, _, t in sorted(scored)[:TESTS]]


class Bench:
    def __init__(self, build):
        self.build, self.folder = build, os.path.join(build, "mutants")
        os.makedirs(self.folder, exist_ok=True)
        self.ask, self.compile_of, self.link_of, self.passes = commands(build), {}, {}, {}

    def run(self, command, seconds=600, **kw):
        try:
            return subprocess.run(command, shell=isinstance(command, str), timeout=seconds, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, **kw).returncode
        except subprocess.TimeoutExpired:
            return -1

    def compile(self, source, text, obj):
        target = os.path.join(self.build, os.path.splitext(source)[0] + ".o")
        if source not in self.compile_of:
            self.compile_of[source] = [l for l in self.ask(target, source) if " -c " in l][-1]
        mutant = os.path.join(self.folder, "mutant.c")
        with open(mutant, "w") as f:
            f.write('#line 1 "%s"\n' % source + text)
        command = self.compile_of[source].replace("-c " + source, "-I%s -c %s" % (os.path.dirname(source), mutant))
        command = command.replace("-o " + target, "-o " + obj).replace(" -g ", " ").replace("-MMD -MP", "")
        return self.run(command + " -w") == 0

    def test(self, name, obj):
        """True: passes with this object, False: notices; None: cannot be linked."""
        program = os.path.join(self.folder, "program")
        target = os.path.join(self.build, "tests/unit", name)
        if name not in self.link_of:
            self.link_of[name] = [l for l in self.ask(target, "tests/unit/%s.c" % name) if target + " " in l][-1]
        # The test itself is compiled once; its object and the mutant come before the library.
        own = os.path.join(self.folder, name + ".o")
        if not os.path.exists(own):
            command = self.link_of[name].split(" -o ")[0].replace("-MMD -MP", "")
            self.run(re.sub(r"-MT \S+ -MF \S+", "", command) + " -c -o " + own)
        tail = self.link_of[name].split(" -o " + target, 1)[1]
        head = self.link_of[name].split(" ", 2)
        cc = " ".join(head[:2]) if head[0] == "ccache" else head[0]
        if self.run("%s %s %s -Wl,--allow-multiple-definition -o %s %s" % (cc, own, obj, program, tail)) != 0:
            return None
        return self.run([program], SECONDS) == 0

    def sound(self, name):
        """Whether the test passes without a mutant: one that does not would notice everything."""
        if name not in self.passes:
            self.passes[name] = self.run([os.path.join(self.build, "tests/unit", name)], SECONDS) == 0
        return self.passes[name]


def digest(obj):
    """The code of an object, without names of files and lines."""
    out = subprocess.run(["objcopy", "-O", "binary", "-j", ".text*", "-j", ".rodata*", "-j", ".data*", obj, "/dev/stdout"],
                         capture_output=True).stdout
    dump = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", obj], capture_output=True, text=True).stdout
    return hashlib.sha1(out + "\n".join(dump.split("\n")[3:]).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long; 0: never")
    options = parser.parse_args()
    sources = subprocess.run(["git", "ls-files", "src/*.c"], capture_output=True, text=True).stdout.split()
    sources = [s for s in sources if not re.search(r"src/(cli|papers)/|comm", s) and re.search(options.files, s)]
    text = {s: open(s).read() for s in sources}
    everything = [(s, p) for s in sources for p in places(text[s])]
    random.Random(options.seed).shuffle(everything)
    bench, original = Bench(options.build), {}
    killed = equivalent = invalid = untested = 0
    survivors, began = [], time.time()
    for source, place in everything:
        if killed + len(survivors) >= options.count or (options.seconds and time.time() - began > options.seconds):
            break
        mutant, obj = mutate(text[source], place), os.path.join(bench.folder, "mutant.o")
        tests = [t for t in related(options.build, source) if bench.sound(t)]
        where = "%s:%d: '%s' becomes '%s'" % (source, place[0] + 1, place[2].strip(), place[3].strip())
        if not tests:
            untested += 1
            continue
        if source not in original:
            bench.compile(source, text[source], obj)
            original[source] = digest(obj)
        if not mutant or not bench.compile(source, mutant, obj):
            invalid += 1
        elif digest(obj) == original[source]:
            equivalent += 1
        elif any(bench.test(t, obj) is False for t in tests):
            killed += 1
        else:
            survivors.append("%s (%s)" % (where, " ".join(tests)))
            print("survives:", survivors[-1], flush=True)
    tried = killed + len(survivors)
    print("%d mutants of %d places, seed %d: %d killed (%.1f %%), %d survive; %d equivalent, %d do not compile, "
          "%d in files without a related unit test" % (tried, len(everything), options.seed, killed,
          100.0 * killed / max(tried, 1), len(survivors), equivalent, invalid, untested))


if __name__ == "__main__":
    sys.exit(main())
