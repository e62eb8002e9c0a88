# SPDX-License-Identifier: Apache-2.0
"""A long log as a cluster's job writes it, for the bar on speed."""

import random
import sys

from formats import plain, rows_of
from nccl_log import comm_lines, cost_blocks, info
from tables import FOOTER, Table, concluded, devices, settings, shape, starting, titles, version_lines


def mixed(times):
    """A log as a cluster's job writes it: sixteen ranks' NCCL log at INFO, one long sweep, some lines of a script."""
    rng = random.Random(99)
    hosts = ["gpu-%03d" % n for n in range(2)]
    out = ["+ export NCCL_DEBUG=INFO\n", "+ srun -l --cpu-bind=mask_cpu:0xffff,0xffff0000 ./all_reduce_perf -b 8 -e 16G -f 2\n"]
    head = version_lines() + starting("all_reduce_perf") + settings("2.18", 8, 1 << 34) + "#\n# Using devices\n" + devices(16, hosts)
    out.append(head)
    for rank in range(16):
        host, dev = hosts[rank // 8], rank % 8
        say = lambda m: out.append(info(host, rank, m, dev=dev))
        say("NCCL version 2.29.2+cuda13.1")
        say("NET/Plugin: Loaded net plugin Sample (v11)")
        for i in range(24):
            say("NET/OFI NIC group %d device #%d 0000:%02x:00.0" % (i // 4, i % 4, i))
        say("Using network Sample")
        say("ncclCommInitRankConfig comm 0x5581 rank %d nranks 16 cudaDev %d nvmlDev %d busId 53000 commId 0x12 - Init START" % (rank, dev, dev))
        say("Trees " + " ".join("[%d] -1/-1/-1->%d->%d" % (c, rank, rank - 1) for c in range(16)))
        for c in range(48):
            say("Channel %02d/%d : %d[%d] -> %d[%d] [send] via NET/Sample/%d/GDRDMA" % (c, c % 2, rank, dev, (rank + 8) % 16, dev, c % 4))
        say("16 coll channels, 16 collnet channels, 16 nvls channels, 32 p2p channels, 2 p2p channels per peer")
    out.append(comm_lines(hosts, 16, 22902) + cost_blocks(hosts[0]) + titles("2.18", shape("all_reduce", 16)))
    table = Table(shape("all_reduce", 16), "2.18", [1 << n for n in range(3, 35)], rng)
    for row, fields in zip(table.rows, table.expected):
        chosen = info(hosts[0], 0, "AllReduce: %s Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}" % fields[0])
        out.append(row[0] + chosen * 25 + row[1] + chosen * 25 + row[2] + row[3])
    out.append(FOOTER + concluded("all_reduce_perf"))
    quiet, _ = plain("all_gather", "2.13", 16, hosts, [1 << n for n in range(8, 33)], 7)
    out.append(quiet * 8)
    text = "".join(out)
    for _ in range(times):
        sys.stdout.write(text)
