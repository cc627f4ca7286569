#!/bin/sh
# tools/check-bodies: silent about this tree, finds a kind by its name outside its file, and functions of beams.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
check=$here/tools/check-bodies
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

fresh_tree()
{
    rm -rf "$tree"
    mkdir -p "$tree/src/model" "$tree/src/study" "$tree/src/results" "$tree/src/system" "$tree/include/phlexor" "$tree/cli"
    printf '#define PHX_MODEL_BODY_LIST(X) X(RIGID, rigid) X(THIN_ROD, thin_rod)\nenum { LAST };\n' \
        >"$tree/include/phlexor/model.h"
    printf 'const row phx_body_row_thin_rod = {PHX_MODEL_THIN_ROD};\n' >"$tree/src/model/body_thin_rod.c"
    printf 'PHX_MODEL_RIGIDITY phx_body_row_rigid_one\n' >"$tree/src/study/other.c"
    printf 'phx_system_beam(system, 0);\n' >"$tree/src/system/build.c"
}

# finds FILE LINE: after LINE is added to FILE, the check fails and names the file.
finds()
{
    fresh_tree
    printf '%s\n' "$2" >>"$tree/$1"
    if said=$("$check" "$tree" 2>&1); then
        fail "not found: '$2' in $1"
    elif ! printf '%s' "$said" | grep -q "^$1:"; then
        fail "'$2' in $1: the check said: $said"
    fi
}

"$check" "$here" || fail "this tree"
fresh_tree
"$check" "$tree" || fail "a tree that is right"
finds src/study/limits.c 'if (body->kind == PHX_MODEL_THIN_ROD)'
finds src/model/body_thin_rod.c 'case PHX_MODEL_RIGID:'
finds src/model/reader.c 'return &phx_body_row_rigid;'
finds cli/main.c 'PHX_MODEL_RIGID'
finds cli/item.c 'PHX_MODEL_RIGID'
finds include/phlexor/study.h 'PHX_MODEL_THIN_ROD,'
finds src/study/scene.c 'phx_beam_point(beam, context, s, &point)'
finds src/model/build.c 'phx_system_add_beam_port(system, 0, s, &id)'
finds src/study/view.c 'phx_system_beam(system, 0)'
: >"$tree/include/phlexor/model.h"
status=0
"$check" "$tree" 2>/dev/null || status=$?
[ $status -eq 2 ] || fail "a header without the list: exit status $status"
[ $failures -eq 0 ]
