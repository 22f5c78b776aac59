"""`null` and `step`: candidate and reference are the same code, so every difference is an error."""

import math
import random
import tempfile

import tasks
from report import Report, busy, mean, percent, progress, quantile, rms, sd, share, table


def null(args, engine):
    """Fresh gradings of each function by itself."""
    report = Report(args, engine)
    with tempfile.TemporaryDirectory(prefix="study-") as root, busy(args.busy):
        task = tasks.write(root, engine.machine["cpu"])
        for run in range(args.runs):
            for function in random.sample(tasks.FUNCTIONS, len(tasks.FUNCTIONS)):
                entry = {"run": run, **graded(engine, task, function)}
                report.raw.append(entry)
                ln = f"{percent(entry['ln'], sign=True)} %" if "ln" in entry else entry["message"]
                progress(f"run {run + 1} of {args.runs}: {function} {ln}")
            report.save(null_table(report.raw))
    report.end(null_table(report.raw))


def graded(engine, task, function):
    """One grading of a function against itself."""
    record, wall = engine.grade(task, tasks.step_of(function))
    return {"wall": wall, **tasks.timed(record, function),
            "timed_share": tasks.timed_share(record), "noise_floor": record["noise_floor"]}


def null_table(raw):
    head = [
        "function", "runs", "mean, %", "sd, %", "rms, %", "worst, %", "interval holds 0",
        "half-width, %", "reference, ns", "N, ns", "replicates", "wall, s", "in timed calls",
    ]
    rows = []
    for function in tasks.FUNCTIONS:
        mine = [e for e in raw if e["function"] == function]
        good = [e for e in mine if "ln" in e]
        if not good:
            continue
        ln = [e["ln"] for e in good]
        shares = [e["timed_share"] for e in good if e["timed_share"] is not None]
        rows.append([
            function,
            f"{len(good)}" + (f" of {len(mine)}" if len(good) < len(mine) else ""),
            percent(mean(ln), sign=True), percent(sd(ln)), percent(rms(ln)),
            percent(max(ln, key=abs), sign=True),
            share(sum(e["low"] <= 0 <= e["high"] for e in good), len(good)),
            percent(mean([(e["high"] - e["low"]) / 2 for e in good])),
            f"{mean([e['reference_ns'] for e in good]):.4g}",
            f"{mean([e['overhead_ns'] for e in good]):.4g}",
            f"{mean([e['replicates'] for e in good]):.1f}",
            f"{mean([e['wall'] for e in mine]):.1f}",
            f"{percent(mean(shares), 0)} %" if shares else "-",
        ])
    return table(head, rows)


def step(args, engine):
    """Fresh gradings of all functions as one step."""
    report = Report(args, engine)
    with tempfile.TemporaryDirectory(prefix="study-") as root:
        task = tasks.write(root, engine.machine["cpu"], together=True, mark=tasks.MARK)
        for run in range(args.runs):
            record, wall = engine.grade(task, "all")
            entry = {"run": run, "wall": wall, "outcome": record["outcome"]}
            entry["message"] = record["message"]
            entry["timed_share"] = tasks.timed_share(record)
            entry["functions"] = [tasks.timed(record, f) for f in tasks.FUNCTIONS]
            if record["speedup"]:
                entry["ln"] = math.log(record["speedup"]["value"])
            report.raw.append(entry)
            progress(f"run {run + 1} of {args.runs}: {record['message']}")
            report.save(step_table(report.raw))
    report.end(step_table(report.raw))


def step_table(raw):
    head = [
        "runs", f"PASS at {tasks.MARK}", "ln s: median, %", "95 of 100, %", "99 of 100, %",
        "worst, %", "at most 0.5 %", "wall, s", "in timed calls",
    ]
    ln = [e["ln"] for e in raw if "ln" in e]
    shares = [e["timed_share"] for e in raw if e["timed_share"] is not None]
    if not ln:
        return f"no run of {len(raw)} was timed: {raw[-1]['message']}"
    return table(head, [[
        len(raw),
        sum(e["outcome"] == "pass" for e in raw),
        *(percent(quantile(ln, p)) for p in (0.5, 0.95, 0.99, 1.0)),
        share(sum(abs(x) <= 0.005 for x in ln), len(raw)),
        f"{mean([e['wall'] for e in raw]):.1f}",
        f"{percent(mean(shares), 0)} %" if shares else "-",
    ]])
