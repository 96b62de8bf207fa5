#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bad_worker.py: takes the place of heddle-opensm-worker and does something wrong with the first request, something
else each time it is started (PLUGIN_BAD counts in a file), until the list is used up; then it becomes the real worker,
PLUGIN_WORKER. Replies have the layout of src/live/fabric_message.h."""
import fcntl
import os
import socket
import struct
import sys
import time

SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
count = os.environ["PLUGIN_BAD"]
turn = int(open(count).read()) if os.path.exists(count) else 0
with open(count, "w") as f:
    f.write(str(turn + 1))


def reply(switches, last_lid, fill, vls=1, sl_rows=0, text=b"x\0", wrong_size=0, row=0, level=0):
    lids = last_lid + 1
    body = struct.pack("=I", row) * (lids if sl_rows else 0) + bytes([fill]) * (switches * lids)
    body += bytes([level]) * (sl_rows * lids) + text
    return struct.pack("=QIIIIIIII", 40 + len(body) + wrong_size, 0x68727031, switches, last_lid, vls, sl_rows, len(text), 0,
                       0) + body


def head(memory):
    """switches and last_lid of a request"""
    _, _, _, switches, _, last_lid = struct.unpack_from("=QIIIII", memory)
    return switches, last_lid


def holes(request):
    """a reply that can be taken: no LID leads anywhere but the switches' own; its line is longer than OpenSM takes"""
    switches, last_lid = head(request)
    memory = bytearray(reply(switches, last_lid, 255, text=b"x" * 8000 + b"\0"))
    for i in range(switches):
        memory[40 + i * (last_lid + 1) + struct.unpack_from("=H", request, 64 + 32 * i + 20)[0]] = 0
    return bytes(memory)


def send(link, number, memory, seals=SEALS, copies=1, size=None):
    fd = os.memfd_create("bad", os.MFD_ALLOW_SEALING)
    os.write(fd, memory)
    if size:
        os.ftruncate(fd, size)
    if seals:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    socket.send_fds(link, [struct.pack("=IIII", 2, number, 0, 0)], [fd] * copies)


def main():
    link = socket.socket(fileno=3)
    note, fds, _, _ = socket.recv_fds(link, 64, 4)
    number = struct.unpack("=IIII", note)[1]
    request = os.pread(fds[0], os.fstat(fds[0]).st_size, 0)
    switches, last_lid = head(request)
    wrong = [
        lambda: send(link, number, reply(switches, last_lid, 255), seals=0),        # can still be changed
        lambda: send(link, number, b"garbage"),
        lambda: send(link, number, b""),
        lambda: send(link, number, os.urandom(100000)),
        lambda: send(link, number, reply(switches, last_lid, 200)),                 # a port no switch has
        lambda: send(link, number, reply(switches, last_lid, 0)),                   # all LIDs are its own
        lambda: send(link, number, reply(switches, last_lid, 255)),                 # not even its own LID
        lambda: send(link, number, reply(switches + 1, last_lid, 255)),
        lambda: send(link, number, reply(switches, last_lid, 255, wrong_size=8)),
        lambda: send(link, number, reply(switches, last_lid, 255, text=b"no end")),
        lambda: send(link, number, reply(switches, last_lid, 255, vls=2, sl_rows=1, row=7)),
        lambda: send(link, number, reply(switches, last_lid, 255, vls=2, sl_rows=1, level=9)),
        lambda: send(link, number, reply(0, 0, 0, text=b"the worker's own\x7freason \xc2\x9b[2J\0")),
        lambda: link.send(b"not a note"),
        lambda: link.close(),
        lambda: send(link, number, reply(switches, last_lid, 255), copies=2),       # a descriptor too many
        lambda: send(link, number, b"garbage", size=1 << 42),                       # more than there is memory
        lambda: send(link, number, holes(request)),
        lambda: link.send(struct.pack("=IIII", 3, number, 16, 0)),                  # at what no engine does, it ends
    ]
    wrong[turn]()
    if turn not in (12, 17, 18):
        time.sleep(5)


if turn < 19:
    main()
else:
    os.execv(os.environ["PLUGIN_WORKER"], ["heddle-opensm-worker"])
