# SPDX-License-Identifier: BSD-2-Clause
"""Networks: read, generated, changed, and looked at as NumPy arrays."""
from __future__ import annotations

import operator
import os
import shlex
import weakref
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import numpy as np

from ._context import InputError, Path, c_path, c_text, call, owned, path_bytes, place, spec_of, text_bytes, text_of
from ._heddle import ffi, lib

_alive: "weakref.WeakValueDictionary[int, Network]" = weakref.WeakValueDictionary()  # by address
_NODES = ("nsw", "nep")
# The arrays of struct hd_net, with what their lengths are sums of.
_ARRAYS = {
    "off": ("u4", _NODES, 1),
    "head": ("u4", ("nchan",), 0),
    "tail": ("u4", ("nchan",), 0),
    "rev": ("u4", ("nchan",), 0),
    "port": ("u1", ("nchan",), 0),
    "link": ("u1", ("nchan",), 0),
    "guid": ("u8", _NODES, 0),
    "lid": ("u2", _NODES, 0),
    "level": ("u1", _NODES, 0),
    "coord": ("u2", _NODES, 0),
    "nports": ("u1", ("nsw",), 0),
    "ca": ("u4", ("nep",), 0),
    "ca_guid": ("u8", ("nca",), 0),
    "ca_ports": ("u1", ("nca",), 0),
    "ca_role": ("u1", ("nca",), 0),
    "system": ("u8", ("nsw", "nca"), 0),
    "host": ("u4", ("nep",), 0),
    "rail": ("u1", ("nep",), 0),
    "sel": ("u4", ("nsel",), 0),
}
# Options of the command that a file of the network does not make up for: which of its endpoints take part.
_SELECTION = ("rails", "rail", "endpoints")


def _plain(value) -> str:
    """The value of an option as text."""
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)


def _seeded(spec: str, seed: int) -> str:
    """A spec with a seed, where it has none."""
    has = any(part.strip().startswith("seed=") for part in spec.partition(":")[2].split(","))
    return spec if has else f"{spec}{',' if ':' in spec else ':'}seed={seed:d}"


def _seeded_row(kind: int, spec: str, seed: Optional[int]) -> str:
    """The same for a topology or an engine that has such an option; files and others stay as they are."""
    if seed is None:
        return spec
    with call() as ctx:
        row = lib.hd_registry_find(ctx.pointer, kind, path_bytes(spec.partition(":")[0]))
    i = 0
    while row and row.params and row.params[i].name:
        if text_of(row.params[i].name) == "seed":
            return _seeded(spec, seed)
        i += 1
    return spec


def _seeded_failure(what, seed: Optional[int]):
    """The same for what fails, if some of it does so at random."""
    drawn = seed is not None and what and any(p.strip().startswith(("links=", "switches=")) for p in what.split(","))
    return _seeded(":" + what, seed)[1:] if drawn else what


class _Memory:
    """Memory of the library as NumPy takes it over, without a copy: the owner lives as long as any view."""

    def __init__(self, owner, pointer, dtype: str, shape: Tuple[int, ...]):
        self.owner = owner
        address = int(ffi.cast("uintptr_t", pointer))
        self.__array_interface__ = {
            "version": 3,
            "typestr": ("|" if dtype == "u1" else "<" if np.little_endian else ">") + dtype,
            "shape": shape,
            "data": (address, True),
        }


class Arrays(Mapping):
    """The arrays of a network by their names in heddle/net.h: read-only views of the library's own memory.

    >>> net = Network.generate("ft:m=4,n=2")
    >>> net.arrays["head"].shape == (net.channels,)
    True
    """

    def __init__(self, net: "Network"):
        self._net = net

    def __getitem__(self, name: str) -> np.ndarray:
        dtype, parts, more = _ARRAYS[name]
        c = self._net.pointer
        length = sum(getattr(c, part) for part in parts) + more
        shape = (length, c.shape.n) if name == "coord" else (length,)
        pointer = getattr(c, name)
        if not pointer or 0 in shape:
            return np.zeros(shape if pointer else (length, 0)[: len(shape)], dtype)
        return np.asarray(_Memory(self._net, pointer, dtype, shape))

    def __iter__(self) -> Iterator[str]:
        return iter(_ARRAYS)

    def __len__(self) -> int:
        return len(_ARRAYS)


class Network:
    """A network: switches, endpoints and the cables between them. It never changes; every change makes a new one.

    Nodes are numbered switches first: 0 .. switches-1, then endpoints.
    """

    def __init__(self, pointer, text: Optional[str] = None, options: Mapping[str, object] = MappingProxyType({})):
        """``text`` and ``options`` are what the command makes this network of; without a text it needs a file."""
        self.pointer = pointer
        self._text = text
        kept = options if text is not None else _SELECTION
        self._options: Dict[str, Any] = {k: v for k, v in options.items() if k in kept and v is not None}
        _alive[int(ffi.cast("uintptr_t", pointer))] = self

    @classmethod
    def of(cls, pointer) -> "Network":
        """The network that a pointer of the library belongs to; a copy of one that the library made for itself."""
        found = _alive.get(int(ffi.cast("uintptr_t", pointer)))
        if found is not None:
            return found
        out = place("hd_net", lib.hd_net_free)
        with call() as ctx:
            ctx.check(lib.hd_net_choose(ctx.pointer, pointer, ffi.new("struct hd_choice *"), out))
        return cls(owned(out))

    def __reduce__(self):
        raise TypeError("a network cannot be pickled: send spec and repeat the changes, or a file that write() made")

    # ---- where networks come from

    @classmethod
    def open(
        cls,
        text: Path,
        *,
        fail: Optional[str] = None,
        part: Optional[str] = None,
        rail: Optional[str] = None,
        endpoints: Optional[str] = None,
        name_map: Optional[Path] = None,
        rails: Optional[str] = None,
        guid2lid: Optional[Path] = None,
        lmc: Optional[int] = None,
        repair: bool = False,
        seed: Optional[int] = None,
    ) -> "Network":
        """A network from a topology spec or a file, with the options that the command has for it.

        ``seed`` is that of a random topology and of random failures whose specs have none: it becomes part of them.

        >>> Network.open("torus:dims=4x4,hosts=1", fail="links=1").switches
        16
        """
        text = _seeded_row(lib.HD_TOPOLOGIES, os.fsdecode(text), seed)
        fail = _seeded_failure(fail, seed)
        texts = [c_path(name_map), *(c_text(t) for t in (rails, part, rail, endpoints, fail)), c_path(guid2lid)]
        options = ffi.new("struct hd_open *")
        (options.name_map, options.rails, options.part, options.rail, options.endpoints, options.fail, options.guid2lid) = texts
        options.set_lmc = lmc is not None
        options.lmc = lmc or 0
        options.repair = repair
        out = place("hd_net", lib.hd_net_free)
        with call() as ctx:
            ctx.check(lib.hd_net_open(ctx.pointer, path_bytes(text), options, out))
        given = {
            "node-name-map": name_map, "rails": rails, "fail": fail or None, "guid2lid": guid2lid, "lmc": lmc,
            "part": part, "rail": rail, "endpoints": endpoints, "repair": True if repair else None,
        }  # fmt: skip
        return cls(owned(out), None if text == "-" else text, given)

    @classmethod
    def read(cls, path: Path, **options) -> "Network":
        """A network from a file: what ibnetdiscover, iblinkinfo, ibdiagnet or OpenSM wrote; see :meth:`open`."""
        path = os.fsdecode(path)
        if path != "-" and not os.path.exists(path):
            raise InputError(f"{path}: no such file")
        return cls.open(path, **options)

    @classmethod
    def generate(cls, spec: str, **options) -> "Network":
        """A network from a topology spec such as ``ft:m=8,n=3``; see :meth:`open`."""
        return cls.open(spec, **options)

    @classmethod
    def from_edges(
        cls, cables: Iterable[Tuple[object, object]], hosts: Mapping[object, int] | int = 1, name: str = "edges"
    ) -> "Network":
        """A network of switches from pairs of their names, one per cable; parallel cables are repeated.

        ``hosts`` is the number of endpoints on every switch, or a mapping from switch to number. Ports are numbered
        endpoints first, then cables in the order they are given. The structure is inferred.

        >>> ring = Network.from_edges([("a", "b"), ("b", "c"), ("c", "a")], hosts=2)
        >>> ring.endpoints, ring.cables
        (6, 9)
        """
        cables = list(cables)
        names = dict.fromkeys(node for cable in cables for node in cable)
        count = dict(hosts) if isinstance(hosts, Mapping) else dict.fromkeys(names, hosts)
        names.update(dict.fromkeys(count))
        builder = _Builder(name)
        for node in names:
            builder.node(node, False)
        for node, number in count.items():
            if operator.index(number) < 0:
                raise InputError(f"{number} hosts on switch {node!r}: expected 0 or more")
            for i in range(number):
                host = object()
                builder.node(host, True, {"name": f"{node}-{i}"})
                builder.cable(host, node)
        for u, v in cables:
            builder.cable(u, v)
        return builder.finish()

    @classmethod
    def from_networkx(cls, graph, name: Optional[str] = None) -> "Network":
        """A network from an undirected NetworkX graph: a node whose attribute ``kind`` is ``host`` is an endpoint, one with
        ``switch`` or none a switch; an edge is a cable. Without any such attribute, nodes with one neighbour are hosts.

        What :meth:`to_networkx` writes is used where it is there: of nodes ``name`` and ``guid``, of edges ``link``, such
        as ``4xEDR``, and ``ports``, first that of the node which comes first in the graph. Other ports are numbered
        hosts first, then cables in their order.

        >>> net = Network.generate("ft:m=4,n=2")
        >>> Network.from_networkx(net.to_networkx()).names == net.names
        True
        """
        if graph.is_directed():
            raise InputError("a directed graph: expected an undirected one, an edge per cable (graph.to_undirected())")
        kinds = dict(graph.nodes(data="kind"))
        if all(kind is None for kind in kinds.values()):
            kinds = {v: "host" if graph.degree(v) == 1 and len(graph) > 2 else "switch" for v in graph}
        builder = _Builder(name or str(graph.name or "graph"))
        for node, kind in kinds.items():
            if kind not in ("host", "switch", None):
                raise InputError(f"node {node!r} of kind {kind!r}: expected host or switch")
            if kind == "host" and graph.degree(node) != 1:
                raise InputError(f"host {node!r} has {graph.degree(node)} edges: expected one, to a switch")
            builder.node(node, kind == "host", graph.nodes[node])
        first = {node: i for i, node in enumerate(graph)}
        ends = [(u, v, d) if first[u] <= first[v] else (v, u, d) for u, v, d in graph.edges(data=True)]
        for u, v, data in ends:
            builder.reserve(u, v, data)
        of_host = {node: end for end in ends for node in end[:2] if kinds[node] == "host"}
        for node in kinds:
            if node in of_host:
                builder.cable(*of_host[node])
        for end in ends:
            if "host" not in (kinds[end[0]], kinds[end[1]]):
                builder.cable(*end)
        return builder.finish()

    # ---- what it is

    @property
    def spec(self) -> str:
        """Canonical spec or file name, with what was chosen or failed behind it; :meth:`open` takes it where nothing
        was."""
        return spec_of(self.pointer.spec)

    @property
    def shown(self) -> str:
        """The spec as the command prints it: bytes of a file name that are no text are replaced."""
        return text_of(self.pointer.spec)

    @property
    def switches(self) -> int:
        return self.pointer.nsw

    @property
    def endpoints(self) -> int:
        return self.pointer.nep

    @property
    def channels(self) -> int:
        """Directions of cables: two per cable."""
        return self.pointer.nchan

    @property
    def cables(self) -> int:
        return self.pointer.nchan // 2

    @property
    def arrays(self) -> Arrays:
        return Arrays(self)

    def name(self, node: int) -> str:
        """Name of a switch, or of an endpoint's adapter, as people see it."""
        if not 0 <= node < self.switches + self.endpoints:
            raise IndexError(f"node {node}: there are {self.switches + self.endpoints}")
        return text_of(lib.hd_node_label(self.pointer, node))

    @property
    def names(self) -> List[str]:
        return [text_of(lib.hd_node_label(self.pointer, v)) for v in range(self.switches + self.endpoints)]

    @property
    def hosts(self) -> List[str]:
        return [text_of(lib.hd_host_name(self.pointer, h)) for h in range(self.pointer.nhost)]

    def describe(self) -> Dict[str, object]:
        """What ``heddle topo`` says: counts, levels, oversubscription, distances."""
        info = ffi.new("struct hd_topo_info *")
        with call() as ctx:
            ctx.check(lib.hd_net_describe(ctx.pointer, self.pointer, info))
        shape = ffi.new("char[]", lib.HD_MAX_SPEC)
        lib.hd_shape_spec(ffi.addressof(self.pointer.shape), shape)
        plain = "endpoints switches cables switch_cables selected adapters hosts rails levels parts missing diameter"
        out: Dict[str, object] = {key: getattr(info, key) for key in plain.split()}
        out.update(mean_distance=info.mean_distance, clos=text_of(info.clos), form=text_of(info.form), shape=text_of(shape))
        out["oversubscription"] = [info.level[i].oversubscription for i in range(1, info.levels + 1)]
        return out

    # ---- changed

    def _changed(self, function, *arguments, repeated: bool = False, options: Optional[dict] = None) -> "Network":
        """``repeated``: the command makes the same network with these options besides those so far; else it needs a
        file."""
        out = place("hd_net", lib.hd_net_free)
        with call() as ctx:
            ctx.check(function(ctx.pointer, self.pointer, *arguments, out))
        return Network(owned(out), self._text if repeated else None, {**self._options, **(options or {})})

    def _without(self, *options: str) -> bool:
        """Whether none of these options of the command came first, which it would apply later."""
        return not any(key in self._options for key in options)

    def infer(self) -> "Network":
        """Structure found from the cables alone."""
        return self._changed(lib.hd_net_infer)

    def fail(self, what: str, seed: Optional[int] = None) -> "Network":
        """Without cables or switches: ``links=3,seed=7``, or by name; as ``--fail`` of the command. ``seed`` becomes part of
        what fails at random and has none.

        >>> Network.generate("ft:m=4,n=2").fail("links=1", seed=7).spec
        'ft:m=4,n=2 --fail links=1,seed=7'
        """
        what = _seeded_failure(what, seed)
        failed = " then ".join(_plain(w) for w in (self._options.get("fail"), what) if w) or None
        repeated = self._without("part", "repair")
        return self._changed(lib.hd_net_fail, text_bytes(what), repeated=repeated, options={"fail": failed})

    def repair(self) -> "Network":
        """With the cables that the structure lacks."""
        return self._changed(lib.hd_net_repair, repeated=self._without("repair"), options={"repair": True})

    def renumber(self, seed: int = 1) -> "Network":
        """The same network with switches, endpoints and ports numbered at random."""
        net = self._changed(lib.hd_net_renumber, seed, options=dict.fromkeys(_SELECTION))
        selected = net.arrays["sel"]
        if len(selected) < net.endpoints:  # as before, but they have new names
            names = net.names
            chosen = "|".join(names[net.switches + e] for e in selected)
            net._options["endpoints"] = f"^({chosen})$"  # pylint: disable=protected-access
        return net

    def choose(
        self, *, part: Optional[str] = None, rail: Optional[str] = None, endpoints: Optional[str] = None
    ) -> "Network":
        """Cut down to a component, or with other endpoints selected."""
        texts = [c_text(t) for t in (part, rail, endpoints)]
        choice = ffi.new("struct hd_choice *")
        choice.part, choice.rail, choice.endpoints = texts
        options: Dict[str, object] = {} if part is None else {"part": part}
        if endpoints is not None:
            options.update(endpoints=endpoints, rail=rail)
        elif rail is not None:
            before = self._options.get("rail", rail)  # rails are chosen among those chosen before, names among all
            chosen = {int(r) for r in _plain(before).split("+")}
            options["rail"] = "+".join(r for r in _plain(rail).split("+") if int(r) in chosen)
        repeated = part is None or self._without("part", "repair")
        return self._changed(lib.hd_net_choose, choice, repeated=repeated, options=options)

    # ---- written

    def to_text(self, format: str = "ibnet") -> str:  # pylint: disable=redefined-builtin
        """The network in a format of ``heddle topo --format``."""
        with call() as ctx:
            return _written(ctx, lambda o: lib.hd_net_write(ctx.pointer, self.pointer, text_bytes(format), o))

    def write(self, path: Path, format: str = "ibnet") -> None:  # pylint: disable=redefined-builtin
        """Writes a file, under a temporary name until it is whole."""
        with call() as ctx:
            _write_file(ctx, path, lambda o: lib.hd_net_write(ctx.pointer, self.pointer, text_bytes(format), o))

    def to_networkx(self):
        """A networkx.MultiGraph with a node per switch (``kind="switch"``) and per endpoint (``kind="host"``), by their
        numbers, and an edge per cable with its ports."""
        import networkx as nx  # pylint: disable=import-outside-toplevel

        a, names = self.arrays, self.names
        graph = nx.MultiGraph(name=self.spec)
        for v, name in enumerate(names):
            kind = "switch" if v < self.switches else "host"
            graph.add_node(v, kind=kind, name=name, level=int(a["level"][v]), guid=int(a["guid"][v]), lid=int(a["lid"][v]))
        once = np.flatnonzero(np.arange(self.channels) < a["rev"])
        for c in once:
            r = a["rev"][c]
            link = text_of(lib.hd_link_name(int(a["link"][c])))
            graph.add_edge(int(a["tail"][c]), int(a["head"][c]), ports=(int(a["port"][c]), int(a["port"][r])), link=link)
        return graph

    def route(self, table, **options):
        """Routes of an engine spec or a table file: ``Routes(net, table)``."""
        from .routes import Routes  # pylint: disable=import-outside-toplevel

        return Routes(self, table, **options)

    def __repr__(self) -> str:
        counts = f"{self.switches} switches, {self.endpoints} endpoints, {self.cables} cables"
        return f"<heddle.Network {self.shown}: {counts}>"

    def _repr_html_(self) -> str:
        return self.to_text("svg")


def _for_command(net: Network) -> Tuple[Optional[str], Optional[str], Dict[str, Optional[str]]]:
    """What the command makes a network of: text, what fails, further options and their values, None for a flag. The
    text is None where it needs a file: a network of a graph, or one that was changed in an order which the command does
    not have."""
    text, options = net._text, dict(net._options)  # pylint: disable=protected-access
    fail = options.pop("fail", None)
    return text, fail, {key: None if v is True else _plain(v) for key, v in options.items()}


def _written(ctx, write) -> str:
    """The text that a writer of the library puts into a sink."""
    with place("hd_out", lib.hd_out_drop) as sink:
        ctx.check(lib.hd_out_memory(ctx.pointer, sink))
        ctx.check(write(sink[0]))
        length = ffi.new("size_t *")
        text = lib.hd_out_text(sink[0], length)
        return ffi.unpack(text, length[0]).decode("utf-8", "replace")


def _write_file(ctx, path: Path, write) -> None:
    """The file that a writer of the library fills; nothing is left behind where it fails."""
    name = path_bytes(path)
    with place("hd_out", lib.hd_out_drop) as sink:
        # Standard output for the library; here it would be written behind the back of sys.stdout.
        ctx.check(lib.hd_out_open(ctx.pointer, b"./-" if name == b"-" else name, sink))
        status = write(sink[0])
        filled, sink[0] = sink[0], ffi.NULL  # freed by hd_out_end in every case
        ctx.check(lib.hd_out_end(ctx.pointer, filled, status))


class _Builder:
    """Nodes by any hashable name; ports as they are given, the others in order of use."""

    def __init__(self, spec: str):
        self.spec = spec
        self.handle: Dict[object, int] = {}
        self.host: Dict[object, bool] = {}
        self.used: Dict[object, set] = {}
        self.last: Dict[object, int] = {}
        self.place = place("hd_builder", lib.hd_builder_free)
        with call() as ctx:
            ctx.check(lib.hd_builder_make(ctx.pointer, self.place))
        self.pointer = self.place[0]

    def node(self, node, host: bool, data: Mapping = MappingProxyType({})) -> None:
        """A switch, or a host with one port."""
        name, guid = c_text(data.get("name") or node), operator.index(data.get("guid") or 0)
        if host:
            adapter = lib.hd_builder_adapter(self.pointer, ffi.new("struct hd_adapter_in *", {"name": name}))
            self.handle[node] = lib.hd_builder_endpoint(self.pointer, adapter, 1, guid, 0)
        else:
            switch = ffi.new("struct hd_switch_in *", {"name": name, "guid": guid})
            self.handle[node] = lib.hd_builder_switch(self.pointer, switch)
        self.host[node], self.used[node], self.last[node] = host, set(), 0

    @staticmethod
    def _given(u, v, data: Mapping) -> Tuple[Optional[int], Optional[int]]:
        ports = data.get("ports")
        if ports is None:
            return None, None
        if len(ports) != 2 or not all(0 < operator.index(p) < 255 for p in ports):
            raise InputError(f"cable from {u!r} to {v!r} at ports {ports!r}: expected two numbers from 1 to 254")
        return ports[0], ports[1]

    def reserve(self, u, v, data: Mapping) -> None:
        """Keeps the ports that a cable is given from those that are numbered."""
        for node, port in zip((u, v), self._given(u, v, data)):
            if port is not None and not self.host[node]:
                if port in self.used[node]:
                    raise InputError(f"switch {node!r}: two cables at port {port}")
                self.used[node].add(port)

    def _port(self, node, given: Optional[int]) -> int:
        if self.host[node]:
            return 1
        if given is None:
            given = self.last[node] + 1
            while given in self.used[node]:
                given += 1
            if given > 254:  # before a wrong number has filled the memory
                raise InputError(f"switch {node!r} has more than 254 ports: at most 254 can be routed")
            self.last[node] = given
            self.used[node].add(given)
        return given

    def cable(self, u, v, data: Mapping = MappingProxyType({})) -> None:
        if self.host[u] and self.host[v]:
            raise InputError(f"hosts {u!r} and {v!r} are cabled to each other: expected a switch")
        given = self._given(u, v, data)
        link = text_bytes(data.get("link") or "")
        code = lib.hd_link_code(link, len(link))
        if link and not code:
            raise InputError(f"cable from {u!r} to {v!r} of {link.decode()!r}: expected a link such as 4xEDR")
        ports = self._port(u, given[0]), self._port(v, given[1])
        lib.hd_builder_cable(self.pointer, self.handle[u], ports[0], self.handle[v], ports[1], code)

    def finish(self) -> Network:
        out, spec = place("hd_net", lib.hd_net_free), text_bytes(self.spec)
        with call() as ctx:
            self.place[0] = ffi.NULL  # hd_builder_finish frees the builder in every case
            ctx.check(lib.hd_builder_finish(ctx.pointer, self.pointer, spec, out))
        return Network(owned(out)).infer()
