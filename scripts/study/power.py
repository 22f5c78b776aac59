"""`power`: a candidate that does a little more than the reference. Is the slowdown seen?

The slowdown is a number of multiplications that begin when the function has ended, each waiting for
the one before (benches/pairs/slower); the reference is the same source with none of them. How long
one takes is measured in one process, over thousands of them; how long the function takes says each
grading itself. So what was planted is known better than any timing of the two sides could tell.
"""

import math
import tempfile
from pathlib import Path

import tasks
from natives import Loop
from report import Report, mean, percent, progress, sd, share, table

FUNCTIONS = ["sad16", "utf8", "memxor", "fnv"]
# Multiplications whose time is measured together.
MANY = 4000


def latency(folder):
    """What one multiplication takes, ns."""
    _, _, none, many = Loop(folder, {"fnv": 0}, {"fnv": MANY}).ratio("fnv")
    return (many - none) / MANY


def power(args, engine):
    """Fresh gradings of each planted slowdown."""
    report = Report(args, engine)
    with tempfile.TemporaryDirectory(prefix="study-") as root:
        task = tasks.write(root, engine.machine["cpu"], slower=dict.fromkeys(FUNCTIONS, 0))
        each = latency(Path(root) / "loops")
        planted = []
        for function in FUNCTIONS:
            record, _ = engine.grade(task, tasks.step_of(function))
            takes = tasks.timed(record, function).get("reference_ns")
            if takes is None:
                raise SystemExit(f"{function} was not timed: {record['message']}")
            for wanted in args.percent:
                amount = max(1, round(wanted * takes / each))
                folder = Path(root) / f"workspace{len(planted)}"
                workspace = tasks.workspace(task, folder, {function: amount})
                planted.append((function, wanted, amount, workspace))
                progress(f"{function}: {amount} multiplications of {each:.3f} ns for "
                         f"{percent(wanted)} % of {takes:.4g} ns")
        for run in range(args.runs):
            for function, wanted, amount, workspace in planted:
                record, wall = engine.grade(task, tasks.step_of(function), workspace=workspace)
                entry = {"run": run, "wall": wall, "wanted": wanted, "amount": amount,
                         "each_ns": each, **tasks.timed(record, function)}
                if "ln" in entry:
                    entry["true"] = math.log1p(amount * each / entry["reference_ns"])
                report.raw.append(entry)
                ln = f"{percent(entry['ln'], sign=True)} %" if "ln" in entry else entry["message"]
                progress(f"run {run + 1} of {args.runs}: {function} slower by "
                         f"{percent(entry.get('true'))} %: {ln}")
            report.save(power_table(report.raw))
    report.end(power_table(report.raw))


def power_table(raw):
    head = ["function", "wanted, %", "planted, %", "runs", "speedgate: mean, %", "sd, %",
            "interval holds it", "seen (interval excludes 1)"]
    rows = []
    for function, wanted in dict.fromkeys((e["function"], e["wanted"]) for e in raw):
        mine = [e for e in raw if (e["function"], e["wanted"]) == (function, wanted)]
        good = [e for e in mine if "ln" in e]
        slower = [-e["ln"] for e in good]
        rows.append([
            function, percent(wanted), percent(mean([e["true"] for e in good])), len(mine),
            percent(mean(slower), sign=True), percent(sd(slower)),
            share(sum(e["low"] <= -e["true"] <= e["high"] for e in good), len(good)),
            share(sum(e["high"] < 0 for e in good), len(mine)),
        ])
    return table(head, rows)
