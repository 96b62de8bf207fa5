#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""turn.py LFT LID GUID=PORT...: a table with other ports towards a LID, at switches whose GUIDs end like this (all: *).
No port: the line goes."""
import sys

ports = [p.split("=") for p in sys.argv[3:]]
guid = ""
for line in open(sys.argv[1]):
    if line.startswith("Unicast"):
        guid = line.split("guid ")[1].split()[0]
    elif line.startswith(sys.argv[2]):
        port = next((p for end, p in ports if end == "*" or guid.endswith(end)), None)
        if port == "":
            continue
        line = line if port is None else line[:7] + port.zfill(3) + line[10:]
    sys.stdout.write(line)
