# SPDX-License-Identifier: BSD-2-Clause
"""Times of collectives from bytes alone beside those of the packet simulator, as rows of a table. Where a sender has one
message at a time they must agree within 10 %; where it has several, packets of one wait behind those of another, which
is not predicted: then the prediction is what the simulation cannot beat. usage: predict.py HEDDLE [--table]"""
import json, subprocess, sys

heddle, table = sys.argv[1], "--table" in sys.argv
rails = "rail:rails=4,units=4,hosts=8,spines=4,uplinks=4"
tapered, tree, torus = "xgft:m=8x8,w=1x4", "xgft:m=4x4x4,w=1x4x4", "torus:dims=4x4,hosts=2"
several = "nccl-tree", "moe:tokens=32", "alltoall"
cases = [(net, engine, p, "stage", 1) for net, engine in ((rails, "dmodk"), (tapered, "dmodk"), (tree, "minhop"))
         for p in ("nccl-ring", "nccl-tree", "nccl-tree:phase=up", "nccl-tree:phase=down", "nccl-alltoall", "nccl-pat", "rail-alltoall", "moe:tokens=32")]
cases += [(net, engine, p, progress, 4) for net, engine in ((rails, "dmodk"), (tapered, "dmodk"), (torus, "dor"),
                                                            ("pgft:m=6x6,w=1x6,p=1x1", "ftree"))
          for p, progress in (("ring", "sent"), ("nccl-ring", "received"), ("recdbl", "stage"), ("shift", "stage"),
                              ("binomial", "stage"), ("alltoall", "sent"))]
bad = close = 0
if table:
    print("| network | table | pattern | progress | simulated us | predicted us | ratio |\n|---|---|---|---|---:|---:|---:|")
for net, engine, pattern, progress, messages in cases:
    run = subprocess.run([heddle, "sim", net, engine, "-p", pattern, "--size", "64KiB", "--messages", str(messages), "-n",
                          "3" if pattern.startswith("moe") else "1", "--model", f"ndr:progress={progress}", "--json"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    row = json.loads(run.stdout)["rows"][0]
    ratio = row["predicted_ns"] / row["time_ns"]
    ok = ratio < 1.01 and (pattern in several or ratio > 0.9)
    close += 0.9 < ratio < 1.1
    bad += not ok
    if table:
        print(f"| `{net}` | {engine} | `{pattern}` | {progress} | {row['time_ns'] / 1000:.1f} | "
              f"{row['predicted_ns'] / 1000:.1f} | {ratio:.3f} |")
    elif not ok:
        print("FAR", net, pattern, progress, row["time_ns"], row["predicted_ns"])
if not table:
    print(len(cases), "cases,", close, "within 10 %")
sys.exit(bad != 0)
