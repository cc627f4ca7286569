#!/bin/sh
# Run by conda-build (meta.yaml): PREFIX, where to install; SP_DIR, where its Python looks for packages; CPU_COUNT.
set -eu
cmake -S . -B build/conda -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX="$PREFIX" \
    -D CMAKE_PREFIX_PATH="$PREFIX" -D CMAKE_INSTALL_LIBDIR=lib -D PHX_PYTHON_DIR="${SP_DIR#"$PREFIX"/}" \
    -D PHX_GPL=OFF -D PHX_BENCH=OFF -D BUILD_TESTING=OFF
cmake --build build/conda --parallel "$CPU_COUNT" --target phlexor_program phlexor_static phlexor_shared man
cmake --install build/conda
