"""The pairs as C objects outside of speedgate, and a careful loop over them inside one process.

Side a and side b of a pair are compiled apart, under names of their own. Where code falls in memory
moves the times of short loops, so the loop is linked several times with random gaps in between, and
what counts is the mean over these layouts.
"""

import math
import random
import subprocess
import tomllib
from pathlib import Path

from report import mean, sd
from tasks import FUNCTIONS, HOME, PAIRS

PEERS = HOME / "benches" / "peers"
# As speedgate's own builds: functions and loops begin on a cache line or in the middle of one.
ALIGNED = ["-falign-functions=64", "-falign-loops=32"]


def flags():
    """The compiler flags of the task."""
    return tomllib.loads((PAIRS / "task.toml").read_text())["build"]["flags"]


def cc(*args):
    subprocess.run(["gcc", *map(str, args)], check=True)


def compile_side(folder, side, aligned=True, slower=None):
    """Objects of all functions under their names of this side, some with so many more
    multiplications."""
    objects = []
    for function in FUNCTIONS:
        extra = (slower or {}).get(function)
        source = PAIRS / ("src" if extra is None else "slower") / f"{function}.c"
        out = Path(folder) / f"{function}_{side}.o"
        name = f"pairs_{function}"
        rename = [f"-D{name}={name}_{side}"]
        rename += [] if extra is None else [f"-DEXTRA={extra}"]
        cc(*flags(), *(ALIGNED if aligned else []), *rename,
           f"-I{PAIRS}/include", "-c", source, "-o", out)
        objects.append(out)
    return objects


class Loop:
    """A pair's loop in one process, in several layouts."""

    def __init__(self, folder, slower_a=None, slower_b=None, defines=(), layouts=6):
        folder = Path(folder)
        folder.mkdir(parents=True)
        objects = compile_side(folder, "a", slower=slower_a)
        objects += compile_side(folder, "b", slower=slower_b)
        common = []
        for part in ("calls", "loop"):
            out = folder / f"{part}.o"
            cc("-std=c11", "-O2", *defines, "-c", PEERS / "c" / f"{part}.c", "-o", out)
            common.append(out)
        self.programs = [self.link(folder / f"loop{i}", objects, common) for i in range(layouts)]

    @staticmethod
    def link(program, objects, common):
        parts = []
        for number, part in enumerate(random.sample(objects, len(objects))):
            gap = program.with_suffix(f".{number}.s")
            text, data = (64 * random.randrange(1, 64) for _ in range(2))
            gap.write_text(
                f'.text\n.skip {text}\n.bss\n.skip {data}\n.section .note.GNU-stack,"",@progbits\n'
            )
            parts += [gap, part]
        cc("-o", program, *common, *parts)
        return program

    def ratio(self, function, seconds=0.5):
        """ln(time of b / time of a) over the layouts: mean, standard error, and both times."""
        times = []
        for program in self.programs:
            told = subprocess.run(
                [program, function, str(seconds)], capture_output=True, text=True, check=True
            ).stdout
            times.append([float(x) for x in told.split()])
        ln = [math.log(b / a) for a, b in times]
        a, b = (mean([pair[i] for pair in times]) for i in range(2))
        return mean(ln), sd(ln) / math.sqrt(len(ln)), a, b
