#!/usr/bin/env python3
"""The baseline of bench_solids: the same modes by SciPy, SuperLU and ARPACK in shift-invert mode.

    solids_baseline.py MATRICES MODES SIGMA

MATRICES: K, then M, each as two int64 (rows, entries), int32 row pointers and columns, doubles.
"""
import resource
import sys
import time

import numpy
import scipy
import scipy.sparse
import scipy.sparse.linalg


def read_matrix(file):
    rows, entries = numpy.fromfile(file, numpy.int64, 2)
    pointers = numpy.fromfile(file, numpy.int32, rows + 1)
    columns = numpy.fromfile(file, numpy.int32, entries)
    values = numpy.fromfile(file, numpy.float64, entries)
    return scipy.sparse.csr_matrix((values, columns, pointers), shape=(rows, rows))


def main(path, modes, sigma):
    with open(path, "rb") as file:
        K, M = (read_matrix(file).tocsc() for _ in range(2))
    start = time.process_time()
    # symmetric mode, the better order for such matrices; SciPy's default takes several times as long
    lu = scipy.sparse.linalg.splu(K - sigma * M, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                                  options={"SymmetricMode": True})
    factored = time.process_time()
    inverse = scipy.sparse.linalg.LinearOperator(K.shape, matvec=lu.solve)
    values = scipy.sparse.linalg.eigsh(K, modes, M, sigma=sigma, OPinv=inverse, return_eigenvectors=True)[0]
    done = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"NumPy {numpy.__version__}, SciPy {scipy.__version__}: {K.shape[0]} unknowns, factor {factored - start:.2f} s, "
          f"modes {done - factored:.2f} s, memory {memory:.0f} MB, "
          f"{numpy.sqrt(max(values[min(6, modes - 1)], 0.0)) / 2 / numpy.pi:.10g} Hz")


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
