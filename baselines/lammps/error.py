#!/usr/bin/env python3
"""Measures how far LAMMPS's own `lj/cut` is from exact values, and the reference solution.

    baselines/lammps/error.py [ROUNDS]

Compiles both trees with the flags of task.toml (a minute each), links each to a library, and runs
error.cpp with it. `speedgate` is taken from the path, or from $SPEEDGATE.
"""
import glob
import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TASK = HERE.parents[1] / "kernels/lammps"
SPEEDGATE = os.environ.get("SPEEDGATE", "speedgate")


def library(tree, build):
    includes = [f"-I{tree / folder}" for folder in build["include"] + ["include"]]

    def compile_one(source):
        flags = list(build["flags"])
        for extra in build["for"]:
            ending = extra["files"][0].rsplit("*", 1)[1]
            flags += extra["flags"] if source.endswith(ending) else []
        out = tree / (source.replace("/", "_") + ".o")
        compiler = "gcc" if source.endswith(".c") else "g++"
        command = [compiler, "-w", "-fPIC", *flags, *includes, "-c", tree / source, "-o", out]
        subprocess.run(command, check=True)
        return out

    sources = {f for s in build["sources"] for f in glob.glob(s, root_dir=tree, recursive=True)}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sorted(sources)))
    subprocess.run(["g++", "-shared", *objects, "-o", tree / "library.so"], check=True)
    return tree / "library.so"


def main():
    rounds = sys.argv[1] if len(sys.argv) > 1 else "4"
    build = tomllib.loads((TASK / "task.toml").read_text())["build"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        program = scratch / "error"
        source = [f"-I{TASK / 'include'}", HERE / "error.cpp", "-o", program, "-ldl"]
        subprocess.run(["g++", "-std=c++17", "-O2", *source], check=True)
        for name, command in [
            ("reference", ["workspace", "lammps"]),
            ("solution", ["solution", "lammps", "--step", "01-lj-cut"]),
        ]:
            tree = scratch / name
            subprocess.run([SPEEDGATE, *command, "--out", tree], check=True, capture_output=True)
            print(name, flush=True)
            subprocess.run([program, library(tree, build), TASK / "data", rounds], check=True)


main()
