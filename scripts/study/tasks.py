"""Copies of the task `pairs` that can be graded, and gradings of them.

`grade` wants a calibration of this very processor. The copies get one whose marks are given, so
that nothing but the candidate is timed (and, near its mark, the same against the reference solution).
"""

import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
PAIRS = HOME / "benches" / "pairs"
MARK = 1.02
# Where nothing but the candidate shall be timed: farther (ln 0.26) from s than `DRIFT` in
# src/verdict/marks.rs.
FAR = 1.3

# In the order of the task's steps.
FUNCTIONS = ["poly", "fnv64", "sad16", "utf8", "memxor", "fnv"]


class Engine:
    """The program under study."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        if not self.path.is_file():
            raise SystemExit(f"{self.path} is not there: cargo build --release")
        told = subprocess.run(
            [self.path, "doctor", "--json"], capture_output=True, text=True, check=False
        ).stdout
        self.machine = json.loads(told)["machine"]
        told = subprocess.run([self.path, "--version"], capture_output=True, text=True, check=True)
        self.version = told.stdout.strip()

    def grade(self, task, step, workspace=None):
        """One fresh grading: its record, and the seconds it took."""
        candidate = ["--workspace", workspace] if workspace else ["--solution"]
        with tempfile.TemporaryDirectory(prefix="study-") as out:
            begin = time.monotonic()
            done = subprocess.run(
                [self.path, "grade", task.name, "--step", step, *candidate, "--out", out, "--json"],
                env={**os.environ, "SPEEDGATE_ROOT": str(task.root)},
                capture_output=True,
                text=True,
                check=False,
            )
            wall = time.monotonic() - begin
        if done.returncode != 0:
            raise SystemExit(f"grading {task.name} {step} failed:\n{done.stderr}")
        return json.loads(done.stdout), wall


class Task:
    """A copy of `pairs` under `root`, by a name of its own."""

    def __init__(self, root, name):
        self.root, self.name = Path(root), name
        self.folder = self.root / "kernels" / name
        self.baselines = self.root / "baselines" / name


def write(root, cpu, name="pairs", together=False, n=None, slower=None, mark=FAR):
    """Writes a copy. `together`: all functions in one step. `n`: other bytes for `fnv`. `slower`:
    functions with the number of multiplications that are added to them."""
    task = Task(root, name)
    shutil.copytree(PAIRS, task.folder, ignore=shutil.ignore_patterns("baselines", "slower"))
    manifest = task.folder / "task.toml"
    text = manifest.read_text().replace('name = "pairs"', f'name = "{name}"')
    if together:
        text = re.sub(r'\[\[step\]\]\nid = .*\nfunctions = .*\n\n', "", text)
        quoted = ", ".join(f'"{f}"' for f in FUNCTIONS)
        text = text.replace(
            "\n# Some 30 ns", f'\n[[step]]\nid = "all"\nfunctions = [{quoted}]\n\n# Some 30 ns'
        )
    if n:
        text = text.replace("{ n = 4096 }", f"{{ n = {n} }}")
    manifest.write_text(text)
    for function, extra in (slower or {}).items():
        plant(task.folder / "src", function, extra)
    ids = re.findall(r'^id = "(.*)"$', text, re.MULTILINE)
    for step in ids:
        (task.baselines / step).mkdir(parents=True)
        (task.baselines / step / "solution.toml").write_text("take = []\n")
        (task.folder / "steps" / step).mkdir(parents=True, exist_ok=True)
        (task.folder / "steps" / step / "instruction.md").write_text("Nothing is asked.\n")
    marks = [calibration(step, cpu, mark) for step in ids]
    (task.baselines / "calibration.toml").write_text("\n".join(marks))
    return task


def calibration(step, cpu, mark):
    """Marks that nobody has measured. With the mark of `step`, three times the spread above 1 is the
    least that passes, however slow the solution is that the candidate meets: the same mark. Farther
    marks get no spread: it would bring them near again."""
    spread = math.log(mark) / 3 if mark == MARK else 0.0
    return f"""[step.{step}]
s_ref = {mark}
s_ref_interval = [{mark}, {mark}]
pass_at = {mark}
replays = 10
spread = {spread}
guard = 0.0
s = []
leads = []
cpu = {json.dumps(cpu)}
compiler = "any"
flags = []
engine = "any"
date = "2026-01-01T00:00:00Z"
"""


def plant(folder, function, extra):
    """Puts the function with `extra` more multiplications in the place of the usual one, as one
    file: a workspace has no other folder."""
    slower, more = ((PAIRS / "slower" / name).read_text() for name in (f"{function}.c", "more.h"))
    slower = slower.replace('#include "more.h"\n', more)
    (Path(folder) / f"{function}.c").write_text(f"#define EXTRA {extra}\n{slower}")


def workspace(task, folder, slower):
    """A workspace of `task` whose functions do so much more."""
    shutil.copytree(task.folder / "src", folder)
    for function, extra in slower.items():
        plant(folder, function, extra)
    return folder


def step_of(function):
    """The step of `pairs` that times this function."""
    return f"{FUNCTIONS.index(function) + 1:02}-{function}"


def timed(record, name):
    """What a record says of a function, or why it says nothing."""
    found = next(f for f in record["functions"] if f["name"] == name)
    entry = {"function": name, "outcome": record["outcome"], "message": record["message"]}
    if found["speedup"]:
        value, low, high = (math.log(found["speedup"][k]) for k in ("value", "low", "high"))
        entry |= {"ln": value, "low": low, "high": high}
        entry |= {k: found[k] for k in ("reference_ns", "candidate_ns", "overhead_ns", "mode")}
        entry["replicates"] = found["profiles"][0]["replicates"]
    return entry


def timed_share(record):
    """Share of the timer's wall time inside timed calls; none where nothing was timed."""
    timing = record["timing"]
    return timing and timing["inside"] / timing["seconds"]
