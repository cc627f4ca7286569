#!/bin/sh
# Octave reads the MAT-file of the sample as it is.
set -eu
. "$(dirname "$0")/../support/readers.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
"$1" sample.mat
octave_script <<'END'
load sample.mat
assert(real, [1, -2.5, 1e-300; 1/3, 0, 1.7e308])
assert(complex, [1 + 2i; -3.5 - 1i])
assert(size(empty), [0, 3])
assert(size(hollow), [2, 0])
assert(size(desert), [0, 0])
assert(size(complex_empty), [0, 3])
assert(size(complex_hollow), [2, 0])
assert(size(complex_desert), [0, 0])
assert(issparse(rowless) && all(size(rowless) == [0, 3]))
assert(issparse(columnless) && all(size(columnless) == [3, 0]))
assert(issparse(sizeless) && all(size(sizeless) == [0, 0]))
assert(iscell(unnamed) && all(size(unnamed) == [2, 1]) && isempty(unnamed{1}) && isempty(unnamed{2}))
assert(issparse(sparse) && nnz(sparse) == 3)
assert(full(sparse), [0, 2, 0, -1; 0, 0, 0, 0; 1/7, 0, 0, 0])
assert(issparse(nothing) && nnz(nothing) == 0 && all(size(nothing) == [2, 2]))
assert(iscellstr(names) && all(size(names) == [3, 1]))
assert(names{1}, 'crank.C.fx')
assert(names{2}, 'Kurbelträger')
assert(isempty(names{3}))
assert(iscell(none) && isempty(none))
assert(text, sprintf('ein %s "Text"\n', char([239, 191, 189])))
assert(ischar(blank) && isempty(blank))
assert(number, 0.1)
END
