#!/usr/bin/env python3
"""The baseline of bench_sweep: dense generalised eigenvalues of unreduced first-order pencils by SciPy.

    sweep_baseline.py PENCILS RESULT COUNT REPEATS

PENCILS: two int32, the number of pencils and their size n, then E and J of each, n x n doubles by rows. RESULT: one
line with the processor time of the eigenvalues alone, with vectors, and the versions; then the COUNT lowest pulsations
of each pencil. Only the calls of eig are timed; times are the least of the repeats.
"""
import sys
import time

import numpy
import scipy
import scipy.linalg


def timed(pencils, vectors):
    values, seconds = [], 0.0
    for E, J in pencils:
        start = time.process_time()
        result = scipy.linalg.eig(J, E, right=vectors, check_finite=False)
        seconds += time.process_time() - start
        values.append(result[0] if vectors else result)
    return seconds, values


def main(pencils_path, result_path, count, repeats):
    with open(pencils_path, "rb") as file:
        points, n = numpy.fromfile(file, numpy.int32, 2)
        data = numpy.fromfile(file, numpy.float64).reshape(points, 2, n, n)
    _, values = timed(data, False)
    plain = min(timed(data, False)[0] for _ in range(repeats))
    full = min(timed(data, True)[0] for _ in range(repeats))
    with open(result_path, "w", encoding="ascii") as file:
        print(plain, full, f"NumPy {numpy.__version__}, SciPy {scipy.__version__}", file=file)
        for one in values:
            omega = numpy.sort(one.imag[numpy.isfinite(one) & (one.imag > 0.0)])
            print(*(f"{w:.17g}" for w in omega[:count]), file=file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
