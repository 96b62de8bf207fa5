# SPDX-License-Identifier: BSD-2-Clause
"""plugin_faults.py RUN HEDDLE FAULTS SEED OPENSM: cables and switches of a simulated fabric die and return under a running
OpenSM (process OPENSM) with the plug-in. RUN is the folder of ibsim and OpenSM (tests/ib/sim.bash). After each burst of up to four
changes the tables that OpenSM dumped are walked here, without heddle's code: every pair of adapter ports arrives, and so
do packets to LIDs of switches; no chain of channels that wait for each other closes, those of paths from and to switches
included unless the log says that they may; `heddle check` must agree, and what the log says was lost or found is
what two captures differ in. For credit loops the plug-in must be limited to one VL (maxlanes=1). Without the log of the
plug-in (sweeps.jsonl), another engine runs: nothing is judged, for comparison. Prints one line per fault that went
wrong, then a summary with the entries changed: those of switches that were there before and after a burst, from two
dumps, holes included."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

run, heddle, faults, seed, opensm = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
rng = random.Random(seed)
dump, log = os.path.join(run, "opensm-lfts.dump"), os.path.join(run, "sweeps.jsonl")
judged = os.path.exists(log)


def log_lines(word):
    return [line for line in open(os.path.join(run, "osm.log"), errors="replace") if word in line]


unasked = []  # sweeps that no trap caused


def settle(before, patience=6):
    """Waits for at least one sweep more, then until sweeps and log have been quiet for a while. A trap can get lost: ibsim
    sends it once, by the tables in use, which may lead it into a cable that the same burst cut, and OpenSM ignores the
    tenth of the same switch within five seconds. On a real fabric the periodic sweep, which is off here, finds the change then:
    it is asked for once."""
    begin, last, asked = time.time(), None, False
    while time.time() < begin + 60:
        now = (len(log_lines("SUBNET UP")), os.path.getsize(os.path.join(run, "osm.log")))
        follows = judged and any(line["more"] for line in log_from(0)[-1:])  # two seconds later
        if now[0] > before and now == last and not follows:
            return True
        if now[0] == before and not asked and time.time() > begin + patience:
            os.kill(opensm, signal.SIGHUP)
            asked = True
            unasked.append(before)
        last = now
        time.sleep(0.12)
    return False


def log_from(first):
    return [json.loads(line) for line in open(log)][first:] if judged else []


def lost_in_log(first):
    return sum(line["change"]["cables_lost"] - line["change"]["cables_new"] for line in log_from(first))


def capture():
    """Switches {guid: {port: (kind, guid, port)}} and LIDs {lid: (switch, port)}; of switches themselves, port 0."""
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
                lids[int(re.search(r" lid (\d+) lmc", line)[1])] = here[1], 0
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


def follow(switches, rows, lid, end, v):
    """The channels by which packets go from switch v, and whether they arrive at the port `end` of a switch."""
    chain = []
    while (v, rows[v].get(lid)) != end and len(chain) <= 64:
        out = rows[v].get(lid)
        if out not in switches[v] or switches[v][out][0] != "S":
            return chain, False
        chain.append((v, out))
        v = switches[v][out][1]
    return chain, len(chain) <= 64


def walk(switches, lids, rows, safe):
    """What is wrong: packets of hosts that do not arrive at hosts or switches, or a cycle of channels that wait for each
    other, by these or by what switches send to hosts, if it arrives; safe: otherwise by pairs of hosts alone."""
    waits, leaves = {}, {sw for sw, port in lids.values() if port}
    for lid, end in lids.items():
        for v in switches if end[1] else leaves:
            chain, arrives = follow(switches, rows, lid, end, v)
            if not arrives and v in leaves:
                return f"LID {lid} is not reached from switch {v:#x}"
            if len(chain) > 64:
                return f"packets from switch {v:#x} to LID {lid} go around in a cycle"
            if safe or (end[1] and v in leaves):
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


def changes(before, after):
    return sum(before[v].get(lid) != after[v].get(lid) for v in before.keys() & after.keys()
               for lid in before[v].keys() | after[v].keys())


def say(command):
    with open(os.path.join(run, "console"), "w") as console:
        console.write(command + "\n")


all_switches, _ = old = capture()
everything = sorted(cables(old[0]))
down, bad, changed, held, late = set(), [], [], tables(), 0
for number in range(faults):
    ups, sweeps = len(log_lines("SUBNET UP")), len(open(log).readlines()) if judged else 0
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
    quiet = settle(ups)
    new, lost = capture(), lost_in_log(sweeps)
    if quiet and judged and len(cables(old[0])) - lost != len(cables(new[0])):
        quiet = settle(len(log_lines("SUBNET UP")), 0)
        new, lost = capture(), lost_in_log(sweeps)
    if not quiet:
        last = "".join(open(os.path.join(run, "osm.log"), errors="replace").readlines()[-6:])
        bad.append(f"fault {number}: {len(log_lines('SUBNET UP')) - ups} sweeps after {done}; OpenSM's log ends\n{last}")
        break
    for _ in range(30):  # the dump comes last
        if set(tables()) == set(new[0]):
            break
        time.sleep(0.5)
        new = capture()
    was, held, was_cables = held, tables(), len(cables(old[0]))
    changed.append(changes(was, held))
    old = new
    if not judged:
        continue
    said = log_lines("build_tables: heddle:")[-1:]
    wrong = walk(*new, held, not any("credit loops by paths from or to switches" in line for line in said))
    verdict = subprocess.run([heddle, "check", os.path.join(run, "found"), dump], capture_output=True, text=True)
    lines = log_from(sweeps)
    if wrong:
        bad.append(f"fault {number}: {wrong} after {done}")
    if verdict.returncode != 0:
        bad.append(f"fault {number}: heddle check: {(verdict.stdout + verdict.stderr).strip()[-300:]}")
    restarted = any("did not answer" in (line["failed"] or "") for line in lines)  # all is new to the next worker
    late += restarted
    if not all(line["tables"] for line in lines) or (lost != was_cables - len(cables(new[0])) and not restarted):
        bad.append(f"fault {number}: the log has {lost} cables lost in {len(lines)} sweeps, "
                   f"{was_cables} became {len(cables(new[0]))}; {lines}")
changed.sort()
for line in bad[:10]:
    print(line)
size = max(1, sum(len(row) for row in held.values()))
fell = len(log_lines("cannot build fwd tables")) + len(log_lines("FALLS BACK"))
print(f"{faults} faults, {len(bad)} wrong; of {size} entries, changed: median {changed[len(changed) // 2] if changed else 0}, "
      f"95 % {changed[len(changed) * 95 // 100] if changed else 0}; another engine took over {fell} times, another worker {late}, "
      f"{len(unasked)} sweeps without a trap")
sys.exit(bool(bad))
