"""`power`: a candidate that does a little more than the reference. Is the slowdown seen?

The slowdown is a number of multiplications that begin when the function has ended, each waiting for
the one before (benches/pairs/slower). How long they take is measured in one process: two numbers
give a line, those that should give the wanted slowdowns are read off it, and corrected until what
they really give is near. The table holds that, not what was wanted. On a busy machine it is inexact.
"""

import tempfile
from pathlib import Path

import tasks
from natives import Loop
from report import Report, mean, percent, progress, sd, share, table

FUNCTIONS = ["sad16", "utf8", "memxor", "fnv"]
# Shares of a function's time that the line is drawn through, and a multiplication's time.
PROBES = (0.01, 0.04)
STEP_NS = 1.5
# How often the number of multiplications is corrected.
ATTEMPTS = 3
# Texts as many as a predictor can't learn: in a grading each call gets a new one.
DEFINES = ["-DTEXTS=64"]


def plan(folder, wanted):
    """Extra work for each function and wanted slowdown, with the slowdown measured."""
    def measure(name, slower):
        loop = Loop(Path(folder) / name, slower_b=slower, defines=DEFINES)
        return {f: loop.ratio(f) for f in FUNCTIONS}

    plain = {f: found[2] for f, found in measure("plain", {}).items()}
    probes = [{f: max(1, round(p * plain[f] / STEP_NS)) for f in FUNCTIONS} for p in PROBES]
    found = [measure(f"probe{i}", probe) for i, probe in enumerate(probes)]
    slope = {f: (found[1][f][0] - found[0][f][0]) / (probes[1][f] - probes[0][f])
             for f in FUNCTIONS}
    planted = []
    for index, slowdown in enumerate(wanted):
        amounts, really = dict(probes[0]), dict(found[0])
        for attempt in range(ATTEMPTS):
            nearer = {f: max(0, round(amounts[f] + (slowdown - really[f][0]) / slope[f]))
                      for f in FUNCTIONS}
            again = measure(f"planted{index}-{attempt}", nearer)
            for f in FUNCTIONS:
                if attempt == 0 or abs(again[f][0] - slowdown) < abs(really[f][0] - slowdown):
                    amounts[f], really[f] = nearer[f], again[f]
        for f in FUNCTIONS:
            ln, error, *_ = really[f]
            planted.append({"function": f, "wanted": slowdown, "amount": amounts[f],
                            "true": ln, "error": error})
            progress(f"{f}: {amounts[f]} multiplications take {percent(ln)} ± "
                     f"{percent(error)} % more (wanted: {percent(slowdown)} %)")
    return planted


def power(args, engine):
    """Fresh gradings of each planted slowdown."""
    report = Report(args, engine)
    with tempfile.TemporaryDirectory(prefix="study-") as root:
        task = tasks.write(root, engine.machine["cpu"])
        planted = plan(Path(root) / "loops", args.percent)
        for number, case in enumerate(planted):
            slower = {case["function"]: case["amount"]}
            case["workspace"] = tasks.workspace(task, Path(root) / f"workspace{number}", slower)
        for run in range(args.runs):
            for case in planted:
                function = case["function"]
                record, wall = engine.grade(
                    task, tasks.step_of(function), workspace=case["workspace"]
                )
                kept = {k: v for k, v in case.items() if k != "workspace"}
                entry = {"run": run, "wall": wall, **kept, **tasks.timed(record, function)}
                report.raw.append(entry)
                ln = f"{percent(entry['ln'], sign=True)} %" if "ln" in entry else entry["message"]
                progress(f"run {run + 1} of {args.runs}: {function} slower by "
                         f"{percent(case['true'])} %: {ln}")
            report.save(power_table(report.raw))
    report.end(power_table(report.raw))


def power_table(raw):
    head = ["function", "wanted, %", "in one process, %", "runs", "speedgate: mean, %", "sd, %",
            "seen (interval excludes 1)"]
    rows = []
    for function, wanted in dict.fromkeys((e["function"], e["wanted"]) for e in raw):
        mine = [e for e in raw if (e["function"], e["wanted"]) == (function, wanted)]
        good = [e for e in mine if "ln" in e]
        slower = [-e["ln"] for e in good]
        rows.append([
            function, percent(wanted),
            f"{percent(mine[0]['true'])} ± {percent(mine[0]['error'])}",
            len(mine), percent(mean(slower), sign=True), percent(sd(slower)),
            share(sum(e["high"] < 0 for e in good), len(mine)),
        ])
    return table(head, rows)
