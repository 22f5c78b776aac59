"""`known`: pairs whose ratio is known from a careful loop over the same calls in one process.

The function is `fnv` over so many bytes that the faster side takes some 30 ns to 300 us; the slower
side goes on with as many multiplications as make it 1, 1.1, 2 or 10 times as long.
"""

import math
import tempfile
from pathlib import Path

import tasks
from natives import Loop
from report import Report, mean, progress, table

SIZES = {"30 ns": 20, "300 ns": 200, "3 us": 2_000, "300 us": 200_000}
RATIOS = [1.0, 1.1, 2.0, 10.0]
WITHIN = 0.03


def known(args, engine):
    """One grading a run of each pair, and the loop beside it."""
    report = Report(args, engine)
    with tempfile.TemporaryDirectory(prefix="study-") as root:
        for number, (size, n) in enumerate(SIZES.items()):
            for nominal in RATIOS:
                extra = round(n * (nominal - 1))
                name = f"known-{number}-{extra}"
                mark = tasks.FAR * nominal
                task = tasks.write(root, engine.machine["cpu"], name, n=n,
                                   slower={"fnv": extra}, mark=mark)
                faster = tasks.workspace(task, Path(root) / f"{name}-workspace", {"fnv": 0})
                loop = Loop(Path(root) / f"{name}-loop", {"fnv": 0}, {"fnv": extra},
                            [f"-DFNV_BYTES={n}"])
                for run in range(args.runs):
                    truth, error, fast_ns, slow_ns = loop.ratio("fnv")
                    record, wall = engine.grade(task, tasks.step_of("fnv"), workspace=faster)
                    entry = {"run": run, "size": size, "bytes": n, "nominal": nominal,
                             "loop": truth, "loop_error": error, "loop_ns": [slow_ns, fast_ns],
                             "wall": wall, **tasks.timed(record, "fnv")}
                    report.raw.append(entry)
                    progress(f"{size}, {nominal}: loop {math.exp(truth):.4f}, speedgate "
                             + (f"{math.exp(entry['ln']):.4f}" if "ln" in entry
                                else entry["message"]))
                report.save(known_table(report.raw))
    report.end(known_table(report.raw))


def known_table(raw):
    head = ["faster side", "bytes", "loop: ns", "loop: ratio", "speedgate: ns", "ratio",
            "off by, %", f"within {WITHIN:.0%}"]
    rows = []
    for size, nominal in dict.fromkeys((e["size"], e["nominal"]) for e in raw):
        mine = [e for e in raw if (e["size"], e["nominal"]) == (size, nominal)]
        good = [e for e in mine if "ln" in e]
        if not good:
            rows.append([size, mine[0]["bytes"], "", "", "", mine[0]["message"], "", "no"])
            continue
        truth, found = mean([e["loop"] for e in good]), mean([e["ln"] for e in good])
        off = math.expm1(found - truth)
        slow, fast = (mean([e["loop_ns"][i] for e in good]) for i in range(2))
        rows.append([
            size, mine[0]["bytes"], f"{slow:.4g} / {fast:.4g}", f"{math.exp(truth):.4f}",
            f"{mean([e['reference_ns'] for e in good]):.4g} / "
            f"{mean([e['candidate_ns'] for e in good]):.4g}",
            f"{math.exp(found):.4f}", f"{100 * off:+.2f}", "yes" if abs(off) <= WITHIN else "no",
        ])
    return table(head, rows)
