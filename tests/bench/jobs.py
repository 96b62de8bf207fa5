# SPDX-License-Identifier: BSD-2-Clause
"""The jobs of `make bench`: one row each.

A row has a name, a group, a size, our command, what it is compared with (label and command), the rule of its bound,
goals, and what the two answers must have in common. Commands are
  K(verb, ...)       our kernel through the library (tests/bench/kernel.c), CPU seconds of the kernel alone
  H(...)             the whole heddle command, CPU seconds and start-up included; wall=True: wall seconds
  P(program, ...)    a reference program or peer that prints the same line as the kernel
  X(program, ...)    a peer as a whole command, or from one line of its output to another
  Osm(net, engine)   OpenSM's own routing time
  Pair(command)      the same single-threaded command twice at once: what two cores can do
Goals are (what, limit): ratio, rate and mbps (MB a second) at least, seconds and mb at most.
"""
from dataclasses import dataclass, field

from files import Fdbs, Ibnet, Lft, LftMinimal, NoGroups, Plain, Platform, Subnet


@dataclass
class K:
    args: tuple
    times: int = 1
    threads: int = 1

    def __init__(self, *args, times=1, threads=1):
        self.args, self.times, self.threads = args, times, threads


@dataclass
class H:
    args: tuple
    wall: bool = False
    mpi: int = 0
    work: float = 0

    def __init__(self, *args, wall=False, mpi=0, work=0):
        self.args, self.wall, self.mpi, self.work = args, wall, mpi, work


@dataclass
class P:
    args: tuple

    def __init__(self, *args):
        self.args = args


@dataclass
class X:
    args: tuple
    says: str = ""   # judged by this text in its output, not by its exit status
    since: str = ""  # CPU seconds count from this text to the other; "": from the start

    def __init__(self, *args, says="", since=""):
        self.args, self.says, self.since = args, says, since


@dataclass
class Osm:
    net: str
    engine: str
    limit: int = 400


@dataclass
class Pair:
    one: object


@dataclass
class EndToEnd:
    net: str
    engine: str


@dataclass
class Job:
    name: str
    group: str
    size: str
    ours: object
    peer: str = ""
    theirs: object = None
    bound: str = ""
    goals: list = field(default_factory=list)
    agree: str = ""  # "exact": the same answer; "near": within 1 %; "": nothing to compare
    reps: int = 5
    text: object = None  # the file whose bytes the bound counts, where no argument is it


T512 = "gft:n=16,m=16,r=32"
T1152 = "gft:n=24,m=24,r=48"
T1944 = "pgft:m=18x18x6,w=1x18x3,p=1x1x6"
T1944W = "pgft:m=18x18x6,w=1x18x6,p=1x1x3"
T5832 = "xgft:m=18x18x18,w=1x18x18"
T11664 = "xgft:m=18x18x36,w=1x18x18"
T27648 = "xgft:m=24x24x48,w=1x24x24"
T524288 = "xgft:m=64x64x128,w=1x64x64"
SHAPE = {T512: ("16x32", "1x16", "1x1"), T1944: ("18x18x6", "1x18x3", "1x1x6"), T11664: ("18x18x36", "1x18x18", "1x1x1"),
         T27648: ("24x24x48", "1x24x24", "1x1x1"), T524288: ("64x64x128", "1x64x64", "1x1x1")}
NAME = {T512: "512", T1152: "1,152", T1944: "1,944", T1944W: "1,944 (324 switches)", T5832: "5,832", T11664: "11,664",
        T27648: "27,648", T524288: "524,288"}


def networks(big):
    def plain(net):
        return "port by port, names with printf", P("ref_tree", "open", *SHAPE[net])

    huge = [Job("generate-524288", "Networks", "524,288", K("open", T524288), *plain(T524288), bound="net", agree="exact",
                goals=[("seconds", 2)], reps=3)]
    return [
        Job("generate", "Networks", NAME[big], K("open", big, times=5), *plain(big), bound="net", agree="exact"),
        Job("parse", "Networks", NAME[big], K("open", Ibnet(big)), "sscanf, sort and search; nothing inferred",
            P("ref_ibnet", Ibnet(big)), bound="file", agree="exact"),
    ] + (huge if big == T27648 else [])


def tables(big, mid):
    """Tables made, alone and beside the simplest program."""
    return [
        Job("dmodk", "Routing", NAME[big], K("route", big, "dmodk", times=3), "the formula, entry by entry",
            P("ref_tree", "route", *SHAPE[big]), bound="table", agree="exact", goals=[("seconds", 0.5)]),
        Job("dmodc", "Routing", NAME[big], K("route", big, "dmodc"), "one search per leaf, one list per switch",
            P("ref_dmodc", Plain(big, "dmodc")), bound="table", agree="exact", goals=[("seconds", 0.5)]),
        Job("psssp", "Routing", NAME[big], K("route", big, "psssp"), bound="arcs", goals=[("seconds", 3)], reps=3),
        Job("psssp-dijkstra", "Routing", NAME[T1944], K("hash", T1944, "psssp", times=5), "binary-heap Dijkstra, pairs walked",
            P("ref_sssp", Plain(T1944, "psssp")), bound="arcs", agree="exact"),
        Job("settle", "Routing", NAME[mid], K("route", mid, "settle"), bound="arcs", goals=[("seconds", 15), ("mb", 300)], reps=2),
        Job("dfsssp", "Routing", NAME[mid], K("route", mid, "dfsssp"), bound="arcs", goals=[("seconds", 30), ("mb", 2000)], reps=3),
    ]


def opensm(big, small):
    """Our engine and OpenSM's of the same kind; heddle has no Nue, which is shown beside dfsssp."""
    rows = []
    for ours, theirs in (("minhop", "minhop"), ("updown", "updn"), ("ftree", "ftree"), ("psssp", "sssp"), ("dfsssp", "dfsssp")):
        rows.append(Job(f"opensm-{theirs}", "OpenSM", NAME[big], K("route", big, ours, times=3), f"OpenSM {theirs}",
                        Osm(big, theirs), bound="table" if ours in ("minhop", "updown", "ftree") else "arcs",
                        goals=[("ratio", 20)], reps=1 if theirs == "dfsssp" else 2))
    rows += [
        Job("opensm-lash", "OpenSM", NAME[small], K("route", small, "lash", times=20), "OpenSM lash", Osm(small, "lash"),
            bound="table", goals=[("ratio", 20)], reps=1),
        Job("opensm-nue", "OpenSM", NAME[small], K("route", small, "dfsssp", times=5), "OpenSM nue", Osm(small, "nue"), bound="arcs",
            reps=1),
        Job("opensm-end-to-end", "OpenSM", NAME[big], EndToEnd(big, "ftree"), goals=[("seconds", 120)], reps=1),
    ]
    return rows


def dumps(big):
    return [
        Job("read-dump", "Table files", NAME[big], K("route", big, Lft(big)), "fgets and sscanf",
            P("ref_lft", Lft(big), NAME[big].replace(",", "")), bound="file", goals=[("mbps", 200)], reps=3),
        Job("write-dump", "Table files", NAME[big], H("route", big, "dmodk", "-q", "-o", "/dev/null", "--threads", "1"), bound="file",
            text=Lft(big)),
    ]


def checks(big, mid, wide, choices):
    ibdmchk, verdict = ("ibdmchk", "-s", Subnet(wide), "-f", Fdbs(wide), "-m", NoGroups(wide)), "no credit loops found"
    return [
        Job("check", "Credit loops", NAME[big], K("check", big, "dmodc"), bound="table", goals=[("seconds", 0.3)], reps=3),
        Job("check-closed", "Credit loops", NAME[big], K("check", big, "dmodk"), goals=[("seconds", 0.3)], reps=3),
        Job("check-choices", "Credit loops", NAME[choices], K("check", choices, "ar_updn"), goals=[("seconds", 1)], reps=3),
        Job("check-dfs", "Credit loops", NAME[mid], K("check", mid, "psssp", times=10), "every pair walked, depth-first search",
            P("ref_deps", Plain(mid, "psssp")), bound="table", agree="exact", reps=3),
        Job("check-ibdmchk", "Credit loops", NAME[wide], K("check", wide, LftMinimal(wide), times=10), "ibdmchk, its check alone",
            X(*ibdmchk, says=verdict, since="Verifying all CA to CA paths"), bound="table", goals=[("ratio", 100)], reps=2),
        Job("check-ibdmchk-command", "Credit loops", NAME[wide], H("check", Subnet(wide), Fdbs(wide), "--threads", "1"),
            "ibdmchk, the whole command", X(*ibdmchk, says=verdict), reps=2),
    ]


def ebb(nets):
    """Bisection bandwidth: closed form and stored table, against the flat table, the 40-line closed form and SimGrid."""
    samples = {T512: (20000, 4000), T1944: (5000, 500), T11664: (800, 40), T27648: (300, 10), T524288: (20, 5)}
    closed, stored = {T512: 2, T1944: 7, T11664: 20}, {T512: 1, T1944: 3.5, T11664: 10}
    rows = []
    for net in nets:
        n, few = samples[net]
        for label, table, goal in (("closed", "dmodk", closed), ("stored", LftMinimal(net), stored)):
            if net == T524288:
                continue
            rows.append(Job(f"ebb-{label}-{NAME[net].replace(',', '')}", "Effective bisection bandwidth", NAME[net],
                            K("eval", net, table, "bisect", "ebb", str(n)), "flat table",
                            P("ref_ebb", Plain(net), str(few), "1"), bound="flows", agree="near",
                            goals=[("ratio", goal[net])] if net in goal else [],
                            reps=3 if net == T27648 else 5))
        goals = [("seconds", 60), ("mb", 4000)] if net == T524288 else [("ratio", 1)]
        rows.append(Job(f"ebb-loop-{NAME[net].replace(',', '')}", "Effective bisection bandwidth", NAME[net],
                        K("eval", net, "dmodk", "bisect", "ebb", str(n)), "closed form in 40 lines",
                        P("ref_ebb_tree", *SHAPE[net], str(n), "1"), bound="flows", agree="near", goals=goals,
                        reps=3 if net == T524288 else 5))
    rows.append(Job("ebb-simgrid", "Effective bisection bandwidth", NAME[T512],
                    K("eval", T512, "dmodk", "bisect", "ebb", "20000"), "SimGrid",
                    P("peer_simgrid", Platform(T512, 512, "16,32", "1,16", "1,1"), "1000", "1"), bound="flows", agree="near"))
    return rows


def statics(mid, quick):
    rows = [
        Job("efi", "Static metrics", NAME[mid], K("eval", mid, "dmodk", "-", "efi", "0"), "every pair walked",
            P("ref_efi", Plain(mid)), bound="counts", agree="exact", goals=[("seconds", 0.5)], reps=2),
        Job("efi-stored", "Static metrics", NAME[mid], K("eval", mid, "dmodc", "-", "efi", "0"), "every pair walked",
            P("ref_efi", Plain(mid, "dmodc")), bound="table", agree="exact", goals=[("seconds", 0.5)], reps=2),
        Job("worst", "Static metrics", NAME[T1152], K("eval", T1152, "dmodk", "-", "worst", "0", times=10), "igraph, channel by channel",
            P("ref_worst", Plain(T1152)), bound="pairs", agree="exact", goals=[("seconds", 0.5)], reps=2),
    ]
    if not quick:
        rows.append(Job("worst-large", "Static metrics", NAME[mid], K("eval", mid, "dmodk", "-", "worst", "0"), bound="pairs",
                        goals=[("seconds", 60)], reps=3))
    rows.append(Job("table2", "Static metrics", "000, Table II", H("paper", "nienaber2009-table2", wall=True), reps=1))
    return rows


def simulations(nets):
    size = {T512: ("8", "1048576"), T1944: ("2", "1048576"), T11664: ("1", "262144")}
    return [Job(f"sim-{NAME[net].replace(',', '')}", "Packet simulation", NAME[net],
                K("sim", net, "dmodk", "bisect", *size[net]), "one heap of events", P("ref_sim", Plain(net), *size[net], "1"),
                bound="packets", agree="near", goals=[("rate", 2e6)] if net == T512 else [], reps=3) for net in nets] + [
        Job("sim-voq-512", "Packet simulation", NAME[T512], K("sim-voq", T512, "dmodk", "bisect", *size[T512]),
            "one queue per input", K("sim", T512, "dmodk", "bisect", *size[T512]), agree="near", bound="packets",
            goals=[("rate", 5e6), ("ratio", 1 / 1.5)])]


def orders(net, ranks):
    few = str(ranks)
    return [
        Job("order-tree", "Rank order", f"{ranks:,} ranks", K("order", net, "dmodk", "tree", few), reps=3),
        Job("order-alltoall", "Rank order", f"{ranks:,} ranks", K("order", net, "dmodk", "alltoall", few), reps=2),
        Job("order-schedule", "Rank order", f"{ranks:,} ranks", K("schedule", net, "dmodk", few), bound="schedule",
            goals=[("seconds", 75)], reps=2),
        Job("advise", "Advice", NAME[T1944], H("advise", T1944, "-q", wall=True), reps=1),
    ]


def scaling(big, mid, samples):
    """Two threads, and two MPI ranks, against two independent processes on the same two cores."""
    def threads(name, *args, times=1, goal=0.9):
        return Job(f"threads-{name}", "Two cores", NAME[args[1]], K(*args, times=times, threads=2), "two processes",
                   Pair(K(*args, times=times)),
                   goals=[("ratio", goal)] if goal else [], reps=9)

    return [
        threads("ebb", "eval", mid, "dmodk", "bisect", "ebb", str(samples)),
        threads("ebb-stored", "eval", mid, "dmodc", "bisect", "ebb", str(samples)),
        threads("check", "check", mid, "dmodc", times=4),
        threads("dmodc", "route", big, "dmodc"),
        threads("efi", "eval", mid, "dmodc", "-", "efi", "0", times=4),
        threads("worst", "eval", mid, "dmodk", "-", "worst", "0"),
        threads("sim", "sim", T512, "dmodk", "bisect", "16", "262144", times=3),
        threads("psssp", "route", mid, "psssp", goal=0),
        Job("ranks-ebb", "Two cores", NAME[mid],
            H("eval", mid, "dmodk", "-n", str(4 * samples), "--timing", "--json", "--threads", "1", mpi=2, work=4 * samples),
            "two processes", Pair(H("eval", mid, "dmodk", "-n", str(4 * samples), "--timing", "--json", "--threads", "1", work=4 * samples)),
            goals=[("ratio", 0.9)], reps=9),
    ]


def rows(quick):
    if quick:
        return (networks(T1944) + tables(T1944, T1944) + opensm(T512, T512) + dumps(T1944) + checks(T1944, T512, T512, T512) +
                ebb([T512, T1944]) + statics(T1944, quick) + simulations([T512]) + orders(T1944, 1000) + scaling(T1944, T1944, 2000))
    return (networks(T27648) + tables(T27648, T11664) + opensm(T5832, T1944W) + dumps(T5832) + checks(T27648, T1944, T1944W, T11664) +
            ebb([T512, T1944, T11664, T27648, T524288]) + statics(T11664, quick) + simulations([T512, T1944, T11664]) +
            orders(T11664, 10000) + scaling(T27648, T11664, 4000))


# Cost as the work grows: kernels on trees of 2 k^3 endpoints and 5 k^2 switches, N endpoints, and the exponent of N of
# the algorithm's complexity. (name, exponent, why, command of a tree)
def growth(quick):
    sizes = (4, 6, 8, 10) if quick else (8, 12, 16, 20, 24)
    nets = [(2 * k**3, f"xgft:m={k}x{k}x{2 * k},w=1x{k}x{k}") for k in sizes]
    kernels = [
        ("generate", 1.0, "one step per channel, 6 N of them", lambda net: K("open", net)),
        ("dmodc", 5 / 3, "one entry per switch and destination, N · N^⅔", lambda net: K("route", net, "dmodc")),
        ("minhop", 5 / 3, "one entry per switch and destination, N · N^⅔", lambda net: K("route", net, "minhop")),
        ("psssp", 2.0, "every channel once per destination, N · N", lambda net: K("route", net, "psssp")),
        ("check", 5 / 3, "the table once, N · N^⅔", lambda net: K("check", net, "dmodc")),
        ("efi", 5 / 3, "one subtree count per destination, N · N^⅔", lambda net: K("eval", net, "dmodc", "-", "efi", "0")),
        ("ebb", 1.0, "N/2 flows per sample", lambda net: K("eval", net, "dmodk", "bisect", "ebb", "200")),
        ("sim", 1.0, "packets, proportional to N; the excess over 1 is due to caches, instructions grow as N", lambda net: K("sim", net, "dmodk", "bisect", "1", "32768")),
    ]
    return kernels, nets


# Where the time goes: (job, what its functions do, command); repeated until start-up is negligible.
def profiles(quick):
    big, mid, small = (T1944, T1944, T512) if quick else (T27648, T11664, T5832)
    return [
        ("generate", "fills the channel arrays, finds hosts from names, touches new pages", K("open", big, times=20)),
        ("dmodk", "copies the entries of a level into a row", K("route", big, "dmodk", times=10)),
        ("dmodc", "page clearing by the kernel, writing rows, costs of 64 targets at a time", K("route", big, "dmodc", times=10)),
        ("minhop", "selects the port with the lowest count for every entry, in OpenSM's order", K("route", small, "minhop", times=10)),
        ("updown", "builds the destination tree; finds the channels that the rule allows", K("route", small, "updown", times=5)),
        ("psssp", "builds the destination tree, adds its loads", K("route", mid, "psssp")),
        ("settle", "computes the cost of trees from the pairs on every channel and dependency", K("route", mid, "settle")),
        ("dfsssp", "as psssp, then assigns VLs", K("route", mid, "dfsssp", times=2)),
        ("check", "follows the entries once per row, collects channel dependencies", K("check", big, "dmodc", times=5)),
        ("efi", "sums over subtrees, follows the entries once per row", K("eval", mid, "dmodc", "-", "efi", "0", times=10)),
        ("worst", "bounds every channel, walks paths", K("eval", mid, "dmodk", "-", "worst", "0", times=3)),
        ("ebb-closed", "computes, counts and looks up channels; draws the random pairs", K("eval", mid, "dmodk", "bisect", "ebb", "8000")),
        ("ebb-stored", "looks up and counts path tails; draws the random pairs", K("eval", mid, "dmodc", "bisect", "ebb", "4000")),
        ("sim", "processes events, makes packets", K("sim", mid, "dmodk", "bisect", "2", "262144")),
    ]
