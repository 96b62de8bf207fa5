# SPDX-License-Identifier: BSD-2-Clause
"""From the results of a run to docs/performance.md and its picture.

    tests/bench/report.py bench/results.json docs/performance.md docs/scaling.svg
"""
import json
import math
import os
import sys

BOUNDS = {
    "net": "the arrays of the network (14 bytes per channel, 15 per node) are written once: bytes ÷ memory bandwidth",
    "file": "every byte of the file is read or written once: bytes ÷ memory bandwidth for reading",
    "table": "every entry of the table, one byte, is written or read once: bytes ÷ memory bandwidth",
    "arcs": "for every destination, each channel that leads closer to it, half of those between switches, is visited once, "
            "and the table is written: N · channels ÷ 2 touches, and bytes ÷ memory bandwidth",
    "flows": "a flow increments the counter of every switch-to-switch channel on its path and reads it again: 2 touches per channel",
    "packets": "a packet enters and leaves the queue of every channel on its path: 2 touches per channel",
    "counts": "one bit is needed per switch and destination: bytes ÷ memory bandwidth",
    "pairs": "every pair needs at least one bit, whether it uses a channel: bytes ÷ memory bandwidth",
    "schedule": "a flow marks its stage at its source, its destination and every switch-to-switch channel of its path: one touch each",
}


def duration(s):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if s >= scale:
            return f"{s / scale:.3g} {unit}" if s / scale < 100 else f"{s / scale:.0f} {unit}"
    return f"{s / 1e-9:.3g} ns"


def quantity(x):
    for letter, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if x >= scale:
            return f"{x / scale:.3g} {letter}"
    return f"{x:.3g} "


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def goal_text(g):
    return {"ratio": lambda: f"≥ {g['limit']:g}×", "rate": lambda: f"≥ {quantity(g['limit'])}/s".replace(" /", "/"),
            "mbps": lambda: f"≥ {g['limit']:g} MB/s", "seconds": lambda: f"≤ {g['limit']:g} s", "mb": lambda: f"≤ {g['limit']:g} MB",
            "exponent": lambda: f"≤ N^{g['limit']:.2f}"}[g["what"]]()


def verdict(row):
    if not row["goals"]:
        return "-"
    return ", ".join(f"{goal_text(g)} {'✓' if g['met'] else '**missed**' if g['met'] is False else 'not run'}" for g in row["goals"])


def rate(row):
    if not row["rate"] or row["group"] == "Two cores":
        return ""
    return f" ({quantity(row['rate'])}{row['ours']['unit']}/s)" if row["ours"]["unit"] != "MB" else f" ({row['rate']:.0f} MB/s)"


def memory(row, floor):
    mb = row["ours"]["rss"] / 1e6
    return f"< {math.ceil(mb)} MB" if not row["rate"] and row["ours"]["rss"] <= 1.05 * floor else f"{mb:.0f} MB"


def line(row, floor):
    if "ours" not in row:
        return [row["name"], row["size"], f"did not run: {row['trouble']}", row["peer"] or "-", "", "", "", "", verdict(row)]
    ours = duration(row["ours"]["seconds"]["median"]) + rate(row)
    peer = ratio = "-"
    if row.get("theirs"):
        r = row["ratio"]
        peer = f"{row['peer']}: {duration(row['theirs']['seconds']['median'])}"
        if row["theirs"]["work"] and row["theirs"]["work"] != row["ours"]["work"] and row["group"] != "Two cores":
            peer += f" for {quantity(row['theirs']['work'])}{row['theirs']['unit']}"
        ratio = f"{number(r['median'])}×" + (f" ({number(r['min'])}–{number(r['max'])})" if row["theirs"]["runs"] > 1 else "")
        if row.get("agree") is False:
            ratio += " **answers differ**"
    elif row["trouble"]:
        peer = f"{row['peer']} did not run: {row['trouble']}"
    bound = duration(row["bound"]) if row.get("bound") else "-"
    share = f"{100 * row['share']:.0f} %" if row.get("share") and row["share"] >= 0.005 else "< 1 %" if row.get("share") else "-"
    return [row["name"], row["size"], ours, peer, ratio, bound, share, memory(row, floor), verdict(row)]


def table(header, lines):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(x) + " |" for x in lines]) + "\n"


NOTES = {
    "Networks": "`generate` makes the arrays from the name of a topology; `parse` reads ibnetdiscover output and infers levels and coordinates. "
                "The reference programs make or read ports, their peers and names; heddle also handles GUIDs, LIDs, coordinates, hosts and "
                "rails, and checks all of it.",
    "Routing": "All entries of all switches for all endpoints, on one core. `dmodk` is a closed form: its rows are computed but not kept. "
               "`psssp-dijkstra` compares with the textbook program, which gives the same table byte by byte.",
    "OpenSM": "OpenSM's time is that of routing alone: from the line `building routing with ...` of its log to the first `Setting ...` "
              "after it, without discovery, without loading the switches and without dumps (log levels 0x47 for `osm_ucast_mgr.c` and 0x4b "
              "for `osm_req.c`, `-n 64`). It is in CPU seconds if it exceeds half a second; ours is the CPU time of the same step on one core. "
              "`updown` is compared with `updn`, and `psssp` with `sssp`. heddle has no Nue: that row shows what a deadlock-free table of "
              "`dfsssp` takes instead. `opensm-end-to-end` covers everything: ibsim starts, heddle routes and writes the deployment, OpenSM "
              "loads it into the switches, `dump_fts` reads them, and `heddle diff` finds no changed entry.",
    "Table files": "The dump is what OpenSM writes for 5,832 endpoints and 972 switches: 458 MB of text. `write-dump` is the whole command.",
    "Credit loops": "`check-closed` computes rows on demand. `check-choices` proves reachability and deadlock freedom for every choice "
              "that the groups of `ar_updn` allow; it was measured by itself, on a busy machine. The time of ibdmchk's check alone runs from `Verifying all CA to CA paths` to its "
              "verdict on credit loops, in CPU seconds; like ours, it covers all pairs and dependencies. The whole commands read the same two "
              "files.",
    "Effective bisection bandwidth": "Random bisections under D-mod-K. `closed` needs no table; `stored` reads an LFT file and uses nothing "
              "else. The flat table is the simplest program (`tests/bench/ref_ebb.c`), `loop` the simplest closed form "
              "(`ref_ebb_tree.c`); SimGrid routes on its own fat tree. Ratios are per flow.",
    "Static metrics": "`efi` is all pairs at once, `worst` is the exact worst permutation by matching, and `table2` is the 90 cells of Table II of nienaber2009 "
              "with the default number of samples of `heddle paper`, on all cores, in wall seconds.",
    "Packet simulation": "A saturated random bisection under D-mod-K, 2 KB packets, one core. BookSim2 reaches about 20,000 packets/s at 512 "
              "endpoints.",
    "Rank order": "10,000 of 11,664 endpoints: an order for rings, one for all-to-all, and an all-to-all of 100 million flows in stages without "
              "collisions.",
    "Advice": "The whole command `heddle advise NET -o DIR` on all cores, in wall seconds: it compares every engine that applies, with rank "
              "orders and failure cases, and writes the folder. Measured by hand on two cores with nothing else running (`/usr/bin/time -f "
              "'%e s %U s %M KB'`, then `du -sh DIR`; wall, CPU of all threads, memory, folder): 1,944 endpoints "
              "(`pgft:m=18x18x6,w=1x18x3,p=1x1x6`) 2.8 s, 4.8 s, 43 MB, 62 MB; 11,664 (`xgft:m=18x18x36,w=1x18x18`) 22.6 s, 38.7 s, "
              "353 MB, 236 MB; 27,648 (`xgft:m=24x24x48,w=1x24x24`) 88 s, 144 s, 970 MB, 945 MB. `heddle design --endpoints N --radix 64`, "
              "likewise: 512 endpoints .7 s, 1.0 s, 15 MB; 2,048 16.3 s, 12.8 s, 53 MB; 16,384 18.5 s, 18.6 s, 573 MB; 65,536 37.6 s, 43.8 s, "
              "392 MB; other programs had begun to run during the last three.",
    "Two cores": "Throughput of one process with two threads (`ranks`: two MPI ranks) relative to that of two independent processes at the same "
              "time, in wall seconds, median and spread. Threads, like processes, are started before the clock. `psssp` has no goal, because "
              "each destination tree depends on the previous one.",
}


def count_goals(results):
    """How many are met, and how many there are: of the jobs and of the growth."""
    goals = [g for row in results["jobs"] + results["growth"] for g in row["goals"]]
    return sum(g["met"] is True for g in goals), len(goals)


def write(results, page, picture):
    m = results["machine"]
    met, goals = count_goals(results)
    text = [f"""# Performance

Generated by `make bench`{' (QUICK=1: small sizes, one run each)' if results['quick'] else ''} on {results['date']}; the figures are in
`bench/results.json`. Goals met: {met} of {goals}.

Each job is run by heddle and, alternately, by the program that it is compared with. Ratios are the median over these repetitions, with
minimum and maximum in parentheses. Unless stated otherwise, a job has one thread and its time is CPU seconds of the job itself,
without start-up and without reading its input. References are the simplest correct programs, in `tests/bench`; `make check` proves that
their answers equal heddle's at small sizes. `make bench JOBS=ebb` runs a part and `QUICK=1` small sizes; both write to `bench/part`.

Machine: {m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB; {m['compiler']}, without `-march=native`. Memory bandwidth, measured in the
same run: {m['triad_gbs']:.1f} GB/s on one core ({m['triad_all_gbs']:.1f} on all), {m['read_gbs']:.1f} GB/s for reading alone. Adding 1 to a
random byte counter, a *touch*, takes {m['touch_ns']:.2f} ns in the L1 cache and {m['touch_l2_ns']:.2f} ns in the L2 cache. *Bound* is the
shortest time that these allow, and *share* is the bound relative to our time.
"""]
    if results.get("note"):
        text.append(f"\n{results['note']}\n")
    if m["load"] > 1:
        text.append(f"""
**The machine was not idle (load {m['load']:.1f}):** memory bandwidth, and therefore bounds and shares, and all wall times (two cores,
Table II, end to end) are not reliable in this run; CPU seconds are.
""")
    header = ["job", "size", "ours", "compared with", "ratio", "bound", "share", "memory", "goal"]
    groups = list(dict.fromkeys(row["group"] for row in results["jobs"]))
    for group in groups:
        text.append(f"\n## {group}\n\n{NOTES.get(group, '')}\n\n" + table(header, [line(r, m["rss_floor"]) for r in results["jobs"] if r["group"] == group]))
        for row in results["jobs"]:
            if row["group"] == group and row["name"].endswith("end-to-end") and "ours" in row:
                text.append(f"\nSteps: {row['ours']['answer']}.\n")
    if results["growth"]:
        text.append(f"""
## Scaling

Fat trees of N = 2k³ endpoints and 5k² switches: the exponent of N, fitted over {len(results['growth'][0]['points'])} sizes, beside the
exponent of the algorithm's complexity.

![seconds against endpoints]({os.path.basename(picture)})

""" + table(["kernel", "fitted", "expected", "why", "goal"],
            [[g["kernel"], f"N^{g['exponent']:.2f}", f"N^{g['promised']:.2f}", g["why"], verdict(g)] for g in results["growth"]]))
    if results["instructions"]:
        text.append("""
## Instructions

Instructions per unit of work, counted by callgrind, and the limit that `make check` enforces: a regression shows without a clock.

""" + table(["kernel", "unit", "counted", "at most"], [[x["kernel"], x["unit"], f"{x['counted']:.1f}" if x["counted"] else "-", f"{x['bound']:.1f}"]
                                                       for x in results["instructions"]]))
    if results["profile"]:
        text.append("""
## Where the time goes

Functions of heddle and of the kernel with at least 5 % of the samples of `perf record -e cpu-clock build/tests/bench/kernel` with the
arguments shown. They explain the distance to a bound.

""" + table(["job", "functions", "what they do", "arguments"],
            [[x["job"], ", ".join(f"`{name}` {100 * share:.0f} %" for name, share in x["shares"]), x["what"], f"`{x['arguments']}`"]
             for x in results["profile"]]))
    used = [rule for rule in BOUNDS if any(row["bound_rule"] == rule for row in results["jobs"])]
    text.append("\n## Definition of the bounds\n\n")
    for rule in used:
        names = ", ".join(f"`{r['name']}`" for r in results["jobs"] if r["bound_rule"] == rule)
        text.append(f"- {BOUNDS[rule][0].upper() + BOUNDS[rule][1:]} ({names}).\n")
    with open(page, "w") as f:
        f.write("".join(text))
    if results["growth"]:
        with open(picture, "w") as f:
            f.write(plot(results["growth"]))


COLOURS = ["#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#b07aa1", "#9c755f", "#79706e"]


def plot(growth):
    """Seconds against endpoints, both logarithmic; a line is the fit, its exponent beside it."""
    width, height, left, right, top, bottom = 720, 460, 70, 150, 20, 50
    xs = [n for g in growth for n, _ in g["points"]]
    ys = [s for g in growth for _, s in g["points"]]
    x0, x1 = math.log10(min(xs)) - 0.05, math.log10(max(xs)) + 0.05
    y0, y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    X = lambda n: left + (math.log10(n) - x0) / (x1 - x0) * (width - left - right)
    Y = lambda s: height - bottom - (math.log10(s) - y0) / (y1 - y0) * (height - top - bottom)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           "<title>Seconds of the kernels against the number of endpoints</title>",
           "<style>.ink{fill:#333}.rule{stroke:#999;stroke-opacity:.4}@media(prefers-color-scheme:dark){.ink{fill:#ddd}}</style>"]
    for e in range(y0, y1 + 1):
        out.append(f'<path class="rule" d="M{left} {Y(10**e):.1f}H{width - right}"/>'
                   f'<text class="ink" x="{left - 8}" y="{Y(10**e) + 4:.1f}" text-anchor="end">{duration(10**e)}</text>')
    for n in sorted(set(xs)):
        out.append(f'<path class="rule" d="M{X(n):.1f} {top}V{height - bottom}"/>'
                   f'<text class="ink" x="{X(n):.1f}" y="{height - bottom + 18}" text-anchor="middle">{n:,}</text>')
    out.append(f'<text class="ink" x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">endpoints</text>')
    ends = []
    for i, g in enumerate(growth):
        fit = lambda n: math.exp(g["intercept"] + g["exponent"] * math.log(n))
        n0, n1 = g["points"][0][0], g["points"][-1][0]
        colour = COLOURS[i % len(COLOURS)]
        out.append(f'<path d="M{X(n0):.1f} {Y(fit(n0)):.1f}L{X(n1):.1f} {Y(fit(n1)):.1f}" stroke="{colour}" stroke-width="1.5" fill="none"/>')
        out += [f'<circle cx="{X(n):.1f}" cy="{Y(s):.1f}" r="3.5" fill="{colour}"/>' for n, s in g["points"]]
        ends.append([Y(fit(n1)), f"{g['kernel']} N^{g['exponent']:.2f}", colour])
    ends.sort()
    for a, b in zip(ends, ends[1:]):
        b[0] = max(b[0], a[0] + 15)  # labels do not overlap
    out += [f'<text x="{width - right + 10}" y="{y + 4:.1f}" fill="{colour}">{label}</text>' for y, label, colour in ends]
    return "\n".join(out) + "\n</svg>\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        write(json.load(f), sys.argv[2], sys.argv[3])
