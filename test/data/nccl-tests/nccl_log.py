# SPDX-License-Identifier: Apache-2.0
"""Lines as NCCL logs them (src/init.cc, src/enqueue.cc, src/graph/tuning.cc; 2.12 to 2.30). The costs are made up."""

ALGORITHMS = ["Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"]
PROTOCOLS = ["LL", "LL128", "Simple"]
COLLECTIVES = ["Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"]


def info(host, rank, message, pid=700, dev=0):
    return "%s:%d:%d [%d] NCCL INFO %s\n" % (host, pid + rank, pid + rank, dev, message)


def cell(collective, algorithm, protocol, allowed):
    """Latency and bandwidth of the made-up model."""
    c, a, p = COLLECTIVES.index(collective), ALGORITHMS.index(algorithm), PROTOCOLS.index(protocol)
    if not allowed(collective, algorithm, protocol):
        return 0.0, 0.0
    return 5.5 + c + 2 * a + 0.5 * p, 40.5 + 10 * c + 3 * a + 20 * p


def default_allowed(collective, algorithm, protocol):
    if algorithm == "Ring":
        return True
    if algorithm == "Tree":
        return collective == "AllReduce"
    return algorithm == "NVLS" and protocol == "Simple" and collective == "AllReduce"


def cost_blocks(host, allowed=default_allowed, algorithms=7):
    """The table of 2.18 and later: blocks of three algorithms."""
    out = ""
    for block in range(0, algorithms, 3):
        names = ALGORITHMS[block:min(block + 3, algorithms)]
        out += info(host, 0, "  Algorithm   |" + "".join(" %14s   %14s   %14s |" % ("", n, "") for n in names))
        out += info(host, 0, "  Protocol    |" + "".join(" %14s |" % p for p in PROTOCOLS * 3))
        out += info(host, 0, " Max NThreads |" + "".join(" %14d |" % 512 for _ in names for _ in PROTOCOLS))
        for c in COLLECTIVES:
            out += info(host, 0, "%13s |" % c +
                        "".join("%8.1f/%6.1f |" % cell(c, n, p, allowed) for n in names for p in PROTOCOLS))
    return out


def cost_line(host, algorithms=3):
    """The table until 2.17: one block, every column named."""
    names = ["Tree", "Ring", "CollNet"][:algorithms]
    real = {"CollNet": "CollNetDirect"}
    out = info(host, 0, "Latency/AlgBw |" + "".join(" %7s/%6s |" % (n, p) for n in names for p in PROTOCOLS))
    out += info(host, 0, " Max NThreads |" + "".join(" %14d |" % 512 for _ in names for _ in PROTOCOLS))
    for c in COLLECTIVES:
        out += info(host, 0, "%13s |" % c + "".join("%8.1f/%6.1f |" % cell(c, real.get(n, n), p, default_allowed)
                                                   for n in names for p in PROTOCOLS))
    return out


def expected_costs(allowed=default_allowed, names=ALGORITHMS):
    out = []
    for c in COLLECTIVES:
        for a in names:
            for p in PROTOCOLS:
                latency, bandwidth = cell(c, a, p, allowed)
                if bandwidth > 0:
                    out.append([c.lower(), a.lower(), p.lower(), latency, bandwidth])
    return out


def comm_lines(hosts, ranks, version, nodes=None):
    """What every rank says at init, in the words of that version."""
    per_host = ranks // len(hosts)
    out = ""
    for rank in range(ranks):
        host, dev = hosts[rank // per_host], rank % per_host
        if version >= 22000:
            out += info(host, rank, "comm 0x5581%04x rank %d nRanks %d nNodes %d localRanks %d localRank %d MNNVL 0" %
                        (rank, rank, ranks, nodes or len(hosts), per_host, dev), dev=dev)
        name = "ncclCommInitRankConfig " if version >= 22100 else ""
        ident = " commId 0x1234abcd" if version >= 21600 else ""
        out += info(host, rank, "%scomm 0x5581%04x rank %d nranks %d cudaDev %d busId %x%s - Init COMPLETE" %
                    (name, rank, rank, ranks, dev, 0x41000, ident), dev=dev)
    return out
