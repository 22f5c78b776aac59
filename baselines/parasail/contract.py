#!/usr/bin/env python3
"""Known answers: the contract's definitions, written down once more, against a built library.

    speedgate workspace parasail --out TREE          (or: speedgate solution parasail --step 07 --out TREE)
    python3 baselines/parasail/contract.py TREE [PAIRS [SEED]]

Everything here follows include/ps.h and nothing else: whole matrices of H, with the statistics and
the choice of every cell. Pairs are short and of DNA, with the matrices that need no table.
"""

import ctypes
import pathlib
import random
import subprocess
import sys
import tempfile

MATRICES = {4: (1, -1), 5: (120, -119), 6: (3000, -2999)}
LETTERS = "ACGT" * 6 + "acgt" * 6 + "NRYKMSWBDHVnry-?"
CODES = {"=": 7, "X": 8, "I": 1, "D": 2}
NEVER = -(10**12)


def build(tree):
    """The tree as a shared library, with the flags of task.toml."""
    folder = tempfile.mkdtemp()
    names = [f"src/{mode}{kind}.c" for mode in ("sw", "nw", "sg") for kind in ("", "_stats", "_trace")]
    sources = [tree / name for name in ["shim.c", "src/cigar.c", "src/memory.c", *names]]
    objects = []
    for source in [*sources, *sorted(tree.glob("kernels/**/*.c"))]:
        objects.append(f"{folder}/{len(objects)}.o")
        flags = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"] if source.name.endswith("_avx2.c") else []
        command = ["cc", "-std=gnu11", "-O3", "-fPIC", f"-I{tree}", f"-I{tree}/include", *flags]
        subprocess.run([*command, "-c", source, "-o", objects[-1]], check=True)
    subprocess.run(["cc", "-shared", *objects, "-o", f"{folder}/library.so"], check=True)
    return ctypes.CDLL(f"{folder}/library.so")


def compare(matrix, x, y):
    """The score of two residues, whether the matrix calls them the same, whether their letters are."""
    a, b = LETTERS[x & 63].upper(), LETTERS[y & 63].upper()
    known = a in "ACGT" and b in "ACGT"
    score = MATRICES[matrix][a != b] if known else 0
    both_unknown = a not in "ACGT" and b not in "ACGT"
    return score, a == b if known else both_unknown, a == b


def plus(numbers, *more):
    return tuple(a + b for a, b in zip(numbers, more))


def align(mode, a, b, open_, gap, matrix, ends):
    """Score, end, statistics, begin and CIGAR, as ps.h defines them."""
    n, m, local = len(a), len(b), mode == "sw"
    free = [mode == "sg" and bool(ends >> bit & 1) for bit in range(4)]
    h = [[0] * (m + 1) for _ in range(n + 1)]
    statistics = [[(0, 0, 0)] * (m + 1) for _ in range(n + 1)]
    came, e_opens, f_opens = ([[None] * (m + 1) for _ in range(n + 1)] for _ in range(3))
    for i in range(1, n + 1):
        h[i][0] = 0 if local or free[0] else -open_ - (i - 1) * gap
    for j in range(1, m + 1):
        h[0][j] = 0 if local or free[2] else -open_ - (j - 1) * gap
    f, f_statistics = [NEVER] * (m + 1), [(0, 0, 0)] * (m + 1)
    for i in range(1, n + 1):
        e, e_statistics = NEVER, (0, 0, 0)
        for j in range(1, m + 1):
            e_opens[i][j] = h[i][j - 1] - open_ > e - gap
            e_statistics = plus(statistics[i][j - 1] if e_opens[i][j] else e_statistics, 0, 0, 1)
            e = max(h[i][j - 1] - open_, e - gap)
            f_opens[i][j] = h[i - 1][j] - open_ > f[j] - gap
            f_statistics[j] = plus(statistics[i - 1][j] if f_opens[i][j] else f_statistics[j], 0, 0, 1)
            f[j] = max(h[i - 1][j] - open_, f[j] - gap)
            score, match, _ = compare(matrix, a[i - 1], b[j - 1])
            d = h[i - 1][j - 1] + score
            h[i][j] = max(d, e, f[j], 0) if local else max(d, e, f[j])
            if local and h[i][j] == 0:
                came[i][j] = "nowhere"
            elif h[i][j] == d:
                came[i][j] = "D"
                statistics[i][j] = plus(statistics[i - 1][j - 1], match, score > 0, 1)
            elif h[i][j] == f[j]:
                came[i][j], statistics[i][j] = "F", f_statistics[j]
            else:
                came[i][j], statistics[i][j] = "E", e_statistics

    if local:
        cells = [(i, j) for i in range(1, n + 1) for j in range(1, m + 1)]
    else:
        column = [(i, m) for i in range(1, n + 1)] if free[1] else []
        cells = column + ([(n, j) for j in range(1, m + 1)] if free[3] else []) or [(n, m)]
    best = max(h[i][j] for i, j in cells)
    cells = [(i, j) for i, j in cells if h[i][j] == best]
    in_row = [(i, j) for i, j in cells if i == n and j < m]
    if local or (free[1] and free[3] and in_row):
        end = min(cells if local else in_row, key=lambda cell: (cell[1], cell[0]))
    else:
        end = min(cells)

    i, j = end
    steps = ["D"] * (m - j) + ["I"] * (n - i) if mode == "sg" else []
    at = "H"
    while i and j:
        if at == "H" and came[i][j] == "nowhere":
            break
        if at == "H" and came[i][j] == "D":
            steps.append("=" if compare(matrix, a[i - 1], b[j - 1])[2] else "X")
            i, j = i - 1, j - 1
            continue
        at = came[i][j] if at == "H" else at
        steps.append("D" if at == "E" else "I")
        opens = (e_opens if at == "E" else f_opens)[i][j]
        i, j = (i, j - 1) if at == "E" else (i - 1, j)
        at = "H" if opens else at
    else:
        steps += ["D"] * j + ["I"] * i
        i = j = 0
    cigar = []
    for step in reversed(steps):
        if cigar and cigar[-1] & 15 == CODES[step]:
            cigar[-1] += 16
        else:
            cigar.append(16 + CODES[step])
    return [best, end[0] - 1, end[1] - 1], list(statistics[end[0]][end[1]]), [i, j], cigar


def main():
    library = build(pathlib.Path(sys.argv[1]))
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    wrong = 0
    for _ in range(pairs):
        kinds = random.choice([2, 4, 64])
        text = [random.randrange(kinds) for _ in range(random.randint(2, 60))]
        n = random.randint(1, len(text) - 1)
        begin = random.choice([0, n, random.randint(0, n)])
        a, b = text[:n], text[begin : begin + len(text) - n]
        costs = [random.choice([0, 1, 2, 5, 400]), random.choice([0, 1, 2, 7])]
        matrix, ends = random.randint(4, 6), random.randrange(16)
        for mode in ("sw", "nw", "sg"):
            end, statistics, start, cigar = align(mode, a, b, *costs, matrix, ends)
            for kind in ("", "_stats", "_trace"):
                out, runs = (ctypes.c_int32 * 6)(), (ctypes.c_uint32 * len(text))()
                texts = [(ctypes.c_uint8 * len(a))(*a), len(a), (ctypes.c_uint8 * len(b))(*b), len(b)]
                tail = [ends] * (mode == "sg") + [out] + [runs] * (kind == "_trace")
                count = getattr(library, f"ps_{mode}{kind}")(*texts, *costs, matrix, *tail)
                want = end + {"": [], "_stats": statistics, "_trace": start}[kind]
                same = list(out)[: len(want)] == want
                if not same or (kind == "_trace" and list(runs)[:count] != cigar):
                    wrong += 1
                    print(f"ps_{mode}{kind}: {a} {b} costs {costs} matrix {matrix} ends {ends}")
    print(f"{pairs} pairs, {9 * pairs} results, {wrong} wrong")
    sys.exit(wrong != 0)


main()
