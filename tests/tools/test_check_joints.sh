#!/bin/sh
# tools/check-joints: silent about this tree, finds lists of kinds in each language and nothing else.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
check=$here/tools/check-joints
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

"$check" "$here" || failures=1

fresh_tree()
{
    rm -rf "$tree"
    mkdir -p "$tree/include/phlexor" "$tree/src/joint" "$tree/src/model" "$tree/cli" \
        "$tree/python/phlexor" "$tree/web/src"
    printf '#define PHX_JOINT_LIST(X) \\\n    X(HINGE, hinge) \\\n    X(BALL, ball) \\\n    X(BALL_IN_TUBE, ball_in_tube)\n' \
        >"$tree/include/phlexor/joint.h"
    printf '.name = "hinge"\n' >"$tree/src/joint/hinge.c"
    printf 'kind = PHX_JOINT_HINGE; /* of a hinge, not of a ball */\n' >"$tree/src/model/build.c"
    printf 'f(PHX_JOINT_BALL_IN_TUBE)\n' >"$tree/cli/main.c"
}

fresh_tree
"$check" "$tree" || failures=1

# finds FILE LINE: with LINE in it FILE is named.
finds()
{
    fresh_tree
    printf '%s\n' "$2" >>"$tree/$1"
    if said=$("$check" "$tree" 2>&1); then
        echo "not found in $1: $2" >&2
        failures=1
    elif [ "${said#"$1" knows several kinds of joint}" = "$said" ]; then
        echo "wrong words about $1: $said" >&2
        failures=1
    fi
}

finds src/model/build.c 'case PHX_JOINT_BALL:'
finds cli/item.c 'static const char *const kinds[] = {"ball", "hinge"};'
finds src/joint/hinge.c 'static const char *const kinds[] = {"ball"};'
finds cli/main.c 'if (!strcmp(kind, "hinge"))'
finds python/phlexor/builder.py 'Literal["hinge", "ball"]'
finds web/src/glyphs.js "const slides = ['hinge', 'ball_in_tube'];"
finds src/joint/list.c 'extern phx_joint_operations phx_joint_hinge, phx_joint_ball;'
exit $failures
