# SPDX-License-Identifier: BSD-2-Clause
"""Networks: read, generated, changed, and looked at as NumPy arrays."""
from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

import numpy as np

from ._context import InputError, c_text, call, text_of
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

    def __init__(self, pointer):
        self.pointer = ffi.gc(pointer, lib.hd_net_free)
        _alive[int(ffi.cast("uintptr_t", pointer))] = self

    @classmethod
    def of(cls, pointer) -> "Network":
        """The network that a pointer of the library belongs to; a copy of one that the library made for itself."""
        found = _alive.get(int(ffi.cast("uintptr_t", pointer)))
        if found is not None:
            return found
        out = ffi.new("struct hd_net **")
        with call() as ctx:
            ctx.check(lib.hd_net_choose(ctx.pointer, pointer, ffi.new("struct hd_choice *"), out))
        return cls(out[0])

    def __reduce__(self):
        raise TypeError("a network cannot be pickled: send spec, the file, or to_text(), and open that")

    # ---- where networks come from

    @classmethod
    def open(
        cls,
        text: str,
        *,
        fail: Optional[str] = None,
        part: Optional[str] = None,
        rail: Optional[str] = None,
        endpoints: Optional[str] = None,
        name_map: Optional[str] = None,
        rails: Optional[str] = None,
        guid2lid: Optional[str] = None,
        lmc: Optional[int] = None,
        repair: bool = False,
        seed: int = 1,
    ) -> "Network":
        """A network from a topology spec or a file, with the options that the command has for it.

        >>> Network.open("torus:dims=4x4,hosts=1", fail="links=1").switches
        16
        """
        texts = [c_text(t) for t in (name_map, rails, part, rail, endpoints, fail, guid2lid)]
        options = ffi.new("struct hd_open *")
        (options.name_map, options.rails, options.part, options.rail, options.endpoints, options.fail, options.guid2lid) = texts
        options.set_lmc = lmc is not None
        options.lmc = lmc or 0
        options.repair = repair
        out = ffi.new("struct hd_net **")
        with call(seed) as ctx:
            ctx.check(lib.hd_net_open(ctx.pointer, os.fspath(text).encode(), options, out))
        return cls(out[0])

    @classmethod
    def read(cls, path, **options) -> "Network":
        """A network from a file: what ibnetdiscover, iblinkinfo, ibdiagnet or OpenSM wrote; see :meth:`open`."""
        path = os.fspath(path)
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
            builder.switch(node)
        for node, number in count.items():
            for i in range(number):
                builder.host(f"{node}-{i}", node)
        for u, v in cables:
            builder.cable(u, v)
        return builder.finish()

    @classmethod
    def from_networkx(cls, graph, name: Optional[str] = None) -> "Network":
        """A network from a NetworkX graph: a node whose attribute ``kind`` is ``host`` is an endpoint, every other one
        a switch; an edge is a cable. Without any such attribute, nodes with one neighbour are hosts."""
        kinds = dict(graph.nodes(data="kind"))
        if not any(kinds.values()):
            kinds = {v: "host" if graph.degree(v) == 1 and len(graph) > 2 else "switch" for v in graph}
        builder = _Builder(name or str(graph.name or "graph"))
        for node, kind in kinds.items():
            if kind != "host":
                builder.switch(node)
        edges = list(graph.edges())
        for node, kind in kinds.items():
            if kind == "host":
                near = list(graph.neighbors(node))
                if len(near) != 1 or graph.degree(node) != 1:
                    raise InputError(f"host {node!r} has {graph.degree(node)} edges: expected one, to a switch")
                builder.host(node, near[0])
        for u, v in edges:
            if kinds[u] != "host" and kinds[v] != "host":
                builder.cable(u, v)
        return builder.finish()

    # ---- what it is

    @property
    def spec(self) -> str:
        """Canonical spec or file name, with what was chosen or failed behind it."""
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

    def _changed(self, function, *arguments, seed: int = 1) -> "Network":
        out = ffi.new("struct hd_net **")
        with call(seed) as ctx:
            ctx.check(function(ctx.pointer, self.pointer, *arguments, out))
        return Network(out[0])

    def infer(self) -> "Network":
        """Structure found from the cables alone."""
        return self._changed(lib.hd_net_infer)

    def fail(self, what: str, seed: int = 1) -> "Network":
        """Without cables or switches: ``links=3,seed=7``, or by name; as ``--fail`` of the command."""
        return self._changed(lib.hd_net_fail, what.encode(), seed=seed)

    def repair(self) -> "Network":
        """With the cables that the structure lacks."""
        return self._changed(lib.hd_net_repair)

    def renumber(self, seed: int = 1) -> "Network":
        """The same network with switches, endpoints and ports numbered at random."""
        return self._changed(lib.hd_net_renumber, seed)

    def choose(
        self, *, part: Optional[str] = None, rail: Optional[str] = None, endpoints: Optional[str] = None
    ) -> "Network":
        """Cut down to a component, or with other endpoints selected."""
        texts = [c_text(t) for t in (part, rail, endpoints)]
        choice = ffi.new("struct hd_choice *")
        choice.part, choice.rail, choice.endpoints = texts
        return self._changed(lib.hd_net_choose, choice)

    # ---- written

    def to_text(self, format: str = "ibnet") -> str:  # pylint: disable=redefined-builtin
        """The network in a format of ``heddle topo --format``."""
        with call() as ctx:
            return _written(ctx, lambda o: lib.hd_net_write(ctx.pointer, self.pointer, format.encode(), o))

    def write(self, path, format: str = "ibnet") -> None:  # pylint: disable=redefined-builtin
        """Writes a file, under a temporary name until it is whole."""
        with call() as ctx:
            _write_file(ctx, path, lambda o: lib.hd_net_write(ctx.pointer, self.pointer, format.encode(), o))

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

    def route(self, table: str, **options):
        """Routes of an engine spec or a table file: ``Routes(net, table)``."""
        from .routes import Routes  # pylint: disable=import-outside-toplevel

        return Routes(self, table, **options)

    def __repr__(self) -> str:
        return f"<heddle.Network {self.spec}: {self.switches} switches, {self.endpoints} endpoints, {self.cables} cables>"

    def _repr_html_(self) -> str:
        return self.to_text("svg")


def _written(ctx, write) -> str:
    """The text that a writer of the library puts into a sink."""
    sink = ffi.new("struct hd_out **")
    ctx.check(lib.hd_out_memory(ctx.pointer, sink))
    try:
        ctx.check(write(sink[0]))
        length = ffi.new("size_t *")
        text = lib.hd_out_text(sink[0], length)
        return ffi.unpack(text, length[0]).decode("utf-8", "replace")
    finally:
        lib.hd_out_drop(sink[0])


def _write_file(ctx, path, write) -> None:
    """The file that a writer of the library fills; nothing is left behind where it fails."""
    sink = ffi.new("struct hd_out **")
    ctx.check(lib.hd_out_open(ctx.pointer, os.fspath(path).encode(), sink))
    ctx.check(lib.hd_out_end(ctx.pointer, sink[0], write(sink[0])))


class _Builder:
    """Nodes by any hashable name, ports numbered in order of use."""

    def __init__(self, spec: str):
        self.spec = spec
        self.handle: Dict[object, int] = {}
        self.used: Dict[object, int] = {}
        out = ffi.new("struct hd_builder **")
        with call() as ctx:
            ctx.check(lib.hd_builder_make(ctx.pointer, out))
        self.pointer = out[0]

    def _port(self, node) -> int:
        if node not in self.used:
            raise InputError(f"{node!r} is no switch")
        self.used[node] += 1
        return self.used[node]

    def switch(self, node) -> None:
        name = c_text(str(node))
        self.used[node] = 0
        self.handle[node] = lib.hd_builder_switch(self.pointer, ffi.new("struct hd_switch_in *", {"name": name}))

    def host(self, node, switch) -> None:
        name = c_text(str(node))
        adapter = lib.hd_builder_adapter(self.pointer, ffi.new("struct hd_adapter_in *", {"name": name}))
        endpoint = lib.hd_builder_endpoint(self.pointer, adapter, 1, 0, 0)
        port = self._port(switch)
        lib.hd_builder_cable(self.pointer, endpoint, 1, self.handle[switch], port, 0)

    def cable(self, u, v) -> None:
        up, vp = self._port(u), self._port(v)
        lib.hd_builder_cable(self.pointer, self.handle[u], up, self.handle[v], vp, 0)

    def finish(self) -> Network:
        out = ffi.new("struct hd_net **")
        pointer, self.pointer = self.pointer, None
        with call() as ctx:
            ctx.check(lib.hd_builder_finish(ctx.pointer, pointer, self.spec.encode(), out))
        return Network(out[0]).infer()

    def __del__(self):
        if getattr(self, "pointer", None):
            lib.hd_builder_free(self.pointer)
