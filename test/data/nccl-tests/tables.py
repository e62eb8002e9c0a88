# SPDX-License-Identifier: Apache-2.0
"""Tables as nccl-tests prints them, per version (src/common.cu and the tests until 2.17.3, src/util.cu since)."""


def fitting(value, width):
    for decimals in (2, 1, 0):
        text = "%*.*f" % (width, decimals, value)
        if len(text) <= width:
            return text
    return "%*.*e" % (width, 1 if width >= 7 else 0, value)


def old_time(us):
    return "%7.*f" % (0 if us >= 10000 else 1 if us >= 100 else 2, us)


class Shape:
    """How one collective fills its row: total bytes per element of `count`, busbw factor, redop, root."""

    def __init__(self, test, ranks, blocks, factor, redop, root):
        self.test, self.ranks, self.blocks, self.factor, self.redop, self.root = test, ranks, blocks, factor, redop, root


def shape(test, ranks, redop="sum"):
    n = ranks
    return {
        "all_reduce": Shape(test, n, 1, 2 * (n - 1) / n, redop, -1),
        "all_gather": Shape(test, n, n, (n - 1) / n, "none", -1),
        "reduce_scatter": Shape(test, n, n, (n - 1) / n, redop, -1),
        "broadcast": Shape(test, n, 1, 1, "none", 0),
        "reduce": Shape(test, n, 1, 1, redop, 0),
        "alltoall": Shape(test, n, n, (n - 1) / n, "none", -1),
        "sendrecv": Shape(test, n, 1, 1, redop, -1),
    }[test]


class Table:
    """Rows of one test; `pieces` of a row are what single printf calls write."""

    def __init__(self, shape, style, sizes, rng, dtype="float", element=4, checked=True):
        self.shape, self.style, self.rows, self.expected = shape, style, [], []
        for size in sizes:
            self.add(size, rng, dtype, element, checked)

    def add(self, size, rng, dtype, element, checked):
        s, style = self.shape, self.style
        count = size // (s.blocks * element)
        old = style.startswith("old")
        text = "%12i  %12i" % (size, count)
        words = []
        if old:
            text += "  %6s" % dtype
            if s.test in ("all_reduce", "reduce_scatter", "reduce"):
                words.append(s.redop)
            if s.test in ("broadcast", "reduce"):
                words.append(str(s.root))
        else:
            text += "  %8s" % dtype
            words = [s.redop, "%6i" % s.root]
        text += "".join("  %6s" % w for w in words)
        pieces, fields = [text], []
        for half in (0, 1):
            us = 8 + size / rng.uniform(2e3, 2e5) + rng.uniform(0, 9)
            alg = size / us / 1e3
            bus = alg * s.factor
            if old or style == "2.13":
                t, a, b = old_time(us), "%6.2f" % alg, "%6.2f" % bus
            else:
                t, a, b = fitting(us, 7), fitting(alg, 6), fitting(bus, 6)
            number = checked and not (half == 1 and s.test in ("alltoall", "sendrecv"))
            if old:
                wrong = "%5s" % ("%.0e" % rng.choice([0, 2e-7, 1e-6]) if number else "N/A")
            elif number:
                wrong = ("%5g" if style == "2.13" else "%6g") % rng.choice([0, 0, 0, 16])
            else:
                wrong = "  N/A"
            pieces.append("  %s  %s  %s  %s" % (t, a, b, wrong))
            fields += [t.strip(), a.strip(), b.strip(), wrong.strip()]
            if style == "per-iteration":
                pieces.append("".join("  " + fitting(v, 7) for v in (us * 0.9, us * 4, us * 3, rng.uniform(0, 99))))
        if style == "timestamps":
            pieces.append("%21s" % "2026-07-10 10:11:12")
        pieces.append("\n")
        words = [w.strip() for w in words]
        self.rows.append(pieces)
        self.expected.append([str(size), str(count), dtype] + (words + ["", ""])[:2] + fields)


GPU = "Sample GPU 80GB"


def devices(ranks, hosts, old=False, bus="0x07", group=0):
    lines = []
    per_host = ranks // len(hosts)
    for rank in range(ranks):
        host, dev = hosts[rank // per_host], rank % per_host
        if old:
            lines.append("#   Rank %2d Pid %6d on %10s device %2d [%s] %s\n" % (rank, 700 + rank, host, dev, bus, GPU))
        else:
            lines.append("#  Rank %2d Group %2d Pid %6d on %10s device %2d [%s] %s\n" %
                         (rank, group, 700 + rank, host, dev, bus, GPU))
    return "".join(lines)


def settings(style, lo, hi, gpus=1, iters=20):
    text = "# nThread 1 nGpus %d minBytes %d maxBytes %d step: 2(factor) warmup iters: 5 iters: %d " % (gpus, lo, hi, iters)
    if style.startswith("old"):
        return text + "validation: 1 \n"
    text += "agg iters: 1 validation: 1 graph: 0"
    return text + (" unalign: 0\n" if style in ("2.18", "per-iteration") else "\n")


def titles(style, s, cputime=False):
    time = "cputime" if cputime else "time"
    if style.startswith("old"):
        names = ["type"]
        if s.test in ("all_reduce", "reduce_scatter", "reduce"):
            names.append("redop")
        if s.test in ("broadcast", "reduce"):
            names.append("root")
        text = "# %10s  %12s" % ("size", "count") + "".join("  %6s" % n for n in names)
        return "#\n" + text + ("  %7s  %6s  %6s  %5s" % (time, "algbw", "busbw", "error")) * 2 + "\n"
    text = "# %10s  %12s  %8s  %6s  %6s" % ("size", "count", "type", "redop", "root")
    if style == "2.13":
        return "#\n" + text + ("  %7s  %6s  %6s %6s" % (time, "algbw", "busbw", "#wrong")) * 2 + "\n"
    half = "  %7s  %6s  %6s  %6s" % (time, "algbw", "busbw", "#wrong")
    if style == "per-iteration":
        half += "  %7s  %7s  %7s  %7s" % ("i_min", "i_max", "i_p99", "i_cv%")
    return "#\n" + text + half * 2 + " \n"


FOOTER = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.3456 \n#\n"


def version_lines(tests="2.18.3", nccl=22902):
    return "# nccl-tests version %s nccl-headers=%d nccl-library=%d\n" % (tests, nccl, nccl)


def starting(program):
    return "# Collective test starting: %s\n" % program


def concluded(program):
    return "#\n# Collective test concluded: %s\n#\n" % program
