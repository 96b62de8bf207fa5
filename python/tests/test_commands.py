# SPDX-License-Identifier: BSD-2-Clause
"""The commands in a report on a network that Python made or changed: they work, and repeat the report."""
import json
import os
import shutil
import subprocess

import pytest

import heddle

BUILD = os.path.abspath(os.environ["HEDDLE_BUILD"])
RAILS = "rail:rails=3,units=2,hosts=2,spines=1,uplinks=2"
FABRIC = os.path.abspath("examples/fabric.ibnet")


def run(command, *more):
    path = BUILD + os.pathsep + os.environ["PATH"]
    return subprocess.run(
        ["bash", "-c", " ".join([command, *more])], check=False, capture_output=True, env={**os.environ, "PATH": path}
    )


def commands(found):
    """All commands of a report, but for those that need a file of the fabric itself."""
    if isinstance(found, list):
        return {c for x in found for c in commands(x)}
    if not isinstance(found, dict):
        return set()
    own = {found["command"]} if found.get("command") else set()
    return {c for c in own if ".dump" not in c}.union(*(commands(x) for x in found.values()))


@pytest.mark.filterwarnings("ignore::heddle.Warning")
def test_commands_of_a_report_on_a_changed_network_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    net = heddle.Network.generate("ft:m=4,n=2").fail("links=1", seed=3).choose(endpoints="node-0000[0-6]")
    report = heddle.advise(net, "minhop", engines=["dmodc", "updown"], seed=2)
    found = commands(report.to_dict())
    report.write("rep")
    assert {c.split()[1] for c in found} >= {"advise", "check", "eval", "order", "sim"}
    for command in found:
        done = run(command)
        assert done.returncode == 0, (command, done.stderr)
    assert f"Written by: {report.to_dict()['command']}\n" in (tmp_path / "rep" / "README").read_text()


def small():
    return heddle.Network.generate("ft:m=4,n=2")


def two_parts():
    return heddle.Network.from_edges([("a", "b"), ("b", "c"), ("d", "e")], hosts=2)


REPEATED = {
    "opened": lambda: heddle.Network.open("ft:m=4,n=2", fail="links=1", endpoints="node-0000[0-5]", lmc=1, seed=5),
    "file": lambda: heddle.Network.read("it's a 'fabric'", rails="port").fail("links=2").choose(rail="0"),
    "dash": lambda: heddle.Network.read("-fabric").repair(),
    "failures": lambda: small().fail("links=1", seed=3).fail("").fail("switch=L1-0000"),
    "all": lambda: small().fail(b"links=1").choose(part="0").choose(rail=0).repair(),
    "selections": lambda: small().choose(endpoints="node-0000[0-3]").choose(endpoints="node-0000[2-5]").fail("links=1"),
    "rails": lambda: heddle.Network.generate(RAILS).choose(rail="0+1").choose(rail="1+2"),
    "zeros": lambda: heddle.Network.generate(RAILS).choose(rail="0+1").choose(rail="00"),
    "names": lambda: heddle.Network.generate(RAILS).choose(rail="0+1").choose(endpoints="[02468]$"),
}
KEPT = {
    "graph": lambda: two_parts().choose(part="1").infer(),
    "numbers": lambda: small().choose(endpoints="node-0000[0-5]").renumber(2),
    "order": lambda: small().choose(part="0").fail("links=1", seed=3),
    "twice": lambda: small().fail("links=1", seed=3).repair().fail("links=1"),
}


def repeats(ours):
    """Whether the command of a report, run here, prints the same."""
    done = run(ours["command"], "--json")
    assert done.returncode in (0, 1), done.stderr
    theirs = json.loads(done.stdout)
    for found in (ours, theirs):
        del found["net"], found["command"]  # the same options in the library's order, with other quotes
    assert ours == theirs


@pytest.mark.filterwarnings("ignore::heddle.Warning")
@pytest.mark.parametrize("net", [*REPEATED, *KEPT])
def test_the_command_of_a_report_repeats_it(net, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("it's a 'fabric'", "-fabric"):
        shutil.copy(FABRIC, name)
    report = heddle.advise({**REPEATED, **KEPT}[net](), "minhop", goal="ring", seed=2)
    ours = report.to_dict()
    report.write("rep")  # fills in the steps
    assert os.path.exists("rep/net.ibnet") == (net in KEPT)
    monkeypatch.chdir("rep" if net in KEPT else ".")
    repeats(ours)


def own_table(net):
    heddle.engine("mine", lambda net: net.route("updown").table)
    return net.route("mine")


TABLES = {
    "file": lambda net: "g.lft",
    "spec": lambda net: "file:path=g.lft,use=first",
    "array": lambda net: net.route("updown").table,
    "routes": lambda net: net.route(net.route("updown").table),
    "python": own_table,
    "seed": lambda net: net.route("random", seed=7),
    "seedless": lambda net: net.route("minhop", seed=7),
}


@pytest.mark.filterwarnings("ignore::heddle.Warning")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kept", [False, True])
def test_commands_find_the_table_and_the_nodes(table, kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    net = heddle.Network.from_edges([("a", "b"), ("b", "c"), ("c", "a")], hosts=2) if kept else small()
    net.route("dfsssp").write("g.lft")
    (tmp_path / "few").write_text("\n".join(net.hosts[:4]))
    report = heddle.advise(net, TABLES[table](net), engines="minhop" if table == "python" else None, nodes="few", seed=2)
    ours = report.to_dict()
    report.write("rep")
    saved = table in ("array", "routes", "python")
    assert os.path.exists("rep/current.lft") == saved
    monkeypatch.chdir("rep" if kept or saved else ".")
    if table == "python":  # the command compares all engines but that one
        assert run(ours["command"]).returncode == 0
    else:
        repeats(ours)


def test_commands_find_name_maps_and_lids(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(FABRIC, "fabric")
    net = heddle.Network.read("fabric")
    (tmp_path / "map").write_text(f'0x{int(net.arrays["guid"][0]):016x} "renamed"\n')
    net.route("minhop").write("lids", "guid2lid")
    net = heddle.Network.open("fabric", name_map="map", guid2lid="lids")
    report = heddle.advise(net, net.route("updown").table)
    ours = report.to_dict()
    report.write("rep")
    monkeypatch.chdir("rep")
    repeats(ours)


@pytest.mark.parametrize("name", ["net.ibnet", "current.lft"])
def test_files_of_others_stay(name, tmp_path):
    net = two_parts()
    report = heddle.advise(net, net.route("updown").table, engines="minhop")
    folder = tmp_path / "rep"
    folder.mkdir()
    (folder / name).write_text("precious")
    with pytest.raises(heddle.Error, match="not written by heddle"):
        report.write(folder)
    assert os.listdir(folder) == [name] and (folder / name).read_text() == "precious"
    (folder / name).unlink()
    (folder / name).symlink_to("../victim")
    with pytest.raises(heddle.Error, match="not written by heddle"):
        report.write(folder)
    assert os.listdir(folder) == [name] and not (tmp_path / "victim").exists()
