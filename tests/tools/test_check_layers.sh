#!/bin/sh
# tools/check-layers finds each kind of wrong include, and nothing else.
set -eu
check=$(cd "$(dirname "$0")/../../tools" && pwd)/check-layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fresh_tree()
{
    rm -rf "$tree"
    mkdir -p "$tree/src/base" "$tree/src/low" "$tree/src/left" "$tree/src/right" \
        "$tree/src/system/equations" "$tree/src/system/recursive" "$tree/include/phlexor" "$tree/cli" \
        "$tree/examples"
    printf 'base:\nlow: base\nleft: low\nright: low\nsystem: base\n' >"$tree/src/layers.txt"
    printf '#include <phlexor/base.h>\n#include <stdio.h>\n' >"$tree/include/phlexor/low.h"
    : >"$tree/src/left/private.h"
    : >"$tree/src/left/left_kernel.h"
    : >"$tree/src/left/fast.h"
    printf '#include "fast.h"\nvoid phx_fast_step(int n);\n' >"$tree/src/left/fast_step.c"
    : >"$tree/src/low/low_kernel.h"
    : >"$tree/src/low/low.h"
    printf '#include "private.h"\n#include "low/low.h"\n#include <phlexor/base.h>\n#include <cblas.h>\n' >"$tree/src/left/left.c"
    printf '#include "low/low_kernel.h"\n' >"$tree/src/left/wide_kernel.h"
    printf '#include <phlexor/low.h>\n' >"$tree/include/phlexor/phlexor.h"
    printf '#include <phlexor/phlexor.h>\n#include "low/low.h"\n' >"$tree/cli/main.c"
    printf '#include <phlexor/phlexor.h>\n' >"$tree/examples/example.c"
    : >"$tree/src/system/system_internal.h"
    : >"$tree/src/system/equations.h"
    printf '#include "system/system_internal.h"\n' >"$tree/src/system/equations/rows.h"
    printf '#include "system/equations.h"\n' >"$tree/src/system/recursive/tree.c"
    printf '| layer | knows only |\n| `base` | – |\n| `low` | base |\n| `left` | low |\n' >"$tree/ARCHITECTURE.md"
}

# expect_failure FILE LINE TEXT: after LINE is added to FILE, the check fails and says TEXT.
expect_failure()
{
    fresh_tree
    printf '%s\n' "$2" >>"$tree/$1"
    if said=$("$check" "$tree" 2>&1); then
        echo "not found: '$2' in $1; the check said: $said"
        failures=$((failures + 1))
    elif ! printf '%s' "$said" | grep -qF "$3"; then
        echo "'$2' in $1: expected '$3', the check said: $said"
        failures=$((failures + 1))
    fi
}

fresh_tree
if ! said=$("$check" "$tree" 2>&1); then
    echo "the check fails on a tree that is right: $said"
    failures=$((failures + 1))
fi
expect_failure src/low/low.c '#include <phlexor/left.h>' 'low must not know left'
expect_failure src/left/left.c '  #  include <phlexor/right.h>' 'src/left/left.c:5: left must not know right'
expect_failure include/phlexor/low.h '#include <phlexor/left.h>' 'low must not know left'
expect_failure include/phlexor/low.h '#include <hdf5.h>' 'must not show <hdf5.h>'
expect_failure include/phlexor/other.h '#include <stddef.h>' 'has no layer other'
expect_failure src/left/left.c '#include <phlexor/phlexor.h>' 'must not include <phlexor/phlexor.h>'
expect_failure src/left/left.c '#include <phlexor/nothing.h>' 'belongs to no layer'
expect_failure examples/example.c '#include "low/low.h"' 'not a private header of examples/'
expect_failure src/base/base.c '#include "low/low.h"' 'base must not know low'
expect_failure src/right/right.c '#include "private.h"' 'not a private header of src/right/'
expect_failure src/right/right.c '#include "left/private.h"' 'not a private header of src/right/'
expect_failure src/right/right.c '#include "left/left_kernel.h"' 'right must not know left'
expect_failure src/low/low.c '#include "left/left_kernel.h"' 'low must not know left'
expect_failure src/left/left.c '#include "low/none_kernel.h"' 'not a private header of src/left/'
expect_failure cli/main.c '#include "../src/low/low_kernel.h"' 'not a private header of cli/'
expect_failure cli/main.c '#include "low/low_kernel.h"' 'not a private header of cli/'
expect_failure include/phlexor/low.h '#include "low/low_kernel.h"' 'not a private header of include/phlexor/'
expect_failure cli/main.c '#include "left/private.h"' 'not a private header of cli/'
expect_failure src/left/left.c '#include "fast.h"' '"fast.h" is of the fast evaluator'
expect_failure src/left/left.c '    phx_fast_step(3);' 'a call of the fast evaluator'
expect_failure src/left/fast_step.c '    phx_plain_step(3);' 'a call of the plain evaluator'
expect_failure src/system/recursive/tree.c '#include "system/system_internal.h"' 'only the rooms of the equations see'
expect_failure src/system/recursive/tree.c '#include "system/equations/rows.h"' 'only the rooms of the equations see'
expect_failure src/system/equations.h '#include "system/system_internal.h"' 'only the rooms of the equations see'
expect_failure src/layers.txt 'odd: up' 'odd knows up'
expect_failure ARCHITECTURE.md '| `right` | base, low |' 'the row of right'
[ "$failures" -eq 0 ]
