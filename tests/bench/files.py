# SPDX-License-Identifier: BSD-2-Clause
"""Files that jobs need, made once a run in the bench folder and removed with it. An argument of a command may be
one of these; the runner puts the path in its place."""
import os
import subprocess


class File:
    suffix = ""

    def __init__(self, net, table="dmodk"):
        self.net, self.table = net, table

    def path(self, run):
        key = f"{type(self).__name__}-{self.net}-{self.table}".replace("/", "_").replace(":", "-").replace(",", "-")
        path = os.path.join(run.work, key + self.suffix)
        if not os.path.exists(path):
            self.make(run, path)
        return path

    def call(self, run, *argv):
        subprocess.run([a.path(run) if isinstance(a, File) else a for a in argv], check=True, timeout=600,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


class Plain(File):
    """Network and table as bare arrays, for the reference programs."""

    def make(self, run, path):
        self.call(run, run.program("kernel"), "dump", self.net, self.table, path)


class Ibnet(File):
    suffix = ".ibnet"

    def make(self, run, path):
        self.call(run, run.heddle, "topo", self.net, "-q", "--format", "ibnet", "-o", path)


class Lft(File):
    """OpenSM's dump, with comments: the 458 MB of 5,832 endpoints."""
    suffix, form = ".lft", "lft"

    def make(self, run, path):
        self.call(run, run.heddle, "route", self.net, self.table, "-q", "--format", self.form, "-o", path)


class LftMinimal(Lft):
    form = "lft-minimal"


class Subnet(Lft):
    """What ibdmchk reads: the fabric ..."""
    suffix, form = ".lst", "subnet"


class Fdbs(Lft):
    """... and its tables."""
    suffix, form = ".fdbs", "fdbs"


class NoGroups(File):
    """... and its multicast groups: none."""
    suffix = ".mcfdbs"

    def make(self, run, path):
        open(path, "w").close()


class Platform(File):
    """SimGrid's fat-tree cluster of the same shape; its parameters are m, w and p."""
    suffix = ".xml"

    def __init__(self, net, hosts, m, w, p):
        super().__init__(net)
        self.hosts, self.parameters = hosts, f"{len(m.split(','))};{m};{w};{p}"

    def make(self, run, path):
        with open(path, "w") as f:
            f.write(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="c" prefix="n" radical="0-{self.hosts - 1}" suffix="" speed="1Gf" bw="1GBps" lat="1us"
 topology="FAT_TREE" topo_parameters="{self.parameters}"/></zone></platform>
""")
