# SPDX-License-Identifier: BSD-2-Clause
"""The package against the command (the same results bit for bit), against NetworkX, and on bad input."""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import types

import numpy as np
import pytest

import heddle

COMMAND = os.path.join(os.environ["HEDDLE_BUILD"], "heddle")


def command(*arguments):
    out = subprocess.run([COMMAND, *arguments, "--json"], check=False, capture_output=True)
    return json.loads(out.stdout)


@pytest.fixture(name="tree", scope="module")
def small_tree():
    return heddle.Network.generate("ft:m=8,n=2")


@pytest.mark.parametrize("module", ["heddle"] + [f"heddle.{m}" for m in "network routes evaluation ordering extend designing schema".split()])
def test_examples_of_docstrings(module):
    """In a process of their own: what they register stays registered."""
    code = f"import doctest, sys, {module}; r = doctest.testmod(sys.modules['{module}']); sys.exit(r.failed or not r.attempted)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_code_of_the_documentation():
    """Every block of docs/python.md runs, one after the other, and the figures beside the last one are right."""
    with open("docs/python.md", encoding="utf-8") as file:
        text = file.read()
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.S)).replace("fabric.ibnet", "examples/fabric.ibnet")
    body, _, last = code.strip().rpartition("\n")
    code = body + f"\nfor row in ({last}).itertuples():\n    print(f'{{row.table}}  {{row.value:.6f}}')"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    shown = out.stdout.splitlines()
    assert len(shown) == 2 and all(line in text for line in shown)


# ---- the same as the command


@pytest.mark.parametrize("net", ["ft:m=8,n=3", "torus:dims=4x4,hosts=2", "random:switches=20", "examples/fabric.ibnet"])
@pytest.mark.parametrize("pattern,metric", [("bisect", "ebb"), ("shift", "hsd"), ("permutation", "minbw"), (None, "efi")])
def test_evaluate_equals_the_command(net, pattern, metric):
    given = ["-p", pattern] if pattern else []
    row = command("eval", net, "minhop", *given, "-m", metric, "-n", "200", "--seed", "3")["rows"][0]
    ours = heddle.evaluate(net, "minhop", pattern=pattern, metric=metric, samples=200, seed=3).iloc[0]
    for key in ("value", "ci", "samples"):
        assert ours[key] == row[key], key


def test_simulate_equals_the_command(tree):
    row = command("sim", tree.spec, "dmodk", "-p", "bisect", "-n", "3")["rows"][0]
    ours = heddle.simulate(tree, "dmodk", samples=3).iloc[0]
    missing = {"cycle"}
    assert set(ours.index) | missing == set(row)
    for key in set(row) - missing:
        assert ours[key] == row[key], key
    assert ours["packets"] == row["packets"] and ours["events"] == row["events"]


@pytest.mark.parametrize("net,table", [("ft:m=8,n=2", "dmodk"), ("torus:dims=4x4,hosts=1", "minhop"), ("torus:dims=4x4,hosts=1", "dfsssp")])
def test_check_equals_the_command(net, table):
    row = command("check", net, table)
    ours = heddle.Network.generate(net).route(table).check()
    for key in ("pairs", "unreachable", "loops", "nonminimal", "max_hops", "deadlock_free", "lanes"):
        assert getattr(ours, key) == row[key], key
    assert bool(ours) is (row["deadlock_free"] is True)


def test_tables_equal_the_command(tree):
    out = subprocess.run([COMMAND, "route", tree.spec, "ftree", "-o", "-"], check=True, capture_output=True, text=True)
    assert tree.route("ftree").to_text() == out.stdout


def test_order_equals_the_command(tree):
    row = command("order", tree.spec, "dmodk", "--for", "alltoall")
    ours = heddle.order(tree, "dmodk", goal="alltoall")
    assert ours.hosts == row["hosts"]
    assert ours.to_text("names").split() == row["hosts"]


def test_advise_equals_the_command(tree):
    ours, row = heddle.advise(tree.spec).to_dict(), command("advise", tree.spec)
    assert ours["verdict"] == row["verdict"]
    ours.pop("command", None), row.pop("command", None)
    assert ours == row


def test_design_equals_the_command():
    ours, theirs = heddle.design(8, 6, rails=2, racks="endpoints=8"), command("design", "--endpoints", "8", "--radix", "6", "--rails", "2", "--racks", "endpoints=8")
    assert ours.notes == theirs["notes"] and ours.currency == theirs["prices"]["currency"] and len(ours) == len(theirs["rows"])
    for i, row in enumerate(theirs["rows"]):
        mine = ours.rows.iloc[i]
        for key in set(row) & set(ours.rows.columns):
            if row[key] is None:
                assert mine[key] is None or mine[key] != mine[key], key
            else:
                assert mine[key] == row[key], key
    assert ours.chart().lstrip().startswith("<svg") and "<svg" in ours._repr_html_() and "<table" in ours._repr_html_()
    with pytest.raises(IndexError):
        ours.network(len(ours))


# ---- arrays


def test_arrays_are_views_of_the_librarys_memory(tree):
    from heddle._heddle import ffi

    for name, array in tree.arrays.items():
        if array.size:
            assert array.ctypes.data == int(ffi.cast("uintptr_t", getattr(tree.pointer, name))), name
            assert not array.flags.writeable and not array.flags.owndata, name
    a = tree.arrays
    assert (a["head"][a["rev"]] == a["tail"]).all()
    assert len(a["guid"]) == tree.switches + tree.endpoints
    with pytest.raises(ValueError):
        a["head"][0] = 1
    with pytest.raises(KeyError):
        a["arena"]  # pylint: disable=pointless-statement


def test_a_view_keeps_its_network():
    head = heddle.Network.generate("ft:m=8,n=2").arrays["head"]
    copy = head.copy()
    for _ in range(50):
        heddle.Network.generate("ft:m=8,n=2")
    assert (head == copy).all()


# ---- networks


def test_networkx_there_and_back(tree):
    graph = tree.to_networkx()
    assert graph.number_of_edges() == tree.cables
    back = heddle.Network.from_networkx(graph)
    assert back.describe()["shape"] == tree.describe()["shape"]
    nx = pytest.importorskip("networkx")
    petersen = heddle.Network.from_edges(nx.petersen_graph().edges(), hosts=3)
    assert petersen.describe()["diameter"] == nx.diameter(nx.petersen_graph())
    assert petersen.route("dfsssp").check().ok


def test_changes_make_new_networks(tree):
    less = tree.fail("links=2,seed=5")
    assert less.cables == tree.cables - 2 and tree.cables == 64
    assert less.repair().cables == tree.cables
    assert tree.renumber(3).infer().describe()["shape"] == tree.describe()["shape"]
    assert heddle.Network.open(tree.spec, fail="links=2,seed=5").to_text() == less.to_text()


def test_files_are_read_and_written(tree, tmp_path):
    tree.write(tmp_path / "net")
    again = heddle.Network.read(tmp_path / "net")
    assert again.endpoints == tree.endpoints
    tree.route("dmodk").write(tmp_path / "lft")
    assert (tree.route(tmp_path / "lft").table == tree.route("dmodk").table).all()
    assert tree._repr_html_().lstrip().startswith("<svg") or "<svg" in tree._repr_html_()[:200]


@pytest.mark.parametrize("hosts", [0, {"a": 2}])
def test_small_networks(hosts):
    net = heddle.Network.from_edges([("a", "b")], hosts=hosts)
    assert net.switches == 2 and net.endpoints == (0 if hosts == 0 else 2)
    assert net.arrays["host"].shape == (net.endpoints,)


# ---- routes


def test_paths_follow_the_table(tree):
    routes, a = tree.route("dmodk"), tree.arrays
    path = routes.path(0, 9)
    assert a["tail"][path[0]] == tree.switches and a["head"][path[-1]] == tree.switches + 9
    assert all(a["head"][c] == a["tail"][n] for c, n in zip(path, path[1:]))
    frame = routes.paths([0], [9])
    assert list(frame.channel) == path
    assert routes.loads().sum() == sum(len(routes.path(s, d)) for s in range(tree.endpoints) for d in range(tree.endpoints) if s != d)
    with pytest.raises(IndexError):
        routes.path(0, tree.endpoints)


def test_a_table_with_a_hole_is_found(tree):
    table = tree.route("dmodk").table.copy()
    table[0, tree.endpoints - 1] = 0
    verdict = heddle.Routes(tree, table).check()
    assert not verdict and verdict.unreachable > 0
    assert tree.route("dmodk").difference(heddle.Routes(tree, table)).entries_changed == 1


def test_bad_tables_are_refused(tree):
    with pytest.raises(heddle.InputError, match="expected .*row per switch"):
        heddle.Routes(tree, np.zeros((1, 1), int))
    with pytest.raises(heddle.InputError, match="has no cable"):
        heddle.Routes(tree, np.full((tree.switches, tree.endpoints), 99))
    with pytest.raises(heddle.InputError, match="0 to 255"):
        heddle.Routes(tree, np.full((tree.switches, tree.endpoints), 256))


# ---- own engines, patterns, metrics


def test_an_engine_of_ones_own(tree):
    @heddle.engine("spread")
    def spread(net, shift=0):
        """The table of dmodk, by hand: ports of other switches by destination."""
        return net_table(net, shift)

    def net_table(net, shift):
        ports = tree.route("minhop").table
        return np.roll(ports, shift, axis=1) if shift else ports

    assert spread is not None
    assert tree.route("spread").check().ok
    assert not tree.route("spread:shift=1").check().ok
    with pytest.raises(heddle.InputError):
        tree.route("spread:shift=-1")
    frame = heddle.evaluate(tree, ["spread", "minhop"], samples=50)
    assert frame.value[0] == frame.value[1]

    @heddle.engine("broken-engine")
    def broken(net):
        raise KeyError("50 % of it")

    assert broken is not None
    with pytest.raises(KeyError, match="50 % of it"):
        tree.route("broken-engine")


def test_a_pattern_of_ones_own(tree):
    @heddle.pattern("own-shift", stages=lambda ranks: ranks - 1)
    def shift(ranks, stage):
        first = np.arange(ranks)
        return np.column_stack([first, (first + stage + 1) % ranks])

    @heddle.pattern("own-pairs")
    def pairs(ranks, rng):
        return rng.permutation(ranks)[: ranks // 2 * 2].reshape(-1, 2)

    assert shift is not None and pairs is not None
    ours = heddle.evaluate(tree, "minhop", pattern=["own-shift", "shift"], metric="hsd")
    assert ours.value[0] == ours.value[1] and ours.samples[0] == ours.samples[1]
    one, two = (heddle.evaluate(tree, "minhop", pattern="own-pairs", samples=64, threads=t).value[0] for t in (1, 2))
    assert one == two
    heddle.pattern("too-many", lambda ranks, rng: np.array([[0, 1]] * 99 * ranks))
    with pytest.raises(heddle.InputError, match="registered with at most"):
        heddle.evaluate(tree, "minhop", pattern="too-many", samples=2)


def test_a_metric_of_ones_own(tree):
    heddle.metric("own-ebb", lambda loads: np.mean(1 / loads))
    frame = heddle.evaluate(tree, "minhop", metric=["own-ebb", "ebb"], samples=50)
    assert frame.value[0] == pytest.approx(frame.value[1], rel=1e-9)


# ---- failures, threads, signals, memory


@pytest.mark.parametrize(
    "error,action",
    [
        (heddle.InputError, lambda: heddle.Network.read("/no/such/file")),
        (heddle.InputError, lambda: heddle.Network.generate("ft:m=7")),
        (heddle.InputError, lambda: heddle.Network.generate("nosuch")),
        (heddle.NotApplicable, lambda: heddle.Network.generate("torus").route("dmodk")),
        (heddle.UsageError, lambda: heddle.order("ft:m=4,n=2", "dmodk", goal="nosuch")),
        (heddle.InputError, lambda: heddle.evaluate("ft:m=4,n=2", "dmodk", metric="nosuch")),
        (ValueError, lambda: heddle.Network.generate("ft:m=7")),
    ],
)
def test_failures_are_exceptions(error, action):
    with pytest.raises(error) as caught:
        action()
    assert str(caught.value) and "\n" not in str(caught.value)


def test_progress_may_raise(tree):
    class Enough(Exception):
        pass

    def enough(*_):
        raise Enough

    with pytest.raises(Enough):
        heddle.evaluate(tree, "minhop", samples=100000, progress=enough)
    assert heddle.evaluate(tree, "minhop", samples=10).samples[0] == 10


def test_progress_as_a_bar(tree, monkeypatch):
    seen = []

    class Bar:
        def __init__(self, total, desc):
            self.n, self.total, self.desc = 0, total, desc
            seen.append("opened")

        def update(self, n):
            self.n += n
            seen.append((self.desc, self.n, self.total))

        def close(self):
            seen.append("closed")

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    heddle.evaluate(tree, "minhop", samples=20000, progress=True)
    assert seen[-1] == "closed" and seen[-2][1] == seen[-2][2] and len(seen) > 3
    assert seen.count("opened") == 1
    seen.clear()
    heddle.design(4, 4, progress=True)
    assert "closed" in seen
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert heddle.evaluate(tree, "minhop", samples=10, progress=True).samples[0] == 10


def test_threads_share_networks_and_routes(tree):
    routes, out = tree.route("minhop"), {}

    def work(i):
        out[i] = heddle.evaluate(tree, routes, samples=300, seed=i % 2 + 1, threads=1).value[0]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert out[0] == out[2] and out[1] == out[3] and out[0] != out[1]


def test_ctrl_c_ends_a_long_call():
    code = (
        "import signal, heddle\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have ignored it
        "try:\n heddle.evaluate('ft:m=16,n=3', 'dmodk', samples=10**9, "
        "progress=lambda *a: print('at work', flush=True))\nexcept KeyboardInterrupt:\n print('stopped')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline().strip() == "at work"
        child.send_signal(signal.SIGINT)
        rest = child.stdout.read()
        assert child.wait() == 0 and rest.split()[-1] == "stopped"


def test_nothing_leaks():
    def cycle(times):
        for _ in range(times):
            net = heddle.Network.generate("ft:m=4,n=2")
            net.route("dmodk", threads=1).check(threads=1)
            del net

    cycle(500)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cycle(10000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # KiB
