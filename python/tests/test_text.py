# SPDX-License-Identifier: BSD-2-Clause
"""Text that goes to C: NUL ends nothing early, and every path that the system has can be used."""
import os
import pathlib
import re

import pytest

import heddle

NET = heddle.Network.generate("ft:m=4,n=2")


def calls_with_text(text):
    """One call per place that takes text."""
    return {
        "spec": lambda: heddle.Network.generate(text),
        "fail": lambda: heddle.Network.open("ft:m=4,n=2", fail=text),
        "name_map": lambda: heddle.Network.open("ft:m=4,n=2", name_map=text),
        "guid2lid": lambda: heddle.Network.open("ft:m=4,n=2", guid2lid=text),
        "without": lambda: NET.fail(text),
        "format": lambda: NET.to_text(text),
        "write": lambda: NET.write(text),
        "engine": lambda: NET.route(text),
        "routes": lambda: NET.route("minhop").write(text),
        "name": lambda: heddle.Network.from_edges([(text, "b")]),
        "named": lambda: heddle.Network.from_edges([("a", "b")], name=text),
        "pattern": lambda: heddle.evaluate(NET, "minhop", pattern=text),
        "metric": lambda: heddle.evaluate(NET, "minhop", metric=text),
        "ranks": lambda: heddle.evaluate(NET, "minhop", ranks=text),
        "model": lambda: heddle.simulate(NET, "minhop", model=text),
        "nodes": lambda: heddle.order(NET, "minhop", nodes=text),
        "prices": lambda: heddle.design(16, 8, prices=text),
        "racks": lambda: heddle.design(16, 8, racks=text),
        "goal": lambda: heddle.advise(NET, goal=text),
        "engines": lambda: heddle.advise(NET, engines=[text]),
    }


@pytest.mark.parametrize("place", calls_with_text(""))
def test_text_with_nul_is_refused(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text("kept")
    with pytest.raises(ValueError, match="NUL"):
        calls_with_text("x\0y")[place]()
    assert os.listdir() == ["x"] and (tmp_path / "x").read_text() == "kept"


@pytest.mark.parametrize("name", ["plain", b"bytes", pathlib.Path("path"), "not-utf-8-\udcff", b"\xff\xfe", "gr\u00fc\u00df", "-"])
def test_every_path_can_be_written_and_read(name, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    NET.write(name)
    assert os.listdir(b".") == [os.fsencode(name)]
    assert capfd.readouterr() == ("", "")
    again = heddle.Network.read("./-" if name == "-" else name)
    assert again.names == NET.names
    if name == "-":
        return
    os.remove(name)
    NET.route("minhop").write(name)
    assert bool((NET.route(name).table == NET.route("minhop").table).all())
    assert heddle.evaluate(NET, name, samples=1).value[0] == heddle.evaluate(NET, "minhop", samples=1).value[0]
    heddle.advise(NET, name, engines=["minhop"])


def test_specs_of_files_can_be_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NET.write(b"net\xff")
    NET.route("minhop").write(b"lft\xff")
    net = heddle.Network.read(b"net\xff")
    routes = net.route(b"lft\xff")
    assert heddle.Network.open(net.spec).names == net.names
    assert bool((net.route(routes.spec).table == routes.table).all())
    frame = heddle.evaluate(net, routes, samples=1)
    f"{net!r} {routes!r} {frame}".encode()  # can be printed
    assert (frame.net[0], frame.table[0]) == (net.shown, routes.shown) == ("net\ufffd", "lft\ufffd")
    assert heddle.simulate(net, routes, samples=1).net[0] == net.shown
    assert heddle.advise(net, routes, engines="minhop").to_dict()["options"]


def test_a_report_is_written_to_any_folder(tmp_path):
    report = heddle.advise(NET, engines=["minhop"])
    with pytest.raises(ValueError, match="NUL"):
        report.write(f"{tmp_path}/a\0b")
    report.write(os.fsencode(tmp_path) + b"/\xff")
    assert os.listdir(os.fsencode(tmp_path)) == [b"\xff"]


def test_text_becomes_bytes_in_one_place():
    folder = os.path.dirname(heddle.__file__)
    for name in os.listdir(folder):
        if name.endswith(".py") and name != "_context.py":
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                assert not re.search(r"\.encode\(|fsencode", f.read()), name
