# SPDX-License-Identifier: BSD-2-Clause
"""Functions of the user's within calls: by several threads, raising anything, keeping what they were given, registered twice."""
import collections
import copy
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import warnings

import numpy as np
import pytest

import heddle
from heddle import _context


@pytest.fixture(name="tree", scope="module")
def small_tree():
    return heddle.Network.generate("ft:m=8,n=2")


def in_threads(*functions):
    """Runs each in a thread of its own; what they raised."""
    raised = []

    def run(function):
        try:
            function()
        except BaseException as error:  # pylint: disable=broad-except
            raised.append(error)

    threads = [threading.Thread(target=run, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return raised


def test_each_thread_gets_the_table_it_gave(tree):
    tables = [tree.route(engine).table for engine in ("minhop", "random")]

    def work(table):
        for _ in range(100):
            assert (heddle.Routes(tree, table).table == table).all()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        assert not in_threads(*[lambda t=t: work(t) for t in tables * 3])
    finally:
        sys.setswitchinterval(interval)


def test_array_is_no_name_of_an_engine(tree):
    with pytest.raises(heddle.UsageError, match="already"):
        heddle.engine("array", lambda net: net.route("random").table)
    with pytest.raises(heddle.InputError, match="array"):
        tree.route("array")
    table = tree.route("minhop").table
    assert (tree.route(table).table == table).all()


def test_what_a_pattern_raises_stays_in_its_call(tree):
    @heddle.pattern("raises-in-a-thread")
    def raises(ranks, rng):
        time.sleep(0.001)
        raise ZeroDivisionError

    def bad():
        for _ in range(30):
            with pytest.raises(ZeroDivisionError):
                heddle.evaluate(tree, "minhop", pattern="raises-in-a-thread", samples=20, threads=1)

    def good():
        for _ in range(60):
            heddle.evaluate(tree, "minhop", samples=50, threads=1)

    assert raises is not None and not in_threads(bad, good)


@pytest.mark.parametrize("error", [ZeroDivisionError("50 %s"), KeyboardInterrupt(), SystemExit(3)], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("threads", [1, 2])
def test_whatever_a_function_raises_the_call_raises(tree, error, threads):
    calls = []

    def raises(*_):
        calls.append(1)
        raise error

    heddle.engine("raises", lambda net: raises())
    heddle.pattern("raises", lambda ranks, rng: raises())
    heddle.pattern("raises-first", lambda ranks, rng: [], flows=raises)
    heddle.metric("raises", lambda loads: raises())
    for action in (
        lambda: tree.route("raises", threads=threads),
        lambda: heddle.evaluate(tree, "minhop", pattern="raises", samples=500, threads=threads),
        lambda: heddle.evaluate(tree, "minhop", pattern="raises-first", samples=500, threads=threads),
        lambda: heddle.evaluate(tree, "minhop", metric="raises", samples=500, threads=threads),
        lambda: heddle.simulate(tree, "minhop", pattern="raises", samples=4, threads=threads),
        lambda: heddle.evaluate(tree, "minhop", samples=5000, threads=threads, progress=raises),
    ):
        calls.clear()
        with pytest.raises(type(error)) as caught:
            action()
        assert caught.value is error
        assert 1 <= len(calls) <= threads
        assert "raises" in [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert heddle.evaluate(tree, "minhop", samples=10).samples[0] == 10


def test_engines_that_do_not_apply(tree):
    @heddle.engine("not-here")
    def not_here(net):
        raise heddle.NotApplicable("too few\nswitches: 50 %s")

    @heddle.engine("only-grids")
    def only_grids(net):
        return net.route("dor").table

    assert not_here and only_grids
    with pytest.raises(heddle.NotApplicable, match="^not-here: does not apply to ft:m=8,n=2: too few switches: 50 %s$") as caught:
        tree.route("not-here")
    assert caught.value.reason == "too few switches: 50 %s"
    assert isinstance(caught.value.__cause__, heddle.NotApplicable) and "too few\n" in str(caught.value.__cause__)
    with pytest.raises(heddle.NotApplicable, match="^only-grids: .*not a grid"):
        tree.route("only-grids")
    tables = {t["table"]: t for t in heddle.advise(tree, engines=["minhop", "not-here"]).to_dict()["options"]}
    assert tables["not-here"]["why_not"] == "does not apply: too few switches: 50 %s" and not tables["minhop"]["why_not"]


def test_an_engine_may_keep_its_network():
    kept = []

    @heddle.engine("keeper")
    def keeper(net):
        kept.append((net, net.arrays["head"], net.arrays["head"].copy(), net.route("minhop")))
        return net.route("minhop").table

    assert keeper is not None
    net = heddle.Network.generate("ft:m=8,n=2")
    net.route("keeper")
    assert kept[0][0] is net
    heddle.evaluate("ft:m=16,n=2", "keeper", samples=2)
    heddle.advise("ft:m=4,n=2", engines=["keeper", "random"])  # what if: on networks of the library's own
    assert len({k[0].spec for k in kept}) > 3
    del net
    for _ in range(20):
        heddle.Network.generate("ft:m=16,n=2")
    for owner, head, copy, routes in kept:
        assert (head == copy).all() and (owner.arrays["head"] == copy).all()
        assert routes.check().unreachable == 0


def test_a_name_may_be_registered_again(tree):
    for value in (0.25, 0.75):
        heddle.metric("again", lambda loads, value=value: value)
        assert heddle.evaluate(tree, "minhop", metric="again", samples=4).value[0] == value
        assert not in_threads(lambda: heddle.evaluate(tree, "minhop", metric="again", samples=4))
    heddle.metric("again", lambda loads, other=0.5: other)
    assert heddle.evaluate(tree, "minhop", metric="again:other=0.125", samples=4).value[0] == 0.125
    with pytest.raises(heddle.InputError, match="value"):
        heddle.evaluate(tree, "minhop", metric="again:value=1", samples=4)
    with pytest.raises(heddle.UsageError, match="already"):
        heddle.metric("ebb", lambda loads: 1)
    with pytest.raises(heddle.UsageError, match="name"):
        heddle.engine("a:b", lambda net: None)
    assert heddle.evaluate(tree, "minhop", metric="again", samples=4).value[0] == 0.5


@pytest.mark.parametrize("function", [lambda net, k=-3: None, lambda net, k=2**60: None, lambda net, k=1e300: None, lambda net, *k: None])
def test_parameters_are_checked_at_registration(function):
    with pytest.raises(heddle.UsageError, match="parameter k"):
        heddle.engine("bad-default", function)
    with pytest.raises(heddle.UsageError, match="expected a name"):
        heddle.engine(function)


def test_an_option_may_have_any_name(tree):
    heddle.metric("keyed", lambda loads, key=1: key)
    assert heddle.evaluate(tree, "minhop", metric=["keyed", "keyed:key=3"], samples=2).value.tolist() == [1, 3]


@pytest.mark.parametrize("change", [lambda t: t + 0.9, lambda t: t > 0, lambda t: t.astype(str), lambda t: t.astype(object), lambda t: np.ma.masked_array(t, mask=True)])
def test_tables_are_of_integers(tree, change):
    bad = change(tree.route("minhop").table)
    with pytest.raises(heddle.InputError, match="expected"):
        heddle.Routes(tree, bad)
    heddle.engine("bad-type", lambda net: bad)
    with pytest.raises(heddle.InputError, match="expected"):
        tree.route("bad-type")


def test_flows_are_pairs_of_integers(tree):
    def value(flows):
        heddle.pattern("fixed-flows", lambda ranks, rng: flows)
        return heddle.evaluate(tree, "minhop", pattern="fixed-flows", metric="maxload", samples=2).value[0]

    assert value([]) == 0 and value(np.zeros((0, 2))) == 0 and value([(0, 9)]) == 1
    for bad in ([[0.5, 1.7]], [1, 2, 3], None, "ab"):
        with pytest.raises(heddle.InputError, match="pairs of integers"):
            value(bad)


@pytest.mark.parametrize("what, value", [("stages", -5), ("stages", 2**64), ("flows", -1), ("flows", 2**32), ("flows", float("nan"))])
def test_counts_of_a_pattern_fit(tree, what, value, capfd):
    heddle.pattern("counts", lambda ranks, _: [[0, 1]], **{what: lambda ranks: value})
    with pytest.raises(ValueError):
        heddle.evaluate(tree, "minhop", pattern="counts", samples=10)
    assert capfd.readouterr().err == ""


def test_a_long_sequence_can_be_interrupted(tree):
    """Also while the bound of its stages is computed, which draws them again."""

    def alarm(*_):
        raise TimeoutError

    heddle.pattern("without-end", lambda ranks, stage: [[0, 1]], stages=10**12)
    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(TimeoutError):
            heddle.evaluate(tree, "minhop", pattern="without-end", threads=1)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("ci", [float("nan"), float("inf"), -1, 7, 1e-9])
def test_ci_is_a_share(tree, ci):
    with pytest.raises(heddle.UsageError):
        heddle.evaluate(tree, "minhop", samples=10, ci=ci)


def test_more_threads_than_can_be(tree):
    few, many = (heddle.evaluate(tree, "minhop", samples=10, threads=n).value[0] for n in (1, 10**9))
    assert few == many


def test_pairs_and_variants_are_checked():
    net = heddle.Network.generate("torus:dims=4x4,hosts=1")
    routes = net.route("lash")
    for function in (routes.lane, routes.path):
        for wrong in ((net.endpoints, 0), (0, net.endpoints), (-1, 0), (0, 1, routes.variants), (0, 1, -1), (2**32 - 1, 2**32 - 1)):
            with pytest.raises(IndexError):
                function(*wrong)
    assert routes.lane(0, 1) < routes.lanes


def test_choices_of_other_lids_are_counted(tmp_path):
    net, table = heddle.Network.generate("ft:m=4,n=2"), tmp_path / "groups.far"
    text = net.route("ar_ftree").to_text("far")
    table.write_text(text.replace("0x000a  3             Static      0", "0x000a  3             Free        1", 1))
    check = net.route(str(table)).check()
    assert check and check.switch_lids.choices == 1 and check.further_lids.choices == 0
    assert net.route("ar_ftree").check().switch_lids.choices == 0


# ---- what calls take


def test_generators_and_paths_are_taken_everywhere(tree, tmp_path):
    net, table = tmp_path / "net", tmp_path / "lft"
    tree.write(net)
    tree.route("minhop").write(table)
    frame = heddle.evaluate((n for n in ("ft:m=4,n=2", net)), (t for t in ("minhop", "updown")), pattern=iter(["bisect", "ring"]), metric=iter(["ebb"]), samples=4)
    assert len(frame) == 8 and set(frame.table) == {"minhop", "updown"}
    frame = heddle.evaluate(net, table, samples=4)
    assert frame.table[0] == str(table) and frame.net[0] == str(net)
    assert heddle.evaluate(net, [table, "minhop"], samples=4).value.nunique() == 1
    assert heddle.simulate(net, table, samples=1).table[0] == str(table)
    assert len(heddle.order(net, table).hosts) == tree.endpoints
    nodes = tmp_path / "nodes"
    nodes.write_text("\n".join(tree.hosts[:8]))
    report = heddle.advise(net, table, engines=["minhop"], nodes=nodes).to_dict()
    assert {str(table), "minhop"} <= {t["table"] for t in report["options"]}
    assert heddle.Network.open(net, fail="links=1").cables == tree.cables - 1


@pytest.mark.parametrize("engines", ["minhop", b"minhop", ("minhop",)])
def test_one_engine_is_a_list_of_one(tree, engines):
    assert {t["table"] for t in heddle.advise(tree, engines=engines).to_dict()["options"]} == {"minhop"}


def test_routes_belong_to_their_network(tree):
    routes, other = tree.route("minhop"), heddle.Network.generate("ft:m=4,n=2")
    for function in (heddle.evaluate, heddle.simulate, heddle.order, heddle.advise):
        with pytest.raises(heddle.InputError, match="made for the network given"):
            function(other, routes)


# ---- what a call has made


# By what makes it, what frees it; a builder and a sink are also freed by the calls that end them.
FREED_BY = {
    **{f"hd_net_{what}": "hd_net_free" for what in "open fail choose infer repair renumber".split()},
    **{"hd_builder_make": "hd_builder_free", "hd_builder_finish": "hd_net_free", "hd_routes_open": "hd_routes_free"},
    **{"hd_design_make": "hd_design_free", "hd_advise": "hd_report_free", "hd_nodes_read": "hd_nodes_free"},
    **{"hd_order_make": "hd_order_free", "hd_out_memory": "hd_out_drop", "hd_out_open": "hd_out_drop"},
}
ENDS = {"hd_builder_finish": "hd_builder_free", "hd_out_end": "hd_out_drop"}


class Counting:
    """The library, with a count of what is alive by what frees it. Call number ``at`` of those that make something is
    cut short when it has: ``cut`` raises as a signal does, or leaves an exception as a callback does."""

    def __init__(self, cut, at):
        self.alive, self.cut, self.left = collections.Counter(), cut, at

    def __getattr__(self, name):
        function = getattr(_context.lib, name)
        if name in FREED_BY or name in ENDS:
            return lambda *arguments: self.run(name, function, *arguments)
        return (lambda pointer: self.free(name, function, pointer)) if name in FREED_BY.values() else function

    def run(self, name, function, *arguments):
        status = function(*arguments)
        self.alive[ENDS.get(name)] -= 1
        if name in FREED_BY and status == _context.lib.HD_OK:
            self.alive[FREED_BY[name]] += 1
            self.left -= 1
            if self.left == 0:
                self.cut()
        return status

    def free(self, name, function, pointer):
        self.alive[name] -= bool(pointer)
        function(pointer)

    def kept(self):
        return {name: n for name, n in self.alive.items() if name and n}


def interrupted():
    raise ZeroDivisionError


def callback_raised():
    _context._local.context.failure = ZeroDivisionError()  # pylint: disable=protected-access


@pytest.mark.parametrize("cut", [interrupted, callback_raised])
@pytest.mark.parametrize(
    "makes,action",
    [
        (1, lambda: heddle.Network.generate("ft:m=4,n=2")),
        (6, lambda: heddle.Network.generate("ft:m=4,n=2").fail("links=1").repair().choose(rail="0").renumber().infer()),
        (3, lambda: heddle.Network.from_edges([("a", "b")])),
        (3, lambda: heddle.Network.generate("ft:m=4,n=2").route("minhop").to_text()),
        (2, lambda: heddle.Network.generate("ft:m=4,n=2").write("net")),
        (4, lambda: heddle.order("ft:m=4,n=2", "minhop")),
        (1, lambda: heddle.design(4, 4)),
        (3, lambda: heddle.advise("ft:m=4,n=2", engines=["minhop"]).to_html()),
    ],
    ids="open change edges route write order design advise".split(),
)
def test_what_a_call_made_is_freed_when_the_call_raises(makes, action, cut, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for at in range(makes + 1):
        lib = Counting(cut, at)
        for module in "network routes designing ordering advice".split():
            monkeypatch.setattr(sys.modules[f"heddle.{module}"], "lib", lib)
        try:
            assert action() is not lib and at == 0
        except ZeroDivisionError:
            assert at
        assert lib.left == (-makes if at == 0 else 0) and lib.kept() == {}, (at, lib.kept())
        assert set(os.listdir()) <= {"net"}  # no file under a temporary name


def test_a_warning_that_is_an_error_leaves_nothing(monkeypatch):
    lib = Counting(interrupted, 0)
    monkeypatch.setattr(sys.modules["heddle.network"], "lib", lib)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(heddle.Warning):
            heddle.Network.generate("ft:m=4,n=2").fail("switch=L1-0000")
    assert lib.left == -2 and lib.kept() == {}


def test_a_format_that_is_refused_leaves_no_file(tree, tmp_path):
    for format_ in ("nosuch", "ibnet\0"):
        with pytest.raises(ValueError):
            tree.write(tmp_path / "net", format_)
        assert os.listdir(tmp_path) == []


# ---- processes


def test_a_forked_process_can_call(tree):
    heddle.evaluate(tree, "minhop", samples=50, threads=2)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if heddle.evaluate(tree, "minhop", samples=50, threads=2).samples[0] == 50 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("function", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_to_send_to_workers(tree, function):
    for what in (tree, tree.route("minhop")):
        with pytest.raises(TypeError, match="send spec"):
            function(what)


def test_routes_may_be_given_with_their_spec():
    routes = heddle.Network.generate("ft:m=4,n=2").route("minhop")
    assert heddle.evaluate("ft:m=4,n=2", routes, samples=5).value[0] == heddle.evaluate(routes.net, routes, samples=5).value[0]
    with pytest.raises(heddle.InputError):
        heddle.evaluate("ft:m=8,n=2", routes, samples=5)


def test_hidden_options_are_not_named():
    @heddle.engine("hidden_option")
    def engine(net, port=1):
        return net.route("minhop").table

    with pytest.raises(heddle.InputError, match="unknown key 'zzz': expected one of port$"):
        heddle.Network.generate("ft:m=4,n=2").route("hidden_option:zzz=1")
