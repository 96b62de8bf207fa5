#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""advice.py REPORT.json...: is the advice right? Derived again from the figures, by the documented rule alone."""
import json, math, sys


def hsd(figures, name):
    return min(figures[name]["value"], figures[name + "_now"]["value"])


def score(goal, f):
    if goal == "balanced":
        return (f["ebb"]["value"] * f["permutation"]["value"] / hsd(f, "alltoall")) ** (1 / 3)
    if goal == "random":
        return f["ebb"]["value"]
    if goal == "worst":
        return 1 / f["worst"]["value"]
    return 1 / hsd(f, goal)


def loadable(option):
    served = option["unreachable"] == 0 and option["loops"] == 0
    return served and option["deadlock_free"] is True and option["variants"] == 1 and option["lanes"] <= 8


bad = 0
for path in sys.argv[1:]:
    report = json.load(open(path))
    goal = report["goal"]
    measured = [o for o in report["options"] if not o["why_not"]]
    scores = {o["table"]: score(goal, o["figures"]) for o in measured if loadable(o)}
    best = max(scores.values())
    chosen = scores.get(report["best"])
    if chosen is None or chosen < 0.995 * best:
        bad = 1
        print("%s for %s: %s has %s, the best of %s is %.6f" % (report["net"], goal, report["best"], chosen, scores, best))
    for o in measured:  # marks say why, and only where something is in the way
        if (o["mark"] is None) != loadable(o):
            bad = 1
            print("%s: %s is marked %s" % (report["net"], o["table"], o["mark"]))
        f = o["figures"]
        for name in f:
            v, bound = f[name]["value"], f[name]["bound"]
            if v is None or bound is None or o["variants"] > 1:
                continue
            if name in ("ebb", "permutation"):
                wrong = v > bound + f[name]["ci"] + 1e-9
            else:
                wrong = v < bound - 1e-9
            if wrong:
                bad = 1
                print("%s: %s of %s is %r, beyond its bound %r" % (report["net"], name, o["table"], v, bound))
    order = [o["score"] for o in measured if not o["current"] and not o["mark"]][1:]  # behind the recommended one
    if any(x < y for x, y in zip(order, order[1:])):
        bad = 1
        print("%s: options are not in order: %s" % (report["net"], order))
sys.exit(bad)
