# SPDX-License-Identifier: BSD-2-Clause
# Generated from 'heddle schema' by scripts/dataclasses; 'make accept' regenerates it.
# pylint: disable=too-many-lines,too-many-instance-attributes,line-too-long
"""What commands print with ``--json``, as dataclasses: ``heddle.schema.read("check", text)``.

A field that may be absent or null is ``None`` then. Keys that are no identifiers have an underscore in their place or at
their end: ``recdbl_tree``, ``from_``. Keys that this version does not know are kept in ``unknown``.
"""
from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ._objects import Document, Object


@dataclass
class Figure(Object):
    """A figure with the command that prints it."""

    value: t.Optional[float]  # The figure
    ci: t.Optional[float]  # Full width of its 99 % confidence interval
    bound: t.Optional[float]  # What no tables can beat
    command: t.Optional[str]  # The command that prints it
    field: str  # Where it is in the JSON of that command


@dataclass
class Hsd(Object):
    """Hot-spot degrees of a pattern."""

    hsd: t.Optional[float]  # Hot-spot degree, mean over stages
    max: t.Optional[float]  # Largest hot-spot degree of a stage
    bandwidth: t.Optional[float]  # Share of the bandwidth with synchronised stages


@dataclass
class BeforeAfter(Object):
    """Hot-spot degrees before and after."""

    before: Hsd  # The current order
    after: Hsd  # The suggested order
    bound: t.Optional[float]  # What no order can beat with these tables


@dataclass
class Plug(Object):
    """An end of a cable."""

    node: t.Optional[str]  # Name of the node
    guid: t.Optional[str]  # Its GUID
    port: t.Optional[int]  # Port


@dataclass
class Cable(Object):
    """A cable by its ends."""

    from_: Plug  # One end
    to: Plug  # The other end
    _renamed = {"from_": "from"}


@dataclass
class CablingFault(Object):
    """A fault of the cabling."""

    from_: Plug  # One end
    to: Plug  # The other end
    gain: t.Optional[float]  # What its repair gains, in cables
    with_: t.Optional[Cable] = None  # Swapped: the other cable
    expected: t.Optional[Cable] = None  # Wrong: the cable that the structure has
    rate: t.Optional[str] = None  # Slow: its rate
    usual: t.Optional[str] = None  # Slow: the usual rate
    cables: t.Optional[t.List[Cable]] = None  # Dead: the cables of the switch
    _renamed = {"from_": "from", "with_": "with"}


@dataclass
class Lids(Object):
    """LIDs and what is wrong with them."""

    unreachable: int  # Paths that do not arrive
    loops: int  # Paths that loop
    choices: int  # Entries that choose among several ports; a path fails if some choice does
    lids: t.Optional[int] = None  # How many there are
    paths: t.Optional[int] = None  # Paths to them
    deadlock_free: t.Optional[bool] = None  # Whether they are deadlock-free together with the pairs
    source: t.Optional[str] = None  # A path that does not arrive: its source
    dest: t.Optional[str] = None  # Its destination
    lid: t.Optional[int] = None  # The LID


@dataclass
class PaperCounts(Object):
    """How many rows agree."""

    ok: int  # Rows that agree
    known: int  # Rows known not to agree
    unexpected: int  # Rows that should agree and do not
    shown: int  # Rows without a published value


@dataclass
class Channel(Object):
    """A channel."""

    from_: str  # The node it leaves
    port: int  # The port of that node
    to: str  # The node it arrives at
    _renamed = {"from_": "from"}


@dataclass
class OrderFigures(Object):
    """Hot-spot degrees of an order."""

    order: str  # Which order it is
    ring: Hsd  # Ring
    alltoall: Hsd  # All-to-all by shifts
    recdbl: Hsd  # Recursive doubling
    recdbl_tree: Hsd  # Recursive doubling along the tree
    binomial: Hsd  # Binomial tree
    _renamed = {"recdbl_tree": "recdbl-tree"}


@dataclass
class OrderGain(Object):
    """What an order gains for a pattern."""

    gain: t.Optional[float]  # Bandwidth after by bandwidth before
    confidence: str  # How far the gain can be trusted
    why: str  # What it depends on


@dataclass
class MeshTimes(Object):
    """Times of a training step."""

    order: str  # Which order it is
    step_ms: t.Optional[float]  # Milliseconds of a step: the sum of its kinds
    tp_ms: t.Optional[float]  # Busiest channel of tensor-parallel groups
    cp_ms: t.Optional[float]  # Busiest channel of context-parallel groups
    pp_ms: t.Optional[float]  # Busiest channel between pipeline stages
    ep_ms: t.Optional[float]  # Busiest channel of expert-parallel groups
    dp_ms: t.Optional[float]  # Busiest channel of data-parallel groups


@dataclass
class End(Object):
    """An end of a planned or found cable."""

    node: t.Optional[str]  # Name of the node
    guid: t.Optional[str]  # Its GUID
    port: t.Optional[int]  # Port
    label: t.Optional[str] = None  # As it is printed on the rack


@dataclass
class PlannedCable(Object):
    """A planned or found cable by its ends."""

    from_: End  # One end
    to: End  # The other end
    _renamed = {"from_": "from"}


@dataclass
class CablesFault(Object):
    """A difference from the plan."""

    from_: End  # One end, or the device that is not found
    to: t.Optional[End]  # The other end
    cost: float  # Share of EBB that it may cost, estimated from the plan
    cables: t.Optional[int] = None  # Dead: planned cables of the device
    planned: t.Optional[PlannedCable] = None  # Wrong, swapped: the planned cable
    found2: t.Optional[PlannedCable] = None  # Swapped: the other cable
    planned2: t.Optional[PlannedCable] = None  # Swapped: how that one is planned
    link: t.Optional[str] = None  # Slow: its rate
    planned_link: t.Optional[str] = None  # Slow: the planned or usual rate
    file: t.Optional[str] = None  # The file of the plan
    line: t.Optional[int] = None  # The line in it
    _renamed = {"from_": "from"}


@dataclass
class NameParams(Object):
    """``params`` of :class:`Name`."""

    name: str  # Name
    default: str  # What holds where it is not given
    doc: str  # What it does


@dataclass
class Name(Object):
    """A topology, engine or whatever else has a name."""

    name: str  # Its name
    summary: str  # One line on it
    text: t.Optional[str]  # Explanation
    source: t.Optional[str]  # Where it was published
    params: t.List[NameParams]  # Its parameters
    examples: t.List[str]  # Examples
    try_: str  # A command to try
    _renamed = {"try_": "try"}


@dataclass
class AdviseFindings(Object):
    """``findings`` of :class:`Advise`."""

    verdict: str  # Whether something is wrong
    subject: str  # What was looked at
    text: str  # What was found


@dataclass
class AdviseChoices(Object):
    """``choices`` of :class:`Advise`."""

    name: str  # Which of them
    what: str  # The same in words
    table: str  # The table whose figures these are
    routing_engine: t.Optional[str]  # The value of routing_engine in opensm.conf, of the choice of that name
    value: t.Optional[float]  # What the goal is about: EBB, or flows on the busiest channel
    gain: t.Optional[float]  # Relative to the table in use, or to OpenSM's default
    gain_error: t.Optional[float]  # Half the width of its 99 % confidence interval
    heals: bool  # Whether tables follow failures by themselves
    measured_by_opensm: bool  # Whether OpenSM itself computed the table
    recommended: bool  # Whether this is the one to take
    cost: str  # What it costs
    known: t.Optional[str]  # How the figure of an engine of OpenSM is known
    command: str  # The command that puts it into effect


@dataclass
class AdviseOptions(Object):
    """``options`` of :class:`Advise`."""

    table: str  # Engine spec or file
    label: str  # What people read, such as heddle ftree or OpenSM minhop
    routing_engine: t.Optional[str]  # The engine of OpenSM whose table it is, as in opensm.conf
    current: bool  # Whether it is the table in use
    why_not: t.Optional[str]  # Why it was not measured
    command: t.Optional[str] = None  # The command that checks it
    deadlock_free: t.Optional[bool] = None  # Whether it is proved deadlock-free; null if that is not known
    lanes: t.Optional[int] = None  # VLs in use; null if that is not known
    unreachable: t.Optional[int] = None  # Pairs without a path
    loops: t.Optional[int] = None  # Pairs whose path loops
    nonminimal: t.Optional[int] = None  # Pairs whose path is longer than the shortest one
    variants: t.Optional[int] = None  # Paths per destination
    score: t.Optional[float] = None  # The figure by which tables are ranked
    mark: t.Optional[str] = None  # A remark on its place
    figures: t.Optional[t.Dict[str, Figure]] = None  # What was measured, by the name of the quantity


@dataclass
class AdviseOrder(Object):
    """``order`` of :class:`Advise`."""

    how: t.Optional[str]  # How it was found
    claim: t.Optional[str]  # What is proved for it
    command: t.Optional[str]  # The command that writes it
    ring: t.Optional[BeforeAfter] = None  # Ring
    alltoall: t.Optional[BeforeAfter] = None  # All-to-all by shifts
    recdbl: t.Optional[BeforeAfter] = None  # Recursive doubling
    recdbl_tree: t.Optional[BeforeAfter] = None  # Recursive doubling along the tree
    binomial: t.Optional[BeforeAfter] = None  # Binomial tree
    _renamed = {"recdbl_tree": "recdbl-tree"}


@dataclass
class AdviseWhatIf(Object):
    """``what_if`` of :class:`Advise`."""

    what: str  # What fails
    cases: int  # Failures that were tried
    samples: int  # Samples of each
    ebb_before: t.Optional[float]  # EBB before
    ci: t.Optional[float]  # Full width of its 99 % confidence interval
    lost_mean: t.Optional[float]  # Pairs without a path until tables are recomputed, mean share
    lost_max: t.Optional[float]  # The same, largest share
    stays_mean: t.Optional[float]  # EBB with the old table, mean
    stays_min: t.Optional[float]  # The same, lowest
    rerouted_mean: t.Optional[float]  # EBB with a new table, mean
    rerouted_min: t.Optional[float]  # The same, lowest
    changed_mean: t.Optional[float]  # Share of pairs whose path a new table changes
    worst: t.Optional[str]  # The failure that costs most
    command: t.Optional[str]  # The command that repeats it


@dataclass
class AdviserepairCables(Object):
    """``cables`` of :class:`AdviseRepair`."""

    kind: str  # What is wrong with it
    missing: bool  # Whether it is missing
    text: str  # In words
    from_: t.Optional[str]  # Name of one end
    from_port: t.Optional[int]  # Its port
    to: t.Optional[str]  # Name of the other end
    to_port: t.Optional[int]  # Its port
    link: t.Optional[str]  # Its rate
    usual: t.Optional[str]  # The usual rate of such cables
    _renamed = {"from_": "from"}


@dataclass
class AdviseRepair(Object):
    """``repair`` of :class:`Advise`."""

    cables: t.List[AdviserepairCables]  # One per cable, those that gain most first
    table: t.Optional[str]  # The table with which the gain was measured
    samples: int  # Samples of it
    ebb_before: t.Optional[float]  # EBB now
    ebb_after: t.Optional[float]  # EBB of the repaired fabric
    command: t.Optional[str]  # The command that repeats it


@dataclass
class AdviseSteps(Object):
    """``steps`` of :class:`Advise`."""

    what: str  # In words
    path: t.Optional[str]  # The file or folder that it needs, within that of -o
    command: t.Optional[str]  # The command


@dataclass
class Advise(Document):
    """What 'heddle advise --json' prints."""

    net: str  # The network, as a spec or file name
    command: str  # The command line that repeats this report
    goal: str  # What was optimised for, see --for
    verdict: str  # The worst verdict of the findings
    headline: str  # The recommendation in one sentence
    facts: t.Dict[str, str]  # The fabric in words, by subject
    findings: t.List[AdviseFindings]  # What was looked at
    best: t.Optional[str]  # The recommended table
    reason: str  # Why it is recommended
    rule: str  # How tables are ranked
    choices: t.List[AdviseChoices]  # Ways to a better routing, the cheapest first; none if the current table is kept
    options: t.List[AdviseOptions]  # The tables that were compared, best first
    order: AdviseOrder  # The suggested rank order
    what_if: t.List[AdviseWhatIf]  # What a failure costs
    repair: AdviseRepair  # Cables to repair
    steps: t.List[AdviseSteps]  # What to do
    notes: t.List[str]  # Remarks


@dataclass
class TopoRoles(Object):
    """``roles`` of :class:`Topo`."""

    compute: int  # Hosts
    router: int  # Routers
    aggregation: int  # Aggregation nodes inside switches
    storage: int  # Storage
    management: int  # Management
    gateway: int  # Gateways


@dataclass
class TopoDegraded(Object):
    """``degraded`` of :class:`Topo`."""

    from_: str  # Name of one
    to: str  # Name of the other
    cables: int  # Missing cables between them
    _renamed = {"from_": "from"}


@dataclass
class TopoCabling(Object):
    """``cabling`` of :class:`Topo`."""

    missing: t.List[CablingFault]  # Missing cables
    swapped: t.List[CablingFault]  # Two cables that have exchanged their ends
    wrong: t.List[CablingFault]  # Cables with one end elsewhere
    extra: t.List[CablingFault]  # Cables that the structure does not have
    slow: t.List[CablingFault]  # Cables below the usual rate
    dead: t.List[CablingFault]  # Switches that do not exist


@dataclass
class TopoplanesDifferences(Object):
    """``differences`` of :class:`TopoPlanes`."""

    part: int  # The plane, as --part takes it
    kind: str  # Whether this plane lacks the cable or has it alone
    from_: Plug  # One end in this plane
    to: Plug  # The other end
    _renamed = {"from_": "from"}


@dataclass
class TopoPlanes(Object):
    """``planes`` of :class:`Topo`."""

    count: int  # Number of planes
    systems: int  # Systems with ASICs in several planes
    differences: t.List[TopoplanesDifferences]  # Cables in which planes differ, judged by majority


@dataclass
class Topo(Document):
    """What 'heddle topo --json' prints."""

    net: str  # The network, as a spec or file name
    kind: str  # What it is
    shape: t.Optional[str]  # The spec of its structure
    form: t.Optional[str]  # Its form in words, for trees and groups that no spec describes
    endpoints: int  # Endpoints
    selected: int  # Endpoints that traffic is restricted to
    roles: TopoRoles  # Endpoints by what they are for
    switches: int  # Switches
    unused_switches: int  # Switches that no endpoint can be reached from; they are on no level
    cables: int  # Cables
    switch_cables: int  # Cables between switches
    levels: int  # Levels of switches; 0 where there are none
    ports_per_level: t.List[int]  # The largest number of ports in use of a switch, lowest level first
    switches_per_level: t.List[int]  # Switches, lowest level first
    oversubscription: t.List[float]  # Capacity down by capacity up, of the levels that have cables up
    clos: t.Optional[str]  # Clos class: strict, rearrangeable or slimmed
    hosts: int  # Hosts
    rails: int  # Rails
    parts: int  # Connected components
    diameter: t.Optional[int]  # Largest distance in switch cables; null if it was not computed
    mean_distance: t.Optional[float]  # Mean distance in switch cables
    missing: int  # Cables of the structure that are missing
    absent: int  # Cables of the structure up to switches that do not exist
    degraded_parts: int  # Components with missing cables
    degraded: t.List[TopoDegraded]  # Pairs of nodes with missing cables
    cabling: TopoCabling  # Faults of the cabling
    departs: t.Optional[str]  # Where it departs from the structure that it resembles
    planes: t.Optional[TopoPlanes] = None  # The planes: components with one ASIC of every switch system each


@dataclass
class RouteKeep(Object):
    """``keep`` of :class:`Route`."""

    from_: str  # The old table
    entries_forced: int  # Entries that had to change
    entries_repaired: int  # Entries changed to serve every pair without deadlock
    entries: int  # Entries
    entries_changed: int  # Entries that change
    blocks: int  # Blocks of 64 entries
    blocks_changed: int  # Blocks with a change
    switches: int  # Switches
    switches_changed: int  # Switches with a change
    pairs: int  # Pairs
    pairs_changed: int  # Pairs whose path changes
    lanes_changed: t.Optional[int]  # Pairs whose VL changes; null if the old ones are not known
    fresh: bool  # Whether the table was computed from nothing because the old one could not be kept
    share: t.Optional[float]  # Share of the bandwidth that random pairs get
    share_fresh: t.Optional[float]  # The same with a fresh table
    _renamed = {"from_": "from"}


@dataclass
class Route(Document):
    """What 'heddle route --json' prints."""

    net: str  # The network, as a spec or file name
    engine: str  # The engine
    lanes: t.Optional[int]  # VLs in use; null if that is not known
    variants: int  # Paths per destination
    select: str  # What decides which variant a packet takes
    entries: int  # Table entries
    unused: int  # Channels that no pair uses
    efi: t.Optional[float]  # Edge forwarding index: most pairs on a channel
    unserved: int  # Pairs of one component without a path
    other_unserved: int  # Such pairs with endpoints that are not selected: storage, management, routers
    further_lids_unserved: int  # Paths from leaf switches to further LIDs of endpoints that do not arrive
    switch_lids_unserved: int  # Paths from leaf switches to LIDs of switches that do not arrive
    keep: t.Optional[RouteKeep] = None  # What --keep changed


@dataclass
class CheckCycle(Object):
    """``cycle`` of :class:`Check`."""

    channel: str  # The node and port it leaves
    to: str  # The node it arrives at
    lane: int  # VL
    source: t.Optional[str] = None  # Source of a pair that goes on to the next channel
    dest: t.Optional[str] = None  # Its destination


@dataclass
class CheckUnserved(Object):
    """``unserved`` of :class:`Check`."""

    source: str  # One of the sources
    dest: str  # Destination
    variant: int  # Path variant
    sources: int  # Sources at the same switch


@dataclass
class CheckOtherEndpoints(Object):
    """``other_endpoints`` of :class:`Check`."""

    endpoints: int  # Their number
    unchecked: int  # Those that are not checked: all if endpoints were chosen, else none
    pairs: int  # Pairs with at least one of them
    unreachable: int  # Of these, pairs without a path
    loops: int  # Of these, pairs whose path loops
    choices: int  # Of these, pairs that some choice of ports does not serve
    aggregation_nodes: int  # Of the endpoints, those of aggregation nodes
    aggregation_unserved: int  # Pairs with aggregation nodes two cables away or more, without a path; no fault
    aggregation_deadlock_free: t.Optional[bool]  # Whether the routes are deadlock-free with packets of aggregation nodes too; no fault if not
    source: t.Optional[str] = None  # Source of a pair that does not arrive
    dest: t.Optional[str] = None  # Its destination


@dataclass
class CheckUnanswered(Object):
    """``unanswered`` of :class:`Check`."""

    entries: int  # Entries that are missing
    switch: t.Optional[str] = None  # A switch that lacks one
    dest: t.Optional[str] = None  # The endpoint that it cannot answer


@dataclass
class CheckadaptiveChoice(Object):
    """``choice`` of :class:`CheckAdaptive`."""

    source: str  # Source
    dest: str  # Destination
    channel: str  # The node and port that is chosen
    to: str  # The node that it leads to


@dataclass
class CheckAdaptive(Object):
    """``adaptive`` of :class:`Check`."""

    groups: int  # Groups of ports
    entries: int  # Entries with a choice
    pairs: int  # Pairs with a choice
    unreachable: int  # Pairs that some choice leaves without a path
    loops: int  # Pairs that some choice lets loop
    nonminimal: int  # Pairs that some choice leads a longer path
    max_hops: int  # Channels on the longest path
    deadlock_free: t.Optional[bool]  # Whether every choice is deadlock-free
    choice: t.Optional[CheckadaptiveChoice] = None  # A choice that goes wrong


@dataclass
class CheckIbdmchk(Object):
    """``ibdmchk`` of :class:`Check`."""

    connected: t.Optional[bool]  # Whether all pairs are connected
    deadlock_free: t.Optional[bool]  # Whether the routes are deadlock-free
    said: str  # Its last words


@dataclass
class CheckTiming(Object):
    """``timing`` of :class:`Check`."""

    setup: float  # Distances
    reach: float  # Path walks
    deps: float  # Dependencies
    acyclic: float  # Cycle search


@dataclass
class Check(Document):
    """What 'heddle check --json' prints."""

    net: str  # The network, as a spec or file name
    table: str  # The table
    components: int  # Connected components that have endpoints
    separated: int  # Ordered pairs of endpoints of different components, which no routes can connect
    pairs: int  # Ordered pairs of endpoints of one component, times the path variants that a pair uses
    unreachable: int  # Pairs without a path
    loops: int  # Pairs whose path loops
    nonminimal: int  # Pairs whose path is longer than the shortest one
    max_hops: int  # Channels on the longest path
    avg_hops: t.Optional[float]  # Channels on a path, mean
    unused: int  # Channels that no pair uses
    deadlock_free: t.Optional[bool]  # Whether the routes are proved deadlock-free; null if VLs are not known
    lanes: t.Optional[int]  # VLs in use; null if that is not known
    any_level: bool  # Whether the proof is by SL2VL tables, for any service levels of pairs
    cycle: t.List[CheckCycle]  # Channels of a credit loop, each waits for the next; at most 64
    unserved: t.List[CheckUnserved]  # Pairs without a path, sources by switch
    other_endpoints: CheckOtherEndpoints  # Endpoints that are not selected: storage, management, routers, aggregation nodes
    further_lids: Lids  # Further LIDs of endpoints, by which no pair is routed
    switch_lids: Lids  # LIDs of switches
    unproved_groups: int  # 0: choices of ports are proved for further LIDs and LIDs of switches too
    unanswered: CheckUnanswered  # Endpoints that switches without endpoints have no entry for; no fault
    adaptive: t.Optional[CheckAdaptive] = None  # Adaptive routing: what holds for every choice of ports
    ibdmchk: t.Optional[CheckIbdmchk] = None  # What ibdmchk reports, see --with-ibdmchk
    timing: t.Optional[CheckTiming] = None  # Seconds per phase, see --timing


@dataclass
class Diff(Document):
    """What 'heddle diff --json' prints."""

    net: str  # The network, as a spec or file name
    from_: str  # One table
    to: str  # The other
    identical: t.Optional[bool]  # Whether they are the same; null if groups, LIDs of switches or VLs were left out
    entries: int  # Entries
    entries_changed: int  # Entries that change
    blocks: int  # Blocks of 64 entries
    blocks_changed: int  # Blocks with a change
    switches: int  # Switches
    switches_changed: int  # Switches with a change
    pairs: int  # Pairs
    pairs_changed: int  # Pairs whose path changes
    lanes_changed: int  # Pairs whose VL or service level changes
    other_pairs: int  # Pairs with endpoints that are not selected: storage, management, routers
    other_pairs_changed: int  # Of them: those whose path changes
    other_lanes_changed: int  # Of them: those whose VL changes
    sl2vl_changed: bool  # Whether SL2VL tables of ports differ
    switch_lids: str  # Which tables list LIDs of switches; they are compared if both do
    lanes_known: str  # Of which tables VLs are known; they are compared if those of both are
    lids_changed: int  # Nodes with different base LIDs in two files
    _renamed = {"from_": "from"}


@dataclass
class WatchRows(Object):
    """``rows`` of :class:`Watch`."""

    file: str  # The file
    kind: str  # What the row is
    switches_lost: int  # Switches lost
    switches_new: int  # New switches
    endpoints_lost: int  # Endpoints lost
    endpoints_new: int  # New endpoints
    endpoints_moved: int  # Endpoints at another switch or port
    cables_lost: int  # Cables between switches lost
    cables_new: int  # New ones
    rates_changed: int  # Cables whose rate changed
    lids_changed: int  # Nodes whose LID changed
    first: t.Optional[str]  # The first change, in words
    names: t.Optional[str]  # What changed by name, eight things at most
    time: t.Optional[int] = None  # Sweep: seconds since 1970
    tables: t.Optional[bool] = None  # Sweep: whether it ended with proved tables
    engine: t.Optional[str] = None  # Sweep: the engine
    patched: t.Optional[bool] = None  # Sweep: whether the tables in use were patched
    kept: t.Optional[bool] = None  # Sweep: whether the tables in use were kept
    failed: t.Optional[str] = None  # Sweep: why there are no tables
    lanes: t.Optional[int] = None  # Sweep: VLs in use
    pairs: t.Optional[int] = None  # Sweep: pairs that were proved
    entries_changed: t.Optional[int] = None  # Sweep: entries that changed
    blocks_changed: t.Optional[int] = None  # Sweep: blocks with a change
    switches_changed: t.Optional[int] = None  # Sweep: switches with a change
    ebb: t.Optional[float] = None  # Sweep: EBB
    seconds: t.Optional[float] = None  # Sweep: time that it took
    switches: t.Optional[int] = None  # Capture: switches
    endpoints: t.Optional[int] = None  # Capture: endpoints


@dataclass
class Watch(Document):
    """What 'heddle watch --json' prints."""

    rows: t.List[WatchRows]  # One per capture or sweep


@dataclass
class Transition(Document):
    """What 'heddle transition --json' prints."""

    net: str  # The network, as a spec or file name
    from_: str  # The old table
    to: str  # The new table
    verdict: str  # Whether and how the change is safe
    steps: int  # Steps
    other_lids_loop: int  # LIDs of which some mixture loops: further ones where unproved, else of switches
    other_lids_unproved: int  # Those whose entries change: their drops and credit loops are not searched for
    other_lids_cut: int  # Of them: those that the new table itself cuts; the change is then unproved
    drain: t.List[str]  # Destinations that must receive nothing meanwhile
    changed: int  # LIDs whose row changes
    pairs: int  # Pairs of endpoints that the proof is about
    vls_changed: int  # Those whose VL, service level or LID changes
    loops: int  # LIDs with which mixtures can loop
    drops: int  # LIDs with which mixtures can drop packets
    credit_loops: int  # VLs with credit loops in mixtures
    old_levels: bool  # Whether connections that keep their old service level are covered
    aggregation_covered: bool  # Whether packets of aggregation nodes are proved like all others
    method: str  # How the order of updates was found
    without: t.Optional[str] = None  # What is taken out, see --without
    steps_back: t.Optional[int] = None  # Steps to bring it back
    old_levels_back: t.Optional[bool] = None  # The same on return
    _renamed = {"from_": "from"}


@dataclass
class EvalrowsSplit(Object):
    """``split`` of :class:`EvalRows`."""

    even: t.Optional[float]  # With even splits; null if the choices of no flow end
    best: t.Optional[float]  # With the best splits that were found
    bound: t.Optional[float]  # What no splits exceed
    samples: int  # Samples of the three


@dataclass
class EvalrowsSimulated(Object):
    """``simulated`` of :class:`EvalRows`."""

    value: t.Optional[float]  # Mean share of a flow; null if packets deadlock
    ci: t.Optional[float]  # Full width of its 99 % confidence interval
    runs: int  # Runs
    choosing: str  # How switches choose among the ports of a group: packet (Free LIDs), bounded, hash (HBF) or mixed
    dropped: int  # Packets that came to a switch without a port for them
    model: str  # The model, as sim --model takes it


@dataclass
class EvalrowsTiming(Object):
    """``timing`` of :class:`EvalRows`."""

    route_seconds: float  # Time to route
    eval_seconds: float  # Time to evaluate


@dataclass
class EvalRows(Object):
    """``rows`` of :class:`Eval`."""

    net: str  # The network, as a spec or file name
    table: str  # The table
    pattern: t.Optional[str]  # The pattern; null if the metric takes none
    metric: t.Optional[str]  # The metric; null if the engine does not apply
    value: t.Optional[float]  # The figure, a mean over samples or stages; null if there is none
    note: t.Optional[str]  # A remark, or why the engine does not apply
    ci: t.Optional[float] = None  # Full width of its 99 % confidence interval
    min: t.Optional[float] = None  # Lowest sample
    p5: t.Optional[float] = None  # 5th percentile
    median: t.Optional[float] = None  # Median
    p95: t.Optional[float] = None  # 95th percentile
    max: t.Optional[float] = None  # Highest sample
    ratio: t.Optional[float] = None  # Value by that of the first table
    samples: t.Optional[int] = None  # Samples
    unserved: t.Optional[int] = None  # Flows without a path, which count as 0
    bound: t.Optional[float] = None  # What no tables can beat
    bound_name: t.Optional[str] = None  # Which bound that is
    fluid: t.Optional[float] = None  # Adaptive routing: the figure if every switch splits flows evenly over its ports
    fluid_samples: t.Optional[int] = None  # Samples of it
    split: t.Optional[EvalrowsSplit] = None  # Adaptive routing: what all flows get at once, as a share of what one gets alone
    simulated: t.Optional[EvalrowsSimulated] = None  # Adaptive routing: packet by packet, each switch by its queues
    timing: t.Optional[EvalrowsTiming] = None  # See --timing


@dataclass
class Eval(Document):
    """What 'heddle eval --json' prints."""

    rows: t.List[EvalRows]  # One per network, table, pattern and metric


@dataclass
class PaperRows(Object):
    """``rows`` of :class:`Paper`."""

    paper: str  # The paper
    item: str  # Table, figure or section of it
    case: str  # The case
    quantity: str  # The quantity
    relation: str  # How ours should compare: =, at least, at most
    published: t.Optional[float]  # The published value; null if there is none
    ours: t.Optional[float]  # The computed value
    tolerance: t.Optional[float]  # How far apart they may be
    ok: bool  # Whether they agree
    known: t.Optional[str]  # Why a row is known not to agree


@dataclass
class PaperTiming(Object):
    """``timing`` of :class:`Paper`."""

    seconds: float  # Time that all took


@dataclass
class Paper(Document):
    """What 'heddle paper --json' prints."""

    rows: t.List[PaperRows]  # One per published or claimed figure
    ok: int  # Rows that agree
    known: int  # Rows known not to agree
    unexpected: int  # Rows that should agree and do not
    shown: int  # Rows without a published value
    papers: PaperCounts  # The papers
    own: PaperCounts  # The claims of heddle itself
    timing: t.Optional[PaperTiming] = None  # See --timing


@dataclass
class SimrowsTiming(Object):
    """``timing`` of :class:`SimRows`."""

    route_seconds: float  # Time to route
    sim_seconds: float  # Time to simulate
    packets_per_second: t.Optional[float]  # Packets per second of it
    events_per_second: t.Optional[float]  # Events per second of it


@dataclass
class SimRows(Object):
    """``rows`` of :class:`Sim`."""

    net: str  # The network, as a spec or file name
    table: str  # The table
    pattern: t.Optional[str]  # The pattern; null for a trace
    selector: str  # The selector
    model: str  # The model
    parameters: str  # Its parameters, in full
    fraction: t.Optional[float]  # Share of what a sender gets alone: mean over senders and runs
    min: t.Optional[float]  # Lowest run
    max: t.Optional[float]  # Highest run
    sender_min: t.Optional[float]  # Lowest sender
    sender_max: t.Optional[float]  # Highest sender
    fairness: t.Optional[float]  # How even the senders are, 1: all equal
    ceiling_MBps: t.Optional[float]  # What a sender gets alone, in MB/s
    bandwidth_MBps: t.Optional[float]  # What a sender gets, in MB/s
    time_ns: t.Optional[float]  # Completion time, mean over runs
    predicted_ns: t.Optional[float]  # The same from bytes alone: busiest channel, distance, pauses of hosts
    settled_ns: t.Optional[float]  # When senders have settled
    settled_bytes: t.Optional[float]  # Bytes sent by then
    samples: int  # Runs
    packets: int  # Packets
    events: int  # Events
    bytes: int  # Bytes
    reordered: int  # Packets that arrived out of order
    dropped: int  # Packets that were dropped
    unserved: int  # Flows without a path, which count as 0
    changes: int  # Changes of route
    probes: int  # Probes
    latency_min: int  # Latency of a packet in ns, lowest
    latency_p50: int  # Median
    latency_p95: int  # 95th percentile
    latency_p99: int  # 99th percentile
    latency_max: int  # Highest
    time_max_ns: int  # Completion time of the slowest run
    ci: t.Optional[float]  # Full width of the 99 % confidence interval of fraction
    bandwidth_Gbps: t.Optional[float]  # What a sender gets, in Gbit/s
    latency_mean: t.Optional[float]  # Latency of a packet in ns, mean
    deadlocks: int  # Runs that ended in a deadlock
    cycle: t.Optional[t.List[Channel]]  # Channels that wait for each other; null if there was no deadlock
    cycle_lane: t.Optional[int] = None  # VL of the deadlock
    timing: t.Optional[SimrowsTiming] = None  # See --timing


@dataclass
class Sim(Document):
    """What 'heddle sim --json' prints."""

    rows: t.List[SimRows]  # One per simulation


@dataclass
class OrderBound(Object):
    """``bound`` of :class:`Order`."""

    ring: t.Optional[float]  # Ring
    alltoall: t.Optional[float]  # All-to-all by shifts
    recdbl: t.Optional[float]  # Recursive doubling
    recdbl_tree: t.Optional[float]  # Recursive doubling along the tree
    binomial: t.Optional[float]  # Binomial tree
    _renamed = {"recdbl_tree": "recdbl-tree"}


@dataclass
class OrderVerdict(Object):
    """``verdict`` of :class:`Order`."""

    ebb: t.Optional[float]  # Effective bisection bandwidth of the job's own endpoints, share of a port's rate, in any order; null for one
    ebb_samples: int  # Random bisections of them
    use: bool  # It gains for the goal, or was requested by name
    written: t.Optional[str]  # Which of the two the file of -o has
    ring: OrderGain  # Ring
    alltoall: OrderGain  # All-to-all by shifts
    recdbl: OrderGain  # Recursive doubling
    recdbl_tree: OrderGain  # Recursive doubling along the tree
    binomial: OrderGain  # Binomial tree
    _renamed = {"recdbl_tree": "recdbl-tree"}


@dataclass
class OrderSchedule(Object):
    """``schedule`` of :class:`Order`."""

    how: str  # How it was made
    stages: int  # Stages
    hsd: t.Optional[float]  # Largest hot-spot degree of a stage
    bound: t.Optional[int] = None  # Stages that no schedule can do without
    effective: t.Optional[float] = None  # Stages by those without contention


@dataclass
class OrderChosen(Object):
    """``chosen`` of :class:`Order`."""

    why: str  # Why these
    slots: int  # Leaf slots that they come from
    effective: t.Optional[float]  # Effective hot-spot degree


@dataclass
class OrderShared(Object):
    """``shared`` of :class:`Order`."""

    job: str  # The other job
    channels: int  # Channels that both use
    isolated: bool  # Whether there are none
    from_: t.Optional[str] = None  # Where the one with most flows begins
    to: t.Optional[str] = None  # Where it ends
    _renamed = {"from_": "from"}


@dataclass
class OrderwithRows(Object):
    """``rows`` of :class:`OrderWith`."""

    job: str  # Its name
    nodes: int  # Its nodes
    channels: int  # Channels that both use
    slowdown_before: float  # Its slowdown without this job
    slowdown: float  # Its slowdown with this job
    from_: str  # Where the channel with most traffic of both begins
    port: int  # Its port there
    to: str  # Where it ends
    _renamed = {"from_": "from"}


@dataclass
class OrderwithPairs(Object):
    """``pairs`` of :class:`OrderWith`."""

    a: str  # Name of one
    b: str  # Name of the other
    channels: int  # Channels that both use
    from_: str  # Where the channel with most traffic of both begins
    port: int  # Its port there
    to: str  # Where it ends
    _renamed = {"from_": "from"}


@dataclass
class OrderWith(Object):
    """``with`` of :class:`Order`."""

    jobs: int  # How many there are
    shares: int  # Those that share channels with this one
    isolation: float  # 1 by the slowdown: 1 if no channel of this job is busier with them
    slowdown: float  # Load of this job's busiest channel with them by that without
    rows: t.List[OrderwithRows]  # Jobs that share channels with this one, most first
    pairs: t.List[OrderwithPairs]  # Pairs of running jobs that share channels, most first


@dataclass
class OrderMesh(Object):
    """``mesh`` of :class:`Order`."""

    mesh: str  # Sizes of its groups
    per_node: int  # Ranks of a node
    gbps: t.Optional[float]  # Rate of an adapter, Gbit/s; 0 if it is not known
    flows: int  # Flows between nodes
    rows: t.List[MeshTimes]  # The order found, then those it is compared with
    bound: MeshTimes  # What no order can beat


@dataclass
class Order(Document):
    """What 'heddle order --json' prints."""

    net: str  # The network, as a spec or file name
    table: str  # The table
    hosts: t.List[str]  # Nodes in the order of their ranks
    nodes: int  # Nodes of the job
    left_out: int  # Hosts that are not in the job
    rails: int  # Rails
    ranks: int  # Ranks
    counted: str  # Whose patterns were counted
    before: OrderFigures  # The order that is compared with
    after: OrderFigures  # The new order
    bound: OrderBound  # What no order or schedule can beat with these tables
    exact: bool  # Whether a closed form holds
    claim: t.Optional[str]  # What is proved, or the leaf that breaks it
    verdict: OrderVerdict  # Whether to use the new order
    schedule: t.Optional[OrderSchedule] = None  # The schedule of an all-to-all, see --schedule
    chosen: t.Optional[OrderChosen] = None  # The nodes that --choose took
    shared: t.Optional[t.List[OrderShared]] = None  # What this job shares with others, see --also
    with_: t.Optional[OrderWith] = None  # Running jobs, see --with
    renumbered: t.Optional[float] = None  # Hot-spot degree of an all-to-all with tables renumbered for the job
    mesh: t.Optional[OrderMesh] = None  # One step of a training job, see --mesh
    _renamed = {"with_": "with"}


@dataclass
class MeasureRounds(Object):
    """``rounds`` of :class:`Measure`."""

    average: t.Optional[float]  # MB/s of a pair, mean
    min: t.Optional[float]  # Lowest
    max: t.Optional[float]  # Highest
    pairs: t.List[t.List[t.Optional[float]]]  # Per pair: rank that sends, rank that receives, MB/s, predicted share


@dataclass
class MeasureSlowPairs(Object):
    """``slow_pairs`` of :class:`Measure`."""

    round: int  # Round
    from_: int  # Rank that sends
    from_host: str  # Its host
    to: int  # Rank that receives
    to_host: str  # Its host
    mbps: t.Optional[float]  # Measured MB/s
    expected: t.Optional[float]  # Predicted MB/s
    link_from: t.Optional[str]  # Where the slow channel on its path begins, if there is one
    link_port: t.Optional[int]  # Its port
    _renamed = {"from_": "from"}


@dataclass
class Measure(Document):
    """What 'heddle measure --json' prints."""

    pattern: str  # The pattern
    ranks: int  # Ranks
    messages: int  # Messages per round
    size: int  # Bytes of a message
    average: t.Optional[float]  # MB/s of a pair, mean of all rounds
    min: t.Optional[float]  # Lowest
    max: t.Optional[float]  # Highest
    correlation: t.Optional[float]  # Rank correlation of measured with predicted
    bus: t.Optional[float]  # Bus bandwidth of a ring or shift in MB/s per rank
    rounds: t.List[MeasureRounds]  # One per round
    slow_pairs: t.List[MeasureSlowPairs]  # Pairs slower than predicted
    slow: t.List[Channel]  # Cables with every pair over them slower than predicted


@dataclass
class DesignPrices(Object):
    """``prices`` of :class:`Design`."""

    currency: str  # Currency
    switch_port: float  # A switch, per port
    switch_port_watts: float  # Its power, per port
    copper: float  # A copper cable
    copper_metre: float  # Per metre of it
    copper_watts: float  # Its power, both ends
    copper_reach: float  # Its greatest length in metres
    optic: float  # A transceiver
    optic_watts: float  # Its power
    fibre: float  # A fibre
    fibre_metre: float  # Per metre of it


@dataclass
class DesignrowsCommands(Object):
    """``commands`` of :class:`DesignRows`."""

    ebb: t.Optional[str]  # EBB
    worst: t.Optional[str]  # The worst case
    ebb_lost: t.Optional[str]  # EBB after the loss of a switch


@dataclass
class DesignRows(Object):
    """``rows`` of :class:`Design`."""

    family: str  # What it is
    spec: str  # Its spec
    endpoints: int  # Endpoints
    switches: int  # Switches
    cables: int  # Cables
    switch_cables: int  # Cables between switches
    planes: int  # Number of planes, each a fabric of this spec
    copper: int  # Copper cables
    optical: int  # Optical cables
    optics: int  # Transceivers
    metres: t.Optional[float]  # Length of all cables
    longest: t.Optional[float]  # Length of the longest
    watts: t.Optional[float]  # Power
    cost: t.Optional[float]  # Cost
    table: t.Optional[str]  # The engine that was measured
    ebb: t.Optional[float]  # EBB
    ebb_ci: t.Optional[float]  # Full width of its 99 % confidence interval
    samples: int  # Samples
    worst: t.Optional[float]  # Flows on the busiest channel of the worst permutation
    lost: t.Optional[str]  # The switch that was lost, as --fail takes it
    lost_table: t.Optional[str]  # The engine that was measured then
    ebb_lost: t.Optional[float]  # EBB without it
    ebb_lost_ci: t.Optional[float]  # Full width of its 99 % confidence interval
    grows_to: int  # Endpoints that fit if switches are added and none is replaced
    lids: int  # LIDs in use
    one_subnet: bool  # Whether one subnet has as many
    pareto: bool  # Whether no design costs less and has more EBB
    commands: DesignrowsCommands  # The commands that repeat the figures


@dataclass
class Design(Document):
    """What 'heddle design --json' prints."""

    endpoints: int  # Wanted endpoints
    radix: int  # Ports of a switch
    rails: int  # Adapters per host
    prices: DesignPrices  # The prices, see --prices
    rows: t.List[DesignRows]  # One per design, by cost
    notes: t.List[str]  # Remarks


@dataclass
class CablesRenamed(Object):
    """``renamed`` of :class:`Cables`."""

    planned: str  # The planned name
    found: str  # The name found
    guid: str  # The GUID of both


@dataclass
class Cables(Document):
    """What 'heddle cables --json' prints."""

    planned: int  # Planned cables
    found: int  # Cables found
    as_planned: int  # Cables found as planned
    inside_chassis: int  # Cables inside a chassis
    aggregation: int  # Cables of aggregation nodes
    missing: t.List[CablesFault]  # Neither end is found
    swapped: t.List[CablesFault]  # Two cables have exchanged their ends
    wrong: t.List[CablesFault]  # One end is found elsewhere
    extra: t.List[CablesFault]  # Cables that are not in the plan
    slow: t.List[CablesFault]  # Cables below the planned or usual rate
    dead: t.List[CablesFault]  # Devices that are not found
    renamed: t.List[CablesRenamed]  # Devices found under another name, by their GUIDs; no difference


@dataclass
class ExplainCauses(Object):
    """``causes`` of :class:`Explain`."""

    sick_link: int  # Errors, or slower than their kind
    receiver: int  # A host takes too little, or gets more than its cable carries
    routing: int  # One job alone overloads the link
    other_job: int  # Only several jobs together do, or none that is listed
    _renamed = {"sick_link": "sick-link", "other_job": "other-job"}


@dataclass
class ExplainLinks(Object):
    """``links`` of :class:`Explain`."""

    from_: Plug  # The end that sends
    to: Plug  # The other end
    cause: str  # Why it waits
    rate: float  # Gb/s that it carries
    sent: t.Optional[float]  # Gb/s sent
    received: t.Optional[float]  # Gb/s received at the other end
    lost: t.Optional[float]  # Gb/s lost while packets had to wait
    at_least: bool  # Whether lost is a lower bound
    load: float  # Predicted mean load, as a multiple of what it carries
    peak: float  # Predicted largest load
    errors: int  # Errors at both ends
    why: str  # The cause in words
    at: t.Optional[Cable]  # Where the cause lies; null if it is this link
    _renamed = {"from_": "from"}


@dataclass
class Explain(Document):
    """What 'heddle explain --json' prints."""

    net: str  # The network, as a spec or file name
    table: str  # Engine spec or file
    seconds: float  # Time between the samples
    ports: int  # Cabled ports of the network
    in_both: int  # Ports with counters in both samples
    reset: int  # Ports with counters that fell
    stopped: int  # Ports with counters that have reached their largest value
    unknown_ports: int  # Ports of the second sample that have no cable in the network
    jobs: int  # Running jobs that are listed
    nodes: int  # Their nodes
    lost: float  # Gb/s that all links lost while packets had to wait
    causes: ExplainCauses  # Links by cause
    links: t.List[ExplainLinks]  # Links that lost 1 % of their rate, and sick ones: by cause, then by loss


@dataclass
class List(Document):
    """What 'heddle list --json' prints."""

    topology: t.Optional[t.List[Name]] = None  # Topologies
    engine: t.Optional[t.List[Name]] = None  # Engines
    pattern: t.Optional[t.List[Name]] = None  # Patterns
    metric: t.Optional[t.List[Name]] = None  # Metrics
    selector: t.Optional[t.List[Name]] = None  # Selectors
    model: t.Optional[t.List[Name]] = None  # Models
    chart: t.Optional[t.List[Name]] = None  # Charts
    paper: t.Optional[t.List[Name]] = None  # Papers


@dataclass
class HelpcommandOptions(Object):
    """``options`` of :class:`HelpCommand`."""

    name: str  # Without the dashes
    letter: t.Optional[str]  # Short form
    value: t.Optional[str]  # What help calls its value; null for a flag
    doc: str  # What it does


@dataclass
class HelpCommand(Object):
    """``command`` of :class:`Help`."""

    name: str  # Its name
    args: str  # Its arguments
    summary: str  # One line on it
    text: t.Optional[str]  # Explanation
    options: t.List[HelpcommandOptions]  # Its options
    examples: t.List[str]  # Examples


@dataclass
class HelpWord(Object):
    """``word`` of :class:`Help`."""

    name: str  # The term, with its abbreviation
    text: str  # What it means


@dataclass
class Help(Document):
    """What 'heddle help --json' prints."""

    command: t.Optional[t.List[HelpCommand]] = None  # Commands
    topology: t.Optional[t.List[Name]] = None  # Topologies
    engine: t.Optional[t.List[Name]] = None  # Engines
    pattern: t.Optional[t.List[Name]] = None  # Patterns
    metric: t.Optional[t.List[Name]] = None  # Metrics
    selector: t.Optional[t.List[Name]] = None  # Selectors
    model: t.Optional[t.List[Name]] = None  # Models
    chart: t.Optional[t.List[Name]] = None  # Charts
    paper: t.Optional[t.List[Name]] = None  # Papers
    word: t.Optional[HelpWord] = None  # The entry of the glossary


@dataclass
class SchemaNames(Object):
    """``names`` of :class:`Schema`."""

    name: str  # Its name
    summary: str  # What it describes


@dataclass
class Schema(Document):
    """What 'heddle schema --json' prints."""

    names: t.List[SchemaNames]  # What has a schema


@dataclass
class Version(Document):
    """What 'heddle version --json' prints."""

    version: str  # The version


@dataclass
class NetworkgraphShape(Object):
    """``shape`` of :class:`NetworkGraph`."""

    kind: str  # What it is
    p: t.List[int]  # Parallel cables
    missing: int  # Missing cables
    m: t.Optional[t.List[int]] = None  # Tree: children per level
    extent: t.Optional[t.List[int]] = None  # Grid: extent per dimension
    w: t.Optional[t.List[int]] = None  # Tree: parents per level
    wrap: t.Optional[t.List[str]] = None  # Grid: how a dimension is connected


@dataclass
class NetworkGraph(Object):
    """``graph`` of :class:`Network`."""

    spec: str  # The network, as a spec or file name
    switches: int  # Switches
    endpoints: int  # Endpoints
    selected: int  # Endpoints that traffic is restricted to
    cables: int  # Cables
    adapters: int  # Adapters
    hosts: int  # Hosts
    rails: int  # Rails
    lmc: int  # Largest LMC of an endpoint: it has 2^lmc LIDs
    shape: t.Optional[NetworkgraphShape]  # Its structure; null if it has none


@dataclass
class NetworkNodes(Object):
    """``nodes`` of :class:`Network`."""

    id: int  # Its number
    kind: str  # What it is
    name: str  # Its name
    level: t.Optional[int]  # Its level
    guid: t.Optional[str]  # Its GUID
    system: t.Optional[str]  # Its system image GUID
    lid: t.Optional[int]  # Its LID
    ports: int  # Its ports
    coord: t.Optional[t.List[int]] = None  # Its place in the structure
    port: t.Optional[int] = None  # Endpoint: port of its adapter
    adapter: t.Optional[int] = None  # Endpoint: number of its adapter
    adapter_guid: t.Optional[str] = None  # Endpoint: GUID of its adapter
    host: t.Optional[str] = None  # Endpoint: its host
    rail: t.Optional[int] = None  # Endpoint: its rail
    selected: t.Optional[bool] = None  # Endpoint: whether it takes part in traffic


@dataclass
class NetworkLinks(Object):
    """``links`` of :class:`Network`."""

    source: int  # Number of one end
    target: int  # Number of the other end
    key: int  # Number among the cables between these two
    source_port: int  # Port of one end
    target_port: int  # Port of the other end
    rate: t.Optional[str]  # Width and rate
    mbps: t.Optional[int]  # Rate in Mbit/s


@dataclass
class Network(Document):
    """What 'heddle topo --format json' writes."""

    directed: bool  # False: a cable has no direction
    multigraph: bool  # True: there may be several cables between two nodes
    graph: NetworkGraph  # The network as a whole
    nodes: t.List[NetworkNodes]  # Switches first, then endpoints
    links: t.List[NetworkLinks]  # Cables


@dataclass
class SweepChange(Object):
    """``change`` of :class:`Sweep`."""

    switches_lost: int  # Switches lost
    switches_new: int  # New switches
    endpoints_lost: int  # Endpoints lost
    endpoints_new: int  # New endpoints
    endpoints_moved: int  # Endpoints at another switch or port
    cables_lost: int  # Cables between switches lost
    cables_new: int  # New ones
    rates_changed: int  # Cables whose rate changed
    lids_changed: int  # Nodes whose LID changed
    first: t.Optional[str]  # The first change, in words
    names: t.Optional[str]  # What changed by name, eight things at most


@dataclass
class Sweep(Document):
    """A line of the log of the plug-in for OpenSM."""

    time: int  # Seconds since 1970
    sweep: int  # Requests since the worker process started
    tables: bool  # Whether it ended with proved tables
    engine: t.Optional[str]  # The engine
    patched: bool  # Whether the tables in use were patched
    kept: bool  # Whether the tables in use were kept
    more: bool  # Whether it is a step and more follows
    failed: t.Optional[str]  # Why there are no tables, or why an engine was not used
    switches: int  # Switches
    endpoints: int  # Endpoints
    change: SweepChange  # What changed since the request before
    lanes: int  # VLs in use
    pairs: int  # Pairs that were proved
    entries_missing: int  # Entries for endpoints that switches without endpoints lack
    search_cut: bool  # Whether the search for such entries was cut short
    switch_credit_loops: bool  # Whether paths from or to switches may close a credit loop
    entries_changed: int  # Entries that change
    blocks_changed: int  # Blocks with a change
    switches_changed: int  # Switches with a change
    mixing: t.Optional[str]  # Whether mixtures of old and new entries are safe
    mixing_loops: int  # Destinations that may loop meanwhile
    mixing_drops: int  # Destinations that may be dropped meanwhile
    mixing_credit_loops: int  # VLs with credit loops meanwhile
    ebb: t.Optional[float]  # EBB
    ebb_before: t.Optional[float]  # EBB before
    route_seconds: float  # Time to route
    check_seconds: float  # Time to check
    seconds: float  # Time in all


DOCUMENTS: t.Dict[str, t.Type[Document]] = {
    "advise": Advise,
    "topo": Topo,
    "route": Route,
    "check": Check,
    "diff": Diff,
    "watch": Watch,
    "transition": Transition,
    "eval": Eval,
    "paper": Paper,
    "sim": Sim,
    "order": Order,
    "measure": Measure,
    "design": Design,
    "cables": Cables,
    "explain": Explain,
    "list": List,
    "help": Help,
    "schema": Schema,
    "version": Version,
    "network": Network,
    "sweep": Sweep,
}


def read(name: str, text: t.Union[str, bytes, t.Dict[str, t.Any]]) -> t.Any:
    """The object that a command printed, from its text or from what ``json.loads`` made of it.

    >>> read("version", '{"schema": 1, "version": "0.1.0"}').version
    '0.1.0'
    """
    if name not in DOCUMENTS:
        raise ValueError(f"no schema is called {name!r}: expected one of {', '.join(DOCUMENTS)}")
    return DOCUMENTS[name].read(text)
