#!/usr/bin/env python3
"""Plants mistakes in the reference solution and has `speedgate check` look for them.

    baselines/lammps/planted.py [NUMBER ...]

Each is a line of the kernels replaced by another. `speedgate` is taken from the path, or from
$SPEEDGATE. Exits with 1 if a mistake is not found, or an honest variant is refused.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SPEEDGATE = os.environ.get("SPEEDGATE", "speedgate")
WITHIN = "_mm256_cmp_pd(rsq, of(cutsq_row), _CMP_LT_OQ)"
DIVISION = "_mm256_div_pd(_mm256_set1_pd(1), rsq)"
FORCES = "add_rows(force, j, 4,"
YZ = "virial[k] = _mm256_add_pd(virial[k], each[k]);"
SHARES = "for (int i = 0; i < job->all && job->virials; i++) {"

PLANTED = [
    (
        "pairs just inside the cutoff do not count",
        WITHIN,
        "_mm256_cmp_pd(rsq, _mm256_mul_pd(of(cutsq_row), _mm256_set1_pd(0.998001)), _CMP_LT_OQ)",
        False,
    ),
    (
        "two bonds count as one",
        "_mm_srli_epi32(listed, 30)",
        "_mm_sub_epi32(_mm_srli_epi32(listed, 30), _mm_and_si128(_mm_set1_epi32(1), "
        "_mm_cmpeq_epi32(_mm_srli_epi32(listed, 30), _mm_set1_epi32(2))))",
        False,
    ),
    (
        "images are not given their part of the force",
        FORCES,
        "if (!ENERGY && !SHARES) for (int &to : j) to = to < job.atoms ? to : job.all; " + FORCES,
        False,
    ),
    ("energies are not shifted", "of(offset_row)", "_mm256_setzero_pd()", False),
    (
        "yz is lost where fewer than four are left",
        YZ,
        "if (k < 5 || jj + 4 <= count) " + YZ,
        False,
    ),
    (
        "an image's share of the virial is lost",
        SHARES,
        SHARES.replace("job->all", "job->atoms"),
        False,
    ),
    (
        "reciprocals in single precision",
        DIVISION,
        "_mm256_cvtps_pd(_mm_div_ps(_mm_set1_ps(1), _mm256_cvtpd_ps(rsq)))",
        False,
    ),
    (
        "from the last neighbour to the first",
        "for (int jj = 0; jj < count; jj += 4) {",
        "for (int jj = (count - 1) / 4 * 4; jj >= 0 && count > 0; jj -= 4) {",
        True,
    ),
]


def look(name, old, new, honest):
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        command = [SPEEDGATE, "solution", "lammps", "--step", "01-lj-cut", "--out", tree]
        subprocess.run(command, check=True, capture_output=True)
        file = tree / "kernels/lj_cut_avx2.cpp"
        text = file.read_text()
        if text.count(old) != 1:
            sys.exit(f"{name}: the line is there {text.count(old)} times")
        file.write_text(text.replace(old, new))
        command = [SPEEDGATE, "check", "lammps", "--step", "01-lj-cut", "--workspace", tree]
        seen = subprocess.run([*command, "--json"], capture_output=True, text=True)
        record = json.loads(seen.stdout)
        outcome, failure = record["outcome"], record.get("failure") or {}
        fine = outcome == ("pass" if honest else "wrong-output")
        print(f"{'ok ' if fine else 'BAD'} {name}: {outcome} {failure.get('message', '')}")
        return fine


def main():
    chosen = [PLANTED[int(n)] for n in sys.argv[1:]] or PLANTED
    if not all([look(*planted) for planted in chosen]):
        sys.exit(1)


main()
