"""`peers`: other tools on pairs of identical functions, in turn with speedgate.

The same C objects are linked into every tool's program (benches/peers); speedgate builds the same
sources itself. A run is a fresh process that measures one pair for about a second: half a second a
side where a tool times sides apart. What counts is the figure that the tool itself puts forward:
criterion's estimate, divan's median, tango's and zenbench's change in per cent, google-benchmark's
CPU time.
"""

import contextlib
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import tasks
from null import graded, null_table
from natives import PEERS, cc, compile_side
from report import Report, busy, mean, percent, progress, rms, sd, table

UNITS = {"ps": 1e-3, "ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
RUST = ["criterion", "divan", "tango", "zenbench"]


def build(folder, aligned):
    """Every tool's program, in `folder`."""
    folder.mkdir()
    objects = compile_side(folder, "a", aligned) + compile_side(folder, "b", aligned)
    cc("-std=c11", "-O2", "-c", PEERS / "c" / "calls.c", "-o", folder / "calls.o")
    library = folder / "libpairs.a"
    subprocess.run(["ar", "rcs", library, folder / "calls.o", *objects], check=True)
    target = tasks.HOME / "target" / "peers"
    subprocess.run(
        ["cargo", "build", "--release", "--locked"], cwd=PEERS, check=True,
        env={**os.environ, "PAIRS": str(folder), "CARGO_TARGET_DIR": str(target)},
    )
    for tool in RUST:
        shutil.copy(target / "release" / tool, folder)
    if not Path("/usr/include/benchmark/benchmark.h").is_file():
        apt = ["apt-get", "install", "-q", "-y", "--no-install-recommends", "libbenchmark-dev"]
        subprocess.run(apt if os.geteuid() == 0 else ["sudo", *apt], check=True)
    subprocess.run(
        ["g++", "-O2", "-o", folder / "gbench", PEERS / "c" / "gbench.cc", library,
         "-lbenchmark", "-lpthread"],
        check=True,
    )


def run(program, *args, fine=(0,), **env):
    """What a tool prints, if its exit code is one of the `fine` ones. What it has started ends with
    it, also where the study is ended: a tool's own worker would go on and disturb what comes next."""
    with subprocess.Popen(
        [program, *args], cwd=program.parent, env={**os.environ, **env}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as running:
        try:
            told, errors = running.communicate()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    if running.returncode not in fine:
        raise SystemExit(f"{program} {' '.join(args)} failed:\n{errors}")
    return told


def criterion(folder, name):
    with tempfile.TemporaryDirectory() as home:
        run(folder / "criterion", "--bench", "--noplot", "--warm-up-time", "0.1",
            "--measurement-time", "0.5", f"^{name}_[ab]$", CRITERION_HOME=home)

        def side(letter):
            told = json.loads((Path(home) / f"{name}_{letter}/new/estimates.json").read_text())
            return (told["slope"] or told["mean"])["point_estimate"]

        return math.log(side("a") / side("b"))


def divan(folder, name):
    told = run(folder / "divan", "--bench", "--color", "never", "--min-time", "0.5",
               "--max-time", "0.5", f"{name}_[ab]$")

    def side(letter):
        line = next(x for x in told.splitlines() if re.search(rf"\b{name}_{letter}\b", x))
        median = line.split("│")[2].split()
        return float(median[0]) * UNITS[median[1]]

    return math.log(side("a") / side("b"))


def tango(folder, name):
    # It ends with 1 where it takes the difference for a regression.
    told = run(folder / "tango", "--color", "never", "compare", "-t", "1", "-f", name,
               "--strip-baseline", "a/**", "--strip-candidate", "b/**", fine=(0, 1))
    change = re.search(rf"^{name} .*\]\s+([-+][0-9.]+)%", told, re.MULTILINE)
    return -math.log1p(float(change[1]) / 100)


def zenbench(folder, name):
    told = run(folder / "zenbench", f"--group={name}.", "--format=json", "--no-busy-gate")
    told = json.loads(told)
    (_, _, paired), *_ = told["comparisons"][0]["analyses"]
    return -math.log1p(paired["pct_change"] / 100)


def gbench(folder, name):
    told = run(folder / "gbench", f"--benchmark_filter=^{name}_[ab]$",
               "--benchmark_min_time=0.5", "--benchmark_format=json")
    a, b = (one["cpu_time"] * UNITS[one["time_unit"]] for one in json.loads(told)["benchmarks"])
    return math.log(a / b)


TOOLS = {"criterion": criterion, "divan": divan, "tango-bench": tango, "zenbench": zenbench,
         "google-benchmark": gbench}


def peers(args, engine):
    """Every tool once on every pair a run, in random order."""
    report = Report(args, engine)
    with tempfile.TemporaryDirectory(prefix="study-") as root:
        folder = Path(root) / "programs"
        build(folder, args.aligned)
        task = tasks.write(root, engine.machine["cpu"])

        tools = [*TOOLS, "speedgate"]
        with busy(args.busy):
            for number in range(args.runs):
                turns = [(tool, name) for tool in tools for name in tasks.FUNCTIONS]
                for tool, name in random.sample(turns, len(turns)):
                    entry = {"run": number, "tool": tool, "function": name}
                    if tool in TOOLS:
                        begin = time.monotonic()
                        entry["ln"] = TOOLS[tool](folder, name)
                        entry["wall"] = time.monotonic() - begin
                    else:
                        entry |= graded(engine, task, name)
                    report.raw.append(entry)
                    progress(f"run {number + 1} of {args.runs}: {tool} {name} "
                             f"{percent(entry.get('ln'), sign=True)} %")
                report.save(both_tables(report.raw, tools))
    report.end(both_tables(report.raw, tools))


def both_tables(raw, tools):
    """All tools beside each other, then what `null` says of speedgate's gradings."""
    ours = [e for e in raw if e["tool"] == "speedgate"]
    return f"{peers_table(raw, tools)}\n\n{null_table(ours)}"


def peers_table(raw, tools):
    """A cell is mean ± sd (root mean square) of ln(time of a / time of b), in per cent."""
    rows = []
    for tool in tools:
        cells = []
        for name in tasks.FUNCTIONS:
            mine = [e for e in raw if (e["tool"], e["function"]) == (tool, name)]
            ln = [e["ln"] for e in mine if "ln" in e]
            lost = f", {len(mine) - len(ln)} not timed" if len(ln) < len(mine) else ""
            cells.append(
                f"{percent(mean(ln), sign=True)} ± {percent(sd(ln))} ({percent(rms(ln))}){lost}"
            )
        wall = mean([e["wall"] for e in raw if e["tool"] == tool])
        rows.append([tool, *cells, f"{wall:.2f}"])
    return table(["tool", *tasks.FUNCTIONS, "wall, s a pair"], rows)
