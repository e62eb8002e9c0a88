# SPDX-License-Identifier: Apache-2.0
"""The files of this folder: one small log per format, each with what a reader has to find in it."""

import random

from nccl_log import comm_lines, cost_blocks, cost_line, default_allowed, expected_costs, info
from tables import (FOOTER, GPU, Table, concluded, devices, settings, shape, starting, titles, version_lines)

FILES = {}


def run(rows=(), **facts):
    facts["rows"] = list(rows)
    return facts


def put(name, text, *runs, reason=None):
    FILES[name] = (text, {"runs": list(runs), **({"reason": reason} if reason else {})})


def rows_of(table):
    return "".join("".join(row) for row in table.rows)


def plain(test, style, ranks, hosts, sizes, seed, before="", after="", **how):
    s = shape(test, ranks)
    table = Table(s, style, sizes, random.Random(seed), **how)
    text = before + settings(style, sizes[0], sizes[-1]) + "#\n# Using devices\n" + devices(ranks, hosts, style.startswith("old"))
    text += titles(style, s) + rows_of(table) + FOOTER + after
    return text, table


SIZES = [1 << n for n in range(10, 28, 3)]
TWO = ["boxa", "boxb"]


def formats():
    for test, name in (("all_reduce", "allreduce"), ("all_gather", "allgather"), ("reduce_scatter", "reducescatter"),
                       ("broadcast", "broadcast"), ("reduce", "reduce")):
        text, table = plain(test, "old", 8, TWO, SIZES, test)
        # All of 2021's tests but AllGather can be told by their rows.
        put("old-%s.log" % test, text, run(table.expected, collective=name, ranks=8, nodes=2, gpu=GPU))
        text, table = plain(test, "2.13", 16, TWO, SIZES, test)
        put("2.13-%s.log" % test, text, run(table.expected, collective=name, ranks=16, nodes=2))
    for test in ("alltoall", "sendrecv"):
        text, table = plain(test, "2.13", 8, TWO, SIZES, test)
        put("2.13-%s.log" % test, text, run(table.expected, test=test, ranks=8, nodes=2))
    text, table = plain("all_reduce", "old", 8, TWO, SIZES, 3, checked=False)
    put("old-unchecked.log", text, run(table.expected, collective="allreduce"))
    text, table = plain("all_reduce", "2.13", 8, TWO, SIZES, 4, before=starting("all_reduce_perf"), after=concluded("all_reduce_perf"))
    put("2.16-starting.log", text, run(table.expected, test="all_reduce_perf", collective="allreduce", ranks=8, complete=True))
    for tests, style, name in (("2.17.5", "2.17", "version-line"), ("2.17.6", "timestamps", "timestamps"),
                               ("2.18.3", "2.18", "unalign"), ("2.19.6", "per-iteration", "per-iteration")):
        program = "reduce_scatter_perf_mpi"
        text, table = plain("reduce_scatter", style, 8, TWO, SIZES, name, after=concluded(program),
                            before=version_lines(tests) + starting(program))
        put("%s-%s.log" % (tests, name), text,
            run(table.expected, test=program, collective="reducescatter", ranks=8, nodes=2, nccl="2.29.2", tests=tests))
    memory = "# GPU memory usage   : Fixed overhead 1.20 GB | Collective 64.0 MB | Total  1.26 GB\n"
    text, table = plain("all_reduce", "2.17", 8, TWO, SIZES, 5, before=version_lines("2.17.7"), after=memory)
    put("2.17.7-memory.log", text, run(table.expected, collective="allreduce", nccl="2.29.2"))
    wide = [8, 1 << 33, 1 << 37]
    text, table = plain("broadcast", "2.18", 8, TWO, wide, 6, before=version_lines() + starting("broadcast_perf"))
    put("wide-numbers.log", text, run(table.expected, collective="broadcast"))
    s = shape("all_reduce", 8)
    table = Table(s, "2.17", SIZES, random.Random(8))
    put("bare-rows.log", rows_of(table), run(table.expected, collective="allreduce", complete=False))
    put("titles-without-hash.log", titles("2.17", s)[2:].replace("# ", "  ", 1) + rows_of(table), run(table.expected, collective="allreduce"))
    text = settings("2.13", 8, 64) + titles("2.13", s, cputime=True) + rows_of(table) + FOOTER
    put("cputime.log", text, run(table.expected, cpu_time=True))
    mixed = Table(s, "2.13", SIZES[:2], random.Random(9), dtype="bfloat16", element=2)
    more = Table(shape("all_reduce", 8, redop="max"), "2.13", SIZES[:2], random.Random(10), dtype="double", element=8)
    text = settings("2.13", 8, 64) + titles("2.13", s) + rows_of(mixed) + rows_of(more) + FOOTER
    put("types-and-operations.log", text, run(mixed.expected + more.expected, collective="allreduce"))


def interleaved():
    rng = random.Random(20)
    host = "boxa"
    s = shape("all_reduce", 4)
    table = Table(s, "2.18", SIZES[-3:], rng)
    head = version_lines() + starting("all_reduce_perf") + settings("2.18", SIZES[-3], SIZES[-1], gpus=4)
    head += "#\n# Using devices\n" + devices(4, [host])
    head += info(host, 0, "NCCL version 2.29.2+cuda13.1") + comm_lines([host], 4, 22902) + cost_blocks(host)
    head += info(host, 0, "24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, 32 p2p channels per peer")
    body = ""
    for row, fields in zip(table.rows, table.expected):
        chosen = info(host, 0, "AllReduce: %s Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}" % fields[0])
        body += row[0] + chosen * 3 + row[1] + chosen * 3 + row[2] + row[3]
    choices = [["allreduce", int(f[0]), "ring", "simple", 24, 6] for f in table.expected]
    put("torn-by-choices.log", head + titles("2.18", s) + body + FOOTER + concluded("all_reduce_perf"),
        run(table.expected, collective="allreduce", ranks=4, nodes=1, nccl="2.29.2", pool=24, choices=choices,
            costs=expected_costs()))
    tag = "[1,0]<stdout>:"
    table = Table(shape("all_reduce", 16), "2.13", SIZES, rng)
    text = settings("2.13", SIZES[0], SIZES[-1]) + titles("2.13", s) + "".join(tag.join(r[:3]) + r[3] for r in table.rows) + FOOTER
    text = "".join(tag + line + "\n" for line in text.splitlines())
    for rank in range(16):
        line = info(TWO[rank // 8], rank, "comm 0x1 rank %d nranks 16 cudaDev %d busId 53000 - Init COMPLETE" % (rank, rank % 8))
        text = "[1,%d]<stdout>:%s" % (rank, line) + text
    put("tag-inside-rows.log", text, run(table.expected, collective="allreduce", ranks=16, nodes=2))
    for name, prefix in (("srun-label", "0: "), ("brackets", "[0] "), ("ray", "(RayWorkerWrapper pid=660) "),
                         ("stern", "nccl-launcher-x2x nccl "), ("kubectl", "[pod/nccl-launcher-x2x/nccl] "),
                         ("timestamps", "2026-07-10T10:11:12.123456789Z "), ("cri", "2026-07-10T10:11:12.1Z stdout F "),
                         ("mpirun-timestamps", "Fri Jul 10 15:41:05 2026<stdout>:"),
                         ("cloudwatch", "  | 2024-11-28T07:42:11.525Z | algo-1: "), ("colour", "\x1b[36mlauncher\x1b[0m | ")):
        text, table = plain("all_reduce", "2.17", 8, TWO, SIZES, name, before=version_lines() + starting("all_reduce_perf"))
        text = "".join(prefix + line + "\n" for line in text.splitlines())
        put("prefix-%s.log" % name, text, run(table.expected, collective="allreduce", ranks=8, nodes=2, nccl="2.29.2"))
    text, table = plain("all_reduce", "2.13", 8, TWO, SIZES, "crlf")
    put("crlf.log", text.replace("\n", "\r\n"), run(table.expected, collective="allreduce", ranks=8, nodes=2))
    # Four single-node tests at once, as a burn-in runs them: each writer has its own table.
    texts, runs = [], []
    for i in range(4):
        text, table = plain("all_reduce", "2.13", 8, ["box%d" % i], SIZES, i, before=starting("all_reduce_perf"))
        texts.append(["%d: %s\n" % (i, line) for line in text.splitlines()])
        runs.append(run(table.expected, collective="allreduce", ranks=8, nodes=1, complete=True))
    order = [i for i, t in enumerate(texts) for _ in t]
    random.Random(1).shuffle(order)
    put("four-writers.log", "".join(texts[i].pop(0) for i in order), *runs)


def logs():
    host = "boxa"
    s = shape("all_reduce", 8)

    def test(name, seed, log_before, log_after="", before="", **facts):
        table = Table(s, "2.13", SIZES, random.Random(seed))
        text = before + settings("2.13", SIZES[0], SIZES[-1]) + "#\n# Using devices\n" + devices(8, TWO) + log_before
        put(name, text + titles("2.13", s) + rows_of(table) + FOOTER + log_after, run(table.expected, **facts))

    old = info(host, 0, "1048576 Bytes -> Algo 1 proto 2 time 123.500000") * 2 + info(host, 0, "1024 Bytes -> Algo 0 proto 0 time 12.250000")
    # Without a function's name the choice belongs to the test, which only the rows tell.
    test("choices-2.20.log", 1, "NCCL version 2.20.5+cuda12.4\n" + comm_lines(TWO, 8, 22005) + old, nccl="2.20.5",
         ranks=8, nodes=2, choices=[["allreduce", 1048576, "ring", "simple", None, 2], ["allreduce", 1024, "tree", "ll", None, 1]])
    named = info(host, 0, "AllGather: 1048576 Bytes -> Algo 1 proto 1 time 99.000000")
    test("choices-2.23.log", 2, info(host, 0, "NCCL version 2.23.4+cuda12.6") + comm_lines(TWO, 8, 22304) + named,
         nccl="2.23.4", choices=[["allgather", 1048576, "ring", "ll128", None, 1]])
    new = info(host, 0, "AllGather: 131072 Bytes -> Algo PAT proto SIMPLE channel{Lo..Hi}={0..7}")
    new += info(host, 0, "ReduceScatter: 131072 Bytes -> Algo RING proto LL channel{Lo..Hi}={4..7}")
    new += info(host, 0, "Broadcast: 131072 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..0}")
    new += info(host, 0, "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_LL nchannels 2 nthreads 512 nWorks 1")
    test("choices-2.24.log", 3, info(host, 0, "NCCL version 2.24.3+cuda12.8") + comm_lines(TWO, 8, 22403) + new,
         nccl="2.24.3", choices=[["allgather", 1048576, "pat", "simple", 8, 1], ["reducescatter", 1048576, "ring", "ll", 4, 1],
                                 ["broadcast", 131072, "ring", "ll", 1, 1]])
    test("costs-2.12.log", 4, "NCCL version 2.12.7+cuda11.4\n" + comm_lines(TWO, 8, 21207) + cost_line(host), nccl="2.12.7",
         costs=expected_costs(names=["Tree", "Ring"]), nodes=2, ranks=8)
    only_nvls = lambda c, a, p: a == "NVLS" and default_allowed(c, a, p)
    test("costs-forced.log", 5, comm_lines(TWO, 8, 22902) + cost_blocks(host, only_nvls), costs=expected_costs(only_nvls), algo="nvls")
    ring_ll = lambda c, a, p: a == "Ring" and p == "LL"
    test("costs-forced-protocol.log", 6, cost_blocks(host, ring_ll), algo="ring", proto="ll")
    env = "".join(info(host, 0, m) for m in ("NCCL_ALGO set by environment to Tree,Ring", "NCCL_PROTO set by environment to ^LL128",
                                             "NCCL_MIN_NCHANNELS set by environment to 4.", "NCCL_MAX_CTAS set by environment to 8."))
    test("environment.log", 7, env, algo="Tree,Ring", proto="^LL128", min_channels=4, max_channels=8)
    plugins = "".join(info(host, 0, m) for m in (
        "TUNER/Plugin: Failed to find ncclTunerPlugin_v4 symbol.", "TUNER/Plugin: Using polyrail (v5)",
        "Successfully loaded external tuner plugin /opt/lib/libnccl-tuner-polyrail.so", "NET/Plugin: Loaded net plugin AWS Libfabric (v10)",
        "Using network AWS Libfabric", 'NET/OFI Setting NCCL_PROTO to "simple"'))
    test("plugins.log", 8, plugins, tuner="polyrail", net_plugin="AWS Libfabric", network="AWS Libfabric", proto="simple")
    internal = info(host, 0, "TUNER/Plugin: Using internal tuner plugin.") + info(host, 0, "Using tuner plugin: 'nccl_ofi_tuner'")
    test("plugins-2.20.log", 9, internal, tuner="nccl_ofi_tuner")
    # Standard error behind standard output: the log follows its table.
    test("log-behind-table.log", 10, "", info(host, 0, "NCCL version 2.29.7+cuda12.9") + cost_blocks(host), nccl="2.29.7",
         costs=expected_costs())
    text = info(host, 0, "threadThresholds 8/8/64 | 64/8/64 | 512 | 512") + titles("2.13", s)
    table = Table(s, "2.13", SIZES[:1], random.Random(11))
    put("thresholds.log", text + rows_of(table), run(table.expected, ranks=8, collective="allreduce"))
    put("log-only.log", info(host, 0, "NCCL version 2.29.7+cuda12.9") + cost_blocks(host), run([], nccl="2.29.7", costs=expected_costs()),
        reason="no rows")
