"""Studies of the timer's own errors: each prints a table and writes it, with the raw values, to
`--out`. For a quiet machine with nothing else to do; `cargo build --release` first.

    python3 scripts/study null --runs 20            the same code on both sides
    python3 scripts/study step --runs 200           the same, all functions as one step
    python3 scripts/study power --runs 20           a planted slowdown: is it seen?
    python3 scripts/study known                     known ratios against a loop in one process
    python3 scripts/study peers --runs 20           other tools on the same pairs
    python3 scripts/study machine                   spells of noise, lines from core to core
    python3 scripts/study task --out DIR            a task to grade by hand
"""

import argparse
import signal
import sys

import known
import machine
import null
import peers
import power
import tasks


def write_task(args, engine):
    """The task of the studies, once with a step a function and once as a single step."""
    cpu = engine.machine["cpu"]
    tasks.write(args.out, cpu)
    tasks.write(args.out, cpu, name="pairs-together", together=True)
    for name, step in (("pairs", "06"), ("pairs-together", "all")):
        print(f"SPEEDGATE_ROOT={args.out} speedgate grade {name} --step {step} --solution --out result")


def percents(text):
    return [float(x) / 100 for x in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(
        prog="study", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    studies = parser.add_subparsers(dest="study", required=True, metavar="STUDY")

    def study(name, run, says, runs=None, busy=False):
        one = studies.add_parser(name, help=says)
        one.set_defaults(run=run)
        one.add_argument("--out", default="target/study", help="folder of the results")
        default = tasks.HOME / "target" / "release" / "speedgate"
        one.add_argument("--more", action="store_true", help="add to the values that are there")
        one.add_argument("--speedgate", default=default, help="the program (target/release)")
        if runs:
            one.add_argument("--runs", type=int, default=runs, help=f"fresh runs ({runs})")
        if busy:
            one.add_argument("--busy", action="store_true", help="with a busy loop on each core")
        return one

    study("null", null.null, "the same code on both sides", 20, busy=True)
    study("step", null.step, "the same, all functions as one step", 200)
    one = study("power", power.power, "a planted slowdown: is it seen?", 20)
    one.add_argument("--percent", type=percents, default=[0.005, 0.01, 0.02], metavar="P,P",
                     help="sizes of the slowdown (0.5,1,2)")
    study("known", known.known, "known ratios against a loop in one process", 1)
    one = study("peers", peers.peers, "other tools on the same pairs", 20, busy=True)
    one.add_argument("--aligned", action="store_true",
                     help="align the tools' copies as speedgate does its own")
    study("machine", machine.machine, "spells of noise, lines from core to core")
    study("task", write_task, "write a task to grade by hand")
    return parser.parse_args()


def main():
    # Ended in either way, loops and folders that a study has made go with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args = arguments()
    try:
        args.run(args, tasks.Engine(args.speedgate))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
