# SPDX-License-Identifier: BSD-2-Clause
"""plugin_faults.py RUN HEDDLE FAULTS SEED: cables and switches of a simulated fabric die and return under a running
OpenSM with the plug-in. RUN is the folder of ibsim and OpenSM (tests/ib/sim.bash). After each burst of up to four
changes the tables that OpenSM dumped are walked here, without heddle's code: every pair of adapter ports arrives, no
chain of channels that wait for each other closes; `heddle check` must agree, and what the log says was lost or found is
what two captures differ in. For credit loops the plug-in must be limited to one VL (maxlanes=1). Prints one line per fault that went wrong, then a summary with the entries changed."""
import json
import os
import random
import re
import subprocess
import sys
import time

run, heddle, faults, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
dump = os.path.join(run, "opensm-lfts.dump")


def log_lines(word):
    return [line for line in open(os.path.join(run, "osm.log"), errors="replace") if word in line]


def settle(before):
    """Waits for at least one sweep more, then until sweeps and log have been quiet for a while."""
    end, last = time.time() + 20, None
    while time.time() < end:
        now = (len(log_lines("SUBNET UP")), os.path.getsize(os.path.join(run, "osm.log")))
        if now[0] > before and now == last:
            return True
        last = now
        time.sleep(0.12)
    return False


def capture():
    """Switches {guid: {port: (kind, guid, port)}} and LIDs of adapter ports {lid: (switch, port)}."""
    text = subprocess.run(["ibnetdiscover"], cwd=run, capture_output=True, text=True,
                          env=dict(os.environ, LD_PRELOAD=os.environ["UMAD2SIM"])).stdout
    switches, lids, here = {}, {}, None
    for line in text.splitlines():
        head = re.match(r'(Switch|Ca)\s+\d+ "([SH])-([0-9a-f]+)"', line)
        port = re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SH])-([0-9a-f]+)"\[(\d+)\]', line)
        if head:
            here = head[2], int(head[3], 16)
            if here[0] == "S":
                switches[here[1]] = {}
        elif port and here[0] == "S":
            switches[here[1]][int(port[1])] = port[2], int(port[3], 16), int(port[4])
        elif port:
            lids[int(re.search(r"# lid (\d+)", line)[1])] = int(port[3], 16), int(port[4])
    with open(os.path.join(run, "found"), "w") as f:
        f.write(text)
    return switches, lids


def cables(switches):
    return {min((a, p), (b, q)) + max((a, p), (b, q)) for a, ports in switches.items()
            for p, (kind, b, q) in ports.items() if kind == "S"}


def tables():
    rows, here = {}, None
    for line in open(dump):
        head = re.search(r"guid 0x([0-9a-f]+)", line)
        entry = re.match(r"0x([0-9a-f]+) (\d+) ", line)
        if line.startswith("Unicast") and head:
            here = rows[int(head[1], 16)] = {}
        elif entry:
            here[int(entry[1], 16)] = int(entry[2])
    return rows


def walk(switches, lids, rows):
    """What is wrong: pairs that do not arrive, or a cycle of channels that wait for each other; and all waits."""
    waits, leaves = {}, {sw for sw, _ in lids.values()}
    for lid, (last, port) in lids.items():
        for leaf in leaves:
            v, chain = leaf, []
            while (v, rows[v].get(lid)) != (last, port):
                out = rows[v].get(lid)
                if out not in switches[v] or switches[v][out][0] != "S" or len(chain) > 64:
                    return f"LID {lid} is not reached from switch {leaf:#x}"
                chain.append((v, out))
                v = switches[v][out][1]
            for a, b in zip(chain, chain[1:]):
                waits.setdefault(a, set()).add(b)
    state = {}
    for start in waits:
        stack = [(start, iter(waits.get(start, ())))] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            for after in stack[-1][1]:
                if state.get(after) == 1:
                    return f"a credit loop over {after}"
                if after not in state:
                    state[after] = 1
                    stack.append((after, iter(waits.get(after, ()))))
                    break
            else:
                state[stack.pop()[0]] = 2
    return None


def say(command):
    with open(os.path.join(run, "console"), "w") as console:
        console.write(command + "\n")


all_switches, _ = old = capture()
everything = sorted(cables(old[0]))
down, bad, changed = set(), [], []
for number in range(faults):
    ups, sweeps = len(log_lines("SUBNET UP")), len(open(os.path.join(run, "sweeps.jsonl")).readlines())
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if down and rng.random() < 0.45:
            dead = rng.choice(sorted(down))
            down.discard(dead)
            done.append(f'Relink "S-{dead[0]:016x}"[{dead[1]}]')
        elif rng.random() < 0.15:  # a switch: all cables between it and other switches
            victim = rng.choice(everything)[0]
            for c in everything:
                if victim in (c[0], c[2]) and c not in down:
                    down.add(c)
                    done.append(f'Unlink "S-{c[0]:016x}"[{c[1]}]')
        else:
            alive = [c for c in everything if c not in down]
            if alive:
                victim = rng.choice(alive)
                down.add(victim)
                done.append(f'Unlink "S-{victim[0]:016x}"[{victim[1]}]')
    for command in done:
        say(command)
    if not settle(ups):
        # An exact undo within a burst, or losses beyond the part that the subnet manager sees, make no sweep.
        if cables(capture()[0]) != cables(old[0]):
            bad.append(f"fault {number}: no sweep after {done}")
            break
        continue
    new = capture()
    if set(tables()) != set(new[0]):
        time.sleep(1)
        new = capture()
    wrong = walk(*new, tables())
    verdict = subprocess.run([heddle, "check", os.path.join(run, "found"), dump], capture_output=True, text=True)
    lines = [json.loads(line) for line in open(os.path.join(run, "sweeps.jsonl"))][sweeps:]
    lost = sum(line["change"]["cables_lost"] - line["change"]["cables_new"] for line in lines)
    if wrong:
        bad.append(f"fault {number}: {wrong} after {done}")
    if verdict.returncode != 0:
        bad.append(f"fault {number}: heddle check: {(verdict.stdout + verdict.stderr).strip()[-300:]}")
    if lost != len(cables(old[0])) - len(cables(new[0])) or not all(line["tables"] for line in lines):
        bad.append(f"fault {number}: the log has {lost} cables lost in {len(lines)} sweeps, "
                   f"{len(cables(old[0]))} became {len(cables(new[0]))}; {lines}")
    changed.append(sum(line["entries_changed"] for line in lines))
    old = new
changed.sort()
for line in bad[:10]:
    print(line)
print(f"{faults} faults, {len(bad)} wrong; entries changed: median {changed[len(changed) // 2] if changed else 0}, "
      f"95 % {changed[len(changed) * 95 // 100] if changed else 0}")
sys.exit(bool(bad))
