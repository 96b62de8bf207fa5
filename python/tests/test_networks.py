# SPDX-License-Identifier: BSD-2-Clause
"""Networks to NetworkX and back, and from graphs that are none; seeds; long calls that end when they are asked to."""
import json
import os
import signal
import subprocess
import sys

import pytest

import heddle

nx = pytest.importorskip("networkx")


@pytest.mark.parametrize("spec", ["ft:m=4,n=3", "torus:dims=3x4,hosts=2", "examples/fabric.ibnet"])
def test_networkx_keeps_names_ports_and_links(spec):
    net = heddle.Network.open(spec)
    back = heddle.Network.from_networkx(net.to_networkx())
    assert back.names == net.names and back.spec == net.spec
    for name in ("off", "head", "tail", "rev", "port", "link", "guid"):
        assert (back.arrays[name] == net.arrays[name]).all(), name
    one, two = heddle.evaluate([net, back], "minhop", samples=50).value
    assert one == two


def test_ports_of_a_graph_are_numbered_around_those_given():
    graph = nx.MultiGraph()
    graph.add_node("s", name="Spine", guid=7)
    for i in range(3):
        graph.add_node(i, kind="host")
        graph.add_edge(i, "s", **({"ports": (2, 1)} if i == 0 else {}))
    net = heddle.Network.from_networkx(graph)
    assert net.name(0) == "Spine" and net.arrays["guid"][0] == 7
    assert net.arrays["port"][:3].tolist() == [1, 2, 3] and net.arrays["head"][:3].tolist() == [2, 1, 3]


def star(**kinds):
    graph = nx.Graph([("s", "t"), ("a", "s"), ("b", "t")])
    nx.set_node_attributes(graph, {"a": "host", "b": "host", **kinds}, "kind")
    return graph


def with_edge(u, v, **data):
    graph = nx.MultiGraph(star())
    graph.add_edge(u, v, **data)
    return graph


@pytest.mark.parametrize(
    "words,graph",
    [
        ("directed", star().to_directed()),
        ("'Host': expected host or switch", star(a="Host")),
        ("has 2 edges", with_edge("a", "t")),
        ("two numbers", with_edge("s", "t", ports=(1,))),
        ("two numbers", with_edge("s", "t", ports=(1, 300))),
        ("such as 4xEDR", with_edge("s", "t", link="fast")),
    ],
    ids="directed kind edges one-port port link".split(),
)
def test_graphs_that_are_no_networks(words, graph):
    with pytest.raises(heddle.InputError, match=words):
        heddle.Network.from_networkx(graph)


def test_a_port_is_used_once():
    graph = nx.MultiGraph([("s", "t", {"ports": (1, 1)}), ("s", "t", {"ports": (1, 2)})])
    with pytest.raises(heddle.InputError, match="two cables at port 1"):
        heddle.Network.from_networkx(graph)


def test_numbers_of_hosts_are_checked():
    for hosts in (-1, {"a": -2}):
        with pytest.raises(heddle.InputError, match="expected 0 or more"):
            heddle.Network.from_edges([("a", "b")], hosts=hosts)
    assert heddle.Network.from_edges([("a", "b")], {"a": 253, "b": 0}).endpoints == 253


@pytest.mark.parametrize("hosts", [254, 10**9])
def test_a_switch_has_254_ports(hosts):
    with pytest.raises(heddle.InputError, match="'a' has more than 254 ports"):
        heddle.Network.from_edges([("a", "b")], {"a": hosts})


# ---- seeds


def test_a_seed_is_part_of_the_spec():
    net = heddle.Network.generate("ft:m=8,n=2")
    assert net.fail("links=3", seed=7).to_text() == net.fail("links=3,seed=7").to_text() != net.fail("links=3").to_text()
    assert net.fail("links=3,seed=5", seed=7).spec == net.fail("links=3,seed=5").spec
    assert net.fail(f"switch={net.name(8)}", seed=7).switches == net.switches - 1
    assert heddle.Network.open("examples/fabric.ibnet", fail="links=3", seed=7).spec == "examples/fabric.ibnet --fail links=3,seed=7"
    made = heddle.Network.generate("random:switches=20", seed=4)
    assert made.spec.endswith("seed=4") and heddle.Network.open(made.spec).to_text() == made.to_text()
    assert heddle.Network.generate("random:switches=20,seed=3", seed=4).spec.endswith("seed=3")


# ---- ending


@pytest.mark.parametrize("function,arguments", [(heddle.advise, ("ft:m=8,n=2",)), (heddle.design, (64, 16))])
@pytest.mark.parametrize("threads", [1, 2])
def test_advise_and_design_end_when_progress_raises(function, arguments, threads):
    calls = []

    def enough(what, done, total):
        calls.append((done, total))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        function(*arguments, progress=enough, threads=threads)
    assert len(calls) == 1


def test_ctrl_c_ends_advise():
    code = (
        "import signal, heddle\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have ignored it
        "try:\n heddle.advise('ft:m=12,n=3', threads=1, progress=lambda *a: print('at work', flush=True))"
        "\nexcept KeyboardInterrupt:\n print('stopped')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline().strip() == "at work"
        child.send_signal(signal.SIGINT)
        lines = child.stdout.read().split("\n")
        assert child.wait() == 0 and "stopped" in lines and len(lines) < 5


# ---- the same numbers


def test_numbers_equal_those_of_the_command_bit_for_bit():
    out = subprocess.run(
        [os.path.join(os.environ["HEDDLE_BUILD"], "heddle"), "eval", "ft:m=8,n=3", "minhop", "random", "-n", "100", "--json"],
        check=True, capture_output=True,
    )  # fmt: skip
    ours = heddle.evaluate("ft:m=8,n=3", ["minhop", "random"], samples=100)
    for row in json.loads(out.stdout)["rows"]:
        mine = ours[ours.table == row["table"]].iloc[0]
        assert (row["value"], row["ci"], row["bound"]) == (mine.value, mine.ci, mine.bound)
