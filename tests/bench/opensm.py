# SPDX-License-Identifier: BSD-2-Clause
"""The real OpenSM on the real ibsim, timed by its own log.

OpenSM tells when it begins to route ("building routing with ...", module osm_ucast_mgr.c at level 0x04) and when
it sends the first request that sets something afterwards (module osm_req.c at level 0x08): the time between the
two is what the engine itself takes, without discovery, without loading tables into switches, without dumps.
Where that is long enough, CPU seconds between the two count, so that other work on the machine does not.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import time

LONG = 0.5  # seconds: /proc counts CPU time in hundredths

LINE = re.compile(r"^\w{3} \d+ (\d+):(\d+):(\d+) (\d+) \[")


class Failed(Exception):
    pass


def program(name):
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise Failed(f"{name} is not installed")
    return found


def preload():
    for place in ("/usr/lib/*/umad2sim/libumad2sim.so", "/usr/lib*/umad2sim/libumad2sim.so"):
        for found in glob.glob(place):
            return found
    raise Failed("libumad2sim.so is not installed")


def stamp(line):
    m = LINE.match(line)
    if not m:
        return None
    h, minute, s, us = map(int, m.groups())
    return 3600 * h + 60 * minute + s + us * 1e-6


class Follower:
    """Reads a growing log and notes the CPU seconds of its writer at the two lines."""

    def __init__(self, path, pid, engine):
        self.path, self.pid, self.file, self.rest = path, pid, None, b""
        self.want = [f"building routing with '{engine}'".encode(), b"Setting "]
        self.at = []

    def cpu(self):
        with open(f"/proc/{self.pid}/stat") as f:
            return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def look(self):
        if self.file is None and os.path.exists(self.path):
            self.file = open(self.path, "rb")
        text = self.rest + (self.file.read() if self.file else b"")
        while len(self.at) < 2 and (found := text.find(self.want[len(self.at)])) >= 0:
            self.at.append(self.cpu())
            text = text[found + 1:]
        self.rest = text[-200:]  # a line may be cut

    def seconds(self):
        if self.file:
            self.file.close()
        return self.at[1] - self.at[0] if len(self.at) == 2 else None


class Fabric:
    """ibsim with a network, and OpenSM on it; ends both whatever happens."""

    def __init__(self, net, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "cache"))
        self.env = dict(os.environ, IBSIM_SOCKNAME=f"heddle-bench-{os.getpid()}", LC_ALL="C",
                        OSM_CACHE_DIR=os.path.join(folder, "cache"), OSM_TMP_DIR=folder)
        with open(net) as f:
            self.env["SIM_HOST"] = next(m.group(1) for m in (re.match(r'Switch\s+\d+ "(S-[0-9a-f]+)"', x) for x in f) if m)
        self.log = open(os.path.join(folder, "ibsim.log"), "w")
        self.sim = subprocess.Popen(
            [program("ibsim"), "-s", "-n", "-N", "20000", "-S", "4000", "-P", "400000", "-L", "49152", os.path.abspath(net)],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.env, start_new_session=True)
        self.osm = None

    def __enter__(self):
        try:
            end = time.monotonic() + 120
            while "simulator ready" not in open(self.log.name).read():
                if self.sim.poll() is not None or time.monotonic() > end:
                    raise Failed("ibsim did not start")
                time.sleep(0.02)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for p in (self.osm, self.sim):
            if p is None or p.poll() is not None:
                continue
            p.terminate()
            try:
                p.wait(3)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self, *argv, out=None):
        with open(out or os.devnull, "w") as f:
            rc = subprocess.call([program(argv[0]), *argv[1:]], cwd=self.folder, stdout=f, stderr=subprocess.DEVNULL,
                                 env=dict(self.env, LD_PRELOAD=preload()), timeout=300)
        if rc:
            raise Failed(f"{argv[0]} ended with {rc}")

    def sweep(self, engine, limit, options=(), conf=""):
        """One sweep. Returns (seconds of the engine itself, seconds in all, bytes of memory)."""
        at = lambda name: os.path.join(self.folder, name)
        with open(at("modules"), "w") as f:
            f.write("osm_ucast_mgr.c=0x47\nosm_req.c=0x4b\n")
        with open(at("conf"), "w") as f:
            f.write(f"force_log_flush TRUE\npartition_config_file {at('none')}\nprefix_routes_file {at('none')}\nqos_policy_file {at('none')}\n"
                    f"per_module_logging_file {at('modules')}\n{conf}")
        argv = [program("opensm"), "-F", at("conf"), "-o", "-e", "-f", at("osm.log"), "-D", "0x03", "-n", "64",
                "-R", f"{engine},no_fallback", *options]
        start = time.monotonic()
        self.osm = subprocess.Popen(argv, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, env=dict(self.env, LD_PRELOAD=preload()),
                                    start_new_session=True)
        usage, follower = None, Follower(at("osm.log"), self.osm.pid, engine)
        while usage is None:
            follower.look()
            pid, status, seen = os.wait4(self.osm.pid, os.WNOHANG)
            if pid:
                usage, self.osm.returncode = seen, status
            elif time.monotonic() - start > limit:
                raise Failed(f"opensm {engine} was not done after {limit} s")
            else:
                time.sleep(0.01)
        total = time.monotonic() - start
        self.osm = None
        wall, cpu = self.engine_time(at("osm.log"), engine), follower.seconds()
        return cpu if cpu and wall > LONG else wall, total, usage.ru_maxrss * 1024

    def engine_time(self, log, engine):
        begin = done = last = None
        ours = f"building routing with '{engine}'"
        with open(log, errors="replace") as f:
            for line in f:
                if "building routing with" in line:
                    begin, last = (stamp(line), None) if ours in line else (None, None)
                elif begin is not None and last is None and "Setting " in line:
                    last = stamp(line)
                elif f"{engine} tables configured" in line:
                    done = True
        if not done or begin is None:
            raise Failed(f"opensm: {engine} did not route this network")
        if last is None:
            raise Failed(f"opensm: {engine} set no tables")
        return (last - begin) % 86400
