#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make bench: run the jobs of jobs.py, ours and theirs in turn, and write what came.

    tests/bench/run.py BUILD [--jobs REGEX] [--quick] [--reps N]

A whole run writes bench/results.json, docs/performance.md and docs/scaling.svg; a part of it the same files in
bench/part. A job that fails, or a peer that is not installed, becomes a row that says so. Nothing is left running.
"""
import argparse
import json
import math
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import threading
import time

import opensm
import report
from files import File, Ibnet
from jobs import EndToEnd, H, K, Osm, P, Pair, X, growth, profiles, rows

LIMIT = 300  # seconds a single command may take


class Failed(Exception):
    pass


class Process:
    """A command in a process group of its own (not a session: sessions share the cores evenly, whatever their threads),
    with its output, CPU seconds, memory and wall seconds."""
    live = set()

    def __init__(self, argv, cwd, env=None):
        self.argv = argv
        self.out, self.err = (open(os.path.join(cwd, f"{kind}-{id(self)}"), "w+") for kind in ("out", "err"))
        self.start = time.monotonic()
        self.child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, cwd=cwd,
                                      env=env, process_group=0)
        Process.live.add(self)
        self.late = False
        self.timer = threading.Timer(LIMIT, self.kill)
        self.timer.daemon = True
        self.timer.start()

    def kill(self):
        self.late = True
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def wait(self, any_exit=False):
        _, status, usage = os.wait4(self.child.pid, 0)
        self.timer.cancel()
        Process.live.discard(self)
        self.wall = time.monotonic() - self.start
        self.child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu, self.rss = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        self.text, self.errors = (self.read(f) for f in (self.out, self.err))
        if self.late:
            raise Failed(f"not done after {LIMIT} s")
        if self.child.returncode and not any_exit:
            raise Failed((self.errors.strip().splitlines() or [f"exit status {self.child.returncode}"])[-1])
        return self

    @staticmethod
    def read(f):
        f.seek(0)
        text = f.read()
        f.close()
        os.unlink(f.name)
        return text


class Run:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.heddle = os.path.join(self.build, "heddle")
        self.work = os.path.abspath(f"bench/work-{os.getpid()}")
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)

    def program(self, name):
        path = os.path.join(self.build, "tests/bench", name)
        if not os.path.exists(path):
            raise Failed(f"{name} was not built: what it needs is not installed")
        return path

    def argv(self, command):
        args = [a.path(self) if isinstance(a, File) else a for a in command.args]
        if isinstance(command, K):
            return [self.program("kernel"), "-f", "1", "-t", str(command.threads), "-r", str(command.times), *args]
        if isinstance(command, P):
            return [self.program(args[0]), *args[1:]]
        if isinstance(command, H):
            if not command.mpi:
                return [self.heddle, *args]
            return ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(command.mpi), self.heddle + "-mpi", *args]
        return [opensm.program(args[0]), *args[1:]]

    def start(self, command):
        argv = self.argv(command)  # may make files: not part of the time
        return Process(argv, self.work)

    def once(self, command):
        """Figures of one run: seconds, work and its unit, memory, answer."""
        if isinstance(command, Osm):
            return self.once_opensm(command)
        if isinstance(command, Pair):
            return self.once_pair(command)
        if isinstance(command, EndToEnd):
            return self.end_to_end(command)
        if isinstance(command, X) and command.since:
            return self.once_phase(command)
        says = getattr(command, "says", "")
        p = self.start(command).wait(any_exit=bool(says))
        if says not in p.text:
            raise Failed(f"{command.args[0]} did not say: {says}")
        return self.figures(command, p)

    def figures(self, command, p):
        if isinstance(command, (K, P)):
            line = json.loads(p.text.strip().splitlines()[-1])
            times = getattr(command, "times", 1)
            clock = "wall" if getattr(command, "threads", 1) > 1 else "cpu"
            f = {"seconds": line[clock] / times, "wall": line["wall"] / times, "work": line["work"] / times,
                 "unit": line["unit"], "answer": line["answer"], "rss": line["rss"]}
            if isinstance(command, K):
                f["facts"] = json.loads(p.errors.strip().splitlines()[-1])
        elif "--timing" in command.args:
            seconds = json.loads(p.text)["rows"][0]["timing"]["eval_seconds"]
            f = {"seconds": seconds, "wall": seconds, "work": command.work, "unit": "samples", "answer": ""}
        else:
            f = {"seconds": p.wall if getattr(command, "wall", False) else p.cpu, "wall": p.wall, "work": 0, "unit": "", "answer": ""}
        f["rss"] = f.get("rss") or p.rss
        return f

    def once_phase(self, command):
        """CPU seconds of a program between two texts of its output, read from /proc as they arrive."""
        child = subprocess.Popen(self.argv(command), cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        cpu = lambda: sum(map(int, open(f"/proc/{child.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
        text, start, end, stop = b"", None, None, threading.Timer(LIMIT, os.kill, (child.pid, signal.SIGKILL))
        stop.daemon = True
        stop.start()
        try:
            while chunk := os.read(child.stdout.fileno(), 65536):
                text += chunk
                if start is None and command.since.encode() in text:
                    start = cpu()
                if end is None and command.says.encode() in text:
                    end = cpu()
        except BaseException:
            os.kill(child.pid, signal.SIGKILL)
            raise
        finally:
            stop.cancel()
            child.stdout.close()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if start is None or end is None:
            raise Failed(f"{command.args[0]} did not say: {command.says}")
        return {"seconds": end - start, "wall": 0, "work": 0, "unit": "", "answer": "", "rss": usage.ru_maxrss * 1024}

    def once_pair(self, pair):
        """The same job twice at once. Seconds are those of the slower, work is that of both."""
        self.argv(pair.one)
        started = [self.start(pair.one) for _ in range(2)]
        both = [self.figures(pair.one, p.wait()) for p in started]
        wall = max(f["wall"] for f in both)
        return dict(both[0], seconds=wall, wall=wall, work=2 * both[0]["work"], rss=sum(f["rss"] for f in both))

    def fabric(self, net):
        return opensm.Fabric(Ibnet(net).path(self), os.path.join(self.work, "osm"))

    def once_opensm(self, command):
        with self.fabric(command.net) as fabric:
            seconds, total, rss = fabric.sweep(command.engine, command.limit)
        return {"seconds": seconds, "wall": total, "work": 0, "unit": "", "answer": "", "rss": rss}

    def end_to_end(self, command):
        """Route, deploy, OpenSM loads it, tables read back from the switches and compared."""
        start, steps, rss = time.monotonic(), [], 0

        def step(name):
            steps.append((name, time.monotonic() - start - sum(s for _, s in steps)))

        deploy = os.path.join(self.work, "deploy")
        shutil.rmtree(deploy, ignore_errors=True)
        with self.fabric(command.net) as fabric:
            step("ibsim")
            rss = Process([self.heddle, "route", command.net, command.engine, "-q", "--deploy", deploy], self.work).wait().rss
            step("route and deploy")
            shutil.copy(os.path.join(deploy, "guid2lid"), os.path.join(fabric.folder, "cache"))
            with open(os.path.join(deploy, "opensm.conf")) as f:
                lines = [line for line in f if not line.startswith(("routing_engine", "#"))]
            fabric.sweep("file", 120, conf="".join(lines))
            step("OpenSM")
            now = os.path.join(self.work, "now.fts")
            fabric.client("dump_fts", out=now)
            step("dump_fts")
            p = Process([self.heddle, "diff", command.net, os.path.join(deploy, "tables.lft"), now], self.work).wait()
            step("compare")  # the exit status of diff is 1 if an entry of the switches is not ours
        seconds = time.monotonic() - start
        return {"seconds": seconds, "wall": seconds, "work": 0, "unit": "", "rss": max(rss, p.rss), "answer":
                "entries equal; " + ", ".join(f"{name} {s:.1f} s" for name, s in steps)}


# ---- a row ----------------------------------------------------------------------------------------

def bound_of(rule, f, machine):
    """A lower bound on the seconds of one run; see docs/performance.md."""
    facts = f.get("facts")
    if not rule or (not facts and rule != "file"):
        return None
    gb, ns = machine["triad_gbs"] * 1e9, machine["touch_ns"] * 1e-9
    if facts and facts["between"] > 32768:
        ns = machine["touch_l2_ns"] * 1e-9
    return {
        "net": lambda: facts["net"] / gb,
        "file": lambda: f["bytes"] / (machine["read_gbs"] * 1e9),
        "table": lambda: facts["table"] / gb,
        "arcs": lambda: facts["nep"] * facts["between"] / 2 * ns + facts["table"] / gb,
        "flows": lambda: f["work"] * facts["hops"] * 2 * ns,
        "packets": lambda: f["work"] * (facts["hops"] + 2) * 2 * ns,
        "counts": lambda: facts["nep"] * facts["nsw"] / 8 / gb,
        "pairs": lambda: f["work"] / 8 / gb,
        "schedule": lambda: f["work"] * (facts["hops"] + 2) * ns,
    }[rule]()


def cost(f, other):
    """Seconds per unit of work if both count the same unit, else seconds."""
    return f["seconds"] / f["work"] if f["work"] and f["unit"] == other["unit"] and other["work"] else f["seconds"]


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def agrees(how, ours, theirs):
    if not how:
        return None
    if how == "near" or re.fullmatch(r"[0-9.]+", theirs):
        return abs(float(ours) - float(theirs)) <= (0.01 * float(theirs) if how == "near" else 1e-9)
    return ours == theirs


def judge(goals, row):
    done = []
    for what, limit in goals:
        value = {"ratio": lambda: row["ratio"]["median"] if row.get("ratio") else None,
                 "rate": lambda: row["rate"], "mbps": lambda: row["rate"], "seconds": lambda: row["ours"]["seconds"]["median"],
                 "mb": lambda: row["ours"]["rss"] / 1e6}[what]()
        met = None if value is None else value >= limit if what in ("ratio", "rate", "mbps") else value <= limit
        done.append({"what": what, "limit": limit, "value": value, "met": met})
    return done


def side(figures):
    last = figures[-1]
    return {"seconds": spread([f["seconds"] for f in figures]), "wall": statistics.median(f["wall"] for f in figures),
            "rss": max(f["rss"] for f in figures), "work": last["work"], "unit": last["unit"], "answer": last["answer"],
            "runs": len(figures)}


def run_job(run, job, machine, quick, most):
    row = {"name": job.name, "group": job.group, "size": job.size, "peer": job.peer, "bound_rule": job.bound}
    ours, theirs, ratios, trouble = [], [], [], ""
    reps = 1 if quick else min(job.reps, most)
    for _ in range(reps):
        ours.append(run.once(job.ours))
        if job.theirs is None or trouble:
            continue
        try:
            theirs.append(run.once(job.theirs))
            ratios.append(cost(theirs[-1], ours[-1]) / cost(ours[-1], theirs[-1]))
        except (Failed, opensm.Failed, subprocess.SubprocessError, OSError) as e:
            trouble = str(e)
    row["ours"] = side(ours)
    row["rate"] = ours[0]["work"] / row["ours"]["seconds"]["median"] if ours[0]["work"] else 0
    if theirs:
        row["theirs"], row["ratio"] = side(theirs), spread(ratios)
        row["agree"] = agrees(job.agree, ours[-1]["answer"], theirs[-1]["answer"])
    row["trouble"] = trouble
    if job.bound == "file":
        files = [a for a in (*job.ours.args, job.text) if isinstance(a, File)]
        ours[-1]["bytes"] = row["bytes"] = sum(os.path.getsize(a.path(run)) for a in files)
        row["rate"] = row["bytes"] / 1e6 / row["ours"]["seconds"]["median"]
        row["ours"]["unit"] = "MB"
    bound = bound_of(job.bound, ours[-1], machine)
    row["bound"] = bound
    row["share"] = bound / row["ours"]["seconds"]["median"] if bound else None
    row["goals"] = [] if quick else judge(job.goals, row)  # goals are of the full sizes
    return row


def run_growth(run, quick):
    kernels, nets = growth(quick)
    done = []
    for name, promised, why, command in kernels:
        points = []
        for n, net in nets:
            c = command(net)
            first = run.once(c)
            c.times = max(1, min(200, int(0.1 / max(first["seconds"], 1e-6))))  # long enough for a clock
            points.append([n, min(run.once(c)["seconds"] for _ in range(1 if quick else 3))])
        xs, ys = [math.log(n) for n, _ in points], [math.log(s) for _, s in points]
        slope, intercept = statistics.linear_regression(xs, ys)
        limit = promised + 0.1  # caches and clocks have their say
        done.append({"kernel": name, "promised": promised, "why": why, "points": points, "exponent": slope, "intercept": intercept,
                     "goals": [] if quick else [{"what": "exponent", "limit": limit, "value": slope, "met": slope <= limit}]})
        print(f"  growth {name:10} N^{slope:.2f}, promised N^{promised:.2f}", flush=True)
    return done


def run_profiles(run, quick):
    """Shares of samples by function, where perf is installed and may sample."""
    done, data = [], os.path.join(run.work, "samples")
    for job, what, command in profiles(quick) if shutil.which("perf") else []:
        kernel, *arguments = run.argv(command)
        try:
            Process(["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", data, kernel, *arguments], run.work).wait()
            p = Process(["perf", "report", "-i", data, "--stdio", "--no-children", "-g", "none", "-F", "overhead,sym"], run.work).wait()
        except (Failed, OSError) as e:
            print(f"  profile {job}: {e}", flush=True)
            continue
        shares = {}
        for percent, name in re.findall(r"^ +([0-9.]+)% +\[[.k]\] +([A-Za-z0-9_]+)", p.text, re.M):  # without .isra and the like
            shares[name] = shares.get(name, 0) + float(percent) / 100
        most = [[name, share] for name, share in sorted(shares.items(), key=lambda x: -x[1]) if share >= 0.05]
        done.append({"job": job, "what": what, "arguments": " ".join(arguments[2:]), "shares": most})
        print(f"  profile {job:12} {', '.join(f'{name} {100 * share:.0f} %' for name, share in most)}", flush=True)
    return done


def describe_machine(run):
    cpu, memory, load = "unknown", 0, os.getloadavg()[0]
    with open("/proc/cpuinfo") as f:
        cpu = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), cpu)
    with open("/proc/meminfo") as f:
        memory = round(int(f.readline().split()[1]) / 1024**2)
    figures = json.loads(Process([run.program("machine")], run.work).wait().text)
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True).stdout.splitlines()[:1]
    figures.pop("check")
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # what a child is said to have had at least
    return {"rss_floor": floor, "cpu": cpu, "cores": os.cpu_count(), "memory_gib": memory, "load": load,
            "compiler": compiler[0] if compiler else "unknown", **figures}


def instructions(build):
    """The counted kernels of tests/bench/instructions.txt, and what they take where valgrind is installed."""
    with open("tests/bench/instructions.txt") as f:
        fields = [line.split("\t") for line in f if line.strip() and not line.startswith("#")]
    counted = {}
    if shutil.which("valgrind"):
        p = subprocess.run(["tests/bench/instructions.sh", "--count", build], capture_output=True, text=True, timeout=LIMIT)
        counted = dict(line.split("\t") for line in p.stdout.splitlines())
    return [{"kernel": x[0], "unit": x[1], "bound": float(x[2]), "counted": float(counted[x[0]]) if x[0] in counted else None}
            for x in fields]


def show(row):
    ours = report.duration(row["ours"]["seconds"]["median"]) if "ours" in row else "-"
    ratio = f"{row['ratio']['median']:.2f}x {row['peer']}" if row.get("ratio") else row["trouble"]
    goals = " ".join("MISSED " + report.goal_text(g) for g in row["goals"] if g["met"] is False)
    doubt = " ANSWERS DIFFER" if row.get("agree") is False else ""
    print(f"  {row['name']:24} {row['size']:>12} {ours:>10}  {ratio} {goals}{doubt}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--jobs", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--reps", type=int, default=99, help="largest number of runs per job")
    parser.add_argument("--part", default="bench/part", help="folder for the results of a part")
    args = parser.parse_args()
    run = Run(args.build)
    part = bool(args.jobs or args.quick)
    start = time.monotonic()
    try:
        results = {"schema": 1, "quick": args.quick, "date": time.strftime("%Y-%m-%d"), "machine": describe_machine(run)}
        done = results["jobs"] = []
        for job in rows(args.quick):
            if not re.search(args.jobs, job.name):
                continue
            try:
                row = run_job(run, job, results["machine"], args.quick, args.reps)
            except (Failed, opensm.Failed, subprocess.SubprocessError, OSError, ValueError, KeyError) as e:
                detail = getattr(e, "stderr", None) or str(e)
                row = {"name": job.name, "group": job.group, "size": job.size, "peer": job.peer, "bound_rule": job.bound,
                       "trouble": detail.strip().splitlines()[-1] if detail.strip() else type(e).__name__,
                       "goals": [{"what": what, "limit": limit, "value": None, "met": None} for what, limit in job.goals]}
            show(row)
            done.append(row)
        results["growth"] = run_growth(run, args.quick) if re.search(args.jobs, "growth") else []
        results["profile"] = run_profiles(run, args.quick) if re.search(args.jobs, "profile") else []
        results["instructions"] = instructions(args.build) if re.search(args.jobs, "instructions") else []
        results["seconds"] = round(time.monotonic() - start)
    finally:
        for p in Process.live:
            p.kill()
        shutil.rmtree(run.work, ignore_errors=True)
    places = [os.path.join(args.part, name) for name in ("results.json", "performance.md", "scaling.svg")] if part else (
        "bench/results.json", "docs/performance.md", "docs/scaling.svg")
    os.makedirs(os.path.dirname(places[0]), exist_ok=True)
    with open(places[0], "w") as f:
        json.dump(results, f, indent=1)
        f.write("\n")
    report.write(results, places[1], places[2])
    met, goals = report.count_goals(results)
    print(f"{len(done)} jobs in {results['seconds']} s; {met} of {goals} goals met; "
          f"see {places[1]}")


if __name__ == "__main__":
    def stop(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, stop)
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("interrupted: nothing is written")
