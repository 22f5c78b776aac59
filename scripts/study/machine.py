"""`machine`: what this machine does to a program that does always the same, and what a line of memory
takes from core to core, by its address."""

import os
import subprocess
import tempfile
from pathlib import Path

from natives import cc
from report import Report, quantile, table

SOURCE = Path(__file__).parents[2] / "benches" / "peers" / "c" / "machine.c"


def machine(args, engine):
    """Spells of noise on the last core, and round trips between the first and the last."""
    report = Report(args, engine)
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="study-") as folder:
        program = Path(folder) / "machine"
        cc("-std=gnu11", "-O2", "-o", program, SOURCE, "-lpthread")
        run = lambda *words: subprocess.run(
            [program, *map(str, words)], check=True, capture_output=True, text=True
        ).stdout.split("\n")
        spells = [line.split() for line in run("spells", cores[-1]) if line]
        lines = []
        if len(cores) > 1:
            lines = [float(line.split()[1]) for line in run("lines", cores[0], cores[-1]) if line]
    report.raw.append({"spells": spells, "lines_ns": lines})
    rows = [[f"a window of {w[1]} ns: {int(q[1])}th percentile, relative to the 5th", q[2]]
            for w in spells if w[0] == "window_ns" for q in spells if q[0] == "quantile"]
    rows += [["share of quick windows (within 7 % of the 5th percentile)", q[1]]
             for q in spells if q[0] == "quick"]
    rows += [[f"correlation of being quick, {q[1]} ms apart", q[2]]
             for q in spells if q[0] == "apart"]
    if lines:
        rows += [[f"a line there and back, {PLACES[p]} of {len(lines)} places, ns",
                  f"{quantile(lines, p):.0f}"] for p in PLACES]
    report.end(table(["", "here"], rows))


PLACES = {0.0: "the quickest", 0.25: "the lower quartile", 0.5: "the median", 0.75: "the upper quartile",
          1.0: "the slowest"}
