# SPDX-License-Identifier: Apache-2.0
"""More files of this folder: what scripts leave around tables, failures, and results as JSON."""

import json
import random

from formats import SIZES, TWO, plain, put, rows_of, run
from nccl_log import comm_lines, info
from tables import GPU, Table, concluded, devices, settings, shape, starting, version_lines


def scripts():
    def text_of(seed, program=None):
        return plain("all_reduce", "2.13", 8, TWO, SIZES[:3], seed, before=starting(program) if program else "")

    # Commands of a traced script; tokens of other variables must not be kept.
    one, first = text_of(1)
    two, second = text_of(2)
    three, third = text_of(3)
    script = "+ export API_TOKEN=hunter2-correct-horse\n+ export NCCL_ALGO=Ring\n+ NCCL_ALGO=Ring\n"
    script += "+ mpirun -np 8 -x NCCL_PROTO=LL -x API_TOKEN=hunter2-correct-horse /opt/build/all_reduce_perf -b 8 -e 1G\n" + one
    script += "+ srun --export=ALL,NCCL_PROTO=LL128,NCCL_MAX_NCHANNELS=4 ./all_reduce_perf -b 8\n" + two
    script += "+ unset NCCL_ALGO\n+ NCCL_PROTO='Simple' ./build/all_reduce_perf -b 8\n" + three
    put("commands.log", script, run(first.expected, algo="Ring", proto="LL", collective="allreduce"),
        run(second.expected, algo="Ring", proto="LL128", max_channels=4), run(third.expected, algo="", proto="Simple"))
    s = shape("all_reduce", 4)
    sections, runs = "", []
    for i, (algo, proto) in enumerate((("Ring", ""), ("Tree", "LL"), ("NVLS", ""), ("CollnetChain", ""))):
        table = Table(s, "2.17", SIZES[-1:] if algo != "CollnetChain" else [], random.Random(i))
        sections += "### NCCL_ALGO=%s%s\n" % (algo, " NCCL_PROTO=" + proto if proto else "") + rows_of(table)
        runs.append(run(table.expected, algo=algo, proto=proto))
    put("sections.log", sections, *runs)
    joined, runs = "", []
    for i, test in enumerate(("all_reduce", "all_gather", "broadcast")):
        text, table = plain(test, "2.18", 8, TWO, SIZES[:2], i, before=version_lines() + starting(test + "_perf"),
                            after=concluded(test + "_perf") + "\n")
        joined += text
        runs.append(run(table.expected, test=test + "_perf", ranks=8))
    put("three-tests.log", joined, *runs)
    text, table = plain("all_reduce", "2.13", 8, TWO, SIZES, "cut")
    cut = text[:text.index(rows_of(table)) + len("".join("".join(r) for r in table.rows[:4])) + 40]
    put("cut.log", cut, run(table.expected[:4], complete=False))
    head = settings("2.13", 8, 64) + "#\n# Using devices\n" + devices(8, TWO)
    put("failed-in-nccl.log", head + "boxa: Test NCCL failure common.cu:303 'invalid usage / '\n .. boxa pid 700: Test failure common.cu:400\n",
        run([], ranks=8), reason="Test NCCL failure")
    put("failed-launch.log", "srun: error: Unable to allocate resources: Invalid partition name specified\n", reason="srun: error")
    put("failed-program.log", "bash: line 1: ./build/all_reduce_perf: No such file or directory\n", reason="No such file")
    put("failed-library.log", "./all_reduce_perf: error while loading shared libraries: libnccl.so.2: cannot open shared object file\n",
        reason="error while loading shared libraries")
    put("failed-secret.log", "curl: error: 403 for https://me:hunter2-correct-horse@example.org API_TOKEN=hunter2-correct-horse "
        "--password hunter2-correct-horse\n", reason="curl: error")
    put("notes.txt", "Meeting notes\n\nNothing was measured: 5 10 floats, 3 4 5 6 numbers.\n", reason="no rows")


def json_files():
    rng = random.Random(30)
    s = shape("all_gather", 8)
    results, expected = [], []
    for size in SIZES[:3]:
        row = {"size": size, "count": size // 32, "type": "float", "redop": "none", "root": "    -1"}
        fields = [str(size), str(size // 32), "float", "none", "-1"]
        for half in ("out_of_place", "in_place"):
            us = rng.uniform(10, 1000)
            row[half] = {"time": round(us, 6), "alg_bw": round(size / us / 1e3, 6), "bus_bw": round(size / us / 1e3 * s.factor, 6), "nwrong": 0.0}
            row[half + "_per_iter"] = {"skipped_iterations": 0, "min_us": us, "max_us": us, "avg_us": us, "p50_us": us, "p95_us": us,
                                       "p99_us": us, "stdev_us": 0.0, "cv_pct": 0.0, "times_us": [us, us]}
            fields += [repr(row[half]["time"]), repr(row[half]["alg_bw"]), repr(row[half]["bus_bw"]), "0"]
        row.update(actual_iterations=20, experiment_name="")
        results.append(row)
        expected.append(fields)
    document = {"version": 3, "start_time": "2026-07-10 10:11:12", "args": ["/opt/build/all_gather_perf", "-J", "out.json"],
                "env": ["API_TOKEN=hunter2-correct-horse", "NCCL_PROTO=Simple", "PATH=/usr/bin"], "nccl_version": 22902,
                "config": {"nthreads": 2, "ngpus": 2, "minimum_bytes": 1024, "maximum_bytes": 65536, "step_factor": 8, "warmup_iters": 1,
                           "iterations": 20, "aggregated_iterations": 1, "validation": 1, "graph": 0, "blocking_collectives": "false",
                           "per_iter_timing": "true", "per_iter_skip": 0, "parallel_init": "false",
                           "devices": [{"rank": 4 * i, "group": 0, "pid": 700 + i, "hostname": TWO[i], "device": 0,
                                        "device_hex": "0000:01:00", "device_info": GPU} for i in range(2)]},
                "results": results, "out_of_bounds": {"count": 0, "okay": "true"},
                "average_bus_bandwidth": {"bandwidth": 12.0, "okay": "unchecked"}, "errors": [""], "end_time": "2026-07-10 10:11:13"}
    facts = dict(test="all_gather_perf", collective="allgather", ranks=8, nodes=2, nccl="2.29.2", proto="Simple", gpu=GPU)
    text = json.dumps(document, separators=(",", ":"))
    put("tests.json", text, run(expected, complete=True, **facts))
    put("tests-indented.json", json.dumps([document, document], indent=2), run(expected, **facts), run(expected, **facts))
    put("tests-killed.json", text[:text.index('"size":%d' % SIZES[2]) + 60], run(expected[:2], complete=False, **facts))
    put("other.json", json.dumps({"hello": [1, 2, {"world": None}]}), reason="JSON, but not of nccl-tests")
    s = shape("all_reduce", 8)
    cycle, expected = {}, []
    for size in (1 << 25, 1 << 26):
        us = size / 1e5
        cycle[str(size)] = {"count": size // 4, "type": "float", "redop": "sum", "root": "-1", "oop_time": us, "oop_algbw": 100.0,
                            "oop_busbw": 175.0, "oop_error": 0.0, "ip_time": us, "ip_algbw": 100.0, "ip_busbw": 175.0, "ip_error": 3.0}
        expected.append([str(size), str(size // 4), "float", "sum", "-1"] + [repr(us), "100.0", "175.0", "0", repr(us), "100.0", "175.0", "3"])
    document = {"identifier": "nccl-tests structured output", "version": "2.26.2", "benchmark": [cycle, cycle], "out_of_bounds_value": 0,
                "out_of_bounds_value_status": "OK", "avg_bus_bw": 175.0, "avg_bus_bw_status": "OK"}
    text = comm_lines(TWO, 8, 22602) + "[1,0]<stdout>:" + json.dumps(document) + "\n" + info("boxa", 0, "comm 0x1 - Destroy COMPLETE")
    put("pull-request.log", text, run(expected * 2, collective="allreduce", ranks=8, nodes=2, nccl="2.26.2"))
