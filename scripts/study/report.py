"""What a study prints and keeps: a Markdown table, and the raw values as JSON."""

import contextlib
import ctypes
import datetime
import json
import math
import os
import signal
import statistics
import subprocess
import sys
from pathlib import Path

from tasks import HOME


class Report:
    """Raw values and table of one study, rewritten after each round: a long study that is
    interrupted leaves what it has."""

    def __init__(self, args, engine):
        self.folder = Path(args.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        ways = [way for way in ("aligned", "busy") if getattr(args, way, False)]
        self.name = "-".join([args.study, *ways])
        commit = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=HOME, capture_output=True, text=True, check=False,
        ).stdout.strip()
        self.setting = {
            "study": args.study,
            "command": "python3 scripts/study " + " ".join(sys.argv[1:]),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "engine": engine.version,
            "commit": commit or None,
            "machine": engine.machine,
        }
        self.raw = self.earlier() if args.more else []

    def earlier(self):
        """The values of a study that was interrupted, on the same machine with the same version."""
        path = self.folder / f"{self.name}.json"
        if not path.is_file():
            return []
        then = json.loads(path.read_text())
        for key in ("study", "engine"):
            if then[key] != self.setting[key]:
                raise SystemExit(f"{path}: {key} was {then[key]}, is {self.setting[key]}")
        if then["machine"]["cpu"] != self.setting["machine"]["cpu"]:
            raise SystemExit(f"{path}: the processor was {then['machine']['cpu']}")
        return then["values"]

    def save(self, table):
        """Writes both files; `table` is the Markdown of what there is so far."""
        setting, machine = self.setting, self.setting["machine"]
        head = (
            f"`{setting['command']}`, {setting['date']}, {setting['engine']} "
            f"({setting['commit']}), {machine['cpu']}, {machine['cores']} cores, "
            f"{machine['hypervisor'] or 'no hypervisor'}, Linux {machine['kernel']}\n\n"
        )
        (self.folder / f"{self.name}.md").write_text(head + table + "\n")
        raw = {**self.setting, "values": self.raw}
        (self.folder / f"{self.name}.json").write_text(json.dumps(raw, indent=1) + "\n")

    def end(self, table):
        """The same, and prints the table."""
        self.save(table)
        print(f"\n{table}\n\n{self.folder / self.name}.json, .md")


def progress(text):
    """One line on the terminal, for who waits."""
    print(text, file=sys.stderr, flush=True)


def table(head, rows):
    """Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def mean(values):
    """Nothing of nothing."""
    return statistics.fmean(values) if values else math.nan


def sd(values):
    """Sample standard deviation; of a single value there is none."""
    return statistics.stdev(values) if len(values) > 1 else math.nan


def rms(values):
    """Root of the mean square: bias and spread together."""
    return math.sqrt(mean([v * v for v in values])) if values else math.nan


def quantile(values, p):
    """Linear between order statistics."""
    ordered = sorted(values)
    place = p * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def percent(x, digits=2, sign=False):
    """Per cent, or a dash where there is no number."""
    if x is None or math.isnan(x):
        return "-"
    return f"{100 * x:+.{digits}f}" if sign else f"{100 * x:.{digits}f}"


def share(hits, runs):
    """A count of runs as a share, with both numbers."""
    return f"{100 * hits / runs:.0f} % ({hits}/{runs})" if runs else "-"


@contextlib.contextmanager
def busy(wanted):
    """One busy shell loop bound to each core, ended with the block, whatever ends it."""
    loops = []
    libc = ctypes.CDLL(None)

    def start(core):
        def before():
            libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: not even a killed study leaves one
            os.sched_setaffinity(0, {core})

        return subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=before)

    try:
        if wanted:
            loops.extend(start(core) for core in sorted(os.sched_getaffinity(0)))
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()
