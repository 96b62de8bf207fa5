# SPDX-License-Identifier: BSD-2-Clause
"""schema.py HEDDLE FOLDER: 'heddle schema' against what is printed. Prints TAP.
schema.py HEDDLE --recorded FOLDER: objects of other tests, as tests/golden/record keeps them.
schema.py HEDDLE --accept: adds the keys that are new to the list of those that must stay.

Users' schemas let objects have further keys. Here they do not: a key without a row, and a row that no object shows, are
mistakes."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path


HEDDLE, MODE, TMP = os.path.abspath(sys.argv[1]), sys.argv[2], Path(sys.argv[-1])
ROWS = Path("tests/golden/schema-1.txt")
# Keys that no command of this test prints: they need other programs, or a fault that other tests make.
ELSEWHERE = {
    "measure": "golden/parallel", "sweep": "ib/plugin", "check ibdmchk": "ib/ibdm", "transition drain[]": "prop_transition",
    "topo planes": "golden/planes", "topo cabling.wrong[]": "golden/cabling", "topo cabling.extra[]": "golden/cabling",
    "topo @cabling_fault.expected": "golden/cabling",
}  # fmt: skip
count = 0


def report(name, *faults):
    global count
    count += 1
    print(f"{'not ok' if faults else 'ok'} {count} - {name}")
    for fault in faults[:60]:
        print(f"#   {fault}")


def output(*args, most=1):
    """What the command prints; None where it refuses a degenerate fabric, if that is expected."""
    done = subprocess.run([HEDDLE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=TMP if TMP.is_dir() else None, check=False)
    if done.returncode == 3 and most == 3:
        return None
    if done.returncode > most:
        raise SystemExit(f"{' '.join(args)}: exit status {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def names():
    return [row["name"] for row in json.loads(output("schema", "--json"))["names"]]


def strict(schema):
    """The schema with which an unknown key is an error."""
    if isinstance(schema, list):
        return [strict(x) for x in schema]
    if not isinstance(schema, dict):
        return schema
    new = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "required" in schema:
        new["additionalProperties"] = False
    return new


class Schema:
    def __init__(self, name):
        self.name = name
        self.schema = json.loads(output("schema", name))
        if MODE == "--accept":
            return
        import jsonschema  # pylint: disable=import-outside-toplevel

        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.open = jsonschema.Draft202012Validator(self.schema)
        self.strict = jsonschema.Draft202012Validator(strict(self.schema))
        self.seen = set()

    def faults(self, value):
        return [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in self.strict.iter_errors(value)]

    def rows(self, schema=None, path=""):
        """Path, whether it may be absent, and type of every value; parts begin with @ and are listed once."""
        if schema is None:
            for part, value in self.schema.get("$defs", {}).items():
                yield from self.rows(value, "@" + part)
        schema = schema or self.schema
        for key, value in schema["properties"].items():
            yield from self.row(value, f"{path}.{key}".lstrip("."), "" if key in schema["required"] else "?")

    def row(self, value, path, marks=""):
        kinds, deeper = [], []
        for option in value.get("anyOf", [value]):
            kind = option.get("type", option.get("enum", option.get("const", option.get("$ref"))))
            kinds += kind if isinstance(kind, list) else [kind]
            if "items" in option:
                deeper += self.row(option["items"], path + "[]")
            elif isinstance(option.get("additionalProperties"), dict):
                deeper += self.row(option["additionalProperties"], path + "{}")
            elif "properties" in option:
                deeper += self.rows(option, path)
        yield path, marks, "|".join(str(k).replace("#/$defs/", "@") for k in kinds)
        yield from deeper

    def see(self, value, schema=None, path=""):
        """Remembers the paths that an object has."""
        self.seen.add(path)
        schema = schema or self.schema
        for option in schema.get("anyOf", [schema]):
            if "$ref" in option:
                part = option["$ref"].split("/")[-1]
                option, path = self.schema["$defs"][part], "@" + part
            if isinstance(value, list) and "items" in option:
                for x in value:
                    self.see(x, option["items"], path + "[]")
            elif isinstance(value, dict) and isinstance(option.get("additionalProperties"), dict):
                for x in value.values():
                    self.see(x, option["additionalProperties"], path + "{}")
            elif isinstance(value, dict):
                for key, x in value.items():
                    if key in option.get("properties", {}):
                        self.see(x, option["properties"][key], f"{path}.{key}".lstrip("."))


def inputs():
    """Fabrics and tables that show what intact ones do not."""
    (TMP / "captures").mkdir()
    (TMP / "log").mkdir()
    output("topo", "ft:m=4,n=2", "-o", "ft.ibnet")
    (TMP / "storage.ibnet").write_text((TMP / "ft.ibnet").read_text().replace("node-00002", "oss-00002"))
    output("topo", "ft:m=4,n=2", "--format", "ptp", "-o", "plan.csv")
    output("topo", "ft:m=4,n=2", "-o", "captures/a.ibnet")
    output("topo", "ft:m=4,n=2", "--fail", "links=1,switches=1", "-o", "captures/b.ibnet")
    output("route", "ft:m=4,n=2", "dmodk", "--lmc", "1", "-o", "further.lft")
    output("route", "torus:dims=3x3,hosts=1", "lash", "-o", "torus.lft")
    # Cables of the plan in other places: missing, swapped, wrong, extra, a device that is not there.
    plan = (TMP / "plan.csv").read_text().splitlines()
    (TMP / "jobs").write_text("1 node-0000[1,3]\n2 node-0000[0,2,5]\n")
    (TMP / "wrong.csv").write_text("\n".join(swapped(plan)) + "\n")
    output("route", "ft.ibnet", "ar_ftree", "--format", "far", "-o", "right.far")
    (TMP / "errors1").write_text("## Summary: 14 nodes checked, 0 bad nodes found\n## Suppressed:\n")
    (TMP / "errors2").write_text("   GUID 0x200000000100000 port 3: [PortXmitWait == 195312500] [PortXmitData == 4096]\n"
                                 "   GUID 0x200000000100004 port 3: [PortXmitWait == 195312500]\n"
                                 "   GUID 0x200000000100001 port 3: [SymbolErrorCounter == 500]\n")
    far = (TMP / "right.far").read_text()
    (TMP / "wrong.far").write_text(re.sub(r"^1 .*", "1 0 0 1,2,3,4,", far, count=1, flags=re.M))
    table = (TMP / "further.lft").read_text().splitlines(keepends=True)
    (TMP / "cut.lft").write_text("".join(line for i, line in enumerate(table) if line.startswith("#") or i % 9 != 5))
    sweep = {"schema": 1, "time": 1, "sweep": 1, "tables": True, "engine": "settle", "patched": False, "kept": False,
             "more": False, "failed": None, "switches": 6, "endpoints": 8, "change": {
                 "switches_lost": 0, "switches_new": 6, "endpoints_lost": 0, "endpoints_new": 8, "endpoints_moved": 0,
                 "cables_lost": 0, "cables_new": 8, "rates_changed": 0, "lids_changed": 0, "first": None, "names": None},
             "lanes": 1, "pairs": 56, "entries_missing": 0, "search_cut": False, "switch_credit_loops": False, "entries_changed": 48, "blocks_changed": 6,
             "switches_changed": 6, "mixing": None, "mixing_loops": 0, "mixing_drops": 0, "mixing_credit_loops": 0, "ebb": 0.9, "ebb_before": None,
             "route_seconds": 0.001, "check_seconds": 0.001, "seconds": 0.003}  # fmt: skip
    (TMP / "log/sweeps.jsonl").write_text(json.dumps(sweep) + "\n")


def swapped(plan):
    """A plan with the far ends of two cables exchanged, another end moved, a cable lost, and one to an unknown device."""
    rows = [line.split(",") for line in plan]
    upper = [row for row in rows if row[2].startswith("L2-")]
    upper[0][2:4], upper[2][2:4] = upper[2][2:4], upper[0][2:4]
    upper[4][3] = "9"
    rows.remove(upper[5])
    rows.append([upper[6][0], "9", "X2-0001", *upper[6][3:]])
    return [",".join(row) for row in rows]


NETS = [
    "ft:m=4,n=2", "ft:m=2,n=1", "torus:dims=3x3,hosts=1", "random:switches=5,ports=8,hosts=3,seed=1",
    "rail:rails=2,units=2,leaves=1,hosts=2,spines=2,uplinks=2", "dragonfly:p=1,a=2,h=1", "ft.ibnet", "captures/b.ibnet",
]  # fmt: skip
LOST = ["--fail", "links=3,switches=1,seed=3"]


def commands():
    for net in NETS:
        for more in ([], LOST, ["--fail", "links=3,seed=1", "--repair"]):
            yield ["topo", net, *more]
        yield ["check", net, "minhop"]
        yield ["check", net, "updown", *LOST]
        yield ["route", net, "psssp"]
        yield ["route", net, "updown", "--keep", "updown", *LOST]
        yield ["eval", net, "minhop", "ftree", "lash", "-n", "4"]
        yield ["eval", net, "minhop", "-n", "2", *LOST]
        yield ["diff", net, "minhop", "updown"]
        yield ["transition", net, "minhop", "updown"]
        yield ["order", net, "minhop"]
        yield ["cables", net, net]
        yield ["sim", net, "minhop", "-n", "1", "--messages", "2", "--size", "4KiB"]
    yield ["topo", "director:groups=4,leaves=6,hosts=2", "--fail", "switch=director-2/L3/U1"]
    yield ["topo", "swapped.ibnet"]
    yield ["topo", "slow.ibnet"]
    yield ["check", "ft:m=4,n=2", "dmodk", "--timing"]
    yield ["check", "torus:dims=6,hosts=1", "minhop"]
    yield ["check", "ft:m=4,n=2", "file:path=cut.lft,use=all", "--lmc", "1"]
    yield ["check", "torus:dims=3x3,hosts=1", "torus.lft"]
    yield ["check", "ft:m=4,n=2", "mlid"]
    yield ["check", "ft.ibnet", "ar_ftree"]
    yield ["check", "ft.ibnet", "wrong.far"]
    yield ["check", "storage.ibnet", "cut.lft"]
    yield ["eval", "ft.ibnet", "ar_ftree", "-n", "4"]
    for metric in ("hsd", "efi", "worst", "hops", "maxload"):
        yield ["eval", "ft:m=4,n=2", "minhop", "dor", "-p", "shift", "-m", metric, "--timing"]
    yield ["sim", "torus:dims=6,hosts=2", "minhop", "-p", "shift", "--model", "infiniband:lanes=1", "--timing"]
    yield ["transition", "mesh:dims=3x3,hosts=1", "dor", "updown"]
    yield ["transition", "ft:m=4,n=2", "dmodk", "--without", "switch=L2-0004"]
    yield ["transition", "torus:dims=6,hosts=1", "minhop", "updown"]
    yield ["diff", "ft:m=4,n=2", "dmodk", "dmodk"]
    yield ["watch", "captures"]
    yield ["watch", "log"]
    yield ["order", "ft:m=4,n=2", "--nodes", "node-[00000-00005]", "--schedule", "alltoall.txt", "--for", "alltoall"]
    yield ["order", "ft:m=4,n=2", "--choose", "4"]
    yield ["order", "ft:m=4,n=2", "-o", "rankfile"]
    yield ["order", "ft:m=4,n=2", "--nodes", "node-0000[4,6]", "--with", "jobs"]
    yield ["order", "ft:m=4,n=2", "--nodes", "node-0000[0-5]", "--also", "node-0000[6-7]", "--renumber", "index"]
    yield ["order", "ft:m=4,n=2", "--nodes", "node-0000[0,2,4,6]", "--also", "node-0000[1,3,5,7]"]
    yield ["order", "ft:m=4,n=2", "random", "--nodes", "node-0000[0,2,4]", "--also", "node-0000[1,3,5,7]"]
    yield ["order", "ft:m=4,n=2", "--nodes", "node-0000[0-5]", "--mesh", "pp=3,dp=2"]
    yield ["advise", "ft:m=4,n=2", "minhop", "-o", "advice"]
    yield ["advise", "captures/b.ibnet"]
    yield ["advise", "ft:m=2,n=1"]
    yield ["advise", "ft:m=4,n=2", "--fail", "links=1"]
    yield ["design", "--endpoints", "16", "--radix", "8"]
    yield ["design", "--endpoints", "12", "--radix", "6", "--rails", "2", "--racks", "endpoints=4"]
    yield ["explain", "ft.ibnet", "ftree", "--counters", "errors1,errors2", "--seconds", "10"]
    yield ["cables", "wrong.csv", "ft.ibnet"]
    yield ["cables", "plan.csv", "captures/b.ibnet"]
    yield ["cables", "ft.ibnet", "slow.ibnet"]
    yield ["cables", "ft.ibnet", "storage.ibnet"]
    yield ["paper", "nienaber2009-bounds", "--timing"]
    yield ["list"]
    yield ["list", "engine"]
    yield ["help"]
    yield ["help", "random"]
    yield ["help", "VL"]
    yield ["help", "topo"]
    yield ["schema"]
    yield ["version"]


def edited_fabrics():
    """Two cables that have exchanged their ends, and a slow one: by hand, in ibnetdiscover's format."""
    text = (TMP / "ft.ibnet").read_text()
    (TMP / "slow.ibnet").write_text(slow(text))
    (TMP / "swapped.ibnet").write_text(exchange(output("topo", "ft:m=8,n=2", "--format", "ibnet").decode()))


def slow(text):
    """The first cable between switches at half its width, at both ends."""
    lines = text.splitlines(keepends=True)
    cables = [i for i, line in enumerate(lines) if line.startswith("[") and '"S-' in line]
    node = next(lines[i] for i in range(cables[0], -1, -1) if lines[i].startswith("Switch")).split('"')[1]
    far, near = lines[cables[0]].split('"')[1], node
    done = 0
    current = ""
    for i, line in enumerate(lines):
        if line.startswith(("Switch", "Ca")):
            current = line.split('"')[1]
        if line.startswith("[") and {current, line.split('"')[1]} == {near, far}:
            lines[i] = line.replace("4xEDR", "1xEDR")
            done += 1
    return "".join(lines) if done == 2 else exit_with("no cable between switches")


def exit_with(text):
    raise SystemExit(text)


def exchange(text):
    """Swaps the upper ends of a cable of the first leaf and one of the second."""
    blocks = [b.splitlines() for b in text.split("\n\n")]
    leaves = [b for b in blocks if any(x.startswith("Switch") and "L1-" in x for x in b)][:2]
    rows = [next(i for i, x in enumerate(b) if x.startswith("[") and "L2-" in x) + k for k, b in enumerate(leaves)]
    a, b = (leaf[i] for leaf, i in zip(leaves, rows))
    tails = [x.split("\t", 1)[1] for x in (a, b)]
    if tails[0] == tails[1]:
        exit_with("nothing to exchange")
    for leaf, i, tail in zip(leaves, rows, tails[::-1]):
        leaf[i] = leaf[i].split("\t", 1)[0] + "\t" + tail
    # The upper switches list the same cables: each of the two rows now leads to the other leaf.
    guid = [next(x for x in leaf if x.startswith("Switch")).split('"')[1] for leaf in leaves]
    port = [leaf[i][1 : leaf[i].index("]")] for leaf, i in zip(leaves, rows)]
    name = [next(x for x in leaf if x.startswith("Switch")).split("# ")[1].split('"')[1] for leaf in leaves]
    for block in blocks:
        if not any(x.startswith("Switch") and "L2-" in x for x in block):
            continue
        for i, x in enumerate(block):
            for k in (0, 1):
                if x.startswith("[") and f'"{guid[k]}"[{port[k]}]' in x:
                    new = x.replace(f'"{guid[k]}"[{port[k]}]', f'"{guid[1 - k]}"[{port[1 - k]}]')
                    block[i] = new.replace(name[k], name[1 - k])
                    break
    return "\n\n".join("\n".join(b) for b in blocks)


def shortened(value):
    """Arrays with their first element only."""
    if isinstance(value, list):
        return [shortened(x) for x in value[:1]]
    return {k: shortened(x) for k, x in value.items()} if isinstance(value, dict) else value


def mutants(value, path=""):
    """Copies of an object with one mistake in each: a key lost, a key misspelt, a value of another type."""
    if not isinstance(value, dict):
        return
    for i, key in enumerate(value):
        without = {k: v for k, v in value.items() if k != key}
        if i % 2:
            yield f"{path}.{key} misspelt", {**without, key + "_": value[key]}
        else:
            yield f"{path}.{key} of another type", {**value, key: {"x": []}}
        if isinstance(value[key], dict):
            for name, changed in mutants(value[key], f"{path}.{key}"):
                yield name, {**value, key: changed}
        elif isinstance(value[key], list) and value[key]:
            for name, changed in mutants(value[key][0], f"{path}.{key}[]"):
                yield name, {**value, key: [changed, *value[key][1:]]}


def check_recorded(schemas):
    faults, checked = [], 0
    for file in sorted(TMP.glob("*.json")):
        name = file.name.split(".")[0]
        text = file.read_text(errors="replace")
        if not text.strip() or name not in schemas:
            continue
        checked += 1
        try:
            faults += [f"{file.name}: {f}" for f in schemas[name].faults(json.loads(text))]
        except json.JSONDecodeError as error:
            faults.append(f"{file.name}: {error}")
    report(f"{checked} objects of the golden tests are as their schemas say", *faults)


def check_printed(schemas):
    objects = {}
    for command in commands():
        text = output(*command, "--json", "--quiet", "--threads", "1", most=3 if command[1:2] and command[1] in NETS[1:] else 1)
        if text is None:
            continue
        value, schema = json.loads(text), schemas[command[0]]
        faults = schema.faults(value)
        schema.see(value)
        objects.setdefault(command[0], []).append(value)
        (TMP / f"{command[0]}.{len(objects[command[0]])}.json").write_bytes(text)
        if faults:
            report("heddle " + " ".join(command), *faults)
    for net in NETS[:4]:
        value = json.loads(output("topo", net, "--format", "json", "--quiet"))
        schemas["network"].see(value)
        objects.setdefault("network", []).append(value)
        report(f"network {net}", *schemas["network"].faults(value))
    line = json.loads((TMP / "log/sweeps.jsonl").read_text())
    report("a sweep", *schemas["sweep"].faults(line))
    report(f"{sum(map(len, objects.values()))} objects of {len(objects)} kinds are as their schemas say")
    return objects


def check_broken(schemas, objects):
    survived, tried = [], 0
    for name, values in objects.items():
        for value in sorted(values, key=lambda v: len(json.dumps(v)))[-1:]:
            for what, mutant in mutants(shortened(value)):
                if ".facts." in what or what.endswith("misspelt") and ".figures." in what and what.count(".") == 3:
                    continue  # keys of any name
                tried += 1
                if not schemas[name].faults(mutant):
                    survived.append(f"{name}: {what}")
    report(f"{tried} objects with one mistake each are refused", *survived)
    value = {**objects["version"][0], "further": 1}
    report("a key that was added later does not make an object invalid", *map(str, schemas["version"].open.iter_errors(value)))


def check_rows(schemas):
    parts = {path for schema in schemas.values() for path in schema.seen if path.startswith("@")}
    unseen = [f"{name} {path}" for name, schema in schemas.items()
              for path, _, _ in schema.rows() if path not in schema.seen | parts]  # fmt: skip
    return [key for key in unseen if not any(f"{key}.".replace(" ", ".").startswith(f"{e}.".replace(" ", ".")) for e in ELSEWHERE)]


def check_kept(schemas):
    now = sorted({f"{path if path[0] == '@' else name + ' ' + path}{marks} {kind}"
                  for name, s in schemas.items() for path, marks, kind in s.rows()})  # fmt: skip
    kept = ROWS.read_text().splitlines() if ROWS.exists() else []
    if MODE == "--accept":
        ROWS.write_text("\n".join(sorted({*kept, *now})) + "\n")
        return
    report("no key of version 1 is lost or has another type", *sorted(set(kept) - set(now)))
    report("new keys are listed ('make accept')", *sorted(set(now) - set(kept)))


def main():
    schemas = {name: Schema(name) for name in names()}
    check_kept(schemas)
    if MODE == "--accept":
        return
    if MODE == "--recorded":
        check_recorded(schemas)
    else:
        with_json = [c["name"] for c in json.loads(output("help", "--json"))["command"]
                     if any(o["name"] == "json" for o in c["options"])]  # fmt: skip
        report("every command with --json has a schema", *sorted(set(with_json) - set(schemas)))
        inputs()
        edited_fabrics()
        objects = check_printed(schemas)
        check_broken(schemas, objects)
        report("every key is printed by some command", *check_rows(schemas))
    print(f"1..{count}")


main()
