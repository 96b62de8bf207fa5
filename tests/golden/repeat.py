#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""repeat.py BUILD REPORT.json [PART]: run the commands a report names and compare what they print with its figures.

PART m/n takes every n-th command from the m-th on. Says what differs, and how many figures were compared.
"""
import json, math, os, shlex, subprocess, sys, tempfile

build, path = os.path.abspath(sys.argv[1]), sys.argv[2]
first, step = map(int, sys.argv[3].split("/")) if len(sys.argv) > 3 else (0, 1)
report = json.load(open(path))
outputs = {}


def run(command):
    """JSON that the command prints; each command runs once."""
    if command not in outputs:
        for part in command.split(" && "):
            words = shlex.split(part)
            assert words[0] == "heddle", command
            done = subprocess.run([build + "/heddle", *words[1:], "--json"], capture_output=True, text=True)
            if done.returncode > 1:
                sys.exit("%s: exit status %d: %s" % (part, done.returncode, done.stderr.strip()))
        outputs[command] = json.loads(done.stdout)
    return outputs[command]


def at(value, field):
    for key in field.split("."):
        value = value[int(key) if key.isdigit() else key]
    return value


def claims():
    """(what, command, field, value) of everything in the report that names a command."""
    for option in report["options"]:
        if option["why_not"]:
            continue
        for key in ("deadlock_free", "lanes", "unreachable", "loops", "nonminimal"):
            yield option["table"] + " " + key, option["command"], key, option[key]
        for name, figure in option["figures"].items():
            if figure["value"] is not None:
                yield option["table"] + " " + name, figure["command"], figure["field"], figure["value"]
                if figure["field"] == "rows.0.value":
                    yield option["table"] + " ci of " + name, figure["command"], "rows.0.ci", figure["ci"]
                    yield option["table"] + " bound of " + name, figure["command"], "rows.0.bound", figure["bound"]
    for use, both in report["order"].items():
        if isinstance(both, dict):
            for side in ("before", "after"):
                for key in ("hsd", "max", "bandwidth"):
                    yield use + " " + side, report["order"]["command"], ".".join((side, use, key)), both[side][key]
    if report["repair"]["command"]:
        yield "repair", report["repair"]["command"], "rows.0.value", report["repair"]["ebb_after"]
    for case in report["what_if"] if step == 1 else []:
        rows = run(case["command"])["rows"]
        values = sorted(row["value"] for row in rows)
        assert len(values) == 2 and case["stays_min"] in values, case["command"]
        assert case["rerouted_min"] <= max(v for v in values), case["command"]


bad = n = 0
with tempfile.TemporaryDirectory() as scratch:
    here = os.getcwd()
    for name in os.listdir(here):
        os.symlink(os.path.join(here, name), os.path.join(scratch, name))
    os.chdir(scratch)
    commands = []
    for what, command, field, value in claims():
        if command not in commands:
            commands.append(command)
        if commands.index(command) % step != first % step:
            continue
        n += 1
        got = at(run(command), field)
        same = got == value or (isinstance(value, float) and got is not None and math.isclose(got, value, rel_tol=1e-9))
        if not same:
            bad += 1
            print("%s: the report says %r, %s prints %r" % (what, value, command, got))
    os.chdir(here)
print("%d figures compared" % n)
sys.exit(bad != 0 or n == 0)
